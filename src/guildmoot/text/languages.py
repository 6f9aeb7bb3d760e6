"""Which language a file is in, by its name and its first line: one table for judges, floors and reports."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from guildmoot.named import NamedTuple
from guildmoot.text.code_signs import has_form_of_code, mode_of
from guildmoot.text.language_names import CODE, DATA, INTERPRETERS, NAMES, PROSE
from guildmoot.text.patterns import lazy

Kind = Literal["code", "data", "prose", "other"]


class Language(NamedTuple):
    """The language of a file."""

    name: str
    """As people write it: ``Go``, ``C++``, ``GitHub workflow``; empty when it is not known."""
    kind: Kind
    """``code`` needs a judge that knows the language; for the others it is enough that they parse."""


UNKNOWN = Language("", "other")

Depth = Literal["checked", "parsed", "scanned"]

# What the judge of languages does with a file: look for defects, or read it by its grammar alone.
_CHECKED = (
    "JavaScript|TypeScript|TSX|Go|Rust|Java|Ruby|PHP|C|C++|Shell|Dockerfile|GitHub workflow|Terraform|SQL"
    "|C#|Kotlin|Swift|Scala|Elixir|Lua|PowerShell"
)
CHECKED = frozenset(_CHECKED.split("|"))
_CODE_PARSED = (
    "JavaScript|TypeScript|TSX|Vue|Svelte|Go|Rust|Java|Ruby|PHP|Elixir|Lua|Terraform|Shell|C|C++|C#|Objective-C|Kotlin|Swift"
    "|Scala|Groovy|Haskell|OCaml|Julia|Zig|PowerShell|SQL|GitHub workflow|Dockerfile|Jupyter notebook"
)
_DATA_PARSED = (
    "CSS|SCSS|Less|HTML|JSON|JSON with comments|JSON lines|YAML|TOML|XML|CMake|Makefile|Go module"
    "|Python settings|ERB|EJS"
)
_PAGES = "ERB|EJS|Jinja|Twig|Liquid|Handlebars|Blade|FreeMarker|Haml|Slim|Pug|Mako|Template|HTML"
PAGES = frozenset(_PAGES.split("|"))
"""Languages of pages: they take no judge of a language, but whether they were read by its grammar is told."""
PARSED = frozenset(f"{_CODE_PARSED}|{_DATA_PARSED}".split("|"))


_FOLLOWED = (
    *("JavaScript", "TypeScript", "TSX", "Go", "Rust", "Java", "Kotlin", "C#", "PHP", "Python"),
    *("Ruby", "Terraform", "GitHub workflow", "Dockerfile"),
)
_HEADERS = (".h", ".hh", ".hpp", ".hxx")


def is_followed(path: str) -> bool:
    """Whether those who name a file are found when it is gone: it is a module that others import by its place."""
    language = language_of(path)
    if path.lower().endswith(_HEADERS):
        return True
    if language.name == "Ruby":  # elsewhere a name alone loads it
        return f"/{path}".rfind("/lib/") >= 0
    return language.kind != "code" or language.name in _FOLLOWED


def depth_of(language: Language) -> Depth:
    """What the silence of the judge of languages is worth for a file of this language."""
    if language.name in CHECKED:
        return "checked"
    return "parsed" if language.name in PARSED else "scanned"


_JSON_WITH_COMMENTS = Language("JSON with comments", "data")

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(CODE, "code"),
    **dict.fromkeys(DATA, "data"),
    **dict.fromkeys(PROSE, "prose"),
    "Ignore list": "data",
    "Go module": "data",
    "Python settings": "data",
}
_BY_ENDING: dict[str, Language] = {
    ending: Language(name, _KINDS[name])
    for table in (PROSE, DATA, CODE)
    for name, endings in table.items()
    for ending in endings.split()
}
_MODES = {
    word: ending
    for ending, words in {
        "cc": "c++ cpp", "js": "js node", "sh": "sh bash zsh shell-script", "pl": "cperl", "py": "python3", "ts": "ts",
        "rb": "rb", "el": "emacs-lisp", "go": "golang", "cs": "csharp",
    }.items()
    for word in words.split()
}  # fmt: skip
_BY_MODE = {
    mode: language for language in _BY_ENDING.values() for mode in (language.name.lower(),)
} | {mode: _BY_ENDING[ending] for mode, ending in _MODES.items()}
_BY_NAME: dict[str, Language] = {
    word: Language(name, _KINDS[name]) for name, words in NAMES.items() for word in words.split()
}

# JSON that its own programs read with comments and trailing commas.
_LOOSE_JSON = lazy(
    r"(?:.*/)?(?:\.vscode/.*\.json|\.devcontainer/.*\.json|\.?devcontainer\.json|\.zed/.*\.json"
    r"|[tj]sconfig[^/]*\.json|[^/]*\btsconfig[^/]*\.json|\.eslintrc(?:\.json)?|\.jshintrc|\.jscsrc|\.swcrc"
    r"|\.jslintrc|deno\.jsonc?|bun\.lock|tslint\.json|api-extractor[^/]*\.json|\.hintrc|\.oxlintrc\.json"
    r"|wrangler\.json|turbo\.json|nx\.json|rush\.json|common/config/rush/.*\.json|pyrightconfig\.json|renovate\.json5?"
    r"|language-configuration\.json|[^/]*\.sublime-(?!syntax)[\w-]+|[^/]*\.code-snippets|[^/]*\.hujson|biome\.jsonc?)"
)
_WORKFLOW = lazy(r"(?:.*/)?\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml")
_DOCKERFILE = lazy(
    r"(?i)(?!.*\.dockerignore$)(?:dockerfile|containerfile)(?:[.-].+)?|.+[.-](?:dockerfile|containerfile)"
)
_HELM = lazy(r"(?:.*/)?templates/.*\.(?:ya?ml|tpl)")

_FILLED_IN = (
    *(".tera", ".hbs", ".handlebars", ".j2", ".jinja", ".jinja2"),
    *(".erb", ".mustache", ".tmpl", ".ejs"),
)
"""Before the last ending, as in `types.tera.rs`: the file becomes what it is called when it is filled in."""

_TEMPLATE = Language("Template", "data")
_TEMPLATES = frozenset(Language(name, "data") for name in PAGES - {"HTML"})
_WORDS = _TEMPLATES | {Language(name, "prose") for name in PROSE}
_FILLED = Language("Template", "code")
_SET_ASIDE = Language("set-aside", "code")
_MODELS = frozenset(("in", "dist", "example", "sample", "template", "orig", "bak"))
_ASIDE = _MODELS | {
    "old",
    "save",
    "saved",
    "backup",
    "disabled",
    "off",
    "new",
    "tmp",
    "copy",
    "default",
    "swp",
}
"""At the end of a name: the file is a model or a copy of what it is called without it."""
_WRITTEN = frozenset(
    ("md", "markdown", "mdx", "rst", "adoc", "asciidoc", "asc", "org", "tex", "log")
)
"""Prose about a file may bear its name."""
_MOST_ZEROS = 0.1
_PHP = lazy(r"\ufeff?\s*<\?(?:php\b|=|hh\b)")
_PROGRAM = lazy(r"\ufeff?[ \t]*#![ \t]*/")

_INTERPRETER = lazy(
    "|".join(f"(?P<i{at}>{words})" for at, words in enumerate(INTERPRETERS.values())),
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def language_of(path: str, first_line: str = "") -> Language:
    """The language of a file; the first line tells it where the name does not, such as ``#!/bin/sh``."""
    low = plain_name(path)
    if low.endswith((".yaml", ".yml", ".tpl")):
        return _yaml(path)
    if _LOOSE_JSON.fullmatch(path):
        return _JSON_WITH_COMMENTS
    known = _BY_NAME.get(low)
    if known is None and "." in low.lstrip("."):
        known = _by_ending(low, first_line)
    if known in _WORDS and _PROGRAM.match(first_line):
        known = None  # whatever it is called, it is run
    if known is None and _DOCKERFILE.fullmatch(low):
        known = Language("Dockerfile", "code")
    return known or _by_shebang(first_line)


