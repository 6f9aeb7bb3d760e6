"""Reads a reply that must be one JSON object and nothing else, and checks it against a schema by code.

Whatever a vendor promised: a key that is there twice, one that the schema does not know, a word that is
none of its words or a wrong type make it unreadable. One fence around all of it is forgiven.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from guildmoot.model.verdict import CliRun, Finding, Judgement
from guildmoot.reading.blocks import spoken
from guildmoot.reading.council import finding_names
from guildmoot.reading.council.judgement import read_location
from guildmoot.reading.council.opposing import names_nothing
from guildmoot.reading.grammar import PARSE_FAILURE, WITHOUT_REASONS, why_not_approved
from guildmoot.reading.list_items import says_none
from guildmoot.reading.reply_json import BLANK, JsonFields, as_text
from guildmoot.reading.verdict_schema import OPEN_ENDS
from guildmoot.reading.words.doubts import is_grave_name

Schema = Mapping[str, Any]

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)
_KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


class Unfit(ValueError):
    """The reply is not what was asked for; the message says how."""


def read_object(text: str, schema: Schema) -> dict[str, Any]:
    """The one object that the reply is; Unfit when it is anything else, or more."""
    listed: Any = _findings_listed(read_json(text))
    if misfit := find_misfit(listed, schema):
        raise Unfit(misfit)
    found: dict[str, Any] = listed
    return found


def read_json(text: str) -> object:
    """The JSON that the reply is, without a fence around it; Unfit where a key stands twice in it."""
    try:
        # a line break inside a text has one plain meaning, and nothing around the object is forgiven
        return json.loads(
            _bare(text), strict=False, object_pairs_hook=_once, parse_constant=_no_number
        )
    except Unfit:
        raise
    except (ValueError, RecursionError):
        raise Unfit("the reply is not one JSON object and nothing else") from None


def _findings_listed(value: object) -> object:
    """Findings that are one object, or an object of them by name, as the list that was asked for."""
    found = value.get("findings") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(found, dict) or not found:
        return value
    several = all(isinstance(each, dict) for each in found.values())
    return {**value, "findings": list(found.values()) if several else [found]}


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise Unfit(f"the key {key[:40]!r} is there twice")
        found[key] = value
    return found


def _no_number(word: str) -> object:
    raise Unfit(f"{word} is no number")


def find_misfit(value: object, schema: Schema, place: str = "the reply") -> str:
    """The first thing in a value that does not fit its schema, in words; empty when all does."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, list) and "object" in kinds and "properties" not in schema:
        return ""  # a map as vendors take it, an array of pairs; nothing in it votes
    if not any(_is(value, kind) for kind in kinds):
        return f"{place} is not {' or '.join(kinds)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{place} is {str(value)[:40]!r}, which is not one of its words"
    if isinstance(value, list):
        found = (
            find_misfit(item, schema["items"], f"{place}[{n}]") for n, item in enumerate(value)
        )
        return next(filter(None, found), "")
    return _misfit_in(value, schema, place) if isinstance(value, dict) else ""


