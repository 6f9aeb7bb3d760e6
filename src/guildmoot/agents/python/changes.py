"""A change of Python before and after: what it brings that cannot work, and what it no longer does.

Only what is new is told, so nothing is said of what stands in place. Pure: texts are handed in, and files that
the change leaves alone are asked for, few and only where a changed line or a changed signature needs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from guildmoot.agents.python.attributes import Unfound, lost_names, may_set, unfound
from guildmoot.agents.python.free_names import free_names
from guildmoot.agents.python.lost import losses
from guildmoot.agents.python.members import lost_members, slipped_members
from guildmoot.agents.python.modules import Module, Read, imported_module, read_module
from guildmoot.agents.python.queries import joined_queries
from guildmoot.agents.python.signatures import Misfit, declared, misfits
from guildmoot.named import NamedTuple

_MOST_NAMES, _MOST_USERS = 12, 30
_SQL = "values become part of the text of this query, which lets them change it; pass them as parameters"
_MISFITS = {
    True: ("call-does-not-fit", "this call of `{}` raises when it is reached: {}"),
    False: ("arguments-swapped", "two arguments of this call of `{}` seem to be swapped: {}"),
}
_USED = "`{}` no longer fits its call in {}:{}: {}"
_GONE = "`{}` is imported here and is gone from {}"
_MEMBER = "`{}` is asked for here, and `{}` has no such member"
_SLIP = "`{}` stands nowhere else here: `{}` was meant, it seems"
_FREE = {
    "dead": "`{}` is used here, and bound only where type checkers look or nothing comes to",
    "star": "`{}` is used here and bound nowhere, unless all that is imported from {} brings it",
    "caught": "`{}` is bound nowhere: it always raises the NameError that is caught here",
}
_NOTHING = "`{}` is imported from {}, which has no such name"

Lines = tuple[tuple[int, int], ...]


class ChangedPython(NamedTuple):
    """The Python files of a change, and what can be asked of the rest."""

    before: Mapping[str, str]
    """By the names that the base has."""
    after: Mapping[str, str]
    renamed: Mapping[str, str]
    """From the name of now to that of before."""
    lines: Mapping[str, Lines]
    """The changed lines of each file, first and last."""
    touched: frozenset[str]
    """All names that the change touches, also of what is gone."""
    text: Callable[[str], str]
    """A file that the change leaves alone; empty where there is none."""
    users: Callable[[str], list[str]]
    """Files that hold a word."""


class ChangeFinding(NamedTuple):
    """What the change brings."""

    path: str
    line: int
    code: str
    message: str
    grave: bool


def compare(change: ChangedPython) -> list[ChangeFinding]:
    """What is new, by file and line."""
    sides = _Sides(change)
    found = [each for path in sorted(change.after) for each in _file(change, sides, path)]
    return sorted(set(found))


class _Sides:
    """The modules of both sides, each read once."""

    def __init__(self, change: ChangedPython) -> None:
        self._change = change
        self.elsewhere = cache(self._elsewhere)
        self.now = cache(self._now)
        self.then = cache(self._then)

    def _elsewhere(self, path: str) -> Module | None:
        text = "" if path in self._change.touched else self._change.text(path)
        return read_module(path, text) if text else None

    def _now(self, path: str) -> Module | None:
        text = self._change.after.get(path)
        return read_module(path, text) if text is not None else self.elsewhere(path)

    def _then(self, path: str) -> Module | None:
        text = self._change.before.get(path)
        return read_module(path, text) if text is not None else self.elsewhere(path)

    def near(self, path: str) -> Module | None:
        """Of the change alone."""
        return self.now(path) if path in self._change.after else None


def _file(change: ChangedPython, sides: _Sides, path: str) -> Iterator[ChangeFinding]:
    text, module = change.after[path], sides.now(path)
    if module is None:
        return
    old_path = change.renamed.get(path, path)
    old_text = change.before.get(old_path, "")
    old = sides.then(old_path) if old_path in change.before else None
    for each in _new_misfits(change, sides, module, old):
        code, form = _MISFITS[each.sure]
        yield ChangeFinding(path, each.line, code, form.format(each.name, each.why), each.sure)
    yield from _missing(change, sides, module)
    for free in free_names(old, module, sides.now):
        message = _FREE[free.kind].format(free.name, ", ".join(free.stars))
        yield ChangeFinding(path, free.line, "name-is-unbound", message, free.sure)
    vain = list(_in_vain(change, sides, module, old))
    for ask in vain:
        message = _MEMBER.format(ask.name, ask.of)
        yield ChangeFinding(path, ask.line, "member-is-gone", message, True)
    queries, known = list(joined_queries(module.tree, text)), Counter[str]()
    if queries and old is not None:
        known.update(query.said for query in joined_queries(old.tree, old_text))
    for query in queries:
        known[query.said] -= 1
        if known[query.said] < 0:
            yield ChangeFinding(path, query.line, "sql-by-string", _SQL, True)
    if old is not None:
        for loss in losses(old.tree, module.tree, old_text, text):
            yield ChangeFinding(path, loss.line, loss.code, loss.message, False)
        for lost in lost_members(old.tree, module.tree):
            said = (f"def {lost.name}(", f".{lost.name} =", f'"{lost.name}"', f"'{lost.name}'")
            users = (change.text(user) for user in change.users(lost.name)[:_MOST_USERS])
            if lost.new and _others(change, path, old_path)(lost.name):
                continue
            if not any(
                each in other for other in (text, *users) for each in said if other != old_text
            ):
                message = _MEMBER.format(lost.name, lost.of)
                yield ChangeFinding(path, lost.line, "member-is-gone", message, True)
        others = _others(change, path, old_path)
        told = {(ask.line, ask.name) for ask in vain}
        for slip in slipped_members(module.tree, old_text, text, others):
            if (slip.line, slip.name) in told:
                continue
            message = _SLIP.format(slip.name, slip.meant)
            yield ChangeFinding(path, slip.line, "member-is-gone", message, True)
        yield from _outside(change, sides, old, module)


def _others(change: ChangedPython, *own: str) -> Callable[[str], list[str]]:
    """Who else holds a word after the change."""

    def holders(word: str) -> list[str]:
        now = [path for path, text in change.after.items() if path not in own and word in text]
        return now + [path for path in change.users(word) if path not in (*own, *change.touched)]

    return holders


def _new_misfits(
    change: ChangedPython, sides: _Sides, module: Module, old: Module | None
) -> Iterator[Misfit]:
    lines = change.lines.get(module.path, ())

    def reads(first: int, last: int) -> Read:
        """Others' files are read for changed lines alone: a call that stands can break by the change only."""
        return sides.now if _touches(lines, first, last) else sides.near

    found = list(misfits(module, change.after[module.path], reads))
    known = Counter[tuple[str, str]]()
    if found and old is not None:
        earlier = misfits(old, change.before[old.path], lambda first, last: sides.then)
        known.update((each.name, each.said) for each in earlier)
    for each in found:
        known[each.name, each.said] -= 1
        if known[each.name, each.said] < 0:
            yield each


