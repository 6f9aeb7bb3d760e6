"""Judges for a shop: agent files with scripted replies, and what they say in the council's form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

PRICES = "def total(items):\n    return sum(items) / 2\n"
"""A file with the fault that ``finding`` names."""
HALVED = "totals are halved"


def finding(
    description: str = HALVED, place: str = "prices.py:2", severity: str = "critical", **more: Any
) -> dict[str, Any]:
    """One finding in the council's form."""
    return {
        "severity": severity,
        "category": "correctness",
        "description": description,
        "location": place,
        "recommendation": "drop the division",
        "fix": "return sum(items)",
        "why": "every invoice is wrong",
        "ref": place,
        **more,
    }


def verdict(word: str, *findings: dict[str, Any], **more: Any) -> str:
    """What a judge of a council answers."""
    answer = {
        "verdict": word,
        "confidence": "HIGH",
        "key_insight": f"it is a {word}" if word != "PASS" else "it is good, a PASS",
        "findings": list(findings),
        "recommendation": f"the next step after {word}" if word != "PASS" else "Merge it, a PASS.",
        "schema_version": 4,
    }
    return json.dumps({**answer, **more})


def notes(
    impact: str = "",
    to: str = "Judge A",
    steel: str = "its case is strong",
    response: str = "prices.py:2 divides",
) -> dict[str, Any]:
    """What a judge adds to its verdict in the second round of a debate."""
    claim = {"target_judge": to, "claim": f"{to} claims too much", "response": response}
    return {
        "revised_from": None,
        "steel_man": steel,
        "challenges": [claim],
        "acknowledgments": [{"source_judge": to, "point": "a point", "impact": impact}],
    }


def opening(*texts: str) -> str:
    """An expert's first words in a duel; what it would drop is told in both forms."""
    answer = {
        "positioning": f"for {texts[0]}",
        "recommendations": [{"rank": n, "text": text} for n, text in enumerate(texts, 1)],
        "kill_list": ["the rewrite", {"text": "the fork", "why": "slow"}],
        "top_risk": "time",
    }
    return json.dumps(answer)


def ballots(*given: Sequence[int]) -> str:
    """An expert's scores of the others: one ballot a letter, the whole, then the single scores."""
    rows = [
        {
            "expert": f"Expert {letter}",
            "overall": overall,
            "comment": "Expert A says too little",
            "recommendations": [
                {"id": f"{letter}{n}", "score": score} for n, score in enumerate(scores, 1)
            ],
        }
        for letter, (overall, *scores) in zip("ABC", given, strict=False)
    ]
    return json.dumps({"ballots": rows})


def last_words(*conceded: str) -> str:
    """An expert's last words in a duel."""
    answer = {
        "concessions": [{"id": item, "text": f"{item} falls"} for item in conceded],
        "defence": "Expert A misread it",
        "revision": "do the first",
        "blind_spots": ["nobody asked who maintains it"],
    }
    return json.dumps(answer)


def add_judge(shop: Any, name: str, says: Any = "", seats: Any = None, **front: Any) -> None:
    """A scripted agent of the user's own; a field that is None is left out.

    ``says`` is a text, a step of the script or a list of them; ``seats`` has others for single seats.
    """
    fields = {"name": name, "description": "d", "backend": "scripted", "replies": f"{name}.json"}
    lines = [f"{key}: {value}\n" for key, value in {**fields, **front}.items() if value is not None]
    shop.agent(f"{name}.json", json.dumps({"replies": {"*": says, **(seats or {})}}))
    shop.agent(f"{name}.md", f"---\n{''.join(lines)}---\nJudge it.\n")


def add_council_judge(shop: Any, name: str, says: Any, **more: Any) -> None:
    """A judge of a vendor of its own, who answers in the council's form."""
    add_judge(shop, name, says, **{"reply": "council", "family": name, **more})


def add_engineers(shop: Any, **replies: Any) -> str:
    """Scripted engineers of a whiteboard; their names for the command line."""
    for name, says in replies.items():
        add_judge(shop, name, says, role="planner")
    return ",".join(replies)


def decides(scope: str, stance: str, text: str, cited: str = "none") -> str:
    """What an engineer writes: one decision."""
    row = f"- scope: {scope}\n  stance: {stance}\n  text: {text}\n  cited: {cited}\n"
    return f"My view.\n\n```decisions\n{row}```\n"
