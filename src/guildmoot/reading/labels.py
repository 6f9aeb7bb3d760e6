"""Recognises the headings and labels of a judge's reply in every common form.

``Reasons``, ``Reasons:``, ``**Reasons:**``, ``**Reasons**:``, ``## Reasons (2)``, ``Reason: text``.
"""

from __future__ import annotations

REASONS, REMEDIES, ADVISORY, RUNS = "reasons", "remedies", "advisory", "runs"
RATIONALE, ASIDE, CONFIDENCE, ESCALATION = "rationale", "aside", "confidence", "escalation"

_WORDS = {
    REASONS: "reasons|reason|flag reasons|flagged reasons|reasons for flagging|reason for flagging"
    "|reasons for the flag|findings|issues|issues found|problems|problems found|violations|defects",
    ADVISORY: "advisory|advisories|advisory notes|advisory note|advisory findings|advisory reasons"
    "|advisory issues|non-blocking|non-blocking notes|non-blocking findings|non-blocking issues"
    "|non-blocking reasons|nits|nitpicks",
    REMEDIES: "suggested remedies|suggested remedy|remedies|remedy|suggested fixes|suggested fix"
    "|fixes|proposed fixes|proposed remedies|recommended fixes|recommended remedies|remediation"
    "|recommendations|suggestions|recommended changes|suggested changes|required changes",
    RUNS: "cli runs|cli run|commands run",
    RATIONALE: "rationale|justification|explanation",
    ASIDE: "verification|checks|checks performed|what i checked|scope|summary|overview|notes"
    "|strengths|positives|what works|conclusion|next steps|references|context|open questions",
    CONFIDENCE: "confidence",
    ESCALATION: "escalation",
}
_BLOCKING = "blocking|blockers|blocking reasons|blocking findings|blocking issues|blocking problems"
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split("|")}
_KINDS.update(dict.fromkeys(_BLOCKING.split("|"), REASONS))
_SINGULAR = ("remedy", "suggested remedy", "suggested fix", "remediation")
_LONGEST = max(map(len, _KINDS)) + 16
_DECORATION = "#*_ \t\u00a0"


class Label:
    """One label: its kind, the text after it on the same line, and how it was set."""

    __slots__ = ("blocking", "kind", "level", "rest")

    def __init__(self, kind: str, rest: str, level: int, blocking: bool) -> None:
        self.kind = kind
        self.rest = rest
        self.level = level
        """1 to 6 for a Markdown heading, else 0."""
        self.blocking = blocking
        """The label itself says that what follows blocks."""


def read_label(line: str) -> Label | None:
    """The label that a stripped line begins with, if it is one that we know."""
    bare = line.lstrip(_DECORATION)
    head, colon, rest = bare.partition(":")
    if len(head) > _LONGEST:
        return _opening(bare, 0)
    name = _name(head)
    kind = _KINDS.get(name)
    level = len(line) - len(line.lstrip("#"))
    if kind is None and level:
        name = _name(head.lstrip("0123456789.) "))
        kind = _KINDS.get(name)
    if kind is None:
        return _opening(bare, level)
    if not _stands(kind, name, colon, rest):
        return None
    opened_before = "*" in line[: len(line) - len(bare)] and "*" not in head
    said = rest.lstrip("*_ \t") if opened_before else rest.strip()
    return Label(kind, said, level, blocking=name.startswith("block"))


def _opening(bare: str, level: int) -> Label | None:
    """Two words that end a list in the seeds' grammar, whatever follows them on the line."""
    for word, kind in (("suggested remedies", REMEDIES), ("verification", ASIDE)):
        if bare[: len(word)].lower() == word and not bare[len(word) :][:1].isalnum():
            return Label(kind, "", level, blocking=False)
    return None


def is_remedy_of_one(line: str) -> bool:
    """``Remedy: add a cap``: in a list of reasons it belongs to the reason above."""
    head, _, rest = line.lstrip(_DECORATION).partition(":")
    return _name(head) in _SINGULAR and bool(rest.strip(_DECORATION))


def _name(head: str) -> str:
    """The label's words alone: no decoration, no count in brackets."""
    name = head.strip(_DECORATION).lower()
    return name.rpartition("(")[0].rstrip(_DECORATION) if name.endswith(")") else name


def _stands(kind: str, name: str, colon: str, rest: str) -> bool:
    """Asides are labels only on a line of their own, since they are also ordinary words."""
    if kind == ASIDE:
        return name == "verification" or not rest.strip(_DECORATION)
    return bool(colon) or not rest
