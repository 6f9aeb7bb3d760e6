"""What one file's texts before and after a change say of its own names. Pure.

Imports of Rust beside a glob, exports of scripts, functions of shells and locals of Go that nothing uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.plain_names import SCRIPTS, plain_names
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class Around(NamedTuple):
    """Where a file stands."""

    path: str
    held: Callable[[str], list[str]]
    """Other texts of the repository that hold a word, as they are after the change."""
    text: Callable[[str], str]
    """A file as it is after the change."""
    paths: Callable[[str], list[str]]
    """The other files that hold a word after the change."""
    holders: Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
    """The other files of whatever kind, of many words at once."""


Lost = tuple[str, int, str]
"""A name, the line that uses it and what is wrong."""
_GONE = "`{name}` is used, and what declared it here is gone"
_UNKNOWN = "`{name}` is used, and nothing in the repository declares it"


def own_losses(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Everything of the kind that a change brings to one file, each name once."""
    look = _LOOKS.get(language)
    told: set[str] = set()
    for name, line, message in look(before, after, around) if look else ():
        if name not in told:
            told.add(name)
            yield name, line, message.format(name=name)


# Go


def unused_locals(language: str, before: Node, after: Node) -> Iterator[tuple[str, int]]:
    """Locals that are declared and that nothing reads, which Go does not compile; each name once."""
    if language == "Go":
        known = {name for name, _ in _unused(before)}
        yield from {
            name: line for name, line in reversed([*_unused(after)]) if name not in known
        }.items()


def _unused(root: Node) -> Iterator[tuple[str, int]]:
    for function in root.named_children:
        if function.type not in ("function_declaration", "method_declaration"):
            continue
        names = [node for node in walk(function) if node.type == "identifier"]
        set_there = {node.id for node in names if _is_set(node)}
        read = {text_of(node) for node in names if node.id not in set_there} | {"_"}
        for node in names:
            if node.id in set_there and _declares(node) and text_of(node) not in read:
                yield text_of(node), line_of(node)


def _declares(node: Node) -> bool:
    around = node.parent
    if around is not None and around.type == "expression_list":
        around = around.parent
    return around is not None and around.type in ("short_var_declaration", "var_spec")


def _is_set(node: Node) -> bool:
    """Whether a name stands on the left, alone or in a list."""
    side, around = node, node.parent
    if around is not None and around.type == "expression_list":
        side, around = around, around.parent
    if around is None:
        return False
    if around.type == "var_spec":
        return node in around.children_by_field_name("name")
    plain = any(each.type in (":=", "=") for each in around.children)
    kinds = ("short_var_declaration", "assignment_statement")
    return around.type in kinds and plain and around.child_by_field_name("left") == side


# Scripts


def _exports(language: str) -> Callable[[Node, Node, Around], Iterator[Lost]]:
    def look(before: Node, after: Node, around: Around) -> Iterator[Lost]:
        """Names in ``export { a }`` that the file had before."""
        was, now = (_without_exports(language, root) for root in (before, after))
        for clause in _clauses(after):
            for each in (node for node in walk(clause) if node.type == "export_specifier"):
                name = each.child_by_field_name("name")
                if name is not None and text_of(name) in was - now:
                    yield text_of(name), line_of(name), _GONE

    return look


def _clauses(root: Node) -> list[Node]:
    return [
        part
        for each in root.named_children
        if each.type == "export_statement" and each.child_by_field_name("source") is None
        for part in each.named_children
        if part.type == "export_clause"
    ]


def _without_exports(language: str, root: Node) -> set[str]:
    return plain_names(language, root, frozenset(each.id for each in _clauses(root))).declared


# Shells

_PLAIN_FUNCTIONS_WORDS = """
die usage fail error info warn err msg debug cleanup
"""
_PLAIN_FUNCTIONS = frozenset(_PLAIN_FUNCTIONS_WORDS.split())
_SOURCES = lazy(r"(?m)(?:^|[;&|])\s*(?:source|\.|load)\s")
_NAMED = lazy(r"\w[\w-]*[_.:-][\w.:-]*\w")


