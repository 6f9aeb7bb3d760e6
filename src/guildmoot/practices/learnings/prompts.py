"""What is asked when a learning is judged, and how the answers are read. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from guildmoot.guard.nonce import make_nonce
from guildmoot.guard.secrets import mask

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

_AUTHOR = """Somebody made a mistake and was corrected. Write two or three assertions by which anybody can tell,
from an answer alone and without knowing the correction, whether that mistake was made again. Each is one
sentence that is plainly true or false of an answer, and true of a good one.
{wrong}
{correction}
Answer with one JSON object: {{"assertions": ["...", "..."]}}"""
_REWRITER = """This learning was given to a worker and did not help enough: {problem}. Write it anew, shorter and
more precise: what to do, when, and why, in at most five sentences. Name no assertion of any test.
{learning}
{correction}
Answer with one JSON object: {{"learning": "..."}}"""
_SUBJECT = """{learning}{task}
Do the task. Answer with the result alone."""
_JUDGE = """Two workers, A and B, did the same task. Say of every assertion whether each answer meets it. Judge
the answers by the assertions alone; length and tone do not matter.
{task}
{assertions}
{first}
{second}{before}
Answer with one JSON object, true or false for each assertion in its order:
{{"A": [true, ...], "B": [false, ...], "reasoning": "one or two sentences"}}"""


def fenced(title: str, text: str) -> str:
    """A text that cannot end its own frame, with what must not leave masked."""
    shown = mask(text, title)[0].strip()
    nonce = make_nonce(title, shown)
    return f"\n===== {nonce} BEGIN {title}\n{shown}\n===== {nonce} END {title}\n"


def ask_author(note: Mapping[str, str]) -> str:
    """The author sees what went wrong and the correction, never the learning."""
    return _AUTHOR.format(
        wrong=fenced("THE MISTAKE", note["wrong"]),
        correction=fenced("THE CORRECTION", note["correction"]),
    )


def ask_rewriter(learning: str, correction: str, problem: str) -> str:
    """A second try at the words."""
    return _REWRITER.format(
        problem=problem, learning=fenced("THE LEARNING", learning),
        correction=fenced("THE CORRECTION", correction),
    )  # fmt: skip


def ask_subject(task: str, learning: str = "") -> str:
    """The task as it was, with the learning (treatment) or without (control)."""
    told = f"From earlier work:\n{fenced('LEARNING', learning)}\n" if learning else ""
    return _SUBJECT.format(learning=told, task=fenced("TASK", task))


def ask_judge(
    task: str, assertions: Sequence[str], first: str, second: str, before: str = ""
) -> str:
    """Blind: nothing says which answer had the learning."""
    numbered = "\n".join(f"{number}. {each}" for number, each in enumerate(assertions, 1))
    debate = (
        f"\nIn a first round the judges differed:\n{fenced('FIRST ROUND', before)}"
        if before
        else ""
    )
    return _JUDGE.format(
        task=fenced("TASK", task), assertions=fenced("ASSERTIONS", numbered),
        first=fenced("ANSWER A", first), second=fenced("ANSWER B", second), before=debate,
    )  # fmt: skip


def read_object(text: str) -> Record | None:
    """The last JSON object of a reply."""
    decoder = json.JSONDecoder()
    found = None
    at = text.find("{")
    tries = 0
    while at >= 0 and tries < 200:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            found = value
        at = text.find("{", end)
    return found


def read_assertions(text: str) -> list[str] | None:
    """Two or three sentences; None when there are none."""
    found = (read_object(text) or {}).get("assertions")
    if not isinstance(found, list) or not all(
        isinstance(each, str) and each.strip() for each in found
    ):
        return None
    return [" ".join(each.split()) for each in found] if 2 <= len(found) <= 3 else None


def read_learning(text: str) -> str | None:
    """The words anew."""
    found = (read_object(text) or {}).get("learning")
    return found.strip() if isinstance(found, str) and found.strip() else None


def read_ballot(text: str, count: int) -> tuple[list[bool], list[bool], str] | None:
    """What one judge says of A and of B, and why; None when it does not fit the assertions."""
    value = read_object(text) or {}
    first, second = value.get("A"), value.get("B")
    if not _answers(first, count) or not _answers(second, count):
        return None
    return list(first), list(second), str(value.get("reasoning") or "")  # type: ignore[arg-type]


def _answers(value: object, count: int) -> bool:
    return (
        isinstance(value, list) and len(value) == count and all(isinstance(x, bool) for x in value)
    )


def debate_summary(assertions: Sequence[str], ballots: Sequence[Record]) -> str:
    """Where the judges differ, by assertion, with their reasons; who said what is not told."""
    lines = []
    for index, assertion in enumerate(assertions):
        for kind in ("control", "treatment"):
            met = sum(bool(ballot[kind][index]) for ballot in ballots)
            if 0 < met < len(ballots):
                lines.append(
                    f"- {assertion}: {met} of {len(ballots)} say that one of the answers meets it"
                )
    reasons = [f"- {' '.join(str(ballot['reasoning']).split())[:160]}" for ballot in ballots]
    return "\n".join((*dict.fromkeys(lines), "Reasons given:", *reasons))
