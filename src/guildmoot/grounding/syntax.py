"""Does a text parse as what its name says it is?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePosixPath


def syntax_error(path: str, text: str) -> str:
    """What is wrong with the syntax, or "" when nothing is, or when the kind is not known."""
    check = CHECKS.get(PurePosixPath(path).suffix.lower())
    if check is None:
        return ""
    try:
        return check(text)
    except RecursionError:
        return "it is nested too deeply"


def _python(text: str) -> str:
    import ast

    try:
        ast.parse(text)
    except (SyntaxError, ValueError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return f"{getattr(error, 'msg', None) or error}" + (f" in line {line}" if line else "")
    return ""


def _json(text: str) -> str:
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)
    return ""


def _toml(text: str) -> str:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    return ""


def _yaml(text: str) -> str:
    try:
        import yaml
    except ImportError:  # an optional library: what cannot be checked is not wrong
        return ""
    try:
        for _ in yaml.parse(text):
            pass
    except yaml.YAMLError as error:
        return " ".join(str(error).split())
    return ""


def _xml(text: str) -> str:
    if "<!ENTITY" in text:  # entities may grow without bound when expanded
        return ""
    from xml.etree import ElementTree

    try:
        ElementTree.fromstring(text)  # noqa: S314 - entities were ruled out above
    except (ElementTree.ParseError, ValueError) as error:
        return str(error)
    return ""


CHECKS: dict[str, Callable[[str], str]] = {
    ".py": _python,
    ".pyi": _python,
    ".json": _json,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".xml": _xml,
    ".svg": _xml,
}
