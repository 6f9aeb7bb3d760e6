"""Settings from environment variables such as ``APP_PORT``; they win over files."""

from __future__ import annotations

from collections.abc import Mapping

PREFIX = "APP_"
TRUE = ("true", "yes", "on")
FALSE = ("false", "no", "off")


def from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """Settings by name, without the prefix and in lower case."""
    return {
        name.removeprefix(PREFIX).lower(): _value(text)
        for name, text in environ.items()
        if name.startswith(PREFIX)
    }


def merge(file: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object]:
    """What holds in the end: the environment over the file."""
    return {**file, **from_environment(environ)}


def _value(text: str) -> object:
    lowered = text.strip().lower()
    if lowered in TRUE:
        return True
    if lowered in FALSE:
        return False
    return int(text) if text.isdecimal() else text
