"""A receipt held against what git shows, the lane's scope, and the commands that it says have passed.

``judge_receipt`` is pure: it is given the document and the facts. What it finds goes back to the lane once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.guard.injection import Injection, find_injections
from guildmoot.guard.injection.approvals import claimed_approvals
from guildmoot.guard.scrub import Scrubber, write_durable
from guildmoot.lifecycle.deferral import deferred_actions
from guildmoot.lifecycle.documents import FrontMatterError, SourceDocument, read_markdown
from guildmoot.lifecycle.execution.lane_folder import stays_inside
from guildmoot.lifecycle.execution.workers.base import LaneJob
from guildmoot.lifecycle.execution.worktrees import LaneDiff
from guildmoot.lifecycle.named_places import is_inside
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.claims import forbidden_files, out_of_scope
from guildmoot.lifecycle.proof.expectations import expected_endings
from guildmoot.lifecycle.proof.leaks import Leak
from guildmoot.lifecycle.proof.packages import PackageChange
from guildmoot.lifecycle.proof.weakening.rule import Weakened, not_agreed
from guildmoot.lifecycle.receipt import check_receipt, claimed_files, read_receipt
from guildmoot.system.files import folder_inside, read_text_inside
from guildmoot.text.clean import clean, one_line
from guildmoot.text.outputs import telling_end
from guildmoot.text.patterns import lazy

_MOST = 1_000_000
_PASSED = lazy(r"(?i)\b(?:exit(?:ed|s)?(?: code| status)?(?: with)?[ :=]+0|pass(?:ed|es)?|ok)\b")
_SHOWN = 20
_NAMED = 5
_REASON = 1_000

ReceiptVerdict = Literal["accepted", "returned", "blocked"]


class ReceiptFacts(NamedTuple):
    """What is known of a lane beside what it says."""

    lane: Lane
    diff: LaneDiff
    rewritten: str = ""
    """The tip of a branch that no longer holds the lane's base."""
    allowed: tuple[str, ...] = ()
    """What a person lets it change."""
    criteria: tuple[str, ...] = ()
    """What the whole work is held to, beside the lane's own."""
    weakened: tuple[Weakened, ...] = ()
    """What the lane takes away from the tests that judge it."""
    packages: Mapping[str, PackageChange] = {}
    """What it does to the packages that manifests name."""
    leaks: tuple[Leak, ...] = ()
    """Secrets that the lane adds."""


class JudgedReceipt(NamedTuple):
    """What became of a receipt."""

    verdict: ReceiptVerdict
    differences: tuple[str, ...] = ()
    """What is wrong with it, each in a sentence."""
    notes: tuple[str, ...] = ()
    summary: str = ""
    commands: tuple[str, ...] = ()
    """Commands of the plan that it says have passed."""
    asks: tuple[str, ...] = ()
    """Places that a person may allow; empty where it is not that alone which is wrong."""


def find_receipt(job: LaneJob, root: Path) -> tuple[str, str, Path | None]:
    """What the worker handed over, where it was told to or in its own worktree; else why there is none."""
    inner = job.inner_receipt
    problem = "there is no receipt"
    for path, inside in ((job.receipt, root), (job.folder / inner, job.folder)):
        if os.path.lexists(path):
            text, problem = read_text_inside(path, inside, _MOST)
            if not problem:
                return text, "", path
    return "", problem, None


def mask_inbox(job: LaneJob, root: Path, scrubber: Scrubber) -> None:
    """What a worker left beside its receipt stays here after the run: without the secrets in it."""
    for path in job.receipt.parent.iterdir() if job.receipt.parent.is_dir() else ():
        text, problem = read_text_inside(path, root, _MOST)
        if not problem and scrubber.text(text, path.name).text != text:
            write_durable(path, text, scrubber)


def put_receipt_aside(job: LaneJob) -> None:
    """What an earlier attempt left in the worktree is no receipt of this one, and tells none of its costs."""
    old = job.folder / job.inner_receipt
    if stays_inside(job.folder, str(job.inner_receipt.parent)) and os.path.lexists(old):
        os.replace(old, old.with_suffix(".before.md"))


def stray_receipt(job: LaneJob, root: Path, known: str) -> str:
    """A receipt that nobody accepted and that lies in the user's checkout, where none is looked for; or empty."""
    inner = Path(".guild") / "runs" / job.run / "handoffs" / f"{job.owner}-{job.task}.md"
    text, problem = read_text_inside(root / inner, root, _MOST)
    if problem or hashlib.sha256(text.encode()).hexdigest() == known:
        return ""
    return f"{inner} of your checkout is not taken for its receipt, which belongs to {job.receipt}"


