"""What the input of 5 seats on one large packet costs, against one seat without a cache.

    python benchmarks/prompt_cache.py

The scripted provider bills as the vendors do: writing to Anthropic's cache costs 25 % more than
plain input and reading 10 % of it; OpenAI and Google write for nothing and read at a tenth here. The
bound is 1.8 times one seat; 1.65 is the least that a write and four reads can cost, and 5 is what
it costs without a cache. Exit code 1 when the bound is missed.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

from guildmoot.backends.api import ApiBackend
from guildmoot.calls import spawn
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Usage

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from loopback import Rule, serving

SEATS = 5
BOUND = 1.8
FIRST_TOKEN = 0.3
PACKET = "def f(x):\n    return x + 1\n\n" * 4000
OWN = "You are judge {}. Look at one thing only: whether names say what things do.\n"
WRITE, READ = 1.25, 0.1
MODELS = ("anthropic:claude-sonnet-5-5", "openai:gpt-5", "openai-chat:gpt-5", "google:gemini-3-pro")


def main() -> int:
    ratios = [asyncio.run(measure(model)) for model in MODELS]
    print(f"bound        {BOUND} times one seat without a cache")
    return 0 if max(ratios) <= BOUND else 1


async def measure(model: str) -> float:
    """The ratio for one provider, with a provider whose cache is empty."""
    with serving([Rule(delay=FIRST_TOKEN)]) as provider:
        os.environ.update(provider.environment())
        backend = ApiBackend()
        began = time.perf_counter()
        spawned = await spawn(calls_for(model), backend.call)
        wall = time.perf_counter() - began
    usages = [reply.usage or Usage() for reply in spawned.replies]
    alone = usages[0].input_tokens
    ratio = sum(cost(usage) for usage in usages) / alone
    read = sum(usage.cache_read_tokens for usage in usages) / sum(u.input_tokens for u in usages)
    print(
        f"{model:<28} {ratio:.3f} times one seat ({SEATS / ratio:.1f} times less than without), "
        f"{read:.0%} read from the cache, {wall:.2f} s for a first token after {FIRST_TOKEN} s"
    )
    return ratio if all(reply.status == "answered" for reply in spawned.replies) else SEATS


def calls_for(model: str) -> list[Call]:
    agent = Agent("judge", "", "", "judge.md", backend="api", model=model)
    seats = [Seat(f"judge-{number}", "judge", "api", "test") for number in range(SEATS)]
    return [Call(seat, agent, PACKET + OWN.format(seat.name), shared=len(PACKET)) for seat in seats]


def cost(usage: Usage) -> float:
    """In plain input tokens."""
    plain = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens
    return plain + WRITE * usage.cache_write_tokens + READ * usage.cache_read_tokens


if __name__ == "__main__":
    sys.exit(main())
