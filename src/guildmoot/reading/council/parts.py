"""Cuts a reply into what the judge says, the JSON blocks it gives, and what it only quotes.

Block quotes, code spans and fences of other languages quote the work, so nothing in them votes. A
fence for JSON, or for no language, is how judges give a verdict; it votes, unless the line before it
says that it shows something else. Such a block may still contradict: that line is only a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.reading.layout import DOUBTFUL, MARK, OWN, SPACE, Line, lay_out

_VOTING_TAGS = ("", "json", "jsonc", "json5", "verdict")
_WRAPPER = re.compile(r"(`{3,}|~{3,})(?:markdown|md)?[ \t]*\n(.*\n)\1[ \t]*", re.DOTALL)
_INNER_FENCE = re.compile(r"^ {0,3}(?:```+|~~~+)(.*)$", re.MULTILINE)
_THOUGHT = re.compile(
    r"\s*<(think|thinking|reasoning|analysis)>.*?</\1>", re.DOTALL | re.IGNORECASE
)
_WORK = (
    r"file|files|code|diff|patch|artifact|artefact|comment|readme|document|docs?|spec|plan|prompt"
    r"|packet|fixture|commit|test|sample|payload|snippet|author|page|it"
)
_CITES = re.compile(
    rf"\b(?:{_WORK})\b[^.!?]{{0,60}}\b(?:contains?|says?|includes?|embeds?|embedded|reads?|tells?"
    rf"|adds?|asks?|instructs?|holds?|carries|has|claims?|wants?|tries)\b"
    rf"|\b(?:in|from|of) the (?:{_WORK})\b|\b(?:quot(?:ed|ing|e)|inject(?:ed|ion)|excerpt|verbatim)\b"
    rf"|\b(?:for example|e\.g\.|an example|example of)|\bother judge|\bpeer|\bround 1\b|\bR1\b",
    re.IGNORECASE,
)
_OWNS = re.compile(
    r"\b(?:my|final|council|overall|here is the) (?:\w+ )?(?:verdict|review|judge?ment|answer|output)",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """A run of the reply in which a JSON verdict would count."""

    text: str
    cited: bool = False
    """The line before it says that it shows something else."""


class Parts(NamedTuple):
    """The reply, cut."""

    counting: tuple[Part, ...]
    prose: tuple[Line, ...]
    """The lines in the judge's own words."""
    doubtful: tuple[Line, ...]
    """The lines of a fence that is never closed; it may hide words of the judge."""
    wrapped: bool
    """All of the reply stood inside one fence."""
    quoted: str
    """What only quotes, for telling why nothing was found."""


def spoken(text: str) -> str:
    """The reply without the thoughts that some models print before it."""
    thought = _THOUGHT.match(text)
    return text[thought.end() :] if thought else text


def cut(text: str) -> Parts:
    """The parts of a reply, in order."""
    unwrapped = _unwrapped(text)
    lines, in_one = lay_out(unwrapped or text)
    counting: list[Part] = []
    quoted: list[str] = []
    before: list[Line] = []
    for run in _runs(lines):
        kind, row = run[0]
        body = "\n".join(row for kind, row in run if kind != MARK)
        if kind == OWN:
            counting.append(Part(body))
        elif kind == MARK and _tag(row) in _VOTING_TAGS:
            counting.append(Part(body, cited=_is_cited(before)))
        else:
            quoted.append(body)
        before = run if kind == OWN else []
    return Parts(
        counting=tuple(counting),
        prose=tuple(line for line in lines if line[0] == OWN),
        doubtful=tuple((OWN, row) for kind, row in lines if kind == DOUBTFUL),
        wrapped=bool(unwrapped) or in_one,
        quoted="\n".join(quoted),
    )


def _unwrapped(text: str) -> str:
    """The reply inside a Markdown fence around all of it, when that holds fences of its own."""
    wrapper = _WRAPPER.fullmatch(text.strip())
    inner = _INNER_FENCE.search(wrapper[2]) if wrapper else None
    # an inner fence without a word would be the end of the outer one
    return wrapper[2] if wrapper and inner and inner[1].strip() else ""


def _runs(lines: list[Line]) -> Iterator[list[Line]]:
    """Own lines together, block quotes together, and each fence with its marks."""
    run: list[Line] = []
    in_fence = False
    for line in lines:
        kind = line[0]
        if run and not in_fence and (kind == MARK or kind != run[-1][0]):
            yield run
            run = []
        run.append(line)
        in_fence ^= kind == MARK
    if run:
        yield run


def _tag(row: str) -> str:
    words = row.strip(SPACE).strip("`~").split()
    return words[0].strip("{}.").lower() if words else ""


def _is_cited(before: list[Line]) -> bool:
    """Whether the last words before a fence say that it shows the work or another's words."""
    said = next((row for _, row in reversed(before) if row.strip(SPACE)), "")
    last = re.split(r"(?<=[.!?])\s", said.strip(SPACE + "*_"))[-1]
    return last.endswith((":", "：")) and bool(_CITES.search(last)) and not _OWNS.search(last)
