"""Calls that a change leaves with too few or too many arguments. Pure.

Where a method may have many forms (Java, C#), and for constructors, a call is told only if the same file called the
same thing at the base and all of that fitted: what did not is not understood, and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from guildmoot.agents.members.fit import Forms, Takes, both, fits, is_otherwise, shown
from guildmoot.agents.members.typed.comparison import (
    LANGUAGES,
    MOST_USERS,
    Comparison,
    is_in,
    word_of,
)
from guildmoot.agents.members.typed.model import MADE, CallingLanguage, TypedCall, Types, Written
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.walk import text_of
from guildmoot.named import NamedTuple

_MOST_PAST = 20
_NOTHING = (Takes(0, 0),)


class MisfitCall(NamedTuple):
    """A call whose arguments do not fit."""

    path: str
    line: int
    name: str
    given: int
    wanted: str


def misfit_calls(change: ChangedCode) -> Iterator[MisfitCall]:
    """Each name once for a file."""
    for ending, name in LANGUAGES.items():
        if is_in(change, ending):
            found = _Calls(name, ending, change, _calling(name)).misfits()
            yield from {(each.path, each.name): each for each in found}.values()


def _calling(name: str) -> CallingLanguage:
    """Loaded for a change that holds it; functions of C are compared by their prototypes."""
    if name == "Rust":
        from guildmoot.agents.members.typed.rust_calls import RustCalls

        return RustCalls()
    if name == "Go":
        from guildmoot.agents.members.typed.go_calls import GoCalls

        return GoCalls()
    if name == "Java":
        from guildmoot.agents.members.typed.java_calls import JavaCalls

        return JavaCalls()
    if name == "C#":
        from guildmoot.agents.members.typed.csharp_calls import CSharpCalls

        return CSharpCalls()
    if name == "C":
        from guildmoot.agents.members.typed.cpp_calls import CppCalls

        return CppCalls()
    from guildmoot.agents.members.typed.script_calls import ScriptCalls

    return ScriptCalls()


class _Calls(Comparison):
    """Calls of a change in one language."""

    def __init__(
        self,
        name: str,
        ending: str | tuple[str, ...],
        change: ChangedCode,
        calling: CallingLanguage,
    ) -> None:
        super().__init__(name, ending, change)
        self._calling = calling
        self._old = cache(self._calls_then)

    def misfits(self) -> Iterator[MisfitCall]:
        for path in sorted(self.change.after):
            if path.endswith(self.ending):
                new = self.new(path, self._calling.calls)
                yield from self._unfit(path, [each for each in new if not self._is_compared(each)])
                yield from self._unfit(path, self._given_otherwise(path), compared=True)
        for name in sorted(self._retaken()):
            for path in self.now.view.holds(name)[:MOST_USERS]:
                root = self.now.view.root(path) if path.endswith(self.ending) else None
                calls = self._calling.calls(root) if root is not None else ()
                yield from self._unfit(path, [each for each in calls if _called(each) == name])

    def _retaken(self) -> set[str]:
        """Members, functions and types of the changed files that take something else than before."""
        found = set[str]()
        for path in self.change.before.keys() & self.change.after.keys():
            then, now = (each.view for each in (self.then, self.now))
            old, new = then.root(path), now.root(path)
            if old is None or new is None or not path.endswith(self.ending):
                continue
            were, are = (self._calling.functions(each) for each in (old, new))
            found |= {name for name in were.keys() & are.keys() if were[name] != are[name]}
            left = now.shapes(path)
            for owner, shape in then.shapes(path).items():
                is_now = left.get(owner, shape)
                has = is_now.members
                same = shape.members.keys() & has.keys()
                found |= {name for name in same if shape.members[name].takes != has[name].takes}
                found |= {owner.rpartition(" ")[2]} if is_now.makes != shape.makes else set()
        return {word_of(each) for each in found}

    def _unfit(
        self, path: str, calls: list[TypedCall], *, compared: bool = False
    ) -> Iterator[MisfitCall]:
        told = set[str]()
        for call in calls:
            forms = self._forms(call, path, self.now) if _called(call) not in told else None
            if forms is None or fits(call.given, call.named, forms) or self._is_extended(call):
                continue
            if not (compared or self._is_compared(call)) or self._fitted(call, path):
                told.add(_called(call))
                yield MisfitCall(
                    path, call.line, _called(call), call.given, shown(forms, call.named)
                )

    def _is_compared(self, call: TypedCall) -> bool:
        return self._calling.many or call.name == MADE

    def _given_otherwise(self, path: str) -> list[TypedCall]:
        """Calls of what the file called at the base, too; a call over many lines may lose one and have no new one."""
        found = self.altered(path, self._calling.calls) if path in self.change.before else []
        past = {
            key: {(each.given, each.named) for each in calls}
            for key, calls in (self._old(path).items() if found else ())
        }
        return [
            each for each in found if is_otherwise((each.given, each.named), past.get(_key(each)))
        ]

    def _fitted(self, call: TypedCall, path: str) -> bool:
        """Whether all that the file called so at the base fitted, as far as that is known."""
        past = self._old(path).get(_key(call), [])[:_MOST_PAST]
        read = [(each, self._forms(each, path, self.then)) for each in past]
        known = [(each, forms) for each, forms in read if forms is not None]
        return bool(known) and all(fits(each.given, each.named, forms) for each, forms in known)

    def _calls_then(self, path: str) -> dict[tuple[str, str], list[TypedCall]]:
        root, found = self.then.view.root(path), dict[tuple[str, str], list[TypedCall]]()
        for each in self._calling.calls(root) if root is not None else ():
            found.setdefault(_key(each), []).append(each)
        return found

    def _is_extended(self, call: TypedCall) -> bool:
        plain = self.ending != ".cs" or not call.name or call.name == MADE
        return not plain and self.is_extension(call.name)

    def _forms(self, call: TypedCall, path: str, types: Types) -> Forms | None:
        if not call.name:
            return self._calling.function(call.called, path, types)
        if call.name == MADE:
            of = (Written(call.of, path),) if call.of else types.results(call.called, path)
            return self._made(of[0], types) if len(of) == 1 else None
        of = types.results(call.called, path)
        members = types.members(of[0]) if len(of) == 1 else None
        found = members.get(call.name) if members and call.unless not in members else None
        takes = found.takes if found is not None else None
        sure = call.unless or not self.language.may_be_narrower(call.called)
        others = () if sure or takes is None else self.all_of(call.name)
        return takes if all(each.takes == takes for each in others) else None

    def _made(self, written: Written, types: Types) -> Forms | None:
        """The forms of a constructor, which no type takes from another."""
        name, forms = written.name.rpartition(".")[2], None
        for home in self.language.homes(written, types.view):
            shape = types.view.shapes(home).get(name)
            if shape is not None:
                forms = shape.makes if forms is None else both(forms, shape.makes)
                if forms is None:
                    return None
        return _NOTHING if forms == () else forms


def _key(call: TypedCall) -> tuple[str, str]:
    return call.name, call.of or text_of(call.called)


def _called(call: TypedCall) -> str:
    """The member, or the last word of the function or the type."""
    if call.name and call.name != MADE:
        return word_of(call.name)
    return re.split(r"[.: ]", call.of or text_of(call.called))[-1]
