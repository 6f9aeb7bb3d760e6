"""What a board comes to, as a document: decisions, contradictions, open questions and who holds what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import shorten

from guildmoot.consensus.board.contests import Contest, NotRead, PositionChange
from guildmoot.consensus.board.contradictions import Contradiction, SharedPosition
from guildmoot.consensus.board.minutes import Minutes
from guildmoot.consensus.board.positions import BoardPosition, told_stance
from guildmoot.reports import document as doc
from guildmoot.reports.costs import money
from guildmoot.reports.view import reused_line
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.text.clean import count, one_line, seconds

_SUBJECTS, _STATEMENTS = 12, 6
"""Subjects that are shown with what may contradict there, and statements of each."""
_REASON = re.compile(
    r"[;(\u2013\u2014]|\s-\s|\b(?:because|since|so\s+that|as|given)\s", re.IGNORECASE
)
"""What leads on to a reason within a statement."""
_UNREAD, _LINE = 3, 160
"""Sentences of one engineer that are shown as unread, and their length."""


def board_document(report: BoardReport) -> doc.Document:
    """The summary of a board, and what a run did where one wrote on it."""
    minutes, topic = report.minutes, one_line(report.board.topic) or "(no topic)"
    rounds, people = count(len(minutes.rounds), "round"), count(len(minutes.engineers), "engineer")
    notes = []
    if minutes.left_out:
        notes.append(f"the oldest {count(minutes.left_out, 'round')} were not compared")
    notes += [f"✗ {name} did not answer in round {number}" for number, name in minutes.failed]
    banner = doc.Banner("", topic, facts=(("", f"{rounds}, {people}"),), reasons=tuple(notes))
    blocks = [*_summary(report)]
    if report.stopped or report.run_id:
        blocks += _run(report)
    return doc.Document(topic, tuple(blocks), banner)


def _summary(report: BoardReport) -> Iterator[doc.Block]:
    minutes = report.minutes
    decided = [f"{each.id}: {each.choice} ({each.why})" for each in report.board.decisions]
    yield from _part("Decided by people", decided)
    yield from _contradictions(report)
    yield from _possible(minutes.possible)
    chosen = [_shared_words(each, name, minutes) for name, each in minutes.choices.items()]
    yield from _part("Decisions", chosen)
    for title, shared in (("Options", minutes.options), ("Open questions", minutes.questions)):
        yield from _part(title, [_shared_words(e, minutes.ids[e.scope], minutes) for e in shared])
    yield from _part("Who holds what", [_held_by(name, minutes) for name in minutes.engineers])
    unread = [_unread_words(each) for each in minutes.not_read]
    yield from _part("Not read", unread, "neither a program nor a clerk could; it settles nothing")


def _run(report: BoardReport) -> Iterator[doc.Block]:
    numbers = ", ".join(str(each.number) for each in report.rounds)
    rounds = "round" if len(report.rounds) == 1 else "rounds"
    what = f"{rounds} {numbers} held" if numbers else "no round held"
    yield doc.SectionHeading("Run", remark=f"{what} in {seconds(report.seconds)}")
    cost = "unknown" if report.usd is None else money(report.usd) if report.usd else ""
    opened = "; ".join(f"{who} {', '.join(paths)}" for who, paths in report.opened)
    facts = {"stopped": report.stopped, "board": report.path, "cost": cost, "run": report.run_id}
    silent, were = report.not_ruled, "was" if report.not_ruled == 1 else "were"
    unruled = f"{count(silent, 'pair')} {were} not ruled on" if silent else ""
    told = "; ".join(filter(None, (report.clerk, unruled)))
    facts |= {"clerk": told, "shown": ", ".join(report.shown), "opened": opened}
    if kept := reused_line(report):
        yield doc.Paragraph(kept)
    yield from map(doc.Paragraph, report.notices)
    yield from (doc.Paragraph(f"{name}: {value}") for name, value in facts.items() if value)
    if report.problem:
        yield doc.Paragraph(report.problem, "callout")


def _part(title: str, rows: Sequence[str], note: str = "") -> Iterator[doc.Block]:
    if rows:
        yield doc.SectionHeading(title, note=note)
        yield doc.Bullets(tuple(rows))


def _contradictions(report: BoardReport) -> Iterator[doc.Block]:
    minutes = report.minutes
    decided = {decision.id for decision in report.board.decisions}
    if minutes.contests:
        yield doc.SectionHeading("Contradictions")
    for contest in minutes.contests:
        scope = contest.contradiction.scope
        name = minutes.ids[scope]
        state = "decided by a person" if name in decided else _state(contest)
        yield doc.Paragraph(f"≠ {scope} [{name}]: {state}")
        for position in contest.contradiction.positions:
            yield doc.Paragraph(_position_words(position), "answer")
        for move in contest.moves:
            yield doc.Paragraph(_move_words(move), "answer")


def _unread_words(each: NotRead) -> str:
    shown, more = each.texts[:_UNREAD], len(each.texts) - _UNREAD
    rest = f" and {count(more, 'sentence')} more" if more > 0 else ""
    said = " / ".join(shorten(one_line(text), _LINE, placeholder="…") for text in shown)
    return f"{each.engineer}, round {each.round}: {said}{rest}"


def _state(contest: Contest) -> str:
    if contest.state == "dropped":
        return f"dropped without a word by {', '.join(contest.silent)}"
    return f"closed after round {contest.last_round}" if contest.state == "closed" else "open"


def _position_words(position: BoardPosition) -> str:
    cited = _cited(position.cited)
    return f"{position.engineer}, {told_stance(position)}: {one_line(position.text)}{cited}"


def _possible(pairs: Sequence[Contradiction]) -> Iterator[doc.Block]:
    """What may contradict, a row for each subject: the likeliest first, and the rest counted."""
    subjects: dict[str, list[Contradiction]] = {}
    for found in pairs:
        subjects.setdefault(found.scope, []).append(found)
    rows = [_subject_words(scope, found) for scope, found in subjects.items()]
    left = sum(len(found) for found in list(subjects.values())[_SUBJECTS:])
    more = [f"and {count(left, 'pair')} more of other subjects"] if left else []
    number = f"; {count(len(pairs), 'pair')} in all" if len(pairs) > len(rows) else ""
    note = f"nobody has decided; the likeliest first{number}"
    yield from _part("May contradict", rows[:_SUBJECTS] + more, note)


def _subject_words(scope: str, found: Sequence[Contradiction]) -> str:
    """Who stands against whom on one subject, each statement once."""
    said = list(dict.fromkeys(_position_words(p) for each in found for p in each.positions))
    rest = f" / and {len(said) - _STATEMENTS} more" if len(said) > _STATEMENTS else ""
    pairs = f"; {count(len(found), 'pair')}" if len(found) > 1 else ""
    why = f"({found[0].degree}: {found[0].why}{pairs})"
    return f"{scope}: {' / '.join(said[:_STATEMENTS])}{rest} {why}"


def _move_words(move: PositionChange) -> str:
    kept = [each for each in move.after if each.stance != "withdraw"]
    given_up = "; ".join(one_line(e.text) for e in move.after if e.stance == "withdraw")
    said = "; ".join(f"{told_stance(each)}: {one_line(each.text)}" for each in kept)
    gave = any(_REASON.search(each.text) for each in move.after)
    why = _cited(move.cited) or ("" if gave else " (named no reason)")
    if not said:
        return f"{move.engineer} withdrew in round {move.round}: {given_up}{why}"
    also = f", and withdrew: {given_up}" if given_up else ""
    return f"{move.engineer} moved in round {move.round} to {said}{also}{why}"


def _cited(cited: tuple[str, ...]) -> str:
    return f" (cites {'; '.join(map(one_line, cited))})" if cited else ""


def _shared_words(shared: SharedPosition, name: str, minutes: Minutes) -> str:
    contested = ", contested" if minutes.contested(shared) else ""
    return f"{shared.scope} [{name}]: {shared.said} ({', '.join(shared.engineers)}{contested})"


def _held_by(name: str, minutes: Minutes) -> str:
    holds = [each for each in minutes.holds if each.engineer == name]
    said = [f"{told_stance(each)} {one_line(each.text)}" for each in holds]
    said += [f"withdrew {one_line(e.text)}" for e in minutes.withdrawn if e.engineer == name]
    absent = any(name == failed for _, failed in minutes.failed)
    return f"{name}: {'; '.join(said) or ('did not answer' if absent else 'no decision could be read')}"
