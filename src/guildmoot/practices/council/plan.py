"""What was asked of a council, with every default filled in and every conflict refused."""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.agents.presets.model import Perspective
from guildmoot.model.council import Task

MAX_AGENTS = 12
"""Judges and their explorers together."""
MAX_EXPLORERS = 5
"""For one judge."""


class Vendor(NamedTuple):
    """Who answers for one side of the table."""

    name: str
    """As reports call it, e.g. ``claude``, ``codex``, ``tools``, ``scripted``."""
    backend: str
    """``claude``, ``codex``, ``gemini``, ``api``, ``tool`` ... ; empty leaves it to the agent file."""
    model: str = ""
    agent: str = ""
    """A named agent to seat in place of the built-in judge (``--agents``)."""


class CouncilPlan(NamedTuple):
    """A council that can be convened."""

    task: Task
    target: str
    """In the user's words."""
    targets: tuple[str, ...]
    """Paths, globs, ``recent``; empty when the target is a question."""
    vendors: tuple[Vendor, ...]
    """One, or two with ``--mixed``; none configured seats evidence judges, and ``notes`` says so."""
    judges: int
    """Per vendor; 0 with ``--quick``, which asks one judge inline."""
    perspectives: tuple[Perspective, ...] = ()
    """Empty: independent judges without labels."""
    explorers: int = 0
    explorer_model: str = ""
    debate: Literal["off", "on", "auto"] = "off"
    pairing: Literal["paired", "split"] = "paired"
    technique: str = ""
    hats: Literal["all", "split"] = "all"
    profile: str = ""
    preset: str = ""
    timeout: float = 120.0
    second_timeout: float = 90.0
    explorer_timeout: float = 60.0
    evidence: bool = False
    commit_ready: bool = False
    modes: tuple[str, ...] = ()
    """What the user asked for, as the report's header shows it."""
    focus: str = ""
    notes: tuple[str, ...] = ()
    """What was decided for the user, e.g. that ``--fit`` took judges away."""
    sources: tuple[tuple[str, str, str], ...] = ()
    """Setting, value and where it came from: env, flag, profile, config or built in."""
    seated: tuple[str, ...] = ()
    """Agents named with ``--agents``, which take the judges' seats in turn."""
    diff: str | None = None
    """A change to judge, as ``packet.Request.diff``: empty is the working tree against HEAD."""
    about_plan: bool = False
    """A plan, spec or contract is judged, so the rigor gate applies."""
    context: str = ""
    """What the project's reviewer config tells every judge; text of the repository, so data."""
    degrade: bool = False
    """Go on without judges that cannot answer."""
    quick: bool = False

    @property
    def agents(self) -> int:
        """All agents that it would call, explorers included."""
        return max(self.judges, 1) * max(len(self.vendors), 1) * (1 + self.explorers)

    @property
    def mixed(self) -> bool:
        """Two vendors sit at the table."""
        return len(self.vendors) > 1


def fitting(vendors: int, explorers: int) -> int:
    """The most judges of each vendor that stay within the cap; pairs of vendors are kept whole."""
    return MAX_AGENTS // (max(vendors, 1) * (1 + explorers))
