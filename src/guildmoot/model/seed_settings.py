"""The ``.guild/settings.json`` of earlier releases: its closed set of keys, and what each means now. Pure.

A key that is not in the table is refused with its whole path. Keys without a name of ours are checked and have no
effect here; ``guild config show`` tells which.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

from guildmoot.errors import did_you_mean
from guildmoot.model.settings import SEED_FILE, Value
from guildmoot.named import NamedTuple


class SeedKey(NamedTuple):
    """What one key may hold."""

    kind: str
    """text, bool, int, number, texts, loops, model or table; a leading ``?`` allows null."""
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    ours: str = ""
    """The setting that it sets; empty where it has no effect here."""
    refused: tuple[object, ...] = ()
    """Values that are known and not allowed."""


class SeedProblem(NamedTuple):
    """One thing that is wrong, and where."""

    path: str
    message: str


_GATES = ("spec", "plan", "build", "all")
_YES = SeedKey("bool")
_SHARE = SeedKey("number", (), 0, 1)
_COUNT = SeedKey("int", (), 1)
_TABLE = SeedKey("table")
_WEIGHT = SeedKey("number", (), 0)

SEED_KEYS: dict[str, SeedKey] = {
    "rigor": SeedKey("text", ("quick", "standard", "deep"), ours="work.rigor"),
    "auto_approve": SeedKey("texts", _GATES, ours="work.auto_approve"),
    "review": SeedKey("text", ("local", "cross", "off"), ours="work.review"),
    "host": SeedKey("text", ("claude", "codex", "auto")),
    "initiative_default": SeedKey("?text", ours="work.initiative"),
    "index": SeedKey("text", ("auto", "off")),
    "agent_mode": SeedKey("text", ("team", "agent", "subagent", "auto"), ours="work.agent_mode"),
    "workspace.mode": SeedKey("text", ("auto", "on", "off")),
    "loops": SeedKey("loops", ours="work.loops"),
    "loop_cap": SeedKey("int", (), 1, 256, "work.loop_cap"),
    "codex_cap": SeedKey("int", (), 1, 10),
    "models.enabled": SeedKey("bool", ours="work.tiering"),
    "models.tiers.*": SeedKey("model"),
    "models.scoreWeights.workType": _WEIGHT,
    "models.scoreWeights.blastRadius": SeedKey("number", (), 0, ours="work.weight_blast"),
    "models.scoreWeights.dependsOn": SeedKey("number", (), 0, ours="work.weight_contract"),
    "models.scoreWeights.security": SeedKey("number", (), 0, ours="work.weight_security"),
    "models.scoreWeights.priorEscalation": SeedKey("number", (), 0, ours="work.weight_escalated"),
    "models.thresholds.mid": SeedKey("int", (), 0, ours="work.mid_from"),
    "models.thresholds.powerful": SeedKey("int", (), 0, ours="work.powerful_from"),
    "models.advisorRounds": SeedKey("int", (), 1, ours="work.advisor_rounds"),
    "models.escalationMarkers": SeedKey("texts", ours="work.advisor_markers"),
    "models.recallBeforeRead": SeedKey("bool", ours="work.recall_first"),
    "models.recallScoreThreshold": SeedKey("number", (), 0, 1, "work.recall_score"),
    "models.structuredOutputRequired": _YES,
    "models.cacheTTL.coordinator": SeedKey("text", ("1h", "5m", "off")),
    "models.cacheTTL.leaf": SeedKey("text", ("1h", "5m", "off")),
    "models.importanceGate": SeedKey("int", (), 1, 5),
    "models.ingestSimilarityGate": _SHARE,
    "models.shortOutputThreshold": _TABLE,
    "models.compositeRecall": _YES,
    "models.importanceAtIngest": _YES,
    "models.knowledge.maxDepth": _COUNT,
    "models.knowledge.maxBranching": _COUNT,
    "models.knowledge.minTopicImportance": _SHARE,
    "models.knowledge.relMinConf": _SHARE,
    "models.knowledge.maxFiles": _COUNT,
    "models.knowledge.maxTokens": _COUNT,
    "models.knowledge.batchSize": _COUNT,
    "security.bypass_permissions_policy": SeedKey("text", ("deny", "audit", "allow")),
    "secrets_policy.env_allowlist": SeedKey("texts"),
    "secrets_policy.redaction_patterns": SeedKey("texts"),
    "secrets_policy.fail_mode_durable": SeedKey("text", ("closed", "open")),
    "secrets_policy.fail_mode_telemetry": SeedKey("text", ("closed", "open")),
    "mcp.tool_description_hashes": _TABLE,
    "mcp.stdio_available": _YES,
    "mcp.http_available": _YES,
    "mcp.bridge_package": SeedKey("?text"),
    "host_mode": SeedKey("?text"),
    "roles.host": SeedKey("?text"),
    "roles.advisory": SeedKey("?text"),
    "roles.adversarial": SeedKey("?text"),
    "host_profiles": _TABLE,
    "record_status_runs": _YES,
    "codex_skip_enforcement": SeedKey("text"),
    "adversarial_review_provider": SeedKey("text"),
    "statusline": _YES,
    "capability.resolver_mode": SeedKey(
        "text", ("legacy", "observe", "shadow", "project-local", "strict")
    ),
    "capability.suggestion_budget": SeedKey("int", (), 0),
    "capability.starter_roles": SeedKey("texts"),
    "capability.auto_create_policy": SeedKey("text", ("on_approval", "never")),
    "defaults.agent_team": SeedKey("text", ("auto", "on", "off")),
    "defaults.auto_learn": _YES,
    "defaults.adversarial": SeedKey("text", ("on", "off")),
    "defaults.team.size": SeedKey("?int", (), 1, 14, "work.team_size"),
    "defaults.team.always_include": SeedKey("texts", ours="work.always_include"),
    "defaults.review_workflow": SeedKey("text", ("standard", "cross", "minimal")),
    "defaults.skill_policy": SeedKey("text", ("standard", "conservative")),
    "defaults.gates.auto_approve": SeedKey("texts", _GATES, ours="work.auto_approve"),
    "defaults.wiki.share_mode": SeedKey("text", ("team", "private")),
    "defaults.wiki.autopromote": SeedKey("bool", refused=(True,)),
    "defaults.quality.budget.per_class_minutes": SeedKey("number", (), 0.001),
    "defaults.quality.budget.total_minutes": SeedKey("number", (), 0.001),
    "defaults.reporting": SeedKey("text", ("quiet", "standard", "verbose")),
    "defaults.index.enabled": _YES,
    "defaults.index.kg_node_threshold": _COUNT,
    "defaults.index.kg_size_threshold_mb": SeedKey("number", (), 0),
    "defaults.index.links_edge_threshold": _COUNT,
    "defaults.index.runs_threshold": _COUNT,
    "defaults.index.wiki_file_threshold": _COUNT,
    "defaults.cross_host.enabled": _YES,
    "defaults.cross_host.hosts.*.address": SeedKey("text"),
    "defaults.cross_host.hosts.*.port": SeedKey("int", (), 1, 65535),
    "defaults.cross_host.hosts.*.user": SeedKey("text"),
    "defaults.cross_host.fallback_to_claude": _YES,
    "defaults.retry.max_attempts": _COUNT,
    "defaults.retry.backoff": SeedKey("text", ("immediate", "linear", "exponential")),
    "defaults.resume.enabled": _YES,
    "defaults.heartbeat_timeout_ms": _COUNT,
    "defaults.capability_manifest_ttl_s": _COUNT,
    "defaults.update.mode": SeedKey("text", ("notify", "auto", "off")),
    "defaults.update.cadence_hours": SeedKey("number", (), 0),
    "defaults.allowed_tools": SeedKey("texts"),
    "defaults.lean_lead.enabled": _YES,
    "defaults.lean_lead.hands_on_edit_threshold": _COUNT,
    "defaults.lifecycle_gate.enabled": _YES,
    "defaults.lifecycle_gate.adhoc_activity_threshold": _COUNT,
}
_LOOPS = ("none", "spec", "plan", "implementation", "all")
_TIERS = ("cheap", "mid", "powerful")
_NAMES = {"text": "text", "bool": "true or false", "int": "a whole number", "number": "a number",
          "texts": "a list of texts", "table": "an object"}  # fmt: skip


class SeedSettings(NamedTuple):
    """A file that was read."""

    values: dict[str, Value]
    """By the names that settings have here."""
    idle: tuple[str, ...]
    """Keys that are valid and have no effect here."""
    problems: tuple[SeedProblem, ...]


def read_seed(data: bytes) -> SeedSettings:
    """All that a file says; where it is wrong it says nothing, and every wrong place is told."""
    try:
        found = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as wrong:
        return SeedSettings({}, (), (SeedProblem("", f"it is no JSON: {wrong}"),))
    if not isinstance(found, dict):
        return SeedSettings({}, (), (SeedProblem("", "it must be an object"),))
    values: dict[str, Value] = {}
    idle: list[str] = []
    problems: list[SeedProblem] = []
    tiers: list[str] = []
    for path, value in _leaves(found, ""):
        key = SEED_KEYS.get(_pattern(path))
        wrong_value = _unknown(path) if key is None else _wrong(path, key, value)
        if wrong_value:
            problems.append(SeedProblem(path, wrong_value))
        elif key and key.ours and value is not None:
            values[key.ours] = _ours(key, value)
        elif path.startswith("models.tiers."):
            tiers += _tier_models(path.removeprefix("models.tiers."), value)
        elif value is not None:
            idle.append(path)
    if problems:
        return SeedSettings({}, (), tuple(problems))
    return SeedSettings(values | ({"work.tiers": tuple(tiers)} if tiers else {}), tuple(idle), ())


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key} stands there twice")
        found[key] = value
    return found


def _leaves(table: Mapping[str, object], above: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        path = f"{above}{name}"
        known = SEED_KEYS.get(_pattern(path))
        is_group = isinstance(value, dict) and (
            known is None or known.kind not in ("table", "model")
        )
        if is_group and isinstance(value, dict) and (value or known):
            yield from _leaves(value, f"{path}.")
        elif is_group and any(key.startswith(f"{_pattern(path)}.") for key in SEED_KEYS):
            continue  # an empty group says nothing
        else:
            yield path, value


def _pattern(path: str) -> str:
    """The key of the table that a path falls under: hosts and models have names of their own."""
    parts = path.split(".")
    if parts[:3] == ["defaults", "cross_host", "hosts"] and len(parts) > 3:
        parts[3] = "*"
    if parts[:2] == ["models", "tiers"] and len(parts) == 3:
        return "models.tiers.*"
    return ".".join(parts)


def _unknown(path: str) -> str:
    groups = {key.rpartition(".")[0] for key in SEED_KEYS}
    if path in groups or any(group.startswith(f"{path}.") for group in groups):
        return "must be an object"
    return f"is no key of {SEED_FILE}. {did_you_mean(path, SEED_KEYS)}".strip()


def _wrong(path: str, key: SeedKey, value: object) -> str:
    """What a value must be; empty when it is."""
    kind = key.kind.lstrip("?")
    if value is None:
        is_open = key.kind.startswith("?") or kind in ("loops", "model")
        return "" if is_open else f"must be {_NAMES.get(kind, kind)}, not null"
    if kind == "model":
        return _wrong_model(path, value)
    if kind == "loops":
        words = value.split(",") if isinstance(value, str) else value
        good = isinstance(words, list) and all(word in _LOOPS for word in words)
        return "" if good else f"must be some of {', '.join(_LOOPS)}, not {_short(value)}"
    if not _is(kind, value):
        return f"must be {_NAMES[kind]}, not {_short(value)}"
    if value in key.refused:
        return f"must not be {_short(value)}"
    words = value if isinstance(value, list) else [value]
    if key.choices and not all(word in key.choices for word in words):
        return f"must be {'some' if kind == 'texts' else 'one'} of {', '.join(key.choices)}, not {_short(value)}"
    if isinstance(value, int | float) and not key.low <= value <= key.high:
        end = f" to {key.high:g}" if key.high < math.inf else " or more"
        return f"must be from {key.low:g}{end}, not {_short(value)}"
    return ""


def _is(kind: str, value: object) -> bool:
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if kind in ("int", "number") and isinstance(value, bool):
        return False
    wanted: dict[str, type | tuple[type, ...]] = {
        "text": str, "bool": bool, "int": int, "number": (int, float), "table": dict,
    }  # fmt: skip
    return isinstance(value, wanted[kind])


def _wrong_model(path: str, value: object) -> str:
    fields = {"model", "effort", "reasoning", "thinking", "verbosity"}
    if isinstance(value, dict):
        if {*_TIERS} & value.keys() and not path.endswith(_TIERS):
            bad = [name for name in value if name not in _TIERS]
            wrong = (_wrong_model(f"{path}.{name}", each) for name, each in value.items())
            return f"has no tier {bad[0]}" if bad else next(filter(None, wrong), "")
        unknown = sorted(value.keys() - fields)
        return f"has no field {unknown[0]}" if unknown else ""
    return (
        ""
        if value is None or isinstance(value, str)
        else "must be a model's name, an object or null"
    )


def _tier_models(name: str, value: object) -> tuple[str, ...]:
    """``mid=claude:sonnet`` and the like, of one tier or of all tiers of claude; other hosts name none here."""
    if name == "claude" and isinstance(value, dict) and "model" not in value:
        return tuple(each for tier in _TIERS for each in _tier_models(tier, value.get(tier)))
    model = value.get("model") if isinstance(value, dict) else value
    if name not in _TIERS or not isinstance(model, str):
        return ()
    return (f"{name}={model if ':' in model else f'claude:{model}'}",)


def _ours(key: SeedKey, value: object) -> Value:
    if key.kind == "loops" and isinstance(value, str):
        return tuple(value.split(","))
    if isinstance(value, list):
        return tuple(map(str, value))
    if key.kind == "number" and isinstance(value, int | float):
        return float(value)
    if isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= 40 else f"{text[:37]}..."
