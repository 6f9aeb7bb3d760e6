"""The line that votes: the last one of a reply, with the nonce of its call. Pure, and never raises.

    VERDICT 7f3a91c2: approved

Only this line votes. Thoughts, quotations, examples, tables, what a tool printed and what was echoed do
not, nor does a line that anything but white space follows. Around its words a short list is forgiven: another
word for the label (the nonce tells the line, and "Urteil" is one), bold type, backticks, a heading's or an
item's mark, a sign of assent, case, a full stop, a wide colon, a fence around the whole reply.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from guildmoot.reading.words.approval import announces
from guildmoot.reading.words.tags import split_tags

PANEL_WORDS = ("flagged", "approved", "recused", "operator-judgment-required")
"""Not the approval first: whoever repeats the prompt contradicts himself."""
COUNCIL_WORDS = ("FAIL", "WARN", "PASS")
"""The worst first."""

_SAME = {"PASS": "approved", "FAIL": "flagged"}
_BLANK = " \t\v\f\u00a0\u200b\u200c\u200d\u2060\ufeff"
_BREAKS = re.compile(r"\r\n?|[\u2028\u2029\u0085]")
_TOKENS = re.compile(r"(?:<\|[a-z_]{1,20}\|>\s*)+\Z")
"""What a server without a template leaves at the end, e.g. ``<|im_end|>``."""
_TYPE = r"[*_`]{0,4}"
_ASSENT = r"(?:[✅✔☑👍🟢✓]\ufe0f?[ \t]*)?"
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})([^`]*)")


_LABEL = r"(?!\w+verdict\b)[^\W\d_]{2,20}"
"""A word of whatever language, but none that is glued to the one that was asked for."""
_WITH_NONCE = re.compile(
    rf"\b({_LABEL}[*_`]{{0,4}})[ \t\u00a0]+[*_`]{{0,4}}[0-9a-f]{{4,64}}\b(?=[ \t\u00a0*_`]{{0,8}}[:：])",
    re.IGNORECASE,
)


class Vote(NamedTuple):
    """What a reply votes, or why it does not."""

    word: str = ""
    rest: str = ""
    """What stands before the line."""
    problem: str = ""


def vote_lines(nonce: str, words: tuple[str, ...]) -> str:
    """The lines from which one is to be chosen."""
    return "\n".join(f"VERDICT {nonce}: {word}" for word in words)


def without_nonce(text: str) -> str:
    """The text with its verdict lines as the plain grammar knows them: a flag counts wherever it stands."""
    return _WITH_NONCE.sub(r"\1", text)


def read_vote(text: str, nonce: str, words: tuple[str, ...]) -> Vote:
    """The word of the last line when it carries the nonce; otherwise what is wrong with it."""
    rows = _rows(text)
    form = _form(nonce, words)
    at = len(rows) - 1
    if at >= 0 and _is_mark(rows[at]):  # the end of a fence
        at -= 1
    found = form.fullmatch(rows[at].rstrip(_BLANK)) if at >= 0 else None
    if not found:
        stands = any(form.match(row) for row in rows)
        return Vote(problem=_LATER if stands else _NONE)
    before, opened = _own(rows[:at])
    if opened is not None and any(row.strip(_BLANK) for row in rows[:opened]):
        return Vote(problem="its verdict line stands in a code fence, where it cannot vote")
    *lines, last = split_tags("\n".join((*before, rows[at])))[0].split("\n")
    if last != rows[at]:
        return Vote(problem="its verdict line stands inside a tag, where it cannot vote")
    word = _plain(found["word"], words)
    others = {_plain(other["word"], words) for row in lines if (other := form.match(row))}
    if others - {word}:
        several = ", ".join(sorted({word, *others}))
        return Vote(problem=f"it has several verdict lines that differ: {several}")
    why = _struck_out("\n".join(lines)) or _led_to(rows[:at])
    return Vote(problem=why) if why else Vote(word, "\n".join(rows[(opened or -1) + 1 : at]))


_NONE = (
    "the last line must be `VERDICT <nonce>: ...` as the prompt asks; a program may print the line"
    " `VERDICT: ...` alone"
)
_LATER = "its verdict line does not stand alone at the end"


def _rows(text: str) -> list[str]:
    """The lines of a reply, without the empty ones at its end."""
    rows = _BREAKS.sub("\n", _TOKENS.sub("", text)).split("\n")
    while rows and not rows[-1].strip(_BLANK):
        rows.pop()
    return rows


def _form(nonce: str, words: tuple[str, ...]) -> re.Pattern[str]:
    known = [*words, *(_SAME[word] for word in words if word in _SAME)]
    one = "|".join(word.replace("-", "[ _-]").replace("judgment", "judge?ment") for word in known)
    return re.compile(
        rf"[ \ufeff\u200b]{{0,3}}(?:(?:#{{1,6}}|[-*•])[ \t]+)?{_TYPE}{_LABEL}{_TYPE}[ \t\u00a0]+{_TYPE}{nonce}{_TYPE}"
        rf"[ \t\u00a0]*{_TYPE}[:：]{_TYPE}[ \t\u00a0]*{_TYPE}{_ASSENT}{_TYPE}(?P<word>{one})\b{_TYPE}[.!。]?{_TYPE}",
        re.IGNORECASE,
    )


def _plain(said: str, words: tuple[str, ...]) -> str:
    """The word as the form lists it, e.g. PASS where a council's judge says approved."""
    said = re.sub(r"[ _]", "-", said.lower()).replace("judgement", "judgment")
    return next(word for word in words if said in (word.lower(), _SAME.get(word)))


def _is_mark(row: str) -> bool:
    mark = _FENCE.fullmatch(row.rstrip(_BLANK))
    return bool(mark and not mark[2])


def _own(rows: list[str]) -> tuple[list[str], int | None]:
    """The lines outside of fences and block quotes, and where a fence was opened that is still open."""
    own: list[str] = []
    fence, opened = "", None
    for number, row in enumerate(rows):
        mark = _FENCE.fullmatch(row.rstrip(_BLANK))
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip(_BLANK):
                fence, opened = "", None
        elif mark:
            fence, opened = mark[1], number
        elif not row.lstrip(_BLANK).startswith(">"):
            own.append(row)
    if opened is not None and not any(row.strip(_BLANK) for row in rows[:opened]):
        own = rows[opened + 1 :]  # all of the reply stands in it
    return own, opened


def _struck_out(before: str) -> str:
    odd = "~~" in before and len(re.findall(r"(?<!~)~~(?!~)", before)) % 2
    return "its verdict line is struck out" if odd else ""


def _led_to(before: list[str]) -> str:
    """Why the words above only speak of the line: they announce what is not the judge's own."""
    last = next((row.strip(_BLANK) for row in reversed(before) if row.strip(_BLANK)), "")
    follows = last.endswith((":", "：")) or bool(before and before[-1].strip(_BLANK))
    speaks = follows and announces(last)
    return "the words above its verdict line only speak of it" if speaks else ""
