"""Where keys come from, and how they are kept out of everything that is written down.

A key is read from the environment, else from the system's keyring when the ``keyring`` package is
installed: ``keyring set guildmoot ANTHROPIC_API_KEY``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module

from guildmoot.system.environment import looks_secret

SERVICE = "guildmoot"
MASK = "[key]"
_SHORTEST = 8
"""A shorter value is no key, and masking it would spoil ordinary words."""


class Key(str):
    """A key that shows itself to nobody who prints what holds it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return MASK


def find_key(variables: Iterable[str], environ: Mapping[str, str] | None = None) -> Key:
    """The first key that is set; empty when there is none."""
    environ = os.environ if environ is None else environ
    variables = tuple(variables)
    for variable in variables:
        if key := environ.get(variable, "").strip():
            return Key(key)
    return Key(_from_keyring(variables))


def secrets(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Every value of the environment that is named like a secret, the longest first."""
    environ = os.environ if environ is None else environ
    held = {value for name, value in environ.items() if looks_secret(name)}
    return tuple(sorted((each for each in held if len(each) >= _SHORTEST), key=len, reverse=True))


def scrubbed(text: str, keys: Iterable[str]) -> str:
    """The text with every key masked."""
    for key in keys:
        if len(key) >= _SHORTEST:
            text = text.replace(key, MASK)
    return text


def _from_keyring(variables: tuple[str, ...]) -> str:
    try:
        keyring = import_module("keyring")
        trouble = import_module("keyring.errors").KeyringError
    except ImportError:
        return ""
    for variable in variables:
        try:
            key = keyring.get_password(SERVICE, variable)
        except trouble:  # no keyring runs here, or it is locked
            return ""
        if key:
            return str(key).strip()
    return ""
