"""What a call needs of the machine that makes it, what a machine has, and whether the two meet.

A queue is named after what its calls need, so whoever serves a queue can serve all of it. Keys are
known by the names of their variables only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import NamedTuple

from guildmoot.backends import BACKENDS, get_backend, traits_of
from guildmoot.backends.api_keys import find_key
from guildmoot.backends.providers import PROVIDERS, Provider, split_model
from guildmoot.calls.cluster.codec import dumps, loads
from guildmoot.calls.cluster.schema import PROTOCOL
from guildmoot.codec import from_plain, to_plain
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call

_ADAPTER = "guildmoot.agents.tools.adapt"


class Needs(NamedTuple):
    """What all calls of one queue need."""

    backend: str
    provider: str = ""
    """For ``api``: whose model it is."""
    model: str = ""
    """For a server without keys, such as ollama: which model must be there."""
    command: tuple[str, ...] = ()
    """For programs: as much of the command line as tells which programs it takes."""
    replies: str = ""
    """For ``scripted``: the file of replies, which must be there."""
    repository: str = ""
    """For what runs in a checkout: which repository."""

    @property
    def queue(self) -> str:
        """The name of the queue: readable, and the same for the same needs."""
        words = [self.backend, self.provider, self.model, *self.command[:1], self.repository[:12]]
        readable = ".".join(_plain(word) for word in words if word)[:80]
        if not (self.model or self.command or self.replies or self.repository):
            return readable
        return f"{readable}.{hashlib.sha256(dumps(self).encode()).hexdigest()[:8]}"

    @property
    def limited_as(self) -> str:
        """The name under which settings limit it: a provider, or a backend."""
        return self.provider or self.backend


class Repository(NamedTuple):
    """A checkout on some machine."""

    identity: str
    """The same for every clone: the name of its first commit."""
    state: str
    """The same for the same files: the commit, and what differs from it."""
    path: str


class LaneRoom(NamedTuple):
    """What a worker offers to those who carry out plans."""

    slots: int
    """Lanes at once."""
    tiers: tuple[str, ...]
    """Tiers that it has somebody for."""
    commits: tuple[str, ...] = ()
    """Commits that it has: only what is newer needs to travel."""


class Capabilities(NamedTuple):
    """What a worker has, as it is advertised."""

    backends: tuple[str, ...]
    providers: tuple[str, ...]
    """Those for which a key is set there, and those that its owner named."""
    repositories: tuple[Repository, ...]
    models: tuple[str, ...] = ()
    """Models of servers without keys that its owner named, as ``provider:model``."""
    version: str = ""
    protocol: str = "guild-1"
    """Whose calls it takes; one that does not say so is of the first releases."""
    lanes: LaneRoom | None = None
    """The lanes of plans that it does beside calls."""


def needs_of(call: Call, repository: str = "") -> Needs:
    """What the call needs; UsageError when its model names nobody."""
    agent, backend = call.agent, call.seat.backend
    traits = traits_of(backend)
    where = repository if agent.run_in == "checkout" else ""
    if traits.needs == "model":
        provider, model = split_model(call.seat.model or agent.model)
        keyed = provider in PROVIDERS and PROVIDERS[provider].needs_key
        return Needs(backend, provider, "" if keyed else model)
    if traits.needs == "replies":
        return Needs(backend, replies=agent.replies)
    command = _programs(agent.command) if traits.needs == "command" else ()
    return Needs(backend, command=command, repository=where)


def lacking(needs: Needs, has: Capabilities) -> str:
    """Empty when calls of these needs can be made here; otherwise what is missing."""
    if needs.backend not in has.backends:
        return f"the backend {needs.backend}"
    if needs.provider and needs.provider not in has.providers:
        name = f"{needs.provider}:{needs.model}"
        if not needs.model or name not in has.models:
            return f"the model {name}" if needs.model else f"a key for {needs.provider}"
    if needs.repository and needs.repository not in {each.identity for each in has.repositories}:
        return f"a checkout of the repository {needs.repository[:12]}"
    if needs.provider:
        return ""
    agent = Agent(
        "any", "", "", "the agent file",
        backend=needs.backend, command=needs.command, replies=needs.replies,
    )  # fmt: skip
    if needs.repository and "/" in (needs.command or ("",))[0]:
        return ""  # a program of the checkout itself
    return get_backend(needs.backend).missing(agent)


def withheld(
    needs: Needs, backends: Collection[str], providers: Collection[str], models: Collection[str]
) -> str:
    """Empty when an owner who named these lets such calls be made; otherwise what was not named.

    Looked at before every call: a queue's name is no proof of what its calls are.
    """
    if backends and needs.backend not in backends:
        return f"the backend {needs.backend}"
    if not needs.provider or needs.provider in providers:
        return ""
    if needs.model:
        name = f"{needs.provider}:{needs.model}"
        return "" if name in models else f"the model {name}"
    return f"the provider {needs.provider}" if providers else ""


def capabilities(
    backends: Iterable[str] = (),
    providers: Iterable[str] = (),
    models: Iterable[str] = (),
    repositories: Iterable[Repository] = (),
) -> Capabilities:
    """What this machine has, held to what its owner named.

    A provider counts as there when its key is set; one without keys, or one that only pydantic-ai
    knows, when it or its model is named.
    """
    from guildmoot.version import __version__

    named = tuple(providers)
    keyed = [each.name for each in PROVIDERS.values() if _has_key(each)]
    keyless = [name for name in named if name not in PROVIDERS or not PROVIDERS[name].needs_key]
    offered = [name for name in keyed if not named or name in named] + keyless
    kinds = tuple(backends) or tuple(sorted(BACKENDS))
    return Capabilities(
        kinds, tuple(offered), tuple(repositories), tuple(models), __version__, PROTOCOL
    )


def as_text(value: Needs | Capabilities) -> str:
    """JSON for the database."""
    return dumps(to_plain(value))


def needs_from(text: str) -> Needs:
    """What was written with ``as_text``."""
    return from_plain(Needs, loads(text))


def capabilities_from(text: str) -> Capabilities:
    """What was written with ``as_text``."""
    return from_plain(Capabilities, loads(text))


def explained(needs: Needs, call: Call) -> str:
    """What the call needs, in words."""
    words = [f"the backend {needs.backend}"]
    if needs.provider:
        variables = PROVIDERS[needs.provider].key_variables if needs.provider in PROVIDERS else ()
        key = f" ({' or '.join(variables)})" if variables else ""
        words.append(f"a key for {needs.provider}{key}")
    if needs.command:
        words.append(f"the program {needs.command[0]}")
    if needs.repository:
        words.append(f"a checkout of {needs.repository[:12]} in the same state")
    if call.seat.model:
        words.append(f"the model {call.seat.model}")
    return ", ".join(words)


def _programs(command: tuple[str, ...]) -> tuple[str, ...]:
    """The program, and with our adapter the one that it runs after ``--``."""
    if _ADAPTER in command and "--" in command:
        return command[: command.index("--") + 2]
    return command[:1]


def _has_key(provider: Provider) -> bool:
    return provider.needs_key and bool(find_key(provider.key_variables))


def _plain(word: str) -> str:
    """A part of a queue's name: letters that are safe everywhere."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in word)[-40:]
