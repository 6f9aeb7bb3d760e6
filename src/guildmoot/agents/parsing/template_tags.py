"""Blocks of templates that a change opens and nobody closes, or the other way round. Pure."""

from __future__ import annotations

import re
from collections import Counter

from guildmoot.text.patterns import lazy

ENDINGS = tuple(
    f".{end}"
    for end in [
        "html",
        "htm",
        "j2",
        "jinja",
        "jinja2",
        "djhtml",
        "twig",
        "tmpl",
        "gotmpl",
        "gohtml",
        "tpl",
    ]
)
_ASIDE = lazy(
    r"\{#.*?#\}|\{%[-+]?\s*(raw|verbatim|comment)\b.*?%\}.*?\{%[-+]?\s*end\1\b.*?%\}",
    re.DOTALL,
)
_TAG = lazy(
    r"\{%[-+]?\s*(end)?(block|if|for|with|macro|autoescape|filter)\b((?:(?!%\}).)*)%\}", re.DOTALL
)
_GO_ASIDE = lazy(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
_GO_TAG = lazy(r"\{\{-?\s*(if|range|with|define|block|end)\b(?![\"'])[^{}]*\}\}")


def unclosed_tag(before: str, after: str) -> tuple[int, str] | None:
    """The last line of a tag that lost its partner, and the tag; nothing where they did not all pair up before."""
    was, now = _pairs(before), _pairs(after)
    if not was or any(was.values()):
        return None
    for tag, count in sorted(now.items()):
        if count:
            return _line(after, tag), tag
    return None


def _pairs(text: str) -> Counter[str]:
    """How many of each kind are open at the end of a text; kinds that pair up count nothing."""
    open_tags: Counter[str] = Counter()
    for end, tag, more in _TAG.findall(_ASIDE.sub("", text)):
        if tag == "block" and not end and len(more.strip(" -+").split()) != 1:
            continue  # some have a form that is complete in itself
        open_tags[tag] += -1 if end else 1
    for tag in _GO_TAG.findall(_GO_ASIDE.sub("", text)) if "{%" not in text else ():
        open_tags["end"] += -1 if tag == "end" else 1
    return open_tags


def _line(text: str, tag: str) -> int:
    lines = text.split("\n")
    found = [number for number, line in enumerate(lines, 1) if re.search(rf"\b{tag}\b", line)]
    return found[-1] if found else 1
