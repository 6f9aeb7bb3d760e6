"""Settings: the layers that say what is set, and where each value came from.

Precedence, strongest first: a flag, the environment, the project's file, the user's file, the profile,
built in. A setting's own variable (``GUILD_COUNCIL_TIMEOUT``) beats the older names of it
(``COUNCIL_TIMEOUT``). The profile is what ``council.profile`` names, wherever that is set. An unknown
key is an error with the nearest name, wherever it stands.

Whether a project's file counts at all is decided in ``guard.settings``, which hands its values over;
here they are held to what the user allows: a project never loosens a limit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from guildmoot.errors import ConfigError, did_you_mean
from guildmoot.model.settings import ALIASES, SEED_FILE, Setting, Tier, find_profile, loosens
from guildmoot.model.settings import SETTINGS as SETTINGS
from guildmoot.model.settings import Value as Value
from guildmoot.named import NamedTuple

_SECTIONS = tuple({f"GUILD_{key.split('.')[0].upper()}_" for key in SETTINGS})
PROJECT_FILES = ("guild.toml", "pyproject.toml [tool.guildmoot]", SEED_FILE)
"""Sources that whoever wrote the repository controls."""
BUILT_IN, COMMAND_LINE = "built in", "command line"
_MOST_DOTS = 1000
_TYPES = {
    bool: "true or false",
    float: "a number",
    int: "a whole number",
    str: "text",
    tuple: "a list of texts",
}
DEFAULT, PROFILE, USER, PROJECT, ENVIRONMENT, FLAG = range(6)
"""The layers, weakest first."""


class Origin(NamedTuple):
    """A value and where it came from."""

    value: Value
    source: str

    @property
    def layer(self) -> int:
        """How strong it is: ``DEFAULT`` to ``FLAG``."""
        if self.source == BUILT_IN or self.source.startswith("profile "):
            return DEFAULT if self.source == BUILT_IN else PROFILE
        if self.source == COMMAND_LINE or self.source.startswith("--"):
            return FLAG
        if self.source.startswith("$"):
            return ENVIRONMENT
        return PROJECT if self.source in PROJECT_FILES else USER


class Config(NamedTuple):
    """The settings in force."""

    values: Mapping[str, Origin]
    prices: Mapping[str, object] = {}
    """The tables under ``[prices]``, by ``provider:model``; ``calls.pricing`` reads them."""
    project_prices: Mapping[str, object] = {}
    """The project's own, which count where the user gives none and nothing cheaper is known."""
    notices: tuple[str, ...] = ()
    """What of the repository is not used and why, for people."""
    unused: Mapping[str, str] = {}
    """Settings that the project makes and that are not used: what each says, and why not."""

    def given(self, key: str, least: int = USER) -> Origin | None:
        """The setting where somebody made it, in the layer ``least`` or a stronger one."""
        origin = self.values[key]
        return origin if origin.layer >= least and origin.value not in ("", ()) else None

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


Flags = Mapping[str, Value | Origin]
"""What was given on the command line, by key; an ``Origin`` names the flag, such as ``--timeout``."""
NO_FLAGS: Flags = MappingProxyType({})


def load_config(
    project: Config | None, user_file: Path, environ: Mapping[str, str], flags: Flags | None = None
) -> Config:
    """Merge all layers; ``flags`` holds only what was given on the command line."""
    user, project = _user(user_file), project or Config({})
    held, unused = _held(project, user)
    told = tuple(
        f"{key} = {why}, which only your own settings may do" for key, why in unused.items()
    )
    given = {**user.values, **held, **_environment(environ), **_flags(flags or {})}
    values = {key: Origin(setting.default, BUILT_IN) for key, setting in SETTINGS.items()}
    values |= _profile(given)
    return Config(
        {**values, **given},
        user.prices,
        project.prices,
        (*project.notices, *told, *_near_misses(environ)),
        {**project.unused, **unused},
    )


def _held(project: Config, user: Config) -> tuple[dict[str, Origin], dict[str, str]]:
    """The project's settings that loosen nothing, and the others with the reason."""
    own = {**_profile(user.values), **user.values}
    held, unused = {}, {}
    for key, origin in project.values.items():
        mine = own[key].value if key in own else None
        if loosens(key, origin.value, mine):
            limit = SETTINGS[key].default if mine is None else mine
            unused[key] = f"{origin.value!r} in {origin.source} would loosen {limit!r}"
        else:
            held[key] = origin
    return held, unused


def _profile(values: Mapping[str, Origin]) -> dict[str, Origin]:
    """What the profile that these settings name says where nobody set anything."""
    named = values.get("council.profile")
    profile = find_profile(str(named.value)) if named else None
    return _supplied(profile) if profile else {}


def _supplied(profile: Tier) -> dict[str, Origin]:
    """What a profile says where nobody set anything."""
    supplied: dict[str, Value] = {
        "council.claude_model": profile.claude,
        "council.judges": profile.judges,
        "council.timeout": profile.timeout,
    }
    return {key: Origin(value, f"profile {profile.profile}") for key, value in supplied.items()}


def user_config_file() -> Path:
    """The user's own ``guild.toml``."""
    from platformdirs import user_config_path

    return user_config_path("guildmoot") / "guild.toml"


def env_name(key: str) -> str:
    """``panel.timeout`` is ``GUILD_PANEL_TIMEOUT`` in the environment."""
    return "GUILD_" + key.upper().replace(".", "_")


