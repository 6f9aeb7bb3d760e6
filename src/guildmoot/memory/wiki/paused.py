"""Texts that wait for a person: ``.guild/wiki/.paused/ID.json``, which no later write gets around.

A marker holds the text by the hash of its words and the page that it would become, so the same text under another
name, or another text under the same name however it is spelled, meets it. One that cannot be read stops every write.
It carries a proof that this user wrote it: one that was changed still stops what it names, and can only be skipped.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from guildmoot.codec import CodecError, from_plain
from guildmoot.errors import UsageError
from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.scrub import operator_scrubber
from guildmoot.memory.wiki.gate import Pause
from guildmoot.memory.wiki.places import WIKI, same_name
from guildmoot.system.files import folder_inside, linked_part, read_own, write_atomic
from guildmoot.system.jsonio import dumps
from guildmoot.text.patterns import lazy

FOLDER = WIKI / ".paused"
_WORD = lazy(r"\w+")


class PausedText(NamedTuple):
    """A text that waits."""

    id: str
    path: str
    """The page that it would become."""
    words: str
    """Hash of its words."""
    text: str
    origin: str
    options: dict[str, str]
    """What else was asked for: sensitivity, confidence ..."""
    reasons: tuple[Pause, ...]
    paused_at: str
    ours: bool = True
    """This user's, and as it was written."""


def words_hash(text: str) -> str:
    """The same for texts that differ in spaces, signs or case alone."""
    return hashlib.sha256(" ".join(_WORD.findall(text.casefold())).encode()).hexdigest()


def list_paused(root: Path) -> list[PausedText]:
    """Every text that waits; UsageError when a marker cannot be read, for what it stops is not known."""
    if linked_part(root, FOLDER):
        raise UsageError(f"{FOLDER} is a link, so nothing is written", "Take it away.")
    found = []
    folder = root / FOLDER
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            row = json.loads(read_own(file))
            value = from_plain(PausedText, row)
        except (ValueError, CodecError, RecursionError) as wrong:
            raise UsageError(
                f"{file.relative_to(root)} cannot be read, so it is not known what waits there",
                "Mend it, or delete it when nothing waits; until then nothing is written.",
            ) from wrong
        ours = row.get("root") == str(root) and value.id == file.stem and is_proven(row)
        found.append(value._replace(id=file.stem, ours=ours))
    return found


def waiting_for(root: Path, path: str, text: str) -> PausedText | None:
    """The marker that stands in the way of this text, or of this page."""
    words = words_hash(text)
    for each in list_paused(root):
        if each.words == words or same_name(each.path, path):
            return each
    return None


def pause(root: Path, waiting: PausedText) -> None:
    """Keep a text until a person says what becomes of it."""
    plain = waiting._asdict()
    plain["reasons"] = [reason._asdict() for reason in waiting.reasons]
    plain["text"] = operator_scrubber().text(waiting.text, waiting.path).text
    row = {"schema": "guild.ingest_pause.v1", "root": str(root), **plain}
    masked = operator_scrubber().value(row).value
    told = masked if isinstance(masked, dict) else row
    proven = dumps({**told, PROOF: make_proof(told)}) + "\n"
    write_atomic(folder_inside(root, FOLDER) / f"{waiting.id}.json", proven.encode())


def end_pause(root: Path, waiting: PausedText) -> None:
    """A person decided."""
    (root / FOLDER / f"{waiting.id}.json").unlink(missing_ok=True)


def find_paused(root: Path, name: str) -> PausedText:
    """The text that waits under an id, or the start of one."""
    found = [each for each in list_paused(root) if name and each.id.startswith(name)]
    if len(found) != 1:
        known = ", ".join(each.id for each in list_paused(root)) or "none"
        raise UsageError(f"no text waits under {name!r}", f"Waiting: {known}.")
    return found[0]
