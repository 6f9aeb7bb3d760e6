"""Members that a changed file of PHP asks a class for, and that the class does not have. Pure.

Told is what is asked of ``$this``, of a class by its name, of what ``new`` makes and of what has a declared type, where
all that the class takes members from lies in the repository. An object may be more than its type says, so there a name
is told only if nothing of the repository declares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.slips import replaced_word
from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.php.classes import Members, all_members, classes_in
from guildmoot.agents.php.owners import Owner, owner_of
from guildmoot.agents.php.reading import MEMBER, Head, PhpAsk, asks_for, read_head
from guildmoot.agents.php.repository import IS_DATA, PhpRepository
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MESSAGE = "`{}` is asked for here, and `{}` has no such member"
_SLIPPED = "`{}` is asked for here, and nothing declares it: `{}` stood there"
_WORD = lazy(r"[^\W\d]\w*")
_OF_ALL = frozenset(("class", "__construct()", "__destruct()", "__clone()", "__invoke()"))


class _Then(NamedTuple):
    """The file before the change."""

    text: str
    members: frozenset[str]
    """Of all its classes."""


def php_members(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such member once, at the first line that asks for it."""
    if language != "PHP" or IS_DATA.search(around.path):
        return
    then, now = text_of(before), text_of(after)
    head = read_head(after)
    if head.several:
        return
    old, new = classes_in(before, read_head(before)), classes_in(after, head)
    was = frozenset[str]().union(*(each.members for each in old))
    kept = frozenset[str]().union(*(each.members for each in new))
    gone = {name.removesuffix("()") for name in was - kept}
    words = set(_WORD.findall(now))
    wanted = words - set(_WORD.findall(then)) | {
        word for word in words if word in gone or word.lower() in gone
    }
    repository = PhpRepository(around, now)
    told: set[str] = set()
    for ask in asks_for(after, wanted):
        name = _named(ask)
        if ask.kind != MEMBER or name in told or name in _OF_ALL:
            continue
        message = _lacks(ask, name, head, repository, _Then(then, was))
        if message:
            told.add(name)
            yield ask.written, ask.line, message


def _named(ask: PhpAsk) -> str:
    """The member as a class lists it."""
    around = ask.node.parent
    is_call = around is not None and around.type.endswith("call_expression")
    return f"{ask.written.lower()}()" if is_call else ask.written


def _lacks(ask: PhpAsk, name: str, head: Head, repository: PhpRepository, then: _Then) -> str:
    """What is wrong with the ask; empty where nothing is, or nobody can say."""
    owner = owner_of(ask.node, head, repository)
    if owner is not None:
        is_gone = name in then.members and owner.is_own
        has = all_members(owner.cls, repository.find_class, with_set=not is_gone)
        if name in has.names or (name.isupper() and has.hides_constants):
            return ""
        if not has.is_open and _is_sure(owner, name, is_gone, repository):
            return _MESSAGE.format(ask.written, owner.cls.name.rpartition("\\")[2] or "the class")
        if not has.is_open:
            return ""
    return _slipped(ask, name, owner, repository, then)


def _is_sure(owner: Owner, name: str, is_gone: bool, repository: PhpRepository) -> bool:
    if owner.is_exact or is_gone:
        return True
    return not repository.declares_member(name.removesuffix("()"))


def _slipped(
    ask: PhpAsk, name: str, owner: Owner | None, repository: PhpRepository, then: _Then
) -> str:
    """Whether it took the place of a member that is declared here, and stands nowhere else."""
    word = ask.written
    if len(re.findall(rf"(?<!\w){word}(?!\w)", repository.own)) != 1 or repository.holds(word):
        return ""
    for was, now in map(replaced_word, passages(then.text, repository.own)):
        if now != word:
            continue
        listed = f"{was.lower()}()" if name.endswith("()") else was
        own = owner is not None and owner.is_own and listed in _all(owner, repository).names
        if own or _is_above(ask.node, was) or repository.gives_member(was):
            return _SLIPPED.format(word, was)
    return ""


def _all(owner: Owner, repository: PhpRepository) -> Members:
    return all_members(owner.cls, repository.find_class)


def _is_above(node: Node, was: str) -> bool:
    """Whether ``parent`` was asked for the very method that it stands in."""
    scope = node.parent.child_by_field_name("scope") if node.parent is not None else None
    around = node.parent
    while around is not None and around.type != "method_declaration":
        around = around.parent
    named = around.child_by_field_name("name") if around is not None else None
    is_parent = scope is not None and text_of(scope) == "parent"
    return is_parent and named is not None and text_of(named) == was
