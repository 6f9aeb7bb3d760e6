"""Who sits at the table: the agents that were named, or the panel derived from the packet's files.

Every seat that could not answer is known before anything runs; nothing is silently substituted. Two
things never sit unless they are named: an agent from the repository under review (``repo:NAME``), which
is text that its author wrote, and a tool that runs the project's own code through its settings, plugins
or build scripts; such tools are listed with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from guildmoot.agents.binding import (
    ModelBinding,
    bind_as_written,
    bind_default,
    bind_model,
    parse_bindings,
    parse_model,
)
from guildmoot.agents.registry import Registry
from guildmoot.agents.verification import verification_agent
from guildmoot.backends import get_backend, traits_of
from guildmoot.config import Config
from guildmoot.errors import InfrastructureError, NothingJudgedError, UsageError
from guildmoot.model.agent import Agent, Roster, Seat
from guildmoot.model.packet import PacketFile
from guildmoot.text.globs import matches
from guildmoot.text.languages import language_in, language_of, plain_name

NOBODY: tuple[tuple[str, str], ...] = ()
RUNS_PROJECT_CODE = "runs project code: name it with --add"
NOT_INSTALLED = "not installed"
CANNOT = "could not answer now: "
_ENDINGS = {
    "Python": ".py", "Shell": ".sh", "JavaScript": ".js", "Ruby": ".rb", "Perl": ".pl", "PHP": ".php",
}  # fmt: skip
_UNTOLD = (".py3", ".wsgi", ".tac", ".pyt", ".command")
"""Endings that mean a language of the table and that its judges do not know."""


def make_roster(
    registry: Registry,
    config: Config,
    paths: Sequence[str],
    named: Sequence[str],
    verify: str,
    thinkers: Sequence[str] = (),
    *,
    planned: bool = False,
    change: bool = False,
    gone: Sequence[str] = (),
) -> Roster:
    """Seat the named agents, else the configured ones, else the panel that the files call for.

    ``thinkers`` are the evaluators that the files call for: they sit beside the tools where a model is
    given. In a roster that is only ``planned``, those that could not answer now keep their seats. ``gone`` is what
    a change deletes: who compares both sides looks at that, too.
    """
    named = named or config.strings("panel.agents")
    _check_names(registry, named, config)
    model = config.text("panel.model")
    if named:
        chosen, passed_over = _named(registry, named, model), NOBODY
    else:
        chosen, passed_over = _derived(registry, config, paths, change, gone)
        chosen, passed_over = _with_thinkers(registry, config, thinkers, chosen, passed_over)
    if verify:
        agent = verification_agent(verify)
        chosen.append((agent, seat_for(agent, "the project's own check")))
    if not chosen and not paths:
        raise NothingJudgedError(
            "Undecided: no judge at the table looks at what the change touches: files that are gone,"
            " or too large",
            "A person must look at it, or an agent that reads the diff:"
            " --agents evaluator-correctness@claude.",
        )
    if not chosen:
        raise UsageError(
            "no agent is left to judge", "'guild agents list' shows who could be seated."
        )
    able, unable = _able(chosen, degrade=config.flag("panel.degrade"), planned=planned)
    broken = tuple((problem.path, f"broken: {problem.reason}") for problem in registry.problems)
    return _unique(able, (*passed_over, *unable, *broken))


def _check_names(registry: Registry, named: Sequence[str], config: Config) -> None:
    """UsageError for all names at once that nobody bears; one alone is told with the nearest."""
    words = parse_bindings([*named, *config.strings("panel.add")])
    names = [*(each.agent for each in words), *config.strings("panel.skip")]
    unknown = list(dict.fromkeys(name for name in names if not registry.knows(name)))
    if len(unknown) > 1:
        told = ", ".join(map(repr, unknown))
        raise UsageError(f"there are no agents {told}", "'guild agents list' shows them all.")


def is_installed(agent: Agent) -> bool:
    """Whether the agent's backend could answer now."""
    return not get_backend(agent.backend).missing(agent)


