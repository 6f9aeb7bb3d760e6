"""How bad a tool's result is: the agent's own map first, then what the tool said."""

from __future__ import annotations

from guildmoot.model.agent import Agent
from guildmoot.model.verdict import SEVERITIES, Severity

# Words that tools use, by the level of SARIF that they stand for.
_LEVELS: dict[str, str] = {
    word: level
    for level, words in (
        ("error", "error err e fatal critical blocker high major"),
        ("warning", "warning warn w medium moderate"),
        ("note", "note n info i information informational hint help style none low minor"),
        ("note", "convention refactor suggestion recommendation"),
    )
    for word in words.split()
}
_WORST = ("fatal", "critical", "blocker")
_BY_LEVEL: dict[str, Severity] = {"error": "high", "warning": "medium", "note": "low"}


def severity_of(agent: Agent, code: str, level: str, score: float = -1.0) -> Severity:
    """By the agent's map (rule prefix, then level), the rule's score, ``*``, the tool's level."""
    word = level.strip().lower()
    known = dict(agent.severities)
    mapped = _by_prefix(known, code) or _by_word(known, word)
    if mapped:
        return mapped
    if score >= 0:
        return _by_score(score)
    if "*" in known:
        return known["*"]
    return "critical" if word in _WORST else _BY_LEVEL[_LEVELS.get(word, "warning")]


def blocks(agent: Agent, severity: Severity) -> bool:
    """Whether a finding of this severity stops the work."""
    if agent.blocks_at == "never":
        return False
    return SEVERITIES.index(severity) <= SEVERITIES.index(agent.blocks_at)


def _by_prefix(known: dict[str, Severity], code: str) -> Severity | None:
    """A level word such as ``error`` is no prefix of a rule that happens to begin with it."""
    fits = [
        key
        for key in known
        if key and key != "*" and code.startswith(key) and (key == code or key not in _LEVELS)
    ]
    return known[max(fits, key=len)] if fits else None


def _by_word(known: dict[str, Severity], word: str) -> Severity | None:
    by_word = {key.lower(): severity for key, severity in known.items() if key.lower() in _LEVELS}
    return by_word.get(word) or by_word.get(_LEVELS.get(word, ""))


def _by_score(score: float) -> Severity:
    """The bands that code-scanning services use for ``security-severity``."""
    bands: tuple[tuple[float, Severity], ...] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"))
    return next((severity for floor, severity in bands if score >= floor), "low")
