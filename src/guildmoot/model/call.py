"""One agent run once on one prompt, and what came back."""

from __future__ import annotations

from guildmoot.model.agent import Agent, Seat, can_write, is_rule

TYPE_CHECKING = False

if not TYPE_CHECKING:
    from guildmoot.model.verdict import Literal, NamedTuple
else:
    from collections.abc import Mapping
    from typing import Literal, NamedTuple


BEFORE = "~before"
"""Behind the name of a seat: what it said of the files as the base has them."""
MAX_OUTPUT = 16_000
"""Tokens that one answer may have unless the settings say otherwise."""
Effort = Literal["", "low", "medium", "high"]
ReplyStatus = Literal[
    "answered",  # the backend returned what the agent said
    "timeout",  # the seat's or the run's deadline passed
    "failed",  # the program crashed or the service refused
    "missing",  # the program or service is not there
    "cancelled",  # the run was interrupted
    "excused",  # it was not called: there was nothing here for it to judge
]


class Usage(NamedTuple):
    """What one call consumed."""

    input_tokens: int = 0
    """All input, cached or not."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    cost_usd: float | None = None
    """None when no price is known."""

    @property
    def fresh_tokens(self) -> int:
        """Read anew and written: a client at work reads its own past again from a cache at every turn."""
        return self.input_tokens - self.cache_read_tokens + self.output_tokens


class FileLook(NamedTuple):
    """One request to see files of the repository, made with a tool of the backend."""

    name: str
    """The tool: list, read or grep."""
    arguments: str
    """As the model wrote them, a JSON object."""
    id: str = ""
    """The provider's name for the request, under which it expects the answer."""
    mark: str = ""
    """What the provider wants to see again beside the request, whatever it means."""
    shown: str = ""
    """What was shown; empty until it is."""


class LookTurn(NamedTuple):
    """Everything that a model asked to see at one time, and what it said with it."""

    said: str
    looks: tuple[FileLook, ...]


class Reply(NamedTuple):
    """What one seat said, unread."""

    seat: str
    status: ReplyStatus
    text: str = ""
    """Standard output or the model's words, whole."""
    error: str = ""
    """Why there is no answer, or what the program wrote to standard error."""
    exit_code: int | None = None
    seconds: float = 0.0
    usage: Usage | None = None
    model: str = ""
    """The model that really answered, where the backend knows."""
    kept: str = ""
    """The run that had got this reply already, when it was not asked for again."""
    ending: str = ""
    """How it ended when that was not its own end, e.g. cut off at its token limit; then it is no
    vote unless it flags. Empty for a whole reply, and where the backend does not tell."""
    nonce: str | None = None
    """That of the call that it answers; None also when an older release asked."""
    looks: tuple[FileLook, ...] = ()
    """What it asks to see before it answers; then it is no answer yet."""


class TokenRates(NamedTuple):
    """Dollars for one token of each kind."""

    read: float
    written: float
    cached: float
    """One that is read from a cache."""

    def cost(self, usage: Usage) -> float:
        """What was used costs so much; what the client says of its own cost counts more."""
        if usage.cost_usd is not None:
            return usage.cost_usd
        fresh = usage.input_tokens - usage.cache_read_tokens
        parts = (fresh, usage.output_tokens, usage.cache_read_tokens)
        return sum(number * rate for number, rate in zip(parts, self, strict=True))


class Work(NamedTuple):
    """What a call that changes something may do; a call without it judges, and has no tools."""

    folder: str
    """Where it runs, a checkout or a worktree; changes are meant for this folder alone."""
    scope: tuple[str, ...] = ("Read", "Glob", "Grep")
    """All that it may use, in Claude Code's words: ``Tool``, ``Tool(pattern)``, or ``*`` for any."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables for its commands, beside the few that every child sees."""
    max_usd: float | None = None
    """The most that it may cost, which is set aside."""
    fence: tuple[str, ...] = ()
    """A folder that is read-only for it, and the places in it that are not; see ``system.fence``."""
    max_tokens: int = 0
    """The most that it may read and write; a client that tells of more while it works is ended. 0 is no limit."""
    anchor: str = ""
    """What it is told in a place that outlives a compaction of its context, where its client has one."""
    heartbeat: str = ""
    """Where signs of life are left while it works, with what it does where that is known: a file of JSON."""
    live: str = ""
    """A file to which what it says is added while it works, for people."""
    rates: TokenRates | None = None
    """What its tokens cost, by which a client that tells no price itself is held to ``max_usd``."""

    @property
    def writes(self) -> bool:
        """Whether it may change files; otherwise it only looks. What is no rule is not trusted."""
        return any(can_write(rule) or not is_rule(rule) for rule in self.scope)


class Call(NamedTuple):
    """One agent to be run once on one prompt."""

    seat: Seat
    agent: Agent
    prompt: str
    workdir: str = ""
    """Folder that holds the packet's files, for tools; empty when the seat only reads the prompt."""
    manifest: str = ""
    """The packet's manifest as a JSON file, for tools."""
    files: tuple[str, ...] = ()
    """Paths of the packet's files that this agent judges."""
    timeout: float = 120.0
    shared: int = 0
    """How many characters at the start of the prompt are the same for every seat, for prompt caches."""
    schema: Mapping[str, object] | None = None
    """JSON schema that the reply must fit, in the form that the seat's vendor accepts."""
    packet: str = ""
    """Hash of the packet that it is about."""
    round: int = 0
    """Which round of a debate or of a whiteboard; 0 where there are none."""
    attempt: int = 0
    """How often the same was asked before because the reply could not be read."""
    nonce: str | None = None
    """What the line of its vote must carry; empty when the vote is a JSON object, None when it has none."""
    max_output: int = MAX_OUTPUT
    """Tokens that the answer may have, with what the model thinks before it; as many are paid for beforehand."""
    effort: Effort = ""
    """How hard the model is to think, on backends that can be told; empty leaves it to the vendor."""
    most_usd: float | None = 0.0
    """The most it can cost; None when no price is known, 0 for what is free."""
    held: tuple[tuple[str, str], ...] = ()
    """For a program of this machine that is given unmasked files: what it must not repeat, and the marks that
    stand for it. Such a call is made here and nowhere else."""
    work: Work | None = None
    """Work to be done with tools. Such a call depends on its folder, so no ledger answers it."""
    looks: tuple[LookTurn, ...] = ()
    """What was asked for and shown so far, with tools of the backend."""
    looks_left: int = 0
    """How often it may still look; without any, and nothing shown so far, it has no tools."""