def _touches(lines: Lines, first: int, last: int) -> bool:
    return any(start <= last and first <= end for start, end in lines)


def _in_vain(
    change: ChangedPython, sides: _Sides, module: Module, old: Module | None
) -> Iterator[Unfound]:
    """Attributes of the repository's own modules and classes that are asked for anew, or are there no more."""
    lines = change.lines.get(module.path, ())

    def reads(first: int, last: int) -> Read:
        return sides.now if _touches(lines, first, last) else sides.near

    found = list(unfound(module, change.after[module.path], reads, sides.now))
    known = Counter[str]()
    if found and old is not None:
        text = change.before[old.path]
        earlier = unfound(old, text, lambda first, last: sides.then, sides.then)
        known.update(each.said for each in earlier)
    for each in found:
        known[each.said] -= 1
        if known[each.said] < 0 and not _comes_otherwise(change, sides, each):
            yield each


def _comes_otherwise(change: ChangedPython, sides: _Sides, ask: Unfound) -> bool:
    """Whether a package may always have had the name, or another file sets it."""
    if ask.package:
        then = sides.then(ask.path)
        if then is None or not then.bound[ask.name]:
            return True
    words = (ask.name,) if ask.of == ask.path else (ask.name, ask.of)
    users = {path for word in words for path in change.users(word)[:_MOST_USERS]}
    others = users - change.touched
    texts = (*map(change.text, others), *change.after.values())
    return any(may_set(text, ask.name, ask.of) for text in texts)


