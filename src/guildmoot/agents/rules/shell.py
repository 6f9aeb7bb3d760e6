"""Rules for shell scripts: what loses data, is always true, or runs what somebody else wrote."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import above, field, flat, following, parts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_READERS = (
    "sort",
    "sed",
    "grep",
    "awk",
    "cat",
    "tr",
    "cut",
    "head",
    "tail",
    "uniq",
    "jq",
    "tac",
    "gawk",
    "egrep",
)


def command(node: Node) -> str:
    """The name of the program."""
    return text(field(node, "name"))


def words(node: Node) -> list[Node]:
    """What the program is given."""
    return node.children_by_field_name("argument")


def itself(node: Node) -> Node | None:
    """``sort a > a``: the file is empty before it is read."""
    body, redirect = field(node, "body"), field(node, "redirect")
    if (
        body is None
        or redirect is None
        or redirect.type != "file_redirect"
        or body.type not in ("command", "pipeline")
    ):
        return None
    into = field(redirect, "destination")
    sign = text(redirect)[: (into.start_byte - redirect.start_byte) if into else 0].strip()
    if into is None or sign not in (">", "1>") or text(into) in ("/dev/null", "/dev/stderr"):
        return None
    commands = (
        [body]
        if body.type == "command"
        else [each for each in parts(body) if each.type == "command"]
    )
    for each in commands[:1]:
        if command(each) not in _READERS or "-i" in [text(one) for one in words(each)]:
            continue
        given = [text(one).strip("\"'") for one in words(each)]
        if (
            text(into).strip("\"'")
            in given[
                1 if command(each) in ("sed", "grep", "awk", "jq", "tr", "egrep", "gawk") else 0 :
            ]
        ):
            return node
    return None


def sorted_numbers(node: Node) -> Node | None:
    """``[ $a > 3 ]`` writes a file, ``[[ $a > 10 ]]`` compares letters."""
    if not text(node).startswith("["):
        return None
    for each in parts(node):
        sign = text(field(each, "operator"))
        right = field(each, "right")
        number = right is not None and re.fullmatch(r"-?\d+", text(right))
        if each.type == "binary_expression" and sign in (">", "<") and number:
            return each
    return None


def removed_here(node: Node) -> Node | None:
    """``cd there`` that may fail, and then ``rm -rf *``."""
    after = next(following(node), None)
    if command(node) != "cd" or after is None or after.type != "command" or command(after) != "rm":
        return None
    root = next((each for each in above(node) if each.parent is None), None)
    careful = re.search(r"(?m)^\s*set\s+-\w*e|^#!.*\s-\w*e|set -o errexit", text(root)[:20_000])
    given = [text(each) for each in words(after)]
    wide = any(re.match(r"-\w*r", each) for each in given) and any(
        each in ("*", "./*", ".", "./") for each in given
    )
    return (
        after
        if wide and not careful and node.parent is not None and node.parent.type != "list"
        else None
    )


def arguments_run(node: Node) -> Node | None:
    """``eval`` of what the script was given."""
    if command(node) != "eval":
        return None
    if any(each.type == "function_definition" for each in above(node)):
        return None
    given = "".join(text(each) for each in words(node))
    alone = re.fullmatch(r"\"?\$(?:\{)?[@*](?:\})?\"?", given)
    return (
        node
        if not alone
        and re.search(r"(?<!\\)\$(?:\{)?[1-9@*](?![\w%#:/])", given)
        and "'" not in given
        else None
    )


def command_evaluated(node: Node) -> Node | None:
    """``eval "tar -C $folder ."``: a value with a space or a semicolon becomes words or commands."""
    own = words(node)
    if command(node) != "eval" or len(own) != 1 or own[0].type != "string":
        return None
    said = text(own[0])[1:-1]
    named = re.match(
        r"(?!export|local|readonly|declare|typeset|unset|set\b|echo|alias)[a-z][\w.-]*\s+[^=]*(?<!\\)\$\{?[a-z_A-Z]\w*",
        said,
    )
    return (
        node
        if named
        and not re.search(
            r"(?<!\\)[|<>'\[]|\\\$|printf -v|_cmd|flags|args|opts", said, re.IGNORECASE
        )
        else None
    )


def no_certificate(node: Node) -> Node | None:
    """``curl -k``, ``wget --no-check-certificate``."""
    given = [text(each) for each in words(node)]
    if command(node) == "curl" and any(
        each == "--insecure" or re.fullmatch(r"-[a-zA-Z]*k[a-zA-Z]*", each) for each in given
    ):
        local = re.search(r"localhost|127\.0\.0\.1|\[::1\]", text(node))
        return None if local else node
    return node if command(node) == "wget" and "--no-check-certificate" in given else None


def for_everybody(node: Node) -> Node | None:
    """``chmod 777``."""
    given = [text(each) for each in words(node)]
    if command(node) != "chmod":
        return None
    return (
        node
        if any(re.fullmatch(r"0?777|0?666|a\+rwx|ugo\+rwx|o\+w|a\+w", each) for each in given)
        else None
    )


def deletes_first(node: Node) -> Node | None:
    """``find . -delete -name x``: everything is removed before the name is asked."""
    given = [text(each) for each in words(node)]
    if command(node) != "find" or "-delete" not in given:
        return None
    after = given[given.index("-delete") + 1 :]
    before = given[: given.index("-delete")]
    tests = ("-name", "-iname", "-mtime", "-type", "-newer", "-size", "-path", "-mmin", "-empty")
    late = any(each in tests for each in after) and not any(
        each in ("-o", "-or", ")", "\\)") for each in after
    )
    return node if late and not any(each in tests for each in before) else None


def not_privileged(node: Node) -> Node | None:
    """``sudo echo a > /etc/b``: the file is opened without sudo."""
    body, redirect = field(node, "body"), field(node, "redirect")
    into = text(field(redirect, "destination"))
    if (
        body is None
        or body.type != "command"
        or command(body) != "sudo"
        or redirect is None
        or redirect.type != "file_redirect"
    ):
        return None
    program = text(next(iter(words(body)), None))
    writes = re.match(r"(?:1?>>?)\s*/(?:etc|usr|sys|proc|root|opt|var)/", flat(redirect))
    return node if writes and program in ("echo", "cat", "printf") and into else None


def fetched_and_run(node: Node) -> Node | None:
    """``curl http://... | sh``: whoever sits between runs what he likes."""
    own = [each for each in parts(node) if each.type == "command"]
    if (
        len(own) < 2
        or command(own[0]) not in ("curl", "wget")
        or not re.search(r"(?<!\w)http://", text(own[0]))
    ):
        return None
    last = (
        command(own[-1]) if command(own[-1]) != "sudo" else text(next(iter(words(own[-1])), None))
    )
    local = re.search(r"http://(?:localhost|127\.0\.0\.1)", text(own[0]))
    return node if last in ("sh", "bash", "zsh", "python", "python3") and not local else None


