"""Settings: one table of what can be set, and where each value came from.

Precedence, weakest first: built in, the user's file, the project's file, the environment, a flag.
An unknown key is an error with the nearest name, wherever it stands.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import ConfigError

Value = str | int | float | bool | tuple[str, ...]


class Setting(NamedTuple):
    """One thing that can be set."""

    key: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None


SETTINGS: dict[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting("panel.agents", (), "agents to seat; empty derives the panel from the file types"),
        Setting("panel.add", (), "agents to seat beside the derived ones"),
        Setting("panel.skip", (), "agents that are never seated by derivation"),
        Setting("panel.precedence", (), "agents by weight, when several flag the same place"),
        Setting("panel.arbiter", "", "agent that is asked whether two remedies exclude each other"),
        Setting("panel.timeout", 120.0, "seconds that one seat may take", minimum=0.001),
        Setting("panel.deadline", 600.0, "seconds that the whole panel may take", minimum=0.001),
        Setting("panel.limit", 0, "seats that run at once; 0 is no limit", minimum=0),
        Setting("panel.fail_on", "flagged", "what fails the command", ("flagged", "warn")),
        Setting(
            "policy.name",
            "panel",
            "what must be true of an issue for it to block; 'guild policies' explains them",
            ("panel", "council", "agreement", "weighted", "veto"),
        ),
        Setting("policy.veto", (), "seats that can block, under the policy 'veto'"),
        Setting("policy.warn_at", 2, "families for a warning, under 'agreement'", minimum=1),
        Setting("policy.block_at", 3, "families for a block, under 'agreement'", minimum=1),
        Setting("floors.coverage", 0.5, "share of the files that must be judged", minimum=0),
        Setting(
            "grounding.allow", (), "programs that findings' own assertions may run; empty: none"
        ),
        Setting("grounding.timeout", 30.0, "seconds that one assertion may take", minimum=0.001),
        Setting(
            "panel.model", "", "model for agents that name none, e.g. anthropic:claude-sonnet-4-5"
        ),
        Setting(
            "panel.degrade", False, "go on without seats that cannot answer; the record says so"
        ),
        Setting("budget.run_usd", 0.0, "dollars that one run may spend; 0 is no limit", minimum=0),
        Setting("budget.day_usd", 0.0, "dollars that one day may spend; 0 is no limit", minimum=0),
        Setting("budget.max_output", 8000, "tokens set aside for one answer", minimum=1),
        Setting("packet.max_bytes", 24_000_000, "bytes of files put before the judges", minimum=1),
        Setting(
            "packet.max_file_bytes",
            400_000,
            "bytes of one file; larger ones are left out",
            minimum=1,
        ),
        Setting("packet.recent", 1, "commits that the target 'recent' means", minimum=1),
        Setting("verify.command", "", "the project's own check, run as a judge"),
        Setting(
            "verify.timeout", 600.0, "seconds that the project's own check may take", minimum=0.001
        ),
        Setting(
            "council.vendors",
            (),
            "who judges: claude, codex, provider:model or tools; the second with --mixed",
        ),
        Setting(
            "council.models",
            (),
            "models of vendors: claude=opus, or fast.codex=MODEL for one profile",
        ),
        Setting("council.agents", (), "agents that take the judges' seats in turn"),
        Setting("council.profile", "", "thorough, balanced, fast or inherit; empty: none"),
        Setting("council.judges", 2, "judges of each vendor", minimum=1),
        Setting("council.explorers", 0, "explorers of each judge, at most 5", minimum=0),
        Setting("council.explorer_model", "", "of the explorers; empty: sonnet beside claude"),
        Setting(
            "council.debate",
            "deep",
            "second round; 'deep': with --deep, where judges split",
            ("deep", "off", "on", "auto"),
        ),
        Setting("council.fit", False, "seat fewer judges instead of refusing more than 12 agents"),
        Setting("council.timeout", 120.0, "seconds that one judge may take", minimum=0.001),
        Setting("council.second_timeout", 90.0, "seconds for the second round", minimum=0.001),
        Setting("council.explorer_timeout", 60.0, "seconds of one explorer", minimum=0.001),
        Setting(
            "engine.url", "", "shared engine, e.g. postgresql://host/guild; empty: this machine"
        ),
        Setting("engine.here", ("tool", "scripted"), "backends that never go to a shared engine"),
        Setting(
            "engine.wait", 600.0, "seconds to wait for a worker beyond a call's time", minimum=0
        ),
        Setting("engine.concurrency", (), "calls at once over all machines, e.g. anthropic=8"),
        Setting("engine.rate", (), "starts in a span over all machines, e.g. anthropic=50/60"),
        Setting("runs.keep", True, "write a record of each run under .guild/runs"),
    )
}

_SECTIONS = tuple({f"GUILD_{key.split('.')[0].upper()}_" for key in SETTINGS})


PROJECT_FILES = ("guild.toml", "pyproject.toml [tool.guildmoot]")
"""Sources that whoever wrote the repository controls."""


class Origin(NamedTuple):
    """A value and where it came from."""

    value: Value
    source: str


class Config(NamedTuple):
    """The settings in force."""

    values: Mapping[str, Origin]
    prices: Mapping[str, object] = {}
    """The tables under ``[prices]``, by ``provider:model``; ``spawn.pricing`` reads them."""

    def strings(self, key: str) -> tuple[str, ...]:
        """A list setting."""
        value = self.values[key].value
        assert isinstance(value, tuple)  # noqa: S101 - the table gives the type
        return value

    def text(self, key: str) -> str:
        """A text setting."""
        return str(self.values[key].value)

    def number(self, key: str) -> float:
        """A numeric setting."""
        value = self.values[key].value
        assert isinstance(value, int | float)  # noqa: S101 - the table gives the type
        return value

    def flag(self, key: str) -> bool:
        """A yes-or-no setting."""
        return bool(self.values[key].value)


def load_config(
    root: Path | None,
    user_file: Path,
    environ: Mapping[str, str],
    flags: Mapping[str, Value] | None = None,
) -> Config:
    """Merge all layers; ``flags`` holds only what was given on the command line."""
    values = {key: Origin(setting.default, "built in") for key, setting in SETTINGS.items()}
    user, project = _user(user_file), _project(root)
    for layer in (user.values, project.values, _environment(environ), _flags(flags or {})):
        values.update(layer)
    return Config(values, {**user.prices, **project.prices})


def user_config_file() -> Path:
    """The user's own ``guild.toml``."""
    from platformdirs import user_config_path

    return user_config_path("guildmoot") / "guild.toml"