def _shell_functions(before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Functions that are called and that the file had before, or that are a slip of one which it has."""
    was, now = _shell_own(before), _shell_own(after)
    alone = text_of(after).startswith("#!") and not _SOURCES.search(text_of(after))
    asked = {name for name, _ in _commands(before)}
    for name, line in _commands(after):
        if name in now or not (name in _PLAIN_FUNCTIONS or _NAMED.fullmatch(name)):
            continue
        slip = name not in asked and any(is_near(name, each) for each in now)
        defined = re.compile(
            rf"(?m)(?:^|\s){re.escape(name)}\s*\(\)|\bfunction\s+{re.escape(name)}\b"
        )
        if (name in was or slip) and (alone or not any(map(defined.search, around.held(name)))):
            yield name, line, _GONE if name in was else _UNKNOWN


def _shell_own(root: Node) -> set[str]:
    named = (
        each.child_by_field_name("name")
        for each in walk(root)
        if each.type == "function_definition"
    )
    return {text_of(each) for each in named if each is not None}


def _commands(root: Node) -> Iterator[tuple[str, int]]:
    for node in walk(root):
        if node.type == "command_name":
            yield text_of(node), line_of(node)


# Ruby


def _ruby_constants(before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Constants that the file set before and only reads now, while no other file has one of that name."""
    now = _ruby_set(after)
    for name in sorted(_ruby_set(before) - now):
        made = re.compile(
            rf"\b{name}\s*(?:\|\|)?=[^=>~]|\b(?:class|module)\s+(?:\w+::)*{name}\b|(?<!:):{name}\b"
        )
        if any(map(made.search, (text_of(after), *around.held(name)))):
            continue
        for node in walk(after):
            if node.type == "constant" and text_of(node) == name and not _is_of_other(node):
                yield name, line_of(node), _GONE


def _ruby_set(root: Node) -> set[str]:
    left = (node.child_by_field_name("left") for node in walk(root) if node.type == "assignment")
    return {text_of(each) for each in left if each is not None and each.type == "constant"}


def _is_of_other(node: Node) -> bool:
    """Whether it is asked of a module by name."""
    around = node.parent
    if around is None or around.type != "scope_resolution":
        return False
    return (
        around.child_by_field_name("scope") is not None
        and around.child_by_field_name("name") == node
    )


# Rust

_USE = lazy(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")
_ASIDE = lazy(r"(?s)/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"")
_STD = ("std", "core", "alloc")
_STD_GIVEN_WORDS = """
size_of align_of size_of_val align_of_val BufRead Read Seek Write vec format matches write writeln
"""
_STD_GIVEN = frozenset(_STD_GIVEN_WORDS.split())


def _rust_uses(before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Names that an import gave before and nothing gives now, although a glob is there."""
    then, now = text_of(before), text_of(after)
    was, kept = _imports(then), _imports(now)
    globs = {path for path, name in kept if name == "*"}
    if "macro_use" in now or not globs <= {path for path, name in was if name == "*"}:
        return
    declared = plain_names("Rust", after).declared
    outside = _ASIDE.sub(" ", _USE.sub(" ", now))
    for path, name in sorted(was - kept):
        root = path.partition("::")[0]
        if root in ("crate", "self", "super") or name in {each for _, each in kept}:
            continue
        if name in KNOWN["Rust"] and not (
            root == "alloc" and ("no_std" in now or around.held("no_std"))
        ):
            continue  # everybody has it, unless the crate does without the standard library
        if name in _STD_GIVEN or len(name) < 3 or path in globs or not name.isidentifier():
            continue
        if not all(_gives_little(glob, declared) for glob in globs):
            continue
        more = "" if name[0].isupper() else r"\s*(?:!|\(|::)"
        used = re.search(rf"(?<![\w:.'])(?<!fn ){name}\b{more}", outside)
        if used is None or _is_made(name, [outside, *around.held(name)]):
            continue
        hit = re.search(rf"(?<![\w:.'])(?<!fn ){name}\b{more}", _blank(now))
        if hit and not re.search(rf"#\[cfg[^\n]*\]\s*\n\s*use[^;]*\b{name}\b", then):
            yield name, now[: hit.start()].count("\n") + line_of(after), _GONE


def _blank(text: str) -> str:
    """The text without imports, comments and strings, line by line as it was."""
    empty = lambda found: re.sub(r"[^\n]", " ", found[0])  # noqa: E731
    return _ASIDE.sub(empty, _USE.sub(empty, text))


def _gives_little(glob: str, declared: set[str]) -> bool:
    """Whether a glob is of the standard library or of this repository, whose files can be asked."""
    root = glob.partition("::")[0]
    return root in _STD or root in ("crate", "self") or root in declared or glob == "super"


def _is_made(name: str, texts: list[str]) -> bool:
    """Whether the repository has something of that name that a glob may bring."""
    words = "struct|enum|trait|type|fn|mod|const|static|union|macro_rules!|as|macro"
    made = re.compile(
        rf"\b(?:{words})\s+{name}\b|\bpub(?:\([^)]*\))?\s+use\s[^;]*\b{name}\b|^\s*{name}\s*[,({{=]|macro_use",
        re.MULTILINE,
    )
    return any(map(made.search, texts))


def _imports(text: str) -> set[tuple[str, str]]:
    """Each path of the imports with its last name; of a renamed one the new name."""
    found: set[tuple[str, str]] = set()
    for written in _USE.findall(text):
        found |= _leaves("", re.sub(r"\s+", " ", written))
    return found


def _leaves(path: str, text: str) -> set[tuple[str, str]]:
    head, brace, rest = text.partition("{")
    if not brace:
        whole, _, alias = text.strip().partition(" as ")
        path, _, name = f"{path}{whole}".rpartition("::")
        return (
            {(path, alias.strip() or name)}
            if name != "self"
            else {(path.rpartition("::")[0], path.rpartition("::")[2])}
        )
    found: set[tuple[str, str]] = set()
    depth, part = 0, ""
    for letter in rest.rpartition("}")[0] + ",":
        if letter == "," and not depth:
            found |= _leaves(path + head.strip(), part.strip()) if part.strip() else set()
            part = ""
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        part += letter
    return found


_LOOKS: dict[str, Callable[[Node, Node, Around], Iterator[Lost]]] = {
    "Shell": _shell_functions,
    "Ruby": _ruby_constants,
    "Rust": _rust_uses,
    **{language: _exports(language) for language in SCRIPTS},
}
