"""One round: one packet, every engineer at once, one section each; who failed has one that says so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from guildmoot.backends.schemas import schema_form
from guildmoot.calls import Event
from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.model.agent import Roster
from guildmoot.model.call import Call, Reply
from guildmoot.model.packet import Packet, PacketFile
from guildmoot.packet import PacketRequest, build_packet
from guildmoot.practices.calls import with_schema
from guildmoot.practices.lookups import Lookups, without_requests
from guildmoot.practices.stage import ReplyReader, ask
from guildmoot.practices.whiteboard.board_edits import close_blocks
from guildmoot.practices.whiteboard.minutes import minutes_of
from guildmoot.practices.whiteboard.prompts import (
    OBJECT,
    BoardView,
    EarlierRounds,
    EarlierSection,
    ask_for_section,
    board_packet,
    fit_rounds,
    name_colleagues,
    render_view,
)
from guildmoot.reading.board import Board, BoardSection
from guildmoot.reading.clerk.forms import (
    DECISIONS_SCHEMA,
    SECTION_SCHEMA,
    ask_for_decisions,
    decided_block,
    section_text,
)
from guildmoot.reading.decisions import (
    CLERKS,
    NOTHING_BESIDE,
    has_block,
    read_absence,
    read_decisions,
    read_section,
    write_absence,
)
from guildmoot.text.clean import clean

MOST_SHOWN = 400_000
"""Bytes of files that a round may show."""


class RoundResult(NamedTuple):
    """What came of one round, before it is on the board."""

    number: int
    replies: tuple[Reply, ...]
    sections: tuple[BoardSection, ...]
    interrupted: bool


class RoundSetup(NamedTuple):
    """What is the same in every round of one run."""

    roster: Roster
    config: Config
    root: str
    topic: str
    brief: str
    view: BoardView
    context: int
    files: tuple[str, ...] = ()
    """Paths, folders and globs that engineers are shown."""
    lookups: Lookups | None = None


async def run_round(
    setup: RoundSetup,
    session: CallSession,
    board: Board,
    number: int,
    on_event: Callable[[Event], None],
) -> RoundResult:
    """Ask every engineer for a section, with the board as it stands before them."""
    packet, before = round_packet(setup, board)
    scopes = scopes_of(board, packet)
    calls = make_calls(setup, packet, before, number, scopes)
    named = partial(name_colleagues, before=before, number=number, how=setup.view)
    done = await ask(
        session,
        calls,
        ReplyReader(
            lambda reply, call: _section(reply, named),
            clerk=lambda said, section: _clerk_question(section, scopes),
            clerk_schema=lambda: DECISIONS_SCHEMA,
            read_clerk=lambda said, transcript, section: _decided(section, transcript),
        ),
        deadline=setup.config.number("panel.deadline"),
        limit=int(setup.config.number("panel.limit")),
        on_event=on_event,
        lookups=setup.lookups,
    )
    return RoundResult(number, done.replies, done.values, done.interrupted)


def round_packet(setup: RoundSetup, board: Board) -> tuple[Packet, EarlierRounds]:
    """The packet of the next round, and how much of the board it holds."""
    said = [
        EarlierSection(each.number, *section) for each in board.rounds for section in each.sections
    ]
    said.sort(key=lambda each: each.round)
    before = fit_rounds(said, setup.context)
    shown = shown_files(setup.root, setup.files)
    packet = board_packet(setup.root, setup.topic, setup.brief, board.decisions, before, shown)
    return packet, before


def shown_files(root: str, files: Sequence[str]) -> tuple[PacketFile, ...]:
    """The files that were named, as they may be shown; TargetError for what is not there."""
    if not files:
        return ()
    return build_packet(PacketRequest(tuple(files), Path(root), max_bytes=MOST_SHOWN)).files


def scopes_of(board: Board, packet: Packet) -> tuple[str, ...]:
    """The scopes that earlier rounds named, in one spelling each, with the answers that were given.

    Those that only repeat a text are none. What the packet does not show was left out or masked, and stays so.
    """
    shown = "\n".join(section.text for section in packet.sections)
    answers: dict[str, dict[str, None]] = {}
    for each in minutes_of(board).holds:
        if each.names_scope and each.scope in shown:
            given = answers.setdefault(each.scope, {})
            if each.stance == "adopt" and each.answer and each.answer in shown:
                given[each.answer] = None
    return tuple(
        f"{scope} ({'; '.join(given)})" if given else scope for scope, given in answers.items()
    )


def make_calls(
    setup: RoundSetup,
    packet: Packet,
    before: EarlierRounds,
    number: int,
    scopes: Sequence[str] = (),
) -> tuple[Call, ...]:
    """One call an engineer; they are given words alone, no folder and no tool that could write."""
    seats = setup.roster.seats
    task = ask_for_section(number, len(seats), setup.view, scopes)
    prompts = [
        f"{render_view(packet, before, seat.name, number, setup.view)}\n"
        f"{setup.roster.agents[seat.name].body.strip()}\n\n{task}"
        for seat in seats
    ]
    # Character by character is what is wanted here: these are prompts, not paths.
    shared = len(os.path.commonprefix(prompts)) if len(prompts) > 1 else 0  # noqa: RUF071
    calls = (
        Call(
            seat=seat,
            agent=setup.roster.agents[seat.name],
            prompt=prompt,
            timeout=setup.roster.agents[seat.name].timeout or setup.config.number("panel.timeout"),
            shared=shared,
            packet=packet.hash,
            round=number,
        )
        for seat, prompt in zip(seats, prompts, strict=True)
    )
    eyes = setup.lookups
    return tuple(
        with_section_schema(call) if not eyes or eyes.takes_schema(call) else call for call in calls
    )


def with_section_schema(call: Call) -> Call:
    """The call with the schema of a section, where its backend is sure to hold the reply to it."""
    form = schema_form(call.agent.backend, call.seat.model or call.agent.model)
    if not form.enforced:
        return call
    return with_schema(call._replace(prompt=f"{call.prompt}{OBJECT}"), SECTION_SCHEMA)


def failures(sections: Iterable[BoardSection]) -> tuple[tuple[str, str], ...]:
    """Engineers whose section is no answer, and why."""
    absent = ((each.engineer, read_absence(each.section)) for each in sections)
    return tuple((engineer, why) for engineer, why in absent if why)


def named_by_round(replies: Sequence[Reply], number: int) -> tuple[Reply, ...]:
    """The replies as the record keeps them: a seat speaks once a round."""
    return tuple(reply._replace(seat=f"{reply.seat}~round-{number}") for reply in replies)


def _section(reply: Reply, named: Callable[..., str]) -> BoardSection:
    if reply.status != "answered":
        return BoardSection(reply.seat, write_absence(reply.status, clean(reply.error)))
    text = clean(section_text(without_requests(reply.text))).strip()
    if not text:
        return BoardSection(reply.seat, write_absence("failed", "the reply was empty"))
    for mark in (CLERKS, NOTHING_BESIDE):  # nobody says for a clerk that it has read something
        text = text.replace(mark, "")
    return BoardSection(reply.seat, close_blocks(named(text, reader=reply.seat)))


def _clerk_question(section: BoardSection, scopes: Sequence[str]) -> str:
    """What a clerk is asked where an engineer answered without a block, or wrote something beside it."""
    if read_absence(section.section):
        return ""
    beside = _beside(section)
    own = (each.scope for each in read_decisions(section.section)) if beside else ()
    known = tuple(dict.fromkeys((*scopes, *own)))
    return ask_for_decisions(beside or section.section, known) if beside is not None else ""


def _beside(section: BoardSection) -> str | None:
    """What nobody read beside a block; nothing where there is no block, None where all was read."""
    if not has_block(section.section):
        return ""
    return "\n".join(read_section(section.section).unread) or None


def _decided(section: BoardSection, transcript: Reply) -> BoardSection:
    """The section with what a clerk read in it; as it was where the clerk could not be understood."""
    block = decided_block(clean(transcript.text), _beside(section) or section.section)
    if block == NOTHING_BESIDE and not has_block(section.section):
        return section
    return section._replace(section=f"{section.section}\n\n{block}") if block else section
