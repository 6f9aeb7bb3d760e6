"""What can be set: every setting with its default, and the profiles that set several at once.

``config`` has the layers that set them.
"""

from __future__ import annotations

import math

from guildmoot.model.call import MAX_OUTPUT
from guildmoot.named import NamedTuple

Value = str | int | float | bool | tuple[str, ...]
SEED_FILE = ".guild/settings.json"
"""Settings of earlier releases, which ``seed_settings`` reads."""


class Setting(NamedTuple):
    """One thing that can be set."""

    key: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    minimum: float = float("-inf")
    maximum: float = float("inf")


POLICIES = {
    "weighed": "facts block; opinions by a third of the families, or by their records",
    "panel": "any judge's blocking finding blocks (the seeds' rule)",
    "council": "any FAIL fails; families that disagree go to the operator",
    "agreement": "one family advises, two warn, three or a proof block",
    "weighted": "votes weighed by what gold probes showed of each seat",
    "veto": "only the named seats can block",
}
"""Every policy and what it says; each is the function of that name in ``consensus.policies``."""

SETTINGS: dict[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting("panel.agents", (), "agents to seat; empty derives the panel from the file types"),
        Setting("panel.add", (), "agents to seat beside the derived ones"),
        Setting("panel.skip", (), "agents that are never seated by derivation"),
        Setting("panel.precedence", (), "agents by weight, when several flag the same place"),
        Setting("panel.arbiter", "", "agent that is asked whether two remedies exclude each other"),
        Setting(
            "panel.ask_others",
            True,
            "put a serious finding of one family to the others before it is dropped, under 'weighed'",
        ),
        Setting(
            "clerk.model",
            "",
            "puts replies that cannot be read into the form; empty: the same judge once more",
        ),
        Setting("panel.timeout", 120.0, "seconds that one seat may take", minimum=0.001),
        Setting("panel.deadline", 600.0, "seconds that the whole panel may take", minimum=0.001),
        Setting("panel.limit", 0, "seats that run at once; 0 is no limit", minimum=0),
        Setting("panel.baseline", True, "set aside what the baseline of the repository holds"),
        Setting("panel.fail_on", "flagged", "what fails the command", ("flagged", "warn")),
        Setting(
            "policy.name",
            "weighed",
            "what must be true of an issue for it to block; 'guild policies' explains them",
            tuple(POLICIES),
        ),
        Setting("policy.veto", (), "seats that can block, under the policy 'veto'"),
        Setting("policy.warn_at", 2, "families for a warning, under 'agreement'", minimum=1),
        Setting("policy.block_at", 3, "families for a block, under 'agreement'", minimum=1),
        Setting("floors.coverage", 0.5, "share of the files that must be judged", minimum=0),
        Setting(
            "floors.left_out",
            (),
            "what a change may leave out unjudged where its base already did",
            ("generated", "ignored", "own-record", "pointer", "vendored"),
        ),
        Setting(
            "grounding.allow", (), "programs that findings' own assertions may run; empty: none"
        ),
        Setting("grounding.timeout", 30.0, "seconds that one assertion may take", minimum=0.001),
        Setting(
            "panel.model",
            "",
            "seats the evaluators that files call for, and agents without a model, e.g. claude",
        ),
        Setting(
            "panel.unjudged",
            "undecided",
            "what code is that no judge of its language looked at",
            ("approve", "undecided"),
        ),
        Setting(
            "panel.degrade", False, "go on without seats that cannot answer; the record says so"
        ),
        Setting(
            "panel.effort",
            "",
            "how hard models think, where their vendor can be told; empty: as the vendor has it",
            ("", "low", "medium", "high"),
        ),
        Setting("budget.run_usd", 0.0, "dollars that one run may spend; 0 is no limit", minimum=0),
        Setting("budget.day_usd", 0.0, "dollars that one day may spend; 0 is no limit", minimum=0),
        Setting(
            "budget.max_output",
            MAX_OUTPUT,
            "tokens that one answer may have, thoughts included; as many are set aside",
            minimum=1,
        ),
        Setting("packet.max_bytes", 256_000_000, "bytes of files put before the judges", minimum=1),
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
        Setting(
            "council.claude_model",
            "sonnet",
            "model of claude's judges; where no vendor is named, setting it seats claude",
        ),
        Setting("council.codex_model", "", "model of codex's judges; empty: the client's own"),
        Setting("council.profile", "", "thorough, balanced, fast or inherit; empty: none"),
        Setting("council.judges", 2, "judges of each vendor", minimum=1, maximum=12),
        Setting("council.explorers", 0, "explorers of each judge, at most 5", minimum=0, maximum=5),
        Setting("council.explorer_model", "", "of the explorers; empty: sonnet beside claude"),
        Setting(
            "council.debate",
            "deep",
            "second round; 'deep': with --deep, where judges split",
            ("deep", "off", "on", "auto"),
        ),
        Setting("council.fit", True, "seat fewer judges instead of refusing more than 12 agents"),
        Setting(
            "council.strict_mixed",
            False,
            "under --mixed, no verdict without both vendors; otherwise it goes on, and says so",
        ),
        Setting("council.timeout", 120.0, "seconds that one judge may take", minimum=0.001),
        Setting("council.second_timeout", 90.0, "seconds for the second round", minimum=0.001),
        Setting("council.explorer_timeout", 60.0, "seconds of one explorer", minimum=0.001),
        Setting(
            "engine.url", "", "shared engine, e.g. postgresql://host/guild; empty: this machine"
        ),
        Setting("engine.here", ("tool", "scripted"), "backends that never go to a shared engine"),
        Setting("engine.wait", 600.0, "seconds to wait for a worker or its database", minimum=0),
        Setting("engine.concurrency", (), "calls at once over all machines, e.g. anthropic=8"),
        Setting("engine.rate", (), "starts in a span over all machines, e.g. anthropic=50/60"),
        Setting(
            "runs.reuse_hours",
            0.0,
            "hours in which the same question to the same agent is answered by one answer; 0 always asks",
            minimum=0,
        ),
        Setting(
            "work.rigor",
            "standard",
            "how hard work is challenged: sets work.loops and work.review where they are open",
            ("quick", "standard", "deep"),
        ),
        Setting(
            "work.model",
            "",
            "drafts specs and plans and answers challenges; empty: forms and rules alone",
        ),
        Setting("work.challenger", "", "asks the hard questions; empty: work.model does"),
        Setting(
            "work.auto_approve",
            (),
            "gates that need nobody; quality, operations and whatever destroys always do",
            ("spec", "plan", "build", "all"),
        ),
        Setting(
            "work.loops",
            (),
            "what is challenged until no question is left; empty: by work.rigor",
            ("none", "spec", "plan", "implementation", "all"),
        ),
        Setting("work.loop_cap", 16, "rounds of one challenge", minimum=1, maximum=256),
        Setting(
            "work.review",
            "",
            "pre-mortem of a new plan: by one judge, by two vendors, not at all; empty: by rigor",
            ("", "local", "cross", "off"),
        ),
        Setting("work.initiative", "", "the initiative that new work belongs to; empty: none"),
        Setting("work.team_size", 6, "specialists of a team at most", minimum=1, maximum=14),
        Setting("work.always_include", (), "specialists who always sit"),
        Setting("work.tiering", True, "choose the tier of a lane by its score; else all are mid"),
        Setting(
            "work.tiers",
            ("cheap=claude:haiku", "mid=claude:sonnet", "powerful=claude:opus"),
            "the model of each tier, for estimates and for whoever carries the plan out",
        ),
        Setting(
            "work.worker", "", "the command that does a lane's work; empty: --worker, or a client"
        ),
        Setting("work.clients", False, "let the models of work.tiers work, as headless clients"),
        Setting(
            "work.agent_mode",
            "auto",
            "how lanes run: team in panes of tmux, agent by the host's agents, hosts on other machines,"
            " subagent unseen; auto says why",
            ("auto", "team", "agent", "hosts", "subagent"),
        ),
        Setting("work.jobs", 4, "lanes at once", minimum=1, maximum=64),
        Setting("work.max_file_mb", 50, "MB of the largest file of a lane; 0: no limit", minimum=0),
        Setting("work.lane_attempts", 1, "attempts at a lane whose worker fails", minimum=1),
        Setting("work.lane_backoff", 0.0, "seconds before the second attempt; doubled each time"),
        Setting(
            "work.lane_silence",
            0.0,
            "seconds without a sign of life before a lane is nudged; 0: by tier, 180, 600 or 1200",
            minimum=0,
        ),
        Setting(
            "work.run_minutes", 0.0, "minutes after which a run pauses; 0: no limit", minimum=0
        ),
        Setting(
            "work.run_attempts", 0, "dispatches after which a run pauses; 0: no limit", minimum=0
        ),
        Setting("work.run_tokens", 0, "tokens that a run may take; 0: no limit", minimum=0),
        Setting("work.lane_tokens", 0, "tokens that an attempt may take; 0: by tier", minimum=0),
        Setting(
            "work.advisor", "", "the model that a stuck lane asks first; empty: a person is asked"
        ),
        Setting("work.advisor_rounds", 2, "how often a lane may ask it", minimum=1, maximum=10),
        Setting(
            "work.advisor_markers",
            (
                *("I'm not sure", "unclear", "cannot determine", "I don't know", "ambiguous"),
                *("uncertain", "not enough information"),
            ),
            "words in a receipt that show that a lane is unsure",
        ),
        Setting(
            "work.fallback",
            (),
            "models that take a lane over when its own cannot be had, e.g. codex, gemini; of the same tier",
        ),
        Setting(
            "work.fence", True, "make read-only what is not theirs for who works in a lane or loop"
        ),
        Setting("work.writable", (), "what a lane or loop may write to besides, e.g. ~/.codex"),
        Setting("work.checks", (), "commands that must pass after each merge of a lane"),
        Setting("work.mid_from", 1, "score from which a lane is mid", minimum=0),
        Setting("work.powerful_from", 3, "score from which a lane is powerful", minimum=0),
        Setting("work.weight_blast", 1.0, "weight of the blast radius in a score", minimum=0),
        Setting("work.weight_contract", 1.0, "weight of building on another lane", minimum=0),
        Setting("work.weight_security", 1.0, "weight of security work", minimum=0),
        Setting("work.weight_escalated", 1.0, "weight of having asked for help", minimum=0),
        Setting("work.recall_first", True, "ask the wiki before files are read for a bundle"),
        Setting(
            "work.recall_score",
            0.4,
            "score from which a page of the wiki answers a question",
            minimum=0,
            maximum=1,
        ),
        Setting("guard.secrets", (), "patterns of yours that count as secrets in what is written"),
        Setting("runs.keep", True, "write a record of each run under .guild/runs"),
        Setting(
            "runs.keep_last",
            100,
            "runs that stay on record, beside those of the last 7 days; 0 is all",
            minimum=0,
        ),
    )
}


