"""Tells replies that are not votes: empty ones, refusals, echoes, and what a client says for itself.

A reply that reaches a verdict is never one of these, whatever else it says. Inside a reply that was
read further it tells a template that was not filled in, and the sentence in which a judge declines.
"""

from __future__ import annotations

import re

from guildmoot.text.patterns import lazy

_VERDICT = lazy(r"^[\s>#*_`-]*VERDICT\b|\"verdict\"\s*:", re.IGNORECASE | re.MULTILINE)
_SPOKEN = lazy(r"[^\W_]")
_CANNOT = (
    r"(?:can(?:no|['’]?)t|could(?: not|n['’]?t)|won['’]?t|will not|must decline|have to decline|"
    r"decline|am (?:unable|not able|not comfortable)|['’]m (?:unable|not able|not comfortable)|"
    r"refuse)"
)
_REFUSAL = lazy(
    rf"(?:(?:i['’]?m |i am )?(?:(?:very |so )?sorry|afraid)\b[^.\n]{{0,40}}?)?"
    rf"(?:(?:but|however|unfortunately|as an ai[^,\n]{{0,40}})[,\s]+)?"
    rf"i(?:['’]m| am)?\s*(?:afraid (?:that )?i )?{_CANNOT}\b[^.\n]{{0,40}}?\b"
    r"(?:help|assist|comply|continue|provide|review|evaluate|judge|answer|do|fulfil|engage|"
    r"respond)\b",
    re.IGNORECASE,
)
_BLOCKED = lazy(
    r"(?:this|the|your) (?:request|prompt|content|response)\b[^.\n]{0,40}\b"
    r"(?:blocked|filtered|flagged by|violat|against)[^.\n]{0,60}\b"
    r"(?:polic|filter|guideline|safety|terms)",
    re.IGNORECASE,
)
_TROUBLE = lazy(
    r"(?:api error\b|http(?:/[\d.]+)? [45]\d\d\b|error: \d{3}\b|\{\s*\"(?:type\"\s*:\s*\"error|error)\"|"
    r"invalid api key|please run /login|credit balance is too low|"
    r"(?:claude (?:ai )?)?usage limit reached|rate limit(?:ed| (?:reached|exceeded))|"
    r"(?:quota|context (?:length|window)) exceeded|prompt is too long|"
    r"execution error\b|no response requested|\[?request interrupted)",
    re.IGNORECASE,
)
_HOOK = lazy(
    r"(?:\[[\w:-]*hook[\w:-]*\]|<[\w-]*(?:hook|reminder)[\w-]*>|"
    r"(?:session ?start|user ?prompt ?submit|pre ?tool ?use|post ?tool ?use|stop)(?: hook|:)|"
    r"hook (?:additional context|output|success|blocking))",
    re.IGNORECASE,
)
_BETWEEN = r"(?:\s*(?:\||/|,|\bor\b)\s*(?:or\s+)?)"
_WORDS = "PASS|WARN|FAIL"
_CHOICE = lazy(rf"\W*(?:{_WORDS})(?:{_BETWEEN}(?:{_WORDS}))+\W*", re.IGNORECASE)
_PLACEHOLDER = lazy(
    r"<[^<>]*>|\{\{.*\}\}|\$?\{.*\}|\[[^\[\]]*\]|\.{3}|…|string|str|enum"
    r"|(?:one|a single|1)[- ]sentence\b.{0,60}|.{0,60}\bgoes here\W*|your (?:verdict|key insight).{0,20}",
    re.IGNORECASE | re.DOTALL,
)
_DECLINED = lazy(
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
REFUSED_TO_ANSWER = "the judge refused to answer"
_BEGINNING = 400
_ECHO_LINES = 4
_ECHO_SHARE = 0.8
_ECHO_SAMPLE = 50


def not_a_vote(text: str, prompt: str = "") -> str:
    """Why a reply is no vote, in a few words; empty when it may be one."""
    said = text.strip()
    if not _SPOKEN.search(said):
        return "the reply is empty"
    if prompt and _is_echo(said, prompt):
        return "the reply only repeats the prompt"
    if _VERDICT.search(said):
        return ""
    return _kind(said[:_BEGINNING].lstrip("#>*_`- \n"))


def _kind(beginning: str) -> str:
    if _TROUBLE.match(beginning):
        return "the reply is an error message of the client or the service"
    if _HOOK.match(beginning):
        return "the reply is the output of a hook, not of the judge"
    if _REFUSAL.match(beginning) or _BLOCKED.match(beginning):
        return REFUSED_TO_ANSWER
    return ""


def _is_echo(said: str, prompt: str) -> bool:
    """Nearly every line of it stands in the prompt, and so it says nothing of its own.

    A few lines prove nothing: the form of a verdict is itself part of most prompts.
    """
    if said in prompt and len(said.splitlines()) >= _ECHO_LINES:
        return True
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if len(lines) < _ECHO_LINES:
        return False
    # Prompts are long: only a reply of whose lines many occur in it is compared line by line.
    some = lines[:: max(1, len(lines) // _ECHO_SAMPLE)]
    if sum(line in prompt for line in some) < len(some) / 2:
        return False
    known = {line.strip() for line in prompt.splitlines()}
    return sum(line in known for line in lines) >= _ECHO_SHARE * len(lines)


def is_placeholder(said: object) -> bool:
    """A text that the prompt's template has where the judge should write."""
    return isinstance(said, str) and (
        _is_choice(said) or bool(_PLACEHOLDER.fullmatch(said.strip()))
    )


def _is_choice(said: str) -> bool:
    """``PASS|WARN|FAIL`` and the like: the words of the prompt, none chosen."""
    return bool(_CHOICE.fullmatch(said) or _CHOICE.fullmatch(said.strip("<>[]{}()\"' ")))


def find_refusal(text: str) -> str:
    """The sentence in which the judge declines to judge, or nothing."""
    found = _DECLINED.search(text[:2000])
    if not found:
        return ""
    start = max(text.rfind(mark, 0, found.start()) for mark in ".!?\n") + 1
    return " ".join(text[start : start + 200].strip().split("\n")[0].split())
