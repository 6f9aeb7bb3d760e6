"""What a host lacks for a task, if anything."""

from __future__ import annotations

from guildmoot.agents.hosts.manifest import Host


def gaps_of(
    hosts: list[Host], want: frozenset[str], tools: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """What each host does not offer of what is wanted, in a fixed order; nothing when it fits."""
    gaps: list[tuple[str, ...]] = []
    known: dict[tuple[frozenset[str], frozenset[str] | None], tuple[str, ...]] = {}
    for host in hosts:
        permitted = host.tools if tools else None
        if permitted is None and want <= host.offers:
            gaps.append(())
            continue
        case = want - host.offers, permitted  # many hosts, few cases
        if case not in known:
            known[case] = _gap(*case, tools)
        gaps.append(known[case])
    return gaps


def _gap(
    missing: frozenset[str], permitted: frozenset[str] | None, tools: tuple[str, ...]
) -> tuple[str, ...]:
    closed = [tool for tool in tools if not allows(permitted, tool)]
    return (*sorted(missing), *(f"tool:{tool}" for tool in closed))


def allows(permitted: frozenset[str] | None, tool: str) -> bool:
    """Whether an allow-list holds the tool; ``Bash`` in it allows ``Bash(git log)`` too."""
    return permitted is None or tool in permitted or tool.partition("(")[0] in permitted
