"""The file behind a scripted agent, read and checked: who says what, when, and how it goes wrong.

    x.json   {"replies": {"<seat or agent>": STEP | [STEP, ...], "*": STEP}}
    x.jsonl  one STEP a line, said by every seat in that order
    others   the text itself, said by every seat

A STEP is the text, or an object with any of the fields of :class:`Step`. A list is answered in
order by each seat for itself; its last step repeats.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from guildmoot.errors import AgentFileError

Malformed = Literal["empty", "truncated", "binary", "garbage", "no-verdict"]


class Step(NamedTuple):
    """One turn of a scripted seat."""

    text: str = ""
    delay: float = 0.0
    """Seconds before it answers."""
    fail: str = ""
    """It fails, for this reason."""
    missing: str = ""
    """It is not there, for this reason."""
    hang: bool = False
    """It never answers."""
    exit_code: int | None = None
    malformed: Malformed | None = None
    """It answers, but not in any form that can be read."""


Script = dict[str, tuple[Step, ...]]
"""Steps by seat or agent name; ``*`` is everybody else."""

_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "delay": (int, float),
    "fail": (str,),
    "missing": (str,),
    "hang": (bool,),
    "exit_code": (int,),
    "malformed": (str,),
}


def load_script(path: str) -> Script:
    """Read a script; a wrong one raises AgentFileError that names the place and the reason."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise AgentFileError(
            f"{path}: the replies cannot be read: {reason}", "`replies` in the agent file names it."
        ) from error
    return parse_script(text, path)


def parse_script(text: str, path: str) -> Script:
    """A script from its text; the ending of ``path`` says which form it has."""
    if path.endswith(".jsonl"):
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        return {"*": _steps([_json(line, f"{path}:{n}") for n, line in lines], path)}
    if not path.endswith(".json"):
        return {"*": (Step(text),)}
    document = _json(text, path)
    replies = document.get("replies") if isinstance(document, dict) else None
    if not isinstance(replies, dict):
        raise AgentFileError(f"{path}: expected an object with `replies`, seat names to replies")
    return {name: _steps(said, f"{path}: {name}") for name, said in replies.items()}


def _json(text: str, where: str) -> object:
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AgentFileError(f"{where}: this is not JSON: {error}") from error
    return document


def _steps(said: object, where: str) -> tuple[Step, ...]:
    if not isinstance(said, list):
        return (_step(said, where),)
    if not said:
        raise AgentFileError(f"{where}: the list of replies is empty")
    return tuple(_step(each, f"{where}: reply {n}") for n, each in enumerate(said, 1))


def _step(said: object, where: str) -> Step:
    if isinstance(said, str):
        return Step(said)
    if not isinstance(said, dict):
        raise AgentFileError(f"{where}: a reply is a text or an object, not {said!r:.60}")
    for field, value in said.items():
        _check(field, value, where)
    return Step(**said)


def _check(field: str, value: object, where: str) -> None:
    if field not in _KINDS:
        from difflib import get_close_matches

        near = get_close_matches(field, _KINDS, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else f"Fields: {', '.join(_KINDS)}."
        raise AgentFileError(f"{where}: a reply has no field `{field}`", hint)
    if not isinstance(value, _KINDS[field]) or isinstance(value, bool) != (field == "hang"):
        kinds = " or ".join(kind.__name__ for kind in _KINDS[field])
        raise AgentFileError(f"{where}: `{field}` must be {kinds}, not {value!r:.60}")
    if field == "delay" and not 0 <= float(str(value)) < float("inf"):
        raise AgentFileError(f"{where}: `delay` must be a number of seconds from 0, not {value!r}")
    if field == "malformed" and value not in get_args(Malformed):
        raise AgentFileError(f"{where}: `malformed` is one of {', '.join(get_args(Malformed))}")
