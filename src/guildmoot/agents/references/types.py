"""Types that go with their file while others still use them: Java, Kotlin, C# and PHP. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.references.compare import BrokenReference, ChangedTree, is_loose
from guildmoot.agents.references.tree import line_at
from guildmoot.agents.scopes.csharp_types import shared, usings
from guildmoot.agents.scopes.type_uses import type_use
from guildmoot.text.languages import language_of

_MOST_TYPES, _MOST_USERS = 60, 60
_KINDS = r"(?:class|interface|enum|record|struct|object|@interface|trait|typealias|delegate)"
_MODIFIERS = (
    r"(?:(?:public|internal|protected|abstract|final|sealed|static|partial|open|data|inline|value|annotation|enum"
    r"|readonly|unsafe|ref|expect|actual|strictfp|non-sealed|fun|record)[ \t]+)*"
)
_TYPE = re.compile(rf"(?m)^([ \t]*){_MODIFIERS}{_KINDS}[ \t]+(\w+)")
_FUNCTION = re.compile(
    r"(?m)^(?:(?:public|internal|inline|suspend|actual|expect|operator|infix|const|tailrec)[ \t]+)*"
    r"(?:fun|val|var)[ \t]+(?:<[^>\n]*>[ \t]*)?(?:[\w<>?., *]+\.)?(\w+)"
)
_SPACE = re.compile(r"(?m)^[ \t]*(?:package|namespace)[ \t]+([\w.\\]+)")
_FAMILIES = ((".java", ".kt"), (".cs",), (".php",))


class GoneType(NamedTuple):
    """A type, or a function of Kotlin that others import by its name."""

    name: str
    space: str
    path: str
    function: bool


def gone_types(change: ChangedTree, gone: Sequence[str]) -> Iterator[BrokenReference]:
    """Files that use a type whose file is gone, and that no other file of its space declares."""
    for endings in _FAMILIES:
        there = {path: text for path, text in change.after.items() if path.endswith(endings)}
        kept = {(each.space, each.name) for path in there for each in _declared(path, there[path])}
        lost = [
            each
            for path in gone
            if path.endswith(endings)
            for each in _declared(path, change.before.get(path, ""))
            if (each.space, each.name) not in kept
        ]
        told: set[str] = set()
        for each in lost[:_MOST_TYPES]:
            for found in _users(change, each, endings, there, frozenset(gone)):
                if found.path not in told:
                    told.add(found.path)
                    yield found


def _declared(path: str, text: str) -> Iterator[GoneType]:
    """What a file declares at its top."""
    space = _space(text)
    found = [(len(hit[1].expandtabs(4)), hit[2]) for hit in _TYPE.finditer(text)]
    top = min((depth for depth, _ in found), default=0)
    yield from (GoneType(name, space, path, False) for depth, name in found if depth == top)
    if path.endswith(".kt"):
        yield from (GoneType(hit[1], space, path, True) for hit in _FUNCTION.finditer(text))


def _space(text: str) -> str:
    hit = _SPACE.search(text)
    return hit[1] if hit else ""


def _users(
    change: ChangedTree,
    lost: GoneType,
    endings: tuple[str, ...],
    there: dict[str, str],
    gone: frozenset[str],
) -> Iterator[BrokenReference]:
    names = [path for path in change.users([lost.name]) if path.endswith(endings)]
    texts = {path: change.where.text(path) for path in names if path not in change.touched}
    texts |= {path: text for path, text in there.items() if lost.name in text}
    texts = {path: text for path, text in texts.items() if path not in gone}
    declares = re.compile(rf"\b(?:{_KINDS}|(?:fun|val|var)\b[^\n(=:]*)[ \t.]+{lost.name}\b")
    elsewhere = [path for path, text in texts.items() if declares.search(text)]
    if any(_space(texts[path]) == lost.space for path in elsewhere):
        return
    for path in sorted(texts)[:_MOST_USERS]:
        text = texts[path]
        line = _imported(lost, path, text)
        if not line and not elsewhere and not lost.function and _is_seen(lost, path, text):
            line = _used(path, text, lost.name)
        if line:
            message = f"`{lost.name}` is gone with {lost.path}, and this file still uses it"
            grave = not is_loose(path) and not (
                path.endswith(".cs") and _is_afar(change, lost, path, texts)
            )
            yield BrokenReference(path, line, "type-gone", message, grave, subject=lost.path)


def _is_afar(change: ChangedTree, lost: GoneType, path: str, texts: dict[str, str]) -> bool:
    """Whether a namespace from elsewhere may have a type of that name, too, which this file of C# sees.

    One cannot that another file took beside that of the type: the name would have had two meanings there.
    """

    def holders(word: str) -> list[str]:
        return change.users([word])

    every = [*holders("ImplicitUsings"), *holders("Using")]
    all_files = shared(holders, change.where.text, every)
    beside = (t for p, t in texts.items() if p not in change.touched and _takes(lost, t))
    without = frozenset().union(*(usings(each) | all_files for each in beside))
    return any(
        _is_outer(each, holders, change) for each in (usings(texts[path]) | all_files) - without
    )


def _takes(lost: GoneType, text: str) -> bool:
    """Whether a file sees the type by a directive alone."""
    space = _space(text)
    return lost.space in usings(text) and not f"{space}.".startswith(f"{lost.space}.")


def _is_outer(namespace: str, holders: Callable[[str], list[str]], change: ChangedTree) -> bool:
    """Whether no file of the repository declares the namespace."""
    if namespace.partition(".")[0] in ("System", "Microsoft", "Windows"):
        return True
    declares = re.compile(rf"(?m)^[ \t]*namespace[ \t]+{re.escape(namespace)}\b")
    paths = [each for each in holders(namespace.rpartition(".")[2]) if each.endswith(".cs")]
    texts = (change.before.get(each) or change.where.text(each) for each in paths[:_MOST_USERS])
    return not any(map(declares.search, texts))


def _imported(lost: GoneType, path: str, text: str) -> int:
    """The line on which it is imported by its whole name."""
    if not lost.space or path.endswith(".cs"):
        return 0
    whole = re.escape(lost.space) + (r"\\" if path.endswith(".php") else r"\.") + lost.name
    if path.endswith(".php"):
        hit = re.search(rf"(?m)^use[ \t]+\\?{whole}[ \t]*;", text)
        return line_at(text, hit.start()) if hit and _used(path, text, lost.name) else 0
    hit = re.search(rf"(?m)^import[ \t]+(?:static[ \t]+)?{whole}\b", text)
    return line_at(text, hit.start()) if hit else 0


def _is_seen(lost: GoneType, path: str, text: str) -> bool:
    """Whether the plain name means that type here."""
    if re.search(rf"(?m)^[ \t]*(?:import|using|use)\b[^\n]*\b{lost.name}\b", text):
        return False  # another one of that name
    space = _space(text)
    if path.endswith(".cs"):
        inside = space == lost.space or space.startswith(f"{lost.space}.")
        return inside or bool(re.search(rf"(?m)^[ \t]*using[ \t]+{re.escape(lost.space)};", text))
    if space == lost.space:
        return True
    stars = rf"(?m)^import[ \t]+{re.escape(lost.space)}\.\*"
    return not path.endswith(".php") and re.search(stars, text) is not None


def _used(path: str, text: str, name: str) -> int:
    """The line on which the name stands for a type; 0 where it does not."""
    language = language_of(path).name
    root = parser(language).parse(text.encode("utf-8", "surrogatepass")).root_node
    return type_use(language, root, name)
