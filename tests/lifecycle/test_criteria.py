"""A criterion is ticked by what shows it: words that sound alike, a claim or an empty script show nothing."""

from __future__ import annotations

import pytest

from guildmoot.lifecycle.proof.criteria import show_criterion
from guildmoot.lifecycle.proof.expectations import expectations
from guildmoot.lifecycle.spec import commands_of
from guildmoot.loops.values import CommandResult

FAST = "a page answers within 30 ms in bench.py"


@pytest.mark.parametrize(
    ("criterion", "evidence", "found"),
    [
        (FAST, "a page answers within 30 ms in bench.py: 12 ms", "shown"),
        (FAST, "bench.py: a page answers in 0.012 s", "shown"),
        (FAST, "bench.py: a page answers in 30 ms", "shown"),
        ("a page answers in bench.py below 30 ms", "a page answers in 30 ms in bench.py", "refuted"),
        (FAST, "a page answers in bench.py: 45 ms", "refuted"),
        (FAST, "a page answers in bench.py: p50 12 ms, p95 45 ms", "open"),
        (FAST, "a page answers within 30 ms in bench.py", "open"),
        (FAST, "a page answers below 20 ms in bench.py", "open"),
        (FAST, "a page answers within 30 ms in bench.py: not measured", "open"),
        (FAST, "a page answers in bench.py: 12 MB", "open"),
        (FAST, "bench.py was skipped; a page answers in 12 ms", "open"),
        (FAST, "there is no bench.py, a page answers in 12 ms", "open"),
        (FAST, "n/a: a page answers in bench.py, 12 ms", "open"),
        (FAST, "a page should answer, a page answers in bench.py 12 ms", "open"),
        ("coverage of app/ is at least 90 %", "coverage of app/ is 93.5%", "shown"),
        ("coverage of app/ is at least 90 %", "coverage of app/ is 89 %", "refuted"),
        ("the package has no more than 3 dependencies", "the package has 2 dependencies", "shown"),
        ("the package has no more than 3 dependencies", "the package has dependencies: 4", "refuted"),
        ("no file of app/ has more than 400 lines", "file of app/ has 300 lines", "open"),
        ("README.md names the option --fast", "README.md names the option --fast in line 12", "shown"),
        ("README.md names the option --fast", "README.md names the option, see `x.py`", "open"),
        ("README.md names the option --fast", "README.md does not name: names the option --fast 2", "open"),
        ("there is no global state in lib/a.py", "there is global state in lib/a.py: 3", "open"),
    ],
)  # fmt: skip
def test_evidence_shows_a_criterion_only_by_what_was_measured(criterion, evidence, found):
    ran = (CommandResult("make test", 0, 1.0, "ok"),)
    said = [("T1", f"{evidence} (`make test`)")]
    assert show_criterion(criterion, ran, said).result == found


@pytest.mark.parametrize(
    "evidence",
    [
        "README.md names the option --fast in line 12",
        "`make test`: README.md names the option --fast",
    ],
)
def test_the_word_of_a_lane_alone_shows_nothing(evidence):
    criterion, failed = (
        "README.md names the option --fast",
        CommandResult("make test", 1, 1.0, "no"),
    )
    for ran in ((), (CommandResult("make lint", 0, 1.0, "ok"),), (failed,)):
        assert show_criterion(criterion, ran, [("T1", evidence)]).result == "open"


def test_what_was_printed_here_counts_more_than_the_number_of_a_lane():
    said = [("T1", "bench.py: a page answers in 12 ms by `make bench`")]
    printed = "a page answers in 45 ms"
    assert (
        show_criterion(FAST, (CommandResult("make bench", 0, 1.0, printed),), said).result
        == "refuted"
    )


@pytest.mark.parametrize(
    ("criterion", "code", "output", "found"),
    [
        ("`run it` exits 0", 0, "", "shown"),
        ("`run it` exits 0", 1, "", "refuted"),
        ("`run it` exits 2", 2, "", "shown"),
        ("`run it` exits 2", 0, "", "refuted"),
        ("`run it` exits 2", 1, "", "refuted"),
        ("`run it` exits with code 3", 3, "", "shown"),
        ("`run it` exits non-zero", 1, "", "shown"),
        ("`run it` exits non-zero", 0, "", "refuted"),
        ("`run it` exits non-zero", None, "", "refuted"),
        ("`run it` exits non-zero", 127, "not found", "refuted"),
        ("`run it` passes", 0, "", "shown"),
        ("`run it`", 0, "", "shown"),
        ("`run it` prints ok", 0, "all ok\n", "shown"),
        ("`run it` prints ok", 0, "tokens\n", "refuted"),
        ("`run it` prints ok", 0, "", "refuted"),
        ("`run it` prints ok and exits 4", 4, "ok", "shown"),
        ("`run it` prints `hello world`", 0, "hello world", "shown"),
        ("`run it` prints 'a' and \"b\"", 0, "a\n", "refuted"),
        ("`run it` prints a line with p95", 0, "", "refuted"),
        ("`run it` prints a line with p95", 0, "p95 12 ms\n", "shown"),
        ("`run it` prints a table of all users", 0, "users", "open"),
        ("`run it` does not print Traceback", 0, "", "open"),
        ("`run it` lists every user by name", 0, "", "open"),
        ("`run it` exits 0 and writes the report", 0, "", "open"),
        ("`run it` prints p95 below 50 ms", 0, "p95 12 ms\nmax 80 ms", "shown"),
        ("`run it` prints p95 below 50 ms", 0, "p95 51 ms", "refuted"),
        ("`run it` exits 0 with coverage of at least 80 %", 0, "a 50%\nTOTAL 91%", "shown"),
        ("`run it` exits 0 with coverage of at least 80 %", 0, "ok", "open"),
        ("`run it` exits 0 within 2 s", 0, "took 40 s", "shown"),
        ("`run it` exits 0 within 0.5 s", 0, "", "refuted"),
    ],
)  # fmt: skip
def test_a_command_shows_a_criterion_by_how_it_ended_and_what_it_printed(
    criterion, code, output, found
):
    ran = (CommandResult("run it", code, 1.0, output),)
    assert show_criterion(criterion, ran, ()).result == found


def test_a_command_that_was_not_run_shows_nothing():
    assert (
        show_criterion("`a b` and `c d` exit 0", (), [("T1", "`a b` exit code 0")]).result == "open"
    )


def test_what_a_command_must_print_is_not_run():
    text = "`a b` prints `hello world`, and `c d` prints `x y`; `e f` exits 1"
    assert commands_of(text) == ["a b", "c d", "e f"]
    assert [(each.prints, each.code) for each in expectations(text)] == [
        (("hello world",), 0), (("x y",), 0), ((), 1)
    ]  # fmt: skip
