"""What a whiteboard is asked for: checked before anything is spent, put on record, and read back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.agents.binding import is_unbound, parse_bindings, parse_model
from guildmoot.agents.registry import Registry
from guildmoot.agents.roster import bound_agent, make_roster
from guildmoot.backends import traits_of
from guildmoot.codec import from_plain, to_plain
from guildmoot.config import NO_FLAGS, Config, Flags
from guildmoot.errors import UsageError
from guildmoot.guard.egress import admit
from guildmoot.guard.secrets import mask
from guildmoot.model.agent import Agent, Roster, can_write
from guildmoot.model.call import Reply
from guildmoot.practices.whiteboard.boards import PLAN, WHITEBOARD, BoardWords, read_board
from guildmoot.practices.whiteboard.prompts import CONTEXT, BoardView
from guildmoot.reading.board import Board
from guildmoot.runs.record import read_part, read_replies
from guildmoot.system.git import refuse_brought_link
from guildmoot.version import __version__

CAP = 4
"""Rounds that one run may bring a board to; what is not settled by then is for people."""
LONGEST_BRIEF = 400_000
LONGEST_TOPIC = 120
_NO_MODEL = (
    "Give one with --model, e.g. --model anthropic:claude-sonnet-4-5 or --model claude; or set "
    "panel.model in guild.toml (GUILD_PANEL_MODEL); or name it for one: plan-data@codex."
)


class WhiteboardRequest(NamedTuple):
    """Who plans what, where and how long."""

    brief: str
    engineers: tuple[str, ...]
    """Agents, each perhaps with ``@model``."""
    board: Path
    root: Path = Path()
    """The repository that keeps the run."""
    rounds: int | None = None
    """How many rounds the board shall have in the end; None is one more than it has."""
    round: int | None = None
    """The one round to hold, perhaps again: its sections take the place of those that are there."""
    until_settled: bool = False
    named: str = ""
    """The board's path as it was given; filled in when the request is checked."""
    view: BoardView = BoardView()
    context: int = CONTEXT
    """Characters of earlier rounds that an engineer is shown."""
    files: tuple[str, ...] = ()
    """Paths, folders and globs of the repository that engineers are shown."""
    words: BoardWords = WHITEBOARD
    record: bool = True
    fresh: bool = False
    """Ask everybody, even where the ledger has their answer to the same question."""
    parent: str = ""
    """The run that this one is part of."""
    settings: Flags = NO_FLAGS
    """Settings given for this request alone; they win over all others."""


class BoardPlan(NamedTuple):
    """A checked request: the rounds that are to be run."""

    request: WhiteboardRequest
    topic: str
    first_round: int
    last_round: int


def read_brief(value: str) -> str:
    """The text itself, or what the file of that name holds."""
    path = value.removeprefix("@")
    named = value.startswith("@") or ("\n" not in value and len(value) < 1000 and _is_file(value))
    if not named and not (value.endswith((".md", ".txt")) and " " not in value):
        return value
    if admit(path):
        raise UsageError(f"{path} is a key file and does not leave this machine")
    refuse_brought_link(Path(path), Path.cwd())
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as wrong:
        raise UsageError(f"missing brief: {path}: {wrong.strerror}", "Check the path.") from wrong


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except (OSError, ValueError):  # text that could not be a name
        return False


def check_request(request: WhiteboardRequest) -> tuple[BoardPlan, Board]:
    """The plan, and the board as it stands; UsageError says what is missing."""
    if not request.engineers:
        raise UsageError("empty engineers list", "Name them: --engineers a,b or --recipe NAME.")
    if not request.brief.strip():
        raise UsageError("missing brief", "Say what to plan: --brief TEXT or --brief FILE.")
    if len(request.brief) > LONGEST_BRIEF:
        raise UsageError(
            f"the brief has {len(request.brief):,} characters, and {LONGEST_BRIEF:,} are allowed",
            "Shorten it to the question and what decides it.",
        )
    if request.rounds is not None and not 1 <= request.rounds <= CAP:
        raise UsageError(
            f"--rounds must be from 1 to {CAP}, not {request.rounds}",
            "What four rounds do not settle is for a person to decide: 'decide'.",
        )
    if request.context < 0:
        raise UsageError(f"--context is a number of characters from 0, not {request.context}")
    board = read_board(request.board, request.words)
    _check_place(request.board)
    # Masked here once, so that a run that is made again from its record asks for the same.
    masked = request._replace(
        brief=mask(request.brief, "brief")[0],
        board=_absolute(request.board),
        named=request.named or os.fspath(request.board),
    )
    first = max((each.number for each in board.rounds), default=0) + 1
    if request.round is not None:
        _check_round(request, first)
        topic = board.topic or topic_of(masked.brief)
        return BoardPlan(masked, topic, request.round, request.round), board
    last = request.rounds or (max(CAP, first) if request.until_settled else first)
    return BoardPlan(masked, board.topic or topic_of(masked.brief), first, last), board


