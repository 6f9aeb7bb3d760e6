"""The types between a call and the wire that carries it: request, completion, error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from guildmoot.backends.api_keys import Key
from guildmoot.model.call import Effort, FileLook, LookTurn, Usage


class CompletionRequest(NamedTuple):
    """One question to one model."""

    provider: str
    model: str
    base_url: str
    key: Key
    shared: str
    """The beginning that every seat's prompt has in common; it comes first, for prompt caches."""
    own: str
    """The rest of the prompt."""
    max_tokens: int
    """Of the answer and what is thought before it; 0 sets no limit."""
    effort: Effort = ""
    schema: Mapping[str, object] | None = None
    """What the answer must fit, in the form that the provider accepts."""
    looks: tuple[LookTurn, ...] = ()
    """What the model was shown so far, turn by turn."""
    looks_left: int = 0
    """How often it may still look."""

    @property
    def has_tools(self) -> bool:
        """Whether tools are named: also when none may be used any more, for what was shown came of them."""
        return bool(self.looks or self.looks_left)


class Completion(NamedTuple):
    """What the model said, whole."""

    text: str
    usage: Usage
    model: str = ""
    refused: str = ""
    """Why the provider would not let it answer."""
    ending: str = ""
    """How it ended when that was not the model's own end, e.g. at the limit on its length."""
    looks: tuple[FileLook, ...] = ()
    """What it asks to see before it answers."""


class CompletionError(Exception):
    """There is no answer."""

    def __init__(
        self, why: str, *, again: bool, status: int = 0, retry_after: float | None = None
    ) -> None:
        super().__init__(why)
        self.why = why
        self.again = again
        """Trying the same once more may help."""
        self.status = status
        self.retry_after = retry_after
        """Seconds that the provider wants to be left alone."""


OnText = Callable[[str], None]
"""CallOutcome every piece of the reply as it comes; first of all, perhaps empty, when it begins."""


class Wire(Protocol):
    """Carries one question to a provider. A cancelled call closes its connection at once."""

    async def ask(self, request: CompletionRequest, on_text: OnText) -> Completion:
        """The whole answer, or :class:`CompletionError`."""
        ...
