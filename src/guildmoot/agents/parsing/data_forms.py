"""JSON and its dialects, YAML, TOML, XML, CMake, modules of Go, settings of Python: read by exact parsers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy


class Fault(NamedTuple):
    """Why a text is not in its language."""

    line: int
    reason: str
    sure: bool = True
    """Whether every reader of the language refuses it."""


_LOOSE = lazy(
    r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL
)
# Read by programs that know no comments.
_STRICT_NAMES = lazy(
    r"(?:.*/)?(?:package|package-lock|composer|bower|manifest|lerna|vercel|firebase|app|angular|\.babelrc"
    r"|appsettings[\w.]*|launchSettings|global|swagger|openapi)\.json"
)


def json_fault(path: str, text: str) -> Fault | None:
    """JSON as the standard has it; where only comments or commas offend, some programs still take it."""
    fault = _json(text)
    if fault is None or not text.strip():
        return None
    if not _STRICT_NAMES.fullmatch(path) and loose_json_fault(path, text) is None:
        return fault._replace(sure=False)
    return fault


def loose_json_fault(path: str, text: str) -> Fault | None:
    """JSON with comments and commas at the end, or JSON5."""
    del path
    if not text.strip():
        return None
    fault = _json(_LOOSE.sub(_keep_lines, text))
    if fault is not None and _is_javascript_value(text):
        return None
    return fault


def json_lines_fault(path: str, text: str) -> Fault | None:
    """One value a line."""
    del path
    for number, line in enumerate(text.split("\n"), 1):
        fault = _json(line) if line.strip() else None
        if fault is not None:
            return fault._replace(line=number)
    return None


def yaml_fault(path: str, text: str) -> Fault | None:
    """Any number of documents, with any tags."""
    del path
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        anchors: set[str] = set()
        for event in yaml.parse(text, loader):  # flat: building the documents up would recurse
            if isinstance(event, yaml.DocumentStartEvent):
                anchors = set()
            elif isinstance(event, yaml.AliasEvent) and event.anchor not in anchors:
                mark = event.start_mark
                return Fault(mark.line + 1 if mark else 0, f"`*{event.anchor}` is not defined")
            elif isinstance(event, yaml.NodeEvent) and event.anchor:
                anchors.add(event.anchor)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        return Fault(mark.line + 1 if mark else 0, str(wrong.problem or wrong.context))
    except yaml.YAMLError as wrong:
        return Fault(0, str(wrong).partition("\n")[0])
    return None


def toml_fault(path: str, text: str) -> Fault | None:
    """TOML 1.1, as Cargo and others read it; Python's own tools, which read ``pyproject.toml``, stop at 1.0."""
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        if path.endswith("pyproject.toml"):
            return _of_toml(wrong, text)
    else:
        return None
    import tomli

    try:
        tomli.loads(text)
    except tomli.TOMLDecodeError as wrong:
        return _of_toml(wrong, text)
    return None


def _of_toml(wrong: ValueError, text: str) -> Fault:
    found = re.search(r"\(at line (\d+)", str(wrong))
    line = int(found[1]) if found else text.count("\n") + 1
    return Fault(line, str(wrong).partition(" (at")[0])


def xml_fault(path: str, text: str) -> Fault | None:
    """Well-formed XML; nothing outside the text is ever read."""
    from xml.parsers import expat  # no handlers: entities are neither fetched nor built up

    del path
    reader = expat.ParserCreate("utf-8")
    try:
        reader.Parse(
            re.sub(r"^\ufeff?(<\?xml[^>]*?)\s+encoding=([\"'])[^\"']*\2", r"\1", text), True
        )
    except expat.ExpatError as wrong:
        return Fault(wrong.lineno, expat.ErrorString(wrong.code))
    return None


def _json(text: str) -> Fault | None:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as wrong:
        return Fault(wrong.lineno, wrong.msg[:1].lower() + wrong.msg[1:])
    except RecursionError:
        return Fault(0, "nested too deep to be read", sure=False)
    except ValueError as wrong:  # a number with thousands of digits
        return Fault(0, str(wrong), sure=False)
    return None


def _keep_lines(found: re.Match[str]) -> str:
    return found[1] or "\n" * found[0].count("\n")


def _is_javascript_value(text: str) -> bool:
    from guildmoot.agents.parsing.grammars import parser

    if not re.match(r"(?:\s|//[^\n]*|/\*.*?\*/)*[\[{]", text, re.DOTALL):
        return False
    tree = parser("JavaScript").parse(f"({text}\n)".encode())
    return not tree.root_node.has_error


