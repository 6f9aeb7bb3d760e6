"""Floors: what no vote can lift a verdict above. Applied after the policy, and named in the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from guildmoot.model.packet import Masking, Omission, Packet
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.named import NamedTuple
from guildmoot.text.languages import is_followed

UNSEEN = frozenset(("too-deep", "too-large", "over-budget", "unreadable", "not-utf8"))
"""Reasons for which a file that should have been judged was not."""

CLEAN = "a clean PASS needs all"
"""Why a council with a silent judge passes with a warning at best."""

MOST_NAMED = 10
"""Paths that one reason names; the report's list of what was left out has all of them."""

Level = Literal["warn", "undecided", "flagged"]


class VerdictFloor(NamedTuple):
    """The verdict may not be better than ``at_least``."""

    name: str
    at_least: Level
    why: str


def verification_floor(findings: Sequence[Finding]) -> list[VerdictFloor]:
    """The project's own check failed: whatever the judges say, the work is flagged."""
    failed = [finding for finding in findings if finding.code == "verification-failed"]
    return [VerdictFloor("verification", "flagged", finding.title) for finding in failed[:1]]


def facts_floor(findings: Sequence[Finding]) -> list[VerdictFloor]:
    """What a tool proved and what blocks is nobody's to vote on."""
    facts = [f for f in findings if f.proven and f.blocking and f.code != "verification-failed"]
    if not facts:
        return []
    first = facts[0]
    place = f"{first.path}:{first.line} " if first.line else f"{first.path} " if first.path else ""
    more = f", and {len(facts) - 1} more" if len(facts) > 1 else ""
    return [VerdictFloor("facts", "flagged", f"{place}{first.title}{more}")]


def parsing_floor(findings: Sequence[Finding]) -> list[VerdictFloor]:
    """A file that a grammar read before the change and not after it is not approved."""
    stopped = [
        f"{f.path}:{f.line} {f.title}" if f.line else f"{f.path} {f.title}"
        for f in findings
        if f.code == "stopped-parsing"
    ]
    if not stopped:
        return []
    why = (
        f"{listed(stopped, MOST_NAMED, '; ')}; mend it, or where the grammar is behind its language"
        " `guild findings dismiss ID --why ...` accepts it (--all shows the ID)"
    )
    return [VerdictFloor("parsing", "undecided", why)]


def flag_floors(judgements: Sequence[Judgement]) -> list[VerdictFloor]:
    """A flag is not lifted by where it points: what could not be found, somebody must look at."""
    return [VerdictFloor("flag", "undecided", each.gap) for each in judgements if each.gap]


def quorum_floor(silent: Sequence[str], seated: int, least: float) -> list[VerdictFloor]:
    """A silent judge is no approval: with few it is undecided, and with one missing no clean PASS."""
    given = seated - len(silent)
    if not silent:
        return []
    level: Level = "undecided" if given < least * seated else "warn"
    needed = f"{least:.0%} are needed" if level == "undecided" else CLEAN
    only = "only " if level == "undecided" else ""
    why = f"{only}{given} of {seated} judges gave a verdict; {needed}"
    return [VerdictFloor("quorum", level, why)]


def coverage_floor(reviewed: int, omitted: Sequence[Omission], least: float) -> list[VerdictFloor]:
    """Too little of what should have been judged was; silence about the rest is no consent."""
    unseen = len({omission.path for omission in omitted if omission.reason in UNSEEN})
    share = reviewed / (reviewed + unseen) if unseen else 1.0
    if share >= least:
        return []
    why = f"only {share:.0%} of the files were judged ({unseen} were not), {least:.0%} are needed"
    return [VerdictFloor("coverage", "undecided", why)]


def change_floors(
    packet: Packet,
    words: Mapping[str, str],
    *,
    readers: bool,
    compared: bool = True,
    followed: bool = False,
) -> list[VerdictFloor]:
    """What nobody saw of a change is not approved; ``readers`` see what only a diff shows of.

    ``compared`` tells that the judge of lock files sits: without it nobody answers for them. ``followed`` tells that
    who still names what is gone was looked up.

    ``words`` tell what each reason for leaving a file out means.
    """
    seen = ("", "tools") if readers else ("",)
    unjudged = () if compared else ("lock-file",)
    omitted = (i for i in packet.omitted if i.unseen_by not in seen or i.reason in unjudged)
    unseen = [*{item.path: item for item in omitted}.values()]
    floors = []
    if unseen:
        files = "file was" if len(unseen) == 1 else "files were"
        changed_files = f"changed {files}" if packet.base else files
        why = f"{len(unseen):,} {changed_files} not judged: {told_left_out(unseen, words)}"
        floors.append(VerdictFloor("left-out", "undecided", why))
    elif packet.base and not readers and not packet.files and not packet.checks:
        gone = [item.path for item in packet.omitted if item.reason == "deleted"]
        lost = [path for path in gone if not (followed and is_followed(path))]
        if lost or not gone:
            why = "the change only deletes, and nobody here can tell whether anything still needs "
            why += listed(lost, MOST_NAMED) or "what it takes away"
            floors.append(VerdictFloor("deleted", "undecided", why))
    for check in packet.checks:
        wrong = [message for _, level, message in check.findings if level == "ERROR"]
        if wrong:
            why = f"{check.path}: {listed(wrong, MOST_NAMED, '; ')}"
            floors.append(VerdictFloor("machine-written", "flagged", why))
        if check.doubt:
            floors.append(
                VerdictFloor("machine-written", "undecided", f"{check.path}: {check.doubt}")
            )
    changed = dict(packet.changed)
    hidden = [
        f"{item.path}:{item.line} ({item.kind})"
        for item in packet.masked
        if (item.certain or item.hides) and _is_new(item, changed.get(item.path, ()))
    ]
    if hidden:
        why = f"the change holds what looks like secrets, which no judge saw: {listed(hidden, 8)}"
        floors.append(VerdictFloor("masked", "undecided", why))
    return floors


