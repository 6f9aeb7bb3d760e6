"""Redirects and here-documents: what flows into a program and out of it, and words that stand behind them."""

from __future__ import annotations

from guildmoot.guard.commands.parsing import text_of
from guildmoot.guard.commands.starts import Io, Starter
from guildmoot.guard.commands.words import names
from guildmoot.guard.site import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from guildmoot.guard.commands.expand import State

WORDS = names(
    """word string raw_string ansi_c_string translated_string concatenation simple_expansion expansion number
    command_substitution process_substitution arithmetic_expansion brace_expression regex extglob_pattern
    test_operator array variable_name special_variable_name"""
)


class Redirector(Starter):
    """Follows redirects. To the parser every word behind ``> FILE`` is one more file; it is the program's."""

    def redirect(self, node: Node, state: State, io: Io, after: list[tuple[str, Node]]) -> None:
        if node.type == "herestring_redirect":
            io.stdin = "".join(self.value(node.children[-1], state)[:1])
        elif node.type == "heredoc_redirect":
            io.stdin = self._heredoc(node, state)
            for child in node.children:
                if child.type == "pipeline":
                    after.append(("|", child))
                elif child.type in ("file_redirect", "herestring_redirect"):
                    self.redirect(child, state, io, after)
                elif child.type in WORDS:
                    io.words = [*io.words, child]
            right = node.child_by_field_name("right")
            if right is not None:
                after.append(("&&", right))
        elif node.type == "file_redirect":
            self.file(node, state, io)

    def file(self, node: Node, state: State, io: Io) -> None:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        targets = node.children_by_field_name("destination")
        io.words = [*io.words, *targets[1:]]
        for target in targets[:1]:
            before = len(self.runs)
            for path in self.paths(target, state):
                if operator in (">&", "<&") and (path.isdigit() or path == "-"):
                    continue
                if operator.startswith("<") and operator != "<>":
                    io.inputs = (*io.inputs, path)
                    io.stdin = state.files.get(absolute(path, state.cwds[0]))
                else:
                    io.outputs = (*io.outputs, path)
                    io.appends = operator == ">>"
            if target.type == "process_substitution":
                io.feeds = (*io.feeds, *self.runs[before:])

    def _heredoc(self, node: Node, state: State) -> str:
        start = next((child for child in node.children if child.type == "heredoc_start"), None)
        body = next((child for child in node.children if child.type == "heredoc_body"), None)
        if body is None:
            return ""
        if start is not None and any(char in text_of(start) for char in "'\"\\"):
            return text_of(body)
        return self.body(body, state, 0, len(body.text or b""))[0]
