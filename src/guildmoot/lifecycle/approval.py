"""Records a yes or a no at a gate: bound to the content that was seen, and only for a document that is valid."""

from __future__ import annotations

import os
from collections.abc import Mapping

from guildmoot.errors import UndecidedError, UsageError
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.commands import command_notes
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.drafting.challenge import check_decided
from guildmoot.lifecycle.drafting.plan_review import forbids_auto, read_review
from guildmoot.lifecycle.gates import (
    GATES,
    Gate,
    GateAnswer,
    answers,
    approval_of,
    content_hash,
    mark_plan,
    record,
    refusal_of,
    refusal_words,
    tracked_answers,
)
from guildmoot.lifecycle.lint import lint
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import read_plan
from guildmoot.lifecycle.policy import repository_tree, unread_lines
from guildmoot.lifecycle.spec import read_spec
from guildmoot.lifecycle.view import (
    WorkView,
    choose_slug,
    document_path,
    document_text,
    drafted_commands,
    look,
)
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import Locked, folder_inside, keep_out_of_git


class InvalidDocumentError(UndecidedError):
    """A document that ``guild lint`` refuses was to be approved."""

    exit_code = 2


def approve(
    folder: WorkFolder, gate: Gate, slug: str, approval: GateAnswer, seen: str = ""
) -> WorkView:
    """Record a yes or a no for the document as it is; ``seen`` is the hash of what the person looked at.

    A yes to an invalid document is refused, and so is one to a document that changed meanwhile.
    """
    slug = choose_slug(folder, slug)
    path = document_path(folder, gate, slug)
    if not path.is_file():
        raise UsageError(f"there is no {gate} of {slug} yet", f"Next: {look(folder, slug).command}")
    gates = folder.gates(slug)
    if tracked_answers(folder.root, gates):
        shown = os.path.relpath(gates, folder.root)
        raise UndecidedError(
            f"git tracks {shown}, so whoever wrote the repository could approve in your name",
            f"Look at the documents, then: git rm {shown}",
        )
    folder_inside(folder.root, gates.parent.relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
    with Locked(gates.with_suffix(".lock")):
        text = document_text(folder, gate, slug)
        _unchanged(folder, gate, slug, seen or content_hash(text))
        if approval.decision == "approved":
            _valid(folder, gate, slug)
            _policy_is_read(folder, gate, slug)
            _earlier_gates(folder, gate, slug)
            check_decided(folder, slug, gate)
            if approval.source != "user":
                _not_over_a_no(folder, gate, slug, text)
            if approval.source != "user" and gate != "team":
                _not_over_drafted_commands(folder, gate, slug)
            if approval.source != "user" and gate == "spec":
                _not_over_a_missing_program(folder, slug, text)
            if approval.source != "user" and gate == "plan":
                _not_over_a_rethink(folder, slug, text)
        _unchanged(folder, gate, slug, content_hash(text))
        if gate == "plan":
            when = approval.when if approval.decision == "approved" else ""
            write_durable(path, mark_plan(text, when))
            text = document_text(folder, gate, slug)
        record(gates, approval._replace(gate=gate, sha256=content_hash(text)))
    return look(folder, slug)


def approved_now(folder: WorkFolder, slug: str) -> dict[Gate, str]:
    """The documents that are approved as they are, each with the hash of its content."""
    given = answers(folder.root, folder.gates(slug))
    texts = {
        gate: document_text(folder, gate, slug)
        for gate in GATES
        if document_path(folder, gate, slug).is_file()
    }
    return {g: content_hash(text) for g, text in texts.items() if approval_of(given, g, text)}


class ApprovalWatch:
    """Says why work that began with approvals may not go on; nothing is read again that was not touched."""

    def __init__(self, folder: WorkFolder, slug: str) -> None:
        self._folder, self._slug = folder, slug
        documents = (document_path(folder, gate, slug) for gate in GATES)
        self._files = (folder.gates(slug), *documents)
        self._fine = self._stamps()
        self._began = approved_now(folder, slug)

    def __call__(self) -> str:
        """Empty where everything is approved as it was."""
        now = self._stamps()
        why = "" if now == self._fine else withdrawn(self._folder, self._slug, self._began)
        self._fine = self._fine if why else now
        return why

    def _stamps(self) -> list[tuple[int, ...]]:
        found = (file.lstat() if file.exists() else None for file in self._files)
        return [(s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) if s else () for s in found]


def withdrawn(folder: WorkFolder, slug: str, began: Mapping[Gate, str]) -> str:
    """Why work that began with these approvals may not go on; empty where all of them hold."""
    given = answers(folder.root, folder.gates(slug))
    now = approved_now(folder, slug)
    for gate in (gate for gate, digest in began.items() if now.get(gate) != digest):
        path = document_path(folder, gate, slug)
        text = document_text(folder, gate, slug) if path.is_file() else ""
        if said := refusal_words(refusal_of(given, gate, text)):
            return f"the {gate} was refused by {said}"
        return f"the {gate} is not what was approved when the run began"
    return ""


def _not_over_a_rethink(folder: WorkFolder, slug: str, text: str) -> None:
    """No setting approves a plan that its pre-mortem sends back; a person may."""
    if forbids_auto(read_review(folder, slug), content_hash(text)):
        raise UndecidedError(
            "the pre-mortem of the plan does not let it pass, so a person must look at it",
            f"Change the plan, or: guild work approve plan {slug} --yes",
        )


def _not_over_drafted_commands(folder: WorkFolder, gate: Gate, slug: str) -> None:
    """No setting approves a command that a model thought of: it would be run with the user's rights."""
    spec = read_markdown(document_text(folder, "spec", slug))
    plan = read_plan(read_markdown(document_text(folder, "plan", slug))) if gate == "plan" else None
    if notes := drafted_commands(gate, spec, plan):
        raise UndecidedError(notes[0], f"A person may: guild work approve {gate} {slug} --yes")


def _not_over_a_missing_program(folder: WorkFolder, slug: str, text: str) -> None:
    """No setting approves a proof that cannot be run here; a person may, who knows where it runs."""
    if notes := command_notes(read_spec(read_markdown(text)).commands, folder.root):
        raise UndecidedError(
            f"a success criterion cannot be run here: {notes[0]}",
            f"Bring it, change the criterion, or: guild work approve spec {slug} --yes",
        )


def _not_over_a_no(folder: WorkFolder, gate: Gate, slug: str, text: str) -> None:
    """No setting overrules a person."""
    if said := refusal_words(refusal_of(answers(folder.root, folder.gates(slug)), gate, text)):
        raise UndecidedError(
            f"the {gate} was refused by {said}, so a person must approve it",
            f"Change it, or: guild work approve {gate} {slug} --yes",
        )


def _unchanged(folder: WorkFolder, gate: Gate, slug: str, seen: str) -> None:
    """What was looked at, or checked, is still what lies there."""
    if seen != content_hash(document_text(folder, gate, slug)):
        shown = os.path.relpath(document_path(folder, gate, slug), folder.root)
        raise UndecidedError(
            f"the {gate} changed while it was being approved: nothing was recorded",
            f"Look at it again: {shown}",
        )


def _valid(folder: WorkFolder, gate: Gate, slug: str) -> None:
    shown = os.path.relpath(document_path(folder, gate, slug), folder.root)
    (linted,) = lint([shown], folder.root)
    if linted.problems:
        first = linted.problems[0]
        raise InvalidDocumentError(
            f"the {gate} cannot be approved: {linted.file}:{first.line}: {first.message}",
            f"guild lint {linted.file} shows all of it.",
        )


def _policy_is_read(folder: WorkFolder, gate: Gate, slug: str) -> None:
    """A place that could not be read is a place that nobody is held to: it is written otherwise first."""
    spec = read_markdown(document_text(folder, "spec", slug)) if gate == "spec" else None
    plan = read_plan(read_markdown(document_text(folder, "plan", slug))) if gate == "plan" else None
    if told := unread_lines(gate, spec, plan, repository_tree(folder.root)):
        shown = os.path.relpath(document_path(folder, gate, slug), folder.root)
        raise InvalidDocumentError(f"the {gate} cannot be approved: {told[0]}", f"Mend {shown}.")


def _earlier_gates(folder: WorkFolder, gate: Gate, slug: str) -> None:
    given = answers(folder.root, folder.gates(slug))
    for earlier in GATES[: GATES.index(gate)]:
        path = document_path(folder, earlier, slug)
        if not path.is_file() or not approval_of(
            given, earlier, document_text(folder, earlier, slug)
        ):
            raise UndecidedError(
                f"the {gate} waits for the {earlier}, which nobody approved as it is now",
                f"First: guild work approve {earlier} {slug} --yes",
            )
