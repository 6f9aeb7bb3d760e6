"""Who sat in a council: votes by vendor, each judge's word with its own confidence, what it saw and took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.model.council import CouncilReport, Judge
from guildmoot.reports import document as doc
from guildmoot.reports.council import view
from guildmoot.text.clean import one_line, seconds

_MOST_WORDS = 400
"""Characters of a judge's own words that a terminal shows."""


def judges(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """One row a judge; in a file one row a vendor before them."""
    answered, total = view.responded(report)
    yield doc.SectionHeading(
        "Verdicts" if report.outcome and not screen else "Judges",
        note=f"{answered} of {total} answered",
    )
    if not report.judges:
        yield doc.Paragraph("None.")
        return
    if screen:
        yield _on_screen(report)
        return
    if report.outcome:
        yield _votes(report)
    yield from _in_file(report)
    answers = [
        f"{view.full_name(judge)}: {label} {answer}"
        for judge in report.judges
        for label, answer in judge.answers
    ]
    if answers:
        yield doc.Bullets(tuple(answers))


def own_words(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """What judges say beside their findings, word for word; a terminal shows how it begins.

    Of judges that say the same one speaks for all.
    """
    said: dict[str, list[str]] = {}
    for judge in report.judges:
        if judge.beside.strip():
            said.setdefault(judge.beside.strip(), []).append(view.speaker(report, judge.label))
    if said:
        note = "reasons that the judges give beside their findings"
        yield doc.SectionHeading("In Their Own Words", note="" if screen else note)
    for text, who in said.items():
        brief = screen is not None and not screen.show_all and len(text) > _MOST_WORDS
        cut = f"{text[:_MOST_WORDS].rsplit(maxsplit=1)[0]} … (--all shows the rest)"
        yield doc.Quote(cut if brief else text, (doc.strong(", ".join(who)), ":"))


def _votes(report: CouncilReport) -> doc.Table:
    shown = view.grid(report)
    rows = (
        (side, *(doc.joined(map(_vote, judges), ", ") for judges in row))
        for side, row in shown.rows
    )
    return doc.Table(("Vendor", *shown.columns), tuple(rows))


def _vote(judge: Judge) -> doc.Text:
    return doc.strong(view.state(judge)) if judge.word else view.state(judge)


def _on_screen(report: CouncilReport) -> doc.Table:
    called = view.names(report)
    rows = (
        (
            ", ".join(called[judge.label] for judge in together),
            doc.vote(together[0].word)
            if together[0].word and view.said_word(together[0]) == together[0].word
            else view.answer_state(report, together[0]),
            _remarks(report, together[0], called[together[0].label]),
        )
        for together in _alike(report.judges)
    )
    heads = ("Verdict", "Key insight") if report.outcome else ("Answer", "Runs on")
    return doc.Table(("Judge", *heads), tuple(rows))


def _alike(judges: Sequence[Judge]) -> list[tuple[Judge, ...]]:
    """Tools that passed the work and found nothing, together; every other judge for itself."""
    quiet = [each for each in judges if each.computed and each.word == "PASS" and _is_quiet(each)]
    loud: list[tuple[Judge, ...]] = [(each,) for each in judges if each not in quiet]
    return [*loud, tuple(quiet)] if quiet else loud


def _is_quiet(judge: Judge) -> bool:
    return not (judge.findings or judge.reason)


def _remarks(report: CouncilReport, judge: Judge, name: str) -> doc.Text:
    """What it says, who it is and what must be known of its vote, a line each."""
    who = (
        judge.label if judge.label != name else "",
        "" if judge.computed else judge.seat.backend,
        judge.seat.model,
        f"own confidence {view.own_confidence(judge)}" if view.own_confidence(judge) else "",
    )
    said = one_line(view.insight(judge)) if judge.word or not report.outcome else ""
    reason = one_line(view.remark(report, judge))
    remarks = (", ".join(one_line(each) for each in who if each), reason if reason != said else "")
    line: list[str | doc.StyledText] = [said, doc.BREAK] if said else []
    return (*line, *(part for each in remarks if each for part in (doc.muted(each), doc.BREAK)))[
        :-1
    ]


def _in_file(report: CouncilReport) -> Iterator[doc.Block]:
    listed = [judge.label for judge in report.judges]
    if [label for label in report.requested if label not in listed]:
        yield doc.Paragraph(f"Asked for: {', '.join(map(one_line, report.requested))}.")
    rows = (
        (
            view.full_name(judge),
            view.answer_state(report, judge),
            *([view.own_confidence(judge), _insight(judge)] if report.outcome else []),
            judge.seat.backend,
            judge.seat.model,
            seconds(judge.seconds),
            view.remark(report, judge),
        )
        for judge in report.judges
    )
    said = ("Verdict", "Its own confidence", "Key insight") if report.outcome else ("Said",)
    yield doc.Table(("Judge", *said, "Runs on", "Model", "Time", "Remark"), tuple(rows))


def _insight(judge: Judge) -> str:
    return view.insight(judge) if judge.word else ""