def _named(registry: Registry, words: Sequence[str], model: str) -> list[tuple[Agent, Seat]]:
    """The agents that were named, each on the model that its word, its file or ``model`` gives."""
    default = parse_model(model) if model else None
    agents = [bound_agent(registry, binding, default) for binding in parse_bindings(words)]
    return [(agent, seat_for(agent, "named")) for agent in agents]


def bound_agent(registry: Registry, binding: ModelBinding, default: ModelBinding | None) -> Agent:
    """The agent of a binding, on the model that this, its file or ``default`` gives."""
    agent = bind_as_written(bind_model(registry.get(binding.agent), binding))
    return bind_default(agent, default) if default else agent


def _able(
    chosen: Sequence[tuple[Agent, Seat]], *, degrade: bool, planned: bool
) -> tuple[list[tuple[Agent, Seat]], tuple[tuple[str, str], ...]]:
    """Those who can answer. One who cannot is an error before anything is spent, unless told so.

    A tool is left to its run: one that is missing is an outcome of the panel, and costs nothing.
    """
    missing = {
        seat.name: get_backend(agent.backend).missing(agent)
        for agent, seat in chosen
        if not traits_of(agent.backend).free
    }
    unable = tuple((name, f"left out by --degrade: {why}") for name, why in missing.items() if why)
    if planned and not degrade:
        return [*chosen], tuple((name, f"{CANNOT}{why}") for name, why in missing.items() if why)
    if unable and not degrade:
        raise InfrastructureError(
            told_missing(missing),
            "Nothing was called. --degrade goes on without such seats, and the record says so.",
        )
    able = [(agent, seat) for agent, seat in chosen if not missing.get(seat.name)]
    if not able:
        raise InfrastructureError("no seat that can answer is left", "'guild doctor' tells why.")
    return able, unable


def told_missing(missing: Mapping[str, str]) -> str:
    """Everything that is missing, at once: each reason with those whom it keeps from answering."""
    by_reason: dict[str, list[str]] = {}
    for name, why in missing.items():
        if why:
            by_reason.setdefault(why, []).append(name)
    told = (f"{', '.join(names)} cannot answer: {why}" for why, names in by_reason.items())
    return "; ".join(told)


def _with_thinkers(
    registry: Registry,
    config: Config,
    thinkers: Sequence[str],
    chosen: list[tuple[Agent, Seat]],
    passed_over: tuple[tuple[str, str], ...],
) -> tuple[list[tuple[Agent, Seat]], tuple[tuple[str, str], ...]]:
    """The derived panel with the evaluators that its files call for, on the model that was given."""
    model = config.text("panel.model")
    if not model:
        return chosen, passed_over
    default, seated = parse_model(model), {seat.agent for _, seat in chosen}
    skip = {registry.get(name).name for name in config.strings("panel.skip")}
    for name in thinkers:
        if name not in registry.agents:
            passed_over = (*passed_over, (name, "there is no such agent"))
        elif name in skip:
            passed_over = (*passed_over, (name, "skipped as asked"))
        elif name not in seated:
            agent = bound_agent(registry, ModelBinding(name), default)
            chosen.append((agent, seat_for(agent, "the files call for it")))
    return chosen, passed_over


def _derived(
    registry: Registry, config: Config, paths: Sequence[str], change: bool, gone: Sequence[str]
) -> tuple[list[tuple[Agent, Seat]], tuple[tuple[str, str], ...]]:
    skip, add = (
        {registry.get(name).name for name in config.strings("panel.skip")},
        config.strings("panel.add"),
    )
    panel = derive_default(paths, registry.agents, is_installed, change=change, gone=gone)
    chosen = [(panel.agents[s.name], s) for s in panel.seats if s.agent not in skip]
    more = [word for word in add if word not in panel.agents]
    chosen += _named(registry, more, config.text("panel.model"))
    skipped = tuple((s.agent, "skipped as asked") for s in panel.seats if s.agent in skip)
    others = tuple(row for row in panel.passed_over if row[0] not in add)
    return chosen, (*others, *skipped)