LESS = (
    *("budget.run_usd", "budget.day_usd", "panel.timeout", "panel.deadline", "panel.limit"),
    *("policy.warn_at", "policy.block_at", "verify.timeout", "grounding.timeout"),
    *("council.timeout", "council.second_timeout", "council.explorer_timeout", "engine.wait"),
    *("work.loop_cap", "work.team_size"),
)
"""Limits of time and money, and thresholds: where the user set one, a project's counts if it is lower."""
MORE = (
    *("floors.coverage", "packet.max_bytes", "packet.max_file_bytes", "packet.recent"),
    *("panel.fail_on", "panel.degrade", "panel.baseline", "panel.unjudged", "council.fit"),
)
"""How much is judged, and how strictly: a project's counts if it is stricter than the user's, or than
what is built in. More is stricter; of yes and no it is no, of several words the last."""
OWN = (
    *("budget.max_output", "council.profile", "council.judges", "council.explorers", "runs.keep"),
    *("engine.here", "engine.concurrency", "engine.rate", "floors.left_out", "runs.keep_last"),
    *(
        "guard.secrets",
        "runs.reuse_hours",
        "panel.effort",
        "council.strict_mixed",
        "panel.ask_others",
    ),
    *("work.worker", "work.checks", "work.jobs", "work.lane_attempts", "work.lane_backoff"),
    *("work.lane_silence", "work.fence", "work.clients", "work.agent_mode", "work.fallback"),
    *("work.advisor", "work.advisor_rounds", "work.advisor_markers", "work.max_file_mb"),
    *("work.run_minutes", "work.run_attempts", "work.run_tokens", "work.lane_tokens"),
    *("work.auto_approve", "work.model", "work.challenger", "work.loops", "work.review"),
    *("work.mid_from", "work.powerful_from", "work.weight_blast", "work.weight_contract"),
    *("work.weight_security", "work.weight_escalated", "work.recall_score", "work.writable"),
)
"""Where the user chose, a project's choice does not count."""
NO_LIMIT = ("budget.run_usd", "budget.day_usd", "panel.limit")
"""Here 0 is no limit at all."""


