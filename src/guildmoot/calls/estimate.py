"""What a panel would cost and send, before anything is called; and what it did cost, after.

Estimates are upper bounds: every prompt token is priced as if it were written to a cache, and every
answer as if it were as long as it may be. A client may take several turns, so its bound holds for
one. Rendering for ``--dry-run`` is here too, since only this practice shows it.
"""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from guildmoot.agents.families import program_name
from guildmoot.backends import traits_of
from guildmoot.backends.looks import TOOLS
from guildmoot.calls.pricing import SELF_HOSTED, Prices, estimate_tokens, price_name
from guildmoot.model.agent import Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.packet import Packet
from guildmoot.model.report import SeatCost
from guildmoot.named import NamedTuple
from guildmoot.reports.costs import money, sum_usage
from guildmoot.text.clean import clean, count, one_line

Leaves = Literal["yes", "no", "may"]

_WIDTH = 80
_PRICES = "`pip install 'guildmoot[models]'` brings the public price table; [prices] gives your own"
_SAYS = {
    "yes": "what it reads leaves this machine",
    "no": "nothing leaves this machine",
    "may": "what it reads may leave this machine",
}


class SeatEstimate(NamedTuple):
    """What one seat would take, at most."""

    seat: Seat
    input_tokens: int
    output_tokens: int
    usd: float | None
    """None when no price is known."""
    leaves: Leaves
    """Whether what it reads leaves this machine; ``may`` where only its program or address tells."""
    to: str
    """Who would get it; empty when nothing leaves."""


