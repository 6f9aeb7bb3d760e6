"""What breaks the syntax of a file in any language, and a comment or a blank line, which do not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from xml.etree import ElementTree

import yaml
from benchmarks.mutations import Mutator, names

_CLOSING = re.compile(r"\s*(?:[)\]}]+[;,]?|end|fi|done|esac)\s*\n")
_SLASHES = ("//", "")
_HASH = ("#", "")
_COMMENTS = {
    **dict.fromkeys(("JavaScript", "TypeScript", "TSX", "Go", "Rust", "Java", "Kotlin"), _SLASHES),
    **dict.fromkeys(("C", "C++", "C#", "Swift", "Scala", "Dart", "SCSS", "Less"), _SLASHES),
    **dict.fromkeys(("Objective-C", "Groovy", "Protocol Buffers", "Solidity", "Zig"), _SLASHES),
    **dict.fromkeys(("Shell", "YAML", "TOML", "Ruby", "Terraform", "Perl", "R"), _HASH),
    **dict.fromkeys(("GitHub workflow", "Dockerfile", "Elixir", "Julia", "Makefile"), _HASH),
    "CSS": ("/*", " */"),
    "XML": ("<!--", " -->"),
    "HTML": ("<!--", " -->"),
    "SQL": ("--", ""),
    "Lua": ("--", ""),
    "PHP": _SLASHES,
}
_NO_SYNTAX = ("Markdown", "Text", "HTML", "Makefile", "INI", "CSV", "Template", "Lock file")


def mutators_of(language: str) -> Mapping[str, Mutator]:
    """By kind, for a language without mutators of its own."""
    found: dict[str, Mutator] = {}
    if language and language not in _NO_SYNTAX:
        found["syntax broken"] = partial(syntax_broken, language)
    if language in _COMMENTS:
        found["comment"] = partial(comment, language)
    return {**found, **names.mutators_of(language)}


def without_closing_line(text: str, rng: Random) -> str | None:
    """A line that only closes something is lost."""
    lines = text.splitlines(keepends=True)
    places = [n for n, line in enumerate(lines) if _CLOSING.fullmatch(line)]
    if not places:
        return None
    at = rng.choice(places)
    return "".join(lines[:at] + lines[at + 1 :])


def without_bracket(text: str, rng: Random) -> str | None:
    """One closing parenthesis is lost, on a line without texts and comments."""
    lines = text.splitlines(keepends=True)
    places = [
        n
        for n, line in enumerate(lines)
        if re.fullmatch(r"[^'\"`/#*(]*\w\([^'\"`/#*()]*\)[^'\"`/#*()]*", line)
    ]
    if not places:
        return None
    at = rng.choice(places)
    return "".join([*lines[:at], "".join(lines[at].rsplit(")", 1)), *lines[at + 1 :]])


def cut_off(text: str, rng: Random) -> str | None:
    """The rest of the file is lost, from within a block on."""
    lines = text.splitlines(keepends=True)
    inner = [n for n, line in enumerate(lines) if n > 2 and re.match(r"\s+\w.*[;,{(]$", line)]
    return "".join(lines[: rng.choice(inner) + 1]) if inner else None


def _without(marks: str) -> Callable[[str, Random], str | None]:
    """One of these is lost somewhere."""

    def lose(text: str, rng: Random) -> str | None:
        places = [found.start() for found in re.finditer(f"[{re.escape(marks)}]", text)]
        if not places:
            return None
        at = rng.choice(places)
        return text[:at] + text[at + 1 :]

    return lose


def _unclosed(text: str, rng: Random) -> str | None:
    """A quoted value without its end."""
    places = [
        found.end() for found in re.finditer(r"[:=] *(?:\"[^\"\n]+\"|'[^'\n]+')(?=\s*\n)", text)
    ]
    if not places:
        return None
    at = rng.choice(places)
    return text[: at - 1] + text[at:]


def _tabbed(text: str, rng: Random) -> str | None:
    """A line of YAML that is indented by a tab."""
    places = [found.start() for found in re.finditer(r"^ +(?=[\w-]+:)", text, re.MULTILINE)]
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + "\t" + text[at:].lstrip(" ")


def _opened(text: str, rng: Random) -> str | None:
    """A value that opens a list and does not end it."""
    places = [found.end() for found in re.finditer(r"^\s*[\w-]+ ?[:=] (?=\w)", text, re.MULTILINE)]
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + "[" + text[at:]


def _misspelt(text: str, rng: Random) -> str | None:
    """An instruction that no Dockerfile knows."""
    places = list(re.finditer(r"^(?:RUN|COPY|ENV|WORKDIR)\b", text, re.MULTILINE))
    if not places:
        return None
    found = rng.choice(places)
    return text[: found.start()] + found[0][:-1] + text[found.end() :]


_KEYWORD = re.compile(
    r"^[ \t]*(?:(?:public|private|static|export) )*(class|func|function|struct|interface|enum) (?=\w+[^\n]*\{$)",
    re.MULTILINE,
)


def _keyword_misspelt(text: str, rng: Random) -> str | None:
    """The word that begins a definition, with two letters swapped."""
    places = [found for found in _KEYWORD.finditer(text) if _outside(text, found.start())]
    if not places:
        return None
    found = rng.choice(places)
    word, at = found[1], rng.randrange(1, len(found[1]) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if swapped == word:
        return None
    return text[: found.start(1)] + swapped + text[found.end(1) :]


def _stray_sign(text: str, rng: Random) -> str | None:
    """A sign that nothing needs, at the beginning of a statement."""
    places = [
        found.end()
        for found in re.finditer(r"^[ \t]+(?=return\b)", text, re.MULTILINE)
        if _outside(text, found.start())
    ]
    if not places:
        return None
    at = rng.choice(places)
    return f"{text[:at]}{rng.choice(('= ', '] [ ', ', '))}{text[at:]}"


def _outside(text: str, at: int) -> bool:
    """Whether the place is in no comment and no long text."""
    ticks = text[:at].count("`") % 2 == 0 and text[:at].count('"""') % 2 == 0
    return ticks and text.rfind("/*", 0, at) <= text.rfind("*/", 0, at)