def loosens(key: str, value: Value, own: Value | None) -> bool:
    """Whether a project's ``value`` would take away from what the user set; None is nothing."""
    if key in MORE:
        return _strictness(key, value) < _strictness(
            key, SETTINGS[key].default if own is None else own
        )
    if own is None:
        return False
    return key in OWN or (key in LESS and _size(key, value) > _size(key, own))


def _size(key: str, value: Value) -> float:
    number = value if isinstance(value, int | float) else math.inf
    return math.inf if key in NO_LIMIT and not number else number


def _strictness(key: str, value: Value) -> float:
    if isinstance(value, str):
        return SETTINGS[key].choices.index(value)
    number = value if isinstance(value, int | float) else -math.inf
    return -number if isinstance(value, bool) else number


ALIASES: dict[str, tuple[str, ...]] = {
    "council.claude_model": ("COUNCIL_CLAUDE_MODEL",),
    "council.codex_model": ("COUNCIL_CODEX_MODEL",),
    "council.profile": ("AGENTOPS_COUNCIL_MODEL_TIER", "AGENTOPS_MODEL_TIER"),
    "council.judges": ("COUNCIL_JUDGE_COUNT",),
    "council.explorer_model": ("COUNCIL_EXPLORER_MODEL",),
    "council.timeout": ("COUNCIL_TIMEOUT",),
    "council.second_timeout": ("COUNCIL_R2_TIMEOUT",),
    "council.explorer_timeout": ("COUNCIL_EXPLORER_TIMEOUT",),
    "work.loops": ("GUILD_LOOPS",),
    "work.loop_cap": ("GUILD_LOOP_CAP",),
    "work.auto_approve": ("GUILD_AUTO_APPROVE",),
}
"""Other environment variables of a setting, the strongest first; an empty one counts as unset."""


