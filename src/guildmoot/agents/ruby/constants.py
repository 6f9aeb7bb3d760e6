"""Constants of Ruby that a change brings and nothing declares. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.ruby.given import CONSTANTS
from guildmoot.agents.ruby.places import WordPart, WordPlace, above
from guildmoot.text.patterns import lazy

_HUMP = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_MIXES = ("include", "extend", "prepend", "using", "require")
_MOST_HOLDERS = 60


def forms_of(name: str) -> list[str]:
    """How gems and files of a constant are called."""
    if not name[:1].isupper():
        return []
    snake = _HUMP.sub("_", name).lower()
    return list(dict.fromkeys((snake, snake.replace("_", "-"), snake.replace("_", ""))))


def is_lost_constant(
    name: str,
    place: WordPlace,
    instead: str,
    held: Mapping[str, Sequence[str]],
    around: Around,
    then: str,
) -> bool:
    """Whether one that stands nowhere else is declared by nobody."""
    if name in CONSTANTS or any(held.get(form) for form in forms_of(name)):
        return False
    if instead and _is_own(instead, held, around, then):
        return True
    if place.part is WordPart.SCOPED:
        return _is_of_own_module(place, around)
    return not name.isupper() and not _is_mixed(place) and (not instead or instead in CONSTANTS)


def _is_own(name: str, held: Mapping[str, Sequence[str]], around: Around, then: str) -> bool:
    """Whether this repository declares a constant."""
    made = re.compile(rf"\b(?:class|module)\s+(?:\w+::)*{name}\b|\b{name}\s*(?:\|\|)?=[^=>~]")
    others = (each for each in held.get(name, ()) if each.endswith(".rb"))
    texts = (around.text(each) for each in list(others)[:_MOST_HOLDERS])
    return made.search(then) is not None or any(map(made.search, texts))


def _is_of_own_module(place: WordPlace, around: Around) -> bool:
    """Whether it is asked of a module that has a file of its own here."""
    outer = place.node.parent
    scope = outer.child_by_field_name("scope") if outer is not None else None
    if scope is None or scope.type not in ("constant", "scope_resolution"):
        return False
    names = text_of(scope).lstrip(":").split("::")
    return not CONSTANTS.intersection(names) and all(_has_file(name, around) for name in names)


def _has_file(name: str, around: Around) -> bool:
    files = [each for each in around.paths(name) if each.endswith(".rb") and "spec" not in each]
    own = [each for each in files if posixpath.basename(each)[:-3] in forms_of(name)]
    declared = re.compile(rf"\b(?:class|module)\s+(?:\w+::)*{name}\s*$", re.MULTILINE)
    return any(declared.search(around.text(each)) for each in own)


def _is_mixed(place: WordPlace) -> bool:
    """Whether it is a parent or a mixin, which a gem may give under a module that is reopened here."""
    for each in above(place.node):
        if each.type == "superclass":
            return True
        if each.type == "call":
            method = each.child_by_field_name("method")
            return method is not None and text_of(method) in _MIXES
    return False
