"""What tests of Python check less behind a change, over all its files. Pure.

What is gone counts only where its checks stand nowhere else and what they ask for is still there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from guildmoot.lifecycle.proof.weakening.python_checks import TestCheck
from guildmoot.lifecycle.proof.weakening.python_tests import PythonTest, PythonTests
from guildmoot.memory.codebase.graph import is_test

_MANY = 1_000_000
_Key = tuple[str, str]
_Rest = tuple[Counter[TestCheck], str]


class _Spare:
    """Checks that a change brings, until one that is gone stands there."""

    def __init__(self) -> None:
        self._rows: dict[_Key, dict[TestCheck, int]] = {}

    def add(self, key: _Key, brought: Counter[TestCheck]) -> None:
        self._rows[key] = {
            check: _MANY if check.many else times for check, times in brought.items()
        }

    def take(self, check: TestCheck, times: int, *, own: _Key | None = None) -> int:
        """How many of so many checks find no place; in a test's own place another of its kind is one."""
        places = [own] if own else [*self._rows]
        for fits in (_same, _related, _any) if own else (_same, _in_table):
            for key in places:
                rows = self._rows.get(key, {})
                for brought in [each for each in rows if rows[each] and fits(check, each)]:
                    taken = min(times, rows[brought])
                    rows[brought] -= taken
                    times -= taken
        return times

    def left(self, key: _Key) -> bool:
        """Whether a test brings more than what took the place of its own checks."""
        return any(self._rows.get(key, {}).values())


def _same(gone: TestCheck, brought: TestCheck) -> bool:
    return gone.text == brought.text


def _related(gone: TestCheck, brought: TestCheck) -> bool:
    return brought.strength >= gone.strength and bool(gone.names & brought.names)


def _any(gone: TestCheck, brought: TestCheck) -> bool:
    return brought.strength >= gone.strength


def _in_table(gone: TestCheck, brought: TestCheck) -> bool:
    """Whether a check that is asked for a table of cases asks the same of the same values."""
    fine = brought.strength >= gone.strength and gone.names <= brought.names
    return fine and gone.values <= brought.values


def weaker_tests(
    had: Mapping[str, PythonTests | None],
    has: Mapping[str, PythonTests | None],
    lost: Collection[str],
    tree: Collection[str] = (),
) -> dict[str, list[str]]:
    """What is weaker, by the file in which it was; ``lost`` is what of the code is gone."""
    told: dict[str, list[str]] = {path: [] for path in had}
    before, after = dict(_each(had)), dict(_each(has))
    asked_now = frozenset(
        name for test in after.values() for check in test.checks for name in check.names
    )
    spare, rest = _Spare(), dict[_Key, Counter[TestCheck]]()
    excused = Counter[str]()
    for key, test in before.items():
        excused += test.marks if key not in after else Counter()
    for key, test in after.items():
        if key in before or not test.marks - excused:
            old = before.get(key)
            spare.add(key, _scaled(test, old) - (_scaled(old, None) if old else Counter()))
    for key, test in before.items():
        rest[key] = Counter()
        for check, times in _gone(test, after.get(key)):
            if not check.names & {*lost}:
                rest[key][check] = spare.take(check, times, own=key) if key in after else times
    for key, test in before.items():
        path, name = key
        wanting = {c for c, times in rest[key].items() if times and spare.take(c, times)}
        now = after.get(key)
        if now is not None:
            said = _less(test, now, wanting, more=spare.left(key)) or _other(
                test, now, asked_now, lost
            )
            told[path] += [f"{name} {each}" for each in (*said, *_weaker(test, now))]
        elif wanting or not (test.checks or _runs_elsewhere(test, after, before, lost)):
            told[path].append(f"{name} is gone")
    own = {part.partition(".")[0] for each in tree for part in each.split("/")}
    for path, file in had.items():
        now_file = has.get(path)
        if file and now_file:
            told[path] += _own_names(file, now_file, own)
    return told


