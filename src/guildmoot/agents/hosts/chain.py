"""The order in which hosts are tried: the first, and the chain for when it fails.

Both lists of rungs come best first: ``same`` at the tier that was asked for, ``raised`` one above.
Each step must give the next in line once the chosen host is named as failed.
"""

from __future__ import annotations

from guildmoot.agents.hosts.tasks import CLAUDE, Rejection, Rung

NO_FALLBACK = "Claude is no fallback here"


def first_of(same: list[Rung], raised: list[Rung], *, again: bool) -> Rung | None:
    """After a failure the chain's order counts, in which Claude is last."""
    line = [*same, *raised]
    if again:
        line.sort(key=lambda rung: rung.kind == CLAUDE)
    return line[0] if line else None


def chain_of(choice: Rung, same: list[Rung], raised: list[Rung]) -> tuple[Rung, ...]:
    """Same tier elsewhere, the chosen host one tier up, one tier up elsewhere, then Claude."""
    own = [rung for rung in raised if rung.host == choice.host]
    others, claude = _parted(same, choice)
    higher, claude_higher = _parted(raised, choice)
    return (*others, *(rung for rung in own if rung != choice), *higher, *claude, *claude_higher)


def _parted(rungs: list[Rung], choice: Rung) -> tuple[list[Rung], list[Rung]]:
    """The rungs of other hosts than the chosen one: those of Claude, which come last, apart."""
    others = [rung for rung in rungs if rung.kind != CLAUDE]
    claude = [rung for rung in rungs if rung.kind == CLAUDE]
    mine = claude if choice.kind == CLAUDE else others
    mine[:] = [rung for rung in mine if rung.host != choice.host]
    return others, claude


def without_claude(
    choice: Rung, chain: tuple[Rung, ...]
) -> tuple[tuple[Rung, ...], set[Rejection]]:
    """The chain for a caller who does not want Claude to stand in, and who is left out by that."""
    kept = tuple(rung for rung in chain if rung.kind != CLAUDE or rung.host == choice.host)
    left = {rung.host for rung in chain} - {rung.host for rung in kept}
    return kept, {Rejection(host, NO_FALLBACK) for host in left}
