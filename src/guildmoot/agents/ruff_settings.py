"""What the project says of its Python, as a settings file for ruff: versions, builtins, rules that it waives.

For a change it is what the base says, so that a change cannot switch off its judge; only the least version of
Python may be raised by it, for that is what the work then runs on. Where whole files are judged, the versions and
the builtins count and nothing that leaves a rule out. Files that it excludes are read all the same: a file that
counts as checked was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any

from guildmoot.guard.trust import files_at
from guildmoot.model.packet import Packet, PacketFile
from guildmoot.named import NamedTuple
from guildmoot.text.languages import language_in
from guildmoot.text.patterns import lazy

_PLACES = (".ruff.toml", "ruff.toml", "pyproject.toml", "setup.cfg", "setup.py")
_MOST_FOLDERS = 40
_OLDEST, _NEWEST = 7, 14
_LOWER = lazy(r"(?:>=|~=|===?|\^|~|>)\s*3(?:\.(\d+))?|^\s*3\.(\d+)(?:\.\S*)?\s*$")
_REQUIRES = lazy(r"""python_requires\s*=\s*["']([^"'\n]{1,100})["']""")
_TARGET = lazy(r"py3(\d{1,2})")
# Every version of Python has its own; a guard around them is not seen by whoever looks for undefined names.
_BUILTINS = (
    *("_", "get_ipython", "display", "ExceptionGroup", "BaseExceptionGroup", "EncodingWarning"),
    *("aiter", "anext", "PythonFinalizationError"),
)


class _Project(NamedTuple):
    """What one folder's settings say."""

    version: int = 0
    """The least minor version of Python 3; 0 when it is not told."""
    builtins: tuple[str, ...] = ()
    leaves_out: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Globs, and the rules that do not hold there."""


def is_python(file: PacketFile) -> bool:
    """Whether a file is Python, by its name or by its first line."""
    return language_in(file.path, file.text).name == "Python"


def ruff_settings(packet: Packet) -> str:
    """The settings file."""
    files = [file for file in packet.files if is_python(file)]
    folders = _folders(file.path for file in files)
    found = _projects(files_at(Path(packet.root), packet.base, _places(folders)))
    if packet.base:
        told = {f.path: f.text.encode() for f in packet.files if f.path in {*_places(folders)}}
        found = _raised(found, _projects(told))
    else:
        found = {folder: each._replace(leaves_out=()) for folder, each in found.items()}
    return "\n".join(_lines(found, [file.path for file in files])) + "\n"


def _lines(found: Mapping[str, _Project], paths: Sequence[str]) -> Iterator[str]:
    root = found.get("", _Project())
    other = [path for path in paths if not path.endswith((".py", ".pyi", ".pyw"))]
    include = ["*.py", "*.pyi", "*.pyw", *map(escape, other)]
    builtins = {*_BUILTINS, *(name for each in found.values() for name in each.builtins)}
    yield f'target-version = "py3{root.version or _NEWEST}"'
    yield f"include = {json.dumps(include)}"
    yield f"builtins = {json.dumps(sorted(builtins))}"
    yield "[per-file-target-version]"
    for folder, each in found.items():
        if folder and each.version:
            yield f'{json.dumps(f"{escape(folder)}/**")} = "py3{each.version}"'
    yield "[lint.per-file-ignores]"
    ignored: dict[str, list[str]] = {}
    for folder, each in found.items():
        for glob, rules in each.leaves_out:
            ignored.setdefault(_below(folder, glob), []).extend(rules)
    for glob, codes in ignored.items():
        yield f"{json.dumps(glob)} = {json.dumps(codes)}"


def _below(folder: str, glob: str) -> str:
    """A glob of a folder's settings, as it is written at the root; a bare name holds in any folder."""
    if not folder:
        return glob
    return f"{escape(folder)}/{glob}" if "/" in glob else f"{escape(folder)}/**/{glob}"


def _folders(paths: Iterable[str]) -> list[str]:
    """The folders above the files, the uppermost first."""
    found = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        found.update("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    return sorted(found, key=lambda folder: (folder.count("/") + bool(folder), folder))[
        :_MOST_FOLDERS
    ]


def _places(folders: Sequence[str]) -> list[str]:
    return [f"{folder}/{name}" if folder else name for folder in folders for name in _PLACES]


def _raised(base: dict[str, _Project], now: Mapping[str, _Project]) -> dict[str, _Project]:
    """The base's, with versions that the change raises."""
    return {
        folder: each._replace(version=max(each.version, now.get(folder, each).version))
        for folder, each in base.items()
    }


def _projects(files: Mapping[str, bytes]) -> dict[str, _Project]:
    """By folder; what cannot be read says nothing."""
    by_folder: dict[str, dict[str, str]] = {}
    for path, data in files.items():
        folder, _, name = path.rpartition("/")
        by_folder.setdefault(folder, {})[name] = data.decode("utf-8", "replace")
    return {folder: _project(texts) for folder, texts in sorted(by_folder.items())}


def _project(texts: Mapping[str, str]) -> _Project:
    pyproject = _toml(texts.get("pyproject.toml", ""))
    own = next((_toml(texts[name]) for name in _PLACES[:2] if name in texts), None)
    ruff = _table(pyproject, "tool", "ruff") if own is None else own
    target = _TARGET.fullmatch(str(ruff.get("target-version", "")))
    version = int(target[1]) if target else _least(_requires(pyproject, texts))
    lint = _table(ruff, "lint")
    tables = (ruff, lint)
    out: list[tuple[str, tuple[str, ...]]] = []
    for table in tables:
        for key in ("per-file-ignores", "extend-per-file-ignores"):
            out += [(glob, _strings(rules)) for glob, rules in _table(table, key).items()]
    known = min(max(version, _OLDEST), _NEWEST) if version else 0
    return _Project(known, _strings(ruff.get("builtins")), tuple(out))


def _requires(pyproject: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """The versions that the project says it runs on, wherever it says so."""
    told = _table(pyproject, "project").get("requires-python")
    told = told or _table(pyproject, "tool", "poetry", "dependencies").get("python")
    if not told and "setup.cfg" in texts:
        from configparser import ConfigParser, Error  # few projects still say it there

        parser = ConfigParser(interpolation=None)
        with suppress(Error):
            parser.read_string(texts["setup.cfg"])
            told = parser.get("options", "python_requires", fallback="")
    if not told and (found := _REQUIRES.search(texts.get("setup.py", ""))):
        told = found[1]
    return told if isinstance(told, str) else ""


def _least(specifier: str) -> int:
    """The least minor version that ``>=3.9,<4`` and the like allow; 0 when there is none."""
    bounds = [_LOWER.search(part) for part in re.split(r"[,|]", specifier)]
    minors = [int(found[1] or found[2] or 0) for found in bounds if found]
    return max(max(minors), 1) if minors else 0


def _toml(text: str) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib

    with suppress(tomllib.TOMLDecodeError, RecursionError):
        return tomllib.loads(text)
    return {}


def _table(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        inner = table.get(key)
        table = inner if isinstance(inner, dict) else {}
    return table


def _strings(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