def _fails(read: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            read(text)
        except (ValueError, yaml.YAMLError, ElementTree.ParseError):
            return True
        return False

    return check


def _run(*command: str) -> Callable[[str], bool]:
    """Whether a program refuses the text; without the program it is taken to be broken."""

    def check(text: str) -> bool:
        if not shutil.which(command[0]):
            return True
        ran = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
        return ran.returncode != 0

    return check


_WAYS: dict[str, tuple[Mutator, ...]] = {
    "JSON": (_without(":"), _without('"'), _without("}]"), cut_off),
    "YAML": (_unclosed, _tabbed, _opened),
    "GitHub workflow": (_unclosed, _tabbed, _opened),
    "TOML": (_unclosed, _opened, _without("=")),
    "XML": (_without("<"), _without("/")),
    "Dockerfile": (_misspelt,),
    "CSS": (without_closing_line,),
    "SCSS": (without_closing_line,),
    "Less": (without_closing_line,),
    "Ruby": (without_closing_line,),
    "SQL": (without_closing_line, without_bracket),
    "Shell": (without_closing_line,),
}
_BRACES = (without_closing_line, without_bracket, cut_off, _keyword_misspelt, _stray_sign)
_BROKEN: dict[str, Callable[[str], bool]] = {
    "JSON": _fails(json.loads),
    "YAML": _fails(lambda text: list(yaml.safe_load_all(text))),
    "GitHub workflow": _fails(lambda text: list(yaml.safe_load_all(text))),
    "TOML": _fails(tomllib.loads),
    "XML": _fails(ElementTree.fromstring),
    "Shell": _run("bash", "-n"),
}


def syntax_broken(language: str, text: str, rng: Random) -> str | None:
    """The file no longer parses; where a reader is at hand, it did before and does not now."""
    broken = _BROKEN.get(language)
    if broken and broken(text):
        return None
    for _ in range(6):
        after = rng.choice(_WAYS.get(language, _BRACES))(text, rng)
        if after and after != text and (broken is None or broken(after)):
            return after
    return None


def comment(language: str, text: str, rng: Random) -> str | None:
    """One comment more, before a line that is not indented."""
    start, end = _COMMENTS[language]
    lines = text.splitlines(keepends=True)
    places = [
        n for n in range(1, len(lines)) if re.match(r"[\w<]", lines[n]) and lines[n - 1] == "\n"
    ]
    if not places:
        return None
    at = rng.choice(places)
    said = f"{start} Kept simple on purpose.{end}\n"
    return "".join([*lines[:at], said, *lines[at:]])
