"""A debate as sections: who moved, on what evidence, and what the judges said to each other."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import CouncilReport, Debate, Exchange, Shift
from guildmoot.reports import document as doc
from guildmoot.reports.council import view
from guildmoot.text.clean import count, one_line

_HOW = {
    "agreed": "All first verdicts were the same, so each judge was asked to argue against itself: "
    "what would a devil's advocate say, and what did everybody overlook?",
    "disagreed": "The first verdicts differed, so each judge had to put the strongest case of "
    "another (steel-man), dispute a claim (challenge) and grant a point (acknowledge).",
}
_RULE = (
    "Each judge first wrote its own view down again, and only then saw the others', without names "
    "and in a shuffled order. A changed verdict counts when it cites something new: a place in the "
    "work, an error of its own, or, for a harsher verdict, a case that nobody had named. Else it is "
    "weak, and the first verdict counts."
)
_FIDELITY = {
    "full": "full (the same judges spoke in both rounds)",
    "degraded": "degraded (judges were asked anew, with their first answer before them)",
}


def debate_document(report: CouncilReport) -> doc.Document:
    """The debate alone, in the order it happened; says so when there was none."""
    if report.debate is None:
        none = doc.Paragraph("There was no debate in this council.")
        return doc.Document("Debate", (none,))
    return doc.Document("Debate", tuple(debate_sections(report, report.debate)))


def debate_facts(debate: Debate) -> tuple[tuple[str, doc.Text], ...]:
    """Lines for the report's header."""
    return (
        ("Mode", "debate"),
        ("Rounds", "2" if _was_held(debate) else "1 (there was no second)"),
        ("Fidelity", _FIDELITY[debate.fidelity] if _was_held(debate) else ""),
    )


def debate_sections(
    report: CouncilReport, debate: Debate, *, brief: bool = False
) -> Iterator[doc.Block]:
    """Verdict shifts, then the debate's notes unless it is to be brief."""
    yield doc.SectionHeading("Verdict Shifts")
    if not _was_held(debate):
        why = f"There was no second round: {debate.stopped or 'no reason is on record'}"
        yield doc.Bullets((why, *debate.notes))
        return
    before = view.spread([shift.first for shift in debate.shifts])
    after = view.spread([_counted(shift) for shift in debate.shifts])
    yield doc.Paragraph(f"First round: {before}. After the debate: {after}. {_moved(debate)}")
    called = view.names(report)
    rows = (
        (
            called.get(shift.label, shift.label),
            shift.first or "none",
            shift.second or "none",
            _movement(shift),
            _why_moved(shift),
        )
        for shift in debate.shifts
    )
    yield doc.Table(("Judge", "R1", "R2", "Changed?", "Reason"), tuple(rows))
    if debate.converged:
        yield doc.Paragraph(_convergence(debate), "callout")
    if not brief:
        yield from _notes(report, debate)


def _convergence(debate: Debate) -> str:
    """A warning to the reader: agreement after a split may be anchoring."""
    weak = sum(shift.weak for shift in debate.shifts)
    changed = sum(shift.changed for shift in debate.shifts)
    uncounted = " and do not count" if weak else ""
    return (
        "Convergence: the first round was split, and in the second all said the same. That may be agreement, "
        f"or judges leaning on each other; {weak} of {changed} changes cited nothing new{uncounted}."
    )


def _notes(report: CouncilReport, debate: Debate) -> Iterator[doc.Block]:
    yield doc.SectionHeading("Debate Notes")
    yield doc.Paragraph(f"{_HOW[debate.branch]} {_RULE}")
    ended = [f"Ended: {debate.stopped}"] if debate.stopped else []
    if ended or debate.notes:
        yield doc.Bullets((*ended, *debate.notes))
    if debate.restated:
        yield doc.SectionHeading("Before They Saw Each Other", 4)
        for label, words in debate.restated:
            yield doc.Quote(words, (doc.strong(view.speaker(report, label)), ":"))
    exchanges = [each for each in debate.exchanges if each.kind != "steel-man"]
    if exchanges:
        yield doc.SectionHeading("Key Exchanges", 4)
    for each in exchanges:
        yield from _exchange(report, each)
    best = [each for each in debate.exchanges if each.kind == "steel-man"]
    if best:
        yield doc.SectionHeading("Steel-Man Highlights", 4)
    for each in best:
        of = (" of ", doc.strong(view.speaker(report, each.to))) if each.to else ()
        by = doc.strong(view.speaker(report, each.by))
        yield doc.Quote(each.claim, (by, " on the strongest case", *of, ":"), "steel-man")
    if debate.dropped:
        yield doc.SectionHeading("Dropped Without a Word", 4)
        yield doc.Paragraph("Raised in the first round and no longer mentioned by the same judge:")
        yield doc.Bullets(
            tuple(
                (doc.strong(view.speaker(report, label)), f" ({view.severity(finding)}, ", doc.code(view.ref(finding)),
                 "): ", view.claim(finding))
                for label, finding in debate.dropped
            )
        )  # fmt: skip


def _exchange(report: CouncilReport, each: Exchange) -> Iterator[doc.Block]:
    by, to = view.speaker(report, each.by), view.speaker(report, each.to) or "the others"
    disputes = each.kind == "challenge"
    verb = "challenged" if disputes else "granted"
    yield doc.Quote(each.claim, (doc.strong(by), f" {verb} ", doc.strong(to), ":"), each.kind)
    if each.response.strip():
        label = f"{by} answers it" if disputes else "What that changes"
        yield doc.Paragraph((f"{label}: ", each.response), "answer")


def _was_held(debate: Debate) -> bool:
    """Somebody spoke a second time; otherwise the debate says only why nobody did."""
    return bool(debate.restated or debate.exchanges) or any(
        shift.second is not None for shift in debate.shifts
    )


def _counted(shift: Shift) -> str:
    """The word that counts after the second round."""
    return (shift.first if shift.weak or not shift.second else shift.second) or "none"


def _movement(shift: Shift) -> str:
    """Whether it changed its verdict, in words."""
    if shift.second is None:
        return "no second verdict"
    if not shift.changed:
        return "no"
    return f"weak: {shift.first} counts" if shift.weak else "yes"


def _why_moved(shift: Shift) -> str:
    """What a change rests on, or why there was none."""
    rests = f"cites {', '.join(map(one_line, shift.cited))}" if shift.cited else ""
    if shift.weak and not shift.cited:
        rests = "nothing new is cited"
    return "; ".join(filter(None, (rests, one_line(shift.reason))))


def _moved(debate: Debate) -> str:
    """What the second round did, in one sentence."""
    firm = sum(shift.changed and not shift.weak for shift in debate.shifts)
    weak = sum(shift.weak for shift in debate.shifts)
    said = f"{firm} of {count(len(debate.shifts), 'judge')} changed the verdict with new evidence"
    if weak:
        said += f"; {weak} changed without any, and the first verdict counts"
    return said + "."
