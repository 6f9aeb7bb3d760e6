"""What the words of a parsed command come to: quotes, escapes, variables, substitutions.

A word with several possible values (a loop, a branch that may not be taken) gives several alternatives.
"""

from __future__ import annotations

from guildmoot.guard.commands.parsing import text_of
from guildmoot.guard.commands.words import (
    ANY,
    BREAK,
    ONE,
    QUOTED,
    STAR,
    ansi_c,
    bare,
    finish,
    in_double_quotes,
    names,
    plain,
    sequence,
    unquoted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from guildmoot.guard.site import Site

MOST_ALTERNATIVES = 8
_MOST_PARTS = 1_000
_MOST_TEXT = 100_000
"""Characters of a value; a longer one is not followed."""
_NUMBERS = names("? # RANDOM SECONDS LINENO PPID UID EUID SHLVL COLUMNS LINES EPOCHSECONDS")


class State:
    """What the shell knows at one point: variables, functions, aliases, the folder."""

    __slots__ = ("aliases", "cwds", "files", "functions", "stops", "variables")

    def __init__(self, cwds: tuple[str, ...]) -> None:
        self.variables: dict[str, tuple[str, ...]] = {}
        self.functions: dict[str, Node] = {}
        self.aliases: dict[str, str] = {}
        self.files: dict[str, str] = {}
        """Files that this command itself writes, with their text."""
        self.cwds = cwds
        """Where it may be: more than one when a ``cd`` may have failed."""
        self.stops = False
        """``set -e``: nothing goes on after a failure."""

    def copy(self) -> State:
        """For a subshell."""
        made = State(self.cwds)
        made.variables, made.functions = dict(self.variables), dict(self.functions)
        made.aliases, made.files, made.stops = dict(self.aliases), self.files, self.stops
        return made


class Expander:
    """Turns word nodes into words. ``Shell`` says what a substitution prints."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def substitute(self, node: Node, state: State) -> str:
        """What a command substitution prints."""
        raise NotImplementedError

    def give_up(self, part: str) -> None:
        """Too much to be followed: the whole command is not understood."""
        raise NotImplementedError

    def unclear(self, part: str) -> None:
        """It runs something that is not followed."""
        raise NotImplementedError

    def words(self, node: Node, state: State) -> list[list[str]]:
        """The alternatives of one word node, each a list of words."""
        return [finish(raw) for raw in self.alternatives(node, state)]

    def value(self, node: Node | None, state: State) -> tuple[str, ...]:
        """The alternatives of a node as one text, as an assignment takes it."""
        if node is None:
            return ("",)
        if node.type == "array":
            parts = [
                self.alternatives(child, state)[0] for child in node.children if child.is_named
            ]
            return (BREAK.join(parts),)
        return tuple(_value(raw) for raw in self.alternatives(node, state))

    def paths(self, node: Node, state: State) -> tuple[str, ...]:
        """The same as a redirect takes it, which expands wildcards."""
        return tuple(plain(raw) for raw in self.alternatives(node, state))

    def alternatives(self, node: Node, state: State, *, quoted: bool = False) -> list[str]:
        """A word as raw texts with marks."""
        kind = node.type
        if kind in ("word", "number", "extglob_pattern", "regex", "variable_name", "test_operator"):
            text = text_of(node)
            return [text if quoted else self._tilde(bare(text), text, state)]
        if kind == "raw_string":
            return [QUOTED + text_of(node)[1:-1]]
        if kind == "ansi_c_string":
            return [QUOTED + ansi_c(text_of(node)[2:-1])]
        if kind in ("string", "translated_string"):
            return self._string(node, state)
        if kind == "concatenation":
            return self._joined(node, state, quoted=quoted)
        if kind in ("simple_expansion", "expansion"):
            values = self._expansion(node, state)
            for mark in "".join(state.variables.get("IFS", ())).strip() if not quoted else "":
                values = [value.replace(mark, " ") for value in values]
            return [value if quoted else unquoted(value) for value in values]
        if kind in ("command_substitution", "process_substitution"):
            printed = self.substitute(node, state)
            return [printed if quoted else unquoted(printed)]
        if kind == "arithmetic_expansion":
            self._look_into(node, state)
            return ["0"]
        if kind == "brace_expression":
            return [BREAK.join(sequence(text_of(node)[1:-1])) or text_of(node)]
        if kind == "command_name":
            return self.alternatives(node.children[0], state) if node.children else [""]
        if node.children:
            return self._joined(node, state, quoted=quoted)
        return [text_of(node) if quoted else bare(text_of(node))]

    def _tilde(self, marked: str, text: str, state: State) -> str:
        if not text.startswith("~"):
            return marked
        user, slash, rest = marked[1:].partition("/")
        home = {"": self.site.home, "+": state.cwds[0], "-": ANY}.get(user, f"/home/{user}")
        return home + slash + rest

    def _string(self, node: Node, state: State) -> list[str]:
        inner = (
            node
            if node.type == "string"
            else next((c for c in node.children if c.type == "string"), node)
        )
        return [QUOTED + text for text in self.body(inner, state, 1, len(inner.text or b"") - 1)]

    def body(self, node: Node, state: State, start: int, end: int) -> list[str]:
        """Text with expansions inside, as in double quotes; what lies between its nodes is literal."""
        source = node.text or b""
        base = node.start_byte
        texts = [""]
        at = start
        if node.child_count > _MOST_PARTS:
            self.give_up(text_of(node)[:60])
            return [ANY]
        for child in node.children:
            if child.type not in (
                *("simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"),
                "process_substitution",
            ):
                continue
            before = source[at : child.start_byte - base].decode("utf-8", "surrogateescape")
            values = self.alternatives(child, state, quoted=True)
            texts = _product(texts, [in_double_quotes(before) + value for value in values])
            at = child.end_byte - base
        rest = in_double_quotes(source[at:end].decode("utf-8", "surrogateescape"))
        return [text + rest for text in texts]

    def _joined(self, node: Node, state: State, *, quoted: bool) -> list[str]:
        texts = [""]
        at = node.start_byte
        source = node.text or b""
        if b"[" in source and not quoted and not any(mark in source for mark in b"\"'$`("):
            written = text_of(node)  # brackets come in pieces, and mean something together
            return [self._tilde(bare(written), written, state)]
        for child in node.children:
            if child.start_byte > at:
                gap = source[at - node.start_byte : child.start_byte - node.start_byte]
                texts = _product(texts, [bare(gap.decode("utf-8", "surrogateescape"))])
            pieces = self.alternatives(child, state, quoted=quoted)
            if at > node.start_byte and child.type == "word" and text_of(child).startswith("~"):
                pieces = [bare(text_of(child))]
            texts = _product(texts, pieces)
            at = child.end_byte
        return texts

    def _look_into(self, node: Node, state: State) -> None:
        """Substitutions inside arithmetic and subscripts run too."""
        for child in node.children:
            if child.type == "command_substitution":
                self.substitute(child, state)
            elif child.children:
                self._look_into(child, state)

    # variables

    def lookup(self, name: str, state: State) -> tuple[str, ...]:
        """The values that a variable may have here."""
        if name in state.variables:
            return state.variables[name]
        if name in _NUMBERS:
            return ("0",)
        site = self.site
        known = {
            "HOME": site.home, "PWD": state.cwds[0], "IFS": " ", "CLAUDE_PROJECT_DIR": site.project,
            "GITHUB_WORKSPACE": site.project, "TMPDIR": site.temporary[0], "RUNNER_TEMP": site.temporary[0],
            "TMP": site.temporary[0], "TEMP": site.temporary[0], "XDG_CACHE_HOME": f"{site.home}/.cache",
            "XDG_CONFIG_HOME": f"{site.home}/.config", "SHELL": "/bin/bash", "BASH": "/bin/bash",
        }  # fmt: skip
        return (known.get(name, ANY),)

    def _expansion(self, node: Node, state: State) -> list[str]:
        """``$X``, ``${X:-d}``, ``${X%.c}`` and the rest; what is not followed is unknown."""
        written = text_of(node)
        if "`" in written or "@P}" in written:
            self.unclear(written)
        name, operator, operand = "", "", None
        indirect = False
        for child in node.children:
            if child.type in ("variable_name", "special_variable_name") and not name:
                name = text_of(child)
            elif child.type == "subscript" and not name:
                found = child.child_by_field_name("name")
                name = text_of(found) if found else ""
                self._look_into(child, state)
            elif child.type in ("${", "$", "}"):
                continue
            elif not name:
                indirect = indirect or text_of(child) == "!"
                operator = text_of(child)
            elif not operator:
                operator = text_of(child)
            elif operand is None:
                operand = child
            elif child.type == "command_substitution":
                self.substitute(child, state)
            else:
                self._look_into(child, state)
        if operator == "#" and operand is None and text_of(node).startswith("${#"):
            return ["0"]
        values = list(self.lookup(name, state)) if name else [ANY]
        if indirect:
            values = [value for known in values for value in self.lookup(known, state)]
        return (
            self._operated(name, values, operator, operand, state)
            if operator and not indirect
            else values
        )

    def _operated(
        self, name: str, values: list[str], operator: str, operand: Node | None, state: State
    ) -> list[str]:
        other = (
            [_value(raw) for raw in self.alternatives(operand, state)]
            if operand is not None
            else [""]
        )
        if operator in (":-", "-", ":=", "="):
            unknown = name not in state.variables and values == [ANY]
            chosen = (
                other  # nobody set it here: what stands there for that case
                if unknown
                else [v for value in values for v in ([value] if value else other)]
            )
            if operator in (":=", "="):
                state.variables[name] = tuple(chosen)
            return chosen[:MOST_ALTERNATIVES]
        if operator in (":?", "?"):
            return values
        if operator in (":+", "+"):
            return ["", *other]
        if operator in ("%", "%%", "#", "##"):
            return [_stripped(value, other[0], operator) for value in values]
        if operator in ("^", "^^", ",", ",,"):
            return [value.upper() if "^" in operator else value.lower() for value in values]
        return [ANY]


def _value(raw: str) -> str:
    """A raw word as one text: wildcards and braces in an assignment are not expanded yet."""
    return plain(raw).replace(STAR, "*").replace(ONE, "?")


def _stripped(value: str, pattern: str, operator: str) -> str:
    """``${x%.c}``: literal patterns and those with one star; others give something unknown."""
    star = "*" in pattern or "?" in pattern
    if ANY in pattern or pattern.count("*") > 1 or "?" in pattern:
        return ANY
    if not star:
        return value.removesuffix(pattern) if operator[0] == "%" else value.removeprefix(pattern)
    head, _, tail = pattern.partition("*")
    if operator[0] == "%":
        at = value.find(head) if operator == "%%" else value.rfind(head)
        return (value[:at] if at >= 0 else value) if not tail else ANY
    if head:
        return ANY
    at = value.rfind(tail) if operator == "##" else value.find(tail)
    return value[at + len(tail) :] if at >= 0 else value


def _product(heads: list[str], tails: list[str]) -> list[str]:
    if len(heads) * len(tails) > MOST_ALTERNATIVES:
        return [head + ANY for head in heads]
    return [
        head + tail if len(head) + len(tail) < _MOST_TEXT else ANY
        for head in heads
        for tail in tails
    ]
