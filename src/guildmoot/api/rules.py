"""The guard's rules asked directly: what would happen to a command, and a table of such cases."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse as parse_front_matter
from guildmoot.agents.plainyaml import FrontMatterError
from guildmoot.errors import UsageError
from guildmoot.guard.commands.cases import GuardCase, read_cases
from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.commands.shell import understand
from guildmoot.guard.decision import Decision
from guildmoot.guard.facts import site_at
from guildmoot.guard.hooks.places import guarded_places
from guildmoot.guard.scopes.load import scope_of, scope_record
from guildmoot.guard.scopes.rules import Scope, parse_scope
from guildmoot.guard.site import Site, told
from guildmoot.system.git import project_root


class Explanation(NamedTuple):
    """What would happen to a command, and what it was understood to do."""

    command: str
    decision: Decision
    parts: tuple[str, ...]
    """Every program that it would start, in order."""


class CaseResult(NamedTuple):
    """One row of a table and what came of it."""

    case: GuardCase
    decision: Decision
    held: bool


async def explain_command(command: str, scope: str = "", cwd: Path = Path()) -> Explanation:
    """What the guard would do with a shell command here. ``scope``: rules, or a file that holds a scope."""
    return await asyncio.to_thread(_explain, command, scope, cwd.absolute())


async def check_cases(path: Path, cwd: Path = Path()) -> list[CaseResult]:
    """Run a table of cases; nothing of it is executed."""
    return await asyncio.to_thread(_check, path, cwd.absolute())


def read_scope(text: str) -> Scope:
    """A scope from the command line: JSON, rules with commas, or a file (.json, .toml, .md, .yaml)."""
    if text.lstrip().startswith(("[", "{")):
        try:
            return parse_scope(json.loads(text), "--scope")
        except ValueError as wrong:
            raise UsageError(f"--scope is no JSON: {wrong}") from wrong
    path = Path(text)
    if not path.is_file():
        if "(" not in text and path.suffix in (".md", ".json", ".toml", ".yaml", ".yml"):
            raise UsageError(
                f"there is no file {text}", "Name a file with a scope, or write rules."
            )
        return parse_scope([rule.strip() for rule in text.split(",") if rule.strip()], "--scope")
    source = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".json":
        return scope_record(source, text)
    found = scope_of(_table(path, source), text)
    if found is None:
        raise UsageError(
            f"{text} sets no scope",
            "An agent's file has capability_scope in its front matter; JSON may be the scope itself.",
        )
    return found


def _table(path: Path, source: str) -> dict[str, object]:
    if path.suffix == ".toml":
        import tomllib

        return tomllib.loads(source)
    if path.suffix in (".yaml", ".yml"):
        import yaml

        loaded = yaml.safe_load(source)
        return loaded if isinstance(loaded, dict) else {}
    try:
        return dict(parse_front_matter(source).data)
    except FrontMatterError as wrong:
        raise UsageError(f"{path}: {wrong}") from wrong


def _site(cwd: Path) -> Site:
    root = str(project_root(cwd))
    return site_at(str(cwd), root, os.environ, guarded_places(os.environ, root))


def _explain(command: str, scope: str, cwd: Path) -> Explanation:
    site = _site(cwd)
    decision = judge_command(command, site, read_scope(scope) if scope else None)
    too_large = decision.code in ("too-large", "too-deep", "not-text")
    runs = [] if too_large else understand(command, site).runs
    parts = tuple(told(" ".join(run.words)) for run in runs if run.words)
    return Explanation(command, decision, parts)


def _check(path: Path, cwd: Path) -> list[CaseResult]:
    try:
        cases = read_cases(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(f"{path} cannot be read: {wrong}") from wrong
    site = _site(cwd)
    scopes = {
        text: read_scope(text) for text in {case.labels.get("scope", "") for case in cases} if text
    }
    results = []
    for case in cases:
        decision = judge_command(case.command, site, scopes.get(case.labels.get("scope", "")))
        results.append(CaseResult(case, decision, case.holds(decision)))
    return results
