"""A debate on a page: first verdicts, what was said, who moved and why, in the order it happened."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import CouncilReport, Debate, Exchange, Shift
from guildmoot.reports.council.markdown_debate import HOW, RULE, convergence, no_debate
from guildmoot.reports.council.page import chip, items, line, quote, section, table, text
from guildmoot.reports.council.view import (
    claim,
    counted,
    moved,
    movement,
    ref,
    second_round,
    severity,
    speaker,
    spread,
    was_held,
    why_moved,
)

_VERBS = {"challenge": "challenges", "acknowledge": "grants", "steel-man": "makes the best case of"}


def debate_section(report: CouncilReport, debate: Debate) -> str:
    """The whole debate."""
    if not was_held(debate):
        return section("debate", "Debate", [items(map(line, (no_debate(debate), *debate.notes)))])
    answered, asked = second_round(debate)
    body = [
        f'<p class="lead">{line(RULE)}</p>',
        _step("First verdicts, restated before anyone saw the others", _before(report, debate)),
        _step("What they said to each other", _exchanges(report, debate)),
        _step("Who moved, and why", _shifts(report, debate)),
    ]
    remark = f"{answered} of {asked} judges spoke again · fidelity {debate.fidelity}"
    return section("debate", "Debate", body, remark)


def _step(title: str, body: Iterator[str]) -> str:
    return f'<div class="step"><h3>{title}</h3>{"".join(body)}</div>'


def _before(report: CouncilReport, debate: Debate) -> Iterator[str]:
    words = dict(debate.restated)
    yield '<div class="judges">'
    for shift in debate.shifts:
        said = quote(words[shift.label]) if shift.label in words else ""
        name = line(speaker(report, shift.label))
        yield f'<div class="card"><h3><span>{name}</span>{chip(shift.first)}</h3>{said}</div>'
    yield "</div>"


def _exchanges(report: CouncilReport, debate: Debate) -> Iterator[str]:
    yield f'<p class="lead">{line(HOW[debate.branch])}</p>'
    if not debate.exchanges:
        yield "<p>Nothing was exchanged.</p>"
    for each in debate.exchanges:
        yield _exchange(report, each)


def _exchange(report: CouncilReport, each: Exchange) -> str:
    by, to = line(speaker(report, each.by)), line(speaker(report, each.to) or "the others")
    who = f'<p class="who"><b>{by}</b> {_VERBS[each.kind]} <b>{to}</b></p>'
    shown = f'<div class="said {each.kind}">{who}{quote(each.claim)}</div>'
    if not each.response.strip():
        return shown
    what = f"<b>{by}</b> answers it" if each.kind == "challenge" else "what that changes"
    lead = f'<p class="who">{what}</p>'
    return f'{shown}<div class="said answer">{lead}{quote(each.response)}</div>'


def _shifts(report: CouncilReport, debate: Debate) -> Iterator[str]:
    before = spread([shift.first for shift in debate.shifts])
    after = spread([counted(shift) for shift in debate.shifts])
    yield f"<p>{line(f'{before} → {after}. {moved(debate)}')}</p>"
    rows = [
        (line(speaker(report, shift.label)), _move(shift), _changed(shift), line(why_moved(shift)))
        for shift in debate.shifts
    ]
    yield table(("Judge", "R1 → R2", "Changed?", "Reason"), rows)
    if debate.converged:
        yield f'<p class="callout">{line(convergence(debate))}</p>'
    if debate.dropped:
        told = [
            f"<b>{line(speaker(report, label))}</b>: {line(claim(finding))} "
            f"({severity(finding)}, <code>{text(ref(finding))}</code>)"
            for label, finding in debate.dropped
        ]
        lead = "Raised in the first round, and not mentioned again by the same judge:"
        yield f'<div class="callout"><p>{lead}</p>{items(told)}</div>'
    ended = [f"Ended: {debate.stopped}"] if debate.stopped else []
    if ended or debate.notes:
        yield f'<div class="muted">{items(map(line, (*ended, *debate.notes)))}</div>'


def _move(shift: Shift) -> str:
    return f'<span class="move">{chip(shift.first)} → {chip(shift.second)}</span>'


def _changed(shift: Shift) -> str:
    said = line(movement(shift))
    return f'<span class="weak">{said}</span>' if shift.weak or not shift.second else said
