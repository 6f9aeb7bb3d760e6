"""Calls of plain functions of C++ that fitted before a change and fit no form of them after it. Pure.

Only where every place of the repository that holds the name calls, passes or declares a function: what is also a
member, a type, a variable, a template or a macro is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain

from guildmoot.agents.members.arguments import GivenCall, given_calls
from guildmoot.agents.members.c_standard import NAMES
from guildmoot.agents.members.c_trees import c_tree, is_cpp
from guildmoot.agents.members.fit import Forms, Takes, fits, is_otherwise, shown
from guildmoot.agents.members.includes import Side, changed_code, holders, is_code
from guildmoot.agents.members.typed.cpp_calls import taken
from guildmoot.agents.parsing.arity import BadCall
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.walk import line_of, text_of
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_NAMES, _MOST_FILES, _MOST_PLACES = 60, 80, 400
_SAID = frozenset(
    ("comment", "string_content", "raw_string_content", "preproc_arg", "system_lib_string")
)
"""Where a word is no name, or a macro only uses it."""
_PASSED = frozenset(("argument_list", "pointer_expression"))
_WITHIN = frozenset(
    ("ERROR", "template_declaration", "compound_statement", "field_declaration_list")
)
"""What a declaration of a plain function does not stand in."""


def misfit_calls_of_cpp(change: ChangedCode) -> Iterator[tuple[str, BadCall]]:
    """Those that a change brings, each with its file."""
    paths = [path for path in changed_code(change) if _is_cpp(path, change.after[path])]
    if paths:
        yield from _Functions(change).misfits(paths)


class _Functions:
    """What functions take on both sides of a change."""

    def __init__(self, change: ChangedCode) -> None:
        self._change = change
        self._sides = {after: Side(change, after=after) for after in (False, True)}
        self._held: dict[str, list[str]] = {}
        self._forms = cache(self._all_forms)

    def misfits(self, paths: list[str]) -> Iterator[tuple[str, BadCall]]:
        calls = {path: self._given_otherwise(path) for path in paths}
        retaken = set().union(*map(self._retaken, paths)) - NAMES
        names = {_name(each) for each in chain.from_iterable(calls.values())} - NAMES
        self._held = holders(self._change, sorted(retaken | names)[:_MOST_NAMES])
        users = {each for name in retaken for each in self._held.get(name, ())}
        for path in sorted(users)[:_MOST_FILES]:
            text = self._sides[True].text(path)
            if is_code(path) and _is_cpp(path, text):
                of = [each for each in _calls(path, text) if _name(each) in retaken]
                calls[path] = [*calls.get(path, ()), *of]
        for path, found in calls.items():
            yield from ((path, each) for each in self._unfit(path, found))

    def _given_otherwise(self, path: str) -> list[GivenCall]:
        past = self._past(path)
        found = _calls(path, self._change.after[path])
        return [each for each in found if is_otherwise(len(each.values), past.get(_key(each)))]

    def _past(self, path: str) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for each in _calls(path, self._sides[False].text(path)):
            found.setdefault(_key(each), set()).add(len(each.values))
        return found

    def _retaken(self, path: str) -> set[str]:
        """Functions that a file declares on both sides, and not with the same parameters."""
        old, new = (
            _declared(path, each[path]) for each in (self._change.before, self._change.after)
        )
        return {name for name in old.keys() & new.keys() if old[name] != new[name]}

    def _unfit(self, path: str, calls: list[GivenCall]) -> Iterator[BadCall]:
        past = self._past(path) if calls else {}
        for call in calls:
            name, given = _name(call), len(call.values)
            forms, were = self._forms(name, after=True), self._forms(name, after=False)
            if not forms or not were or fits(given, (), forms) or not self._is_near(call):
                continue
            known = past.get(_key(call), set())
            if known and all(fits(each, (), were) for each in known):
                yield BadCall(name, line_of(call.node), given, shown(forms))

    def _is_near(self, call: GivenCall) -> bool:
        """Whether what stands before the name is a namespace of the repository, if anything does."""
        scope = call.called.child_by_field_name("scope")
        if scope is None:
            return True
        written = re.compile(rf"\bnamespace\s+(?:\w+::)*{re.escape(text_of(scope))}\b")
        texts = map(self._sides[True].text, self._held.get(_name(call), ())[:_MOST_FILES])
        return any(map(written.search, texts))

    def _all_forms(self, name: str, *, after: bool) -> Forms | None:
        """Of all declarations, with the default values that only one of them tells."""
        changed = filter(is_code, self._change.before)
        paths = dict.fromkeys((*self._held.get(name, ()), *changed))
        texts = {path: self._sides[after].text(path) for path in paths}
        held = [path for path, text in texts.items() if name in text]
        found: dict[int, int] = {}
        for path in held:
            forms = _forms_in(path, texts[path], name) if len(held) <= _MOST_FILES else None
            if forms is None:
                return None
            for least, most, _ in forms:
                found[most] = min(least, found.get(most, least))
        return tuple(Takes(least, most) for most, least in sorted(found.items()))


def _is_cpp(path: str, text: str) -> bool:
    named = language_of(path).name
    return named == "C++" or (not path.endswith(".c") and is_cpp(text))


def _key(call: GivenCall) -> str:
    return text_of(call.called)


def _name(call: GivenCall) -> str:
    return _key(call).rpartition("::")[2]


@lru_cache(maxsize=64)
def _calls(path: str, text: str) -> list[GivenCall]:
    """Of functions by their names, where no value may be several or none."""
    root = c_tree(path, text)
    found = given_calls(root) if root is not None else ()
    return [
        each
        for each in found
        if re.fullmatch(r"(?:\w+::)*\w+", _key(each)) and not any(map(_may_be_several, each.values))
    ]


def _may_be_several(value: Node) -> bool:
    text = text_of(value)
    return text.isupper() or "..." in text or text.partition("(")[0].isupper()


def _declared(path: str, text: str) -> dict[str, list[str]]:
    """The parameters of each function that a file declares outside of classes and functions."""
    found: dict[str, list[str]] = {}
    root = c_tree(path, text)
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        waiting += [each for each in node.named_children if each.type not in _WITHIN]
        named = node.child_by_field_name("declarator")
        if node.type == "function_declarator" and named is not None:
            listed = text_of(node.child_by_field_name("parameters") or node)
            found.setdefault(text_of(named).rpartition("::")[2], []).append(listed)
    return found


@lru_cache(maxsize=1024)
def _forms_in(path: str, text: str, name: str) -> Forms | None:
    """Of a function where a file declares it; None where the name is or may be something else there."""
    root = c_tree(path, text)
    word = re.compile(rb"(?<!\w)%b(?!\w)" % re.escape(name).encode())
    places = list(word.finditer(root.text or b"")) if root is not None else []
    if root is None or len(places) > _MOST_PLACES:
        return None
    found: Forms = ()
    for place in places:
        forms = _forms_at(root.named_descendant_for_byte_range(place.start(), place.end()))
        if forms is None:
            return None
        found += forms
    return found


def _forms_at(node: Node | None) -> Forms | None:
    """What a declaration takes; nothing for a place that only uses the function."""
    if node is None or node.type != "identifier":
        return () if node is not None and node.type in _SAID else None
    around = node.parent
    while around is not None and around.type == "qualified_identifier":
        scope = around.child_by_field_name("scope")
        if scope is not None and text_of(scope) == "std":
            return None
        node, around = around, around.parent
    if around is None:
        return None
    if around.type == "call_expression" or around.type in _PASSED:
        return ()
    is_function = around.type == "function_declarator" and not around.has_error
    if not is_function or around.child_by_field_name("declarator") != node or _is_within(around):
        return None
    return taken(around.child_by_field_name("parameters"))


def _is_within(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type not in _WITHIN:
        around = around.parent
    return around is not None