def language_in(path: str, text: str) -> Language:
    """The language of a file whose text is there: by its name, its first line, a mode line, or by its form.

    The form tells code of a language that is not known; such a file needs a judge like any other.
    """
    language = language_of(path, text[:200].partition("\n")[0].rstrip("\r"))
    if language != UNKNOWN or not text.strip():
        return language
    if _PHP.match(text):
        return Language("PHP", "code")
    known = _BY_MODE.get(mode_of(text))
    if known:
        return known
    return Language("", "code") if has_form_of_code(text) else UNKNOWN


def without_zeros(data: bytes) -> bytes:
    """A text with blanks for zero bytes, which compilers skip in a comment; empty where these tell of a binary."""
    if b"\0" not in data:
        return data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return b""
    return data.replace(b"\0", b" ") if text.count("\0") <= _MOST_ZEROS * len(text) else b""


def plain_name(path: str) -> str:
    """The name of a file in small letters, without signs that nobody sees, and dots and spaces at its end."""
    name = path.rpartition("/")[2]
    if not (name.isascii() and name.isprintable()):
        from unicodedata import category, normalize  # few names need it

        name = "".join(s for s in normalize("NFKC", name) if category(s) not in ("Cc", "Cf"))
    return name.lower().rstrip(" .") or name


def _yaml(path: str) -> Language:
    if _WORKFLOW.fullmatch(path):
        return Language("GitHub workflow", "code")
    low = path.lower()
    if low.endswith(".tpl") or _HELM.fullmatch(path) or _is_filled_in(low):
        return _TEMPLATE
    return Language("YAML", "data")


