"""Which agent sits on which model: ``--agents a@provider:model,b@claude,c`` and ``--model``.

Here words become bindings, and an agent is given the backend, model and family of its binding.
Whether that backend is there, and who is seated at all, is for others to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from guildmoot.agents.families import default_family, model_vendor
from guildmoot.backends import BACKENDS, CLIENTS, traits_of
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_OTHER_PROVIDERS = (
    *("azure", "bedrock", "cerebras", "cohere", "deepseek", "fireworks", "groq", "mistral"),
    *("moonshotai", "together", "xai", "zai"),
)
_AGENT = lazy(r"(?i:repo:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MODEL = lazy(r"[^\s,\x00-\x1f\x7f]{1,200}")
_CLIENT_OF = {traits_of(name).provider: name for name in CLIENTS}
_EXAMPLES = "For example: --agents a@anthropic:claude-sonnet-4-5,b@claude,b@codex:gpt-5,c"


class ModelBinding(NamedTuple):
    """An agent and what it runs on."""

    agent: str
    """Empty where a model was given for every agent that has none."""
    backend: str = ""
    """``api`` or a client; empty leaves what the agent file says."""
    model: str = ""
    """``provider:model`` for ``api``, the client's own name for a client, empty for its default."""


def parse_bindings(words: Iterable[str]) -> tuple[ModelBinding, ...]:
    """One binding a word, in their order; an agent may be named several times, once a seat."""
    return tuple(_binding(word.strip()) for word in words)


def parse_model(text: str) -> ModelBinding:
    """What ``--model`` says, in the words that follow the ``@`` of a binding."""
    backend, model = _placement(text.strip(), f"--model {text}")
    return ModelBinding("", backend, model)


def known_providers() -> tuple[str, ...]:
    """Services that a model can be named at."""
    from guildmoot.backends.providers import PROVIDERS  # needed only where a model is named

    return (*PROVIDERS, *_OTHER_PROVIDERS)


def bind_model(agent: Agent, binding: ModelBinding) -> Agent:
    """The agent on the backend and model of the binding; its family is theirs, not the file's."""
    if not binding.backend:
        return agent
    if traits_of(agent.backend).is_tool:
        raise UsageError(
            f"{agent.name} is a tool: it runs a program and cannot be seated on a model",
            f"Name it alone: --agents {agent.name}",
        )
    return agent._replace(
        backend=binding.backend,
        model=binding.model,
        family=default_family(binding.backend, (), binding.model),
        command=(),
        replies="",
    )


def bind_default(agent: Agent, model: ModelBinding) -> Agent:
    """The agent under ``--model``: only one whose file names no backend or model is moved."""
    return bind_model(agent, model) if is_unbound(agent) else agent


def bind_as_written(agent: Agent) -> Agent:
    """An agent whose file says ``model: provider:model`` and no backend, on that model."""
    if not _lacks_command(agent) or ":" not in agent.model:
        return agent
    return bind_model(agent, parse_model(agent.model)._replace(agent=agent.name))


def is_unbound(agent: Agent) -> bool:
    """Whether the agent's file leaves open what it runs on."""
    return _lacks_command(agent) and ":" not in agent.model


def _lacks_command(agent: Agent) -> bool:
    return traits_of(agent.backend).needs == "command" and not agent.command


def _binding(word: str) -> ModelBinding:
    agent, at, where = word.partition("@")
    if not _AGENT.fullmatch(agent):
        problem = "no agent is named before the @" if at and not agent else "is no agent's name"
        raise UsageError(f"{word!r}: {problem}", _EXAMPLES)
    if not at:
        return ModelBinding(agent)
    return ModelBinding(agent, *_placement(where, word))


def _placement(where: str, said: str) -> tuple[str, str]:
    """Backend and model of ``provider:model``, ``client`` or ``client:model``."""
    first, colon, model = where.partition(":")
    key = first.casefold()
    if colon and not _MODEL.fullmatch(model):
        raise UsageError(f"{said!r}: no model is named after {first}:", _EXAMPLES)
    if key in CLIENTS or (key in BACKENDS and traits_of(key).handed):
        return key, model
    if not colon:
        raise UsageError(*_no_place(first, said))
    if key not in known_providers():
        raise UsageError(*_no_provider(first, model, said))
    return "api", f"{key}:{model}"


def _no_place(word: str, said: str) -> tuple[str, str]:
    if not word:
        return f"{said!r}: nothing is named after the @", _EXAMPLES
    if word.casefold() in BACKENDS:
        return (
            f"{said!r}: only an agent file can say `backend: {word.casefold()}`",
            f"Name the agent alone, or a model or client. {_EXAMPLES}",
        )
    if word.casefold() in known_providers():
        return f"{said!r}: {word} needs a model", f"For example: {word}:MODEL"
    vendor = model_vendor(word)
    if vendor in _CLIENT_OF:
        return (
            f"{said!r}: {word} is a model without the service or client that runs it",
            f"For example: {vendor}:{word} or {_CLIENT_OF[vendor]}:{word}",
        )
    return f"{said!r}: there is no client {word!r}", _near(word, CLIENTS)


def _no_provider(first: str, model: str, said: str) -> tuple[str, str]:
    known = sorted({*known_providers(), *CLIENTS})
    return f"{said!r}: there is no provider {first!r}", _near(first, known, f":{model}")


def _near(word: str, known: Collection[str], rest: str = "") -> str:
    near = get_close_matches(word.casefold(), list(known), n=2)
    asked = f"Did you mean {' or '.join(f'{name}{rest}' for name in near)}? " if near else ""
    return asked + (_EXAMPLES if near else f"Known: {', '.join(known)}. {_EXAMPLES}")
