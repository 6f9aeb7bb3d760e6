"""The line that votes: the last one of a reply, with the nonce of its call. Pure, and never raises.

    VERDICT 7f3a91c2: approved

Only this line votes. Thoughts, quotations, examples, tables, what a tool printed and what was echoed do
not, nor does a line that anything but white space follows. Around its words a short list is forgiven: bold
type, backticks, a heading's mark, case, a full stop, a wide colon, a fence around the whole reply.
"""

from __future__ import annotations

import re
from typing import NamedTuple

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
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})([^`]*)")
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,30})(?:\s[^<>]{0,200})?(/?)>|(<!--)|(-->)")
_SPAN = re.compile(r"`[^`\n]*`")
_VOID = frozenset(("br", "hr", "img", "input", "p", "li", "wbr"))
_QUOTING = re.compile(
    r"think|thinking|thoughts?|reason(?:ing)?|analysis|scratchpad|reflection|s|del|strike|blockquote|q|quote"
    r"|pre|code|example|document|tool_\w+"
)
_HYPOTHETICAL = re.compile(
    r"n['’]t\b|\b(?:not|never|cannot|no|if|unless|instead|rather|would|could|should|might|refuse|decline"
    r"|hesitate|example|e\.g|i\.e|says?|said|wants?|asks?|asked|told|quote[ds]?|template|form|one of)\b",
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
    own, inside = _outside_tags("\n".join(before))
    word = _plain(found["word"], words)
    lines = own.split("\n")
    others = {_plain(other["word"], words) for row in lines if (other := form.match(row))}
    if others - {word}:
        several = ", ".join(sorted({word, *others}))
        return Vote(problem=f"it has several verdict lines that differ: {several}")
    why = inside or _struck_out(own) or _led_to(rows[:at])
    return Vote(problem=why) if why else Vote(word, "\n".join(rows[(opened or -1) + 1 : at]))


_NONE = "it does not end with its verdict line"
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
        rf"[ \ufeff\u200b]{{0,3}}(?:#{{1,6}}[ \t]+)?{_TYPE}VERDICT{_TYPE}[ \t\u00a0]+{_TYPE}{nonce}{_TYPE}"
        rf"[ \t\u00a0]*{_TYPE}[:：]{_TYPE}[ \t\u00a0]*{_TYPE}(?P<word>{one})\b{_TYPE}[.!。]?{_TYPE}",
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


def _outside_tags(text: str) -> tuple[str, str]:
    """The text without what stands in tags, which quote; and why the line after it would be in one."""
    if "<" not in text:
        return text, ""
    bare = _SPAN.sub(lambda span: " " * len(span[0]), text)
    kept: list[str] = []
    name, depth, after = "", 0, 0
    for tag in _TAG.finditer(bare):
        called = "<!--" if tag[4] or tag[5] else tag[2].lower()
        closes = bool(tag[1] or tag[5])
        if name:
            depth += (-1 if closes else 1) if called == name else 0
            if not depth:
                name, after = "", tag.end()
        elif not (closes or tag[3] or called in _VOID) and _quotes(bare, tag.start(), called):
            kept.append(text[after : tag.start()])
            name, depth = called, 1
    if name:
        return "".join(kept), f"its verdict line stands inside <{name.strip('<')}>"
    return "".join((*kept, text[after:])), ""


def _quotes(text: str, at: int, name: str) -> bool:
    """Whether a tag begins a quotation: by its name, or because its line begins with it."""
    lead = text[text.rfind("\n", 0, at) + 1 : at]
    return name == "<!--" or bool(_QUOTING.fullmatch(name)) or not lead.strip(_BLANK)


def _led_to(before: list[str]) -> str:
    """Why the sentence above only speaks of the line: it runs on into it, and denies or supposes."""
    last = next((row.strip(_BLANK) for row in reversed(before) if row.strip(_BLANK)), "")
    adjacent = bool(before and before[-1].strip(_BLANK))
    runs_on = last.endswith((":", "：", ",", "…", "...")) or (adjacent and last[-1:].isalpha())
    if runs_on and not re.match(r"[-*+#|]|\d+[.)]", last) and _HYPOTHETICAL.search(last[-200:]):
        return "the sentence above its verdict line only speaks of it"
    return ""
