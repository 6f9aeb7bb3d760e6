"""The part of TOML that manifests are written in, so that every reader of them understands it.

One line a value: basic strings, integers, booleans, arrays and inline tables; plain ``[tables]`` and
``[[arrays of tables]]``. What is read here is standard TOML and means the same there; what lies outside the
part is refused with its line. The standard library's reader takes all of TOML, and is slow to start.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_KEY = re.compile(r"[A-Za-z0-9_-]+")
_HEADING = re.compile(r"\[(\[?)[ \t]*([A-Za-z0-9_-]+)[ \t]*(\]?)\][ \t]*(?:#.*)?\Z")
_NUMBER = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)(?![\w.:+-])")
_SPECIAL = re.compile('[\\\\"\x00-\x1f\x7f]')
_ODD_ESCAPE = re.compile(r'\\(?![\\"ntr]|u00[01][0-9a-fA-F]|u007[fF])')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BLANK = " \t"
_DEEPEST = 32


def read(text: str) -> dict[str, Any]:
    """The document's values; RecordError ``toml-invalid`` names the line."""
    root: dict[str, Any] = {}
    table = root
    lists: set[str] = set()
    for number, line in enumerate(_lines(text), 1):
        if not line or line.startswith("#"):
            _check_comment(line, number)
            continue
        try:
            if line.startswith("["):
                table = _open_table(root, lists, line)
            else:
                key, at = _read_key(line, 0)
                value, at = _read_value(line, at, 0)
                _end_of_line(line, at)
                if key in table:
                    raise ValueError(f"{key} is there twice")
                table[key] = value
        except (ValueError, IndexError) as wrong:
            why = str(wrong) if isinstance(wrong, ValueError) else "the value ends too early"
            raise RecordError("toml-invalid", f"line {number}: {_reason(wrong, why)}") from None
    return root


def _lines(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return [line.strip(_BLANK) for line in lines]


def _reason(wrong: Exception, why: str) -> str:
    return "the string does not end" if isinstance(wrong, JSONDecodeError) else why


def _check_comment(line: str, number: int) -> None:
    if (
        line
        and not line.isprintable()
        and _SPECIAL.search(line.replace("\t", "").replace('"', "").replace("\\", ""))
    ):
        raise RecordError("toml-invalid", f"line {number}: a control character")


def _open_table(root: dict[str, Any], lists: set[str], line: str) -> dict[str, Any]:
    found = _HEADING.match(line)
    if not found or bool(found.group(1)) != bool(found.group(3)):
        raise ValueError("expected [name] or [[name]]")
    name = found.group(2)
    table: dict[str, Any] = {}
    if not found.group(1):
        if name in root:
            raise ValueError(f"[{name}] is there twice")
        root[name] = table
    elif name in lists:
        root[name].append(table)
    elif name in root:
        raise ValueError(f"{name} is there already, and not as [[{name}]]")
    else:
        root[name] = [table]
        lists.add(name)
    return table


def _read_key(line: str, at: int) -> tuple[str, int]:
    found = _KEY.match(line, at)
    at = _skip(line, found.end()) if found else at
    if not found or line[at : at + 1] != "=":
        raise ValueError("expected 'key = value'")
    return found.group(), _skip(line, at + 1)


def _read_value(line: str, at: int, depth: int) -> tuple[Any, int]:
    first = line[at]
    if first == '"':
        if line.startswith('""', at) and line[at + 2 : at + 3] == '"':
            raise ValueError("only strings in double quotes on one line are read")
        value, end = scanstring(
            line, at + 1, False
        )  # the seeds' tools wrote raw control characters
        if "\\" in line[at:end] and _ODD_ESCAPE.search(line[at:end].replace("\\\\", "")):
            raise ValueError('only the escapes \\\\ \\" \\n \\t \\r are read')
        return value, end
    if first in "[{":
        if depth > _DEEPEST:
            raise ValueError("the values are nested too deeply")
        return (_read_list if first == "[" else _read_inline)(line, at + 1, depth + 1)
    for word, value in (("true", True), ("false", False)):
        if line.startswith(word, at) and not line[at + len(word) : at + len(word) + 1].isalnum():
            return value, at + len(word)
    found = _NUMBER.match(line, at)
    if found:
        return int(found.group()), found.end()
    raise ValueError(
        "expected a text in double quotes, a whole number, true, false, a list or a table"
    )


def _read_list(line: str, at: int, depth: int) -> tuple[list[Any], int]:
    values: list[Any] = []
    at = _skip(line, at)
    while line[at] != "]":
        value, at = _read_value(line, at, depth)
        values.append(value)
        at = _next(line, at, "]")
    return values, at + 1


def _read_inline(line: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    at = _skip(line, at)
    while line[at] != "}":
        key, at = _read_key(line, at)
        value, at = _read_value(line, at, depth)
        if key in values:
            raise ValueError(f"{key} is there twice")
        values[key] = value
        at = _next(line, at, "}")
    return values, at + 1


def _next(line: str, at: int, end: str) -> int:
    at = _skip(line, at)
    if line[at] == ",":
        return _skip(line, at + 1)
    if line[at] != end:
        raise ValueError(f"expected , or {end}")
    return at


def _skip(line: str, at: int) -> int:
    while at < len(line) and line[at] in _BLANK:
        at += 1
    return at


def _end_of_line(line: str, at: int) -> None:
    at = _skip(line, at)
    if at < len(line) and line[at] != "#":
        raise ValueError("something stands behind the value")


def is_unicode(text: str) -> bool:
    """Whether a text can be written: half a character, as JSON and command lines may bring it, cannot."""
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)


def check_values(value: object, where: str = "") -> None:
    """RecordError ``toml-invalid`` for a value that a manifest cannot hold."""
    _check(value, where, 0)


def _check(value: object, where: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise RecordError("toml-invalid", f"{where} is nested more than {_DEEPEST} deep")
    if isinstance(value, dict):
        for key, held in value.items():
            _key(key)
            _check(held, f"{where}.{key}" if where else str(key), depth + 1)
    elif isinstance(value, list):
        for held in value:
            _check(held, where, depth + 1)
    elif isinstance(value, str):
        if not is_unicode(value):
            raise RecordError(
                "toml-invalid", f"{where or 'a text'} is no Unicode: half a character"
            )
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise RecordError("toml-invalid", f"{where or 'a number'} takes more than 64 bits")
    else:
        kind = "a number with a fraction" if isinstance(value, float) else type(value).__name__
        raise RecordError(
            "toml-invalid",
            f"{where or 'a value'} is {kind}; texts, whole numbers, true, false only",
        )


def write_value(value: object) -> str:
    """One value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + _SPECIAL.sub(_escape, value) + '"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(write_value, value)) + "]"
    if isinstance(value, dict):
        pairs = (f"{_key(key)} = {write_value(held)}" for key, held in value.items())
        inner = ", ".join(pairs)
        return f"{{ {inner} }}" if inner else "{}"
    check_values(value)
    raise AssertionError(value)  # check_values refuses all else


def write_table(values: Mapping[str, object]) -> str:
    """The lines of one table, without its heading."""
    return "".join(f"{_key(key)} = {write_value(held)}\n" for key, held in values.items())


def _key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise RecordError("toml-invalid", f"{key!r} cannot be a key: letters, digits, - and _ only")
    return key


def _escape(found: re.Match[str]) -> str:
    sign = found.group()
    return _ESCAPES.get(sign) or f"\\u{ord(sign):04x}"
