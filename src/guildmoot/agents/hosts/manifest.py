"""One host's manifest, ``guild.host_capability.v1``: what it can do, read and checked.

Both generations of field names are read: ``advertised_at`` or ``detected_at``, ``tier_models`` or
``tiers``, ``tool_support`` or ``supported_backends``. Whether a manifest is fresh enough and fits a
task is for ``routing``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from guildmoot.agents.hosts.values import Values, parse, shown
from guildmoot.backends import CLIENTS
from guildmoot.model.settings import TIERS

SCHEMA = "guild.host_capability.v1"
KINDS = CLIENTS
EGRESS = ("always-ask", "allow", "deny")
NEVER = -math.inf

_BACKENDS = {
    "tmux": ("agent_team", "tmux"),
    "in-process": ("independent_agents", "subagent"),
    "remote": (),
}
_SUPPORT = ("subagent", "agent_team", "independent_agents", "tmux", "mcp", "pre_tool_use_ask")
_CAPABILITIES = ("needs_pr", "needs_parallel", "needs_network", "isolation")
_PARAMETERS = ("effort", "reasoning", "thinking", "verbosity")
_KEYS = (
    *("schema_version", "host_id", "host_kind", "agent_api_version", "advertised_at"),
    *("detected_at", "source", "tier_models", "tiers", "supported_tiers", "models"),
    *("supported_backends", "tool_support", "tool_permissions", "egress", "capability_set"),
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# A model's name becomes an argument of a program, so it must not look like an option.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]{0,127}")

Parameter = str | int | bool


class TierModel(NamedTuple):
    """The model that stands for a tier on a host; an empty name is the host's own default."""

    model: str = ""
    params: tuple[tuple[str, Parameter], ...] = ()


class Host(NamedTuple):
    """What one host says it can do."""

    host_id: str
    kind: str
    advertised: float
    """Seconds since 1970 when it said so; ``NEVER`` when that cannot be told."""
    offers: frozenset[str]
    """Tiers, ways of running agents (``agent_team``...), ``pr``, ``parallel``, ``network`` and
    ``isolation:NAME``."""
    tools: frozenset[str] | None = None
    """The only tools that agents may use there; ``None`` when it names no limit."""
    models: Mapping[str, TierModel] = {}
    egress: str = "always-ask"
    advertised_at: str = ""
    """The time as the manifest writes it."""
    api_version: str = ""
    source: str = ""


def read_manifest(data: bytes, host_id: str = "") -> tuple[Host | None, list[str]]:
    """The host that a manifest describes, or ``None`` and everything that is wrong with it.

    ``host_id`` is the name that it must bear, when that is known.
    """
    table, unreadable = parse(data)
    if unreadable:
        return None, [unreadable]
    values = Values(table, [])
    host = _host(values)
    if host_id and host.host_id and host.host_id != host_id:
        values.problem(f"host_id is {host.host_id!r}, but the folder is called {shown(host_id)}")
    return (None, values.problems) if values.problems else (host, [])


def _host(values: Values) -> Host:
    _check_identity(values)
    tiers, models = _tiers(values)
    egress = values.choice("egress", EGRESS, "always-ask")
    when = values.text("advertised_at") or values.text("detected_at")
    values.words("models")
    tools = values.words("tool_permissions")
    return Host(
        host_id=values.matching("host_id", _ID, "up to 64 letters, digits, dots, dashes, _"),
        kind=values.choice("host_kind", KINDS),
        advertised=_seconds(when),
        offers=frozenset({*tiers, *_offers(values, egress)}),
        tools=frozenset(tools) if values.given("tool_permissions") else None,
        models=models,
        egress=egress,
        advertised_at=when,
        api_version=values.text("agent_api_version"),
        source=values.text("source"),
    )


def _check_identity(values: Values) -> None:
    values.check_keys(_KEYS)
    values.choice("schema_version", (SCHEMA,))
    for key in ("schema_version", "host_id", "host_kind"):
        if not values.given(key) or values.get(key) == "":
            values.problem(f"{key} is missing")


def _tiers(values: Values) -> tuple[tuple[str, ...], dict[str, TierModel]]:
    key = "tier_models" if values.given("tier_models") else "tiers"
    table = values.table(key, TIERS)
    models = {tier: _model(table, tier, key) for tier in TIERS if table.given(tier)}
    named = values.words("supported_tiers", TIERS)
    tiers = named or tuple(tier for tier in TIERS if tier in table.names())
    if values.given("supported_tiers") and values.get("supported_tiers") == []:
        tiers = ()  # it says "none", which its models do not overrule
    if not tiers:
        values.problem("it names no tier under supported_tiers or tier_models")
    return tiers, {tier: models[tier] for tier in models if tier in tiers and any(models[tier])}


def _model(table: Values, tier: str, key: str) -> TierModel:
    form = "a model's name"
    if not isinstance(table.get(tier), dict):
        return TierModel(table.matching(tier, _MODEL, form))
    inner = table.table(tier, ("model", *_PARAMETERS))
    params = [(name, inner.get(name)) for name in _PARAMETERS if inner.given(name)]
    for name, value in params:
        if not isinstance(value, str | int):
            table.problem(
                f"{key}.{tier}.{name} must be a word or a whole number, not {shown(value)}"
            )
    plain = [(name, v if isinstance(v, bool | int) else inner.text(name)) for name, v in params]
    return TierModel(inner.matching("model", _MODEL, form), tuple(plain))


def _offers(values: Values, egress: str) -> set[str]:
    support = values.table("tool_support", _SUPPORT)
    backends = values.words("supported_backends", tuple(_BACKENDS))
    found = {name for name in _SUPPORT if support.flag(name)}
    if not values.given("tool_support"):
        found = {name for way in backends for name in _BACKENDS[way]}
    able = values.table("capability_set", _CAPABILITIES)
    able.flag("needs_parallel")  # checked for its form; what counts is how agents can be run
    if found & {"agent_team", "independent_agents"}:
        found.add("parallel")
    if able.flag("needs_pr"):
        found.add("pr")
    online = able.flag("needs_network") or egress == "allow"
    if online and egress != "deny":
        found.add("network")
    isolation = able.matching("isolation", _ID, "one word")
    return found | ({f"isolation:{isolation}"} if isolation else set())


def _seconds(text: str) -> float:
    """A time without a zone could be any of a day's hours, so it counts as none."""
    try:
        when = datetime.fromisoformat(text)
        return when.timestamp() if when.tzinfo else NEVER
    except (ValueError, OverflowError):
        return NEVER