def dockerfile_fault(path: str, text: str) -> Fault | None:
    """Instructions that Docker does not know, and a file that does not begin with FROM."""
    del path
    first = True
    for number, line in _instructions(text):
        given, _, rest = line.partition(" ")
        word = given.upper()
        if word not in _INSTRUCTIONS:
            return Fault(number, f"`{given[:40]}` is no instruction of a Dockerfile")
        if first and word not in ("FROM", "ARG"):
            return Fault(number, "the first instruction must be FROM", sure=False)
        if not rest.strip():
            return Fault(number, f"{word} says nothing")
        if word == "RUN" and (left := _UNFINISHED.search(rest)) and "<<" not in rest:
            return Fault(number, f"the command ends in `{left[1]}`")
        first = first and word == "ARG"
    return None


_INSTRUCTIONS = frozenset(
    (
        *(
            "ADD",
            "ARG",
            "CMD",
            "COPY",
            "ENTRYPOINT",
            "ENV",
            "EXPOSE",
            "FROM",
            "HEALTHCHECK",
            "LABEL",
        ),
        *("MAINTAINER", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
    )
)
_UNFINISHED = lazy(r"(&&|\|\|?)\s*$")
_HEREDOC = lazy(r"<<-?\s*([\"']?)(\w+)\1")


def _instructions(text: str) -> Iterator[tuple[int, str]]:
    """Each logical line with its number: continued lines joined, comments and here-documents left out."""
    escape = "`" if re.match(r"(?is)(?:#[^\n]*\n)*#\s*escape\s*=\s*`", text) else "\\"
    whole, begun, until = "", 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if until:
            until = "" if bare == until else until
            continue
        if not bare or bare.startswith("#"):
            continue
        begun = begun or number
        if bare.endswith(escape):
            whole += bare[: -len(escape)] + " "
            continue
        whole += bare
        if whole.strip():
            yield begun, " ".join(whole.split())
        here = _HEREDOC.search(whole) if whole[:4].upper() in ("RUN ", "COPY", "ADD ") else None
        whole, begun, until = "", 0, here[2] if here else ""
    if whole.strip():
        yield begun, " ".join(whole.split())


_CMAKE = lazy(
    r"(?P<skip>\s+|#\[(?P<c>=*)\[.*?(?:\](?P=c)\]|(?P<endless>\Z))|#[^\n]*)"
    r"|(?P<text>\"(?:\\.|[^\"\\])*\"|\[(?P<b>=*)\[.*?\](?P=b)\])"
    r"|(?P<open>\()|(?P<close>\))|(?P<word>(?:\\.|\$\([^()\s]{0,100}\)|[^\s()#\"\\]|(?<=[^\s()])\"[^\"\n]*\")+)|(?P<odd>.)",
    re.DOTALL,
)
_CMAKE_KINDS = ("skip", "text", "open", "close", "word", "odd")
_CMAKE_BLOCKS = ("if", "foreach", "while", "function", "macro", "block")


def cmake_fault(path: str, text: str) -> Fault | None:
    """Commands with their arguments in brackets, and blocks that are closed as they were opened."""
    if re.search(r"\.\w+\.cmake$", path):  # mostly a text that CMake fills in
        return None
    depth, word, blocks = 0, "", [("", 0)]
    line, begun = 1, 0
    for token in _CMAKE.finditer(text):
        kind = next(name for name in _CMAKE_KINDS if token[name] is not None)
        line, begun = line + text.count("\n", begun, token.start()), token.start()
        if token["endless"] is not None:
            return Fault(line, "a comment is never closed")
        if kind == "skip":
            continue
        if kind == "odd":
            return Fault(line, f"`{token[0]}` begins a text that never ends")
        if kind == "open":
            if not (depth or word):
                return Fault(line, "`(` stands after no command")
            depth += 1
            word = word if depth > 1 else _cmake_block(word.lower(), line, blocks)
            if word.startswith("`"):
                return Fault(line, word)
        elif kind == "close":
            if not depth:
                return Fault(line, "`)` closes nothing")
            depth -= 1
            word = "" if not depth else word
        elif not depth:
            if word or kind != "word":
                return Fault(line, f"`{token[0][:40]}` is no command")
            word = token[0]
    last = len(text.rstrip().splitlines()) or 1
    if depth or word:
        return Fault(last, "`(` is never closed" if depth else f"`{word[:40]}` is no command")
    if blocks[1:]:
        return Fault(blocks[-1][1], f"`{blocks[-1][0]}` is never closed")
    return None


def _cmake_block(word: str, line: int, blocks: list[tuple[str, int]]) -> str:
    """Opens or closes a block; what is wrong with that, or the command."""
    if word in _CMAKE_BLOCKS:
        blocks.append((word, line))
    elif word.removeprefix("end") in _CMAKE_BLOCKS and word.startswith("end"):
        opened = blocks[-1][0]
        if opened != word.removeprefix("end"):
            return f"`{word}` closes no `{word.removeprefix('end')}`"
        blocks.pop()
    elif word in ("else", "elseif") and blocks[-1][0] != "if":
        return f"`{word}` stands in no `if`"
    return word


def python_settings_fault(path: str, text: str) -> Fault | None:
    """Sections, keys and values as Python's own tools read them; a key twice is theirs to judge."""
    del path
    from configparser import Error, MissingSectionHeaderError, ParsingError, RawConfigParser

    try:
        RawConfigParser(strict=False, allow_no_value=True).read_string(text)
    except MissingSectionHeaderError as wrong:
        return Fault(wrong.lineno, "it begins with no section")
    except ParsingError as wrong:
        line, said = wrong.errors[0] if wrong.errors else (0, "")
        return Fault(line, f"neither a section nor a key: {said[:60]}")
    except Error as wrong:
        return Fault(0, str(wrong).partition("\n")[0])
    for number, row in enumerate(text.split("\n"), 1):
        if row.startswith("[") and "]" not in row:
            return Fault(number, "`[` is never closed")
    return None


_GO_BLOCKS = {
    "require": lazy(r"\S+ v\S+"),
    "exclude": lazy(r"\S+ v\S+"),
    "replace": lazy(r"\S+(?: v\S+)? => \S+(?: v\S+)?"),
    "retract": lazy(r"v\S+|\[ ?v\S+ ?, ?v\S+ ?\]"),
    **dict.fromkeys(("use", "tool", "ignore"), lazy(r"\S+")),
    "godebug": lazy(r"\w+=\S+"),
}
_GO_LINES = _GO_BLOCKS | {
    **dict.fromkeys(("module", "toolchain"), lazy(r"\S+")),
    "go": lazy(r"1(?:\.\d+){1,2}(?:rc\d+|beta\d+)?"),
}
_GO_SUM = lazy(r"\S+ v\S+ h1:\S+")


def go_module_fault(path: str, text: str) -> Fault | None:
    """``go.mod``, ``go.work`` and their sums: directives, one a line or in brackets."""
    if path.endswith(".sum"):
        rows = enumerate(text.split("\n"), 1)
        wrong = next(
            (n for n, row in rows if row.strip() and not _GO_SUM.fullmatch(row.strip())), 0
        )
        return Fault(wrong, "no module, version and hash") if wrong else None
    block, begun = "", 0
    for number, row in enumerate(text.split("\n"), 1):
        line = " ".join(row.partition("//")[0].split())
        word, _, rest = line.partition(" ")
        if not line:
            continue
        if block:
            if line == ")":
                block = ""
            elif not _GO_BLOCKS[block].fullmatch(line):
                return Fault(number, f"`{line[:60]}` is nothing to {block}")
        elif word.removesuffix("(") in _GO_BLOCKS and line.endswith("(") and rest in ("", "("):
            block, begun = word.removesuffix("("), number
        elif word not in _GO_LINES:
            return Fault(number, f"`{word[:40]}` is no directive")
        elif not _GO_LINES[word].fullmatch(rest):
            return Fault(number, f"`{rest[:60]}` is nothing to {word}")
    return Fault(begun, f"the `(` of {block} is never closed") if block else None


FORMS: dict[str, Callable[[str, str], Fault | None]] = {
    "JSON": json_fault,
    "JSON with comments": loose_json_fault,
    "JSON lines": json_lines_fault,
    "Jupyter notebook": json_fault,
    "YAML": yaml_fault,
    "GitHub workflow": yaml_fault,
    "TOML": toml_fault,
    "XML": xml_fault,
    "CMake": cmake_fault,
    "Dockerfile": dockerfile_fault,
    "Go module": go_module_fault,
    "Python settings": python_settings_fault,
}
