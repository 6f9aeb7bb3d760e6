"""Classes, functions and constants that a changed file of PHP names and nothing declares. Pure.

Only names are looked at that the change brought, or whose import or declaration it took away. A class of the file's own
namespace must be declared in the repository; so must one of a namespace that lies here. A function or constant must be
PHP's or be declared, unless the file runs inside of a program that brings more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import line_of, text_of
from guildmoot.agents.php import known
from guildmoot.agents.php.reading import (
    CLASS,
    CONSTANT,
    FUNCTION,
    MEMBER,
    Head,
    PhpAsk,
    asks_for,
    classes_of,
    code_of,
    functions_of,
    read_head,
    resolve,
)
from guildmoot.agents.php.repository import IS_DATA, PhpRepository
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MESSAGES = {
    CLASS: "`{}` is named here, and nothing declares or imports such a class",
    FUNCTION: "`{}` is called here, and nothing declares such a function",
    CONSTANT: "`{}` is used here, and nothing declares such a constant",
}
_UNLOADED = "`{}` does not fit the file's path, so composer cannot load it"
_WORD = lazy(r"[^\W\d]\w*")
_QUALIFIED = lazy(r"\w+(?:\\\w+)+")
_BARE = lazy(r"(?<![\w\\$>:])[A-Z]\w*(?![\w\\])")
_SHORTEST = 4


def php_losses(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such name once, at the first line that uses it."""
    if language != "PHP" or IS_DATA.search(around.path):
        return
    then, now = text_of(before), text_of(after)
    old, new = read_head(before), read_head(after)
    if old.several or new.several:
        return
    repository = PhpRepository(around, now)
    yield from _unloaded(then, now, old, new, after, repository, around.path)
    told: set[tuple[str, str]] = set()
    guarded = set(
        re.findall(r"(?:_exists|defined|is_callable|is_a)\s*\(\s*\\?['\"]\\?([\w\\]+)['\"]", now)
    )
    for ask in asks_for(after, _interesting(then, now, old, new)):
        key = (ask.kind, ask.written)
        if key in told or ask.kind == MEMBER or _is_idle(ask, now):
            continue
        if ask.written.strip("\\") in guarded:
            continue
        told.add(key)
        whole = resolve(ask.kind, ask.written, new)
        if whole.rpartition("\\")[2] in guarded or _is_known(
            ask, whole, new, then, old, repository
        ):
            continue
        yield whole, ask.line, _MESSAGES[ask.kind].format(ask.written.lstrip("\\"))


def _is_idle(ask: PhpAsk, now: str) -> bool:
    """Whether it is an import that nothing uses: PHP never looks for it."""
    clause = ask.node.parent
    alias = clause.child_by_field_name("alias") if clause is not None and ask.imported else None
    name = text_of(alias) if alias is not None else ask.written.rpartition("\\")[2]
    used = re.findall(rf"(?i)(?<![\w$>\\]){name}(?!\w)", code_of(now)) if ask.imported else ["it"]
    return not used


def _interesting(then: str, now: str, old: Head, new: Head) -> set[str]:
    """Words that are new, and those that lost what said whom they mean."""
    words = set(_WORD.findall(now))
    found = words - set(_WORD.findall(then)) | set(_BARE.findall(now)) - set(_BARE.findall(then))
    lost = {
        key.lower() for (_, key), whole in old.imports.items() if whole not in new.imports.values()
    }
    lost |= classes_of(then) - classes_of(now)
    lost |= functions_of(then) - functions_of(now)
    if old.space != new.space:
        lost |= {word.lower() for word in words if word[:1].isupper()}
    constants = set(re.findall(r"(?m)^(?:const\s+|define\(\s*['\"])(\w+)", then))
    return found | {word for word in words if word.lower() in lost} | (constants & words)


