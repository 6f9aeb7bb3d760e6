"""What a change deletes, moves or misspells while a file of the repository still names it. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from guildmoot.agents.references.tree import BothTrees, Finder, Reference
from guildmoot.named import NamedTuple
from guildmoot.text.globs import matches
from guildmoot.text.patterns import lazy
from guildmoot.text.places import EXAMPLES, FIXTURES

FinderOf = Callable[[str], Finder | None]
"""Who reads a file of that path; nobody where its kind names no paths."""
MOST_GONE, _MOST_USERS = 2_000, 2_000
"""Files that are gone up to which those who name them are looked for, and how many of those are read."""
_CLOSE, _MOST_NAMED = 0.8, 3
_LOOSE = (
    *EXAMPLES,
    *FIXTURES,
    "docs/",
    "doc/",
    "templates/",
    "playground/",
    "vendor/",
    "third_party/",
    "node_modules/",
)
"""Where files may name what is made later, or belong to others."""
_HOLLOW = ("index", "__init__", "mod", "main", "lib", "action", "Dockerfile")
_WORD = lazy(r"\w+")


class ChangedTree(NamedTuple):
    """A change of files."""

    where: BothTrees
    before: Mapping[str, str]
    """Texts of the base, by the names that the base has."""
    after: Mapping[str, str]
    """Texts as they are now; what was deleted is not among them."""
    renamed: Mapping[str, str]
    """From the name of now to that of before."""
    touched: frozenset[str]
    """All names that the change touches, also of what is gone."""
    users: Callable[[Sequence[str]], list[str]]
    """Files of the base that hold one of these words."""


class BrokenReference(NamedTuple):
    """A file that names what is not there."""

    path: str
    line: int
    code: str
    message: str
    grave: bool
    targets: tuple[str, ...] = ()
    """Of one that is new: where it was looked for."""
    subject: str = ""
    """What is gone, the same for all who name it."""
    also: tuple[str, ...] = ()
    """The files of the others who name it."""


def broken_references(
    change: ChangedTree, gone: Sequence[str], finder_of: FinderOf
) -> Iterator[BrokenReference]:
    """Those of the changed files, and those to what is gone of the files that the change leaves alone."""
    for path in sorted(change.after):
        yield from _of_changed(change, path, finder_of)
    if not gone:
        return
    where = change.where
    lost = [path for path in gone if path in where.then.files and path not in where.now.files]
    users = change.users(sorted({word for path in lost for word in _words(path)}))
    for path in users[:_MOST_USERS]:
        find = finder_of(path)
        if path in change.touched or find is None:
            continue
        found = {each.written: each for each in find(path, where.text(path), where)}
        for each in found.values():
            if where.then.holds_any(each.targets) and not _given(each, where):
                yield _gone(path, each, where)


def _of_changed(change: ChangedTree, path: str, finder_of: FinderOf) -> Iterator[BrokenReference]:
    where, old_path = change.where, change.renamed.get(path, path)
    find = finder_of(path)
    if find is None:
        return
    named = {each.written: each for each in find(path, change.after[path], where)}
    found = [each for each in named.values() if not _given(each, where)]
    if not found:
        return
    old = change.before.get(old_path, "")
    earlier = {each.written: each for each in find(old_path, old, where)} if old else {}
    for each in found:
        past = earlier.get(each.written)
        if past is not None:
            if where.then.holds_any(past.targets):
                yield _gone(path, each, where)
        elif where.then.holds_any(each.targets):
            yield _gone(path, each, where)
        elif is_loose(path) or _is_usual(path, each, change):
            continue
        elif each.sure or _is_slip(each, earlier, named, where):
            why = "no file of the repository is meant by it"
            if each.unless[0]:
                why = f"{each.unless[0]} has no `{each.unless[1]}`"
            message = f"`{each.written}` is not there: {why}"
            yield BrokenReference(path, each.line, "names-no-file", message, True, each.targets)


def _is_slip(
    each: Reference,
    earlier: Mapping[str, Reference],
    named: Mapping[str, Reference],
    where: BothTrees,
) -> bool:
    """Whether it stands for a name that led somewhere before, and is spelt nearly like it."""
    depth = each.written.count("/")
    past = [name for name in earlier if name not in named and name.count("/") == depth]
    near = get_close_matches(each.written, past, n=1, cutoff=_CLOSE)
    return bool(near) and each.firm and where.then.holds_any(earlier[near[0]].targets)


def _is_usual(path: str, each: Reference, change: ChangedTree) -> bool:
    """Whether another file of the base names it as well, where it means the same from anywhere."""
    words = sorted(_words(each.written))
    if not words or not any(target.startswith("**/") for target in each.targets):
        return False
    quoted = re.compile(rf"[\"'<]{re.escape(each.written)}[\"'>]")
    users = (other for other in change.users(words)[:_MOST_USERS] if other != path)
    return any(
        quoted.search(change.before.get(other) or change.where.text(other)) for other in users
    )


def _given(reference: Reference, where: BothTrees) -> bool:
    if where.now.holds_any(reference.targets):
        return True
    place, name = reference.unless
    return bool(place) and name in _WORD.findall(where.text(place))


def _gone(path: str, each: Reference, where: BothTrees) -> BrokenReference:
    target = next((t for t in each.targets if where.then.holds(t) and "*" not in t), "")
    shown = f", which was {target}" if target and target not in each.written else ""
    message = f"`{each.written}`{shown} is gone, and this file still names it"
    firm = each.firm and not is_loose(path)
    return BrokenReference(
        path, each.line, "file-gone", message, firm, subject=target or each.written
    )


def merged(found: Iterable[BrokenReference]) -> Iterator[BrokenReference]:
    """Each thing that is gone once, at the first who cannot do without it, with the others named."""
    groups: dict[str, list[BrokenReference]] = {}
    for at, each in enumerate(found):
        groups.setdefault(each.subject or str(at), []).append(each)
    for group in groups.values():
        first, *others = sorted(group, key=lambda each: (not each.grave, each.path, each.line))
        if others:
            named = ", ".join(f"{each.path}:{each.line}" for each in others[:_MOST_NAMED])
            rest = len(others) - _MOST_NAMED
            also = f"; so {'does' if len(others) == 1 else 'do'} {named}"
            first = first._replace(
                message=first.message + also + (f" and {rest} more" if rest > 0 else ""),
                also=tuple(each.path for each in others),
            )
        yield first


def is_loose(path: str) -> bool:
    """Whether it is an example, or belongs to others: what is wrong there is advice."""
    return matches(path.lower(), _LOOSE)


def _words(path: str) -> Iterator[str]:
    """What whoever names a file must write: its name, or that of its folder."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    if stem and stem not in _HOLLOW:
        yield stem
    above = posixpath.basename(folder)
    if above and (stem in _HOLLOW or name.endswith((".go", ".tf"))):
        yield above