def check_value(key: str, raw: object, source: str) -> Value:
    """The value in the setting's type, or an error that says what is wrong and where."""
    setting = SETTINGS[key]
    value, wanted = _typed(setting.default, raw), ""
    least, most = setting.minimum, setting.maximum
    if value is None:
        wanted = _TYPES[type(setting.default)]
    elif setting.choices and not {*(value if isinstance(value, tuple) else (value,))} <= {
        *setting.choices
    }:
        wanted = f"one of {', '.join(setting.choices)}"
    elif isinstance(value, int | float) and not (least <= value <= most and math.isfinite(value)):
        wanted = f"at least {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
    if value is None or wanted:
        name = source if source.startswith("--") else f"{source}: {key}"
        raise ConfigError(f"{name} must be {wanted}, not {raw!r}", f"{key}: {setting.help}.")
    return value


def _typed(default: Value, raw: object) -> Value | None:
    if isinstance(raw, list | tuple):
        texts = tuple(item for item in raw if isinstance(item, str))
        return texts if isinstance(default, tuple) and len(texts) == len(raw) else None
    if isinstance(default, float) and type(raw) is int:
        return float(raw)
    return raw if isinstance(raw, str | int | float) and type(raw) is type(default) else None


def _user(file: Path) -> Config:
    if not file.is_file():
        return Config({})
    return read_table(parse_toml(file.read_bytes(), str(file)), str(file))


def project_table(files: Mapping[str, bytes]) -> tuple[str, Mapping[str, object]] | None:
    """The project's settings and where they stand, from the one file of two that may hold them."""
    own, shared, _ = PROJECT_FILES
    found: dict[str, Mapping[str, object]] = {}
    if own in files:
        found[own] = parse_toml(files[own], own)
    if "pyproject.toml" in files:
        tools = parse_toml(files["pyproject.toml"], "pyproject.toml").get("tool")
        table = tools.get("guildmoot") if isinstance(tools, dict) else None
        found |= {shared: table} if isinstance(table, dict) else {}
    if len(found) > 1:
        raise ConfigError(
            f"settings stand both in {own} and under [tool.guildmoot] in pyproject.toml",
            "Keep them in one of the two.",
        )
    return next(iter(found.items()), None)


def parse_toml(data: bytes, name: str) -> dict[str, object]:
    """A file's table; ConfigError for whatever is none, or is nested so that reading it would not end."""
    if any(line.count(b".") > _MOST_DOTS for line in data.splitlines()):
        raise ConfigError(f"{name}: not valid TOML: a key of more than {_MOST_DOTS} parts")
    import tomllib  # where nobody set anything, nothing is read

    try:
        return tomllib.loads(data.decode("utf-8"))
    except ValueError as error:  # also a number of too many digits, or bytes that are no UTF-8
        raise ConfigError(f"{name}: not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{name}: not valid TOML: nested too deeply") from None


def read_table(table: Mapping[str, object], source: str) -> Config:
    """The settings of one file, strictly: ConfigError for whatever is unknown or wrong."""
    prices = table.get("prices", {})
    if not isinstance(prices, dict):
        raise ConfigError(f'{source}: prices must be tables such as [prices."openai:gpt-5"]')
    settings = {name: value for name, value in table.items() if name != "prices"}
    values = {
        key: Origin(check_value(_known(key, source), raw, source), source)
        for key, raw in flatten(settings)
    }
    return Config(values, prices)


def flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Every setting of a table under its whole name, such as ``panel.timeout``."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _known(key: str, source: str) -> str:
    if key in SETTINGS:
        return key
    hint = did_you_mean(key, SETTINGS, "'guild config show' lists every key.")
    raise ConfigError(f"{source}: unknown setting {key}", hint)


def _environment(environ: Mapping[str, str]) -> dict[str, Origin]:
    names = [f"${env_name(key)}" for key in SETTINGS]
    for name in sorted(f"${each}" for each in environ if each.startswith(_SECTIONS)):
        if name not in names:
            raise ConfigError(f"unknown setting {name}", did_you_mean(name, names))
    found = {}
    for key, setting in SETTINGS.items():
        older = (name for name in ALIASES.get(key, ()) if environ.get(name, "").strip())
        name = next((name for name in (env_name(key), *older) if name in environ), "")
        if name:
            raw = _parse_env(setting, environ[name].strip())
            found[key] = Origin(check_value(key, raw, f"${name}"), f"${name}")
    return found


def _near_misses(environ: Mapping[str, str]) -> Iterator[str]:
    """Variables that are an older name of a setting but for a slip; others may be another program's."""
    older = [name for names in ALIASES.values() for name in names]
    for name in sorted(each for each in environ if each.startswith("COUNCIL_")):
        if name not in older:
            from difflib import get_close_matches  # few have one

            near = get_close_matches(name, older, n=1, cutoff=_NEAR)
            yield from (f"${name} is no setting: ${each} is one" for each in near)


def _parse_env(setting: Setting, text: str) -> object:
    if isinstance(setting.default, tuple):
        return [item.strip() for item in text.split(",") if item.strip()]
    if isinstance(setting.default, str):
        return text
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _flags(flags: Flags) -> dict[str, Origin]:
    found = {}
    for key, flag in flags.items():
        value, source = flag if isinstance(flag, Origin) else (flag, COMMAND_LINE)
        found[key] = Origin(check_value(_known(key, source), value, source), source)
    return found


_NEAR = 0.9
"""How like a documented variable a name must be to be a slip of it."""
_process_flags: dict[str, Origin] = {}


@contextmanager
def process_flag(key: str, value: Value, flag: str) -> Iterator[None]:
    """A flag that stands before the verb counts wherever the verb loads its settings."""
    _process_flags[key] = Origin(value, flag)
    try:
        yield
    finally:
        del _process_flags[key]


def process_config(project: Config, user_file: Path, flags: Flags | None = None) -> Config:
    """The settings in force for this process, with what counts of the project's."""
    return load_config(project, user_file, os.environ, {**_process_flags, **(flags or {})})
