"""Tells replies that are not votes: empty ones, refusals, echoes, and what a client says for itself.

A reply that reaches a verdict is never one of these, whatever else it says.
"""

from __future__ import annotations

import re

_VERDICT = re.compile(r"^[\s>#*_`-]*VERDICT\b|\"verdict\"\s*:", re.IGNORECASE | re.MULTILINE)
_SPOKEN = re.compile(r"[^\W_]")
_CANNOT = (
    r"(?:can(?:no|['’]?)t|could(?: not|n['’]?t)|won['’]?t|will not|must decline|have to decline|"
    r"decline|am (?:unable|not able|not comfortable)|['’]m (?:unable|not able|not comfortable)|"
    r"refuse)"
)
_REFUSAL = re.compile(
    rf"(?:(?:i['’]?m |i am )?(?:(?:very |so )?sorry|afraid)\b[^.\n]{{0,40}}?)?"
    rf"(?:(?:but|however|unfortunately|as an ai[^,\n]{{0,40}})[,\s]+)?"
    rf"i(?:['’]m| am)?\s*(?:afraid (?:that )?i )?{_CANNOT}\b[^.\n]{{0,40}}?\b"
    r"(?:help|assist|comply|continue|provide|review|evaluate|judge|answer|do|fulfil|engage|"
    r"respond)\b",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"(?:this|the|your) (?:request|prompt|content|response)\b[^.\n]{0,40}\b"
    r"(?:blocked|filtered|flagged by|violat|against)[^.\n]{0,60}\b"
    r"(?:polic|filter|guideline|safety|terms)",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"(?:api error\b|error: \d{3}\b|\{\s*\"(?:type\"\s*:\s*\"error|error)\"|"
    r"invalid api key|please run /login|credit balance is too low|"
    r"(?:claude (?:ai )?)?usage limit reached|rate limit(?:ed| (?:reached|exceeded))|"
    r"(?:quota|context (?:length|window)) exceeded|prompt is too long|"
    r"execution error\b|no response requested|\[?request interrupted)",
    re.IGNORECASE,
)
_HOOK = re.compile(
    r"(?:\[[\w:-]*hook[\w:-]*\]|<[\w-]*(?:hook|reminder)[\w-]*>|"
    r"(?:session ?start|user ?prompt ?submit|pre ?tool ?use|post ?tool ?use|stop)(?: hook|:)|"
    r"hook (?:additional context|output|success|blocking))",
    re.IGNORECASE,
)
_BEGINNING = 400
_ECHO_LINES = 4
_ECHO_SHARE = 0.8


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
        return "the judge refused to answer"
    return ""


def _is_echo(said: str, prompt: str) -> bool:
    """Nearly every line of it stands in the prompt, and so it says nothing of its own.

    A few lines prove nothing: the form of a verdict is itself part of most prompts.
    """
    if said in prompt and len(said.splitlines()) >= _ECHO_LINES:
        return True
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    enough = _ECHO_SHARE * len(lines)
    # Prompts are long: only a reply whose lines occur in it at all is compared line by line.
    if len(lines) < _ECHO_LINES or sum(line in prompt for line in lines) < enough:
        return False
    known = {line.strip() for line in prompt.splitlines()}
    return sum(line in known for line in lines) >= enough
