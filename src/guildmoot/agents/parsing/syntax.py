"""Whether a file parses in its language; where it does not, on which line and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.members.c_trees import is_cpp
from guildmoot.agents.pages.code import PAGES, code_of_page
from guildmoot.agents.parsing.balance import imbalance
from guildmoot.agents.parsing.data_forms import FORMS, Fault
from guildmoot.agents.parsing.gaps import is_other_dialect, is_template, other_forms
from guildmoot.agents.parsing.grammars import GRAMMARS, parser
from guildmoot.named import NamedTuple
from guildmoot.text.globs import matches
from guildmoot.text.pairs import is_nonsense, is_uneven
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Where a file may be broken on purpose.
_EXAMPLES = (
    *(
        "test/",
        "tests/",
        "testdata/",
        "fixtures/",
        "fixture/",
        "spec/",
        "specs/",
        "__tests__/",
        "mocks/",
    ),
    *(
        "__fixtures__/",
        "examples/",
        "samples/",
        "templates/",
        "playground/",
        "corpus/",
        "*invalid*",
    ),
    *("*broken*", "*malformed*", "*error*", "*bad*", "*template*", "skeleton/", "snapshots/"),
)
_MOST = 4_000_000
_MOST_AGAIN = 500_000
_MOST_UNREAD = 200
_MOST_BOTH = 1_000_000
_SCRIPT = lazy(rb"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_OTHER_SCRIPT = lazy(
    rb"(?i)\bsrc\s*=|\btype\s*=\s*[\"']?(?!(?:module|(?:text|application)/(?:java|ecma)script)\b)[\w/+.-]"
)
"""Of a script that lies elsewhere, or is none."""
# Where brackets without a partner prove it, whatever macros and dialects do.
_EVEN = ("C", "C++", "Objective-C", "Kotlin", "Swift", "Scala", "SQL", "CSS")
# Words that grammars take for a name or a command where they close nothing.
_CLOSING: dict[str, tuple[tuple[str, ...], tuple[bytes, ...]]] = {
    "Ruby": (("identifier",), (b"end",)),
    "Elixir": (("identifier",), (b"end",)),
    "Shell": (("command_name",), (b"fi", b"done", b"esac", b"}", b"then", b"elif")),
}
_HALF_QUOTED = lazy(rb"""\burl\([ \t]*[^"'\s)][^)"'\s]*(["'])[ \t]*\)""")
_SHOWN = 60


class Parsed(NamedTuple):
    """What the parser made of a file."""

    fault: Fault | None
    tree: Tree | None = None
    """The whole tree, for rules; None where the language has no grammar or the file does not parse."""
    partial: Tree | None = None
    """What a grammar made of a file that it does not take; names in it are compared with those of before."""


@lru_cache(maxsize=96)
def parse(name: str, path: str, data: bytes) -> Parsed:
    """Parse a file of the named language; rules about a change ask for the same one in turn."""
    if len(data) > _MOST:
        return Parsed(None)
    if name in FORMS:
        return Parsed(_of_data(name, path, data))
    if name in ("Vue", "Svelte"):
        return Parsed(_of_component(path, data))
    if path.endswith((".html", ".htm")) and (fault := _of_scripts(path, data)):
        return Parsed(fault)
    if name in ("SCSS", "Less"):
        uneven = imbalance(name, data)
        sure = not is_template(data) and not is_example(path)
        return Parsed(Fault(uneven.line, uneven.reason, sure) if uneven else None)
    if name in PAGES:
        return _of_page(name, path, data)
    if name not in GRAMMARS:
        return Parsed(None)
    if path.endswith(".bats"):  # shell, but for the line that begins a test
        data = re.sub(rb"(?m)^([ \t]*)@test\b.*\{[ \t]*$", rb"\1a_test() {", data)
    tree = _tree(name, data)
    if not tree.root_node.has_error:
        stray = stray_word(name, tree.root_node)
        if stray is None or not (name == "CSS" or is_uneven(name, data.decode("utf-8", "replace"))):
            return Parsed(None, tree)  # what pairs up was misread by the grammar
        line, word = stray
        sure = not is_other_dialect(name, path, data) and not is_example(path)
        return Parsed(Fault(line, f"`{word}` closes nothing", sure))
    if name == "C" and not path.endswith(".c"):  # a header may be of C++
        other = _tree("C++", data)
        if not other.root_node.has_error:
            return Parsed(None, other)
        if is_cpp(data.decode("utf-8", "replace")):
            return parse("C++", path, data)
    return Parsed(_of_code(name, path, data, tree), partial=tree)


def _of_page(name: str, path: str, data: bytes) -> Parsed:
    """What stands between the marks of a page; rules for its language know nothing of pages."""
    return Parsed(parse(PAGES[name], path, code_of_page(name, data)).fault)


@lru_cache(maxsize=96)
def _tree(grammar: str, data: bytes) -> Tree:
    """One reading serves both who looks whether a file parses and who looks for its best form."""
    return parser(grammar).parse(data)


def both_trees(name: str, path: str, before: str, after: str) -> tuple[Node, Node] | None:
    """A file before and after a change; where its grammar never took it whole, in the form it takes best.

    None where it reads no longer: others tell of that.
    """
    if name not in GRAMMARS or len(before) + len(after) > _MOST_BOTH:
        return None
    data = [text.encode("utf-8", "surrogatepass") for text in (before, after)]
    old, new = (parse(name, path, each) for each in data)
    if old.tree and new.tree:
        return old.tree.root_node, new.tree.root_node
    if (
        not (old.tree or old.partial)
        or not (new.tree or new.partial)
        or (old.tree and not is_loose(name))
    ):
        return None
    forms = [((name, data[0]), (name, data[1]))]
    forms += zip(other_forms(name, data[0]), other_forms(name, data[1]), strict=False)
    read = [[_tree(grammar, text).root_node for grammar, text in each] for each in forms]
    best = min(read, key=lambda each: sum(map(_refused, each)))
    return best[0], best[1]


def _refused(root: Node) -> int:
    """How many bytes a grammar did not take."""
    found, nodes = 0, [root]
    while nodes:
        node = nodes.pop()
        found += node.end_byte - node.start_byte if node.is_error else 0
        nodes += [] if node.is_error else [each for each in node.children if each.has_error]
    return found


def is_loose(name: str) -> bool:
    """Whether what a grammar refuses proves nothing."""
    return GRAMMARS[name].trust == "loose"


def is_example(path: str) -> bool:
    """Whether the file may be broken on purpose."""
    return matches(path.lower(), _EXAMPLES)


def _of_data(name: str, path: str, data: bytes) -> Fault | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        if name == "XML":
            return None
        line = data.count(b"\n", 0, wrong.start) + 1
        return Fault(line, "it is not UTF-8", sure=False)
    fault = FORMS[name](path, text)
    if fault is None:
        return None
    # What is missing at the end is missing on the last line.
    fault = fault._replace(line=min(fault.line, max(1, len(text.rstrip().splitlines()))))
    own = {"GitHub workflow": rb"(?!)", "CMake": rb"(?m)^@\w+@"}  # `${` is of their language
    unsure = re.search(own[name], data) if name in own else is_template(data)
    return fault._replace(sure=fault.sure and not unsure and not is_example(path))


def _of_component(path: str, data: bytes) -> Fault | None:
    """The scripts of a Vue or Svelte component, each on its own lines."""
    for script in _SCRIPT.finditer(data):
        is_ts = re.search(rb"lang\s*=\s*[\"']?tsx?", script[1])
        blank = b"\n" * data.count(b"\n", 0, script.start(2))
        found = parse(
            "TSX" if is_ts and b"tsx" in is_ts[0] else "TypeScript", path, blank + script[2]
        )
        if found.fault:
            return found.fault
    return None


def _of_scripts(path: str, data: bytes) -> Fault | None:
    """The scripts of a page that nobody fills in first."""
    if is_template(data):
        return None
    for script in _SCRIPT.finditer(data):
        if not script[2].strip() or _OTHER_SCRIPT.search(script[1]):
            continue
        blank = b"\n" * data.count(b"\n", 0, script.start(2))
        fault = parse("JavaScript", path, blank + script[2]).fault
        if fault:
            return fault
    return None


def _of_code(name: str, path: str, data: bytes, tree: Tree) -> Fault | None:
    for grammar, text in other_forms(name, data) if len(data) <= _MOST_AGAIN else ():
        if not _tree(grammar, text).root_node.has_error:
            return None
    uneven = imbalance(name, data)
    node = first_error(tree.root_node)
    line, reason = node.start_point[0] + 1, _reason(node, data)
    sure = GRAMMARS[name].trust == "firm" and not is_other_dialect(name, path, data)
    sure = sure and _is_proven(name, data, line, reason)
    css_template = name == "CSS" and is_other_dialect(name, path, data)
    sure = sure or (uneven is not None and name in _EVEN and not css_template)
    sure = sure and not is_example(path) and not _is_coloured(data)
    if uneven is not None:
        return Fault(uneven.line, uneven.reason, sure)
    return Fault(line, reason, sure)


def _is_proven(name: str, data: bytes, line: int, reason: str) -> bool:
    """A grammar alone proves nothing: something must lack its partner, or the line must make no sense."""
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    return is_uneven(name, text) or is_nonsense(name, lines[min(line, len(lines)) - 1], reason)


def stray_word(name: str, root: Node) -> tuple[int, str] | None:
    """The line of a word that closes a block and that the grammar took for a name."""
    kinds, words = _CLOSING.get(name, ((), ()))
    if name == "CSS":
        return _open_quote(root)
    nodes = [root] if kinds else []
    while nodes:
        node = nodes.pop()
        text = node.text if node.type in kinds else None
        if text in words and text and not _is_called(node):
            return node.start_point[0] + 1, text.decode()
        nodes += reversed(node.children)
    return None


def _open_quote(root: Node) -> tuple[int, str] | None:
    """A quote inside an address that none begins, as in ``url(x.png")``."""
    found = _HALF_QUOTED.search(root.text or b"")
    if found is None:
        return None
    return found.string.count(b"\n", 0, found.start()) + 1, found[1].decode()


def _is_called(node: Node) -> bool:
    """Whether it is the name of a method or of a key, as in ``range.end``."""
    around = node.parent
    if around is None or node.type == "command_name":
        return False
    return around.type not in (
        "program",
        "source",
        "body_statement",
        "block_body",
        "do_block",
        "then",
    )


def first_error(node: Node) -> Node:
    """The innermost node where the parser gave up first."""
    while not node.is_missing:
        inner = next(
            (child for child in node.children if child.has_error or child.is_missing), None
        )
        if inner is None:
            break
        node = inner
    return node


def unread_lines(name: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Each line where the grammar gave up, and why: in a change those count that it did not have before."""
    if name not in GRAMMARS or len(data) > _MOST_AGAIN:
        return
    nodes, told = [parser(name).parse(data).root_node], set[int]()
    while nodes and len(told) < _MOST_UNREAD:
        node = nodes.pop()
        within = [child for child in node.children if child.has_error or child.is_missing]
        line = node.start_point[0] + 1
        lacks = node.is_missing or (not within and not node.is_error)  # what is hidden
        if (lacks or node.is_error) and line not in told:
            told.add(line)
            yield line, _reason(node, data)
        nodes += reversed(within)


def _reason(node: Node, data: bytes) -> str:
    if node.is_missing:
        return f"`{node.type}` is missing"
    text = data[node.start_byte : node.start_byte + _SHOWN].decode("utf-8", "replace")
    word = text.strip().partition("\n")[0][:40].strip()
    return f"not expected here: `{word}`" if word else "it ends too early"


def _is_coloured(data: bytes) -> bool:
    """Whether it is the print of a terminal under the name of a program."""
    return b"\x1b[" in data[:400]
