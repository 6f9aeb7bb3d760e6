"""The learnings that were judged to help: ``learnings/rollup.json``, and those retired beside it."""

from __future__ import annotations

import json
import os
import re

from guildmoot.projects.errors import RecordError
from guildmoot.projects.slugs import today
from guildmoot.system.files import Locked, refuse_links, replace_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

ROLLUP, RETIRED, OLD = "rollup.json", "retired.json", "rollup.md"
_SHOWN = 10
_CONTRACT = (
    "## How to use these\n\n"
    "When a learning or antipattern above shaped your answer, end it with a line such as\n"
    "`Applied: L-001, AP-002`. Read nothing else under learnings/: the rest was not judged.\n"
)


def load(folder: str) -> list[Record] | None:
    """The entries; None when there is no rollup yet, an empty list when it holds none."""
    path = os.path.join(folder, ROLLUP)
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except FileNotFoundError:
        if os.path.isfile(os.path.join(folder, OLD)):
            raise RecordError(
                "griot-use-error", f"{OLD} is of an older version; 'griot compact' makes {ROLLUP}"
            ) from None
        return None
    except (OSError, ValueError) as wrong:
        raise RecordError(
            "griot-use-error", f"{path} cannot be read: {wrong}{_merged(path)}"
        ) from None
    if not isinstance(found, list):
        return []
    return [
        entry for entry in found if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    ]


def _merged(path: str) -> str:
    """What to do where git left both sides of a merge."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError:
        return ""
    marks = "\n<<<<<<< " in text or text.startswith("<<<<<<< ")
    return (
        "; git left both sides of a merge: keep the entries of both, each with its own id"
        if marks
        else ""
    )


def use_text(folder: str) -> str:
    """What an agent loads."""
    entries = load(folder)
    if entries is None:
        return "griot-use: no rollup yet — run `/griot-compact` once captures exist\n"
    if not entries:
        return "griot-use: rollup empty — no validated learnings yet\n"
    lessons = [entry for entry in entries if entry.get("classification") != "AP"]
    traps = [entry for entry in entries if entry.get("classification") == "AP"]
    more = f" + {len(traps)} antipatterns" if traps else ""
    parts = [
        f"griot-use: loaded {len(lessons)} learnings{more} from {os.path.join(folder, ROLLUP)}\n"
    ]
    parts += map(_lesson, lessons)
    if traps:
        lines = [f"- {each['id']}: {_line(each)}" for each in traps[:_SHOWN]]
        if len(traps) > _SHOWN:
            lines.append(f"- and {len(traps) - _SHOWN} more in {ROLLUP}")
        parts.append("## Project antipatterns\n\n" + "\n".join(lines) + "\n")
    return "\n".join((*parts, _CONTRACT))


def _lesson(entry: Record) -> str:
    lines = [f"## {entry['id']}: {_one_line(entry.get('title'))}", ""]
    lines += [
        f"Promoted: {entry.get('promoted') or 'unknown'}",
        f"Origin: {entry.get('origin') or 'unknown'}",
    ]
    lines += ["", "### Learning", "", _body(str(entry.get("body") or "").strip())]
    rubric = entry.get("rubric")
    if isinstance(rubric, list) and rubric:
        lines += ["", "### Rubric", "", *(f"- {_one_line(each)}" for each in rubric)]
    return "\n".join(lines) + "\n"


def _body(text: str) -> str:
    """A learning's words, which cannot be taken for the heading of another learning."""
    from guildmoot.text.clean import clean

    return re.sub(r"^(\s{0,3})(#{1,6}\s)", r"\1\\\2", clean(text), flags=re.MULTILINE)


def _line(entry: Record) -> str:
    who = (
        f" ({entry['evaluator']} {entry.get('code') or ''})".rstrip()
        if entry.get("evaluator")
        else ""
    )
    return f"{_one_line(entry.get('title'))}{who}: {_one_line(entry.get('body'))}"


def _one_line(text: object) -> str:
    plain = str(text or "")
    if not plain.isprintable():
        from guildmoot.text.clean import clean

        plain = clean(plain)
    return " ".join(plain.split())


def promote(folder: str, classification: str, entry: Record) -> Record:
    """Add an entry under the next number of its kind."""
    prefix = "AP" if classification == "AP" else "L"

    def change(entries: list[Record], retired: list[Record]) -> Record:
        numbers = [
            int(found.group(1))
            for each in (*entries, *retired)
            if (found := re.match(rf"{prefix}-(\d+)\Z", str(each.get("id"))))
        ]
        made: Record = {
            "id": f"{prefix}-{1 + max(numbers, default=0):03}", "title": entry["title"],
            "classification": prefix, "promoted": today(), **entry,
        }  # fmt: skip
        entries.append(made)
        return made

    return _change(folder, change)


def retire(folder: str, name: str, why: str) -> Record:
    """Take an entry out of use; it is kept with the reason."""

    def change(entries: list[Record], retired: list[Record]) -> Record:
        found = next((each for each in entries if each.get("id") == name), None)
        if found is None:
            known = [str(each.get("id")) for each in entries]
            raise RecordError("griot-retire-error", f"there is no learning {name}", known)
        entries.remove(found)
        gone = {**found, "retired": today(), "why": why}
        retired.append(gone)
        return gone

    return _change(folder, change)


def _change(folder: str, change: object) -> Record:
    path, gone = os.path.join(folder, ROLLUP), os.path.join(folder, RETIRED)
    refuse_links(path)
    os.makedirs(folder, exist_ok=True)
    with Locked(folder):
        entries, retired = load(folder) or [], _read(gone)
        counts = len(entries), len(retired)
        done: Record = change(entries, retired)  # type: ignore[operator]
        if len(retired) != counts[1]:  # kept before it is taken out of use
            replace_locked(gone, _dump(retired))
        replace_locked(path, _dump(entries))
    return done


def _read(path: str) -> list[Record]:
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as wrong:
        raise RecordError("griot-retire-error", f"{path} cannot be read: {wrong}") from None
    return found if isinstance(found, list) else []


def _dump(entries: list[Record]) -> bytes:
    return (json.dumps(entries, ensure_ascii=False, indent=2) + "\n").encode()


def search(folder: str, words: str, limit: int = 10) -> list[Record]:
    """The learnings nearest to some words, best first: by rare words that they share."""
    from math import log

    entries = load(folder) or []
    texts = [_words(f"{each.get('title')} {each.get('title')} {each.get('body')} {each.get('rubric') or ''}")
             for each in entries]  # fmt: skip
    asked = set(_words(words))
    known = {word: sum(word in text for text in texts) for word in asked}
    rows: list[Record] = []
    for entry, text in zip(entries, texts, strict=True):
        score = sum(
            log(1 + len(texts) / known[word]) * text.count(word) / (text.count(word) + 1)
            for word in asked
            if word in text
        )
        if score:
            row = {
                name: entry.get(name)
                for name in ("id", "title", "classification", "promoted", "origin")
            }
            rows.append({**row, "score": round(score, 3), "body": entry.get("body")})
    return sorted(rows, key=lambda row: (-row["score"], str(row["id"])))[:limit]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
