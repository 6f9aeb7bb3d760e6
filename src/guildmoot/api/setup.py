"""What there is to work with: agents, settings, policies, hosts, and whether all of it could answer.

The plain functions may block; each verb runs one of them on a thread.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.roster import judges
from guildmoot.agents.verification import find_verification
from guildmoot.backends import get_backend, traits_of
from guildmoot.backends.offers import ModelOffer, find_offers
from guildmoot.config import NO_FLAGS, Config, Flags
from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_OK, GuildmootError
from guildmoot.guard.settings import settings_for
from guildmoot.model.agent import Agent
from guildmoot.reports.costs import money
from guildmoot.system.git import Git, GitError, find_root, project_root
from guildmoot.system.search import search_path

if TYPE_CHECKING:
    from guildmoot.agents.derive import Seating
    from guildmoot.agents.hosts.folder import Fleet
    from guildmoot.agents.hosts.tasks import HostTask, Route, RoutingTerms
    from guildmoot.consensus.policies import Policy

_NO_MODEL = (
    "install and log in to claude, codex or gemini, run ollama, or set ANTHROPIC_API_KEY,"
    " OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY; then --model asks them"
)
_NOTHING = "nothing here is for it"
_SMALL_CHANGE, _FEW = 300, 5
_SHOWN = 3
P = ParamSpec("P")
T = TypeVar("T")


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    needed: bool = True
    """Without it guild cannot work at all."""
    idle: bool = False
    """It is missing, and nothing in this repository is for it."""


class Diagnosis(NamedTuple):
    """What is installed, and which agents could answer."""

    checks: tuple[Check, ...]
    verification: str | None
    """The command by which the project seems to be checked."""

    @property
    def exit_code(self) -> int:
        """Infrastructure, when something is missing without which nothing works."""
        missing = any(check.needed and not check.ok for check in self.checks)
        return EXIT_INFRASTRUCTURE if missing else EXIT_OK


async def list_agents(cwd: Path = Path()) -> Registry:
    """Who can be seated in a folder, and which agent files are broken."""
    return await _in_thread(find_agents, cwd)


async def load_settings(cwd: Path = Path(), settings: Flags = NO_FLAGS) -> Config:
    """The settings in force in a folder, each with where it came from."""
    return await _in_thread(lambda: settings_for(project_root(cwd.absolute()), settings))


async def doctor(cwd: Path = Path()) -> Diagnosis:
    """What is installed, which agents could answer, and what to do for the others."""
    return await _in_thread(diagnose, cwd)


async def list_policies() -> Mapping[str, Policy]:
    """The rules that turn judgements into a verdict, by name."""
    from guildmoot.consensus.policies import POLICIES

    return POLICIES


async def list_hosts(cwd: Path = Path(), files: Sequence[Path] = ()) -> Fleet:
    """The hosts that could run agents, or those of ``files``, and the manifests that were refused."""
    from guildmoot.agents.hosts.folder import load_hosts, read_manifests

    if files:
        return await _in_thread(read_manifests, files)
    return await _in_thread(lambda: load_hosts(project_root(cwd.absolute())))


async def route(task: HostTask, terms: RoutingTerms | None = None, cwd: Path = Path()) -> Route:
    """Which host takes a task and who comes next; RouteError says why none may."""
    from guildmoot.agents.hosts.routing import route as choose
    from guildmoot.agents.hosts.tasks import RoutingTerms, with_environment

    fleet = await list_hosts(cwd)
    return choose(task, fleet.hosts, with_environment(terms or RoutingTerms(time.time())))


async def derive_panel(files: Sequence[str], cwd: Path = Path()) -> Sequence[Seating]:
    """The evaluators that changed files call for, most important first, each with its reasons."""
    from guildmoot.agents.changed_files import panel_for

    return (await _in_thread(panel_for, files, cwd.absolute())).seatings


async def recipe(name: str, manifest: Path | None = None) -> list[str]:
    """The agents of a recipe in their order; ``manifest`` is a file of recipes of your own."""
    from guildmoot.agents.recipes import AXES, load_axes, members

    return await _in_thread(lambda: members(load_axes(manifest or AXES), name))


async def phase_roster(phase: str) -> list[str]:
    """Every agent of a phase: research, plan, implementer, fixer or reviewer."""
    from guildmoot.agents.recipes import load_axes, roster

    return await _in_thread(lambda: roster(load_axes(), phase))


async def parse_and_aggregate(
    outputs: Sequence[tuple[str, str]], expected: Sequence[str] = ()
) -> dict[str, object]:
    """The panel's result, in the seeds' shape, of judges' outputs: agent and text of each."""
    from guildmoot.consensus.panel import aggregate, seed_shape
    from guildmoot.reading.grammar import read_verdict

    def read() -> dict[str, object]:
        judgements = [read_verdict(text, agent, places=False) for agent, text in outputs]
        return seed_shape(aggregate(judgements, expected=expected))

    return await _in_thread(read)


async def _in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    import asyncio  # here, because the command line calls the plain functions

    return await asyncio.to_thread(function, *args, **kwargs)