_SHELL = "Shell"
RULES = (
    tree_rule(_SHELL, "emptied-before-read", "(redirected_statement) @x", itself,
              "the file is emptied before it is read; write to another and move it", "ERROR"),
    tree_rule(_SHELL, "compared-as-text", "(test_command) @x", sorted_numbers,
              "`>` compares letters, or writes a file; use -gt and -lt", "ERROR"),
    tree_rule(_SHELL, "removes-elsewhere", "(command) @x", removed_here,
              "when cd fails this removes what is here; write `cd ... || exit`"),
    tree_rule(_SHELL, "eval-of-arguments", "(command) @x", arguments_run,
              "an argument is run as code; call the program with \"$@\""),
    tree_rule(_SHELL, "eval-of-values", "(command) @x", command_evaluated,
              "eval runs what stands in the values as shell code; call the command itself, with quotes"),
    tree_rule(_SHELL, "tls-off", "(command) @x", no_certificate, "certificates are not checked"),
    tree_rule(_SHELL, "open-to-all", "(command) @x", for_everybody,
              "every user of the machine may change it; give fewer rights"),
    tree_rule(_SHELL, "deletes-first", "(command) @x", deletes_first,
              "-delete comes before the tests, so everything is removed; put it last", "ERROR"),
    tree_rule(_SHELL, "not-privileged", "(redirected_statement) @x", not_privileged,
              "the file is opened without sudo; use `| sudo tee`"),
    tree_rule(_SHELL, "piped-to-shell", "(pipeline) @x", fetched_and_run, "what comes over plain HTTP is run; use https"),
)  # fmt: skip
