"""Takes a reply apart by its tags: whatever stands in one is quoted, shown or thought, and cannot vote.

``<think>``, tool output, documents and deleted words do not count at all. What any other tag holds may still
contradict. One pass over the tags, whatever their nesting.
"""

from __future__ import annotations

from guildmoot.reading.words.lexicon import word_set

GAP = "\ufffc"
"""Stands where a tag stood, so that no line is put together from what was around it."""
_THOUGHTS = (
    "think",
    "thought",
    "reasoning",
    "analysis",
    "reflect",
    "scratch",
    "monolog",
    "deliberat",
    "inner",
)
_QUOTES = word_set("""
    pre code artifact artefact blockquote quote q cite del s strike kbd samp tt xmp textarea script style
    template document documents doc file files diff patch source content context example examples sample
    system user human input instructions prompt packet history""")
_MACHINES = (
    "tool",
    "function",
    "system",
    "file",
    "document",
    "search",
    "observation",
    "stdout",
    "stderr",
    "invoke",
    "antml",
)
_SURENESS = ("high", "very high", "medium", "moderate", "low", "very low")
_VOID = word_set("br hr img input meta link wbr col area base embed param track")
_TAG = r"<(/?)([A-Za-z][\w:.-]{0,40})((?:\s[^<>]{0,400})?)>|<!--|-->"


def split_tags(text: str, at_lines: bool = False) -> tuple[str, str]:
    """The text outside of all tags, with as many lines as before, and what may contradict inside of them.

    With ``at_lines`` only a tag that begins a line counts: JSON holds others in its texts.
    """
    regions = _regions(text, at_lines) if "<" in text else []
    if not regions:
        return text, ""
    own: list[str] = []
    inside: list[str] = []
    done = 0
    voted = False
    for start, end, name in regions:
        own += [text[done:start], GAP, "\n" * text.count("\n", start, end), GAP]
        voted = voted or "verdict" in text[done:start].lower()
        if not _is_silent(name, voted) and not _is_sure(name, text[start:end]):
            inside.append(text[start:end])
        done = end
    own.append(text[done:])
    rows = "".join(own).split("\n")
    return "\n".join(row if row.strip(GAP + " \t") else "" for row in rows), _bare(
        "\n".join(inside)
    )


def _is_silent(name: str, voted: bool) -> bool:
    """Thoughts count for nothing before a verdict; what comes after it may be second ones."""
    if name.startswith(_THOUGHTS) or name.endswith(
        ("thought", "thoughts", "thinking", "reasoning")
    ):
        return not voted
    return name in _QUOTES or name.startswith(_MACHINES) or name == "!--"


def _is_sure(name: str, text: str) -> bool:
    """A field for how sure the judge is, and nothing else in it: ``<confidence>HIGH</confidence>``."""
    said = _bare(text).strip().rstrip("%").lower()
    return name == "confidence" and (said in _SURENESS or said.replace(".", "", 1).isdigit())


def _bare(text: str) -> str:
    """Without the tags themselves."""
    import re

    return re.sub(_TAG, "\n", text)


def _regions(text: str, at_lines: bool) -> list[tuple[int, int, str]]:
    """Start, end and name of the outermost tagged parts; what is not closed goes on to the end."""
    import re

    opened: list[tuple[str, int, bool]] = []
    places: dict[str, list[int]] = {}
    found: list[tuple[int, int, str]] = []
    tags = list(re.finditer(_TAG, text))
    begins, ends = _at_edges(text, [tag.span() for tag in tags])
    for number, tag in enumerate(tags):
        name = tag[2].lower() if tag[2] else "!--"
        if tag[0] == "<!--" or (tag[2] and not tag[1]):
            alone = begins[number]
            if name not in _VOID and not (tag[3] or "").endswith("/") and (alone or not at_lines):
                places.setdefault(name, []).append(len(opened))
                opened.append(
                    (name, tag.start(), ends[number] and (alone or _is_silent(name, False)))
                )
        elif places.get(name):
            which = places[name].pop()
            found.append((opened[which][1], tag.end(), name))
            opened[which] = ("", 0, False)
        elif name.startswith(_THOUGHTS) and _begins_line(text, tag.start()):
            found.append((0, tag.end(), name))
    found += [
        (start, len(text), name)
        for name, start, alone in opened
        if name and (alone or name == "!--" or name.startswith(_THOUGHTS))
    ]
    outer: list[tuple[int, int, str]] = []
    for region in sorted(found, key=lambda region: (region[0], -region[1])):
        if not outer or region[0] >= outer[-1][1]:
            outer.append(region)
    return outer


def _at_edges(text: str, spans: list[tuple[int, int]]) -> tuple[list[bool], list[bool]]:
    """Which tags begin a line and which end one, but for other tags on it."""
    begins: list[bool] = []
    ends: list[bool] = []
    for at, (start, _) in enumerate(spans):
        joined = at > 0 and begins[-1] and not text[spans[at - 1][1] : start].strip(" \t")
        begins.append(joined or _begins_line(text, start))
    for at in range(len(spans) - 1, -1, -1):
        joined = bool(ends) and ends[-1] and not text[spans[at][1] : spans[at + 1][0]].strip(" \t")
        ends.append(joined or _ends_line(text, spans[at][1]))
    return begins, ends[::-1]


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at].rpartition("\n")[2]
    return not before.strip(" \t>*-")


def _ends_line(text: str, at: int) -> bool:
    return not text[at : at + 40].partition("\n")[0].strip()
