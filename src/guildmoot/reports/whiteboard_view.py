"""What a board comes to, for people: decisions, contradictions, open questions and who holds what."""

from __future__ import annotations

from rich.console import Console

from guildmoot.consensus.board.contradictions import Contradiction, SharedPosition
from guildmoot.consensus.board.minutes import Contest, Minutes, PositionChange
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.reports.pen import Pen
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.text.clean import count, one_line, seconds


def render_summary(report: BoardReport, console: Console) -> None:
    """Print the summary within the console's width."""
    pen, minutes, board = Pen(console), report.minutes, report.board
    rounds, people = count(len(minutes.rounds), "round"), count(len(minutes.engineers), "engineer")
    pen.line(pen.text(one_line(board.topic) or "(no topic)", "bold"))
    pen.line(pen.text(f"{rounds}, {people}", "dim"))
    if minutes.left_out:
        pen.line(pen.text(f"the oldest {count(minutes.left_out, 'round')} were not compared"))
    for number, name in minutes.failed:
        pen.line(pen.text(f"✗ {one_line(name)} did not answer in round {number}", "red"))
    _part(
        pen, "DECIDED BY PEOPLE", [(f"{d.id}: ", f"{d.choice} ({d.why})") for d in board.decisions]
    )
    _contradictions(pen, report)
    _part(pen, "MAY CONTRADICT", [_possible_row(each) for each in minutes.possible])
    chosen = [_stand_row(stand, name, minutes) for name, stand in minutes.choices.items()]
    _part(pen, "DECISIONS", chosen)
    _part(pen, "OPTIONS", [_named_row(stand, minutes) for stand in minutes.options])
    _part(pen, "OPEN QUESTIONS", [_named_row(stand, minutes) for stand in minutes.questions])
    _holders(pen, minutes)


def render_run(report: BoardReport, console: Console) -> None:
    """Print what a run did, then the summary."""
    pen = Pen(console)
    render_summary(report, console)
    pen.gap()
    held = ", ".join(str(each.number) for each in report.rounds)
    what = f"round {held} held" if len(report.rounds) == 1 else f"rounds {held} held"
    pen.line(pen.text(f"{what if held else 'no round held'} in {seconds(report.seconds)}"))
    pen.hanging(pen.text("stopped: "), pen.text(report.stopped))
    pen.line(pen.text(f"board: {report.path}"))
    if report.usd:
        pen.line(pen.text(f"cost: {report.usd:.4f} USD"))
    if report.run_id:
        pen.line(pen.text(f"run: {report.run_id}"))
    if report.problem:
        pen.line(pen.text(f"✗ {report.problem}", "red"))


def _part(pen: Pen, title: str, rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    pen.gap()
    pen.line(pen.text(title, "bold"))
    for lead, said in rows:
        pen.hanging(pen.text("  • "), pen.prose(f"{one_line(lead)} {one_line(said)}"))


def _contradictions(pen: Pen, report: BoardReport) -> None:
    minutes = report.minutes
    decided = {decision.id for decision in report.board.decisions}
    if minutes.contests:
        pen.gap()
        pen.line(pen.text("CONTRADICTIONS", "bold"))
    for contest in minutes.contests:
        found = contest.contradiction
        name = minutes.ids[found.scope]
        state = "decided by a person" if name in decided else _state(contest)
        style = "red" if state == "open" else "dim"
        lead = pen.text("  ≠ ", style)
        pen.hanging(lead, pen.text(f"{one_line(found.scope)} [{name}]: {state}", style))
        for position in found.positions:
            pen.hanging(pen.text("      "), pen.prose(_position_words(position)))
        for move in contest.moves:
            pen.hanging(pen.text("      "), pen.prose(_move_words(move)))


def _state(contest: Contest) -> str:
    if contest.state == "dropped":
        return f"dropped without a word by {', '.join(map(one_line, contest.silent))}"
    return f"closed after round {contest.last_round}" if contest.state == "closed" else "open"


def _position_words(position: BoardPosition) -> str:
    who, said = one_line(position.engineer), one_line(position.text)
    return f"{who}, {position.stance}: {said}{_cited(position.cited)}"


def _move_words(move: PositionChange) -> str:
    said = "; ".join(f"{each.stance}: {one_line(each.text)}" for each in move.after)
    why = _cited(move.cited) or " (named no reason)"
    return f"{one_line(move.engineer)} moved in round {move.round} to {said}{why}"


def _cited(cited: tuple[str, ...]) -> str:
    return f" (cites {'; '.join(map(one_line, cited))})" if cited else ""


def _possible_row(found: Contradiction) -> tuple[str, str]:
    said = " / ".join(_position_words(position) for position in found.positions)
    return f"{found.scope}:", said


def _named_row(stand: SharedPosition, minutes: Minutes) -> tuple[str, str]:
    return _stand_row(stand, minutes.ids[stand.scope], minutes)


def _stand_row(stand: SharedPosition, name: str, minutes: Minutes) -> tuple[str, str]:
    contested = ", contested" if minutes.contested(stand) else ""
    who = ", ".join(stand.engineers)
    return f"{stand.scope} [{name}]:", f"{stand.said} ({who}{contested})"


def _holders(pen: Pen, minutes: Minutes) -> None:
    rows = []
    absent = {name for _, name in minutes.failed}
    for name in minutes.engineers:
        holds = [each for each in minutes.holds if each.engineer == name]
        said = "; ".join(f"{each.stance} {one_line(each.text)}" for each in holds)
        nothing = "did not answer" if name in absent else "no decision could be read"
        rows.append((f"{name}:", said or nothing))
    _part(pen, "WHO HOLDS WHAT", rows)
