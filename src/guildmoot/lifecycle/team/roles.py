"""The fourteen specialists, their groups, and which of them a text asks for without naming them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from guildmoot.text.patterns import lazy

Group = Literal["engineering", "content", "commercial"]

ROLES: dict[str, Group] = {
    **dict.fromkeys(
        (
            *("architect", "researcher", "backend", "frontend", "devops", "qa", "mobile"),
            "security",
        ),
        "engineering",
    ),
    **dict.fromkeys(("copywriter", "technical-writer", "social-media", "seo"), "content"),
    **dict.fromkeys(("marketing", "sales"), "commercial"),
}
"""The shipped specialists."""
LARGEST_TEAM = 6
Tier = Literal["cheap", "mid", "powerful"]
TIERS: tuple[Tier, ...] = ("cheap", "mid", "powerful")

_SECURITY = lazy(
    r"\b(?:auth|authn|authz|oauth2?|authenticat\w*|authori[sz]ation|authori[sz]e[sd]?|log[ -]?ins?|sign[ -]?ins?"
    r"|sso|saml|passwords?|credentials?|secrets?|api[ -]?keys?|tokens?|jwt|sessions?|permissions?"
    r"|encrypt\w*|webhooks?|third[ -]party|external (?:api|service|integration)s?|integrations?"
    r"|payments?|stripe|billing)\b"
)
_NEGATED = lazy(r"\b(?:no|not|without|never|excluding|except|non)[ -](?:\w+[ -]){0,2}$")
_COMPONENTS = {
    "service": lazy(
        r"\b(?:apis?(?! (?:docs?|documentation|reference|keys?|tokens?|clients?))|backend|server|services?"
        r"|endpoints?|gateway)\b"
    ),
    "web page": lazy(
        r"\b(?:frontend|front[ -]end|web ?apps?|web ?sites?|web ?pages?|ui|dashboards?)\b"
    ),
    "app": lazy(r"\b(?:mobile apps?|ios|android)\b"),
    "worker": lazy(r"\b(?:queues?|workers?|schedulers?|cron ?jobs?|background jobs?|daemons?)\b"),
    "command line": lazy(r"\b(?:cli|command[ -]line (?:tool|client|interface|program))\b"),
}
"""Parts that run by themselves and must fit; the storage of one of them is none."""


class Implied(NamedTuple):
    """A role that the work asks for without naming it."""

    role: str
    rule: Literal["multi-component", "auth-touched", "backend-present"]
    why: str


def implied_roles(text: str, roles: Iterable[str]) -> list[Implied]:
    """The roles that a text and the roles beside it imply, whether they are in the team or not."""
    names = set(roles)
    found: list[Implied] = []
    words = text.casefold()
    components = {
        first: kind for kind, pattern in _COMPONENTS.items() if (first := _said(pattern, words))
    }
    builders = names & {"backend", "frontend", "mobile", "devops"}
    if len(builders) > 1:
        why = f"{' and '.join(sorted(builders))} build parts that must fit"
        found.append(Implied("architect", "multi-component", why))
    elif len(components) > 1:
        why = f"several parts are named: {', '.join(sorted(components))}"
        found.append(Implied("architect", "multi-component", why))
    if touched := _said(_SECURITY, words):
        found.append(Implied("security", "auth-touched", f"the work touches '{touched}'"))
    if "backend" in names:
        found.append(Implied("qa", "backend-present", "backend work needs its tests"))
    return found


def _said(pattern: re.Pattern[str], words: str) -> str:
    """The first of a pattern's words that the text asks for; 'no web page' asks for none."""
    found = pattern.finditer(words)
    return next((each[0] for each in found if not _NEGATED.search(words[: each.start()])), "")


def group_of(role: str) -> Group:
    """The group of a role; one of the project's own counts as engineering."""
    return ROLES.get(role, "engineering")