def _is(value: object, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _misfit_in(value: dict[str, object], schema: Schema, place: str) -> str:
    known: Mapping[str, Schema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place} has no {name}"
    for name, item in value.items():
        if name not in known:
            if schema["additionalProperties"] is False:
                return f"{place} has a key that the schema does not know: {name[:40]!r}"
            continue
        if misfit := find_misfit(item, known[name], f"{place}.{name}".removeprefix("the reply.")):
            return misfit
    return ""


def panel_judgement(value: Mapping[str, Any], seat: str, family: str) -> Judgement:
    """The judgement in an object of the panel's schema; one that contradicts itself is unreadable."""
    reasons = [_finding(row, seat, family, bool(row["blocking"])) for row in value["reasons"]]
    notes = [_finding(row, seat, family, blocking=False) for row in value["advisories"]]
    blank = Judgement(
        seat,
        "unreadable",
        confidence=value["confidence"],
        family=family,
        cli_runs=tuple(
            CliRun(seat, run["command"], run["passed"]) for run in value.get("cli_runs") or ()
        ),
    )
    escalation, word = value.get("escalation") or "", value["verdict"]
    grave = any(each.blocking or each.severity == "critical" for each in (*reasons, *notes))
    if word == "operator-judgment-required" or not says_none(escalation):
        return blank._replace(outcome="operator-judgment", reason=escalation)
    why = f"the verdict is {word}, yet a finding is given as blocking or critical" if grave else ""
    if word == "approved":
        why = why or _said_otherwise(value)
    if word != "flagged" and why:
        failure = Finding(seat, PARSE_FAILURE, why, family=family)
        return blank._replace(reason=why, findings=(failure, *reasons, *notes))
    if word == "recused":
        return blank._replace(outcome="recused", reason=value.get("recusal") or "")
    if word == "flagged" and not any(each.blocking for each in reasons):
        why = "the verdict is flagged, but no reason that blocks is given"
        reasons.insert(0, Finding(seat, WITHOUT_REASONS, why, family=family))
    return blank._replace(outcome=word, findings=(*reasons, *notes))


def _said_otherwise(value: Mapping[str, Any]) -> str:
    """What the other fields of an object say against its approval."""
    if not says_none(value.get("recusal") or ""):
        return "the verdict is approved, yet it says why it would not judge"
    if any(not run["passed"] for run in value.get("cli_runs") or ()):
        return "the verdict is approved, yet a command that it ran did not pass"
    for name in OPEN_ENDS:
        if named := [each for each in value.get(name) or () if not names_nothing(each)]:
            return f"the verdict is approved, yet {name} names {named[0]!r}"
    notes = [*value["advisories"], *value["reasons"]]
    if any(row["severity"] == "high" or is_grave_name(row["code"].lower()) for row in notes):
        return "the verdict is approved, yet advice is rated as high"
    words = [f"- {row['what']}\n- This {row['fix']}" for row in notes]
    advice = why_not_approved("Advisory:\n" + "\n".join(words))
    return advice or why_not_approved(value.get("checks") or "")


def _finding(row: Mapping[str, Any], seat: str, family: str, blocking: bool) -> Finding:
    return Finding(
        seat=seat,
        code=row["code"].strip() or "criterion-unmet",
        title=row["what"].strip() or row["code"],
        severity=row["severity"],
        blocking=blocking,
        path=row["path"].strip(),
        line=max(row["line"], 0),
        quote=row["quote"],
        firm=bool(row["quote"]),
        fix=row["fix"],
        family=family,
    )


def read_loose_flag(text: str, seat: str, family: str) -> Judgement | None:
    """A flag in JSON that does not fit: what it says to be wrong blocks all the same."""
    try:
        value = json.loads(_bare(text))
    except (ValueError, RecursionError):
        return None
    said = value.get("verdict") if isinstance(value, dict) else None
    if not isinstance(said, str) or said.strip().lower() not in ("flagged", "fail"):
        return None
    rows = finding_names.listed(value).get("findings")
    read = (_loose_finding(row, seat, family) for row in (rows if isinstance(rows, list) else ()))
    findings = [each for each in read if each.title.strip()]
    bare = Finding(seat, WITHOUT_REASONS, "the verdict is flagged, but no reason could be read")
    return Judgement(
        seat, "flagged", tuple(findings) or (bare._replace(family=family),), family=family
    )


def _loose_finding(row: object, seat: str, family: str) -> Finding:
    """What a row of any form says, with its place and remedy where they can be told."""
    bare = Finding(seat, "criterion-unmet", row if isinstance(row, str) else "", family=family)
    if not isinstance(row, dict):
        return bare
    fields = JsonFields(row)
    finding_names.named(fields)
    where = as_text(fields.get("location") or "") or finding_names.place_of(fields)
    path, line, _ = read_location(where)
    title, fix = (as_text(fields.get(name) or "") for name in ("description", "fix"))
    return bare._replace(title=title, fix=fix, path=path, line=line)


def _bare(text: str) -> str:
    """The reply without thoughts before it and without a fence around it."""
    bare = spoken(text).strip(BLANK)
    fence = _FENCE.fullmatch(bare)
    return fence["inside"] if fence else bare