class Estimate(NamedTuple):
    """What all calls would take, at most."""

    seats: tuple[SeatEstimate, ...]
    again: tuple[SeatEstimate, ...] = ()
    """What is asked only where an answer cannot be read."""

    @property
    def usd(self) -> float:
        """Of all calls that have a price."""
        return known_usd((*self.seats, *self.again))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The seats of calls whose price is not known."""
        return tuple(seat.seat.name for seat in (*self.seats, *self.again) if seat.usd is None)

    @property
    def to(self) -> tuple[str, ...]:
        """Everyone who would get the packet, or may."""
        return tuple(sorted({seat.to for seat in self.seats if seat.to}))


def known_usd(seats: Iterable[SeatEstimate]) -> float:
    """What those of them cost that have a price."""
    return sum(seat.usd for seat in seats if seat.usd is not None)


class DryRun(NamedTuple):
    """A run that was not made: who would be asked, what it may cost, what would leave."""

    estimate: Estimate
    packet: Packet
    before: tuple[str, ...] = ()
    """Lines for people before the roster."""
    after: tuple[str, ...] = ()
    more: Mapping[str, object] = MappingProxyType({})
    """Further members for programs."""

    def as_text(self) -> str:
        """For people."""
        rows = estimate_rows(self.estimate, self.packet)
        return clean("\n".join((*self.before, *rows, *self.after)))

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {**estimate_json(self.estimate, self.packet), **self.more}


def estimate(calls: Sequence[Call], prices: Prices, max_output: int) -> Estimate:
    """What the calls would take if every answer had ``max_output`` tokens, or all that its backend allows."""
    counted: dict[str, int] = {}
    return Estimate(tuple(_seat(call, prices, max_output, counted) for call in calls))


def seat_costs(
    seats: Iterable[Seat], replies: Iterable[Reply], prices: Prices, run_id: str = ""
) -> tuple[SeatCost, ...]:
    """What each seat cost the run: as its backend tells, else by our prices.

    An answer that another run got was paid by that one.
    """
    return tuple(
        SeatCost(seat.name, None, 0.0, reply.seconds, reply.model or seat.model)
        if reply.kept not in ("", run_id)
        else _cost(seat, reply, prices)
        for seat, reply in zip(seats, replies, strict=True)
    )


def add_costs(name: str, costs: Sequence[SeatCost]) -> SeatCost:
    """All that a seat took, as one; not known when a part of it is not."""
    used = [cost.usage for cost in costs if cost.usage is not None]
    known = [cost.usd for cost in costs if cost.usd is not None]
    saved = [cost.saved_usd for cost in costs if cost.saved_usd is not None]
    return SeatCost(
        name,
        sum_usage(used) if used else None,
        sum(known) if len(known) == len(costs) else None,
        sum(cost.seconds for cost in costs),
        next((cost.model for cost in costs if cost.model), ""),
        sum(saved) if saved else None,
    )


def estimate_rows(found: Estimate, packet: Packet) -> list[str]:
    """``--dry-run`` for people: the roster, its tokens and cost, and what would leave the machine."""
    rows = ["ROSTER", *(line for seat in found.seats for line in _seat_lines(seat))]
    rows += ["COST", *wrapped(_cost_sentence(found))]
    rows += ["LEAVES THIS MACHINE", *(line for said in _leaving(found, packet) for line in said)]
    return rows


def estimate_json(found: Estimate, packet: Packet) -> dict[str, object]:
    """``--dry-run`` for programs."""
    return {
        "schema_version": 1,
        "dry_run": True,
        "target": packet.target,
        "packet_hash": packet.hash,
        "seats": [_seat_json(seat) for seat in found.seats],
        "total": {
            "input_tokens": sum(seat.input_tokens for seat in (*found.seats, *found.again)),
            "output_tokens_at_most": sum(s.output_tokens for s in (*found.seats, *found.again)),
            "calls_at_most": sum(
                not traits_of(each.seat.backend).free for each in (*found.seats, *found.again)
            ),
            "usd_at_most": None if found.unknown else round(found.usd, 6),
            "usd_known_at_most": round(found.usd, 6),
            "unknown": list(found.unknown),
        },
        "leaves": {
            "to": list(found.to),
            "files": [file.path for file in packet.files],
            "bytes": _packet_bytes(packet),
            "sections": [section.kind for section in packet.sections],
            "masked": [masking._asdict() for masking in packet.masked],
            "omitted": dict(Counter(omission.reason for omission in packet.omitted)),
        },
    }


def _seat(call: Call, prices: Prices, max_output: int, counted: dict[str, int]) -> SeatEstimate:
    seat = call.seat
    traits = traits_of(seat.backend)
    leaves, to = _destination(call)
    if traits.free:
        return SeatEstimate(seat, 0, 0, 0.0, leaves, to)
    tokens = _prompt_tokens(call, counted) + traits.overhead_tokens
    if traits.handed:
        return SeatEstimate(seat, tokens, max_output, 0.0, leaves, to)
    max_output = traits.own_output or max_output
    name = price_name(seat.backend, seat.model)
    usd = prices.most(name, tokens, max_output) if name else None
    if call.work is not None:  # it takes as many turns as it likes
        usd = call.work.max_usd
    return SeatEstimate(seat, tokens, max_output, usd, leaves, to)


def _prompt_tokens(call: Call, counted: dict[str, int]) -> int:
    """The prefix that all seats share is large, and counted once; a schema is billed as input too."""
    shared = call.prompt[: call.shared]
    if shared not in counted:
        counted[shared] = estimate_tokens(shared)
    form = json.dumps(call.schema) if call.schema else ""
    if call.looks or call.looks_left:
        form += json.dumps((TOOLS, call.looks))
    return counted[shared] + estimate_tokens(call.prompt[call.shared :]) + estimate_tokens(form)


def _destination(call: Call) -> tuple[Leaves, str]:
    backend = call.seat.backend
    traits = traits_of(backend)
    if traits.free:
        return "no", ""
    if traits.handed:
        return "yes", "the agents of the host"
    if traits.needs == "command":
        return "may", program_name(call.agent.command) or backend
    provider = call.seat.model.partition(":")[0] if traits.needs == "model" else backend
    return ("may" if provider in (*SELF_HOSTED, "openai-compatible") else "yes"), provider


def _cost(seat: Seat, reply: Reply, prices: Prices) -> SeatCost:
    usage, model = reply.usage, reply.model or seat.model
    if usage is None:
        free = traits_of(seat.backend).unpaid or reply.status in ("excused", "missing")
        return SeatCost(seat.name, None, 0.0 if free else None, reply.seconds, model)
    names = (price_name(seat.backend, seat.model, word) for word in (reply.model, ""))
    # a client says 0 of a model whose price it does not know, or that somebody else pays for
    told = usage.cost_usd or (None if usage.input_tokens or usage.output_tokens else 0.0)
    for name in filter(None, names):
        ours, plain = prices.price(name, usage), prices.uncached(name, usage)
        if ours is not None and plain is not None:
            usd = ours if told is None else told
            return SeatCost(seat.name, usage, usd, reply.seconds, model, plain - ours)
    return SeatCost(seat.name, usage, told, reply.seconds, model)


def _seat_lines(found: SeatEstimate) -> Iterator[str]:
    seat = found.seat
    runs = " ".join(filter(None, (seat.backend, seat.model)))
    yield from wrapped(f"{seat.name}: {runs}, family {seat.family}")
    if traits_of(seat.backend).free:
        said = f"no model, {_SAYS[found.leaves]}"
    else:
        cost = f"at most {money(found.usd)}" if found.usd is not None else "price not known"
        tokens = f"at most {found.input_tokens:,} tokens in, {found.output_tokens:,} out"
        if traits_of(seat.backend).own_output:
            tokens += f" (as many as its models can: {seat.backend} takes no limit)"
        said = f"{tokens}, {cost}; {_SAYS[found.leaves]}"
    yield from wrapped(said, "    ")


def _cost_sentence(found: Estimate) -> str:
    priced = [seat for seat in found.seats if seat.usd is not None]
    if not any(not traits_of(seat.seat.backend).free for seat in found.seats):
        return "Nothing: no judge runs a model."
    said = "Not known"
    if any(not traits_of(seat.seat.backend).free for seat in priced):
        said = f"At most {money(found.usd)}"
        if found.again:
            said += f", {money(known_usd(found.seats))} where every answer can be read at once"
        if any(traits_of(seat.seat.backend).is_client for seat in priced):
            said += ", if each client answers in one turn"
    if found.unknown:
        models = dict.fromkeys(
            seat.seat.model or seat.seat.backend for seat in found.seats if seat.usd is None
        )
        said += f"; no price is known for {', '.join(models)} ({count(len(found.unknown), 'call')})"
        said += f", so a limit would refuse it. {_PRICES}"
    return f"{said}."


def _leaving(found: Estimate, packet: Packet) -> Iterator[list[str]]:
    if not found.to:
        yield wrapped("Nothing.")
        return
    yield wrapped(f"To: {', '.join(found.to)}.")
    files = f"{count(len(packet.files), 'file')}, {count(_packet_bytes(packet), 'byte')}"
    beside = ", ".join(f"{number} {kind}" for kind, number in _sections(packet).items())
    yield wrapped(f"{files}{f', with {beside}' if beside else ''}.")
    masked = count(len(packet.masked), "secret")
    left = count(len(packet.omitted), "file")
    yield wrapped(f"{masked} masked, {left} left out.")


def _sections(packet: Packet) -> Counter[str]:
    return Counter(section.kind for section in packet.sections)


def _packet_bytes(packet: Packet) -> int:
    texts = (*(file.text for file in packet.files), *(part.text for part in packet.sections))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def _seat_json(found: SeatEstimate) -> dict[str, object]:
    return {
        **found.seat._asdict(),
        "input_tokens": found.input_tokens,
        "output_tokens_at_most": found.output_tokens,
        "output_is_limited": not traits_of(found.seat.backend).own_output,
        "usd_at_most": None if found.usd is None else round(found.usd, 6),
        "leaves": found.leaves,
        "to": found.to,
    }


def wrapped(text: str, indent: str = "  ") -> list[str]:
    """A line of a dry run within a terminal's width."""
    return textwrap.wrap(
        one_line(text), _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  "
    )
