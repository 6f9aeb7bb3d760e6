"""Where the scope of a call comes from: the environment, the run's folder, an agent's or a team's file."""

from __future__ import annotations

import os

from guildmoot.guard.scopes.rules import Scope, closed, parse_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "GUILD_CAPABILITY_SCOPE"
_MOST_BYTES = 1_000_000


def load_scope(environ: Mapping[str, str], run_folder: str = "", task: str = "") -> Scope | None:
    """The scope of this process; None where nobody set one.

    The environment and the run's ``scope/<task>.json`` both have to allow a call where both are there: the file is
    the backstop for hosts that hand no environment to hooks, and an agent that sets the variable gains nothing.
    """
    found: Scope | None = None
    text = environ.get(VARIABLE)
    if text is not None:
        found = _parsed(text, VARIABLE)
    if run_folder and task:
        kept = _from_run(run_folder, task)
        found = kept if found is None else found.and_also(kept)
    return found


def _parsed(text: str, source: str) -> Scope:
    import json

    try:
        return parse_scope(json.loads(text), source)
    except (ValueError, RecursionError):
        return closed(f"{source} cannot be read: it is no JSON")


def _from_run(run_folder: str, task: str) -> Scope | None:
    name = f"{task}.json"
    if "/" in task or task in (".", "..") or "\0" in task:
        return closed(f"the task id {task!r} is no file name")
    path = os.path.join(run_folder, "scope", name)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return closed(f"{path} cannot be read")
    if len(text) > _MOST_BYTES:
        return closed(f"{path} is too large")
    return scope_record(text, path)


def scope_record(text: str, source: str) -> Scope:
    """``{"capability_scope": ..., "autonomy_contract": ...}``: both have to allow a call."""
    import json

    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return closed(f"{source} cannot be read: it is no JSON")
    if not isinstance(record, dict) or not (
        {"capability_scope", "autonomy_contract"} & record.keys()
    ):
        return parse_scope(record, source)
    return scope_of(record, source) or closed(f"{source} sets no scope")


def scope_of(record: Mapping[str, object], source: str) -> Scope | None:
    """The scope in an agent's front matter, a lane of a team file or a run's record; None where it has none.

    A lane's own scope counts instead of the team's ``defaults.allowed_tools``; the contract counts with either.
    """
    own = record.get("capability_scope")
    defaults = record.get("defaults")
    if own is None and isinstance(defaults, dict):
        own = defaults.get("allowed_tools")
    found = None if own is None else parse_scope(own, source)
    contract = record.get("autonomy_contract")
    if contract is None:
        return found
    if isinstance(contract, dict) and "allowed_tools" in contract:
        contract = contract["allowed_tools"]
    bound = parse_scope(contract, f"{source} (autonomy_contract)")
    return bound if found is None else found.and_also(bound)