class Tier(NamedTuple):
    """One strength, under the names that agents, hosts and councils have for it."""

    name: str
    """As agent files and hosts call it."""
    profile: str
    """As the council calls it."""
    alias: str
    """The profile's other name; empty for none."""
    claude: str
    """The model of the vendor whose names for models are settled."""
    judges: int
    """Judges of each vendor in a council."""
    timeout: float
    """Seconds that one of them may take."""


TIER_TABLE = (
    Tier("cheap", "fast", "budget", "haiku", 2, 60.0),
    Tier("mid", "balanced", "", "sonnet", 2, 120.0),
    Tier("powerful", "thorough", "quality", "opus", 3, 120.0),
)
TIERS = tuple(tier.name for tier in TIER_TABLE)
"""From the cheapest to the strongest."""
INHERIT = "inherit"
"""The profile that changes nothing."""
PROFILE_NAMES = (
    *(tier.profile for tier in reversed(TIER_TABLE)),
    *(tier.alias for tier in reversed(TIER_TABLE) if tier.alias),
    INHERIT,
)


def find_profile(name: str) -> Tier | None:
    """The tier behind a profile's name or other name, upper and lower case alike."""
    word = name.strip().casefold()
    found = (tier for tier in TIER_TABLE if word and word in (tier.profile, tier.alias))
    return next(found, None)
