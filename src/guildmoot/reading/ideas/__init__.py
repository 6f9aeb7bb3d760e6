"""Reads a judge's answer to a brainstorm or a research: JSON as the prompt asks, else its Markdown.

There is no verdict in it, so a loose reading harms nobody; but nothing is made up, what stands in
block quotes or other languages' fences does not count, and no answer may flood the report: what is
beyond the bounds is left out and told in a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from guildmoot.reading.blocks import Part, cut, spoken
from guildmoot.reading.council import finding_names
from guildmoot.reading.ideas.ends import split_ends
from guildmoot.reading.ideas.listing import read_listing
from guildmoot.reading.ideas.markdown import Idea, IdeasReading, Listed, read_markdown
from guildmoot.reading.json_repair import ParsedJson
from guildmoot.reading.refusal import not_a_vote
from guildmoot.reading.reply_json import (
    MOST_VALUES,
    OBJECT_OR_ARRAY,
    JsonFields,
    as_text,
    find_json,
    names_in,
    parse_whole,
)

__all__ = ["LONGEST", "MOST_ITEMS", "Idea", "IdeasReading", "Listed", "read_ideas"]

MOST_ITEMS = 40
"""Options, facets, questions and the like of one judge, each."""
LONGEST = 2_000
"""Characters of one text."""
_LISTS = {
    "options": ("ideas", "approaches", "alternatives"),
    "findings": ("issues", "observations", "results"),
    "questions": ("open_questions", "unknowns"),
    "recommendation": ("recommendations", "next_steps"),
}
"""Other names for the parts of an answer."""
_KEYS = frozenset(("facets", "lenses", *_LISTS, *(name for row in _LISTS.values() for name in row)))
_FACETS = ("facet", "theme", "topic", "area", "category")
_TITLES = ("name", "option", "approach", "idea", "label")
_SUMMARIES = ("description", "what", "details", "text")
_PROS = ("pros", "for", "advantages", "benefits", "strengths")
_UNKNOWN = re.compile(
    r"(?:(?:I|we) )?(?:could not|couldn['’]t|cannot|can['’]t|(?:was|were) (?:not able|unable) to) "
    r"(?:determine|find out|tell|verify|confirm|establish)\b"
    r"|(?:it is |it['’]s )?un(?:clear|known) (?:whether|if|how|why)\b",
    re.IGNORECASE,
)
_CONS = ("cons", "against", "disadvantages", "drawbacks", "risks", "weaknesses")


def read_ideas(
    text: str, task: Literal["brainstorm", "research"] = "brainstorm", prompt: str = ""
) -> IdeasReading:
    """The ideas in a reply; never raises. ``prompt`` is there to tell a mere echo of it."""
    excuse = not_a_vote(text, prompt)
    if excuse:
        return IdeasReading(failure=excuse)
    said = spoken(text)
    whole = parse_whole(said.strip())
    if whole and isinstance(whole.value, list) and _are_texts(whole.value):
        return _bounded(_plain_list(whole.value, task))
    parts = cut(said)
    texts = _candidates(said, parts.counting)
    found = [reading for each in texts for reading in _objects(each, task)]
    if found:
        return max(found, key=_weight)  # the first of equals
    ends = split_ends([row for _, row in parts.prose])
    reading = read_markdown(ends.rows, task)
    reading = read_listing(ends.rows, task) if reading.is_empty else reading
    reading = _bounded(
        reading._replace(questions=ends.questions, recommendation=ends.advice, how="markdown")
    )
    if reading.is_empty:
        return IdeasReading(failure="it names no option, facet, question or recommendation")
    return reading


def _are_texts(value: list[object]) -> bool:
    return len(value) > 1 and all(isinstance(item, str) and item.strip() for item in value)


def _plain_list(value: list[object], task: str) -> IdeasReading:
    """An answer that is nothing but a list of texts."""
    texts = _texts(value)
    if task == "research":
        return IdeasReading(facets=tuple(Listed(text, ()) for text in texts), how="json")
    return IdeasReading(options=tuple(map(Idea, texts)), how="json")


def _candidates(text: str, counting: Sequence[Part]) -> Iterator[str]:
    if text.lstrip().startswith(("{", "[")):
        yield text.strip()
    for part in counting:
        if not part.cited:
            yield part.text


def _objects(text: str, task: str) -> Iterator[IdeasReading]:
    """Every JSON object of ours in a text, mended where that needs no guessing."""
    return find_json(
        text, lambda each: _taken(each, task), opens=OBJECT_OR_ARRAY, nested=True, most=MOST_VALUES
    )


def _taken(parsed: ParsedJson, task: str) -> list[IdeasReading]:
    reading = _from_value(parsed.value, task)
    if reading is None or reading.is_empty:
        return []
    mended = [f"mended: {what}" for what in parsed.repairs]
    how: Literal["json", "repaired"] = "repaired" if parsed.mended else "json"
    return [_bounded(reading._replace(how=how, warnings=(*mended, *reading.warnings)))]


def _from_value(value: object, task: str) -> IdeasReading | None:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        value = {"findings" if task == "research" else "options": value}
    if not isinstance(value, dict) or not _KEYS & names_in(value):
        return None
    warnings: list[str] = []
    fields = JsonFields(value, "", warnings)
    found = _items(fields, "findings")
    options = _items(fields, "options")
    facets = [*_listed(fields.items("facets"), ("facet", "title", "name"), warnings)]
    if task == "research":
        facets += _of_findings(found)
    elif not options:  # an answer in the form of a verdict proposes what it found
        options = found
    return IdeasReading(
        options=tuple(idea for item in options if (idea := _idea(item, warnings)).title),
        facets=tuple(facets),
        lenses=tuple(_listed(fields.items("lenses"), ("lens", "hat", "title", "name"), warnings)),
        questions=_texts(_items(fields, "questions")),
        recommendation="\n".join(_texts(_items(fields, "recommendation"))),
        warnings=tuple(warnings),
    )


def _items(fields: JsonFields, name: str) -> list[object]:
    """The items of a part under any of its names; an object of objects is a list of named ones."""
    held = next((each for each in (name, *_LISTS[name]) if each in fields), name)
    said = fields.get(held)
    if isinstance(said, dict) and said and all(isinstance(each, dict) for each in said.values()):
        return [{"title": key, **each} for key, each in said.items()]
    return [said] if isinstance(said, str) else fields.items(held)


def _of_findings(found: Sequence[object]) -> Iterator[Listed]:
    """Findings that stand in no facet, under the one that each names; each in one sentence with its place."""
    by_facet: dict[str, list[str]] = {}
    for item in found:
        fields = JsonFields(item) if isinstance(item, dict) else JsonFields({"finding": item})
        facet = next((as_text(fields.get(name)) for name in _FACETS if name in fields), "")
        finding_names.named(fields)
        said = as_text(fields.get("description") or "").strip()
        place = as_text(fields.get("evidence") or fields.get("location") or "").strip()
        place = place or finding_names.place_of(fields)
        if said:
            by_facet.setdefault(facet or "Findings", []).append(
                f"{said} ({place})" if place else said
            )
    yield from (Listed(name, tuple(texts)) for name, texts in by_facet.items())


def _idea(item: object, warnings: list[str]) -> Idea:
    if not isinstance(item, dict):
        return Idea(as_text(item).strip() if item is not None else "")
    fields = JsonFields(item, "option", warnings)
    fields.alias("title", _TITLES)
    fields.alias("title", _SUMMARIES)
    said = [name for name in _SUMMARIES if fields.get(name) != fields.get("title")]
    fields.alias("summary", (*said, "recommendation"))
    return Idea(
        title=fields.text("title").strip(),
        summary=fields.text("summary", required=False).strip(),
        pros=_first(fields, _PROS),
        cons=_first(fields, _CONS),
    )


def _first(fields: JsonFields, names: Sequence[str]) -> tuple[str, ...]:
    return next((_texts(fields.items(name)) for name in names if name in fields), ())


def _listed(found: Sequence[object], names: Sequence[str], warnings: list[str]) -> Iterator[Listed]:
    for item in found:
        if not isinstance(item, dict):
            yield Listed(as_text(item).strip(), ())
            continue
        fields = JsonFields(item, names[0], warnings)
        title = next((fields.text(name) for name in names if name in fields), "").strip()
        held = next((n for n in ("findings", "ideas", "points", "items") if n in fields), "")
        items = _texts(fields.items(held)) if held else ()
        if title or items:
            yield Listed(title or "not named", items)


def _texts(found: Sequence[object]) -> tuple[str, ...]:
    """The items as texts; of an object the first text in it, since some judges wrap each point."""
    texts = []
    for item in found:
        if isinstance(item, dict):
            item = next((value for value in item.values() if isinstance(value, str)), None)
        said = as_text(item).strip() if item is not None else ""
        texts += [said] if said else []
    return tuple(texts)


def _weight(reading: IdeasReading) -> int:
    said = (reading.options, reading.facets, reading.lenses, reading.questions)
    return sum(map(len, said)) + bool(reading.recommendation)


def _bounded(reading: IdeasReading) -> IdeasReading:
    """The reading within its bounds, with a warning where something was left out."""
    reading = _sorted(reading)
    kept = reading._replace(
        options=tuple(
            Idea(_short(o.title), _short(o.summary), _shorts(o.pros), _shorts(o.cons))
            for o in reading.options[:MOST_ITEMS]
        ),
        facets=tuple(
            Listed(_short(f.title), _shorts(f.items)) for f in reading.facets[:MOST_ITEMS]
        ),
        lenses=tuple(
            Listed(_short(f.title), _shorts(f.items)) for f in reading.lenses[:MOST_ITEMS]
        ),
        questions=_shorts(reading.questions),
        recommendation=_short(reading.recommendation),
    )
    if kept == reading:
        return kept
    told = f"more than {MOST_ITEMS} items, or texts beyond {LONGEST} characters, were cut"
    return kept._replace(warnings=(*kept.warnings, told))


def _sorted(reading: IdeasReading) -> IdeasReading:
    """Findings that stand under no facet get one; what a judge could not find out is a question."""
    loose = [each.title for each in reading.facets if not each.items and " " in each.title]
    found = tuple(said for said in loose if not _UNKNOWN.match(said))
    named = tuple(each for each in reading.facets if each.items or " " not in each.title)
    return reading._replace(
        facets=(*named, Listed("Findings", found)) if found else named,
        questions=(*reading.questions, *filter(_UNKNOWN.match, loose)),
    )


def _short(said: str) -> str:
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


def _shorts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_short, texts[:MOST_ITEMS]))
