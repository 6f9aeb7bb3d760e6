"""Recipes and rosters: named groups of agents, from a file in the form of the seeds' axes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from guildmoot.errors import ConfigError

AXES = Path(__file__).parent / "tables" / "axes.toml"
PHASES = ("reviewer", "research", "plan", "implementer", "fixer")


def load_axes(path: Path = AXES) -> dict[str, Any]:
    """The file's content; ConfigError when it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise ConfigError(f"cannot read {path}: {wrong.strerror}") from wrong
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise ConfigError(f"{path} is not valid TOML: {wrong}") from wrong


def members(axes: dict[str, Any], name: str) -> list[str]:
    """The agents of a recipe in the order in which it names its domains."""
    recipes = axes.get("recipes", [])
    if not isinstance(recipes, list):
        raise ConfigError("'recipes' must be a list of tables")
    checked = [_checked(entry, number) for number, entry in enumerate(recipes, 1)]
    for recipe in checked:
        if recipe["name"] == name:
            return [_agent(recipe["phase"], domain) for domain in recipe["domains"]]
    known = ", ".join(recipe["name"] for recipe in checked) or "none"
    raise ConfigError(f"recipe-not-found: {name!r}; known recipes: {known}")


def roster(axes: dict[str, Any], phase: str) -> list[str]:
    """Every agent of a phase, by domain."""
    if phase not in PHASES:
        raise ConfigError(f"unknown phase {phase!r}; it is one of {', '.join(PHASES)}")
    domains = axes.get("axis", {}).get("domain", {})
    return [_agent(phase, name) for name in sorted(domains) if phase in domains[name]["phases"]]


def _agent(phase: str, domain: str) -> str:
    return f"{'evaluator' if phase == 'reviewer' else phase}-{domain}"


def _checked(entry: object, number: int) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise ConfigError(f"recipe {number} must be a table")
    for key in ("name", "phase", "personality"):
        if not isinstance(entry.get(key), str):
            raise ConfigError(f"recipe {number} has no string {key!r}")
    domains = entry.get("domains")
    if not isinstance(domains, list) or not all(isinstance(item, str) for item in domains):
        raise ConfigError(f"recipe {entry['name']!r}: 'domains' must be a list of strings")
    if entry["phase"] not in PHASES:
        raise ConfigError(f"recipe {entry['name']!r} has the unknown phase {entry['phase']!r}")
    return entry
