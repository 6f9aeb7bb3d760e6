"""Dependencies between named things: what waits for what, and who waits for himself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def cycle(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """The first cycle, from a name back to itself, in the order of the names; empty when there is none."""
    done: set[str] = set()
    for start in sorted(edges):
        path: list[str] = []
        stack = [(start, iter(sorted(edges[start])))] if start not in done else []
        path += [start] if stack else []
        while stack:
            name, rest = stack[-1]
            after = next(rest, None)
            if after is None:
                done.add(name)
                stack.pop()
                path.pop()
            elif after in path:
                return [*path[path.index(after) :], after]
            elif after in edges and after not in done:
                path.append(after)
                stack.append((after, iter(sorted(edges[after]))))
    return []


def ancestors(edges: Mapping[str, Iterable[str]], name: str) -> set[str]:
    """All that a name waits for, however far away."""
    found: set[str] = set()
    open_names = list(edges.get(name, ()))
    while open_names:
        each = open_names.pop()
        if each not in found:
            found.add(each)
            open_names += edges.get(each, ())
    return found
