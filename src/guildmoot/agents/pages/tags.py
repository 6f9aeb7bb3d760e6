"""Blocks of templates that a change opens and nobody closes, or the other way round. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

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
        *("blade.php", "hbs", "handlebars", "mustache", "liquid", "njk", "svelte", "ftl", "ftlh"),
    ]
)
_ASIDE = lazy(
    r"\{#.*?#\}|\{%[-+]?\s*(raw|verbatim|comment)\b.*?%\}.*?\{%[-+]?\s*end\1\b.*?%\}",
    re.DOTALL,
)
_TAG = lazy(
    r"\{%[-+]?\s*(end)?(block|if|for|with|macro|autoescape|filter|unless|case|capture|tablerow|spaceless|embed|apply|sandbox"
    r"|ifchanged|blocktrans|blocktranslate)\b((?:(?!%\}).)*)%\}",
    re.DOTALL,
)
_BLADE_ASIDE = lazy(
    r"(?s)\{\{--.*?--\}\}|@verbatim\b.*?@endverbatim\b|@php\b(?!\s*\().*?@endphp\b|<\?php.*?\?>"
)
_BLADE_TAG = lazy(
    r"(?<![\w@])@(end)?(if|hasSection|sectionMissing|foreach|forelse|for|while|switch|unless|isset|can|cannot|canany|auth"
    r"|guest|push|prepend|once|error|component|env|production)\b"
)
_BLADE_IFS = ("hasSection", "sectionMissing")
_MUSTACHE_ASIDE = lazy(r"(?s)\{\{!--.*?--\}\}|\{\{![^}]*\}\}|\{\{\{\{.*?\{\{\{\{/[^}]*\}\}\}\}")
_MUSTACHE_TAG = lazy(r"\{\{~?\s*([#^/])[>*]?\s*([\w@./-]+)")
_SVELTE_TAG = lazy(r"\{\s*([#/])(if|each|await|key|snippet)\b")
_MARKER_ASIDE = lazy(r"(?s)<#--.*?-->|<#noparse>.*?</#noparse>")
_MARKER_TAG = lazy(
    r"<(/)?#(if|list|macro|function|switch|attempt|compress|escape|items|sep)\b[^>]*?(/)?>"
)
_GO_ASIDE = lazy(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
_GO_TAG = lazy(r"\{\{-?\s*(if|range|with|define|block|end)\b(?![\"'])[^{}]*\}\}")


def unclosed_tag(before: str, after: str, path: str = "") -> tuple[int, str] | None:
    """The last line of a tag that lost its partner, and the tag; nothing where they did not all pair up before."""
    pairs = next((look for ends, look in _LOOKS.items() if path.endswith(ends)), _pairs)
    was, now = pairs(before), pairs(after)
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


def _of_blade(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for end, tag in _BLADE_TAG.findall(_BLADE_ASIDE.sub("", text)):
        found["if" if tag in _BLADE_IFS else tag] += -1 if end else 1
    return found


def _of_mustache(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for sign, tag in _MUSTACHE_TAG.findall(_MUSTACHE_ASIDE.sub("", text)):
        found[tag] += -1 if sign == "/" else 1
    return found


def _of_svelte(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for sign, tag in _SVELTE_TAG.findall(re.sub(r"(?s)<!--.*?-->|<script\b.*?</script>", "", text)):
        found[tag] += -1 if sign == "/" else 1
    return found


def _of_marker(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for end, tag, whole in _MARKER_TAG.findall(_MARKER_ASIDE.sub("", text)):
        if tag != "sep":  # it may stand without its end
            found[tag] += 0 if whole else -1 if end else 1
    return found


_LOOKS: dict[tuple[str, ...], Callable[[str], Counter[str]]] = {
    (".blade.php",): _of_blade,
    (".hbs", ".handlebars", ".mustache"): _of_mustache,
    (".svelte",): _of_svelte,
    (".ftl", ".ftlh"): _of_marker,
}
"""By ending; all others are looked at for tags of Jinja and of Go."""


def _line(text: str, tag: str) -> int:
    lines = text.split("\n")
    found = [number for number, line in enumerate(lines, 1) if re.search(rf"\b{tag}\b", line)]
    return found[-1] if found else 1
