"""Whether a test command that ended well says that tests ran: an exit code alone shows none. Pure.

What a change does to end a run early need not be known for this: the summary that the runner prints last is missing,
counts nothing, or tells of failures.
"""

from __future__ import annotations

import shlex

from guildmoot.text.clean import clean
from guildmoot.text.patterns import lazy

_HIDDEN = lazy(
    r"[|>&;]|\$\(|--(?:co|collect-only|help|version|fixtures|markers|no-summary|listTests|list|json\S*|test-reporter\S*"
    r"|reporter\S*)\b|\s-(?:h|V|p)\b"
)
"""Where a summary goes elsewhere, or none is asked for."""
_RUN = lazy(r"(?m)^Ran (\d+) tests? in ")
_OUTCOME = lazy(r"(?m)^(OK|FAILED|NO TESTS RAN)\b.*$")
_SKIPPED = lazy(r"\bskipped=(\d+)")
_PYTEST = lazy(r"(?m)^(?:=+ )?(?:\d+ \w+,? ?)*(?:\d+ \w+|no tests ran) in [\d.]+ ?m?s\b.*$")
_PYTEST_DOTS = lazy(r"(?m)^.*\[100%\]\s*$")
_PYTEST_PASSED = lazy(r"\b[1-9]\d* (?:passed|xfailed|xpassed|subtests passed)\b")
_PYTEST_FAILED = lazy(r"\b[1-9]\d* (?:failed|errors?)\b")
_NODE = lazy(r"(?m)^(?:\S )?pass (\d+)\s*$")
_NODE_FAILED = lazy(r"(?m)^(?:\S )?(?:fail|cancelled) [1-9]\d*\s*$")
_JS = lazy(r"(?m)^\s*Tests:?\s+.*\b[1-9]\d* passed\b|^\s*[1-9]\d* passing\b")
_JS_FAILED = lazy(r"(?m)^\s*Tests:?\s+.*\b[1-9]\d* failed\b|^\s*[1-9]\d* failing\b")


def unshown(command: str, printed: str) -> str:
    """Why a test command that exited 0 does not show that its tests passed; empty where it does, or is none."""
    runner = runner_of(command)
    if not runner:
        return ""
    text = clean(printed)
    if runner == "unittest":
        said = _by_unittest(text)
    elif runner == "pytest":
        said = _by_pytest(text)
    elif runner == "node":
        said = _by_counts([int(n) for n in _NODE.findall(text)], bool(_NODE_FAILED.search(text)))
    else:
        said = _by_counts([1] * bool(_JS.search(text)), bool(_JS_FAILED.search(text)))
    return f"it exited 0, and {said}" if said else ""


def runner_of(command: str) -> str:
    """The test runner that a command starts by itself and whose summary is seen; empty where that cannot be told."""
    if _HIDDEN.search(command):
        return ""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    names = [word.rpartition("/")[2] for word in words]
    for at, name in enumerate(names):
        if name == "-m" and names[at + 1 : at + 2] and names[at + 1] in ("unittest", "pytest"):
            return names[at + 1]
        if name in ("pytest", "py.test"):
            return "pytest"
        if name == "node":
            return "node" if "--test" in words[at:] else ""
        if name in ("jest", "vitest", "mocha"):
            return "js"
        if name not in _BEFORE and "=" not in name and not name.startswith("python"):
            return ""
    return ""


_BEFORE = frozenset(
    ("uv", "poetry", "pdm", "pipenv", "hatch", "rye", "run", "npx", "yarn", "pnpm", "exec", "env", "-B", "-I", "-s")
)  # fmt: skip
"""Words that may stand before a runner."""


def _by_unittest(text: str) -> str:
    ran, outcomes = [int(each) for each in _RUN.findall(text)], list(_OUTCOME.finditer(text))
    if not ran or not outcomes:
        return "it printed no count of tests"
    skipped = sum(int(each) for row in outcomes for each in _SKIPPED.findall(row[0]))
    return _by_counts([max(sum(ran) - skipped, 0)], any(row[1] == "FAILED" for row in outcomes))


def _by_pytest(text: str) -> str:
    rows = [row[0] for row in _PYTEST.finditer(text)]
    if not rows:
        return "" if _PYTEST_DOTS.search(text) else "it printed no count of tests"
    passed = [1 for row in rows if _PYTEST_PASSED.search(row)]
    return _by_counts(passed or [0], any(_PYTEST_FAILED.search(row) for row in rows))


def _by_counts(passed: list[int], failed: bool) -> str:
    if failed:
        return "it counts tests that failed"
    if not passed:
        return "it printed no count of tests"
    return "" if sum(passed) else "no test ran"
