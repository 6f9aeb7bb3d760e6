"""The one schema of a council verdict, as data; what vendors demand is derived in ``strict``.

It is version 4, with the parts that prompts ask for and the upstream schema forgot: the notes of a
debate, the assertions of a finding, and a finding's own confidence. All of these may be left out or
null, so every verdict that is valid upstream is valid here.
"""

from __future__ import annotations

from typing import Any

from guildmoot.model.council_verdict import CONFIDENCES, FINDING_SEVERITIES, VERDICTS

Schema = dict[str, Any]


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
    },
)
"""JSON Schema 2020-12. Every property that is not required may be null."""