def judge_receipt(text: str, facts: ReceiptFacts) -> JudgedReceipt:
    """Hold a receipt against the facts; every difference is told, not only the first. Pure."""
    lane, diff = facts.lane, facts.diff
    try:
        document = read_markdown(text)
    except FrontMatterError as wrong:
        return JudgedReceipt("returned", (f"the receipt cannot be read: {wrong.reason}",))
    if diff.refused:
        return JudgedReceipt("returned", (f"git takes nothing of what you wrote: {diff.refused}",))
    known = None if diff.again else diff.before
    criteria = (*lane.criteria, *facts.criteria)
    told = [each.message for each in check_receipt(document, diff.changed, known, lambda: criteria)]
    receipt = read_receipt(document)
    if receipt.task and receipt.task != lane.task:
        told.append(f"the receipt is of {receipt.task}, and this lane is {lane.task}")
    run_of = document.data.get("specialist")
    if isinstance(run_of, str) and run_of and run_of != lane.owner:
        told.append(f"the receipt is of specialist {run_of}, and this lane is {lane.owner}'s")
    told += _scope_problems(facts)
    leaked = _leaked(facts)
    told += leaked
    unclaimed = sorted(set(diff.changed) - claimed_files(document))
    told += [
        f"{path} was {'changed' if diff.changed[path] else 'deleted'}, and the receipt does not say so"
        for path in unclaimed
        if path in (diff.before or ())
    ][:_SHOWN]
    if facts.rewritten:
        told.append(
            f"history was rewritten: the branch is at {facts.rewritten[:12]}, which does not hold the commit"
            " that the lane started from"
        )
    told += [each for each in deferred_actions(document) if isinstance(each, str)]
    told = list(dict.fromkeys(map(one_line, told)))
    if not told and receipt.status in ("blocked", "escalate"):
        reason = receipt.envelope.get("escalate_reason") or receipt.summary
        issues = receipt.envelope.get("issues")
        said = [str(reason), *(map(str, issues) if isinstance(issues, list) else ())]
        told = [one_line(clean("; ".join(dict.fromkeys(said))))[:_REASON]]
        return JudgedReceipt("blocked", tuple(told), (), receipt.summary)
    weaker, agreed = not_agreed(facts.weakened, lane, facts.allowed)
    needed = _needs_person(facts)
    asked = (*needed.values(), *(_weaker(each) for each in weaker))
    strays = {one_line(_outside(path)): path for path in _strays(facts)} | {
        one_line(said): path for said, path in leaked.items()
    }
    asks = (*strays.values(), *needed, *(each.path for each in weaker))
    asks = tuple(dict.fromkeys(asks)) if strays.keys() >= set(told) else ()
    if not told and asked:
        return JudgedReceipt("blocked", asked[:_SHOWN], (), receipt.summary, (), asks)
    notes = [f"changed and not claimed: {_some(unclaimed)}"] if unclaimed else []
    notes += ["it changed no file"] if not diff.changed else []
    notes += [f"agreed: {each.text}" for each in agreed]
    notes += [each.text for each in deferred_actions(document) if not isinstance(each, str)]
    if classify(document, text) == "flagged":
        orders = [one_line(each.text)[:100] for each in orders_in(text)[:_NAMED]]
        named = f": {'; '.join(map(repr, orders))}" if orders else ""
        notes.append(f"the receipt's text was classified flagged{named}")
    return JudgedReceipt(
        "returned" if told else "accepted", tuple(told), tuple(notes), receipt.summary,
        _commands(lane, document), asks,
    )  # fmt: skip


