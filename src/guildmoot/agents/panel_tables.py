"""Reads the tables that panels are derived from: ours, a project's TOML, and the seeds' Markdown.

Which of them apply is decided here too: a project's own table first, then the web table (or the
project's docs/PANEL-COMPOSITION.md in its place), then ours for everything that they do not know.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.derive import PanelRule, PanelTable
from guildmoot.errors import ConfigError

DOCS = "docs/PANEL-COMPOSITION.md"
PROJECT = ".guild/panel.toml"
WEB_TABLE, GUILD_TABLE = "the web table", "the guild's table"
BASELINE = ("evaluator-contract-fit",)
_SHIPPED = Path(__file__).parent / "tables"
_KEYS = ("extends", "baseline", "precedence", "kind", "place")
_RULE_KEYS = ("files", "add", "why")
_UNTRUSTED = "{} is not used: nobody trusted it here; `guild trust` shows it"
_EXTENDS = ("guild", "web", "none")


class Tables(NamedTuple):
    """The tables that apply, first asked first."""

    tables: tuple[PanelTable, ...]
    in_project: bool
    """Outside of any project our own table speaks only for files that are there."""
    warning: str
    """Why the project's Markdown table could not be used; empty when it is, or is not needed."""


def load_tables(cwd: Path) -> Tables:
    """The tables for work in ``cwd``; ConfigError when the project's own table is wrong."""
    root = project_root(cwd)
    docs, reason = _docs_table(cwd)
    web = docs or shipped("seeds", WEB_TABLE)
    ours = shipped("guild", GUILD_TABLE)._replace(baseline=())
    own = next((path for at in (cwd, root) if at and (path := at / PROJECT).is_file()), None)
    data = _trusted(own) if own else None
    if data is not None:
        table, extends = read_table(data, PROJECT)
        extended: dict[str, tuple[PanelTable, ...]] = {
            "guild": (web, ours),
            "web": (web,),
            "none": (),
        }
        rest = tuple(other._replace(baseline=()) for other in extended[extends])
        return Tables((table, *rest), True, "")
    reason = _UNTRUSTED.format(PROJECT) if own else reason
    return Tables((docs,) if docs else (web, ours), root is not None, reason)


def project_root(cwd: Path) -> Path | None:
    """The nearest folder upwards that is a repository or has a ``.guild``; None outside of any."""
    folders = (cwd, *cwd.parents)
    return next((at for at in folders if (at / ".git").exists() or (at / ".guild").is_dir()), None)


def shipped(name: str, title: str) -> PanelTable:
    """A table of the package."""
    table, _ = read_table((_SHIPPED / f"{name}.toml").read_bytes(), title)
    return table._replace(final=False)


def read_table(data: bytes, name: str) -> tuple[PanelTable, str]:
    """A table in TOML and what it extends; ConfigError says what is wrong with it."""
    try:
        found = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise ConfigError(f"{name} is not valid TOML: {wrong}") from wrong
    _check_keys(found, _KEYS, name)
    extends = found.get("extends", "guild")
    if extends not in _EXTENDS:
        raise ConfigError(f"{name}: 'extends' is one of {', '.join(_EXTENDS)}, not {extends!r}")
    table = PanelTable(
        name,
        kinds=_rules(found.get("kind", []), f"{name}: [[kind]]"),
        places=_rules(found.get("place", []), f"{name}: [[place]]"),
        precedence=_strings(found.get("precedence", []), f"{name}: 'precedence'"),
        baseline=_strings(found.get("baseline", list(BASELINE)), f"{name}: 'baseline'"),
        final=True,
    )
    return table, extends


def read_docs(text: str) -> tuple[PanelTable | None, str]:
    """The seeds' Markdown table, or the reason why it cannot be used."""
    mapping = _section(text, r"File-type → evaluator mapping")
    if mapping is None:
        return None, "mapping-section-missing"
    rules = tuple(rule for row in _rows(mapping) if (rule := _docs_rule(row)))
    if not rules:
        return None, "no-rules-parsed"
    precedence = _section(text, r"Precedence")
    if precedence is None:
        return None, "precedence-section-missing"
    names = tuple(re.findall(r"^\s*\d+\.\s+\*\*`(evaluator-[^`]+)`\*\*", precedence, re.MULTILINE))
    if not names:
        return None, "precedence-empty"
    return PanelTable(DOCS, rules, (), names, BASELINE, final=True), ""


def _docs_table(cwd: Path) -> tuple[PanelTable | None, str]:
    try:
        data = _trusted(cwd / DOCS)
    except OSError:
        return None, "panel-spec-unreadable"
    if data is None:
        return None, _UNTRUSTED.format(DOCS)
    return read_docs(data.decode("utf-8", "replace"))


def _trusted(file: Path) -> bytes | None:
    """What a table says; None when it belongs to a repository and nobody trusts it there."""
    data = file.read_bytes()
    root = next((at for at in file.parents if (at / ".git").exists()), None)
    if root is None:
        return data
    from guildmoot.guard.trust import brought_files

    path = file.relative_to(root).as_posix()
    return brought_files(root, (path,)).trusted.get(path)


def _section(text: str, heading: str) -> str | None:
    found = re.search(rf"^## {heading}[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else None


def _rows(section: str) -> list[list[str]]:
    """The cells of the table's body, which begins after the row of dashes."""
    rows = [line.strip() for line in section.splitlines() if line.strip().startswith("|")]
    dashes = (number for number, row in enumerate(rows) if re.fullmatch(r"[|\s:-]+", row))
    start = next(dashes, len(rows)) + 1
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[start:]]


def _docs_rule(row: list[str]) -> PanelRule | None:
    words = row[0].lower()
    if len(row) < 2 or any(
        phrase in words for phrase in ("(any file)", "files under", "same mapping")
    ):
        return None
    patterns = tuple(re.findall(r"`([^`]+)`", row[0]))
    return (
        PanelRule(patterns, tuple(re.findall(r"`(evaluator-[^`]+)`", row[1]))) if patterns else None
    )


def _rules(found: object, where: str) -> tuple[PanelRule, ...]:
    if not isinstance(found, list):
        raise ConfigError(f"{where} must be a list of tables")
    return tuple(_rule(entry, f"{where} {number}") for number, entry in enumerate(found, 1))


def _rule(entry: object, where: str) -> PanelRule:
    if not isinstance(entry, dict):
        raise ConfigError(f"{where} must be a table")
    _check_keys(entry, _RULE_KEYS, where)
    files = _strings(entry.get("files"), f"{where}: 'files'")
    if not files:
        raise ConfigError(f"{where}: 'files' names no pattern")
    why = entry.get("why", "")
    if not isinstance(why, str):
        raise ConfigError(f"{where}: 'why' must be a string")
    return PanelRule(files, _strings(entry.get("add"), f"{where}: 'add'"), why)


def _strings(found: object, where: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ConfigError(f"{where} must be a list of strings")
    return tuple(found)


def _check_keys(found: dict[str, object], known: tuple[str, ...], where: str) -> None:
    for key in found:
        if key not in known:
            raise ConfigError(f"{where} has no key {key!r}; it takes {', '.join(known)}")
