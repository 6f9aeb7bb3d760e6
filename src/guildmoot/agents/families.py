"""Whose judgement it is: seats of one program or one vendor err together, so they count once."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BY_PROGRAM = {
    "anthropic": "anthropic",
    "claude": "anthropic",
    "codex": "openai",
    "openai": "openai",
    "gemini": "google",
}
_BY_MODEL = (
    (re.compile(r"(?:claude|opus|sonnet|haiku)\b", re.IGNORECASE), "anthropic"),
    (re.compile(r"(?:gpt|chatgpt|codex)\b|o\d", re.IGNORECASE), "openai"),
    (re.compile(r"(?:gemini|gemma)\b", re.IGNORECASE), "google"),
)
_PYTHON = re.compile(r"\{python\}|python[\d.]*(?:\.exe)?|py")


def default_family(backend: str, command: Sequence[str], model: str) -> str:
    """The program of a tool; else the vendor of the model, of the program or of the backend."""
    program = program_name(command)
    if backend == "tool":
        return program or backend
    vendor = next((vendor for shape, vendor in _BY_MODEL if shape.match(model)), "")
    word = program if backend == "command" and program else backend
    return vendor or _BY_PROGRAM.get(word, word)


def program_name(command: Sequence[str]) -> str:
    """What a command line runs: ``ruff`` for ``/usr/bin/ruff check`` and for ``python -m ruff``."""
    if not command:
        return ""
    name = re.split(r"[/\\]", command[0])[-1]
    if _PYTHON.fullmatch(name):
        after = list(command[1:])
        module = after[after.index("-m") + 1 :] if "-m" in after else []
        name = module[0].split(".")[0] if module else name.strip("{}")
    return name.removesuffix(".exe")
