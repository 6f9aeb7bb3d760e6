"""Rules that lines are enough for: settings that switch safety off, and words that stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.rules.model import Defect, Weight
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy


class LineRule(NamedTuple):
    """What to look for, in which languages."""

    languages: frozenset[str]
    code: str
    pattern: re.Pattern[str]
    message: str
    weight: Weight = "WARNING"
    needs: tuple[str, ...] = ()
    """Words without one of which it need not be tried."""


def _rule(
    languages: str,
    code: str,
    pattern: str,
    message: str,
    weight: Weight = "WARNING",
    needs: str = "",
) -> LineRule:
    return LineRule(
        frozenset(languages.split("|")),
        code,
        lazy(pattern, re.MULTILINE),
        message,
        weight,
        tuple(needs.split()),
    )


_TLS = "certificates are not checked"
RULES = (
    _rule("JavaScript|TypeScript|TSX", "tls-off", r"\brejectUnauthorized\s*:\s*false\b|NODE_TLS_REJECT_UNAUTHORIZED\b[^\n]*=\s*[\"']?0", _TLS,
          needs="ejectUnauthorized NODE_TLS"),
    _rule("Go", "tls-off", r"\bInsecureSkipVerify\s*:\s*true\b", _TLS, needs="InsecureSkip"),
    _rule("PHP", "tls-off", r"CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0)\b", _TLS, needs="SSL_VERIFY"),
    _rule("Ruby", "tls-off", r"\bVERIFY_NONE\b", _TLS, needs="VERIFY_NONE"),
    _rule("Shell", "eval-of-input", r"^[ \t]*eval\s+(?:\"?\$(?:QUERY_STRING|HTTP_\w+)\b)", "input is evaluated as code", "ERROR", needs="eval"),
    _rule("Shell", "removes-root", r"^[ \t]*(?:sudo\s+)?rm\s+-(?:rf|fr)\s+(?:/|/\*|\"?\$\{?\w+\}?\"?/\*?)\s*$",
          "an empty variable would remove everything; write ${name:?}", needs="rm"),
    _rule("Shell", "always-true", r"(?:^|\bif|&&|\|\||while)[ \t]*\[\s+!?\s*\"?\$\{?\w+\}?\"?=[^\s\]]*\s+\](?=\s*(?:;|&&|\|\||$))",
          "without spaces around `=` this is one word, which is always true", "ERROR", needs="["),
    _rule("JSON", "runs-at-install", r"\"(?:(?:pre|post)?install|prepare|prepublish(?:Only)?)\"\s*:\s*\"[^\"\n]*\b(?:curl|wget|iwr|irm)\b[^\"\n]*"
          r"\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|node|python3?|iex)\b",
          "who installs this runs what comes over the network; pin it and take it into the repository", "ERROR", needs="curl wget iwr irm"),
    _rule("Terraform", "tls-off", r"^[ \t]*(?:skip_tls_verify|insecure_skip_verify|skip_tls_validation)\s*=\s*true\b", _TLS, needs="skip_"),
)  # fmt: skip


def search_lines(language: str, text: str) -> Iterator[Defect]:
    """Each rule of the language; comment lines are left alone."""
    for rule in RULES:
        if language not in rule.languages or not (
            not rule.needs or any(word in text for word in rule.needs)
        ):
            continue
        for found in rule.pattern.finditer(text):
            begin = found.start() + len(found[0]) - len(found[0].lstrip())
            start = text.rfind("\n", 0, begin) + 1
            if not text[start:begin].lstrip().startswith(("//", "#", "*", "/*")):
                line = text.count("\n", 0, begin) + 1
                yield Defect(line, rule.code, rule.message, rule.weight)
