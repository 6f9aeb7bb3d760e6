"""Capability scopes: what one agent may do. What is not allowed is denied.

A rule is ``*`` (anything), ``Tool`` (any call of it) or ``Tool(glob)``, where ``*`` is any run of characters and the
whole text has to match: the command of a shell, the path of a file tool, the input of any other as JSON.
A scope is a list of rules, or a table of ``tools`` (rules), ``operations``, ``network`` and ``write_scope``.
A scope that cannot be read allows nothing.
"""

from __future__ import annotations

from guildmoot.guard.commands.words import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OPERATIONS = ("read", "write", "run", "network", "agents", "mcp")
"""The classes of what a tool does."""
_KEYS = names("tools operations network write_scope")
_YES = {"yes": True, "true": True, "no": False, "false": False}


class ScopeRule:
    """One rule of a scope."""

    __slots__ = ("pattern", "tool")

    def __init__(self, tool: str, pattern: str | None) -> None:
        self.tool = tool
        """``*`` for any."""
        self.pattern = pattern
        """None for any call of the tool."""

    def __repr__(self) -> str:
        return self.tool if self.pattern is None else f"{self.tool}({self.pattern})"

    def names(self, tool: str) -> bool:
        """Whether the rule is about this tool; ``mcp__server__*`` is about all of a server."""
        return matches_glob(self.tool, tool)

    def allows(self, texts: Sequence[str]) -> bool:
        """Whether the pattern matches one of these ways to write the same call."""
        pattern = self.pattern
        if pattern is None:
            return True
        if pattern.endswith(":*"):  # as Claude Code writes a prefix
            head = pattern[:-2]
            return any(text == head or text.startswith(head + " ") for text in texts)
        return any(matches_glob(pattern, text) for text in texts)


class Scope:
    """What one agent may do. None in a field means that the scope says nothing about it."""

    __slots__ = ("also", "network", "operations", "problem", "rules", "writes")

    def __init__(
        self,
        rules: tuple[ScopeRule, ...] | None = None,
        operations: frozenset[str] | None = None,
        network: bool | None = None,
        writes: tuple[str, ...] | None = None,
        problem: str = "",
    ) -> None:
        self.rules = rules
        self.operations = operations
        self.network = network
        self.writes = writes
        """Folders and globs, from the project folder, that may be written."""
        self.problem = problem
        """Why nothing is allowed: the scope could not be read."""
        self.also: Scope | None = None
        """Another scope that has to allow it as well."""

    def and_also(self, other: Scope | None) -> Scope:
        """Both have to allow a call."""
        if other is not None:
            last = self
            while last.also is not None:
                last = last.also
            last.also = other
        return self


def closed(problem: str) -> Scope:
    """A scope that allows nothing."""
    return Scope((), problem=problem)


def parse_scope(value: object, source: str = "the scope") -> Scope:
    """A scope as it stands in JSON, YAML or TOML; one that is wrong allows nothing and says why."""
    try:
        if isinstance(value, list | tuple):
            return Scope(_rules(value))
        if isinstance(value, dict):
            return _table(value)
        raise ValueError("it is neither a list of rules nor a table")
    except ValueError as wrong:
        return closed(f"{source} cannot be used: {wrong}")


def _table(value: Mapping[object, object]) -> Scope:
    unknown = sorted(str(key) for key in value if key not in _KEYS)
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no key of a scope ({', '.join(sorted(_KEYS))})")
    if not value:
        raise ValueError("it is empty")
    operations = value.get("operations")
    named = None if operations is None else frozenset(_texts(operations, "operations"))
    wrong = sorted(named.difference(OPERATIONS)) if named else ()
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no operation ({', '.join(OPERATIONS)})")
    rules = _rules(value["tools"]) if value.get("tools") is not None else None
    writes = value.get("write_scope")
    return Scope(
        rules,
        named,
        _yes(value.get("network")),
        None if writes is None else tuple(_texts(writes, "write_scope")),
    )


def _yes(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _YES:
        return _YES[value.lower()]
    raise ValueError("network is yes or no")


def _texts(value: object, name: str) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        raise ValueError(f"{name} is no list")
    for one in listed:
        if not isinstance(one, str) or not one.strip():
            raise ValueError(f"{name} holds {one!r}, which is no text")
    return [str(one).strip() for one in listed]


def _rules(value: object) -> tuple[ScopeRule, ...]:
    return tuple(_rule(text) for text in _texts(value, "the list of rules"))


def _rule(text: str) -> ScopeRule:
    tool, bracket, rest = text.partition("(")
    known = tool.strip()
    plain = (
        known.replace("_", "").replace("-", "").replace("*", "").replace(".", "").replace(":", "")
    )
    if not known or (plain and not plain.isalnum()) or (bracket and not rest.endswith(")")):
        raise ValueError(f"{text!r} is no rule; write Tool or Tool(glob)")
    return ScopeRule(known, rest[:-1] if bracket else None)


def matches_glob(pattern: str, text: str) -> bool:
    """Anchored; ``*`` is any run of characters. Linear in the text: no backtracking."""
    pieces = pattern.split("*")
    if len(pieces) == 1:
        return pattern == text
    first, last = pieces[0], pieces[-1]
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in pieces[1:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
