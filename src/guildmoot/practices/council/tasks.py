"""The task that the words of a request ask for: a verb at the head, else the longest known phrase."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.model.council import Task
from guildmoot.text.english import word_set

TASKS: dict[str, Task] = {
    "validate": "validate",
    "verdict": "validate",
    "brainstorm": "brainstorm",
    "research": "research",
    "debate": "debate",
    "duel": "debate",
}
"""Words that name a task when they come first, and the values of ``--mode``."""

_TRIGGERS: dict[Task, tuple[str, ...]] = {
    "validate": (
        *("validate", "verdict", "check", "review", "assess", "critique", "feedback", "improve"),
        "judge",
    ),
    "brainstorm": ("brainstorm", "explore", "options", "approaches"),
    "research": (
        *("research", "investigate", "deep dive", "explore deeply", "analyze", "analyse"),
        *("examine", "evaluate", "compare"),
    ),
    "debate": ("debate", "duel", "decide"),
}
_PHRASES: dict[tuple[str, ...], Task] = {
    tuple(phrase.split()): task for task, phrases in _TRIGGERS.items() for phrase in phrases
}
_NOUNS = {("options",), ("approaches",), ("feedback",), ("deep", "dive")}
"""Phrases that stay in the question, because they are part of what is asked."""


LEAD_IN = word_set(
    "please kindly let us let's lets can could would you we i want to need help me do a an the"
)
_EXPERTS = re.compile(
    r"\b(?:have\s+(.+?)\s+decide|council\s+of\s+(.+?)(?=[:;?.]|\s(?:on|about|for|over|to|whether)\b|$))",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    r"(?:is|are|does|do|has|have|was|were) (?:the|our|my|this|these|it|its|that)\b", re.IGNORECASE
)
"""A question about what is there: its nouns ("the debate code") are no verbs."""


class Meaning(NamedTuple):
    """What the words come to."""

    task: Task
    words: tuple[str, ...]
    """Without the verb that chose the task."""


def infer_task(words: Sequence[str]) -> Meaning:
    """The task that the words ask for; without any sign it is validate.

    A phrase at the head is the verb of the sentence. Otherwise the longest phrase wins, and of two
    as long the first.
    """
    heads = [plain_word(word) for word in words]
    if heads and heads[0] in TASKS:
        return Meaning(TASKS[heads[0]], tuple(words[1:]))
    start = next((at for at, head in enumerate(heads) if head not in LEAD_IN), len(heads))
    found = [
        (at, phrase)
        for at in range(len(heads))
        for phrase in _PHRASES
        if tuple(heads[at : at + len(phrase)]) == phrase
    ]
    leading = [each for each in found if each[0] == start]
    if not found or _JUDGES.match(" ".join(words)):
        return Meaning("debate" if experts(words) else "validate", tuple(words))
    at, phrase = max(leading or found, key=lambda each: (len(each[1]), -each[0]))
    task = "debate" if experts(words) else _PHRASES[phrase]
    rest = words[at + len(phrase) :] if leading and phrase not in _NOUNS else words
    return Meaning(task, tuple(rest))


def experts(words: Sequence[str]) -> tuple[str, ...]:
    """Whom the words call upon: ``have A and B decide``, ``a council of A, B and C``."""
    found = _EXPERTS.search(" ".join(words))
    if not found:
        return ()
    listed = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+", found[1] or found[2])
    names = [re.sub(r"^(?:the|a|an)\s+", "", name.strip(), flags=re.IGNORECASE) for name in listed]
    return tuple(name for name in names if name)


def plain_word(word: str) -> str:
    """Without capitals and what stands around it."""
    return word.casefold().strip(".,;:!?\"'()")
