"""What the scripted provider does with a request: rules, and the memory they work on. No I/O."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """What to do; the first rule that fits a request is followed."""

    text: str = "{approved}"
    """What the model says. ``{nonce}`` is what its verdict line must carry, as the prompt gives it;
    ``{approved}`` is an approval in the form that was asked for."""
    match: str = ""
    """A regular expression that must be found in the prompt."""
    model: str = ""
    """A regular expression that must be found in the model's name."""
    times: int = 0
    """How often the rule applies before the next one does; 0 is always."""
    status: int = 200
    message: str = "scripted error"
    headers: dict[str, str] = {}
    delay: float = 0.0
    """Seconds before the first byte."""
    drip: float = 0.0
    """Seconds between events."""
    cut: int = 0
    """Hang up after so many events."""
    hang: bool = False
    """Take the request and never answer."""
    raw: str = ""
    """Send this instead of a reply."""
    refuse: bool = False
    error_in_stream: str = ""
    """An error of this type in the middle of the reply."""
    length: bool = False
    """The reply ran into its limit."""
    stop: str | None = None
    """The provider's word for why the model stopped, in place of its usual one; empty for none."""
    use: tuple[str, dict[str, Any]] | None = None
    """The model asks for this tool with these arguments, in place of saying anything."""


class Request(NamedTuple):
    """One request as it came in."""

    protocol: str
    model: str
    key: str
    texts: tuple[str, ...]
    """The texts of the prompt, block by block."""
    breakpoints: tuple[int, ...]
    """After how many blocks Anthropic's cache breakpoints stand."""
    stream: bool
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return "".join(self.texts)

    def fill_in(self, text: str) -> str:
        """A rule's text as this request makes it."""
        nonces = re.findall(r"(?:VERDICT |\"code\": \")([0-9a-f]{8,})(?:: |\")", self.prompt)
        rest = {key: value for key, value in self.body.items() if key not in _PROMPTS}
        approved = "VERDICT {nonce}: approved" if nonces else "VERDICT: approved"
        if '"advisories"' in json.dumps(rest):
            approved = json.dumps(APPROVED)
        return text.replace("{approved}", approved).replace("{nonce}", (nonces or [""])[-1])


_PROMPTS = ("messages", "input", "contents", "system", "instructions")
APPROVED = {"verdict": "approved", "confidence": "high", "reasons": [], "advisories": [], "could_not_check": [], "conditions": [],
            "checks": None, "recusal": None, "escalation": None, "cli_runs": None}  # fmt: skip
"""An approval of a panel's judge as its schema wants it."""


class Bill(NamedTuple):
    """What the provider counts for one request, in tokens."""

    fresh: int
    written: int
    read: int
    output: int

    @property
    def input(self) -> int:
        return self.fresh + self.written + self.read


class Memory:
    """All requests so far, how often each rule was followed, and what is in the prompt caches."""

    smallest_prefix = 1024
    """Tokens; providers do not cache less."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = list(rules)
        self.requests: list[Request] = []
        self.bills: list[Bill] = []
        self.connections = 0
        self.hung_up = 0
        """Connections that the client closed before the reply was whole."""
        self._followed: Counter[int] = Counter()
        self._caches: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def arrived(self, request: Request) -> Rule:
        """Remember a request; the rule to follow."""
        with self._lock:
            self.requests.append(request)
            for index, rule in enumerate(self.rules):
                if _fits(rule, request) and not (
                    rule.times and self._followed[index] >= rule.times
                ):
                    self._followed[index] += 1
                    return rule
        return Rule()

    def look_up(self, request: Request) -> tuple[int, int]:
        """Tokens read from the cache, and tokens to be written to it, at the start of a reply."""
        known = self._caches.setdefault(f"{request.protocol} {request.model}", set())
        with self._lock:
            if request.protocol == "anthropic":
                return _at_breakpoints(request, known, self.smallest_prefix)
            shared = max((_common(request.prompt, each) for each in known), default=0)
            cached = tokens_in(request.prompt[:shared]) // 128 * 128  # in steps, as the vendors do
            return (cached if cached >= self.smallest_prefix else 0), 0

    def begins(self, request: Request) -> None:
        """The first byte of a reply is out: from now on others can read what it wrote."""
        known = self._caches.setdefault(f"{request.protocol} {request.model}", set())
        with self._lock:
            if request.protocol == "anthropic":
                known.update("".join(request.texts[:at]) for at in request.breakpoints)
            else:
                known.add(request.prompt)

    def charge(self, bill: Bill) -> None:
        with self._lock:
            self.bills.append(bill)


def tokens_in(text: str) -> int:
    """About four characters a token."""
    return (len(text) + 3) // 4


def _fits(rule: Rule, request: Request) -> bool:
    return bool(re.search(rule.match, request.prompt) and re.search(rule.model, request.model))


def _at_breakpoints(request: Request, known: set[str], smallest: int) -> tuple[int, int]:
    """The longest known prefix that ends at a breakpoint is read; what lies beyond is written."""
    prefixes = ["".join(request.texts[:at]) for at in request.breakpoints]
    sizes = [tokens_in(prefix) for prefix in prefixes if tokens_in(prefix) >= smallest]
    reads = [tokens_in(prefix) for prefix in prefixes if prefix in known]
    read = max((size for size in reads if size >= smallest), default=0)
    return read, max(0, max(sizes, default=0) - read)


def _common(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low
