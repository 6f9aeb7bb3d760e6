"""The backends, and everything that the rest of the program knows about each of them.

To add one: write ``backends/<name>.py`` with a module constant ``BACKEND`` that satisfies
:class:`Backend`, and add one line to ``_ENTRIES``. The module is imported
when the first seat asks for it; its traits cost no import.
"""

from __future__ import annotations

from importlib import import_module
from typing import Literal, Protocol

from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply
from guildmoot.named import NamedTuple


class Backend(Protocol):
    """Runs one agent once. An object is shared by all seats, so calls may overlap.

    Spawn holds the deadline, names the seat and measures the seconds of every reply; a backend
    need not. When its call is cancelled it ends what it started, then lets the cancellation pass.
    """

    @property
    def name(self) -> str:
        """The word that agent files use."""
        ...

    async def call(self, call: Call) -> Reply:
        """Run the agent and return what it said; a failure is a reply too, with its reason."""
        ...

    def missing(self, agent: Agent) -> str:
        """Empty when the agent could answer now; otherwise why not, and what to do about it."""
        ...


class Traits(NamedTuple):
    """What is true of one backend; the defaults fit a program that answers a prompt in words."""

    name: str
    """The word in agent files, and the name of its module here."""
    needs: Literal["", "command", "model", "replies"] = ""
    """The key of an agent file without which it cannot run; ``model`` is ``provider:model``."""
    is_tool: bool = False
    """It is given files, not a prompt, and prints findings in the agent's ``format``."""
    is_program: bool = False
    """What it says comes of a program or a script of the user, which answers in an exact form."""
    is_client: bool = False
    """A coding agent with a command line of its own, which takes the bare names of models."""
    sandboxed: bool = False
    """At work it keeps the commands that it runs to the folder by itself."""
    by_commands: bool = False
    """At work it reads and writes files by commands alone, so it runs them whatever its tools are."""
    works: bool = False
    """It can also do work: change files in a folder, with tools. Every backend can judge."""
    handed: bool = False
    """It asks nobody: its prompts are handed to the agents of whoever runs us, who pays for them."""
    free: bool = False
    """It runs no model, sends nothing away and costs nothing."""
    pure: bool = False
    """A judge's answer depends on the call alone, so the ledger may give it to another run."""
    waits: bool = False
    """It only waits for somebody else, so one machine can make many calls at once."""
    provider: str = ""
    """Whose models it runs, where they are all one vendor's: for families and prices."""
    schema: Literal["", "anthropic", "openai", "model"] = ""
    """The vendor in whose form it takes a JSON schema for the reply; ``model``: the model's."""
    looks: bool = False
    """It carries tools of ours to models that take them: for looking into files, see ``looks``."""
    own_output: int = 0
    """Tokens that one answer may have where it cannot be told how many: the most of its vendor's models."""
    overhead_tokens: int = 0
    """What it sends before our prompt, at most: instructions and tools of its own, as measured."""

    @property
    def unpaid(self) -> bool:
        """Whether its calls cost us nothing."""
        return self.free or self.handed

    @property
    def bare_models(self) -> bool:
        """Whether a model is named without its provider."""
        return self.is_client or self.handed

    @property
    def takes_model(self) -> bool:
        """Whether a seat can be moved to another model by name."""
        return bool(self.provider) or self.needs == "model"


_ENTRIES = (
    Traits("tool", needs="command", is_tool=True, free=True),
    Traits("command", needs="command", works=True, is_program=True),
    Traits("scripted", needs="replies", works=True, free=True, waits=True, is_program=True),
    Traits("host", handed=True, waits=True),
    Traits("api", needs="model", pure=True, waits=True, schema="model", looks=True),
    Traits(
        "claude", is_client=True, works=True, pure=True,
        provider="anthropic", schema="anthropic", overhead_tokens=2_000,
    ),
    Traits(
        "codex", is_client=True, works=True, pure=True, sandboxed=True, by_commands=True,
        provider="openai", schema="openai", overhead_tokens=17_000, own_output=128_000,
    ),
    Traits(
        "gemini", is_client=True, works=True, pure=True,
        provider="google", overhead_tokens=13_000,
    ),
)  # fmt: skip
_TRAITS = {each.name: each for each in _ENTRIES}

BACKENDS: tuple[str, ...] = tuple(_TRAITS)
"""Every backend that an agent file may name."""
CLIENTS: tuple[str, ...] = tuple(each.name for each in _ENTRIES if each.is_client)
"""Those that are coding agents."""


def traits_of(name: str) -> Traits:
    """What is true of the backend of that name; UsageError when there is none."""
    if name not in _TRAITS:
        raise UsageError(f"there is no backend {name!r}", _nearest(name))
    return _TRAITS[name]


def get_backend(name: str) -> Backend:
    """The backend of that name, one object for the whole process."""
    backend: Backend = import_module(f"guildmoot.backends.{traits_of(name).name}").BACKEND
    return backend


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, BACKENDS, n=1)
    known = f"This version has: {', '.join(sorted(BACKENDS))}."
    return f"Did you mean {near[0]!r}? {known}" if near else known