def _is_known(
    ask: PhpAsk, whole: str, head: Head, then: str, old: Head, repository: PhpRepository
) -> bool:
    if ask.kind == CLASS:
        return _is_class(ask, whole, head, old, then, repository)
    space, _, name = whole.rpartition("\\")
    if not space and _is_own(ask.kind, name):  # also where it is imported: ``use function strlen``
        return True
    if "\\" in ask.written.lstrip("\\"):
        return not repository.has_space(space) or _has(ask.kind, name, repository)
    if (ask.kind, name if ask.kind == CONSTANT else name.lower()) in head.imports:
        return (space != "" and not repository.has_space(space)) or _has(ask.kind, name, repository)
    key = (ask.kind, name if ask.kind == CONSTANT else name.lower())
    if key in old.imports and not known.is_function(name):  # its import is gone
        return repository.declares_in(name, (head.space, ""))
    if ask.kind == CONSTANT:
        return _is_constant(name, then, repository)
    return _is_function(name, then, repository)


def _is_own(kind: str, name: str) -> bool:
    return known.is_function(name) if kind == FUNCTION else known.is_constant(name)


def _has(kind: str, name: str, repository: PhpRepository) -> bool:
    return repository.has_function(name) if kind == FUNCTION else repository.has_constant(name)


def _is_function(name: str, then: str, repository: PhpRepository) -> bool:
    if known.is_function(name):
        return True
    if name.lower() in functions_of(then):  # gone from here, whoever else calls it
        return repository.declares_function(name)
    if repository.has_function(name):
        return True
    return repository.is_hosted(then) and not _is_slip(name, then)


def _is_slip(name: str, then: str) -> bool:
    near = known.near_functions(name) | {
        each.lower() for each in re.findall(r"(?<![\w$])(\w+)\s*\(", then)
    }
    return len(name) > _SHORTEST and any(is_near(name.lower(), each) for each in near)


def _is_constant(name: str, then: str, repository: PhpRepository) -> bool:
    if known.is_constant(name) or repository.has_constant(name):
        return True
    return name.lower() == name or repository.is_hosted(then)


def _is_class(
    ask: PhpAsk, whole: str, head: Head, old: Head, then: str, repository: PhpRepository
) -> bool:
    space, _, name = whole.rpartition("\\")
    if (
        (not space or "\\" not in ask.written)
        and known.is_class(name)
        and (not space or _is_word(name))
    ):
        return True
    if repository.has_class(whole):
        return True
    if space == head.space and "\\" not in ask.written.lstrip(
        "\\"
    ):  # nobody else's, unless all are wrong
        return repository.uses_class(whole) or (not space and _is_lent(name, old, repository))
    if repository.uses_class(whole):
        return True
    if not space:
        return _is_lent(name, old, repository)
    if repository.has_space(space):
        return False
    return not (repository.owns(space) or _is_misspelt(whole, old, then))


def _is_word(name: str) -> bool:
    return name.lower() in ("self", "static", "parent")


def _is_lent(name: str, old: Head, repository: PhpRepository) -> bool:
    """Whether a class without a namespace may come from a program around the file."""
    if (CLASS, name.lower()) in old.imports:
        return False
    return repository.is_hosted("")


def _is_misspelt(whole: str, old: Head, then: str) -> bool:
    """Whether the file named nearly the same before."""
    parts = whole.split("\\")
    for past in (*old.imports.values(), *_QUALIFIED.findall(then)):
        was = past.split("\\")
        odd = [(a, b) for a, b in zip(was, parts, strict=False) if a != b]
        if len(was) == len(parts) and len(odd) == 1 and len(odd[0][1]) > 3 and is_near(*odd[0]):
            return True
    return False


def _unloaded(
    then: str, now: str, old: Head, new: Head, root: Node, repository: PhpRepository, path: str
) -> Iterator[Lost]:
    """The class of a file that lay where composer looks for it, and no longer does."""
    was, kept = classes_of(then), classes_of(now)
    if old.space == new.space and was <= kept:
        return
    stem = path.rpartition("/")[2].removesuffix(".php")
    if stem.lower() not in was or "class_alias" in now:
        return
    before = f"{old.space}\\{stem}".lstrip("\\")
    after = f"{new.space}\\{stem}".lstrip("\\") if stem.lower() in kept else ""
    fits = path in repository.places(before)
    if fits and kept and (not after or path not in repository.places(after)):
        found = [n for n in root.named_children if n.type.endswith(("_declaration", "_definition"))]
        line = next((line_of(n) for n in found if n.type != "namespace_use_declaration"), 1)
        yield stem, line, _UNLOADED.format(after or next(iter(sorted(kept - was or kept))))
