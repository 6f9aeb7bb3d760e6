"""Notes of what went wrong and how it was corrected: one folder each under ``learnings/session-notes``."""

from __future__ import annotations

import json
import os
import re
import time

from guildmoot.projects.errors import RecordError
from guildmoot.projects.repository import find_checkout
from guildmoot.projects.slugs import text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

LEARNINGS, NOTES, NIGHTLY, ARCHIVE = "learnings", "session-notes", "nightly", "archive"
CLASSES = (
    "recurring", "generator-antipattern", "catalog-gap", "evaluator-conflict", "sanctioned-exception",
)  # fmt: skip
_ERROR = "capture-error"
_CORRECTION = re.compile(r"\s*(?:[-*]\s+)?correction:\s*(.*)\Z", re.IGNORECASE)
_FILES = ("prompt", "wrong", "correction", "full_transcript", "learning")


def learnings_folder(start: str = "") -> str:
    """``learnings`` in the nearest folder above that git knows, else in the current one."""
    checkout = find_checkout(start or os.getcwd())
    return os.path.join(checkout.root if checkout else (start or os.getcwd()), LEARNINGS)


def init(folder: str) -> str:
    """Make the folders that are missing; one line on what was done."""
    from guildmoot.system.files import refuse_links

    refuse_links(os.path.join(folder, "x"))
    fresh = not os.path.isdir(folder)
    missing = [name for name in (NOTES, NIGHTLY) if not os.path.isdir(os.path.join(folder, name))]
    for name in missing:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    if not missing:
        return "griot init: no changes (learnings tree already present)"
    head = f"{LEARNINGS}/ created; " if fresh else ""
    return f"griot init: {head}subdirs created: {', '.join(missing)}"


class Capture:
    """What a note is made of."""

    def __init__(self, classification: str, slug: str, state: Record, texts: Record) -> None:
        self.classification, self.slug = classification, slug
        self.state, self.texts = state, texts


def finding_capture(flags: dict[str, str]) -> Capture:
    """A note of a finding that an evaluator made."""
    kind = flags["evaluator-finding"]
    if kind not in CLASSES:
        raise RecordError(
            _ERROR, f"unknown class {kind!r}; there are: {', '.join(CLASSES)}", CLASSES
        )
    missing = [
        f"--{name}" for name in ("evaluator-name", "code", "evidence") if not flags.get(name)
    ]
    if missing:
        raise RecordError(_ERROR, f"{' and '.join(missing)} must be given")
    count = flags.get("frequency-count")
    if count is not None and (not count.isascii() or not count.isdecimal() or int(count) < 1):
        raise RecordError(
            _ERROR, f"--frequency-count is {count!r}; it must be a whole number from 1 on"
        )
    if kind == "recurring" and count is None:
        raise RecordError(_ERROR, "a recurring finding needs --frequency-count")
    evaluator, code, evidence = flags["evaluator-name"], flags["code"], flags["evidence"]
    state: Record = {
        "classification": kind, "evaluator": evaluator, "code": code,
        "frequency-count": int(count) if count else None, "file-line": flags.get("file-line"),
    }  # fmt: skip
    learning = flags.get("learning") or _learning(
        kind, evaluator, code, evidence, flags.get("remedy", "")
    )
    texts = {
        "prompt": flags.get("task", ""), "wrong": evidence, "correction": flags.get("remedy", ""),
        "learning": learning,
    }  # fmt: skip
    slug = flags.get("slug") or _slug(f"{kind} {evaluator} {code}")
    return Capture(kind, slug, state, texts)


def _learning(kind: str, evaluator: str, code: str, evidence: str, remedy: str) -> str:
    """What such a note teaches, in a sentence; an exception says that it is one."""
    heads = {
        "sanctioned-exception": f"{code} of {evaluator} is allowed here: {evidence}",
        "evaluator-conflict": f"{evaluator} is at odds with others on {code}: {evidence}",
    }
    head = heads.get(kind, f"{evaluator} reports {code}: {evidence}")
    return f"{head.rstrip('.')}. {remedy}" if remedy else head


