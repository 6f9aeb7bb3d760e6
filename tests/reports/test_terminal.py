"""What people see on a terminal, in a CI log, and in a window of 40 columns."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.model.report import FileCoverage, RunReport, SeatReport
from guildmoot.reports.console import Console, cell_len
from guildmoot.reports.terminal import print_report

SGR = re.compile(r"\x1b\[[0-9;]*m")
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ORDER = re.compile(r"^\s*::|##\w*\[")  # what CI services obey when they find it in a log
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


def shown(report: RunReport, width: int = 80, **options: bool | int) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=width), **options)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("name", ["report", "approved", "conflicting"])
def test_the_view_is_what_was_agreed(
    name: str, width: int, golden: Callable[[str, str], None], request: pytest.FixtureRequest
) -> None:
    golden(f"terminal-{name}-{width}.txt", shown(request.getfixturevalue(name), width))


def test_the_view_of_all_findings_is_what_was_agreed(
    report: RunReport, golden: Callable[[str, str], None]
) -> None:
    golden("terminal-all-80.txt", shown(report, show_all=True))


def test_the_verdict_comes_first_and_after_many_findings_also_last(report: RunReport) -> None:
    lines = shown(report).splitlines()
    assert lines[0] == lines[-1] == "✗ FLAGGED  3 blocking, 17 advisory at 20 places"


@pytest.mark.parametrize(
    ("outcome", "first"),
    [
        (
            "approved",
            "✓ APPROVED  nobody read 1 SQL file, 3 blocking, 17 advisory at 20 places",
        ),
        ("undecided", "? UNDECIDED  a person must decide, 3 blocking, 17 advisory at 20 places"),
        (
            "infrastructure",
            "! NO VERDICT  1 of 7 judges did not answer, 3 blocking, 17 advisory at 20 places",
        ),
        (
            "interrupted",
            "! INTERRUPTED  6 of 7 judges answered, 3 blocking, 17 advisory at 20 places",
        ),
    ],
)
def test_every_outcome_has_a_word_that_needs_no_colour(
    report: RunReport, outcome: str, first: str
) -> None:
    assert shown(report._replace(outcome=outcome)).splitlines()[0] == first  # type: ignore[arg-type]


def test_every_blocking_finding_is_shown_whatever_the_limit(report: RunReport) -> None:
    text = shown(report, limit=0)
    assert text.count("\n✗ ") == 3
    assert "… 15 more low, advisory:\n  • 14 × F401 in 6 files  e.g. `module_0`" in text


def test_what_is_summed_up_is_counted_in_the_hint(report: RunReport) -> None:
    assert "--all  prints the 7 findings left out here" in shown(report)
    assert "--all" not in shown(report, show_all=True)


def test_one_finding_of_each_code_is_shown_before_a_second_of_any(report: RunReport) -> None:
    text = shown(report, limit=2)
    assert "totals.py:400  edge-case" in text
    assert "worker_0.py:30 and 3 more  BLE001" in text
    assert "worker_0.py:33" not in text


def test_advice_is_one_line_and_only_what_blocks_has_reasons(report: RunReport) -> None:
    blocking, _, advice = shown(report).partition("MEDIUM")
    assert "why  Whoever can read" in blocking
    assert "│" not in advice
    assert " why " not in advice
    assert (
        "• src/billing/totals.py:400  edge-case  What happens when the invoice is empty?" in advice
    )
    assert "why  The sum of nothing" in shown(report, show_all=True)


def test_seats_that_share_a_program_share_a_line(report: RunReport) -> None:
    twin = report.seats[0]._replace(
        seat=report.seats[0].seat._replace(name="twin"), blocking=0, findings=0, outcome="approved"
    )
    alike = report._replace(
        seats=(twin, twin._replace(seat=twin.seat._replace(name="other")), *report.seats)
    )
    assert re.search(r"^  twin, other ", shown(alike), re.MULTILINE)


def test_a_long_path_stays_on_one_line_so_that_it_can_be_copied(report: RunReport) -> None:
    path = report.blocking[2].path
    assert f"✗ {path}:112-119\n" in shown(report, 40)


@pytest.mark.parametrize("width", [30, 40, 60, 80])
def test_nothing_but_a_long_path_is_wider_than_the_window(report: RunReport, width: int) -> None:
    wide = [line for line in shown(report, width).splitlines() if cell_len(line) > width]
    assert all(re.match(r"[✗•] \S+:\d+(-\d+)?( and \d+ more)?$", line) for line in wide)


def test_seats_that_did_not_answer_are_named_with_the_reason(report: RunReport) -> None:
    text = shown(report)
    assert re.search(r"^  mypy +timed out +0 +0 +2 min$", text, re.MULTILINE)
    assert text.count("mypy did not answer: no answer in 120 s") == 1


def test_of_many_seats_those_without_news_are_counted(report: RunReport) -> None:
    quiet = report.seats[4]._replace(findings=0)
    seats: tuple[SeatReport, ...] = (*report.seats, *[quiet] * 30)
    assert "… 30 more answered and found nothing" in shown(report._replace(seats=seats))


def test_infrastructure_failure_points_to_the_doctor(report: RunReport) -> None:
    assert "guild doctor" in shown(report._replace(outcome="infrastructure"))


def test_a_console_without_unicode_gets_plain_letters(report: RunReport) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    japanese = report.blocking[0]._replace(title="日本語")
    changed = report._replace(blocking=(japanese,))
    print_report(changed, Console(file=out, width=80))
    out.seek(0)
    text = out.read()
    assert text.startswith("x FLAGGED  1 blocking, 17 advisory at 20 places")
    assert "\\u65e5\\u672c\\u8a9e" in text


def check_harmless(report: RunReport) -> None:
    out = io.StringIO()
    console = Console(file=out, width=60, environ={"FORCE_COLOR": "1"})
    print_report(report, console, show_all=True)
    found = UNSAFE.search(SGR.sub("", out.getvalue()).replace("\n", ""))
    assert found is None, ascii(found)
    out.getvalue().encode()
    lines = SGR.sub("", out.getvalue()).splitlines()
    assert not [line for line in lines if ORDER.search(line)]


def test_hostile_text_sends_no_escape_sequence(
    hostile: str, with_text: Callable[[str], RunReport]
) -> None:
    check_harmless(with_text(hostile))


@settings(max_examples=60, deadline=None)
@given(text=ANY_TEXT)
def test_no_text_sends_an_escape_sequence(text: str, with_text: Callable[[str], RunReport]) -> None:
    check_harmless(with_text(text))


@pytest.mark.parametrize("length", range(40, 62))
def test_no_width_folds_a_text_into_an_order_for_a_ci_service(
    length: int, with_text: Callable[[str], RunReport]
) -> None:
    check_harmless(with_text("x" * length + "::add-mask::secret"))


def test_markup_in_a_finding_is_shown_as_it_is(with_text: Callable[[str], RunReport]) -> None:
    assert "[red]bold[/red] :smile:" in shown(with_text("[red]bold[/red] :smile:"))


def test_where_nobody_reads_the_language_the_first_line_says_so(approved: RunReport) -> None:
    header = approved.header._replace(floors=("unjudged: no judge here knows it",))
    coverage = (FileCoverage("m.zig", "parsed", "Zig", "code"),)
    report = approved._replace(header=header, outcome="undecided", coverage=coverage)
    assert shown(report).startswith("? UNDECIDED  syntax and secrets only for 1 Zig file\n")


def test_tools_that_answered_stand_in_one_line_and_a_silent_one_in_a_table(
    approved: RunReport,
) -> None:
    tools = tuple(seat for seat in approved.seats if seat.seat.backend == "tool")
    text = shown(approved._replace(seats=tools))
    assert "JUDGES" not in text
    assert f"with {', '.join(sorted(seat.seat.name for seat in tools))}" in " ".join(text.split())
    silent = tools[0]._replace(status="timeout", outcome="absent", reason="no answer in 9 s")
    assert "timed out" in shown(approved._replace(seats=(silent, *tools[1:])))
