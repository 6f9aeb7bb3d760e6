"""Makes a verdict of a judge's JSON object, schema v0 to v4, and says what was amiss with it.

Wrong types are read as far as their meaning is plain; gaps stay gaps. A finding is never dropped for
being incomplete; one without a severity is significant, one of an unknown severity critical. Whether
the verdict agrees with its findings is noted, not corrected: the gate is computed elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guildmoot.model.council_verdict import (
    NEWEST,
    Acknowledgment,
    Challenge,
    Confidence,
    CouncilFinding,
    CouncilVerdict,
    CouncilWord,
    DebateNotes,
    FindingSeverity,
)
from guildmoot.model.verdict import Assertion
from guildmoot.reading.council import finding_names
from guildmoot.reading.council.scales import (
    read_confidence,
    read_severity,
    read_share,
    read_verdict_word,
    read_version,
)
from guildmoot.reading.list_items import Item
from guildmoot.reading.reasons import read_reason
from guildmoot.reading.reply_json import JsonFields, as_text, compact, kind_of
from guildmoot.reading.verdict_schema import OPEN_ENDS

_ASSERTION = ("command", "expected_result", "description", "verifies_by")


def read_object(
    value: Mapping[str, object], verdict: CouncilWord
) -> tuple[CouncilVerdict, list[str]]:
    """The verdict that an object holds, and warnings; its verdict word has been read before."""
    warnings: list[str] = []
    fields = JsonFields(finding_names.listed(value), "", warnings)
    fields.get("verdict")
    for name, others in finding_names.ROOT.items():
        fields.alias(name, others)
    read = CouncilVerdict(
        verdict=verdict,
        confidence=_confidence(fields, required=True),
        key_insight=fields.text("key_insight"),
        findings=_findings(fields),
        recommendation=fields.text("recommendation"),
        schema_version=_version(fields),
        satisfaction_score=_score(fields),
        satisfaction_breakdown=_breakdown(fields),
        debate_notes=_debate_notes(fields),
        extras=(*_open_ends(fields), *fields.extras()),
    )
    return read, warnings + _contradictions(read)


def _open_ends(fields: JsonFields) -> Iterator[tuple[str, str]]:
    """What the judge could not check or makes a condition, kept as it was written."""
    for name in OPEN_ENDS:
        if said := fields.get(name):
            yield name, compact(said)


def _contradictions(read: CouncilVerdict) -> list[str]:
    critical = sum(finding.severity == "critical" for finding in read.findings)
    if read.verdict == "PASS" and critical:
        return [f"the verdict is PASS, yet {critical} of its findings are critical"]
    if read.verdict == "FAIL" and not read.findings:
        return ["the verdict is FAIL, but it gives no findings"]
    return []


def _version(fields: JsonFields) -> int:
    said = fields.get("schema_version")
    read = read_version(said)
    if said is None:
        return 0
    if read is None:
        fields.warn(f"schema_version is {as_text(said)!r}, which is none; read as version 0")
        return 0
    if not isinstance(said, int):
        fields.warn(f"schema_version is {as_text(said)!r}; read as {read}")
    elif said > NEWEST:
        fields.warn(f"schema_version {said} is newer than {NEWEST}; read as {NEWEST}")
    return read


def _score(fields: JsonFields) -> float | None:
    said = fields.get("satisfaction_score")
    read = read_share(said)
    if said is not None and read is None:
        fields.warn(f"satisfaction_score is {as_text(said)!r}, which is no number from 0 to 1")
    elif read is not None and read != said:
        fields.warn(f"satisfaction_score {as_text(said)} was read as {read:g}")
    return read


def _breakdown(fields: JsonFields) -> tuple[tuple[str, float], ...] | None:
    """A map, or the pairs of name and score that strict schemas have in its place."""
    said = fields.get("satisfaction_breakdown")
    if said is None:
        return None
    pairs = _pairs(said)
    if pairs is None:
        fields.warn(f"satisfaction_breakdown is {kind_of(said)}, not a map of names to scores")
        return None
    for name, score in pairs:
        if read_share(score) is None:
            fields.warn(f"satisfaction_breakdown: {name} is {as_text(score)!r}, no number 0 to 1")
    return tuple((name, share) for name, score in pairs if (share := read_share(score)) is not None)


def _pairs(said: object) -> list[tuple[str, object]] | None:
    if isinstance(said, dict):
        return list(said.items())
    if isinstance(said, list) and all(isinstance(pair, dict) and "name" in pair for pair in said):
        return [(as_text(pair["name"]), pair.get("score")) for pair in said]
    return None


def _debate_notes(fields: JsonFields) -> DebateNotes | None:
    said = fields.get("debate_notes")
    if said is None:
        return None
    if not isinstance(said, dict):
        fields.warn(f"debate_notes is {kind_of(said)}, not an object; kept as the steel man")
        return DebateNotes(steel_man=as_text(said))
    notes = JsonFields(said, "debate_notes", fields.warnings)
    return DebateNotes(
        revised_from=_revised_from(notes),
        steel_man=notes.text("steel_man"),
        challenges=tuple(
            Challenge(*_texts(notes, item, "challenges", Challenge._fields, "claim"))
            for item in notes.items("challenges")
        ),
        acknowledgments=tuple(
            Acknowledgment(*_texts(notes, item, "acknowledgments", Acknowledgment._fields, "point"))
            for item in notes.items("acknowledgments")
        ),
        extras=notes.extras(),
    )


def _revised_from(notes: JsonFields) -> CouncilWord | None:
    said = notes.get("revised_from")
    read = read_verdict_word(said)
    if read is None and said is not None:
        notes.warn(f"revised_from is {as_text(said)!r}, which is not PASS, WARN or FAIL")
    return read


def _findings(fields: JsonFields) -> tuple[CouncilFinding, ...]:
    if "findings" not in fields:
        fields.warn("findings are missing")
    said = fields.get("findings")
    grouped = _by_severity(said) or _by_name(said)
    items = grouped or [(item, "") for item in fields.items("findings")]
    return tuple(
        _finding(item, severity, f"finding {number}", fields.warnings)
        for number, (item, severity) in enumerate(items, start=1)
        if item not in (None, "", {}, [])
    )


def _by_severity(said: object) -> list[tuple[object, str]]:
    """Findings in lists under their severity, as some judges group them."""
    if not isinstance(said, dict) or not said:
        return []
    if not all(read_severity(key) and isinstance(said[key], list) for key in said):
        return []
    return [(item, key) for key, items in said.items() for item in items]


def _by_name(said: object) -> list[tuple[object, str]]:
    """Findings under names of their own, in place of a list."""
    if (
        not isinstance(said, dict)
        or not said
        or not all(isinstance(v, dict) for v in said.values())
    ):
        return []
    return [(item, "") for item in said.values()]


def _finding(item: object, severity: str, place: str, warnings: list[str]) -> CouncilFinding:
    fields = JsonFields(item if isinstance(item, dict) else _in_words(item), place, warnings)
    if not isinstance(item, dict):
        fields.warn(f"it is {kind_of(item)}, not an object")
    finding_names.named(fields)
    brief = not isinstance(item, dict)
    return CouncilFinding(
        severity=_severity(fields, severity),
        category=fields.text("category", required=not brief),
        description=fields.text("description"),
        location=_location(fields),
        recommendation=fields.text("recommendation", required=not (brief or "fix" in fields)),
        fix=fields.optional_text("fix"),
        why=fields.optional_text("why"),
        ref=fields.optional_text("ref"),
        id=_id(fields),
        confidence=_confidence(fields, required=False),
        test_assertions=_assertions(fields),
        extras=fields.extras(),
    )


def _in_words(item: object) -> dict[str, object]:
    """A finding that was given as one text: its words, with the severity and the place that they name."""
    if not isinstance(item, str):
        return {"description": item}
    read = read_reason(Item(item), "", "")
    span = f"{read.line}-{read.end_line}" if read.end_line > read.line else f"{read.line}"
    place = f"{read.path}:{span}" if read.line else read.path
    rated = {} if read.severity == "high" else {"severity": read.severity}
    return {"description": read.title, "location": place, **rated}


def _severity(fields: JsonFields, grouped: str) -> FindingSeverity:
    said = fields.get("severity")
    said = grouped if said is None else said
    read = read_severity(said)
    if read is None:
        if said:  # a word that nobody knows is as bad as the worst
            fields.warn(f"severity is {as_text(said)!r}, which is unknown; it counts as critical")
            return "critical"
        fields.warn("severity is missing; it counts as significant")
        return "significant"
    if read != as_text(said).lower():
        fields.warn(f"severity {as_text(said)!r} was read as {read}")
    return read


def _id(fields: JsonFields) -> str | None:
    """A bare number is as good an id as any."""
    said = fields.get("id")
    is_number = isinstance(said, int) and not isinstance(said, bool)
    return str(said) if is_number else fields.optional_text("id")


def _location(fields: JsonFields) -> str:
    """``file:line``, also when file and line were given apart."""
    said = fields.get("location")
    if isinstance(said, dict):
        place = finding_names.place_of(JsonFields(said, fields.place, fields.warnings))
        if place:
            fields.warn(f"location is an object; read as {place}")
            return place
    if said is None:
        place = finding_names.place_of(fields)
        if place:
            fields.warn(f"location was made of the file and line given apart: {place}")
        return place
    return fields.text("location")


def _assertions(fields: JsonFields) -> tuple[Assertion, ...]:
    return tuple(
        Assertion(*_texts(fields, item, "test_assertions", _ASSERTION, "command"))
        for item in fields.items("test_assertions")
    )


def _confidence(fields: JsonFields, required: bool) -> Confidence | None:
    said = fields.get("confidence")
    read = read_confidence(said)
    if read is None and said is not None:
        fields.warn(f"confidence is {as_text(said)!r}, which is not HIGH, MEDIUM or LOW")
    elif read is None and required:
        fields.warn("confidence is missing")
    elif read and isinstance(said, int | float):
        fields.warn(f"confidence {said} was read as {read}")
    return read


def _texts(
    fields: JsonFields, item: object, place: str, names: tuple[str, ...], lone: str
) -> list[str]:
    """The named texts of an object; a lone text stands for the one called ``lone``."""
    if not isinstance(item, dict):
        fields.warn(f"{place}: an item is {kind_of(item)}, not an object")
        return [as_text(item) if name == lone else "" for name in names]
    parts = JsonFields(item, f"{fields.place} {place}".strip(), fields.warnings)
    texts = [parts.text(name) for name in names]
    parts.extras()
    return texts
