"""The one door to every format, and the words that all of them share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import UsageError
from guildmoot.model.report import RunOrigin, RunReport
from guildmoot.model.verdict import Finding
from guildmoot.reports import FORMATS, render, render_lines
from guildmoot.reports.sections import line_link
from guildmoot.reports.view import foremost, gathered, repeats
from guildmoot.text.clean import clean, one_line, seconds
from made_reports import made_council


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_report_gives_the_same_bytes(report: RunReport, suffix: str) -> None:
    text = render(report, suffix)
    assert text == render(report, suffix.upper())
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_can_be_written_as_utf8_whatever_it_quotes(
    suffix: str, hostile: str, with_text: Callable[[str], RunReport]
) -> None:
    assert render(with_text(hostile), suffix).encode()


@pytest.mark.parametrize("suffix", [".pdf", ".txt", "", ".json.bak"])
def test_an_unknown_suffix_is_refused_with_those_that_are_known(
    report: RunReport, suffix: str
) -> None:
    with pytest.raises(UsageError) as caught:
        render(report, suffix)
    assert all(known in caught.value.hint for known in FORMATS)


def test_programs_that_want_json_do_not_pay_for_the_terminal() -> None:
    script = "import sys, guildmoot.reports; print({'xml'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


@given(st.text(st.characters(exclude_categories=())))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert "\n" not in one_line(text)
    assert all(character.isprintable() or character in "\n\t" for character in ascii_of(once))


def ascii_of(text: str) -> str:
    return "".join(character for character in text if character < "\x80")


def test_what_was_hidden_is_spelled_out() -> None:
    assert clean("a\x1b[31m\u202e\udcff\U000e0041\r\nb\rc") == (
        "a\\x1b[31m\\u202e\\udcff\\U000e0041\nb\\x0dc"
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0.0 s"), (9.96, "10.0 s"), (42.4, "42 s"), (59.6, "1 min"), (185, "3 min 5 s")],
)
def test_durations_are_words_for_people(value: float, words: str) -> None:
    assert seconds(value) == words


FINDINGS = st.lists(
    st.builds(lambda *said: Finding("s", *said), st.sampled_from("abc"), st.text(max_size=3))
)


@given(FINDINGS, st.integers(0, 8))
def test_what_is_shown_and_the_rest_are_the_whole_in_order(
    findings: list[Finding], limit: int
) -> None:
    groups = gathered(findings)
    shown, rest = foremost(groups, limit)
    assert len(shown) == min(limit, len(groups))
    assert sorted([*(f for group in shown for f in group), *rest]) == sorted(findings)
    codes = {group[0].code for group in shown}
    assert len(codes) == min(limit, len({finding.code for finding in findings}))


@given(FINDINGS)
def test_counts_by_code_add_up(findings: list[Finding]) -> None:
    counted = repeats(findings)
    assert sum(repeat.number for repeat in counted) == len(findings)
    assert [r.number for r in counted] == sorted((r.number for r in counted), reverse=True)


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("github.com/house/shop", "https://github.com/house/shop/blob/0123/src/a%20b.py#L3-L5"),
        ("gitlab.com/house/shop", "https://gitlab.com/house/shop/-/blob/0123/src/a%20b.py#L3-5"),
        ("shop", ""),
        ("evil.example/x", ""),
    ],
)
def test_a_place_leads_to_its_lines_on_a_code_host_that_is_known(repository, address):
    origin = RunOrigin(repository=repository, commit="0123")
    found = Finding("ruff", "F821", "wrong", path="src/a b.py", line=3, end_line=5)
    assert line_link(origin, found) == address


def test_fixes_that_differ_in_numbers_alone_are_told_once():
    def at(line):
        return Finding("ruff", "E1", "wrong", path="a.py", line=line, fix=f"replace at line {line}")

    assert [len(group) for group in gathered([at(3), at(9)])] == [2]


def test_an_answer_that_was_given_before_is_marked_in_every_form() -> None:
    report = made_council(reused=(("judge-1", "20260301T100000Z-abcd"),))
    for suffix in (".md", ".html", ".sarif", ".xml"):
        assert "20260301T100000Z-abcd" in render(report, suffix), suffix
    for form in ("concise", "github", "gitlab", "rdjson"):
        lines, said = render_lines(report, form)
        assert "reused of run 20260301T100000Z-abcd" in said, form
        assert form != "github" or "reused of run" in lines
