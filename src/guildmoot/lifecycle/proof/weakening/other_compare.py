"""What tests of other languages than Python check less behind a change, over all its files. Pure.

A row that is gone counts only where it stands nowhere else, under whatever name, and its subject is still there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from guildmoot.lifecycle.proof.weakening.other_tests import CountedTests, count_tests, plain_text
from guildmoot.text.patterns import lazy

Sides = Mapping[str, tuple[str | None, str | None]]
_WORD = lazy(r"[A-Za-z_]\w*")
_VALUE = lazy(r"(?<![\w.])\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_CALLED = lazy(r"([A-Za-z_]\w*)\s*!?\(")
_DEFINED = lazy(
    r"\b(?:function\*?|func(?:\s*\([^)\n]*\))?|fn|fun|def|sub|class|struct|interface|trait|enum|module|const|let|var|type)"
    r"\s+([A-Za-z_]\w*)|\bexports\.([A-Za-z_]\w*)\s*="
    r"|^[ \t]*[\w*<>, ]{1,80}?\b([A-Za-z_]\w*)\s*\([^;{}\n]{0,200}\)\s*\{",
    re.MULTILINE,
)
_TABLE = lazy(
    r"\.each\b|\bfor\s*\(\s*(?:const|let|var|auto|final)?\b|\.forEach\(|\bforeach\b|\bfor\b[^\n]*\b(?:range|in)\b|@(?:CsvSource|ValueSource"
    r"|MethodSource)|\[InlineData|#\[case\b|\.each do\b"
)
_ASKS = lazy(
    r"(?i)(?:expect|assert|should|must|to[A-Z]|test|it|is|ok|equal|describe|require|check|eq|ne)\w*"
)
_HIDDEN = "\N{MIDDLE DOT}"


class _Names(NamedTuple):
    before: frozenset[str]
    """Words of the code that are gone."""
    after: frozenset[str]
    """Words of the code that are new."""
    lost: frozenset[str]
    """What was defined and stands nowhere any more."""


def weaker_others(tests: Sides, code: Sides) -> dict[str, list[str]]:
    """What is weaker, by the file in which it was."""
    names = _names(code)
    had = {path: count_tests(path, text) for path, (text, _) in tests.items() if text is not None}
    has = {path: count_tests(path, text) for path, (_, text) in tests.items() if text is not None}
    brought_tests = _brought(had, has, names, "tests")
    brought_checks = _brought(had, has, names, "checks")
    none = CountedTests(Counter(), Counter(), Counter(), 0)
    told: dict[str, list[str]] = {}
    for path, before in had.items():
        after = has.get(path, none)
        rows = _new_rows(path, tests)
        fewer = _fewer("check", before.checks, after.checks, brought_checks, names, rows)
        told[path] = fewer
        if fewer or not (before.checks - after.checks):
            told[path] = (
                _fewer("test", before.tests, after.tests, brought_tests, names, rows) + fewer
            )
        sure, is_sure = before.checks.total() - before.unsure, after.checks.total() - after.unsure
        if after.unsure > before.unsure and is_sure < sure:
            told[path].append("checks under a condition what it checked always")
        new = Counter(after.skips)
        new.subtract(before.skips)
        more = after.tests.total() - before.tests.total()
        told[path] += [
            f"has {each[:80]} now"
            for each, times in new.items()
            if times > (max(more, 0) if each.startswith("#[should_panic") else 0)
        ]
    for path, file in has.items():
        if path not in had and file.idle:
            told[path] = [f"has {each[:80]} now" for each in file.idle]
    return told


def lost_names(code: Sides) -> frozenset[str]:
    """What files of code defined and name nowhere any more."""
    return _names(code).lost


def _names(code: Sides) -> _Names:
    old, new = (
        ([each for each in side if each] for side in zip(*code.values(), strict=True))
        if code
        else ([], [])
    )
    was, now = _words(old), _words(new)
    for path, (before, after) in code.items():
        stem = path.rpartition("/")[2].partition(".")[0]
        if before is not None and after is None:
            was |= {stem}
        elif before is None:
            now |= {stem}
    defined = {name for text in old for found in _DEFINED.findall(text) for name in found if name}
    return _Names(was - now, now - was, frozenset(defined - now))


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _hidden(rows: Counter[str], words: frozenset[str]) -> Counter[str]:
    """Rows without what a change calls otherwise."""
    found = Counter[str]()
    for row, times in rows.items():
        found[_WORD.sub(lambda word: _HIDDEN if word[0] in words else word[0], row)] += times
    return found


def _brought(
    had: Mapping[str, CountedTests], has: Mapping[str, CountedTests], names: _Names, kind: str
) -> Counter[str]:
    found = Counter[str]()
    for path, file in has.items():
        rows: Counter[str] = getattr(file, kind)
        old: Counter[str] = getattr(had[path], kind) if path in had else Counter()
        found += _hidden(rows, names.after) - _hidden(old, names.before)
    return found


def _fewer(
    what: str,
    before: Counter[str],
    after: Counter[str],
    brought: Counter[str],
    names: _Names,
    rows: list[str],
) -> list[str]:
    """How many are gone and nowhere else; those that read otherwise take the place of others."""
    gone = Counter[str]()
    for row, times in (before - after).items():
        about = {*_WORD.findall(row)} & names.lost
        if not about and not _in_table(row, rows):
            gone[row] = times
    gone = _hidden(gone, names.before) - brought
    lost = min(gone.total(), before.total() - after.total())
    if lost <= 0:
        return []
    return [f"{lost} {what}{'s' * (lost > 1)} less, e.g. {next(iter(gone))[:80]}"]


def _new_rows(path: str, tests: Sides) -> list[str]:
    before, after = tests[path]
    old = {row.strip() for row in plain_text(path, before or "").splitlines()}
    return [row for row in plain_text(path, after or "").splitlines() if row.strip() not in old]


def _in_table(row: str, rows: list[str]) -> bool:
    """Whether new rows go through a table that holds the values of a row, and ask the same of them."""
    text = "\n".join(rows)
    values = _VALUE.findall(row)
    if not values or not _TABLE.search(text):
        return False
    asked = [each for each in _CALLED.findall(row) if not _ASKS.fullmatch(each)]
    held = {*_VALUE.findall(text)}
    return {*values} <= held and all(f"{each}(" in text for each in asked)
