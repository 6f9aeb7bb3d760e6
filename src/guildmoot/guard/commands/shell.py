"""A command walked through as a shell would run it, without running anything: every program it would start."""

from __future__ import annotations

from guildmoot.guard.commands.expand import MOST_ALTERNATIVES, State
from guildmoot.guard.commands.invocation import Invocation
from guildmoot.guard.commands.outputs import printed_by
from guildmoot.guard.commands.parsing import BEYOND, broken, parse, simple_words, text_of
from guildmoot.guard.commands.redirects import WORDS, Redirector
from guildmoot.guard.commands.starts import Io
from guildmoot.guard.commands.words import ANY, bare, finish, names, unquoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from guildmoot.guard.site import Site

MOST_BYTES = 64 * 1024
MOST_NESTED = 40
MOST_WORK = 1_200
_MOST_CHILDREN = 3_000
_MOST_VALUE = 10_000
"""Characters of a variable that is followed."""
_BODIES = names(
    """program compound_statement do_group subshell if_statement elif_clause else_clause case_statement case_item
    while_statement negated_command ERROR"""
)
_CHOICES = names("if_statement elif_clause else_clause case_item while_statement for_statement")


class Shell(Redirector):
    """Collects ``runs``, and ``problems``: what could not be understood."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self._work = 0
        self._nested = 0
        self.kept: list[tuple[str, str, str, bool]] = []
        """Variables that stay set: name, value, how it is written, and whether programs are given it."""

    # text

    def script(self, text: str, state: State, io: Io | None = None) -> None:
        """Parse a text and walk through it."""
        if ANY in text and text.strip() == ANY:
            self.problems.append(("unknown-command", "$?"))
            return
        if len(text) > MOST_BYTES or self._nested >= MOST_NESTED:
            self.problems.append(("too-large", text[:60]))
            return
        data = text.encode("utf-8", "surrogateescape")
        if data and max(data) >= BEYOND:
            self.problems.append(("not-shell", "a character that no writing has"))
            return
        self._nested += 1
        root = parse(data)
        if root.has_error:
            self.problems.append(("not-shell", broken(root)))
        self.visit(root, state, io or Io())
        self._nested -= 1

    def visit(self, node: Node, state: State, io: Io) -> None:
        """Walk through one statement."""
        self._work += 1
        if node.child_count > _MOST_CHILDREN:
            self._work = MOST_WORK + 1
        if self._work > MOST_WORK:
            if not self.problems or self.problems[-1][0] != "too-large":
                self.problems.append(("too-large", ""))
            return
        kind = node.type
        if kind == "command":
            self._command(node, state, io)
        elif kind == "redirected_statement":
            self._redirected(node, state, io)
        elif kind == "pipeline":
            self._pipeline(node.children, state, io)
        elif kind == "list":
            self._list(node, state, io)
        elif kind in ("variable_assignment", "variable_assignments", "declaration_command"):
            self._assign(node, state)
            self._stays_set(node, state)
            if kind == "declaration_command" and not any("assign" in c.type for c in node.children):
                text = text_of(node)
                self._record(Invocation(text.split(), state.cwds[0], text), text, io)
        elif kind == "for_statement":
            self._for(node, state, io)
        elif kind == "function_definition":
            name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            if name is not None and body is not None:
                state.functions[text_of(name)] = body
                if text_of(name) == "command_not_found_handle":
                    self.visit(body, state.copy(), io)
        elif kind in ("test_command", "c_style_for_statement", "unset_command"):
            self._inside(node, state, io)
        elif kind == "command_substitution":  # of (( )), which is a statement of its own
            self.substitute(node, state)
        elif kind in _BODIES:
            self._body(node, state.copy() if kind == "subshell" else state, io)
        elif node.children and kind != "comment":
            self._inside(node, state, io)

    def _body(self, node: Node, state: State, io: Io) -> None:
        choice = node.type in _CHOICES
        self._conditional += choice
        for child in node.children:
            if child.is_named:
                self.visit(child, state, io)
        self._conditional -= choice

    def _inside(self, node: Node, state: State, io: Io) -> None:
        """Only substitutions and bodies inside are of interest."""
        for child in node.children:
            if child.type == "command_substitution":
                self.substitute(child, state)
            elif child.type in ("do_group", "compound_statement"):
                self.visit(child, state, io)
            elif child.children:
                self._inside(child, state, io)

    def _list(self, node: Node, state: State, io: Io, last: Io | None = None) -> None:
        """``last``: redirects behind the list belong to its last command."""
        parts = [child for child in node.children if child.is_named]
        operators = [child.type for child in node.children if not child.is_named]
        for at, part in enumerate(parts):
            io = last if last is not None and at == len(parts) - 1 else io
            before = state.cwds
            choice = at > 0 and operators[at - 1 : at] == ["||"]
            if choice and text_of(part).startswith(("exit", "return", "{ exit", "{ echo", "die")):
                self.visit(part, state.copy(), io)
                state.cwds = state.cwds[:1]
                continue
            self._conditional += choice
            self.visit(part, state, io)
            self._conditional -= choice
            if state.cwds != before and operators[at : at + 1] == ["&&"]:
                state.cwds = state.cwds[:1]  # what follows runs only where the cd worked

    def _pipeline(self, children: list[Node], state: State, io: Io, last: Io | None = None) -> None:
        """``last``: redirects behind the pipe belong to its last program."""
        stages = [child for child in children if child.is_named]
        flow = io
        for at, stage in enumerate(stages):
            if last is not None and at == len(stages) - 1:
                flow.inputs, flow.outputs, flow.appends = last.inputs, last.outputs, last.appends
                flow.words = last.words
                flow.stdin = last.stdin if last.inputs or last.stdin is not None else flow.stdin
            before = len(self.runs)
            self.visit(stage, state.copy(), flow)
            made = self.runs[before:]
            flow = Io(self._printed(made, state) if len(made) == 1 else None, (*flow.feeds, *made))

    def _printed(self, made: list[Invocation], state: State) -> str | None:
        """What the last program prints, where that is known."""
        text = printed_by(made[-1], self.site, state.cwds[0]) if made else ""
        return None if text is None or ANY in text else text

    def _for(self, node: Node, state: State, io: Io) -> None:
        variable = node.child_by_field_name("variable")
        values: list[str] = []
        for value in node.children_by_field_name("value"):
            for words in self.words(value, state):
                values += words
        body = node.child_by_field_name("body")
        if variable is None or body is None:
            return
        if len(values) > MOST_ALTERNATIVES:
            values = [ANY, *(value for value in values if value.startswith(("/", "~", "-", ".")))][
                :MOST_ALTERNATIVES
            ]
        state.variables[text_of(variable)] = tuple(values) or (ANY,)
        self._conditional += 1
        self.visit(body, state, io)
        self._conditional -= 1

    def _assign(self, node: Node, state: State) -> None:
        if node.type != "variable_assignment":
            for child in node.children:
                if child.type == "variable_assignment":
                    self._assign(child, state)
                elif child.type in WORDS:
                    self.words(child, state)
            return
        name, values, adds = self._assignment(node, state)
        known = state.variables.get(name, ())
        if adds:
            values = tuple(old + new for old in known or ("",) for new in values)
        elif self._conditional:
            values = (*known, *values)
        known_values = (value if len(value) < _MOST_VALUE else ANY for value in values)
        state.variables[name] = tuple(dict.fromkeys(known_values))[:MOST_ALTERNATIVES]

    def _stays_set(self, node: Node, state: State) -> None:
        given = node.type == "declaration_command" and not text_of(node).startswith("local")
        for each in (node,) if node.type == "variable_assignment" else node.children:
            named = each.child_by_field_name("name") if "assign" in each.type else None
            if named is not None:
                name = text_of(named).partition("[")[0]
                value = "".join(state.variables.get(name, ())[-1:])
                self.kept.append((name, value, text_of(node), given))

    def _assignment(self, node: Node, state: State) -> tuple[str, tuple[str, ...], bool]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        values = self.value(value, state)
        if name is not None and name.children:
            self._look_into(name, state)
        adds = any(child.type == "+=" for child in node.children)
        return (text_of(name).partition("[")[0] if name else ""), values, adds

    # redirects

    def _redirected(self, node: Node, state: State, io: Io) -> None:
        inner = Io(io.stdin, io.feeds)
        inner.inputs, inner.outputs, inner.appends = io.inputs, io.outputs, io.appends
        body = node.child_by_field_name("body")
        after: list[tuple[str, Node]] = []
        for redirect in node.children_by_field_name("redirect"):
            self.redirect(redirect, state, inner, after)
        before = len(self.runs)
        if body is not None and body.type == "pipeline":
            self._pipeline(body.children, state, io, inner)
        elif body is not None and body.type == "list":
            self._list(body, state, io, inner)
        elif body is not None:
            inner.words = inner.words if body.type == "command" else []
            self.visit(body, state, inner)
        if len(self.runs) == before and inner.outputs:
            self._record(Invocation([], state.cwds[0], ""), text_of(node), inner)
        made = self.runs[before:]
        for kind, statement in after:
            if kind == "|":
                flow = Io(self._printed(made, state) if len(made) == 1 else None, tuple(made))
                self._pipeline(statement.children, state, flow)
            else:
                self.visit(statement, state, io)

    # commands

    def _command(self, node: Node, state: State, io: Io) -> None:
        choices: list[list[str]] = [[]]
        assigns: list[tuple[str, str]] = []
        inner = Io(io.stdin, io.feeds)
        inner.inputs, inner.outputs, inner.appends = io.inputs, io.outputs, io.appends
        before = len(self.runs)
        span: list[Node] = []
        for child in (*node.children, *io.words):
            if child.type == "variable_assignment" and not span:
                name, values, _ = self._assignment(child, state)
                assigns.append((name, values[0]))
            elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                self.redirect(child, state, inner, [])
            elif child.type == "subshell":  # behind words: no shell, but perhaps another language
                self.problems.append(("not-shell", text_of(node)[:80]))
                self.visit(child, state, io)
            elif child.is_named and child.type != "comment":
                span.append(child)
                found = self.words(child, state)
                if len(span) > 1 and span[-2].end_byte == child.start_byte:
                    choices, found = self._glue(choices, child, state)
                if len(choices) * len(found) > MOST_ALTERNATIVES:
                    found = [[ANY]]
                choices = [[*words, *more] for words in choices for more in found]
        fed = tuple(self.runs[before:])
        text = _written(node, [each for each in span if each not in io.words])
        behind = [text_of(each) for each in io.words]
        text = " ".join((text, *behind))
        for words in choices:
            for cwd in state.cwds[:2]:
                run = Invocation(words, cwd, text)
                run.assigns = tuple(assigns)
                inner_io = Io(inner.stdin, (*inner.feeds, *fed))
                inner_io.inputs, inner_io.outputs = inner.inputs, inner.outputs
                inner_io.appends = inner.appends
                self._record(run, " ".join((text_of(node), *behind)), inner_io)
                self.start(run, state)
                if self.changes(run, state):
                    break

    def _glue(
        self, choices: list[list[str]], child: Node, state: State
    ) -> tuple[list[list[str]], list[list[str]]]:
        """The parser takes ``a$B/`` apart at the dollar where something stands before it: one word again."""
        text = text_of(child)
        end = next(
            (at for at, char in enumerate(text) if not (char.isalnum() or char == "_")), len(text)
        )
        value = self.lookup(text[:end], state)[0] if end else ""
        heads = [words[-1].removesuffix("$") if words else "" for words in choices]
        glued = [finish(head + unquoted(value) + bare(text[end:])) for head in heads]
        return [[*words[:-1], *more] for words, more in zip(choices, glued, strict=True)], [[]]

    def _record(self, run: Invocation, source: str, io: Io) -> None:
        run.source, run.stdin, run.feeds = source, io.stdin, io.feeds
        run.inputs, run.outputs, run.appends = io.inputs, io.outputs, io.appends
        run.via, run.remote = self._via, self._remote
        self.runs.append(run)

    def substitute(self, node: Node, state: State) -> str:
        self._work += 1
        if self._work > MOST_WORK:
            return ANY
        if self._nested >= MOST_NESTED:
            self.problems.append(("too-deep", ""))
            return ANY
        self._nested += 1
        before = len(self.runs)
        inner = state.copy()
        for child in node.children:
            if child.type == "file_redirect":  # $(<FILE) prints the file
                flow = Io()
                self.file(child, inner, flow)
                self._record(
                    Invocation(["cat", *flow.inputs], state.cwds[0], ""), text_of(node), Io()
                )
            elif child.is_named:
                self.visit(child, inner, Io())
        self._nested -= 1
        if node.type == "process_substitution":
            return "/dev/fd/63"
        made = self.runs[before:]
        if len(made) != 1 and not _is_pipe(made):
            return ANY if made else ""
        text = printed_by(made[-1], self.site, state.cwds[0])
        return ANY if text is None else text.rstrip("\n")


def _is_pipe(made: list[Invocation]) -> bool:
    return len(made) == 2 and made[1].feeds[-1:] == (made[0],)


def _written(node: Node, span: list[Node]) -> str:
    if not span:
        return text_of(node)
    source, base = node.text or b"", node.start_byte
    return source[span[0].start_byte - base : span[-1].end_byte - base].decode(
        "utf-8", "surrogateescape"
    )


def understand(text: str, site: Site, cwd: str = "", words: list[str] | None = None) -> Shell:
    """Everything that a command would start, and what of it could not be understood.

    A script has its own folder and words, ``$0`` first.
    """
    shell = Shell(site)
    cwd = cwd or site.cwd
    state = State((cwd,))
    state.variables.update({str(at): (word,) for at, word in enumerate(words or ())})
    shell.written, plain = state.files, simple_words(text)
    if plain is None:
        shell.script(text, state)
    elif plain:
        run = Invocation(plain, cwd, text)
        shell.runs.append(run)
        shell.start(run, state)
    shell.end()
    return shell
