"""A criterion is ticked by what a command did here, and by nothing else."""

from __future__ import annotations

import pytest

from guildmoot.lifecycle.proof.criteria import show_criterion
from guildmoot.lifecycle.proof.expectations import expectations
from guildmoot.lifecycle.spec import commands_of
from guildmoot.loops.values import CommandResult


@pytest.mark.parametrize(
    "criterion",
    [
        "README.md names the option --fast",
        "a page answers within 30 ms in bench.py",
        "coverage of app/ is at least 90 %",
        "the package has no more than 3 dependencies",
        "`README.md` names the option `--fast`",
    ],
)
def test_what_names_no_command_is_left_to_a_person_whatever_ran(criterion):
    ran = (CommandResult("make test", 0, 1.0, f"{criterion}: 1 ms, 99 %, dependencies: 2"),)
    found = show_criterion(criterion, ran)
    assert found.result == "open"
    assert "names no command" in found.text


def test_what_was_printed_here_is_named_beside_the_tick():
    ran = (CommandResult("make bench", 0, 1.0, "begun\nGET / p95 12 ms\nend\n"),)
    found = show_criterion("`make bench` prints p95 below 30 ms", ran)
    assert found.result == "shown"
    assert "GET / p95 12 ms" in found.text
    assert "`make bench` exited 0" in found.text


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
        ("`run it` prints A!!", 0, "A!!", "shown"),
        ("`run it` prints A!!", 0, "B!!", "refuted"),
        ("`run it` prints a page", 0, "a page", "open"),
        ("`run it` prints 'a' and \"b\"", 0, "a\n", "refuted"),
        ("`run it` prints a line with p95", 0, "", "refuted"),
        ("`run it` prints a line with p95", 0, "p95 12 ms\n", "shown"),
        ("`run it` prints a table of all users", 0, "users", "open"),
        ("`run it` does not print Traceback", 0, "", "open"),
        ("`run it` lists every user by name", 0, "", "open"),
        ("`run it` exits 0 and writes the report", 0, "", "open"),
        ("`run it` exits 0 but does not print 5", 0, "5", "open"),
        ("`run it` exits 0 without any warning", 0, "warning: old", "open"),
        ("`run it` exits 0 and its output is free of error", 0, "error", "open"),
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
    assert show_criterion(criterion, ran).result == found


@pytest.mark.parametrize(
    "criterion",
    [
        "`run it` does not exit 1",
        "`run it` doesn't exit 1",
        "`run it` never exits 1",
        "`run it` must not exit with 1",
        "`run it` may not end with code 1",
        "`run it` never fails",
        "`run it` cannot return 1",
        "`run it` fails to exit 1",
        "`run it` exits with a code other than 1",
        "`run it` exits with anything but 1",
        "`run it` exits 1 to 3",
        "`run it` exits 1 or higher",
        "`run it` exits between 1 and 3",
        "It is wrong that `run it` exits 1",
        "No line of `run it` exits 1",
        "Neither `run it` nor `run that` exits 1",
        "In no case `run it` exits 1",
    ],
)
@pytest.mark.parametrize("code", [0, 1, 2])
def test_what_turns_an_ending_round_is_left_to_a_person_whatever_the_ending(criterion, code):
    ran = tuple(CommandResult(name, code, 1.0, "5\n") for name in ("run it", "run that"))
    assert show_criterion(criterion, ran).result == "open"


@pytest.mark.parametrize(
    "criterion",
    ["No line of `run it` prints 5", "`run it` never prints 5", "Nothing in `run it` shows 5"],
)
def test_what_must_not_be_printed_is_never_ticked(criterion):
    assert show_criterion(criterion, (CommandResult("run it", 0, 1.0, "5\n"),)).result == "open"


@pytest.mark.parametrize(
    ("criterion", "codes"),
    [
        ("`run it` exits 0 or 2", {0, 2}),
        ("`run it` exits with 1, 2 or 3", {1, 2, 3}),
        ("`run it` exits 2 when the file is not there", {2}),
        ("Where the file does not exist, `run it` exits 2", {2}),
        ("There are no findings: `run it` exits 0", {0}),
        ("No test fails in `run it`", {0}),
        ("`run it` with an error in the file exits 2", {2}),
    ],
)
def test_an_ending_is_read_with_what_else_stands_in_the_sentence(criterion, codes):
    for code in range(4):
        found = show_criterion(criterion, (CommandResult("run it", code, 1.0, ""),))
        assert found.result == ("shown" if code in codes else "refuted"), code


BESIDE = [
    *("and the README explains it", "; the README explains how to install it", "and tests cover the storage"),
    *(", also on Python 3.9", "on Windows and Linux", "after a restart of the machine", "as JSON", "in German"),
    *("if and only if all numbers are positive", "and is faster than before", "for any two numbers"),
    *("even when the disk is full", "and no warning", "exactly once", "before `b`", "on stderr"),
    *("when the file is missing and names it on stderr", "and the log shows nothing secret", "twice as fast as before"),
    *("followed by the sum", "and every answer is signed", ", passes on the old and the new code"),
]  # fmt: skip