def find_agents(cwd: Path) -> Registry:
    """Who can be seated in a folder."""
    return load_agents(project_root(cwd.absolute()), user_agents_folder())


def diagnose(cwd: Path) -> Diagnosis:
    """Look at everything that is needed."""
    cwd = cwd.absolute()
    root, registry = project_root(cwd), find_agents(cwd)
    python = Check("python", sys.version_info >= (3, 11), platform.python_version())
    wrong = (*registry.problems, *registry.repository.found.problems)
    broken = (f"{problem.path}:{problem.line}: {problem.reason}" for problem in wrong)
    checks = (
        *(python, _git(), _repository(cwd), _settings(root), *_guard()),
        *_agents(registry, _files_of(cwd)),
        *(Check("agent file", False, detail, needed=False) for detail in broken),
    )
    return Diagnosis(checks, find_verification(root))


def _git() -> Check:
    path = shutil.which("git", path=search_path())
    if not path:
        return Check("git", False, "not found: install git")
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return Check("git", told.returncode == 0, told.stdout.strip().removeprefix("git version "))


def _repository(cwd: Path) -> Check:
    try:
        return Check("repository", True, str(find_root(cwd)), needed=False)
    except GuildmootError as error:
        return Check("repository", False, error.message, needed=False)


def _guard() -> list[Check]:
    """Of an installed guard, whether its handler still answers; nothing where none is installed."""
    from guildmoot.guard.install.handler import handler_problem
    from guildmoot.guard.install.settings import layers_without_hooks
    from guildmoot.guard.install.setup import installed_places

    places = installed_places(os.environ)
    if not places:
        return []
    problem = handler_problem(os.environ)
    off = layers_without_hooks(Path.cwd(), Path(os.environ.get("HOME") or Path.home()))
    if off and any("/.claude/" in place for place in places):
        problem = f"{off[0]} has disableAllHooks: no hook runs, nothing is guarded"
    return [Check("guard", not problem, problem or f"in {', '.join(places)}", needed=False)]


def _settings(root: Path) -> Check:
    try:
        config = settings_for(root)
    except GuildmootError as error:
        return Check("settings", False, error.message)
    sources = sorted({origin.source for origin in config.values.values()})
    return Check("settings", True, "; ".join((", ".join(sources), *config.notices)))


def _agents(registry: Registry, here: Sequence[str] | None) -> list[Check]:
    """Agents that only hold instructions are one line: each needs the same thing."""
    thinkers = [agent for agent in registry.agents.values() if _needs_model(agent)]
    checks = []
    if thinkers:
        detail = f"{len(thinkers)} agents need a model, e.g. {thinkers[0].name}: {_NO_MODEL}"
        offers = find_offers(keyring=True)
        checks += [Check("judges that think", True, _told(each), needed=False) for each in offers]
        checks += [] if offers else [Check("judges that think", False, detail, needed=False)]
    for name, agent in sorted(registry.agents.items()):
        if agent in thinkers:
            continue
        missing = get_backend(agent.backend).missing(agent) or _missing_grammar(agent)
        needed = (
            agent.origin == "package" and traits_of(agent.backend).is_tool and not agent.optional
        )
        added = _would_add(agent, here) if missing and agent.optional else ""
        said = missing + added or f"{agent.backend} can answer"
        checks.append(Check(name, not missing, said, needed, idle=_NOTHING in added))
    return checks


def _files_of(cwd: Path) -> list[str] | None:
    """What git tracks here; None where that cannot be told."""
    try:
        return Git(find_root(cwd)).names("ls-files", "-z")
    except (GuildmootError, GitError):
        return None


def _would_add(agent: Agent, here: Sequence[str] | None) -> str:
    """What a tool that is not here would judge in this repository."""
    if here is None or not agent.files:
        return ""
    own = [path for path in here if judges(agent, path)]
    if not own:
        return f"; {_NOTHING}: it judges {', '.join(agent.files[:_SHOWN])}"
    more = f" and {len(own) - _SHOWN} more" if len(own) > _SHOWN else ""
    files = "file" if len(own) == 1 else "files"
    return f"; it would judge {len(own)} {files} here: {', '.join(own[:_SHOWN])}{more}"


def _missing_grammar(agent: Agent) -> str:
    """What the judge of languages lacks to read any of them."""
    if agent.name != "languages" or agent.origin != "package":
        return ""
    from guildmoot.agents.parsing.grammars import GRAMMARS, missing_grammar

    return missing_grammar(GRAMMARS.keys())


def _told(offer: ModelOffer) -> str:
    """An offer, with what it would cost."""
    here = f"{offer.found} is {'set' if offer.found.isupper() else 'here'}"
    usd = offer.about_usd(_SMALL_CHANGE, _FEW)
    cost = f"about {money(usd)} for a change of {_SMALL_CHANGE} lines" if usd else "no price"
    return f"{here}: guild validate --model {offer.model} ({cost}; --dry-run tells more)"


def _needs_model(agent: Agent) -> bool:
    return traits_of(agent.backend).needs == "command" and not agent.command
