"""What the programs of this machine read, and nobody else: texts without masks, and the files before a change.

A mask must not change what a tool of this machine sees, nor may what such a tool prints tell what was masked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from guildmoot.guard.secrets import mask
from guildmoot.model.packet import Packet, RealTexts
from guildmoot.packet.contents import MOST_MEDIA, DecodedText, Refusal, WorkTree, decode
from guildmoot.packet.egress import Draft, release
from guildmoot.packet.request import MAX_FILE_BYTES
from guildmoot.system.git import Git, GitError
from guildmoot.text.patterns import lazy

_MARK = lazy(r"\[masked:[\w-]+\]|\bmasked_\w+")
_WHOLE = "[masked:crowded]"
"""What stands for a line that was held back whole, of which nobody knows whether it holds a secret."""
_SHORTEST = 4
_BEGINNING = 12
"""Characters of a long secret that tell it although the rest was cut off."""


def before_packet(packet: Packet) -> Packet | None:
    """What the base has of the packet's files, under the names they have there; None without any.

    What git cannot give, or what is no text there, is left out: then all that a tool finds in it is new.
    """
    files = _texts(packet) if packet.before else []
    if not files:
        return None
    return release(Draft(packet.root, f"before {packet.target}", files))


def _texts(packet: Packet) -> list[tuple[str, str]]:
    git = Git(Path(packet.root))
    files: dict[str, str] = {}
    try:
        with git.small_blob_reader(MOST_MEDIA) as read:
            for earlier in packet.before:
                with suppress(GitError):  # it is not here, so all that is found in it is new
                    found = decode(read(earlier.oid) or b"")
                    if isinstance(found, DecodedText):
                        files[earlier.old] = found.text
    except OSError:  # then nothing is known to have been there
        return []
    return list(files.items())


_WORD = lazy(r"[A-Za-z_.-]{1,12}|[A-Z]{1,6}\d{1,5}")
"""A plain word or a rule's code: in what a tool prints it is mostly that, a path or a key, and no secret."""


def held_back(packet: Packet) -> tuple[tuple[str, str], ...]:
    """Each text that was masked in the packet's files, and the mark that stands for it; the longest first."""
    shown = {file.path: file.text for file in packet.files}
    found: dict[str, str] = {}
    for path, text in packet.real:
        lines = zip(text.split("\n"), shown[path].split("\n"), strict=False)
        for real, masked in lines:
            if real != masked:
                found |= _pairs(real, masked)
    paths = "\n".join(shown)
    forms = {
        form: mark
        for secret, mark in found.items()
        for form in ([secret] if mark == _WHOLE else _forms(secret))
        if form not in paths and not _WORD.fullmatch(form)
    }
    return tuple(sorted(forms.items(), key=lambda item: (-len(item[0]), item[0])))


def without_secrets(text: str, held: tuple[tuple[str, str], ...]) -> str:
    """What a program printed, with marks where it repeats what was masked; JSON stays JSON."""
    marks = _Marks(text, held)
    if not (marks.secrets or marks.lines):
        return text
    with suppress(ValueError, RecursionError):
        said = json.loads(text)
        marked = marks.within(said)
        return text if marked == said else json.dumps(marked, ensure_ascii=False)
    return "\n".join(map(marks.of_line, text.split("\n")))


class _Marks:
    """Puts marks for secrets that stand anywhere, and for lines held back whole that stand alone."""

    def __init__(self, text: str, held: tuple[tuple[str, str], ...]) -> None:
        secrets = [(secret, mark) for secret, mark in held if mark != _WHOLE]
        self.secrets = [pair for pair in secrets if pair[0] in text or _escaped(pair[0]) in text]
        self.lines = {line for line, mark in held if mark == _WHOLE}

    def within(self, value: object) -> object:
        """A value of JSON whose texts, and nothing else of it, bear the marks."""
        if isinstance(value, str):
            return "\n".join(map(self.of_text, value.split("\n")))
        if isinstance(value, list):
            return [self.within(item) for item in value]
        if isinstance(value, dict):
            return {name: self.within(item) for name, item in value.items()}
        return value

    def of_line(self, line: str) -> str:
        """One line of an output, which may be JSON by itself."""
        if line.startswith("{"):
            with suppress(ValueError, RecursionError):
                return json.dumps(self.within(json.loads(line)), ensure_ascii=False)
        return self.of_text(line)

    def of_text(self, text: str) -> str:
        if text.strip() in self.lines:
            return _WHOLE
        for secret, mark in self.secrets:
            text = text.replace(secret, mark)
        return text


def _escaped(text: str) -> str:
    """As JSON writes it."""
    return json.dumps(text)[1:-1]


def with_real(packet: Packet) -> Packet:
    """A packet from the record, with the real texts that still lie here and mask to what it holds."""
    masked = {item.path for item in packet.masked} & {file.path for file in packet.files}
    found = []
    for file in packet.files:
        if file.path in masked:
            texts = (text for text in _candidates(packet, file.path))
            real = next((t for t in texts if mask(t, file.path)[0] == file.text), "")
            found += [(file.path, real)] if real else []
    return packet._replace(real=RealTexts(found))


def _candidates(packet: Packet, path: str) -> Iterator[str]:
    """What the file may have been: as it lies in the working tree, and as the last commit has it."""
    data = WorkTree(packet.root, MAX_FILE_BYTES).read(path)
    if not isinstance(data, Refusal) and isinstance(found := decode(data), DecodedText):
        yield found.text
    try:
        blob = decode(Git(Path(packet.root)).run("cat-file", "blob", f"HEAD:{path}"))
    except GitError:
        return
    if isinstance(blob, DecodedText):
        yield blob.text


def _pairs(real: str, masked: str) -> dict[str, str]:
    """What stands behind each mark of one line; behind all of them together where that cannot be told."""
    marks = _MARK.findall(masked)
    pattern = "(.+?)".join(map(re.escape, _MARK.split(masked)))
    found = re.fullmatch(pattern, real) if 0 < len(marks) <= 20 else None
    if found:
        pairs = zip(found.groups(), marks, strict=True)
        return {s.strip(): m for s, m in pairs if len(s.strip()) >= _SHORTEST}
    return {real.strip(): "[masked:line]"} if len(real.strip()) >= _SHORTEST else {}


def _forms(secret: str) -> set[str]:
    """The secret, as JSON writes it, and its beginning: what a program prints may be cut off."""
    forms = {secret, _escaped(secret), json.dumps(secret, ensure_ascii=False)[1:-1]}
    return forms | ({secret[:_BEGINNING]} if len(secret) >= 2 * _BEGINNING else set())
