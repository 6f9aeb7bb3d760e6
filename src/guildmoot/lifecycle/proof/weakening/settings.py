"""Files that say which tests a command runs, and how: what a change does to that part of them. Pure."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Mapping

from guildmoot.text.patterns import lazy

_DECIDES = frozenset((
    "addopts", "testpaths", "python_files", "python_classes", "python_functions", "norecursedirs", "collect_ignore",
    "pythonpath", "usefixtures", "xfail_strict", "confcutdir", "required_plugins",
))  # fmt: skip
"""What of pytest's settings says which tests are run."""
_WHOLE = lazy(
    r"(?:\.?pytest\.(?:ini|toml)|noxfile\.py|(?:jest|vitest|karma|playwright|cypress|wdio|ava|nyc)\.(?:config|conf)\.\w+"
    r"|\.mocharc\.\w+|\.rspec|phpunit\.xml(?:\.dist)?|Rakefile|\.nycrc|CTestTestfile\.cmake|\.taprc)"
)
_MAKE = lazy(r"(?:GNUm|[Mm])akefile|[Jj]ustfile|\.justfile")
_SECTIONS = lazy(r"(?:tool:)?pytest|testenv.*|tox|unittest|nosetests|behave")
_SHADOWS = lazy(
    r"(?:sitecustomize|usercustomize|pytest|unittest|_pytest)(?:\.py|/__init__\.py)|.*\.pth"
)
_SCRIPTS = (".sh", ".bash", ".zsh", ".bat", ".cmd", ".ps1", ".mk")
_CHECKER = lazy(r"(?i)check|verif|test|accept|smoke|bench|lint")
_STEERS = lazy(r"\.?SHELL(?:FLAGS)?|MAKEFLAGS|\.IGNORE|\.DEFAULT_GOAL|include|-include")


def is_setting(path: str) -> bool:
    """Whether a file may say which tests a command runs, going by its name."""
    name = path.rpartition("/")[2]
    known = name in ("pyproject.toml", "package.json", "setup.cfg", "tox.ini", "deno.json")
    return bool(known or _WHOLE.fullmatch(name) or _MAKE.fullmatch(name) or is_shadow(path))


def is_shadow(path: str) -> bool:
    """Whether a file takes the place of a test runner, or is run before everything else."""
    return bool(_SHADOWS.fullmatch(path) or _SHADOWS.fullmatch(path.rpartition("/")[2]))


def changed_setting(path: str, before: str | None, after: str | None) -> str:
    """What a change does to how tests are run, in words; empty where it does nothing."""
    name = path.rpartition("/")[2]
    if is_shadow(path):
        return "" if before == after else "it takes the place of what runs the tests"
    if _WHOLE.fullmatch(name):
        return "" if before == after else "it says how the tests are run"
    had, has = (_parts(name, text) for text in (before, after))
    if had is None or has is None:
        return "it cannot be read any more" if had is not None else ""
    moved = [key for key, value in had.items() if has.get(key) != value]
    moved += [key for key in has if key not in had and _is_new_rule(name, key, had)]
    return f"{', '.join(sorted(moved)[:5])} changed there" if moved else ""


def is_script(path: str) -> bool:
    """Whether a file that a command names is one that checks, and not what it checks."""
    name = path.rpartition("/")[2]
    return name.endswith(_SCRIPTS) or "." not in name or bool(_CHECKER.search(name))


def _is_new_rule(name: str, key: str, had: Mapping[str, object]) -> bool:
    """Whether something that was not there before changes how what was there is run."""
    if name == "package.json":
        place, _, script = key.partition(" ")
        bare = re.sub(r"^(?:pre|post)", "", script)
        return place != "scripts" or (bare != script and f"scripts {bare}" in had)
    if _MAKE.fullmatch(name):
        return bool(_STEERS.fullmatch(key.split(" ")[0]))
    return True


def _parts(name: str, text: str | None) -> dict[str, object] | None:
    """What of a file says how tests are run, by name; None where it cannot be read."""
    if text is None:
        return {}
    try:
        if name == "pyproject.toml":
            return _of_pyproject(tomllib.loads(text))
        if name in ("package.json", "deno.json"):
            return _of_package(json.loads(text))
        if name in ("setup.cfg", "tox.ini"):
            return _of_ini(text)
    except (ValueError, configparser.Error, RecursionError):
        return None
    return _of_makefile(text)


def _of_pyproject(data: Mapping[str, object]) -> dict[str, object]:
    tool = data.get("tool")
    tools = tool if isinstance(tool, dict) else {}
    pytest = tools.get("pytest")
    found = pytest if isinstance(pytest, dict) else {}
    options = found.get("ini_options")
    rows = {**found, **(options if isinstance(options, dict) else {})}
    kept: dict[str, object] = {k: v for k, v in rows.items() if k in _DECIDES}
    return kept | {name: tools[name] for name in ("tox", "nox", "poe", "taskipy") if name in tools}


def _of_package(data: object) -> dict[str, object]:
    if not isinstance(data, dict):
        return {}
    scripts = data.get("scripts") or data.get("tasks")
    rows = scripts.items() if isinstance(scripts, dict) else ()
    kept: dict[str, object] = {f"scripts {key}": value for key, value in rows}
    names = ("jest", "mocha", "ava", "vitest", "tap", "nyc", "karma")
    return kept | {name: data[name] for name in names if name in data}


def _of_ini(text: str) -> dict[str, object]:
    reader = configparser.RawConfigParser(strict=False)
    reader.read_string(text)
    return {
        f"{section} {key}": value
        for section in reader.sections()
        if _SECTIONS.fullmatch(section)
        for key, value in reader[section].items()
        if "pytest" not in section or key in _DECIDES
    }


def _of_makefile(text: str) -> dict[str, object]:
    """Each rule with its recipe, and each variable; a later one of the same name is added to it."""
    found: dict[str, object] = {}
    key = ""
    for line in text.replace("\\\n", " ").splitlines():
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if not line[0].isspace():
            head = re.match(
                r"(-?include|export\s+[\w.]+|[\w.$()/%@ -]+?)\s*(?=[:?+!]?=|::?|\s|$)", line
            )
            key = head[1].strip() if head else bare
        found[key] = f"{found.get(key, '')}\n{bare}"
    return found