def checkin_capture(path: str, wanted: str, slug: str) -> Capture:
    """A note of a correction in a check-in that is written as Markdown."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError as wrong:
        raise RecordError(_ERROR, f"{path} cannot be read: {wrong.strerror}") from None
    unit = re.search(r"^\*\*Unit\*\*:[ \t]*(.*\S)[ \t]*$", text, re.MULTILINE)
    if not unit:
        raise RecordError(_ERROR, f"{path} names no unit ('**Unit**: ...')")
    notes = _section(text, r"Notes for (?:the )?PR")
    found = _corrections(notes) or _corrections(text)
    chosen = _choose(found, wanted, path)
    texts = {
        "prompt": _section(text, "Contract"), "wrong": _section(text, "Execution"),
        "correction": chosen, "full_transcript": text, "learning": chosen,
    }  # fmt: skip
    return Capture("unclassified", slug or _slug(unit.group(1)), _unclassified(), texts)


def record_capture(checkin: Record, wanted: str, slug: str) -> Capture:
    """The same of a check-in on record with loom."""
    name = f"check-in {checkin['number']} of {checkin['branch']}"
    chosen = _choose(checkin["execution"]["corrections"], wanted, name)
    contract = checkin["contract"]
    prompt = "\n".join(
        (contract["goal"], *(f"- {each}" for each in contract["acceptance_criteria"]))
    )
    texts = {
        "prompt": prompt, "wrong": "\n".join(checkin["execution"]["actions"]), "correction": chosen,
        "full_transcript": json.dumps(checkin, ensure_ascii=False, indent=2), "learning": chosen,
    }  # fmt: skip
    return Capture("unclassified", slug or _slug(checkin["unit"]), _unclassified(), texts)


def _unclassified() -> Record:
    return {
        "classification": "unclassified", "evaluator": None, "code": None, "frequency-count": None,
        "file-line": None,
    }  # fmt: skip


def write_note(folder: str, capture: Capture, provenance: Record) -> str:
    """Put a note down in a folder of its own; two in one second never meet."""
    from guildmoot.system.files import refuse_links

    if not re.match(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", capture.slug):
        raise RecordError(
            _ERROR, f"the slug {capture.slug!r} is not lower-case words joined by hyphens"
        )
    stamp = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime())
    notes = os.path.join(folder, NOTES)
    refuse_links(os.path.join(notes, "x"))
    os.makedirs(notes, exist_ok=True)
    place = os.path.join(notes, f"{stamp}-{capture.slug}")
    if os.path.exists(place):
        raise RecordError(_ERROR, f"{place} is there already; give another --slug")
    draft = f"{place}.{os.urandom(4).hex()}.part"
    os.mkdir(draft)
    texts = {name: str(capture.texts.get(name) or "") for name in _FILES}
    state = {**capture.state, "status": "captured", "promoted_as": None}
    state["provenance"] = {**provenance, "content": text_hash(json.dumps(texts, sort_keys=True))}
    for name, text in texts.items():
        with open(os.path.join(draft, f"{name}.md"), "w", encoding="utf-8") as stream:
            stream.write(text.rstrip("\n") + "\n" if text else "")
    with open(os.path.join(draft, "state.json"), "w", encoding="utf-8") as stream:
        stream.write(json.dumps(state, ensure_ascii=False, indent=2) + "\n")
    try:
        os.rename(draft, place)  # whole or not at all
    except OSError:
        raise RecordError(_ERROR, f"{place} is there already; give another --slug") from None
    return place


def list_notes(folder: str) -> list[Record]:
    """The notes that wait, oldest first; ``texts`` holds what their files say."""
    notes = os.path.join(folder, NOTES)
    try:
        names = sorted(name for name in os.listdir(notes) if not name.endswith(".part"))
    except OSError:
        return []
    found = []
    for name in names:
        try:
            with open(os.path.join(notes, name, "state.json"), encoding="utf-8") as stream:
                state = json.load(stream)
        except (OSError, ValueError):
            continue
        if isinstance(state, dict):
            texts = {part: _text(os.path.join(notes, name, f"{part}.md")) for part in _FILES}
            found.append({"name": name, "state": state, "texts": texts})
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""


def _section(text: str, title: str) -> str:
    found = re.search(
        rf"^##[ \t]+{title}[ \t]*$\n(.*?)(?=^##[ \t]|\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found.group(1).strip() if found else ""


def _corrections(text: str) -> list[str]:
    """``correction: ...`` with the lines that go on, up to a blank one, a bullet or a heading."""
    found: list[str] = []
    inside = False
    for line in text.split("\n"):
        begins = _CORRECTION.match(line)
        if begins:
            found.append(begins.group(1).strip())
            inside = True
        elif not line.strip() or re.match(r"\s*[-*#]", line):
            inside = False
        elif inside:
            found[-1] = f"{found[-1]} {line.strip()}".strip()
    return [each for each in found if each]


def _choose(found: list[str], wanted: str, place: str) -> str:
    if not found:
        raise RecordError(_ERROR, f"{place} has no correction")
    if wanted:
        plain = " ".join(wanted.split())
        chosen = [each for each in found if " ".join(each.split()) == plain]
        if not chosen:
            raise RecordError(_ERROR, f"no correction in {place} reads {plain!r}", found)
        return chosen[0]
    if len(found) > 1:
        raise RecordError(
            _ERROR,
            f"{place} has {len(found)} corrections; choose one with --correction-text",
            found,
        )
    return found[0]


def _slug(words: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-").split("-")
    return "-".join(plain[:5]) or "note"
