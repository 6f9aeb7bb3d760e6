"""The grammars: which package knows a language, and how far it is to be believed."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from os.path import exists
from typing import Literal

from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Language, Parser

Trust = Literal["firm", "loose"]


class Grammar(NamedTuple):
    """Where a language's grammar is found."""

    module: str
    function: str = "language"
    trust: Trust = "firm"
    """``loose``: it fails on one real file in a hundred or more, so alone it proves nothing."""


# Measured on some 35,000 files of 60 repositories: docs/measurements.md.
GRAMMARS: dict[str, Grammar] = {
    "JavaScript": Grammar("javascript"),
    "TypeScript": Grammar("typescript", "language_typescript"),
    "TSX": Grammar("typescript", "language_tsx"),
    "Go": Grammar("go"),
    "Rust": Grammar("rust"),
    "Java": Grammar("java"),
    "Ruby": Grammar("ruby"),
    "PHP": Grammar("php", "language_php"),
    "Elixir": Grammar("elixir"),
    "Lua": Grammar("lua"),
    "Terraform": Grammar("hcl"),
    "Shell": Grammar("bash"),
    "C": Grammar("c", trust="loose"),
    "C++": Grammar("cpp", trust="loose"),
    "C#": Grammar("c_sharp", trust="loose"),
    "Objective-C": Grammar("objc", trust="loose"),
    "Kotlin": Grammar("kotlin", trust="loose"),
    "Swift": Grammar("swift", trust="loose"),
    "Scala": Grammar("scala", trust="loose"),
    "Groovy": Grammar("groovy", trust="loose"),
    "Haskell": Grammar("haskell", trust="loose"),
    "OCaml": Grammar("ocaml", "language_ocaml", trust="loose"),
    "Julia": Grammar("julia", trust="loose"),
    "Zig": Grammar("zig", trust="loose"),
    "PowerShell": Grammar("powershell", trust="loose"),
    "SQL": Grammar("sql", trust="loose"),
    "Makefile": Grammar("make", trust="loose"),
    "CSS": Grammar("css", trust="loose"),
    "HTML": Grammar("html", trust="loose"),
}


@lru_cache(maxsize=64)
def language(name: str) -> Language:
    """The loaded grammar; a language costs nothing until a file of it is there."""
    from tree_sitter import Language

    grammar = GRAMMARS[name]
    return Language(getattr(_binding(f"tree_sitter_{grammar.module}"), grammar.function)())


def _binding(package: str) -> object:
    """The package's library alone: what else it imports takes longer than a file does."""
    spec = find_spec(package)
    for folder in spec.submodule_search_locations or () if spec else ():
        for ending in EXTENSION_SUFFIXES:
            place = f"{folder}/_binding{ending}"
            if exists(place):
                own = spec_from_file_location(f"{package}._binding", place)
                if own and own.loader:
                    module = module_from_spec(own)
                    own.loader.exec_module(module)
                    return module
    return import_module(package)


@lru_cache(maxsize=64)
def parser(name: str) -> Parser:
    """A parser of the language, used again for each file."""
    from tree_sitter import Parser

    return Parser(language(name))


def missing_grammar(names: Set[str]) -> str:
    """What to install for these languages, in words; empty where all is there."""
    modules = {f"tree_sitter_{GRAMMARS[name].module}" for name in names & GRAMMARS.keys()}
    wanted = ("tree_sitter", *sorted(modules)) if modules else ()
    lacking = " ".join(each.replace("_", "-") for each in wanted if find_spec(each) is None)
    return f"{lacking.partition(' ')[0]} is not installed: pip install {lacking}" if lacking else ""
