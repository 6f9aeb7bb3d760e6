"""Tells what a reply is that holds no verdict: an echo of the prompt, a signal, or a refusal."""

from __future__ import annotations

import re

from guildmoot.model.council_verdict import VERDICTS
from guildmoot.reading.council.objects import Statement

_BETWEEN = r"(?:\s*(?:\||/|,|\bor\b)\s*(?:or\s+)?)"
_WORDS = "|".join(VERDICTS)
_CHOICE = re.compile(rf"\W*(?:{_WORDS})(?:{_BETWEEN}(?:{_WORDS}))+\W*", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"<[^<>]*>|\{\{.*\}\}|\$?\{.*\}|\[[^\[\]]*\]|\.{3}|…|string|str|enum"
    r"|(?:one|a single|1)[- ]sentence\b.{0,60}|.{0,60}\bgoes here\W*|your (?:verdict|key insight).{0,20}",
    re.IGNORECASE | re.DOTALL,
)
_REFUSALS = re.compile(
    r"\bI(?:['’]m| am)? (?:sorry|afraid)\b[^.\n]{0,40}\b(?:can['’]?t|cannot|unable|won['’]t|not able)"
    r"|\bI(?: must| have to| respectfully)? (?:decline|refuse)\b"
    r"|\bI(?:['’]m| am)? (?:can['’]?t|cannot|could not|couldn['’]t|won['’]t|will not|unable to"
    r"|not able to|not comfortable)\s+(?:\w+ing )?(?:help|assist|comply|provide|review|judge|evaluate"
    r"|assess|access|open|complete|fulfil|continue|give|produce|participate|do (?:this|that)"
    r"|see (?:the|any) (?:file|code|diff))"
    r"|\bas an AI\b|\bagainst (?:my|the|our) (?:guidelines|polic)"
    r"|\bno (?:files?|code|diff|packet) (?:was|were|is|are) (?:provided|attached|given)",
    re.IGNORECASE,
)


def is_choice(said: str) -> bool:
    """``PASS|WARN|FAIL`` and the like: the words of the prompt, none chosen."""
    return bool(_CHOICE.fullmatch(said) or _CHOICE.fullmatch(said.strip("<>[]{}()\"' ")))


def is_placeholder(said: object) -> bool:
    """A text that the prompt's template has where the judge should write."""
    return isinstance(said, str) and (is_choice(said) or bool(_PLACEHOLDER.fullmatch(said.strip())))


def is_echo(statement: Statement) -> bool:
    """Whether the object is the prompt's template or schema rather than an answer."""
    said = statement.said
    if isinstance(said, dict):
        return bool({"type", "enum", "const", "$ref", "description"} & set(said))
    return is_placeholder(said) or is_placeholder(statement.get("key_insight"))


def is_signal(statement: Statement) -> bool:
    """The notice by which a judge says in which file its verdict is."""
    keys = statement.keys
    return "file" in keys and "findings" not in keys and statement.get("type") == "verdict"


def refusal(text: str) -> str:
    """The sentence in which the judge declines to judge, or nothing."""
    found = _REFUSALS.search(text[:2000])
    if not found:
        return ""
    start = max(text.rfind(mark, 0, found.start()) for mark in ".!?\n") + 1
    return " ".join(text[start : start + 200].strip().split("\n")[0].split())
