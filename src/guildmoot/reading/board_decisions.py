"""The decisions on a board: what people chose, before the first round, where older readers pass over it.

    ## Decisions

    ### Decision <id>

    > the choice

    Why:

    > the reason

    Date: 2026-01-31

Every line of a person's text stands behind ``>``, so none can be taken for a heading. Entries are
only ever added: the last one for an id stands, the earlier ones are the history.
"""

from __future__ import annotations

import re

from guildmoot.reading.board import BoardDecision, decode_name, encode_name

_HEAD = "## Decisions"
_BREAKS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_SECTION = re.compile(rb"^##[ \t]+Decisions[ \t\r]*$", re.MULTILINE)
_NEXT = re.compile(rb"^##?[ \t]", re.MULTILINE)
_ENTRY = re.compile(r"^###[ \t]+Decision[ \t]+(\S+)[ \t\r]*$", re.MULTILINE)

Decisions = tuple[BoardDecision, ...]


def read_decisions(preamble: bytes) -> tuple[Decisions, Decisions]:
    """The decisions that stand, and those that later ones replaced."""
    start, stop = _place(preamble)
    parts = _ENTRY.split(preamble[start:stop].decode("utf-8", "replace"))
    standing: dict[str, BoardDecision] = {}
    superseded: list[BoardDecision] = []
    for word, text in zip(parts[1::2], parts[2::2], strict=True):
        decision = _read(decode_name(word), text)
        if decision.id in standing:
            superseded.append(standing[decision.id])
        standing[decision.id] = decision
    return tuple(standing.values()), tuple(superseded)


def place_decision(preamble: bytes, decision: BoardDecision) -> tuple[int, list[str]]:
    """Where a further decision belongs, and its lines; no lines when it is what stands already."""
    decision = _plain(decision)
    before = next((old for old in read_decisions(preamble)[0] if old.id == decision.id), None)
    start, stop = _place(preamble)
    if before and (before.choice, before.why) == (decision.choice, decision.why):
        return stop, []
    return stop, [*([] if start < stop else [_HEAD, ""]), *_lines(decision, before)]


def escape_decisions(text: str) -> str:
    """A title's further lines with a backslash before what would be read as a decision."""
    return re.sub(r"(?m)^(?=##[ \t]+Decisions[ \t\r]*$)", r"\\", text)


def _place(preamble: bytes) -> tuple[int, int]:
    """Where the section with the decisions begins and ends; both the preamble's end without one."""
    head = _SECTION.search(preamble)
    if not head:
        return len(preamble), len(preamble)
    after = _NEXT.search(preamble, head.end())
    return head.start(), after.start() if after else len(preamble)


def _read(name: str, text: str) -> BoardDecision:
    quoted: dict[str, list[str]] = {"choice": [], "why": []}
    part, date = "choice", ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if line[:1] == ">":
            quoted[part].append(line[1:].removeprefix(" "))
        elif line.strip().lower() == "why:":
            part = "why"
        elif line[:5] == "Date:":
            date = line[5:].strip()
    return BoardDecision(name, "\n".join(quoted["choice"]), "\n".join(quoted["why"]), date)


def _plain(decision: BoardDecision) -> BoardDecision:
    choice, why = (_BREAKS.sub("\n", text).strip() for text in (decision.choice, decision.why))
    return BoardDecision(decision.id, choice, why, " ".join(decision.date.split()))


def _lines(decision: BoardDecision, before: BoardDecision | None) -> list[str]:
    lines = [f"### Decision {encode_name(decision.id)}", "", *_quoted(decision.choice), ""]
    if decision.why:
        lines += ["Why:", "", *_quoted(decision.why), ""]
    if decision.date:
        lines += [f"Date: {decision.date}", ""]
    if before:
        lines += ["This replaces the earlier choice above.", ""]
    return lines


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip(" ") if not line else f"> {line}" for line in text.split("\n")]
