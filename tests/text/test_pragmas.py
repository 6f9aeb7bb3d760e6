"""Comments that ask to look away are read as their tools read them."""

from __future__ import annotations

import time

import pytest

from guildmoot.text.pragmas import pragmas, without_pragmas


@pytest.mark.parametrize(
    "line",
    [
        "f()  # guild: ignore[S602] the command is our own",
        "f();  // guild: ignore[S602] the command is our own",
        "/* guild: ignore[S602] the command is our own */",
        "<!-- guild: ignore[S602] the command is our own -->",
        "-- guild:ignore[s602] the command is our own",
        "; guild: ignore[S602] the command is our own",
        " * GUILD: ignore[F821, S602]: the command is our own",
        "f()  # noqa: E501  guild: ignore[S602] - the command is our own",
    ],
)
def test_our_own_in_any_language(line: str) -> None:
    found = next(each for each in pragmas(line) if each.kind == "guild")
    assert not found.problem
    assert found.reason == "the command is our own"
    assert found.concerns("S602", "ruff")
    assert not found.concerns("S603", "ruff")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("f()  # guild: ignore[S602]", "no reason"),
        ("f()  # guild: ignore[S602] --", "no reason"),
        ("f()  # guild: ignore", "no code"),
        ("f()  # guild: ignore[] because", "no code"),
    ],
)
def test_without_code_or_reason_it_cannot_count(line: str, problem: str) -> None:
    (found,) = pragmas(line)
    assert problem in found.problem


@pytest.mark.parametrize(
    ("line", "code", "family", "about"),
    [
        ("x  # noqa: F821", "F821", "ruff", True),
        ("x  # noqa: F401, F821", "F821", "ruff", True),
        ("x  # NOQA:F401 F821 why", "F821", "ruff", True),
        ("x  # noqa: F401", "F821", "ruff", False),
        ("x  # noqa", "F821", "ruff", True),
        ("x  # noqa", "secret", "guildmoot", False),
        ("x  # nosec", "S602", "ruff", True),
        ("x  # nosec B602", "S602", "ruff", True),
        ("x  # nosec: B602, B603", "B603", "bandit", True),
        ("x  # nosec B607", "S602", "ruff", False),
        ("# hadolint ignore=DL3008,DL3009", "DL3009", "hadolint", True),
        ("# hadolint ignore=DL3008", "DL3009", "hadolint", False),
        ("x  // nosemgrep: no-eval", "no-eval", "semgrep", True),
        ("x  # nosem", "no-eval", "semgrep", True),
        ("x  # nosem", "F821", "ruff", False),
        ("x  # nosec", "F821", "ruff", False),
        ("x  # nosec", "secret", "guildmoot", True),
        ("x  # pragma: allowlist secret", "secret", "guildmoot", True),
        ("x  // pragma: whitelist secret", "possible-secret", "guildmoot", True),
        ("x  # pragma: allowlist secret", "F821", "ruff", False),
        ("x  // gitleaks:allow", "secret", "guildmoot", True),
    ],
)
def test_those_of_others(line: str, code: str, family: str, about: bool) -> None:
    assert [each.concerns(code, family) for each in pragmas(line)] == [about]


@pytest.mark.parametrize(
    "line",
    ["guild: ignore[S602] no comment", "the guild ignored it", "x = noqa", "x  # no qa here", ""],
)
def test_what_is_none(line: str) -> None:
    assert pragmas(line) == ()


def test_a_line_is_the_same_line_with_one() -> None:
    for more in ("  # noqa: S602", "  # nosec", "  # guild: ignore[S602] ours", "  # noqa"):
        assert without_pragmas("run(x)" + more) == "run(x)"
    assert without_pragmas("run(x)  # why") == "run(x)  # why"


def test_hostile_lines_take_no_time() -> None:
    began = time.process_time()
    for line in ("# noqa " * 100_000, "#" * 500_000 + "guild: ignore[", "guild: ignore[" * 50_000):
        pragmas(line)
        without_pragmas(line)
    assert time.process_time() - began < 1
