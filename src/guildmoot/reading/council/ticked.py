"""A list of verdict words of which one is ticked: that one is the verdict, and the others were offered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guildmoot.model.council_verdict import CouncilWord
from guildmoot.reading.blocks import Line
from guildmoot.reading.clerk.normal import word_for
from guildmoot.reading.council.scales import read_approval

_BOX = re.compile(
    r"\s{0,12}(?:(?:[-*+•]|\d{1,3}[.)])\s{1,4})?"
    r"(?:\[(?P<mark>[ xX✓✔]?)\]|(?P<sign>[☐☑☒]))\s{0,4}(?P<said>\S[^\n]{0,60})"
)


def read_ticked(lines: Sequence[Line]) -> tuple[CouncilWord, str] | None:
    """The verdict that is ticked, and its line; None where not two are offered, or not one is chosen."""
    boxes = [box for _, row in lines if (box := _BOX.fullmatch(row.rstrip()))]
    offered = [(_word(box["said"]), box) for box in boxes]
    words = {word for word, _ in offered if word}
    chosen = [(word, box[0].strip()) for word, box in offered if word and _is_ticked(box)]
    return chosen[0] if len(chosen) == 1 < len(words) else None


def is_offered(row: str) -> bool:
    """Whether a line is a box that was left empty."""
    box = _BOX.fullmatch(row.rstrip())
    return box is not None and not _is_ticked(box)


def _word(said: str) -> CouncilWord | None:
    return read_approval(said) or word_for(said) or None


def _is_ticked(box: re.Match[str]) -> bool:
    return box["sign"] in ("☑", "☒") or bool((box["mark"] or "").strip())