def weaker_helpers(before: PythonTests, after: PythonTests) -> list[str]:
    """What functions that tests call check less."""
    told = []
    for name, helper in before.helpers.items():
        if now := after.helpers.get(name):
            wanting = {*helper.checks} - {*now.checks}
            fewer = now.checks.total() < helper.checks.total()
            told += [
                f"{name} {each}"
                for each in (_less(helper, now, wanting if fewer else set(), more=False))
            ]
            told += [f"{name} {each}" for each in _weaker(helper, now)]
    return told


def _each(files: Mapping[str, PythonTests | None]) -> Iterator[tuple[_Key, PythonTest]]:
    for path, file in files.items():
        for name, test in file.tests.items() if file else ():
            yield (path, name), test


def _scaled(test: PythonTest, old: PythonTest | None) -> Counter[TestCheck]:
    """Its checks over all its cases; fewer cases than before are told by themselves."""
    cases = max(test.cases, old.cases if old else 1)
    return Counter({check: times * cases for check, times in test.checks.items()})


def _gone(test: PythonTest, now: PythonTest | None) -> list[tuple[TestCheck, int]]:
    """What it checked and checks no more, what says most first."""
    found = _scaled(test, None) - (_scaled(now, test) if now else Counter())
    return sorted(found.items(), key=lambda each: -each[0].strength)


def _less(
    before: PythonTest, after: PythonTest, wanting: Collection[TestCheck], *, more: bool
) -> list[str]:
    if not wanting:
        return []
    had, has = before.checks.total(), after.checks.total()
    if more or has >= had:
        return ["checks less of an answer than before"]
    return [f"checks less: {had} before, {has} now"]


def _other(
    before: PythonTest, after: PythonTest, asked: Collection[str], lost: Collection[str]
) -> list[str]:
    """Whether nothing asks any more for what a test was about."""
    had = {name for check in before.checks for name in check.names}
    has = {name for check in after.checks for name in check.names}
    if had and has and not had & has and not had & {*asked, *lost, *after.names}:
        return [f"asks no more for {', '.join(sorted(had)[:3])}"]
    taken = (after.replaced - before.replaced) & had
    return [f"puts something else in the place of {each}" for each in sorted(taken)]


def _weaker(before: PythonTest, after: PythonTest) -> list[str]:
    told = []
    unsure = after.checks.total() - after.sure
    if after.sure < before.sure and unsure > before.checks.total() - before.sure:
        told.append("checks under a condition what it checked always")
    if after.cases < before.cases:
        told.append(f"has fewer cases: {before.cases} before, {after.cases} now")
    if after.empty and not before.empty:
        told.append("is empty")
    if after.waits and not before.waits:
        told.append("is a coroutine or a generator now, which not every runner runs")
    return [*told, *said_marks(before.marks, after.marks)]


def said_marks(before: Counter[str], after: Counter[str]) -> list[str]:
    """What may keep tests from being run and was not there."""
    return [f"has {each.split(':')[0][:80]} now" for each in after - before]


def _runs_elsewhere(
    test: PythonTest,
    after: Mapping[_Key, PythonTest],
    before: Mapping[_Key, PythonTest],
    lost: Collection[str],
) -> bool:
    """Whether a new test runs what one ran that is gone and checked nothing, or that is gone as well."""
    if test.names & {*lost}:
        return True
    return any(
        test.names <= each.names and (test.empty or not each.empty) and not each.marks - test.marks
        for key, each in after.items()
        if key not in before
    )


def _own_names(before: PythonTests, after: PythonTests, project: Collection[str]) -> list[str]:
    """What of the project a file imported and asked for, and what is something of the tests now."""
    asked = {
        name for test in before.tests.values() for check in test.checks for name in check.names
    }
    told = []
    for name, (place, own) in before.imported.items():
        top = place.lstrip(".").partition(".")[0]
        if own not in asked or _of_tests(place) or (project and top and top not in project):
            continue
        now = after.imported.get(name, ("", ""))[0]
        if name in after.defined or (now and _of_tests(now)):
            told.append(f"{name} is no longer that of {place}")
    return told


def _of_tests(place: str) -> bool:
    inner = place.lstrip(".")
    near = place.startswith(".") and not place.startswith("..")
    return near or is_test(f"{inner.replace('.', '/')}.py")
