"""Makes a verdict of a judge's JSON object, schema v0 to v4, and says what was amiss with it.

Wrong types are read as far as their meaning is plain; gaps stay gaps. Whether the verdict agrees
with its findings is noted, not corrected: the gate is computed elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from guildmoot.model.council_verdict import (
    NEWEST,
    Acknowledgment,
    Challenge,
    CouncilVerdict,
    CouncilWord,
    DebateNotes,
    FindingSeverity,
)
from guildmoot.reading.council.coerce import Fields, as_text, kind_of
from guildmoot.reading.council.findings import confidence_in, read_findings, texts_in
from guildmoot.reading.council.scales import read_share, read_verdict_word, read_version

_ROOT_ALIASES = {
    "key_insight": ("insight", "summary", "headline"),
    "recommendation": ("recommendations", "next_step", "next_steps"),
}


def normalise(
    value: Mapping[str, object], verdict: CouncilWord, medium: FindingSeverity = "significant"
) -> tuple[CouncilVerdict, list[str]]:
    """The verdict that an object holds, and warnings; its verdict word has been read before.

    ``medium`` is what findings rated medium or moderate count as.
    """
    warnings: list[str] = []
    fields = Fields(value, "", warnings)
    fields.get("verdict")
    for name, others in _ROOT_ALIASES.items():
        fields.alias(name, others)
    read = CouncilVerdict(
        verdict=verdict,
        confidence=confidence_in(fields, required=True),
        key_insight=fields.text("key_insight"),
        findings=read_findings(fields, medium),
        recommendation=fields.text("recommendation"),
        schema_version=_version(fields),
        satisfaction_score=_score(fields),
        satisfaction_breakdown=_breakdown(fields),
        debate_notes=_debate_notes(fields),
        extras=fields.extras(),
    )
    return read, warnings + _contradictions(read)


def _contradictions(read: CouncilVerdict) -> list[str]:
    critical = sum(finding.severity == "critical" for finding in read.findings)
    if read.verdict == "PASS" and critical:
        return [f"the verdict is PASS, yet {critical} of its findings are critical"]
    if read.verdict == "FAIL" and not read.findings:
        return ["the verdict is FAIL, but it gives no findings"]
    return []


def _version(fields: Fields) -> int:
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


def _score(fields: Fields) -> float | None:
    said = fields.get("satisfaction_score")
    read = read_share(said)
    if said is not None and read is None:
        fields.warn(f"satisfaction_score is {as_text(said)!r}, which is no number from 0 to 1")
    elif read is not None and read != said:
        fields.warn(f"satisfaction_score {as_text(said)} was read as {read:g}")
    return read


def _breakdown(fields: Fields) -> tuple[tuple[str, float], ...] | None:
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


def _debate_notes(fields: Fields) -> DebateNotes | None:
    said = fields.get("debate_notes")
    if said is None:
        return None
    if not isinstance(said, dict):
        fields.warn(f"debate_notes is {kind_of(said)}, not an object; kept as the steel man")
        return DebateNotes(steel_man=as_text(said))
    notes = Fields(said, "debate_notes", fields.warnings)
    return DebateNotes(
        revised_from=_revised_from(notes),
        steel_man=notes.text("steel_man"),
        challenges=tuple(
            Challenge(*texts_in(notes, item, "challenges", Challenge._fields, "claim"))
            for item in notes.items("challenges")
        ),
        acknowledgments=tuple(
            Acknowledgment(
                *texts_in(notes, item, "acknowledgments", Acknowledgment._fields, "point")
            )
            for item in notes.items("acknowledgments")
        ),
        extras=notes.extras(),
    )


def _revised_from(notes: Fields) -> CouncilWord | None:
    said = notes.get("revised_from")
    read = read_verdict_word(said)
    if read is None and said is not None:
        notes.warn(f"revised_from is {as_text(said)!r}, which is not PASS, WARN or FAIL")
    return read
