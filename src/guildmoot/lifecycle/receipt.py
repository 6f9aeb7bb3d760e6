"""The receipt that a lane hands over: what it claims, in a form that code can hold against git. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from guildmoot.agents.plainyaml import Value
from guildmoot.lifecycle.documents import (
    Checker,
    CodeBlock,
    MarkdownSection,
    Problem,
    SourceDocument,
)
from guildmoot.lifecycle.proof.expectations import expected_endings
from guildmoot.lifecycle.team.roles import TIERS
from guildmoot.text.patterns import lazy

SCHEMA = "guild.handoff.v2"
FRONT = "guild.handoff_receipt.v1"
SECTIONS = ("changed_files", "opens_for", "assumptions", "evidence", "followups")
LONGEST_SUMMARY, LONGEST_NOTES = 600, 200
_STATUS = ("done", "blocked", "escalate")
_CLEAN = ("clean", "flagged", "unverified")
_CHANGES = ("added", "modified", "deleted")
_RESULTS = ("pass", "fail")
_NEEDED = ("schema_version", "task_id", "tier", "status", "summary", "artifacts", "issues")
_KEYS = (*_NEEDED, "escalate_reason", "learnings", "notes", "injection_clean")
_FRONT_KEYS = frozenset(
    ("schema_version", "ids", "specialist", "host", "scope", "status", "changed_files", "evidence",
     "assumptions", "open_risks", "followups", "produced_at", "opens_for", "task_id", "run_id",
     "completed_at", "usage")
)  # fmt: skip
"""The frozen set of the front matter, with what earlier receipts carried."""
_INDEPENDENCE = ("weak", "strong")
TREE_CODES = frozenset(("not-changed", "wrong-change", "wrong-hash", "not-claimed"))
"""What only holds as long as the work is not committed."""
_SHA256 = lazy(r"[0-9a-f]{64}")
_LABEL = lazy(r"(?im)^[ \t]*(changed_files|opens_for|assumptions|evidence|followups):[ \t]*(.*)$")
_PATH = lazy(
    r"(?:\**(?:added|modified|changed|deleted|removed|new|[AMD])\**:?[ \t]+)?[`*]*"
    r"((?:[\w.@+-]+/)+[\w.@+-]*[\w@+-]|[\w@+-]+\.[A-Za-z]\w{0,5})(?![\w/.]\w)"
)
_LEAD = lazy(
    r"(?i)^[`*]*(?:(?:added|modified|changed|deleted|removed|new|[AMD])[*]*:?[ \t]+)?[`*]*"
)
_QUOTED = lazy(
    r"(?i)(?:(?:added|modified|changed|deleted|removed|new|[AMD]):?[ \t]+)?`([^`]*[./][^`]*)`"
)
_SHOWS = lazy(r"`[^`]+`|\d|[\w.-]+/[\w./-]+")
"""What evidence has beside words: a command, a count, a place."""


class ClaimedFile(NamedTuple):
    """A file that the lane says it changed."""

    path: str
    change: str
    sha256: str
    line: int


class Receipt(NamedTuple):
    """What later steps take from a receipt."""

    task: str
    status: str
    summary: str
    files: tuple[ClaimedFile, ...]
    envelope: Mapping[str, object]


def read_receipt(document: SourceDocument) -> Receipt:
    """The values of a receipt, valid or not."""
    envelopes = _envelopes(document)
    envelope = _object(envelopes[0].text) if len(envelopes) == 1 else None
    found = envelope or {}
    rows = document.data.get("changed_files")
    return Receipt(
        task=_said(found.get("task_id")),
        status=_said(found.get("status")),
        summary=_said(found.get("summary")),
        files=tuple(
            ClaimedFile(
                _word(row.get("path")),
                _word(row.get("change")),
                _word(row.get("sha256_after")),
                document.line_of("changed_files", at),
            )
            for at, row in enumerate(rows if isinstance(rows, list) else [])
            if isinstance(row, dict)
        ),
        envelope=found,
    )


def check_receipt(
    document: SourceDocument,
    changed: Mapping[str, str | None] | None,
    known: Collection[str] | None = None,
    criteria: Callable[[], tuple[str, ...]] = tuple,
) -> list[Problem]:
    """All that is wrong with a receipt.

    ``changed`` are the files that differ from HEAD in the work tree with the SHA-256 of what is there now,
    ``None`` for one that is gone; ``None`` altogether where there is no repository to ask.
    ``known`` are those of them that HEAD has; ``None`` where nobody looked.
    ``criteria`` are what the work is held to, asked for where the evidence tells of a command that failed.
    """
    check = Checker(document)
    if "schema_version" in document.data:
        check.word("schema_version", (FRONT,))
        for key in sorted(document.data.keys() - _FRONT_KEYS):
            why = f"{key} is no key of a receipt's front matter: remove it"
            check.tell(document.line_of(key), "unknown-key", why)
    host = document.data.get("host")
    said = _word(host.get("independence")) if isinstance(host, dict) else ""
    if said and said not in _INDEPENDENCE:
        why = f"host.independence must be one of: {', '.join(_INDEPENDENCE)}"
        check.tell(document.line_of("host", "independence"), "bad-value", why)
    _sections(check)
    _envelope(check, criteria)
    _front(check)
    _claims(check, changed, known)
    return check.problems


def _claims(
    check: Checker, changed: Mapping[str, str | None] | None, known: Collection[str] | None
) -> None:
    """The front matter and the section name the same files, and git shows them."""
    document = check.document
    receipt = read_receipt(document)
    listed = {file.path for file in receipt.files}
    told = dict(_told_files(document))
    if "changed_files" in document.data:
        for path, line in told.items():
            if path not in listed:
                why = f"'## changed_files' names {path}, changed_files in the front matter does not"
                check.tell(line, "contradiction", why)
    if changed is None:
        return
    for file in receipt.files:
        _against_git(check, file, changed, known)
    for path, line in told.items() if "changed_files" not in document.data else ():
        if path not in changed:
            _not_changed(check, line, path)
    artifacts = receipt.envelope.get("artifacts")
    for text in artifacts if isinstance(artifacts, list) else ():
        path = str(text).partition(":")[0]
        if path in changed and path not in listed and path not in told:
            why = f"{path} differs from HEAD and is an artifact, but changed_files does not name it"
            check.tell(document.line_of("changed_files"), "not-claimed", why)


def claimed_files(document: SourceDocument) -> frozenset[str]:
    """Every path that a receipt says it changed, in the front matter or in the section."""
    listed = (file.path for file in read_receipt(document).files)
    return frozenset((*listed, *dict(_told_files(document))))


def _told_files(document: SourceDocument) -> Iterator[tuple[str, int]]:
    """The paths that the bullets of ``changed_files`` begin with, each with its line."""
    section = _section(document, "changed_files")
    listed = sorted((file.path for file in read_receipt(document).files), key=len, reverse=True)
    for line in section.bullets() if section else ():
        text = _LEAD.sub("", line.text)
        whole = next((path for path in listed if path and text.startswith(path)), "")
        quoted = _QUOTED.match(line.text)
        if whole or quoted:  # a name may hold spaces and letters of any script
            yield whole or (quoted[1] if quoted else ""), line.number
        elif found := _PATH.match(line.text):
            yield found[1], line.number


def _envelopes(document: SourceDocument) -> list[CodeBlock]:
    return [fence for fence in document.fences if fence.tag == SCHEMA]


def _sections(check: Checker) -> None:
    """The five sections, as headings or as labels."""
    labels = {found[1].casefold(): found[2] for found in _LABEL.finditer(check.document.body)}
    for name in SECTIONS:
        section = _section(check.document, name)
        if section is None and name not in labels:
            check.tell(
                check.document.end, "missing-section", f"the receipt lacks '## {name}': add it"
            )
        elif section is not None and section.is_empty:
            check.tell(
                section.line,
                "empty-section",
                f"'## {name}' says nothing: fill it in, or write 'none'",
            )
        elif section is None and name in labels and not labels[name].strip():
            check.tell(check.document.end, "empty-section", f"'{name}:' says nothing: fill it in")
    evidence = _section(check.document, "evidence")
    rows = check.document.data.get("evidence")
    bare = evidence is not None and not evidence.is_empty and not _SHOWS.search(evidence.text)
    if bare or rows == []:
        check.tell(
            evidence.line if evidence else check.document.line_of("evidence"),
            "no-evidence",
            "a receipt without evidence proves nothing: name a command and its exit code",
        )


def _section(document: SourceDocument, name: str) -> MarkdownSection | None:
    return document.section(name) or document.section(name.replace("_", " "))


def _envelope(check: Checker, criteria: Callable[[], tuple[str, ...]]) -> None:
    fences = _envelopes(check.document)
    if len(fences) != 1:
        check.tell(
            fences[1].line if fences else check.document.end,
            "two-envelopes" if fences else "no-envelope",
            f"the receipt needs exactly one fenced block ```{SCHEMA}, and has {len(fences)}",
        )
        return
    line = fences[0].line
    found = _object(fences[0].text)
    if found is None:
        check.tell(
            line, "bad-envelope", "the envelope is no JSON object, or a key stands in it twice"
        )
        return
    for key in found:
        if key not in _KEYS:
            check.tell(line, "unknown-key", f"{key} is no key of the envelope: remove it")
    for key in _NEEDED:
        if key not in found:
            check.tell(line, "missing-key", f"the envelope lacks {key}")
    for problem in _wrong_values(found):
        check.tell(line, "bad-value", problem)
    for problem in _contradictions(check.document, found, criteria):
        check.tell(line, "contradiction", problem)
    if found.get("status") == "escalate" and not _said(found.get("escalate_reason")):
        check.tell(line, "no-escalate-reason", "status escalate needs an escalate_reason")


def _wrong_values(found: Mapping[str, object]) -> list[str]:
    wrong = []
    for key, allowed in (
        ("schema_version", (SCHEMA,)),
        ("tier", TIERS),
        ("status", _STATUS),
        ("injection_clean", _CLEAN),
    ):
        if key in found and found[key] not in allowed:
            wrong.append(f"{key} must be one of: {', '.join(allowed)}")
    for key, most in (("task_id", 200), ("summary", LONGEST_SUMMARY), ("notes", LONGEST_NOTES)):
        value = found.get(key)
        if key in found and (not isinstance(value, str) or (not value.strip() and key != "notes")):
            wrong.append(f"{key} must be a text that says something")
        elif isinstance(value, str) and len(value) > most:
            wrong.append(f"{key} has {len(value)} characters, more than {most}")
    for key in ("artifacts", "issues", "learnings"):
        value = found.get(key)
        if key in found and not (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
        ):
            wrong.append(f"{key} must be a list of texts")
    return wrong


_SAME_STATUS = {"completed": "done", "done": "done", "blocked": "blocked", "escalated": "escalate",
                "escalate": "escalate"}  # fmt: skip
_EXIT = lazy(r"(?i)\bexit(?:ed|s)?(?: code| status)?(?: with)?[ :=]+(\d+)")


def _contradictions(
    document: SourceDocument,
    found: Mapping[str, object],
    criteria: Callable[[], tuple[str, ...]],
) -> Iterator[str]:
    """Where one part of a receipt says other than another."""
    ids = document.data.get("ids")
    task = _word(ids.get("task_id")) if isinstance(ids, dict) else ""
    task = task or _word(document.data.get("task_id"))
    if task and task != _said(found.get("task_id")):
        yield f"the envelope is of {found.get('task_id')}, the receipt of {task}"
    said = _word(document.data.get("status"))
    status = _said(found.get("status"))
    if said in _SAME_STATUS and status in _STATUS and _SAME_STATUS[said] != status:
        yield f"status is {said} in the front matter and {status} in the envelope"
    section = _section(document, "evidence")
    failed = _failures(section.text if section else "", criteria) if status == "done" else ""
    if failed:
        yield f"the evidence tells of exit code {failed}, and the status is done"
    listed = found.get("artifacts")
    for path in listed if isinstance(listed, list) else ():
        if isinstance(path, str) and (path.startswith(("/", "~")) or ".." in path.split("/")):
            yield f"the artifact {path} is outside of the project"


def _failures(evidence: str, criteria: Callable[[], tuple[str, ...]]) -> str:
    """The first exit code that is told and that no criterion asks for: of the command beside it, where it has one."""
    told = [
        (line, int(code)) for line in evidence.splitlines() for code in _EXIT.findall(line) if int(code)
    ]  # fmt: skip
    wanted = expected_endings(criteria()) if told else {}
    for line, code in told:
        named = [c for n, each in wanted.items() if n in line for c in (each.code, *each.others)]
        every = (c for each in wanted.values() for c in (each.code, *each.others))
        asked = named or [c for c in every if c is not None]
        if code not in asked and None not in asked:
            return str(code)
    return ""


def _front(check: Checker) -> None:
    """What the front matter lists must have the form that can be held against git."""
    for key, fields in (("changed_files", _FILE), ("evidence", _EVIDENCE)):
        rows = check.document.data.get(key)
        for at, row in enumerate(rows if isinstance(rows, list) else []):
            line = check.document.line_of(key, at)
            if not isinstance(row, dict):
                check.tell(line, "bad-value", f"each of {key} is a group: {', '.join(fields)}")
                continue
            for name, allowed in fields.items():
                value = _word(row.get(name))
                if not value and not (name == "sha256_after" and row.get("change") == "deleted"):
                    check.tell(line, "missing-key", f"{key}: {name} is missing")
                elif value and allowed and value not in allowed:
                    check.tell(line, "bad-value", f"{name} must be one of: {', '.join(allowed)}")


_FILE: dict[str, tuple[str, ...]] = {"path": (), "change": _CHANGES, "sha256_after": ()}
_EVIDENCE: dict[str, tuple[str, ...]] = {"kind": (), "ref": (), "result": _RESULTS}


def _against_git(
    check: Checker,
    file: ClaimedFile,
    changed: Mapping[str, str | None],
    known: Collection[str] | None,
) -> None:
    if not file.path:
        return
    if file.path not in changed:
        _not_changed(check, file.line, file.path)
        return
    now = changed[file.path]
    there = "added" if file.path not in (known or ()) else "modified"
    if known is None and file.change != "deleted":
        there = file.change
    is_now = "deleted" if now is None else there
    if file.change in _CHANGES and file.change != is_now:
        why = f"{file.path} is said to be {file.change}, but it is {is_now}: say so"
        check.tell(file.line, "wrong-change", why)
    elif now is not None and not _SHA256.fullmatch(file.sha256):
        check.tell(file.line, "bad-value", f"{file.path}: sha256_after must be 64 hex digits")
    elif now is not None and file.sha256 != now:
        check.tell(
            file.line,
            "wrong-hash",
            f"{file.path} has SHA-256 {now[:12]}..., the receipt says {file.sha256[:12]}...",
        )


def _not_changed(check: Checker, line: int, path: str) -> None:
    why = f"{path} is claimed, but does not differ from HEAD: take it out or change it"
    check.tell(line, "not-changed", why)


def _object(text: str) -> dict[str, object] | None:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; ValueError where a key stands in it twice, so that nobody reads another value."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands there twice")
    return dict(pairs)


def _said(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _word(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""
