"""Judges for a shop: agent files with scripted replies, and what they say in the council's form."""

from __future__ import annotations

import json
from pathlib import Path
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
        "key_insight": f"it is a {word}",
        "findings": list(findings),
        "recommendation": f"the next step after {word}",
        "schema_version": 4,
    }
    return json.dumps({**answer, **more})


def add_judge(
    shop: Any, name: str, says: Any = "", seats: Any = None, home: bool = False, **front: Any
) -> None:
    """A scripted agent of the project, or of the user at ``home``; a field that is None is left out.

    ``says`` is a text, a step of the script or a list of them; ``seats`` has others for single seats.
    """
    folder: Path = shop.home / ".config/guildmoot" if home else shop.root / ".guild"
    fields = {"name": name, "description": "d", "backend": "scripted", "replies": f"{name}.json"}
    lines = [f"{key}: {value}\n" for key, value in {**fields, **front}.items() if value is not None]
    (folder / "agents").mkdir(parents=True, exist_ok=True)
    script = json.dumps({"replies": {"*": says, **(seats or {})}})
    (folder / "agents" / f"{name}.json").write_text(script)
    (folder / "agents" / f"{name}.md").write_text(f"---\n{''.join(lines)}---\nJudge it.\n")


def add_council_judge(shop: Any, name: str, says: Any, **more: Any) -> None:
    """A judge of a vendor of its own, who answers in the council's form."""
    add_judge(shop, name, says, **{"reply": "council", "family": name, **more})
