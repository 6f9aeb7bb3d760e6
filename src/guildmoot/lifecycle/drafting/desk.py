"""Asks a model for a draft: through the ledger of the run, secrets masked, its JSON checked, twice at most.

Nothing waits for it: without an answer that can stand, the work goes on with what people and rules wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from guildmoot.agents.binding import bind_model, parse_model
from guildmoot.agents.registry import load_agents
from guildmoot.agents.roster import seat_for
from guildmoot.calls.session import CallSession, ReusePolicy, open_session
from guildmoot.config import Config
from guildmoot.errors import GuildmootError
from guildmoot.guard.nonce import make_nonce
from guildmoot.guard.scrub import operator_scrubber
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call
from guildmoot.practices.calls import with_schema
from guildmoot.reading.json_repair import ParsedJson
from guildmoot.reading.reply_json import find_json
from guildmoot.text.clean import clean, one_line

T = TypeVar("T")
_TIMEOUT = 300.0
_AGAIN = "\n\nYour last answer could not be used: {problem}. Answer again, in the form that was asked for.\n"
_WITHOUT = "(nothing)"
_MOST_TRIES = 12


class DraftAnswer(NamedTuple):
    """What a model said, or why it said nothing that can be used."""

    text: str = ""
    problem: str = ""
    kept: bool = False
    """It is the answer that an earlier call got."""


class DraftDesk:
    """Asks models on behalf of one run."""

    def __init__(self, session: CallSession, root: Path) -> None:
        self._session, self._root = session, root
        self._scrub = operator_scrubber()

    def mark(self, *parts: str) -> str:
        """What fences documents in a question; nobody who wrote them can know it."""
        return make_nonce("work", str(self._root), *parts)

    async def ask(
        self,
        role: str,
        model: str,
        question: str,
        *,
        schema: Mapping[str, object] | None = None,
        round: int = 0,
        attempt: int = 0,
    ) -> DraftAnswer:
        """One answer of a model in a role; an answer that is kept is not paid for twice."""
        try:
            agent = _agent(role, model, self._root)
            sent = self._scrub.text(question or _WITHOUT).text
            call = Call(
                seat_for(agent, f"{role} of the work"), agent, sent, timeout=agent.timeout or _TIMEOUT,
                round=round, attempt=attempt,
            )  # fmt: skip
            call = with_schema(call, schema) if schema else call
            [reply] = (await self._session.ask([call])).replies
        except GuildmootError as wrong:  # no such model, no budget: the rules go on alone
            return DraftAnswer("", one_line(clean(wrong.message)))
        if reply.status != "answered":
            return DraftAnswer("", one_line(clean(reply.error))[:200] or reply.status)
        return DraftAnswer(reply.text, kept=bool(reply.kept))

    async def ask_json(
        self,
        role: str,
        model: str,
        question: str,
        read: Callable[[Mapping[str, object]], tuple[T, str]],
        *,
        schema: Mapping[str, object] | None = None,
        round: int = 0,
        partly: bool = False,
    ) -> tuple[T | None, str]:
        """A checked answer, or None and why; a wrong one is asked for once more, one that was kept is no try.

        ``partly`` takes what can stand of the last answer, beside what is wrong with the rest.
        """
        problem, asked, tries = "", question, 2
        value: T | None = None
        for attempt in range(_MOST_TRIES):
            said = await self.ask(role, model, asked, schema=schema, round=round, attempt=attempt)
            if said.problem:
                return None, said.problem
            found = first_object(said.text)
            value, problem = read(found) if found is not None else (None, "it is no JSON object")
            if not problem:
                return value, ""
            asked = question + _AGAIN.format(problem=problem)
            tries -= not said.kept
            if not tries:
                break
        return value if partly else None, problem


@contextmanager
def open_desk(root: Path, run: str, config: Config) -> Iterator[DraftDesk]:
    """The desk of one run: what it was answered once, it is not asked again."""
    with open_session(root, run, config, reuse=ReusePolicy(only=run)) as session:
        yield DraftDesk(session, root)


def first_object(text: str) -> dict[str, object] | None:
    """The first JSON object of a reply."""

    def take(parsed: ParsedJson) -> list[dict[str, object]]:
        return [parsed.value] if isinstance(parsed.value, dict) else []

    return next(iter(find_json(text, take)), None)


def _agent(role: str, model: str, root: Path) -> Agent:
    """The agent of the user's that is named, or a blank one on the model that is."""
    known = load_agents(root).agents.get(model)
    if known is not None:
        return known._replace(name=role)
    return bind_model(
        Agent(role, f"{role} of the work", "", "built in", role="clerk"), parse_model(model)
    )
