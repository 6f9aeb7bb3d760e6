"""Reads perspectives from plain tables, whether they were written in TOML or in YAML.

Every problem is an error that names the file, the perspective and the field: a judge who looks from
another angle than its user thinks is worse than none. What a judge is told with it is left to others.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence

from guildmoot.agents.plainyaml import FrontMatterError, YamlTree
from guildmoot.agents.presets.model import Perspective, PerspectiveAnswer
from guildmoot.errors import ConfigError, did_you_mean

MAX_PERSPECTIVES = 12
MAX_FOCUS = 4_000

_NAME = re.compile(r"[^\W_](?:[\w .'&+-]{0,58}[\w.])?")
_LABEL = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
_FIELDS = Perspective._fields


def read_perspectives(text: str, source: str) -> tuple[Perspective, ...]:
    """What a ``--perspectives-file`` holds: YAML, or TOML where the name ends in ``.toml``."""
    table = toml_table(text, source) if source.lower().endswith(".toml") else _yaml(text, source)
    unknown = [key for key in table if key != "perspectives"]
    if unknown:
        raise ConfigError(f"{source}: unknown key {unknown[0]}", "Its one key is `perspectives`.")
    return perspectives_of(table, source)


def perspectives_of(table: Mapping[str, object], source: str) -> tuple[Perspective, ...]:
    """The tables under ``perspectives``, checked; names and personas are unique among them."""
    entries = table.get("perspectives")
    if not isinstance(entries, list) or not entries:
        raise ConfigError(
            f"{source}: it has no perspectives",
            "List them under `perspectives`, each with `name` and `focus`.",
        )
    if len(entries) > MAX_PERSPECTIVES:
        raise ConfigError(f"{source}: more than {MAX_PERSPECTIVES} perspectives")
    found = tuple(_perspective(entry, number, source) for number, entry in enumerate(entries, 1))
    for field in ("name", "persona"):
        _refuse_twice([getattr(each, field).casefold() for each in found], field, source)
    return found


def check_name(name: str, where: str) -> str:
    """A perspective's name as people write it; it will stand in prompts and reports."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{where}: {name!r} is no name for a perspective",
            "Use letters, digits, spaces and - . ' & +, at most 60 of them.",
        )
    return name


def toml_table(text: str, source: str) -> dict[str, object]:
    """The file's content; ConfigError when it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise ConfigError(f"{source} is not valid TOML: {wrong}") from None


def one_line(value: object, where: str) -> str:
    """A text with its line breaks taken out; anything else is an error."""
    if not isinstance(value, str):
        raise ConfigError(f"{where} must be text")
    line = " ".join(value.split())
    if not line.isprintable():
        raise ConfigError(f"{where} holds a character that cannot be printed")
    return line


def _yaml(text: str, source: str) -> Mapping[str, object]:
    try:
        return YamlTree(text.removeprefix("\ufeff"), 1).data
    except FrontMatterError as wrong:
        reason = wrong.reason.replace("front matter", "the file")
        raise ConfigError(f"{source}:{wrong.line}: {reason}") from None


def _perspective(entry: object, number: int, source: str) -> Perspective:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        raise ConfigError(f"{source}: perspective {number} must be a name or a table")
    name = check_name(one_line(entry.get("name"), f"{source}: perspective {number}: name"), source)
    where = f"{source}: {name}"
    for key in entry:
        if key not in _FIELDS:
            hint = did_you_mean(str(key), _FIELDS, f"Fields: {', '.join(_FIELDS)}.")
            raise ConfigError(f"{where}: unknown field {key}", hint)
    persona = one_line(entry.get("persona") or "", f"{where}: persona")
    focus = one_line(entry.get("focus") or "", f"{where}: focus")
    if len(focus) > MAX_FOCUS:
        raise ConfigError(f"{where}: focus is longer than {MAX_FOCUS:,} characters")
    budget = _texts(entry.get("read_budget") or [], f"{where}: read_budget")
    return Perspective(
        name=name,
        persona=check_name(persona, f"{where}: persona") if persona else "",
        focus=focus,
        read_budget=budget,
        answers=_answers(entry.get("answers") or {}, where),
        constraints=_constraints(entry.get("constraints") or {}, where),
    )


def _answers(value: object, where: str) -> tuple[PerspectiveAnswer, ...]:
    """``{LABEL = [choice, ...]}``."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: answers must be a table of labels and their choices")
    found = []
    for label, choices in value.items():
        if not _LABEL.fullmatch(label):
            raise ConfigError(f"{where}: answers: {label!r} must be in CAPITALS_LIKE_THIS")
        words = _texts(choices, f"{where}: answers: {label}")
        if len(words) < 2:
            raise ConfigError(f"{where}: answers: {label} needs at least two choices")
        found.append(PerspectiveAnswer(label, words))
    return tuple(found)


def _constraints(value: object, where: str) -> tuple[tuple[str, str], ...]:
    """``{name = "limit"}``; a list is read as several limits of one name."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: constraints must be a table of names and limits")
    found = []
    for name, limit in value.items():
        place = f"{where}: constraints: {name}"
        text = "; ".join(_texts(limit if isinstance(limit, list) else [limit], place))
        found.append((one_line(name, place), text))
    return tuple(found)


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ConfigError(f"{where} must be a list of texts")
    return tuple(one_line(item, where) for item in value)


def _refuse_twice(words: Sequence[str], field: str, source: str) -> None:
    twice = sorted({word for word in words if word and words.count(word) > 1})
    if twice:
        raise ConfigError(f"{source}: the {field} {twice[0]!r} stands there twice")