@pytest.mark.parametrize("ends", ["exits 0", "prints `a`"])
@pytest.mark.parametrize("beside", BESIDE)
def test_what_stands_beside_how_a_command_ends_and_what_it_prints_is_shown_by_none(ends, beside):
    ran = (CommandResult("run it", 0, 1.0, "a\nb\nwarning\n"),)
    found = show_criterion(f"`run it` {ends} {beside}", ran)
    assert found.result == "open"
    assert "no rule reads" in found.text


@pytest.mark.parametrize(
    "lead",
    ["No password is ever logged; ", "Users log in. ", "The README explains it, and ", "It is faster: it works. "],
)  # fmt: skip
def test_what_stands_before_a_command_is_shown_only_where_it_says_that_the_command_shows_it(lead):
    ran = (CommandResult("run it", 0, 1.0, "a"),)
    assert show_criterion(f"{lead}`run it` exits 0", ran).result == "open"
    found = show_criterion("Users log in: `run it` exits 0", ran)
    assert (found.result, "nobody checked that this shows 'Users log in'" in found.text) == (
        "shown",
        True,
    )
    assert show_criterion("Users can log in as guests (`run it` exits 0)", ran).result == "shown"
    assert show_criterion("All tests pass: `run it` exits 0", ran).result == "shown"


@pytest.mark.parametrize(
    "label",
    [
        *("100 % branch coverage", "All tests pass on Python 3.11 and 3.12", "On an empty database", "On Windows"),
        *("After a power cut", "Without skipped tests", "Safe for concurrent use", "Only admins"),
        *("Not allowed", "Every page loads", "Faster than before"),
    ],
)  # fmt: skip
def test_a_claim_that_an_ending_cannot_stand_for_is_left_to_a_person(label):
    ran = (CommandResult("run it", 0, 1.0, "a"),)
    found = show_criterion(f"{label}: `run it` exits 0", ran)
    assert found.result == "open"
    assert label in found.text


@pytest.mark.parametrize(
    "text",
    [
        "`run it` fails with `file not found` and exit code 2",
        "`run it` exits 1, printing `no such invoice: NOPE`",
        "`run it` prints anything but `Initech`",
    ],
)
def test_what_stands_behind_a_command_in_code_is_no_second_one(text):
    assert commands_of(text) == ["run it"]
    assert show_criterion(text, (CommandResult("run it", 0, 1.0, "a"),)).result != "shown"


def test_a_case_is_named_as_what_nobody_checked():
    ran = (CommandResult("run it", 2, 1.0, "no such file"),)
    found = show_criterion("`run it` exits 2 when the file is missing, and prints file", ran)
    assert found.result == "shown"
    assert "nobody checked that this is the case 'when the file is missing'" in found.text


def test_only_means_nothing_else():
    for output, result in (("a\n", "shown"), ("a\nwarning\n", "refuted"), ("b\n", "refuted")):
        ran = (CommandResult("run it", 0, 1.0, output),)
        assert show_criterion("`run it` prints exactly `a`", ran).result == result


@pytest.mark.parametrize(
    "text", ["the command prints `total: 3`", "It shows `a b`.", "the page says `not found`"]
)
def test_what_is_printed_is_no_command(text):
    assert commands_of(text) == []


def test_a_number_that_no_program_ends_with_is_no_exit_code():
    ran = (CommandResult("run it", 0, 1.0, "a"),)
    assert show_criterion("`run it` returns 404 for an unknown id", ran).result == "open"


def test_a_command_that_was_not_run_shows_nothing():
    assert show_criterion("`a b` and `c d` exit 0", ()).result == "open"


def test_what_a_command_must_print_is_not_run():
    text = "`a b` prints `hello world`, and `c d` prints `x y`; `e f` exits 1"
    assert commands_of(text) == ["a b", "c d", "e f"]
    assert [(each.prints, each.code) for each in expectations(text)] == [
        (("hello world",), 0), (("x y",), 0), ((), 1)
    ]  # fmt: skip


def test_blanks_between_the_words_of_an_output_may_be_many():
    ran = (CommandResult("run it", 0, 1.0, "apples  2 bags\nrice   3 bags\n"),)
    assert show_criterion("`run it` prints `rice   3 bags`", ran).result == "shown"
    assert show_criterion("`run it` prints `rice 33 bags`", ran).result == "refuted"


def test_a_value_that_is_told_of_is_no_command():
    assert commands_of("`larder 7.7` is what `python3 -m larder version` reports") == [
        "python3 -m larder version"
    ]
    assert commands_of("`npm test` is green") == ["npm test"]
