"""What an answer ends with beside its ideas: questions and advice, under a heading, a label or in a sentence.

They are taken out before the ideas are read, so that no question and no advice stands as an argument of the last idea.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.reading.blocks import SPACE, read_title
from guildmoot.reading.list_items import bullet_text

_KINDS = (
    (
        "questions",
        re.compile(r"\bquestions?\b|\bunknowns?\b|\bcould not (?:find|determine)\b", re.IGNORECASE),
    ),
    (
        "advice",
        re.compile(
            r"\brecommend|\bnext steps?\b|^(?:my )?pick$|^conclusion$|^(?:(?:my|final) )?verdict$",
            re.IGNORECASE,
        ),
    ),
)
_LABEL = re.compile(
    r"[*_]{0,2}(?P<label>(?:[\w'’-]+[ \t]+){0,3}(?:questions?|unknowns?|recommendations?|recommended|next steps?|pick"
    r"|conclusion|verdict))[*_]{0,2}[ \t]*[:：][*_]{0,2}[ \t]*(?P<rest>.*)",
    re.IGNORECASE,
)
_ADVISES = re.compile(
    r"(?:(?:so|overall|in short|all in all),?\s+)?"
    r"(?:I(?:['’]d|\s+would)?\s+(?:(?:strongly|personally|still)\s+)?"
    r"(?:recommend|suggest|propose|go (?:with|for)|start|begin|pick|choose|take|try|prefer|favou?r)"
    r"|my\s+(?:pick|recommendation|choice|suggestion)"
    r"|(?:we|you)\s+should\s+(?:start|begin|go)\s+with)\b",
    re.IGNORECASE,
)


class Ends(NamedTuple):
    """The rows without what they end with, and that."""

    rows: list[str]
    questions: tuple[str, ...] = ()
    advice: str = ""


def split_ends(rows: Sequence[str]) -> Ends:
    """The questions and the advice of an answer, apart from the rest."""
    kept: list[str] = []
    taken: dict[str, list[str]] = {"questions": [], "advice": []}
    mode, section, parted = "", False, True
    for row in rows:
        bare = row.strip(SPACE)
        item = bullet_text(bare)
        level, title = read_title(row)
        label = _LABEL.fullmatch(item or bare)
        if label and not (level and level < 7 and not label["rest"]):
            mode, section = _kind(label["label"]), False
            taken[mode] += [label["rest"].strip()] if label["rest"].strip() else []
        elif level:
            mode, section = _kind(title), True
            kept += [] if mode else [row]
        elif not bare:
            kept.append(row)
        elif mode and (section or item or not parted or not taken[mode]):
            taken[mode].append(item or bare)
        elif parted and not item and _ADVISES.match(bare):
            mode, section = "advice", False
            taken[mode].append(bare)
        else:
            mode = ""
            kept.append(row)
        parted = not bare
    clean = {name: [_plain(each) for each in said] for name, said in taken.items()}
    return Ends(kept, tuple(clean["questions"]), "\n".join(clean["advice"]))


def _kind(title: str) -> str:
    return next((name for name, words in _KINDS if words.search(title)), "")


def _plain(said: str) -> str:
    return re.sub(r"\*\*|__", "", said).strip()