def _check_round(request: WhiteboardRequest, following: int) -> None:
    """The one round must be on the board, or be the next one."""
    if request.rounds is not None or request.until_settled:
        raise UsageError(
            "--round holds one round, so neither --rounds nor --until goes with it",
            "Name one of them.",
        )
    if request.round is not None and not 1 <= request.round <= following:
        raise UsageError(
            f"there is no round {request.round} to hold: the next one is {following}",
            f"--round takes a number from 1 to {following}.",
        )


def seat_engineers(registry: Registry, config: Config, engineers: Sequence[str]) -> Roster:
    """One seat an engineer; whoever cannot plan is refused before anything is spent."""
    model = config.text("panel.model")
    default = parse_model(model) if model else None
    without = []
    for binding in parse_bindings(engineers):
        agent = bound_agent(registry, binding, default)
        _check_engineer(agent)
        if is_unbound(agent):
            without.append(agent.name)
    if without:
        names = ", ".join(dict.fromkeys(without))
        raise UsageError(f"no model is configured for {names}; nothing was called", _NO_MODEL)
    return make_roster(registry, config, (), engineers, "")


def _check_engineer(agent: Agent) -> None:
    if traits_of(agent.backend).is_tool:
        raise UsageError(
            f"{agent.name} is a tool: it judges files and cannot plan",
            "'guild agents list' shows the planners; their names begin with plan-.",
        )
    if tools := [*filter(can_write, agent.tools)]:
        raise UsageError(
            f"{agent.name} may write ({', '.join(tools)}), and engineers at a board only plan",
            "Take these tools out of its file, or name another agent.",
        )


def topic_of(brief: str) -> str:
    """The brief's first line, without the marks of a heading."""
    line = next(line for line in brief.splitlines() if line.strip())
    topic = " ".join(line.lstrip("# \t").split()) or "a plan"
    return topic if len(topic) <= LONGEST_TOPIC else f"{topic[: LONGEST_TOPIC - 1]}…"


def default_seed(brief: str) -> int:
    """The same for the same brief, so that a run that was lost can be made again."""
    return int(sha256(brief.encode("utf-8", "surrogatepass")).hexdigest()[:8], 16)


def _check_place(board: Path) -> None:
    """A board that could not be written is refused before anybody is asked."""
    if board.exists() and not os.access(board, os.W_OK):
        raise UsageError(f"{board} cannot be written: it is read-only")
    folder = Path(os.path.realpath(board)).parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise UsageError(f"{board} cannot be made: {folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{board} cannot be written: {folder} may not be written to")


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


class _Recorded(NamedTuple):
    """A plan as the run's record keeps it: enough to make the run again."""

    topic: str
    brief: str
    engineers: tuple[str, ...]
    board: Path
    words: str
    first_round: int
    last_round: int
    until: Literal["settled", ""]
    seed: int
    own: Literal["marked", "anonymous"]
    names: Literal["shown", "hidden"]
    context: int
    fresh: bool
    round: int | None = None
    named: str = ""
    files: tuple[str, ...] = ()


def read_plan(folder: Path) -> BoardPlan:
    """The plan of a recorded run."""
    kept = from_plain(_Recorded, read_part(folder, "request"))
    request = WhiteboardRequest(
        brief=kept.brief,
        engineers=kept.engineers,
        board=kept.board,
        until_settled=kept.until == "settled",
        round=kept.round,
        named=kept.named,
        files=kept.files,
        view=BoardView(kept.seed, kept.own == "marked", kept.names == "shown"),
        context=kept.context,
        fresh=kept.fresh,
        words=PLAN if kept.words == PLAN.verb else WHITEBOARD,
    )
    return BoardPlan(request, kept.topic, kept.first_round, kept.last_round)


def plain_request(plan: BoardPlan) -> dict[str, object]:
    """The plan for the run's record."""
    request, view = plan.request, plan.request.view
    kept = _Recorded(
        plan.topic,
        request.brief,
        request.engineers,
        request.board,
        request.words.verb,
        plan.first_round,
        plan.last_round,
        "settled" if request.until_settled else "",
        view.seed,
        "marked" if view.own_marked else "anonymous",
        "shown" if view.names_shown else "hidden",
        request.context,
        request.fresh,
        request.round,
        request.named,
        request.files,
    )
    about = {"practice": "whiteboard", "target": plan.topic, "version": __version__}
    return {**about, **to_plain(kept)}


def earlier_replies(folder: Path) -> dict[str, Reply]:
    """The replies that a run kept before it was stopped, by seat and round."""
    found = [from_plain(Reply, {**entry, "text": text}) for entry, text in read_replies(folder)]
    return {reply.seat: reply for reply in found}
