"""Approvals: who said yes to which content. A document that changed afterwards is approved by nobody.

The record says who, when and the hash, and carries a proof that this user wrote it: what a repository or an archive
brings along is nobody's answer. The plan also carries ``approved: true``, which alone means nothing.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.records import is_tracked, own_rows
from guildmoot.guard.scrub import operator_scrubber
from guildmoot.system.files import append_rows, read_rows

Gate = Literal["spec", "team", "plan"]
GATES: tuple[Gate, ...] = ("spec", "team", "plan")
YES = frozenset(("yes", "approve", "approved", "go", "ship it"))
"""What counts as a yes of a person; 'ok' and 'sounds fine' do not."""

_APPROVED = re.compile(r"(?m)^approved:[^\n]*\n?")
_APPROVED_AT = re.compile(r"(?m)^approved_at:[^\n]*\n?")


class GateAnswer(NamedTuple):
    """One answer at a gate."""

    gate: str
    sha256: str
    decision: Literal["approved", "rejected"]
    who: str
    when: str
    source: str
    """``user``, or ``auto-approve-mode`` when a flag or setting covered the gate."""


def content_hash(text: str) -> str:
    """The hash of what is approved: the document without the marks that the approval itself sets."""
    head, mark, body = text.partition("\n---")
    bare = _APPROVED_AT.sub("", _APPROVED.sub("", head + "\n"))
    return hashlib.sha256(f"{bare}{mark}{body}".encode("utf-8", "surrogatepass")).hexdigest()


def mark_plan(text: str, when: str) -> str:
    """The plan with ``approved: true`` and the time in its front matter; an empty time takes both away."""
    head, mark, body = text.partition("\n---")
    bare = _APPROVED_AT.sub("", _APPROVED.sub("", head + "\n")).rstrip("\n")
    said = f"approved: true\napproved_at: {when}" if when else "approved: false"
    return f"{bare}\n{said}{mark}{body}"


def record(file: Path, approval: GateAnswer) -> None:
    """Keep an answer."""
    file.parent.mkdir(parents=True, exist_ok=True)
    row = {"schema_version": 1, "slug": file.stem, **approval._asdict()}
    masked = operator_scrubber().value(row).value
    told = masked if isinstance(masked, dict) else row
    append_rows(file, [{**told, PROOF: make_proof(told)}])


def tracked_answers(root: Path, file: Path) -> bool:
    """Whether whoever wrote the repository also writes the answers: git tracks them, so they are nobody's here."""
    return file.exists() and is_tracked(root, file.relative_to(root))


def brought_answers(root: Path, file: Path) -> bool:
    """Whether answers lie there that this user did not give: they came with git, an archive or another machine."""
    return file.exists() and (
        is_tracked(root, file.relative_to(root))
        or any(row is None or not _is_own(row, file) for row in read_rows(file))
    )


def _is_own(row: dict[str, object], file: Path) -> bool:
    return is_proven(row) and row.get("slug") == file.stem


def answers(root: Path, file: Path) -> list[GateAnswer]:
    """Every answer that was given here, in order; what cannot be read, or came along, is none."""
    found = []
    for row in own_rows(root, file.relative_to(root)):
        if row is None or not _is_own(row, file):
            continue
        values = [row.get(name) for name in GateAnswer._fields]
        gate, sha256, decision, who, when, source = values
        if (
            isinstance(gate, str)
            and isinstance(sha256, str)
            and (decision == "approved" or decision == "rejected")
        ):
            found.append(GateAnswer(gate, sha256, decision, str(who), str(when), str(source)))
    return found


def refusal_of(given: list[GateAnswer], gate: Gate, text: str) -> GateAnswer | None:
    """A person's no to this very content; only a person's later yes, or another content, lifts it."""
    digest = content_hash(text)
    said = [each for each in given if (each.gate, each.sha256) == (gate, digest)]
    last = next((each for each in reversed(said) if each.source == "user"), None)
    return last if last and last.decision == "rejected" else None


def refusal_words(refusal: GateAnswer | None) -> str:
    """Who said no, and when; empty where nobody did."""
    return f"{refusal.who} on {refusal.when[:16].replace('T', ' ')}" if refusal else ""


def approval_of(given: list[GateAnswer], gate: Gate, text: str) -> GateAnswer | None:
    """The approval that covers this very content; None when the last word was no, or it changed since."""
    last = next((each for each in reversed(given) if each.gate == gate), None)
    covers = last and last.decision == "approved" and last.sha256 == content_hash(text)
    return last if covers else None