def project_files(root: Path) -> list[Path]:
    """The files of this project that hold settings; more than one is an error to the caller."""
    found = [root / "guild.toml"] if (root / "guild.toml").is_file() else []
    pyproject = root / "pyproject.toml"
    if pyproject.is_file() and "guildmoot" in _read_toml(pyproject).get("tool", {}):
        found.append(pyproject)
    return found


def env_name(key: str) -> str:
    """``panel.timeout`` is ``GUILD_PANEL_TIMEOUT`` in the environment."""
    return "GUILD_" + key.upper().replace(".", "_")


def check_value(key: str, raw: object, source: str) -> Value:
    """The value in the setting's type, or an error that says what is wrong and where."""
    setting = SETTINGS[key]
    value = _typed(setting, raw)
    if value is None:
        wanted = _type_name(setting)
        raise ConfigError(f"{source}: {key} must be {wanted}, not {raw!r}")
    if setting.choices and value not in setting.choices:
        raise ConfigError(
            f"{source}: {key} must be one of {', '.join(setting.choices)}, not {raw!r}"
        )
    if setting.minimum is not None and isinstance(value, int | float) and value < setting.minimum:
        raise ConfigError(f"{source}: {key} must be at least {setting.minimum:g}, not {raw!r}")
    return value


def _typed(setting: Setting, raw: object) -> Value | None:
    default = setting.default
    if isinstance(default, bool):
        return raw if isinstance(raw, bool) else None
    if isinstance(default, float):
        return float(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else None
    if isinstance(default, int):
        return raw if isinstance(raw, int) and not isinstance(raw, bool) else None
    if isinstance(default, str):
        return raw if isinstance(raw, str) else None
    if isinstance(raw, list | tuple) and all(isinstance(item, str) for item in raw):
        return tuple(raw)
    return None


def _type_name(setting: Setting) -> str:
    if isinstance(setting.default, bool):
        return "true or false"
    names = {float: "a number", int: "a whole number", str: "text", tuple: "a list of texts"}
    return names[type(setting.default)]


def _user(file: Path) -> Config:
    return _from_table(_read_toml(file), str(file)) if file.is_file() else Config({})


def _project(root: Path | None) -> Config:
    files = project_files(root) if root else []
    if len(files) > 1:
        raise ConfigError(
            f"settings stand both in {files[0].name} and under [tool.guildmoot] in {files[1].name}",
            "Keep them in one of the two.",
        )
    return _project_file(files[0]) if files else Config({})


def _project_file(file: Path) -> Config:
    table = _read_toml(file)
    if file.name == "pyproject.toml":
        return _from_table(table["tool"]["guildmoot"], "pyproject.toml [tool.guildmoot]")
    return _from_table(table, file.name)


def _read_toml(file: Path) -> dict[str, dict[str, dict[str, object]]]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from None


def _from_table(table: Mapping[str, object], source: str) -> Config:
    prices = table.get("prices", {})
    if not isinstance(prices, dict):
        raise ConfigError(f'{source}: prices must be tables such as [prices."openai:gpt-5"]')
    settings = {name: value for name, value in table.items() if name != "prices"}
    values = {
        key: Origin(check_value(_known(key, source), raw, source), source)
        for key, raw in _flatten(settings)
    }
    return Config(values, prices)


def _flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _known(key: str, source: str) -> str:
    if key in SETTINGS:
        return key
    near = get_close_matches(key, SETTINGS, n=1)
    hint = f"Did you mean {near[0]}?" if near else "'guild config show' lists every key."
    raise ConfigError(f"{source}: unknown setting {key}", hint)


def _environment(environ: Mapping[str, str]) -> dict[str, Origin]:
    by_name = {env_name(key): key for key in SETTINGS}
    found = {}
    for name in sorted(environ):
        if not name.startswith(_SECTIONS):
            continue
        if name not in by_name:
            near = get_close_matches(name, by_name, n=1)
            raise ConfigError(
                f"unknown setting ${name}", f"Did you mean ${near[0]}?" if near else ""
            )
        key = by_name[name]
        value = check_value(key, _parse_env(SETTINGS[key], environ[name]), f"${name}")
        found[key] = Origin(value, f"${name}")
    return found


def _parse_env(setting: Setting, text: str) -> object:
    if isinstance(setting.default, tuple):
        return [item.strip() for item in text.split(",") if item.strip()]
    if isinstance(setting.default, str):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _flags(flags: Mapping[str, Value]) -> dict[str, Origin]:
    return {
        key: Origin(check_value(key, value, "command line"), "command line")
        for key, value in flags.items()
    }


def process_config(root: Path | None, flags: Mapping[str, Value] | None = None) -> Config:
    """The settings in force for this process."""
    return load_config(root, user_config_file(), os.environ, flags)
