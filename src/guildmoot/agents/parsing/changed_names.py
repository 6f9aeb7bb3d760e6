"""What a change does to names beyond its own lines: new ones without a declaration, gone ones in use. Pure.

Only where a language says for certain who may declare a name: in Go the files of a folder, in scripts what a relative
import names, in Rust the crate. A name that stands anywhere else a declaration could be is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from guildmoot.agents.members.c_calls import misfit_calls_of_c
from guildmoot.agents.members.c_names import gone_by_includes
from guildmoot.agents.members.c_trees import INCLUDED
from guildmoot.agents.members.cpp_functions import misfit_calls_of_cpp
from guildmoot.agents.members.exported import SCRIPTS, gone_script_exports
from guildmoot.agents.members.required import gone_required
from guildmoot.agents.members.slips import slipped_names
from guildmoot.agents.members.sole.misfits import sole_misfits
from guildmoot.agents.members.statics import gone_statics
from guildmoot.agents.members.typed.losses import missing_items, missing_members
from guildmoot.agents.members.typed.misfits import MisfitCall, misfit_calls
from guildmoot.agents.parsing.arity import BadCall, bad_calls
from guildmoot.agents.parsing.asked_names import AroundChange, each_asked
from guildmoot.agents.parsing.changed_code import ChangedCode, NameLoss, told_once, unread_files
from guildmoot.agents.parsing.gone_names import Loss, gone_exports, gone_functions, gone_types
from guildmoot.agents.parsing.known_names import GO_PACKAGES, KNOWN
from guildmoot.agents.parsing.language_rules import (
    gone_declarations,
    gone_locals,
    looks_for,
    lost_requires,
    unset_names,
)
from guildmoot.agents.parsing.own_names import Around, unused_locals
from guildmoot.agents.parsing.package_names import go_import_names, go_names
from guildmoot.agents.parsing.setting_names import CARGO, TERRAFORM, lost_settings
from guildmoot.agents.parsing.syntax import both_trees, parse
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.scopes.go import go_top_level
from guildmoot.agents.scopes.losses import LANGUAGES as SCOPED
from guildmoot.agents.scopes.new_files import new_losses
from guildmoot.text.languages import language_of
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_OTHERS = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cs", ".kt", ".swift", ".scala", ".php", ".rb"),
    *(".hh", *INCLUDED),
    *(".rake", ".gemspec", ".ru", ".erb", ".haml", ".slim", ".jbuilder"),
    *(".lua", ".sh", ".bash", TERRAFORM, f"{TERRAFORM}.json", CARGO),
)
ENDINGS = (".go", ".rs", ".java", *SCRIPTS, *_OTHERS)
_WHOLE = (".go", ".java", ".rs")
"""Files that are judged when they are new, too."""
_GO_GIVEN = KNOWN["Go"] | {"main", "init", "_", "min", "max", "clear", "any", "comparable"}
_MOST_USERS = 40
_QUOTED = 80
_MOST_LETTERS = 2_000_000
"""Of changed files, up to which the names of their functions are compared: some five seconds."""
_INHERIT = ("Java", "C#", "Kotlin", "Swift", "Scala", "C++")
"""Languages in which a name alone may be a member that a class inherits."""
_SUPER = lazy(r"\bextends\b|\b(?:class|struct|object|record)\s+\w[^{;\n]*:")
_RUST_PUB = lazy(
    r"(?m)^[ \t]*pub(?:\([^)]*\))?\s+(?:async\s+|const\s+|unsafe\s+|extern\s+\"C\"\s+)*"
    r"(?:fn|struct|enum|trait|type|const|static|union|mod)\s+([A-Za-z_]\w*)"
)


Look = Callable[[str, Iterable[NameLoss]], Iterable[NameLoss]]
"""Goes through what one rule finds, and may end it."""


def lost_names(change: ChangedCode, look: Look = lambda what, found: found) -> list[NameLoss]:
    """Everything of the kind that a change brings, each name of a line once; each rule goes through ``look``.

    A file that reads no longer is taken as it was: that it does not parse is the one thing to tell of it.
    """
    broken = unread_files(change)
    kept = {path: change.before[path] for path in broken}
    whole = change._replace(after={**change.after, **kept}) if broken else change
    found = (each for what, rule in _RULES.items() for each in look(what, rule(whole)))
    return told_once(each for each in found if each.path not in broken)


def _within_files(change: ChangedCode) -> Iterator[NameLoss]:
    for path in sorted(change.after):
        if path.endswith(".go"):
            yield from _go_file(path, change)
    left = _MOST_LETTERS
    for path in sorted(change.after):
        left -= len(change.after[path])
        if left > 0 and (path in change.before or path.endswith(_WHOLE)):
            yield from _lost_locals(path, change)
        elif left > 0:
            yield from _new_file(path, change)


def _between_files(change: ChangedCode) -> Iterator[NameLoss]:
    for path, asked in each_asked(change.before, change.after, _rest(change)):
        message = f"`{asked.name}` is asked for, and {asked.of} has no such name"
        yield NameLoss(path, asked.line, "undefined-name", message)
    yield from _go_gone(change)
    yield from (_gone(*each, change) for each in gone_script_exports(change))
    yield from _rust_gone(change)


def _of_members(change: ChangedCode) -> Iterator[NameLoss]:
    for each in missing_members(change):
        message = f"`{each.name}` is asked of a `{each.owner}`, which has no such member"
        yield NameLoss(each.path, each.line, "undefined-name", message)
    gone = list(_rust_gone(change)) if any(path.endswith(".rs") for path in change.before) else []
    for each in missing_items(change):
        message = f"`{each.name}` is asked of `{each.owner}`, which has no such item"
        if not any(loss[:2] == (each.path, each.line) for loss in gone):
            yield NameLoss(each.path, each.line, "undefined-name", message)


def _of_calls(change: ChangedCode) -> Iterator[NameLoss]:
    for misfit in misfit_calls(change):
        yield _misfit(misfit.path, misfit)
    yield from (_misfit(path, call) for path, call in sole_misfits(change))


def _of_calls_in_c(change: ChangedCode) -> Iterator[NameLoss]:
    for of_c in (misfit_calls_of_c, misfit_calls_of_cpp):
        yield from (_misfit(path, call) for path, call in of_c(change))


def _of_settings(change: ChangedCode) -> Iterator[NameLoss]:
    for path, line, message in (*lost_settings(*change[:4]), *lost_requires(change)):
        yield NameLoss(path, line, "undefined-name", message)


def _of_types(change: ChangedCode) -> Iterator[NameLoss]:
    for look in (gone_types, gone_functions, gone_statics, gone_required):
        yield from _losses(look(*change[:4]), change)


def _of_includes(change: ChangedCode) -> Iterator[NameLoss]:
    for path, line, message in gone_by_includes(change):
        yield NameLoss(path, line, "name-gone", message)


def _of_declarations(change: ChangedCode) -> Iterator[NameLoss]:
    yield from _losses(gone_declarations(change, lambda path: _around(path, change)), change)


_RULES: dict[str, Callable[[ChangedCode], Iterator[NameLoss]]] = {
    "names inside of files": _within_files,
    "names that others import": _between_files,
    "settings": _of_settings,
    "types and functions": _of_types,
    "names from headers": _of_includes,
    "other declarations": _of_declarations,
    "members of types": _of_members,
    "arguments of calls": _of_calls,
    "arguments of calls in C": _of_calls_in_c,
}
"""In what is told where one takes too long, and in the order of what they cost."""


def _losses(found: Iterator[tuple[str, Loss]], change: ChangedCode) -> Iterator[NameLoss]:
    for path, (name, user, line) in found:
        yield _gone(name, path, user, line, change)


def _gone(name: str, path: str, user: str, line: int, change: ChangedCode) -> NameLoss:
    """At the line that still uses what a file no longer has."""
    text = change.after[user] if user in change.after else change.text(user)
    quoted = text.split("\n")[line - 1].strip()[:_QUOTED] if text.count("\n") >= line - 1 else ""
    message = f"`{name}` is gone from {path}, and this line still uses it: {quoted}"
    return NameLoss(user, line, "name-gone", message)


def _lost_locals(path: str, change: ChangedCode) -> Iterator[NameLoss]:
    """Names of a function that lost their declaration, unless the change declares them in another file."""
    language = language_of(path).name
    trees = both_trees(language, path, change.before.get(path, ""), change.after[path])
    if trees is None:
        return
    before, after = trees
    around = _around(path, change)
    for look in looks_for(language):
        for _, line, message in look(language, before, after, around):
            yield NameLoss(path, line, "undefined-name", message)
    old, new = change.before.get(path, ""), change.after[path]
    for slip in slipped_names(old, new, after, around.paths) if old else ():
        message = f"`{slip.name}` stands nowhere else here: `{slip.meant}` was meant, it seems"
        yield NameLoss(path, slip.line, "undefined-name", message, slip.meant)
    for name, line in unused_locals(language, before, after):
        yield NameLoss(path, line, "unused-local", f"`{name}` is declared and not used")
    for call in bad_calls(language, before, after):
        yield _misfit(path, call)
    if language in SCOPED or language == "Ruby":
        return
    for name, line in unset_names(language, before, after, around):
        yield NameLoss(path, line, "undefined-name", f"`{name}` is used, and nothing here sets it")
    for name, line in gone_locals(language, before, after, around):
        elsewhere = (
            _has(text, name) and not _has(change.before.get(other, ""), name)
            for other, text in change.after.items()
            if other != path
        )
        inherited = language in _INHERIT and _SUPER.search(change.after[path]) is not None
        if not any(elsewhere) and not (inherited and around.held(name)):
            message = f"`{name}` is used, and its declaration in this function is gone"
            yield NameLoss(path, line, "undefined-name", message)


def _new_file(path: str, change: ChangedCode) -> Iterator[NameLoss]:
    """Names that nobody can give to a file which the change brings."""
    language = language_of(path).name
    data = change.after[path].encode("utf-8", "surrogatepass")
    tree = parse(language, path, data).tree
    if tree is not None:
        for _, line, message in new_losses(language, tree.root_node, _around(path, change)):
            yield NameLoss(path, line, "undefined-name", message)


def _misfit(path: str, call: BadCall | MisfitCall) -> NameLoss:
    message = f"`{call.name}` is given {call.given} arguments here, and takes {call.wanted}"
    return NameLoss(path, call.line, "call-does-not-fit", message)


def _rest(change: ChangedCode) -> AroundChange:
    def holds(word: str) -> list[str]:
        now = [path for path, text in change.after.items() if _has(text, word)]
        return now + [path for path in change.users(word) if path not in change.before]

    def text(path: str) -> str:
        if path in change.after or path in change.before:
            return change.after.get(path, "")
        return change.text(path)

    return AroundChange(text, holds)


def _around(path: str, change: ChangedCode) -> Around:
    def text(other: str) -> str:
        return change.after[other] if other in change.after else change.text(other)

    def paths(word: str) -> list[str]:
        now = [other for other, t in change.after.items() if other != path and _has(t, word)]
        changed = {path, *change.before, *change.after}
        return now + [user for user in change.users(word) if user not in changed]

    def held(word: str) -> list[str]:
        return [text(other) for other in paths(word)[:_MOST_USERS]]

    def holders(words: Sequence[str]) -> dict[str, list[str]]:
        changed = {path, *change.before, *change.after}
        base = change.holders(words) if change.holders else {w: change.users(w) for w in words}
        return {
            word: [other for other, t in change.after.items() if other != path and _has(t, word)]
            + [user for user in base.get(word, ()) if user not in changed]
            for word in words
        }

    return Around(path, cache(held), text, cache(paths), holders)


# Go


def _go_file(path: str, change: ChangedCode) -> Iterator[NameLoss]:
    after, before = change.after[path], change.before.get(path, "")
    root = _tree("Go", path, after)
    if root is None:
        return
    yield from _go_imports(path, root, before, after)


def _go_imports(path: str, root: Node, before: str, after: str) -> Iterator[NameLoss]:
    """Imports that nothing uses any more, which Go does not compile."""
    body = _without_imports(root, after)
    past = _tree("Go", path, before) if before else None
    old_body = _without_imports(past, before) if past is not None else ""
    for spec in (node for node in walk(root) if node.type == "import_spec"):
        names = go_import_names(spec)
        if names & {"_", ".", "C"} or any(_has(body, name) for name in names):
            continue
        written = text_of(spec)
        known = any(_has(old_body, name) for name in names) and written.strip() in before
        plain = len(names) == 1 or names & GO_PACKAGES
        if known or (plain and names & GO_PACKAGES and written.strip() not in before):
            shown = written.strip()
            yield NameLoss(
                path, line_of(spec), "unused-import", f"{shown} is imported and not used"
            )


def _without_imports(root: Node | None, text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    for node in root.children if root is not None else ():
        if node.type in ("import_declaration", "comment"):
            data = (
                data[: node.start_byte]
                + b" " * (node.end_byte - node.start_byte)
                + data[node.end_byte :]
            )
    return data.decode("utf-8", "replace")


def _go_gone(change: ChangedCode) -> Iterator[NameLoss]:
    """Names of a package that the change takes away while other files of the folder still use them."""
    gone: dict[str, dict[str, str]] = {}
    for path, before in change.before.items():
        if path.endswith(".go"):
            lost = go_top_level(before) - go_top_level(change.after.get(path, ""))
            for name in lost:
                gone.setdefault(posixpath.dirname(path), {})[name] = path
    for folder, names in gone.items():
        here = [
            path
            for path in change.after
            if path.endswith(".go") and posixpath.dirname(path) == folder
        ]
        kept = set().union(*(go_top_level(change.after[path]) for path in here)) if here else set()
        names = {name: path for name, path in names.items() if name not in kept | _GO_GIVEN}
        exported = gone_exports(change.before, {folder: names}, change.text, change.users)
        yield from _losses(exported, change)
        for name, path in sorted(names.items()):
            users = [other for other in change.users(name) if posixpath.dirname(other) == folder]
            yield from _go_users(name, path, [u for u in users if u not in change.before], change)


def _go_users(name: str, path: str, users: list[str], change: ChangedCode) -> Iterator[NameLoss]:
    texts = {user: change.text(user) for user in users[:_MOST_USERS]}
    if any(name in go_top_level(text) for user, text in texts.items()):
        return  # another file, perhaps for another system, declares it too
    for user, text in texts.items():
        root = _tree("Go", user, text)
        names = go_names(root) if root is not None else None
        lines = [line for used, line, _ in names.used if used == name] if names else []
        if names and lines and name not in names.declared and not names.open:
            yield _gone(name, path, user, lines[0], change)
            return


# Rust


def _rust_gone(change: ChangedCode) -> Iterator[NameLoss]:
    """Public items whose name no longer stands anywhere the change touches, while an import names them."""
    for path, before in sorted(change.before.items()):
        if not path.endswith(".rs"):
            continue
        after = change.after.get(path, "")
        for name in sorted(set(_RUST_PUB.findall(before)) - set(_RUST_PUB.findall(after))):
            if any(_has(text, name) for text in change.after.values()):
                continue  # renamed, moved, exported again or made by a macro
            users = [
                user
                for user in change.users(name)
                if user.endswith(".rs") and user not in change.before
            ]
            texts = {user: change.text(user) for user in users[:_MOST_USERS]}
            keyword = r"\b(?:fn|struct|enum|trait|type|const|static|mod|union|macro_rules!|as)"
            declares = re.compile(rf"{keyword}\s+{name}\b")
            if any(declares.search(text) for text in texts.values()):
                continue
            asks = re.compile(rf"(?m)^[ \t]*(?:pub\s+)?use\s+(?:crate|super|self)\b[^;]*\b{name}\b")
            for user, text in texts.items():
                hit = asks.search(text)
                if hit and path in change.after:
                    at = hit.start() + len(hit[0]) - len(hit[0].lstrip())
                    yield _gone(name, path, user, text[:at].count("\n") + 1, change)
                    break


def _has(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _tree(language: str, path: str, text: str) -> Node | None:
    tree = parse(language, path, text.encode("utf-8", "surrogatepass")).tree
    return tree.root_node if tree is not None else None
