"""Reads YAML as plain values, each with its line, and takes nothing that could surprise.

Every scalar stays the text that was written (YAML's own guesses turn ``no`` into a boolean and a
version into a number); an empty one is ``None``. Aliases, tags of its own, deep nesting, a key that
stands twice and control characters are errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from guildmoot.text.patterns import lazy

if TYPE_CHECKING:
    import yaml

Value = str | None | list["Value"] | dict[str, "Value"]
Where = tuple[str | int, ...]

MAX_DEPTH = 20

_NULLS = ("", "~", "null", "Null", "NULL")
_NOT_YAML = lazy(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_CONTROL = lazy(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TAGS = tuple(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map")
)


class FrontMatterError(Exception):
    """The front matter cannot be read; says where and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class YamlSyntaxError(FrontMatterError):
    """The text breaks the grammar of YAML itself, rather than a rule of ours."""


class _Mark(Protocol):
    """A place in the YAML text."""

    line: int


class YamlTree:
    """YAML as plain values, with the line of each; the text begins on line ``first``."""

    def __init__(self, text: str, first: int) -> None:
        self.first = first
        self.lines: dict[Where, int] = {(): first - 1}
        self._events = _events(text, first)
        value = self._document()
        if value is None:
            raise FrontMatterError(first, "front matter is empty")
        if not isinstance(value, dict):
            raise FrontMatterError(first, "front matter must be made of `key: value` lines")
        self.data = value

    def _document(self) -> Value:
        import yaml

        value: Value = None
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                if self.lines.keys() - {()}:
                    raise FrontMatterError(self._line(event), "a second document begins here")
                value = self._value(event, ())
        return value

    def _value(self, event: yaml.Event, where: Where) -> Value:
        import yaml

        line = self._line(event)
        self.lines.setdefault(where, line)
        if isinstance(event, yaml.AliasEvent):
            raise FrontMatterError(line, "aliases are not allowed")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", *_TAGS):
            raise FrontMatterError(line, f"the tag {tag} is not allowed")
        if len(where) > MAX_DEPTH:
            raise FrontMatterError(line, "nested too deeply")
        if isinstance(event, yaml.MappingStartEvent):
            return self._pairs(where)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._items(where)
        return self._text(event)

    def _items(self, where: Where) -> list[Value]:
        import yaml

        items: list[Value] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._value(event, (*where, len(items))))
        return items

    def _pairs(self, where: Where) -> dict[str, Value]:
        import yaml

        pairs: dict[str, Value] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key, line = (
                event.value if isinstance(event, yaml.ScalarEvent) else None,
                self._line(event),
            )
            if key is None:
                raise FrontMatterError(line, "a key must be text")
            if key in pairs:
                raise FrontMatterError(line, f"{key} stands here a second time")
            self.lines[(*where, key)] = line
            pairs[key] = self._value(next(self._events), (*where, key))
        return pairs

    def _text(self, event: yaml.Event) -> str | None:
        import yaml

        if not isinstance(event, yaml.ScalarEvent):
            raise FrontMatterError(self._line(event), "not YAML")
        if _CONTROL.search(event.value):
            raise FrontMatterError(self._line(event), "a control character in a value")
        return None if event.implicit[0] and event.value in _NULLS else event.value

    def _line(self, event: yaml.Event) -> int:
        return self.first + (event.start_mark.line if event.start_mark else 0)


def _events(text: str, first: int) -> Iterator[yaml.Event]:
    import yaml

    odd = _NOT_YAML.search(text)
    if odd:
        line = first + text.count("\n", 0, odd.start())
        raise FrontMatterError(line, f"the character {odd[0]!r} is not allowed in YAML")
    try:
        yield from yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as wrong:
        mark, reason = _explained(wrong)
        raise YamlSyntaxError(first + (mark.line if mark else 0), reason) from None
    except (yaml.YAMLError, ValueError, OverflowError) as wrong:
        # Escapes of characters that do not exist end in any of these, by the loader that is there.
        raise YamlSyntaxError(first, f"not YAML: {wrong}") from None


def _explained(wrong: yaml.MarkedYAMLError) -> tuple[_Mark | None, str]:
    """Where to look and why: for a bracket that is never closed, where it was opened."""
    reason = ", ".join(filter(None, (wrong.context, wrong.problem)))
    if "mapping values are not allowed" in reason:
        reason = "a colon inside a value: put quotes around the value"
    if "cannot start any token" in reason:
        reason = "a tab, or a character that needs quotes around the value"
    if "flow" in reason:
        reason = "a bracket or brace that is not closed, or has no value in its place"
    opened = wrong.context_mark if "flow" in (wrong.context or "") else None
    return opened or wrong.problem_mark or wrong.context_mark, reason