def _missing(change: ChangedPython, sides: _Sides, module: Module) -> Iterator[ChangeFinding]:
    """Changed imports of what a file of the repository does not hold; a package may hold more than its file says."""
    lines = change.lines.get(module.path, ())
    for what in module.imports.values():
        if what.name in ("", "*") or not _touches(lines, what.line, what.line):
            continue
        target = imported_module(module, what.module, sides.now)
        if target is None or target is module or target.path.endswith("__init__.py"):
            continue
        if not may_give(target, what.name):
            message = _NOTHING.format(what.name, target.path)
            yield ChangeFinding(module.path, what.line, "import-of-nothing", message, True)


def may_give(module: Module, name: str) -> bool:
    """Whether a module may have that name."""
    return module.open or name in module.bound or "__getattr__" in module.bound or name[:2] == "__"


def _outside(
    change: ChangedPython, sides: _Sides, old: Module, new: Module
) -> Iterator[ChangeFinding]:
    """Functions whose other callers no longer fit, and names that others still import."""
    common = [name for name in old.bound if name in {*old.functions, *old.classes}]
    changed = [
        name
        for name in common
        if (then := declared(old, name)) and (now := declared(new, name))
        if then._replace(line=0) != now._replace(line=0)
    ]
    gone = [name for name in common if not may_give(new, name)]
    for name in (*changed, *gone)[:_MOST_NAMES]:
        for user in _users(change, sides, name):
            yield from _used(change, sides, new, name, user)
    for name in lost_names(old, new)[:_MOST_NAMES]:
        for user in _users(change, sides, name):
            yield from _asked_still(change, sides, name, user)


def _users(change: ChangedPython, sides: _Sides, name: str) -> Iterator[Module]:
    yield from filter(None, map(sides.elsewhere, change.users(name)[:_MOST_USERS]))


def _asked_still(
    change: ChangedPython, sides: _Sides, name: str, user: Module
) -> Iterator[ChangeFinding]:
    """What a file that stands asks of a module or class which had it."""
    text = change.text(user.path)
    if f".{name}" not in text:
        return
    found = [
        each
        for each in unfound(user, text, lambda first, last: sides.near, sides.now)
        if each.name == name
    ]
    if not found or _comes_otherwise(change, sides, found[0]):
        return
    then = unfound(user, text, lambda first, last: sides.then, sides.then)
    if found[0].said not in {each.said for each in then}:
        message = _MEMBER.format(name, found[0].of)
        yield ChangeFinding(user.path, found[0].line, "name-is-gone", message, True)


def _used(
    change: ChangedPython, sides: _Sides, new: Module, name: str, user: Module
) -> Iterator[ChangeFinding]:
    text = change.text(user.path)
    here = declared(new, name)
    for what in user.imports.values():
        target = imported_module(user, what.module, sides.now) if what.name == name else None
        if target is new and not may_give(new, name):
            message = _GONE.format(name, new.path)
            yield ChangeFinding(user.path, what.line, "name-is-gone", message, True)
            return
    if here is None:
        return
    then = {(m.name, m.said) for m in misfits(user, text, lambda first, last: sides.then)}
    for each in misfits(user, text, lambda first, last: sides.now):
        if each.sure and each.name == name and (each.name, each.said) not in then:
            message = _USED.format(name, user.path, each.line, each.why)
            yield ChangeFinding(new.path, here.line, "call-does-not-fit", message, True)
            return