def _unique(
    chosen: Sequence[tuple[Agent, Seat]], passed_over: tuple[tuple[str, str], ...]
) -> Roster:
    """Give every seat a name of its own, so that an agent may sit twice."""
    seats: list[Seat] = []
    agents: dict[str, Agent] = {}
    for agent, seat in chosen:
        name, number = seat.name, 1
        while name in agents:
            number += 1
            name = f"{seat.name}-{number}"
        agents[name] = agent
        seats.append(seat._replace(name=name))
    return Roster(tuple(seats), agents, passed_over)


def derive_default(
    paths: Sequence[str],
    agents: Mapping[str, Agent],
    installed: Callable[[Agent], bool],
    *,
    change: bool = False,
    gone: Sequence[str] = (),
) -> Roster:
    """Seat every evidence judge that has files to judge; optional ones must be ``installed``.

    One that compares with a base has nothing to do but in a ``change``.
    """
    seated: dict[str, Seat] = {}
    passed_over: list[tuple[str, str]] = []
    for agent in sorted(agents.values(), key=lambda agent: agent.name):
        if agent.role != "evaluator" or not traits_of(agent.backend).is_tool:
            continue
        compares = "{repository}" in agent.command
        judged = judged_paths(agent, [*paths, *gone] if compares else paths)
        if not judged or (compares and not change):
            continue
        reason = _passed_over(agent, installed)
        if reason:
            passed_over.append((agent.name, reason))
        else:
            seated[agent.name] = seat_for(agent, _why(agent, judged))
    return Roster(
        tuple(seated.values()), {name: agents[name] for name in seated}, tuple(passed_over)
    )


def seat_for(agent: Agent, why: str) -> Seat:
    """The agent's seat at the table, under the agent's own name."""
    return Seat(
        name=agent.name,
        agent=agent.name,
        backend=agent.backend,
        family=agent.family,
        model=agent.model,
        perspective=agent.perspective,
        why=why,
    )


def judged_paths(
    agent: Agent, paths: Sequence[str], known_as: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Those of the packet's paths that this agent judges; a script is also known by its language's name.

    Globs from the root name the rules that it judges by: where they are, it judges all.
    """
    if agent.files and all(glob.startswith("/") for glob in agent.files):
        return [*paths] if any(judges(agent, path) for path in paths) else []
    return [
        path
        for path in paths
        if judges(agent, path) or (path in known_as and judges(agent, known_as[path]))
    ]


def known_as(files: Iterable[PacketFile]) -> dict[str, str]:
    """Files whose names do not tell what they are, by those that would: ``bin/tool.py``, ``A.py`` for ``A.PY``."""
    found = {}
    for path, text, _ in files:
        folder, slash, name = path.rpartition("/")
        plain, language = plain_name(path), language_in(path, text)
        ending = _ENDINGS.get(language.name, "")
        if language_of(plain) != language and ending:
            found[path] = path + ending
        elif plain.endswith(_UNTOLD):
            found[path] = folder + slash + plain.rpartition(".")[0] + ending
        elif plain != name.lower():
            found[path] = folder + slash + plain
        elif name.rpartition(".")[2] != plain.rpartition(".")[2]:
            found[path] = f"{path.rpartition('.')[0]}.{plain.rpartition('.')[2]}"
    return found


def judges(agent: Agent, path: str) -> bool:
    """Whether a file of this name is one that the agent judges."""
    return (not agent.files or matches(path, agent.files)) and not matches(path, agent.skip)


def _passed_over(agent: Agent, installed: Callable[[Agent], bool]) -> str:
    if agent.run_in == "checkout":
        return RUNS_PROJECT_CODE
    return NOT_INSTALLED if agent.optional and not installed(agent) else ""


def _why(agent: Agent, judged: Sequence[str]) -> str:
    """``12 *.py, 1 *.pyi files``: how many files each of the agent's globs brought in."""
    if not agent.files:
        return _count(len(judged))
    named = ([glob for glob in agent.files if matches(path, (glob,))][:1] for path in judged)
    by_glob = Counter(glob for globs in named for glob in globs)
    *others, last = [(number, glob) for glob, number in by_glob.items()]
    return ", ".join([*(f"{number} {glob}" for number, glob in others), _count(*last)])


def _count(number: int, glob: str = "") -> str:
    return " ".join(filter(None, (str(number), glob, "file" if number == 1 else "files")))
