"""The part of TOML that manifests are written in, so that every reader of them understands it.

One line a value: basic strings, integers, booleans, arrays and inline tables; plain ``[tables]`` and
``[[arrays of tables]]``. Reading is the standard library's; what lies outside the part is refused.
"""

from __future__ import annotations

import re

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_LINE = re.compile(
    r"[ \t]*(?:#.*|\[\[?[ \t]*[A-Za-z0-9_-]+[ \t]*\]\]?[ \t]*(?:#.*)?|[A-Za-z0-9_-]+[ \t]*=.*)?\Z"
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SPECIAL = re.compile('[\\\\"\x00-\x1f\x7f]')
_LITERAL = re.compile(r"(?:=|[\[{,])[ \t]*(?:'|\"\"\")")
_NO_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_ODD_ESCAPE = re.compile(r'\\(?![\\"ntr]|u00[01][0-9a-f]|u007f)')
_DEEPEST = 32


def read(text: str) -> dict[str, object]:
    """The document's values; RecordError ``toml-invalid`` names the line."""
    import tomllib

    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        _check_form(text)
        raise _invalid(_line_of(str(wrong)), str(wrong).partition(" (at ")[0].lower()) from None
    except RecursionError:
        raise _invalid(1, "the values are nested too deeply") from None
    _check_form(text)
    return found


def _check_form(text: str) -> None:
    """Refuse what the readers of the seeds cannot read, though it is TOML."""
    for number, line in enumerate(text.split("\n"), 1):
        if not _LINE.match(line):
            raise _invalid(number, "expected 'key = value'")
        bare = _NO_STRINGS.sub('""', line) if "'" in line or '"""' in line else ""
        if _LITERAL.search(bare.partition("#")[0]) or '"""' in bare.partition("#")[0]:
            raise _invalid(number, "only strings in double quotes on one line are read")
        if "\\" in line and _ODD_ESCAPE.search(line.replace("\\\\", "")):
            raise _invalid(number, 'only the escapes \\\\ \\" \\n \\t \\r are read')


def check_values(value: object, where: str = "") -> None:
    """RecordError ``toml-invalid`` for a value that a manifest cannot hold."""
    _check(value, where, 0)


def _check(value: object, where: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise RecordError("toml-invalid", f"{where} is nested more than {_DEEPEST} deep")
    if isinstance(value, dict):
        for key, held in value.items():
            _check(held, f"{where}.{key}" if where else str(key), depth + 1)
    elif isinstance(value, list):
        for held in value:
            _check(held, where, depth + 1)
    elif not isinstance(value, str | int | bool):
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
    if not _KEY.match(key):
        raise RecordError("toml-invalid", f"{key!r} cannot be a key: letters, digits, - and _ only")
    return key


def _escape(found: re.Match[str]) -> str:
    sign = found.group()
    return _ESCAPES.get(sign) or f"\\u{ord(sign):04x}"


def _line_of(message: str) -> int:
    found = re.search(r"at line (\d+)", message)
    return int(found.group(1)) if found else 1


def _invalid(line: int, why: str) -> RecordError:
    return RecordError("toml-invalid", f"line {line}: {why}")
