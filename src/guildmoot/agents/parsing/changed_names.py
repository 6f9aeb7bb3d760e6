"""What a change does to names beyond its own lines: new ones without a declaration, gone ones in use. Pure.

Only where a language says for certain who may declare a name: in Go the files of a folder, in scripts what a relative
import names, in Rust the crate. A name that stands anywhere else a declaration could be is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from guildmoot.agents.members.fields import unknown_fields
from guildmoot.agents.members.own import lost_duties, lost_members
from guildmoot.agents.members.slips import slipped_names
from guildmoot.agents.members.statics import gone_statics
from guildmoot.agents.parsing.arity import bad_calls
from guildmoot.agents.parsing.asked_names import AroundChange, each_asked
from guildmoot.agents.parsing.gone_names import Loss, gone_exports, gone_functions, gone_types
from guildmoot.agents.parsing.known_names import GO_PACKAGES, KNOWN
from guildmoot.agents.parsing.lost_locals import lost_locals, may_be_set, unset_locals
from guildmoot.agents.parsing.own_names import Around, own_losses
from guildmoot.agents.parsing.package_names import go_import_names, go_names
from guildmoot.agents.parsing.setting_names import CARGO, TERRAFORM, lost_settings
from guildmoot.agents.parsing.syntax import both_trees, parse
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.scopes.go import go_top_level
from guildmoot.agents.scopes.losses import LANGUAGES as SCOPED
from guildmoot.agents.scopes.losses import scope_losses
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_OTHERS = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cs", ".kt", ".swift", ".scala", ".php", ".rb"),
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
_SUPER = re.compile(r"\bextends\b|\b(?:class|struct|object|record)\s+\w[^{;\n]*:")
_EXPORT = re.compile(
    r"(?m)^export\s+(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:function\*?|const|let|var|class|interface|type|enum|namespace)\s+([A-Za-z_$][\w$]*)"
)
_EXPORT_LIST = re.compile(r"(?m)^export\s*(?:type\s*)?\{([^}]*)\}")
_EXPORT_ALL = re.compile(r"(?m)^export\s*\*|module\.exports|\bexports\.")
_IMPORT_LIST = (
    r"(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*[\"']([^\"'\n]+)[\"']"
)
_RUST_PUB = re.compile(
    r"(?m)^[ \t]*pub(?:\([^)]*\))?\s+(?:async\s+|const\s+|unsafe\s+|extern\s+\"C\"\s+)*"
    r"(?:fn|struct|enum|trait|type|const|static|union|mod)\s+([A-Za-z_]\w*)"
)


class NameLoss(NamedTuple):
    """A name that a change leaves without its declaration."""

    path: str
    line: int
    code: str
    message: str


class ChangedCode(NamedTuple):
    """A change, and how to look at what it leaves alone."""

    before: Mapping[str, str]
    """Texts of the base, by the path they have now."""
    after: Mapping[str, str]
    """Texts as they are now; what was deleted is not among them."""
    text: Callable[[str], str]
    """A file that the change leaves alone."""
    users: Callable[[str], list[str]]
    """Files of the base that hold a word."""


def lost_names(change: ChangedCode) -> Iterator[NameLoss]:
    """Everything of the kind that a change brings."""
    for path in sorted(change.after):
        if path.endswith(".go"):
            yield from _go_file(path, change)
    left = _MOST_LETTERS
    for path in sorted(change.after):
        if path not in change.before and not path.endswith(_WHOLE):
            continue
        left -= len(change.after[path])
        if left > 0:
            yield from _lost_locals(path, change)
    for path, asked in each_asked(change.before, change.after, _rest(change)):
        message = f"`{asked.name}` is asked for, and {asked.of} has no such name"
        yield NameLoss(path, asked.line, "undefined-name", message)
    yield from _go_gone(change)
    yield from _exports_gone(change)
    yield from _rust_gone(change)
    for path, line, message in lost_settings(*change):
        yield NameLoss(path, line, "undefined-name", message)
    for look in (gone_types, gone_functions, gone_statics):
        yield from _losses(look(*change), change)


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
    for look in (own_losses, scope_losses, lost_members, lost_duties, unknown_fields):
        for _, line, message in look(language, before, after, around):
            yield NameLoss(path, line, "undefined-name", message)
    old, new = change.before.get(path, ""), change.after[path]
    for slip in slipped_names(old, new, after, around.paths) if old else ():
        message = f"`{slip.name}` stands nowhere else here: `{slip.meant}` was meant, it seems"
        yield NameLoss(path, slip.line, "undefined-name", message)
    for call in bad_calls(language, before, after):
        message = f"`{call.name}` is given {call.given} arguments here, and takes {call.wanted}"
        yield NameLoss(path, call.line, "call-does-not-fit", message)
    if language in SCOPED:
        return
    for name, line in unset_locals(before, after) if language == "PHP" else ():
        yield NameLoss(path, line, "undefined-name", f"`{name}` is used, and nothing here sets it")
    for name, line in lost_locals(language, before, after, lambda argument: language == "PHP"):
        if language == "PHP" and may_be_set(name, after, around.held):
            continue
        elsewhere = (
            _has(text, name) and not _has(change.before.get(other, ""), name)
            for other, text in change.after.items()
            if other != path
        )
        inherited = language in _INHERIT and _SUPER.search(change.after[path]) is not None
        if not any(elsewhere) and not (inherited and around.held(name)):
            message = f"`{name}` is used, and its declaration in this function is gone"
            yield NameLoss(path, line, "undefined-name", message)


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

    return Around(path, cache(held), text, cache(paths))


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


# Scripts


def _exports_gone(change: ChangedCode) -> Iterator[NameLoss]:
    """Exports that are gone while another file imports them by a relative path."""
    for path, before in sorted(change.before.items()):
        if not path.endswith(SCRIPTS):
            continue
        after = change.after.get(path)
        if after is not None and _EXPORT_ALL.search(after):
            continue
        for name in sorted(_exports(before) - _exports(after or "")):
            for user in change.users(name)[:_MOST_USERS]:
                text = change.after.get(user) or (
                    "" if user in change.before else change.text(user)
                )
                line = _importing(user, text, name, path, change)
                if line:
                    yield _gone(name, path, user, line, change)
                    break


def _exports(text: str) -> set[str]:
    listed = (
        part.split(" as ")[-1].strip()
        for group in _EXPORT_LIST.findall(text)
        for part in group.split(",")
    )
    return {name for name in (*_EXPORT.findall(text), *listed) if name and name != "default"}


def _importing(user: str, text: str, name: str, path: str, change: ChangedCode) -> int:
    """The line on which a file takes the name from that very path; 0 when it does not."""
    if not user.endswith(SCRIPTS) or user == path:
        return 0
    for found in re.finditer(_IMPORT_LIST, text):
        names = {
            part.split(" as ")[0].removeprefix("type ").strip() for part in found[1].split(",")
        }
        if name in names and _leads_to(user, found[2], path):
            return text[: found.start()].count("\n") + 1
    return 0


def _leads_to(user: str, written: str, path: str) -> bool:
    if not written.startswith("."):
        return False
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(user), written))
    bare = re.sub(r"\.[cm]?[jt]sx?$", "", path)
    return re.sub(r"\.[cm]?[jt]sx?$", "", wanted) in (bare, bare.removesuffix("/index"))


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
