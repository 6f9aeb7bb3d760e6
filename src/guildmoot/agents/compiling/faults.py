"""What a compiler refuses in a file that its grammar reads, and what of that a change brings. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from guildmoot.agents.compiling import ends
from guildmoot.agents.compiling.directives import LANGUAGES, broken_directives
from guildmoot.agents.compiling.doubles import doubles, modifiers_twice
from guildmoot.agents.compiling.go import refused_go
from guildmoot.agents.compiling.jumps import stray_jumps
from guildmoot.agents.compiling.php import refused_php
from guildmoot.agents.compiling.scripts import refused_scripts
from guildmoot.agents.parsing.syntax import is_example, parse
from guildmoot.agents.parsing.walk import line_of
from guildmoot.text.languages import language_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    Look = Callable[[str, Node], Iterator[tuple[Node, str]]]

_LOOKS: dict[str, tuple[Look, ...]] = {
    **dict.fromkeys(("JavaScript", "TypeScript", "TSX"), (stray_jumps, doubles, refused_scripts)),
    "PHP": (stray_jumps, doubles, refused_php),
    **dict.fromkeys(("C#", "Java"), (stray_jumps, doubles, modifiers_twice)),
    "Kotlin": (stray_jumps, doubles),
    **dict.fromkeys(("C", "C++"), (stray_jumps, doubles)),
    "Go": (stray_jumps, refused_go),
    "Rust": (stray_jumps,),
}
JUDGED = frozenset((*_LOOKS, *LANGUAGES))
"""The languages of which something is known."""
_UNSURE_WHEN_NEW = ("C", "C++")
"""Languages whose macros may hide the loop that a new file is in."""
_MOST = 400_000


def new_faults(path: str, before: str | None, after: str) -> Iterator[tuple[int, str]]:
    """Each fault with its line; a file that is broken on purpose is none of a change's faults."""
    name = language_in(path, after).name
    if before == after or len(after) > _MOST or (before is None and is_example(path)):
        return
    yield from broken_directives(name, before, after)
    if before and name in ends.COMMENTED:
        yield from ends.open_comments(before, after)
    if before and name in ends.LANGUAGES and not _is_read(name, path, before):
        yield from ends.lost_ends(before, after)
    if name not in _LOOKS or path.endswith(".d.ts"):
        return
    if before is None and name in _UNSURE_WHEN_NEW:
        return
    found = list(_found(name, path, after) or ())
    if not found:
        return
    was = _found(name, path, before) if before else ()
    if was is None:
        return  # nobody knows what it was
    stood = Counter(message for _, message in was)
    rows = set((before or "").split("\n"))
    lines = after.split("\n")
    for line, message in sorted(found, key=lambda each: lines[each[0] - 1] not in rows):
        if stood[message]:
            stood[message] -= 1
        else:
            yield line, message


def _is_read(name: str, path: str, text: str) -> bool:
    tree = parse(name, path, text.encode("utf-8", "surrogatepass")).tree
    return tree is not None and not tree.root_node.has_error


def _found(name: str, path: str, text: str) -> list[tuple[int, str]] | None:
    tree = parse(name, path, text.encode("utf-8", "surrogatepass")).tree
    if tree is None or tree.root_node.has_error:
        return None
    found = (each for look in _LOOKS[name] for each in look(name, tree.root_node))
    return list(dict.fromkeys((line_of(node), message) for node, message in found))