def _is_new(item: Masking, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether the change brought what was masked; a diff's lines are listed only if it did."""
    if item.path == "diff":
        return item.hides
    return any(a <= item.line <= b or item.kind == "crowded" for a, b in ranges)


def left_out_notes(packet: Packet, words: Mapping[str, str]) -> list[str]:
    """What else of a change the judges were not shown, though that does not hold the verdict down."""
    if not packet.base:
        return []
    shown = {file.path for file in packet.files}
    rest = [
        item
        for item in packet.omitted
        if not item.unseen_by and item.reason != "deleted" and item.path not in shown
    ]
    notes = [f"not shown to the judges: {told_left_out(rest, words)}"] if rest else []
    changed = dict(packet.changed)
    masked = [f"{m.path}:{m.line} ({m.kind})" for m in packet.masked if m.path in changed]
    return [*notes, *([f"masked before the judges: {listed(masked, 8)}"] if masked else [])]


def told_left_out(items: Sequence[Omission], words: Mapping[str, str]) -> str:
    """Paths by reason, with what the reason means."""
    by_reason: dict[str, list[str]] = {}
    for item in items:
        by_reason.setdefault(item.reason, []).append(_with_detail(item))
    if own := by_reason.get("own-record", []):
        by_reason["own-record"] = _by_folder(own)
    return "; ".join(
        f"{listed(paths, MOST_NAMED)} ({reason}: {words.get(reason, reason)})"
        for reason, paths in by_reason.items()
    )


def _by_folder(paths: Sequence[str]) -> list[str]:
    """Our own records by the folder in which they lie: nobody looks for one of them."""
    folders = Counter("/".join(path.split("/")[:-1][:2]) + "/" for path in paths)
    return [
        f"{count} files in {folder}"
        if count > 1
        else next(p for p in paths if p.startswith(folder))
        for folder, count in folders.items()
    ]


def listed(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first few, and how many more there are."""
    rest = len(names) - most
    return between.join(names[:most]) + (f" and {rest} more (--json has all)" if rest > 0 else "")


def _with_detail(item: Omission) -> str:
    return f"{item.path}, {item.detail}" if item.reason == "symlink" else item.path


def evidence_floor(assertions: Sequence[tuple[str, int]], least: int = 2) -> list[VerdictFloor]:
    """In evidence mode each finding carries checks of its own; those that do not are named."""
    short = [name for name, count in assertions if count < least]
    if not short:
        return []
    return [VerdictFloor("evidence", "warn", f"fewer than {least} assertions: {', '.join(short)}")]


# --- the rigor gate of plans and specs ------------------------------------------------------------
#
# A judge answers each item from 0 to 1 in its ``satisfaction_breakdown``. The lowest answer counts: one
# judge that finds an item missing is enough. An item that nobody answered was not looked at, and a
# plan that nobody looked at cannot pass.

CHECKABLE = "rigor-checkable"
"""1 when every critical invariant can be checked by a machine, 0 when one cannot."""
ITEMS: dict[str, str] = {
    "rigor-sequence": "one sequence of change and acknowledgement",
    "rigor-once": "consumed at most once, also across a crash",
    "rigor-precedence": "precedence of states as a truth table",
    "rigor-conformance": "conformance tests with failpoints",
}
"""The items by the key under which judges answer them."""

COVERED = 0.75
"""From here on an item is stated and deterministically tested; 1 is what judges are asked to give."""
STATED = 0.25
"""Below this it is missing or contradictory; in between it is stated, but nothing tests it."""


def rigor_floors(answers: Sequence[Mapping[str, float]]) -> list[VerdictFloor]:
    """The floors that the judges' answers call for, one mapping for each judge that read the plan.

    A plan whose invariants are missing warns; one whose critical invariant cannot be checked fails.
    """
    floors = []
    checkable = _lowest(CHECKABLE, answers)
    if checkable is not None and checkable < 0.5:
        why = "cannot be checked: a critical invariant"
        floors.append(VerdictFloor("rigor", "flagged", why))
    states = {name: _state(_lowest(key, answers)) for key, name in ITEMS.items()}
    short = ", ".join(f"{name}{state}" for name, state in states.items() if state)
    if short:
        floors.append(VerdictFloor("rigor", "warn", f"missing or contradictory: {short}"))
    return floors


def _lowest(key: str, answers: Sequence[Mapping[str, float]]) -> float | None:
    return min((given[key] for given in answers if key in given), default=None)


def _state(score: float | None) -> str:
    if score is None:
        return " (nobody answered it)"
    if score >= COVERED:
        return ""
    return " (missing or contradictory)" if score < STATED else " (no deterministic test)"
