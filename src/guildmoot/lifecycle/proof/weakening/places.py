"""Where a change puts tests and what lies beside them: where no runner looks, or in the place of the code. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from guildmoot.text.patterns import lazy

_NAMED = lazy(
    r"(?:^|/)[^/]*(?:[._-](?:test|spec|tests)\.[^/]*|_(?:test|spec)\.\w+|Tests?\.\w+|IT\.\w+)$"
)
_DATA = (".json", ".yaml", ".yml", ".csv", ".toml", ".xml", ".txt", ".tsv", ".jsonl")
_BARE = ("", "[]", "{}", "null", "---", "[[]]", "[{}]")


def is_emptied(path: str, before: str | None, after: str | None) -> bool:
    """Whether cases that lay beside tests are gone from a file that is still there."""
    if before is None or after is None or not path.endswith(_DATA):
        return False
    return "".join(after.split()) in _BARE and "".join(before.split()) not in _BARE


def is_hidden(
    path: str, gone: Collection[str], tree: Collection[str], commands: Sequence[str]
) -> bool:
    """Whether the runner that found tests which are gone finds none in a new file."""
    folder, _, name = path.rpartition("/")
    said = " ".join(commands)
    if path.endswith(".py"):
        package = (
            not folder
            or f"{folder}/__init__.py" in tree
            or "pytest" in said
            or "unittest" not in said
        )
        beside = any(
            each.rpartition("/")[0] == folder and each.endswith(".py") and each != path
            for each in tree
        )
        return not package and not beside
    if path.endswith(".rs"):
        own = any(each.rpartition("/")[0] == folder.rpartition("/")[0] for each in gone)
        return (
            own
            and folder.rpartition("/")[2] != "tests"
            and name not in ("main.rs", "mod.rs")
            and "src/" not in path
        )
    named = any(
        _NAMED.search(each) for each in gone if each.rpartition(".")[2] == name.rpartition(".")[2]
    )
    return named and not _NAMED.search(path)


def shadowed(path: str, tree: Collection[str]) -> str:
    """The code in whose place a file among tests is imported; empty where there is none."""
    name = path.rpartition("/")[2]
    if not path.endswith(".py") or name in ("__init__.py", "conftest.py", "__main__.py"):
        return ""
    rest = path.partition("/")[2]
    while "/" in rest:
        if rest in tree:
            return rest
        rest = rest.partition("/")[2]
    return ""
