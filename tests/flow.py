"""Replies put through the real flow: asked over HTTP of a provider on loopback, read, asked again, read."""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from unittest import mock

from guildmoot.calls.session import open_session
from guildmoot.config import load_config
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call
from guildmoot.model.verdict import Judgement
from guildmoot.practices.calls import ask_for_vote
from guildmoot.practices.stage import JUDGEMENT, ask
from loopback import Rule, serving


class Said(NamedTuple):
    """What one judge says, and when it is asked once more."""

    first: str
    again: str
    form: Literal["verdict", "council"] = "verdict"
    stands: str = ""
    """Its answer in the form that asks for its verdict again; empty for the same as ``again``."""


class Heard(NamedTuple):
    """What the flow made of a judge's replies, and how often it asked."""

    judgement: Judgement
    asked: int


def hear(said: Sequence[Said], model: str = "openai-compatible:m") -> list[Judgement]:
    """What the flow makes of each; ``{nonce}`` is what the judge must carry into its line."""
    return [each.judgement for each in hear_counted(said, model)]


def hear_counted(said: Sequence[Said], model: str = "openai-compatible:m") -> list[Heard]:
    """The same, each with the number of questions that it took."""
    rules, calls = [], []
    for number, one in enumerate(said):
        mark = f"case {number} of {len(said)}"
        agent = Agent("judge", "d", "", "test", backend="api", model=model, reply=one.form)
        seat = Seat(f"judge-{number}", "judge", "api", "vendor", model=model)
        calls.append(ask_for_vote(Call(seat, agent, f"The work, {mark}.\n", files=("app.py",))))
        asked = Rule(one.stands or one.again, rf'(?s){mark}.*"was_everything_read"')
        rules += [Rule(one.first, mark, times=1), asked, Rule(one.again, mark)]

    async def held() -> list[Judgement]:
        with open_session(None, "run", load_config(None, Path("/nowhere"), {})) as session:
            return list((await ask(session, calls, JUDGEMENT, limit=20)).values)

    with serving(rules) as provider, mock.patch.dict(os.environ, provider.environment()):
        judged = asyncio.run(held())
    marks = [re.findall(r"case (\d+) of", request.prompt) for request in provider.requests]
    times = Counter(int(found[0]) for found in marks if found)
    return [Heard(judgement, times[number]) for number, judgement in enumerate(judged)]
