"""Which language a file is in, by its name and its first line: one table for judges, floors and reports."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from guildmoot.named import NamedTuple
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
    "|Python settings"
)
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


_CODE = {
    "Python": "py pyi pyw pyx pxd",
    "JavaScript": "js mjs cjs jsx es6",
    "TypeScript": "ts mts cts",
    "TSX": "tsx",
    "Vue": "vue",
    "Svelte": "svelte",
    "Astro": "astro",
    "CoffeeScript": "coffee",
    "Go": "go",
    "Rust": "rs",
    "Java": "java",
    "Kotlin": "kt kts",
    "Scala": "scala sc sbt",
    "Groovy": "groovy gradle",
    "Clojure": "clj cljs cljc",
    "C": "c h",
    "C++": "cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh ino",
    "C#": "cs csx",
    "F#": "fs fsi fsx",
    "Visual Basic": "vb",
    "Objective-C": "m mm",
    "Swift": "swift",
    "Dart": "dart",
    "Ruby": "rb rake gemspec ru podspec",
    "PHP": "php phtml php5 php7 php8",
    "Perl": "pl pm t",
    "Lua": "lua rockspec",
    "R": "r",
    "Julia": "jl",
    "Haskell": "hs lhs",
    "OCaml": "ml mli",
    "Elixir": "ex exs",
    "Erlang": "erl hrl",
    "Elm": "elm",
    "Zig": "zig zon",
    "Nim": "nim nims",
    "Nix": "nix",
    "Solidity": "sol",
    "Fortran": "f f90 f95 f03 f08 for",
    "Pascal": "pas pp dpr",
    "Assembly": "asm s",
    "Verilog": "v sv svh vh",
    "VHDL": "vhd vhdl",
    "Shell": "sh bash zsh ksh dash bats ebuild",
    "Fish": "fish",
    "PowerShell": "ps1 psm1 psd1",
    "Batch": "bat cmd",
    "SQL": "sql ddl dml pgsql psql mysql",
    "Terraform": "tf tfvars hcl tofu",
    "Dockerfile": "dockerfile containerfile",
    "Starlark": "bzl bazel star",
    "Meson": "",
    "Just": "just",
    "Vim script": "vim",
    "Emacs Lisp": "el",
    "Lisp": "lisp lsp cl",
    "Scheme": "scm ss rkt",
    "Tcl": "tcl",
    "AWK": "awk",
    "GDScript": "gd",
    "Bicep": "bicep",
    "Yacc": "y yy ypp y++",
    "Lex": "l lex",
    "M4": "m4 ac",
    "D": "di",
    "Crystal": "cr",
    "Ada": "adb ads",
    "COBOL": "cob cbl cpy",
    "Gleam": "gleam",
    "Haxe": "hx",
    "Vala": "vala",
    "PureScript": "purs",
    "ReScript": "res resi",
    "Odin": "odin",
    "Raku": "raku rakumod",
    "Mojo": "mojo",
    "Lean": "lean",
    "Vyper": "vy",
    "Cairo": "cairo",
    "Shader": "glsl vert frag comp geom hlsl wgsl metal",
    "QML": "qml",
    "Razor": "cshtml razor",
    "JSP": "jsp jspx",
    "Rego": "rego",
    "CUE": "cue",
    "Jsonnet": "jsonnet libsonnet",
    "Nushell": "nu",
    "Stan": "stan",
    "AppleScript": "applescript",
    "AutoHotkey": "ahk",
    "Protocol Buffers": "proto",
    "GraphQL": "graphql gql graphqls",
    "Thrift": "thrift",
    "Prisma": "prisma",
    "nginx": "nginx nginxconf",
    "Jupyter notebook": "ipynb",
    "GitHub workflow": "",
    "Jenkinsfile": "",
}
_DATA = {
    "JSON": "json webmanifest geojson jsonld har avsc topojson sarif code-workspace",
    "JSON with comments": "jsonc json5 hjson cson",
    "JSON lines": "jsonl ndjson",
    "YAML": "yaml yml sublime-syntax",
    "TOML": "toml",
    "XML": "xml xsd xsl xslt svg plist csproj vbproj fsproj vcxproj props targets resx nuspec"
    " xaml wsdl rss atom xlf kml iml pom",
    "HTML": "html htm xhtml",
    "CSS": "css",
    "SCSS": "scss",
    "Sass": "sass",
    "Less": "less",
    "Makefile": "mk mak make",
    "CMake": "cmake",
    "CSV": "csv tsv psv",
    "INI": "ini cfg conf properties editorconfig desktop service socket timer",
    "Template": "j2 jinja jinja2 tmpl tpl gotmpl erb ejs hbs handlebars mustache liquid njk"
    " twig haml pug slim mako blade",
    "Diff": "diff patch",
    "BibTeX": "bib",
    "gettext": "po pot",
    "Lock file": "lock",
}
_PROSE = {
    "Markdown": "md markdown mdown mkd mdx qmd rmd",
    "reStructuredText": "rst rest",
    "AsciiDoc": "adoc asciidoc asc",
    "Text": "txt text log",
    "TeX": "tex sty cls",
    "Org": "org",
    "Textile": "textile",
    "Man page": "1 2 3 4 5 6 7 8",
}
_JSON_WITH_COMMENTS = Language("JSON with comments", "data")

# Whole names, in small letters.
_NAMES = {
    "Makefile": "makefile gnumakefile bsdmakefile kbuild",
    "CMake": "cmakelists.txt",
    "Meson": "meson.build meson_options.txt meson.options",
    "Just": "justfile",
    "Starlark": "build workspace tiltfile",
    "Jenkinsfile": "jenkinsfile",
    "Ruby": "gemfile rakefile vagrantfile podfile fastfile appfile brewfile guardfile capfile dangerfile berksfile",
    "Shell": ".bashrc .bash_profile .bash_logout .bash_aliases .profile .zshrc .zshenv"
    " .zprofile .envrc pkgbuild apkbuild gradlew",
    "Python": "sconstruct sconscript wscript",
    "JSON": ".babelrc .arcconfig .watchmanconfig composer.lock pipfile.lock flake.lock .prettierrc.json",
    "YAML": ".clang-format .clang-tidy .yamllint cargo-generate.yml pubspec.lock",
    "TOML": "pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock",
    "INI": ".gitconfig .gitmodules .npmrc .editorconfig .condarc",
    "Python settings": "setup.cfg tox.ini .flake8 .coveragerc .pylintrc .pypirc mypy.ini .mypy.ini pytest.ini",
    "nginx": "nginx.conf",
    "Text": "license licence copying authors contributors changelog changes notice readme todo"
    " install news codeowners version"
    " requirements.txt constraints.txt robots.txt",
    "Ignore list": ".gitignore .dockerignore .npmignore .eslintignore .prettierignore"
    " .gitattributes .guildignore .hgignore .helmignore",
    "Go module": "go.mod go.sum go.work go.work.sum",
}
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(_CODE, "code"),
    **dict.fromkeys(_DATA, "data"),
    **dict.fromkeys(_PROSE, "prose"),
    "Ignore list": "data",
    "Go module": "data",
    "Python settings": "data",
}
_BY_ENDING: dict[str, Language] = {
    ending: Language(name, _KINDS[name])
    for table in (_PROSE, _DATA, _CODE)
    for name, endings in table.items()
    for ending in endings.split()
}
_BY_NAME: dict[str, Language] = {
    word: Language(name, _KINDS[name]) for name, words in _NAMES.items() for word in words.split()
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

_WORDS = frozenset((Language("Template", "data"), *(Language(name, "prose") for name in _PROSE)))
_PROGRAM = lazy(r"\ufeff?[ \t]*#![ \t]*/")

_INTERPRETERS = {
    "Python": r"python|pypy|uv",
    "Shell": r"sh|bash|dash|zsh|ksh|ash|bats|busybox|openrc-run",
    "JavaScript": r"node|nodejs|bun",
    "TypeScript": r"deno|ts-node|tsx",
    "Ruby": r"ruby|jruby|rake",
    "Perl": r"perl",
    "PHP": r"php",
    "Lua": r"lua|luajit|texlua",
    "R": r"Rscript|r",
    "Fish": r"fish",
    "AWK": r"awk|gawk|mawk",
    "Makefile": r"make|gmake",
    "Groovy": r"groovy",
    "Elixir": r"elixir",
    "Erlang": r"escript",
    "Haskell": r"runhaskell|runghc|stack",
    "Julia": r"julia",
    "PowerShell": r"pwsh|powershell",
    "Tcl": r"tclsh|wish|expect",
    "Swift": r"swift",
    "Scala": r"scala",
    "Just": r"just",
    "Nix": r"nix-shell|nix",
}
_INTERPRETER = lazy(
    "|".join(f"(?P<i{at}>{words})" for at, words in enumerate(_INTERPRETERS.values())),
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def language_of(path: str, first_line: str = "") -> Language:
    """The language of a file; the first line tells it where the name does not, such as ``#!/bin/sh``."""
    name = path.rpartition("/")[2]
    low = name.lower()
    if low.endswith((".yaml", ".yml", ".tpl")):
        return _yaml(path)
    if _LOOSE_JSON.fullmatch(path):
        return _JSON_WITH_COMMENTS
    known = _BY_NAME.get(low)
    if known is None and "." in low.lstrip("."):
        known = _by_ending(low, first_line)
    if known in _WORDS and _PROGRAM.match(first_line):
        known = None  # whatever it is called, it is run
    if known is None and _DOCKERFILE.fullmatch(name):
        known = Language("Dockerfile", "code")
    return known or _by_shebang(first_line)


def _yaml(path: str) -> Language:
    if _WORKFLOW.fullmatch(path):
        return Language("GitHub workflow", "code")
    low = path.lower()
    if low.endswith(".tpl") or _HELM.fullmatch(path) or _is_filled_in(low):
        return Language("Template", "data")
    return Language("YAML", "data")


def _is_filled_in(low: str) -> bool:
    return low.rpartition(".")[0].endswith(_FILLED_IN)


def _by_ending(low: str, first_line: str) -> Language | None:
    ending = low.rpartition(".")[2]
    known = _BY_ENDING.get(ending)
    if (
        ending == "dist"
    ):  # the default of a setting, as `phpunit.xml.dist`: what it is without the ending
        inner = _BY_ENDING.get(low.removesuffix(".dist").rpartition(".")[2])
        known = inner if inner and inner.kind == "data" else None
    if known is None and ending in ("in", "dist", "example", "sample", "template", "orig", "bak"):
        return Language("Template", "data")
    if known is None:
        return None
    if _is_filled_in(low):
        return Language("Template", "code")  # what it becomes is run
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
    return Language(list(_INTERPRETERS)[int(found.lastgroup[1:])], "code")
