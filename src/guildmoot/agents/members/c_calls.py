"""Calls of functions of the repository with too few or too many arguments, in C. Pure.

Only where every declaration of the name, in whatever file, takes the same number and no macro or variable has the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain

from guildmoot.agents.members.c_standard import NAMES
from guildmoot.agents.members.c_trees import c_tree
from guildmoot.agents.members.fit import Takes, is_otherwise
from guildmoot.agents.members.includes import Side, changed_code, holders
from guildmoot.agents.parsing.arity import BadCall, bounds_of, misfits
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_HOMES, _MOST_NAMES, _MOST_FILES = 20, 60, 120
_DECLARES = lazy(r"(?:^|\n|\*|(?<!return)(?<!else)[\w*][ \t]+)$")
"""What stands before the name of a function that is declared, and not only called."""
_GIVEN = NAMES | {"NULL", "TRUE", "FALSE"}
_BODIES = frozenset(("compound_statement", "field_declaration_list", "enumerator_list"))


class _Calls(NamedTuple):
    """A file that calls, as far as it has to be read."""

    path: str
    parts: list[Node]
    names: set[str]
    at: set[int]
    """Where the calls begin that are new, or are given another number than the file ever gave before."""


def misfit_calls_of_c(change: ChangedCode) -> Iterator[tuple[str, BadCall]]:
    """Those that a change brings, each with its file."""
    if not any(path.endswith((".c", ".h")) for path in change.before):
        return
    now = Side(change, after=True)
    other = _with_others(change)
    users = chain.from_iterable(holders(change, sorted(other)[:_MOST_NAMES]).values())
    paths = [each for each in dict.fromkeys((*changed_code(change), *users)) if each.endswith(".c")]
    calls = [_calls(path, now.text(path), change, other) for path in paths[:_MOST_FILES]]
    held = holders(change, sorted({name for each in calls for name in each.names})[:_MOST_NAMES])

    @cache
    def takes(name: str) -> Takes | None:
        """How many arguments all declarations of a function agree on."""
        texts = {each: now.text(each) for each in held.get(name, [])[: _MOST_FILES + 1]}
        if len(texts) > _MOST_FILES or any(_defined(text, name) for text in texts.values()):
            return None
        homes = [home for home in texts.items() if _may_declare(home[1], name)]
        found = [each for home in homes[:_MOST_HOMES] for each in _functions(*home).get(name, ())]
        return found[0] if found and len(set(found)) == 1 else None

    @cache
    def is_one(macro: str) -> bool:
        """Whether a word in capitals stands for one value, wherever it is defined."""
        texts = [] if macro in _GIVEN else map(now.text, holders(change, [macro])[macro])
        found = [each for text in texts for each in _defined(text, macro)]
        return macro in _GIVEN or (bool(found) and all("," not in each and each for each in found))

    for path, parts, names, new in calls:
        known = {name: bounds for name in names if (bounds := takes(name)) is not None}
        for call in chain.from_iterable(misfits("C", each, known, is_one) for each in parts):
            if call.name in other or call.line in new:
                yield path, call


def _calls(path: str, text: str, change: ChangedCode, other: set[str]) -> _Calls:
    """What a file calls anew, and of what takes other arguments now; variables may have the name, too."""
    before = change.before.get(path, "")
    old = set(before.split("\n"))
    lines = {at for at, line in enumerate(text.split("\n"), 1) if line not in old}
    root = c_tree(path, text)
    tops = root.named_children if root is not None else []
    is_changed = path in change.after
    parts = [
        each
        for each in tops
        if (is_changed and text_of(each) not in before) or any(n in text_of(each) for n in other)
    ]
    past = _numbers(c_tree(path, before)) if is_changed else {}
    called, bound, at = set[str](), set[str](), set[int]()
    for node in chain.from_iterable(map(walk, parts)):
        if node.type == "identifier" and node.parent is not None:
            around, name = node.parent, text_of(node)
            if around.type == "call_expression":
                anew = is_changed and line_of(around) in lines
                anew = anew or is_otherwise(_given(around), past.get(name))
                at |= {line_of(around)} if anew else set()
                called |= {name} if name in other or anew else set()
            elif around.type != "function_declarator" and _binds(around, node):
                bound.add(name)
    return _Calls(path, parts, called - bound - NAMES, at)


def _numbers(root: Node | None) -> dict[str, set[int]]:
    """How many arguments a file gives to each function."""
    found: dict[str, set[int]] = {}
    for node in walk(root) if root is not None else ():
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        if called is not None:
            found.setdefault(text_of(called), set()).add(_given(node))
    return found


def _given(call: Node) -> int:
    given = call.child_by_field_name("arguments")
    values = given.named_children if given is not None else []
    return sum("comment" not in each.type for each in values)


def _binds(around: Node, name: Node) -> bool:
    kinds = ("declarator", "declaration")
    return around.type.endswith(kinds) and around.child_by_field_name("declarator") == name


def _with_others(change: ChangedCode) -> set[str]:
    """Functions that take another number of arguments than before."""
    found = set[str]()
    for path in changed_code(change):
        old, new = (_functions(path, texts[path]) for texts in (change.before, change.after))
        found |= {name for name in old.keys() & new.keys() if set(old[name]) != set(new[name])}
    return found


@lru_cache(maxsize=512)
def _functions(path: str, text: str) -> dict[str, tuple[Takes | None, ...]]:
    """What each function takes wherever a file declares it; None where nobody can say."""
    found: dict[str, tuple[Takes | None, ...]] = {}
    root = c_tree(path, text)
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        waiting += [each for each in node.named_children if each.type not in _BODIES]
        if node.type != "function_declarator":
            continue
        name, listed = (node.child_by_field_name(each) for each in ("declarator", "parameters"))
        if name is not None and listed is not None and name.type == "identifier":
            sure = not node.has_error and not any(map(_may_be_several, listed.named_children))
            bounds = bounds_of("C", listed) if sure else None
            found[text_of(name)] = (*found.get(text_of(name), ()), bounds)
    return found


def _may_be_several(parameter: Node) -> bool:
    """Whether a macro may stand for it."""
    return text_of(parameter).isupper() or parameter.type.startswith("preproc")


def _defined(text: str, name: str) -> list[str]:
    """What a macro stands for."""
    return re.findall(rf"define[ \t]+{name}\b[ \t]*([^\n]*)", text)


def _may_declare(text: str, name: str) -> bool:
    found = re.finditer(rf"{name}\s*\(", text)
    return any(_DECLARES.search(text[max(0, each.start() - 60) : each.start()]) for each in found)