def _is_filled_in(low: str) -> bool:
    return low.rpartition(".")[0].endswith(_FILLED_IN)


def _by_ending(low: str, first_line: str) -> Language | None:
    stem, _, ending = low.rpartition(".")
    known = _BY_ENDING.get(ending)
    inner = _BY_ENDING.get(stem.rpartition(".")[2]) if "." in stem else _BY_NAME.get(stem)
    if ending == "dist" and inner and inner.kind == "data":
        return inner  # the default of a setting, as `phpunit.xml.dist`
    if ending in _ASIDE or (known in _WORDS and not ending.isdigit()):
        is_code = inner is not None and inner.kind == "code"
        if is_code and ending not in _WRITTEN:
            return _FILLED if ending in _MODELS or known in _TEMPLATES else _SET_ASIDE
        known = known or (_TEMPLATE if ending in _MODELS else None)
    if (
        known is None
        and ending not in _ASIDE
        and inner
        and inner.kind == "code"
        and "." not in stem
    ):
        return inner if inner.name != "Starlark" else None  # `Jenkinsfile.prod`
    if known is None:
        return None
    if low.endswith(".blade.php"):
        return Language("Blade", "data")
    if _is_filled_in(low):
        return _FILLED  # what it becomes is run
    if ending in ("ts", "t", "1", "m") and first_line.lstrip("\ufeff").startswith("<?xml"):
        return Language("XML", "data")  # Qt keeps its translations in files that end in .ts
    if known.kind == "prose" and ending.isdigit() and not first_line.startswith((".", "'")):
        return None
    return known


def _by_shebang(first_line: str) -> Language:
    """What ``#!/usr/bin/env -S python3 -u`` asks for; a program nobody knows is code all the same."""
    if _PROGRAM.match(first_line):
        first_line = first_line.lstrip("\ufeff \t")
    if not first_line.startswith("#!"):
        return Language("XML", "data") if first_line.startswith("<?xml") else UNKNOWN
    words = [
        word for word in first_line[2:].split() if not word.startswith("-") and "=" not in word
    ]
    programs = [word.rpartition("/")[2] for word in words]
    if programs[:1] == ["env"]:
        del programs[0]
    program = re.sub(r"[\d.]+$", "", programs[0]) if programs else ""
    found = _INTERPRETER.fullmatch(program)
    if found is None or found.lastgroup is None:
        return Language("Script", "code")
    return Language(list(INTERPRETERS)[int(found.lastgroup[1:])], "code")
