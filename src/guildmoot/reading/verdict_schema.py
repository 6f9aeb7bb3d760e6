"""The schemas of verdicts, a council's and a panel's, and what each vendor accepts of them.

The council's is version 4, with the parts that prompts ask for and the upstream schema forgot: the notes of a
debate, the assertions of a finding, a finding's own confidence, and what a judge could not check or makes a
condition. All of these may be left out or null, so every verdict that is valid upstream
is valid here. What vendors accept is derived from it:

    openai, anthropic   every property required, what is optional may be null, no other properties;
                        no bounds on numbers; a union with null only as ``type`` pair or ``anyOf``
    google              the OpenAPI subset: upper-case types, ``nullable``, ``propertyOrdering``, no
                        ``additionalProperties``, and only texts as ``enum``

None of them takes a map with free keys, so a map becomes an array of ``{name, score}`` pairs, which
the reader of verdicts understands too.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from guildmoot.errors import UsageError
from guildmoot.model.council_verdict import CONFIDENCES, FINDING_SEVERITIES, VERDICTS
from guildmoot.model.verdict import SEVERITIES
from guildmoot.reading.verdict_line import PANEL_WORDS

Schema = dict[str, Any]
Vendor = Literal["openai", "anthropic", "google"]
VENDORS: tuple[Vendor, ...] = get_args(Vendor)


def _text(description: str, nullable: bool = False) -> Schema:
    return {"type": ["string", "null"] if nullable else "string", "description": description}


def _choice(words: tuple[str, ...], description: str, nullable: bool = False) -> Schema:
    kind = ["string", "null"] if nullable else "string"
    return {"type": kind, "enum": [*words, *([None] * nullable)], "description": description}


def _array(items: Schema, description: str, nullable: bool = False) -> Schema:
    kind = ["array", "null"] if nullable else "array"
    return {"type": kind, "items": items, "description": description}


def _object(required: Schema, optional: Schema | None = None, nullable: bool = False) -> Schema:
    return {
        "type": ["object", "null"] if nullable else "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


_ASSERTION = _object(
    {
        "description": _text("What the check shows."),
        "verifies_by": _text("How: stat, grep, test or the like."),
        "command": _text("A command that runs in a second, reads only, and always says the same."),
        "expected_result": _text("What the command prints or returns when the finding is true."),
    }
)
_FINDING = _object(
    {
        "severity": _choice(FINDING_SEVERITIES, "How bad it is."),
        "category": _text("For instance security, architecture, performance, style."),
        "description": _text("What is wrong."),
        "location": _text("file:line where it applies, otherwise empty."),
        "recommendation": _text("What to do about it."),
    },
    {
        "fix": _text("The smallest concrete change that mends it.", nullable=True),
        "why": _text("Why it matters.", nullable=True),
        "ref": _text("The file, line, rule or document that shows it.", nullable=True),
        "id": _text("For instance f-council-001.", nullable=True),
        "confidence": _choice(CONFIDENCES, "How sure you are of this finding.", nullable=True),
        "test_assertions": _array(_ASSERTION, "Checks that show it to be true.", nullable=True),
    },
)
_CHALLENGE = _object(
    {
        "target_judge": _text("Whose claim is disputed."),
        "claim": _text("The claim."),
        "response": _text("The evidence against it."),
    }
)
_ACKNOWLEDGMENT = _object(
    {
        "source_judge": _text("Whose point is granted."),
        "point": _text("The point."),
        "impact": _text("What it changes."),
    }
)
_DEBATE_NOTES = _object(
    {
        "steel_man": _text("The strongest form of an argument that you first disagreed with."),
        "challenges": _array(_CHALLENGE, "Claims that you dispute."),
        "acknowledgments": _array(_ACKNOWLEDGMENT, "Points that you grant."),
    },
    {"revised_from": _choice(VERDICTS, "Your earlier verdict, if it changed.", nullable=True)},
    nullable=True,
)
_BREAKDOWN: Schema = {
    "type": ["object", "null"],
    "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
    "description": "The score of each criterion by its name, from 0 to 1.",
}
_SCORE: Schema = {
    "type": ["number", "null"],
    "minimum": 0,
    "maximum": 1,
    "description": "How far the work satisfies its specification, from 0 to 1.",
}

OPEN_ENDS = ("could_not_check", "conditions")
"""Where a judge names what keeps its PASS from being plain; a doubt needs a place of its own."""
_OPEN_ENDS: Schema = {
    "could_not_check": _array(
        _text("What it is, and why it could not be checked."),
        "What of the work itself you could not see, run or follow, and so do not vouch for; empty when that is "
        "nothing. What lies outside of the work you were given does not belong here.",
        nullable=True,
    ),
    "conditions": _array(
        _text("What has to be done or be true first."),
        "What must still be done, or turn out to be true, before your verdict holds; empty when nothing must. "
        "Wishes for later do not belong here.",
        nullable=True,
    ),
}

SCHEMA: Schema = _object(
    {
        "verdict": _choice(VERDICTS, "The verdict on the whole."),
        "confidence": _choice(CONFIDENCES, "How sure you are of the verdict."),
        "key_insight": _text("The one thing to know, in one sentence."),
        "findings": _array(_FINDING, "What is wrong; empty when nothing is."),
        "recommendation": _text("The next step."),
        "schema_version": {
            "type": "integer",
            "enum": [1, 2, 3, 4],
            "description": "4, unless you were asked for an older one.",
        },
    },
    {
        "satisfaction_score": _SCORE,
        "satisfaction_breakdown": _BREAKDOWN,
        "debate_notes": _DEBATE_NOTES,
        **_OPEN_ENDS,
    },
)
"""JSON Schema 2020-12. Every property that is not required may be null."""

_NOTE = {
    "code": _text("The flag code, for instance access-unchecked."),
    "severity": _choice(SEVERITIES, "How bad it is."),
    "path": _text("The file as the packet names it; empty when there is none."),
    "line": {"type": "integer", "description": "Its line, counted from 1; 0 when there is none."},
    "quote": _text("The code there, word for word; empty when there is none."),
    "what": _text("What is wrong, and what comes of it."),
    "fix": _text("The smallest concrete change that mends it."),
}
_REASON = {**_NOTE, "blocking": {"type": "boolean", "description": "It must be mended first."}}
_RUN = {
    "command": _text("The command line."),
    "passed": {"type": "boolean", "description": "Whether it succeeded."},
}
PANEL_SCHEMA: Schema = _object(
    {
        "verdict": _choice(PANEL_WORDS, "The verdict on the whole."),
        "confidence": _choice(("high", "medium", "low"), "How sure you are of the verdict."),
        "reasons": _array(_object(_REASON), "Why you flag the work; empty otherwise."),
        "advisories": _array(_object(_NOTE), "What does not stand in the way of an approval."),
    },
    {
        "checks": _text("What you looked at.", nullable=True),
        "recusal": _text("If recused: why nothing here is yours to judge.", nullable=True),
        "escalation": _text(
            "If only a person can decide: the decision, and what each choice costs.", nullable=True
        ),
        "cli_runs": _array(_object(_RUN), "Commands that you ran.", nullable=True),
        **_OPEN_ENDS,
    },
)
"""What a judge answers whose reply is a verdict with reasons, where its backend takes a schema."""


def strict_schema(vendor: str, schema: Schema = SCHEMA) -> Schema:
    """The schema to send to a vendor; raises ``UsageError`` for one that is not known."""
    if vendor not in VENDORS:
        hint = f"Known are {', '.join(VENDORS)}."
        raise UsageError(f"There is no strict schema for the vendor {vendor!r}.", hint)
    return _google(schema) if vendor == "google" else _strict(schema)


def _strict(node: Schema) -> Schema:
    kind, nullable = _kind(node)
    if kind == "object":
        node, kind = _pairs_for_map(node)
    strict: Schema = {"type": kind}
    if kind == "object":
        properties = _properties(node)
        strict["properties"] = {name: _strict(child) for name, child in properties.items()}
        strict["required"] = list(properties)
        strict["additionalProperties"] = False
    elif kind == "array":
        strict["items"] = _strict(node["items"])
    if "enum" in node:
        strict["enum"] = list(node["enum"])
    if nullable and kind in ("object", "array"):
        return {"anyOf": [strict, {"type": "null"}], **_described(node)}
    return {**strict, "type": [kind, "null"] if nullable else kind, **_described(node)}


def _google(node: Schema) -> Schema:
    kind, nullable = _kind(node)
    if kind == "object":
        node, kind = _pairs_for_map(node)
    words = _words(node)
    google: Schema = {"type": "STRING" if words else kind.upper(), **_described(node)}
    if words:
        google |= {"format": "enum", "enum": words}
    if kind == "object":
        properties = _properties(node)
        google["properties"] = {name: _google(child) for name, child in properties.items()}
        google["required"] = list(properties)
        google["propertyOrdering"] = list(properties)
    elif kind == "array":
        google["items"] = _google(node["items"])
    return {**google, "nullable": True} if nullable else google


def _pairs_for_map(node: Schema) -> tuple[Schema, str]:
    """An object with named properties as it is; one with free keys as an array of pairs."""
    if "properties" in node:
        return node, "object"
    pair: Schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "score": node["additionalProperties"]},
    }
    return {"items": pair, **_described(node)}, "array"


def _kind(node: Schema) -> tuple[str, bool]:
    """The type, and whether null is allowed beside it."""
    kind = node.get("type", "")
    kinds = kind if isinstance(kind, list) else [kind]
    return str(kinds[0]), "null" in kinds


def _properties(node: Schema) -> dict[str, Schema]:
    properties: dict[str, Schema] = node.get("properties", {})
    return properties


def _words(node: Schema) -> list[str]:
    return [str(choice) for choice in node.get("enum", []) if choice is not None]


def _described(node: Schema) -> Schema:
    return {"description": node["description"]} if "description" in node else {}
