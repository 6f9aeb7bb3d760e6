"""Finds agents by name: the user's own, then the package's.

What lies in the repository under review holds no such name: ``repository`` keeps it apart, under
``repo:NAME``.
"""

from __future__ import annotations

from pathlib import Path

from guildmoot.agents.fields import AgentProblem
from guildmoot.agents.folders import Shadowed, first_wins, problems_of, read_folder, read_package
from guildmoot.agents.repository import PREFIX, RepositoryAgents
from guildmoot.errors import AgentFileError, UsageError, did_you_mean
from guildmoot.guard.trust import is_brought
from guildmoot.model.agent import Agent
from guildmoot.named import NamedTuple

PACKAGE_FOLDER = Path(__file__).with_name("data")
NO_REPOSITORY = RepositoryAgents(None)


_BROUGHT = "git tracks it in this repository, so it is not used as yours"


class Registry(NamedTuple):
    """Every agent that can be called by name, and every file that could not be read."""

    agents: dict[str, Agent]
    """The user's and the package's."""
    shadowed: tuple[Shadowed, ...] = ()
    problems: tuple[AgentProblem, ...] = ()
    repository: RepositoryAgents = NO_REPOSITORY

    def knows(self, name: str) -> bool:
        """Whether there is such an agent, or a reason why it cannot be had."""
        key = name.casefold()
        known = (*self.agents, *(problem.agent for problem in self.problems))
        brought = any(self.repository.brings(each) for each in (name, f"{PREFIX}{name}"))
        return brought or name in self.agents or any(each.casefold() == key for each in known)

    def get(self, name: str) -> Agent:
        """The agent of that name, upper and lower case alike; else an error says what to do."""
        key = name.casefold()
        if key.startswith(PREFIX):
            return self.repository.get(name)
        broken = [problem for problem in self.problems if problem.agent.casefold() == key]
        found = next(
            (agent for agent in self.agents.values() if agent.name.casefold() == key), None
        )
        if found is not None:
            return found
        if broken:
            raise AgentFileError(
                "\n".join(map(str, broken)),
                "Mend the file; 'guild agents check' looks at all of them.",
            )
        if self.repository.brings(f"{PREFIX}{name}"):
            raise UsageError(
                f"{name} is an agent that this repository brings",
                f"Trust it with `guild trust`, then name it {PREFIX}{name}.",
            )
        hint = did_you_mean(name, self.agents, "'guild agents list' shows them all.", most=3)
        raise UsageError(f"there is no agent {name!r}", hint)


def load_agents(root: Path | None, user_dir: Path | None = None, base: str = "") -> Registry:
    """Every agent that counts for ``root``; ``user_dir`` holds the user's own.

    ``base`` is the commit that a change is compared with: the repository's agents are those of it.
    """
    own = user_agents_folder() if user_dir is None else user_dir
    brought = root is not None and is_brought(root, own)
    layers = [[] if brought else read_folder(own, "user"), read_package(PACKAGE_FOLDER)]
    agents, shadowed = first_wins(layers)
    problems = [AgentProblem(str(own), 1, _BROUGHT)] if brought else []
    problems += problems_of(layers)
    return Registry(agents, tuple(shadowed), tuple(problems), RepositoryAgents(root, base))


def user_agents_folder() -> Path:
    """Where the user keeps agents for every project."""
    from platformdirs import user_config_path

    return user_config_path("guildmoot") / "agents"