def _some(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(map(one_line, paths[:_NAMED])) + (f" and {more:,} more" if more > 0 else "")


def classify(document: SourceDocument, text: str) -> str:
    """Whether the text gives orders to a model: ``clean``, ``flagged`` or ``unverified``."""
    said = read_receipt(document).envelope.get("injection_clean")
    if said == "flagged" or orders_in(text):
        return "flagged"
    return "clean" if said == "clean" else "unverified"


def orders_in(text: str) -> tuple[Injection, ...]:
    """Where a receipt speaks to a model, or claims for itself what a person alone may say: it is data all the same."""
    return (*find_injections(text), *claimed_approvals(text))


def _scope_problems(facts: ReceiptFacts) -> list[str]:
    files = tuple(sorted(facts.diff.changed))
    own = [path for path in files if path == ".guild" or path.startswith(".guild/")]
    forbidden = dict(_forbidden(facts, files))
    return [
        *(f"{path} was changed, and a lane changes nothing of .guild: put it back" for path in own),
        *(f"{path} was changed, and the policy says: {line}" for path, line in forbidden.items()),
        *(_outside(path) for path in _strays(facts)[:_SHOWN]),
        *(f"{path} is a link that leads out, or another repository: take it away" for path in facts.diff.odd),
    ]  # fmt: skip


def _forbidden(facts: ReceiptFacts, files: tuple[str, ...]) -> list[tuple[str, str]]:
    found = forbidden_files(facts.lane, files, facts.packages)
    return [each for each in found if each[1].startswith("forbidden")]


def _strays(facts: ReceiptFacts) -> list[str]:
    """Files outside of the scope that are not forbidden to everybody."""
    files = tuple(sorted(facts.diff.changed))
    forbidden = dict(_forbidden(facts, files))
    return [
        path for path in out_of_scope(facts.lane, files)
        if path not in forbidden and path.partition("/")[0] != ".guild"
    ]  # fmt: skip


def _leaked(facts: ReceiptFacts) -> dict[str, str]:
    """What would stay in the history of the result, with its file, unless a person knows that it is no secret."""
    return {
        f"{each.said}: nothing of it is merged before it is out": each.path
        for each in facts.leaks
        if not any(is_inside(each.path, place) for place in facts.allowed)
    }


def _outside(path: str) -> str:
    return f"{path} is outside of the lane's scope: put it back"


def _needs_person(facts: ReceiptFacts) -> dict[str, str]:
    """Changes that the policy lets nobody make without a person's word, and that nobody agreed to."""
    changed, allowed = sorted(facts.diff.changed), facts.allowed
    files = tuple(path for path in changed if not any(is_inside(path, p) for p in allowed))
    found = forbidden_files(facts.lane, files, facts.packages)
    asked = [each for each in found if not each[1].startswith("forbidden")]
    return {
        path: one_line(f"{path} was changed, and the policy says: {line}") for path, line in asked
    }


def _weaker(found: Weakened) -> str:
    return f"what judges the work is made weaker: {found.text}"


def _commands(lane: Lane, document: SourceDocument) -> tuple[str, ...]:
    """Commands of the lane's own criteria that the receipt says have passed; no other command is ever run."""
    known = [name for name, each in expected_endings(lane.criteria).items() if each.passes]
    section = document.section("evidence")
    said = [bullet.text for bullet in section.bullets()] if section else []
    rows = document.data.get("evidence")
    said += [
        f"`{row.get('ref')}` {'passed' if row.get('result') == 'pass' else 'no'}"
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]
    return tuple(
        command
        for command in dict.fromkeys(known)
        if any(command in text and _PASSED.search(text.replace(command, "")) for text in said)
    )


def failed_command(command: str, code: int | None, output: str) -> str:
    """What to tell of a command that the receipt says has passed, when it was run again; empty when it did."""
    if code == 0:
        return ""
    how = "did not end in time" if code is None else f"ended with exit code {code}"
    tail = telling_end(output)
    return f"`{command}` is said to pass, but {how} when it was run again: {tail}"


def keep_receipt(folder: WorkFolder, job: LaneJob, text: str, scrubber: Scrubber) -> str:
    """Put an accepted receipt where later steps read it; one that it replaces is put aside. Its SHA-256."""
    place = folder.run(job.run) / "handoffs" / f"{job.owner}-{job.task}.md"
    folder_inside(folder.root, place.parent.relative_to(folder.root))
    if place.is_file():
        aside = place.parent / "superseded" / f"{job.task}-restart-{job.attempt}"
        folder_inside(folder.root, aside.relative_to(folder.root))
        shutil.copy2(place, aside / place.name)
    write_durable(place, text, scrubber)
    kept = job.bundle.parent / "accepted"
    folder_inside(folder.root, kept.relative_to(folder.root))
    shutil.copy2(place, kept / place.name)
    return hashlib.sha256(place.read_bytes()).hexdigest()


def difference_text(differences: Sequence[str]) -> str:
    """What a lane is told when its receipt is sent back."""
    rows = "\n".join(f"- {each}" for each in differences)
    return (
        "Your receipt was not accepted. Mend exactly this and hand over a new receipt; what you changed so far is"
        f" still in the worktree.\n\n{rows}\n"
    )


def unmerged_text(reason: str, sides: str) -> str:
    """What a lane is told whose work could not be merged: it begins anew, on top of the rest."""
    return (
        "Your work could not be merged. You start on top of the rest now, in a fresh worktree: nothing that you"
        " changed is in it, your diff is below. Do it once more so that both hold: what the run has there stays. A line"
        f" of it that must go you name in your receipt, with why; else a person is asked.\n\n- {reason}\n\n{sides}"
    )
