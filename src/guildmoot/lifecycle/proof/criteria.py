"""Whether what was run here shows a criterion. Pure.

A rule ticks it, refutes it, or leaves it to a person: what a lane says of its own work shows nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from guildmoot.lifecycle.proof.counted import unshown
from guildmoot.lifecycle.proof.expectations import BOUND, Expectation, expectations
from guildmoot.loops.values import CommandResult
from guildmoot.text.outputs import telling_end
from guildmoot.text.patterns import lazy

Showing = Literal["shown", "refuted", "open"]
_WORD = lazy(r"[\w./-]{3,}|(?<![\w.])\d+(?:\.\d+)?")
_COMMON = frozenset(("the", "and", "for", "are", "with", "that", "from", "below", "above", "exits"))
_LITERAL = lazy(r"`[^`\n]*`")
_NOT = lazy(r"(?i)\b(?:not|never|no|none|nobody|nothing|without)\b|n't\b")
_NUMBER = lazy(r"(?<![\w.,-])(\d[\d,_]*(?:\.\d+)?)\s*(%|[^\W\d_]+)?(?![\w%])")
_NAMED = lazy(r"(?i)\b([^\W\d_]+)\s*[:=]\s*(\d[\d,_]*(?:\.\d+)?)(?!\s*(?:%|[^\W\d_]))")
_TAKES = lazy(r"(?i)\b(?:takes|ends|runs|finishes|completes|exits \d+|exits|passes)\b[^;]*$")
_UNITS: dict[str, tuple[str, float]] = {
    "ns": ("s", 1e-9), "us": ("s", 1e-6), "µs": ("s", 1e-6), "ms": ("s", 1e-3), "s": ("s", 1), "sec": ("s", 1),
    "second": ("s", 1), "millisecond": ("s", 1e-3), "min": ("s", 60), "minute": ("s", 60), "h": ("s", 3600),
    "hour": ("s", 3600), "kb": ("b", 1e3), "kib": ("b", 1024), "mb": ("b", 1e6), "mib": ("b", 1024**2),
    "gb": ("b", 1e9), "gib": ("b", 1024**3), "byte": ("b", 1), "b": ("b", 1), "percent": ("%", 1), "%": ("%", 1),
}  # fmt: skip
_Holds = Callable[[float, float], bool]
_LEAST: tuple[_Holds, _Holds] = (operator.ge, operator.lt)
_WAYS: dict[str, tuple[_Holds, _Holds]] = {
    **dict.fromkeys(("below", "under", "less than", "fewer than", "<"), (operator.lt, operator.ge)),
    **dict.fromkeys(("at most", "within", "up to", "<=", "≤"), (operator.le, operator.gt)),
    **dict.fromkeys(("less", "fewer", "faster"), (operator.le, operator.gt)),
    **dict.fromkeys(("at least", ">=", "≥", "more", "better"), _LEAST),
    **dict.fromkeys(("more than", "above", "over", "exceed", "exceeds", ">"), (operator.gt, operator.le)),
}  # fmt: skip
"""What a bound asks for, and what it asks for behind a 'not'."""


class CriterionShown(NamedTuple):
    """What the rules say of a criterion."""

    result: Showing
    text: str
    """What shows or refutes it, or what is missing."""


class _Bound(NamedTuple):
    holds: _Holds
    limit: float
    unit: str
    text: str


def show_criterion(text: str, ran: Sequence[CommandResult]) -> CriterionShown:
    """By the commands that it names: how they ended here, and what they printed."""
    commands = expectations(text)
    if not commands:
        return CriterionShown("open", "it names no command, so nothing was run that could show it")
    told = []
    for each in commands:
        found = show_command(each, ran)
        if found.result != "shown":
            return found
        told.append(found.text)
    plain = _LITERAL.sub(" ", text)
    bounds = _bounds(plain)
    if not bounds:
        return CriterionShown("shown", "; ".join(told))
    if _NOT.search(BOUND.sub(" ", plain)):
        return CriterionShown("open", "no rule reads a limit behind a 'no'")
    named = {each.command for each in commands}
    return _by_output(text, bounds, [each for each in ran if each.command in named], told)


def ending(ran: CommandResult) -> str:
    """What was run, how it ended, and the last line that it printed."""
    end = "ran out of time" if ran.code is None else f"exited {ran.code}"
    last = next((row.strip() for row in reversed(ran.output.splitlines()) if row.strip()), "")
    last = last if ran.passed else telling_end(ran.output)
    return f"`{ran.command}` {end} in {ran.seconds:.1f} s" + (f": {last}" if last else "")


def show_command(wanted: Expectation, ran: Sequence[CommandResult]) -> CriterionShown:
    """What a criterion says of one command: how it ended, and what it printed to the letter."""
    done = next((each for each in ran if each.command == wanted.command), None)
    if done is None:
        return CriterionShown("open", f"`{wanted.command}` was not run here")
    if not wanted.ends_so(done):
        return CriterionShown(
            "refuted", f"{ending(done)}, and the criterion says that it {wanted.ending}"
        )
    printed, shown = done.full or done.output, []
    if done.passed and (why := unshown(done.command, printed)):
        return CriterionShown("open", f"`{done.command}`: {why}")
    if wanted.only and " ".join(printed.split()) != " ".join(" ".join(wanted.prints).split()):
        why = f"{ending(done)}, and it does not print {wanted.prints[0]!r} alone"
        return CriterionShown("refuted", why)
    for text in wanted.prints:
        row = next((row for row in printed.splitlines() if _holds(row, text)), None)
        if row is None and not _holds(printed, text):
            row = next((r for r in printed.splitlines() if _holds(" ".join(r.split()), text)), None)
        if row is None and not _holds(printed, text):
            return CriterionShown(
                "refuted", f"{ending(done)}, and its output does not hold {text!r}"
            )
        shown.append((row or text).strip()[:200])
    if wanted.unclear:
        return CriterionShown("open", f"{ending(done)}; no rule reads: {wanted.unclear}")
    said = f"`{done.command}` exited {done.code} and printed: {'; '.join(shown)}" if shown else ""
    told = f" (nobody checked that this is the case {wanted.case!r})" if wanted.case else ""
    told += f" (nobody checked that this shows {wanted.claim!r})" if wanted.claim else ""
    return CriterionShown("shown", (said or ending(done)) + told)


def _holds(printed: str, text: str) -> bool:
    """Whether a text is in what was printed, and not as a part of a longer word."""
    at = printed.find(text)
    while at >= 0:
        before, behind = printed[at - 1 : at], printed[at + len(text) : at + len(text) + 1]
        if not (_joins(before, text[0]) or _joins(text[-1], behind)):
            return True
        at = printed.find(text, at + 1)
    return False


def _joins(one: str, other: str) -> bool:
    return bool(one and other) and (one + other).replace("_", "a").isalnum()


def _by_output(
    text: str, bounds: Sequence[_Bound], ran: Sequence[CommandResult], ends: Sequence[str]
) -> CriterionShown:
    """The numbers that the commands printed; for a time that a command takes, the time that it took here."""
    words, rows, took = _words(BOUND.sub(" ", _LITERAL.sub(" ", text))), [], []
    for each in ran:
        rows += (each.full or each.output).splitlines()
        took.append(each.seconds)
    near = [row for row in rows if words & _words(row)] or [
        row for row in rows if "total" in row.casefold()
    ]
    told = []
    for bound in bounds:
        shown = [row for row in near or rows if _measured(row, bound)]
        measured = [v for row in shown for v in _measured(row, bound)]
        before = text[: text.find(bound.text)].rstrip()
        if bound.unit == "s" and _TAKES.search(_LITERAL.sub(" ", before)):
            measured, shown = took, []
        verdict = _decide(bound, measured)
        printed = "; ".join(" ".join(row.split())[:120] for row in shown[:3])
        said = f"{verdict.text}, printed: {printed}" if printed else verdict.text
        if verdict.result != "shown":
            return verdict._replace(text=f"{'; '.join(ends)}; {said}")
        told.append(said)
    return CriterionShown("shown", "; ".join((*ends, *told)))


def _bounds(text: str) -> list[_Bound]:
    found = []
    for match in BOUND.finditer(text):
        way = (match["word"] or match["sign"] or match["way"]).casefold()
        kind, scale = _unit(match["unit"] or match["unit2"] or "")
        limit = _value(match["number"] or match["number2"]) * scale
        found.append(_Bound(_WAYS[way][1 if match["no"] else 0], limit, kind, match[0]))
    return found


def _measured(said: str, bound: _Bound) -> list[float]:
    """Numbers of the unit of a bound; one behind 'below' or 'at most' was not measured."""
    rest = BOUND.sub(" ", said)
    pairs = [(number, unit) for number, unit in _NUMBER.findall(rest)]
    pairs += [(number, unit) for unit, number in _NAMED.findall(rest)] if bound.unit else []
    units = ((number, _unit(unit)) for number, unit in pairs)
    return [_value(number) * scale for number, (kind, scale) in units if kind == bound.unit]


def _decide(bound: _Bound, measured: Sequence[float]) -> CriterionShown:
    if not measured:
        return CriterionShown("open", f"no measured number shows '{bound.text.strip()}'")
    fine = [bound.holds(each, bound.limit) for each in measured]
    if all(fine):
        return CriterionShown("shown", f"'{bound.text.strip()}' by what was measured")
    if not any(fine):
        return CriterionShown("refuted", f"what was measured is not '{bound.text.strip()}'")
    return CriterionShown("open", f"some numbers are '{bound.text.strip()}' and others are not")


def _unit(word: str) -> tuple[str, float]:
    plain = word.casefold()
    if plain in _UNITS:
        return _UNITS[plain]
    single = plain.removesuffix("s")
    return _UNITS.get(single, (single.removesuffix("ie").removesuffix("y"), 1.0))


def _value(number: str) -> float:
    return float(number.replace(",", "").replace("_", ""))


def _words(text: str) -> set[str]:
    words = (word.strip("./-") for word in _WORD.findall(text.casefold()))
    return {word for word in words if word and word not in _COMMON}
