"""A council as JSON, SARIF, HTML and on a terminal: everything is there, and text is only text."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import finding, issue
from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport, Duel, Ideas, Option
from guildmoot.reports import json_of, render
from guildmoot.reports.console import Console
from guildmoot.reports.council.debate import debate_document
from guildmoot.reports.terminal import print_document, print_report
from made_reports import COUNCILS

CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Tags(HTMLParser):
    """The tags of a page with their classes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        assert names <= {
            "class",
            "lang",
            "charset",
            "http-equiv",
            "content",
            "name",
            "scope",
            "tabindex",
            "aria-hidden",
        }, attrs
        if tag not in ("br", "code"):
            self.found.append((tag, dict(attrs).get("class")))


def tags(page: str) -> list[tuple[str, str | None]]:
    parser = Tags()
    parser.feed(page)
    return parser.found


def shown(report: CouncilReport, width: int = 80, view: str = "", encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    console = Console(file=file, width=width)
    if view == "debate":
        print_document(debate_document(report), console)
    else:
        print_report(report, console, show_all=view == "all")
    return raw.getvalue().decode(encoding)


def test_the_page_is_what_was_agreed(
    report: CouncilReport, golden: Callable[[str, str], None]
) -> None:
    golden("debate.html", render(report, ".html"))


@pytest.mark.parametrize("name", COUNCILS)
@pytest.mark.sample(4)
def test_hostile_text_adds_no_tag_and_no_attribute(
    name: str,
    hostile: str,
    kinds: dict[str, CouncilReport],
    with_text: Callable[[CouncilReport, str], CouncilReport],
) -> None:
    page = render(with_text(kinds[name], hostile), ".html")
    assert tags(page) == tags(render(with_text(kinds[name], "harmless"), ".html"))
    assert not CONTROLS.search(page.replace("\t", " "))  # code keeps its tabs
    page.encode()


@settings(max_examples=30, deadline=None)
@given(text=st.text(min_size=1, max_size=40).filter(str.strip))
def test_any_text_leaves_the_page_whole(
    text: str,
    report: CouncilReport,
    with_text: Callable[[CouncilReport, str], CouncilReport],
) -> None:
    page = render(with_text(report, text), ".html")
    assert tags(page) == tags(render(with_text(report, "harmless"), ".html"))


def test_the_page_loads_nothing(report: CouncilReport) -> None:
    page = render(report, ".html")
    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|src=|url\(|@import", page)


def test_json_is_what_was_agreed(report: CouncilReport, golden: Callable[[str, str], None]) -> None:
    golden("debate.json", render(report, ".json"))


@pytest.mark.parametrize("name", COUNCILS)
def test_json_holds_the_report_word_for_word(name: str, kinds: dict[str, CouncilReport]) -> None:
    value = json.loads(render(kinds[name], ".json"))
    assert value["schema_version"] == 1
    assert value["outcome"] == kinds[name].outcome
    assert [judge["label"] for judge in value["roster"]["judges"]] == [
        judge.label for judge in kinds[name].judges
    ]


def test_every_issue_is_in_one_bucket(report: CouncilReport) -> None:
    issues = json_of(report)["issues"]
    assert isinstance(issues, list)
    assert [issue["bucket"] for issue in issues] == ["shared", "split", "minority", "minority"]


def test_a_brainstorm_pretends_no_verdict(kinds: dict[str, CouncilReport]) -> None:
    value = json_of(kinds["brainstorm"])
    assert (value["outcome"], value["verdict"], value["gate"]) == (None, None, None)


def test_sarif_is_what_was_agreed(
    report: CouncilReport, golden: Callable[[str, str], None]
) -> None:
    golden("debate.sarif", render(report, ".sarif"))


def test_sarif_carries_every_issue_once_and_the_absent_judge(report: CouncilReport) -> None:
    run = json.loads(render(report, ".sarif"))["runs"][0]
    assert len(run["results"]) == len(report.issues)
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "note"]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [note["descriptor"]["id"] for note in notes] == ["seat-timeout"]


def test_a_brainstorm_cannot_be_sarif(kinds: dict[str, CouncilReport]) -> None:
    with pytest.raises(UsageError, match="no findings that SARIF or JUnit"):
        render(kinds["brainstorm"], ".sarif")


@pytest.mark.parametrize("name", COUNCILS)
def test_the_terminal_is_what_was_agreed(
    name: str, kinds: dict[str, CouncilReport], golden: Callable[[str, str], None]
) -> None:
    golden(f"terminal-{name}-80.txt", shown(kinds[name]))


@pytest.mark.parametrize("name", ["duel", "brainstorm", "research"])
def test_a_section_without_content_is_left_out(name: str, kinds: dict[str, CouncilReport]) -> None:
    duel = Duel("who pays?", (), ()) if name == "duel" else None
    empty = kinds[name]._replace(duel=duel, ideas=None)
    for text in (shown(empty, view="all"), render(empty, ".md"), render(empty, ".html")):
        assert "None." not in text
        for title in ("Matrix", "Ballots", "Winners", "Explored", "Open Questions", "Synthesized"):
            assert title.lower() not in text.lower()


def test_a_matrix_that_is_too_wide_says_what_is_for_and_against(
    kinds: dict[str, CouncilReport],
) -> None:
    sides = (("no memory",), ("stale reads",))
    option = Option("Cache headers", ("judge-1",), *sides, "clients keep answers")
    report = kinds["brainstorm"]
    printed = shown(report._replace(ideas=Ideas(options=(option,))), width=60)
    assert re.search(r"^ +For +no memory$", printed, re.MULTILINE)
    assert re.search(r"^ +Against +stale reads$", printed, re.MULTILINE)


def test_a_pass_of_tools_alone_says_that_nobody_read_it(kinds: dict[str, CouncilReport]) -> None:
    report = kinds["quick"]
    tools = tuple(judge._replace(computed=True, word="PASS") for judge in report.judges)
    passed = report._replace(outcome="PASS", verdict="PASS", judges=tools, issues=())
    assert "nobody has read it" in shown(passed).splitlines()[0]
    read = passed._replace(judges=tuple(each._replace(computed=False) for each in tools))
    assert "nobody has read it" not in shown(read)


def test_tools_that_fail_it_are_called_tools_and_an_error_says_once_that_nobody_spoke(
    kinds: dict[str, CouncilReport],
) -> None:
    report = kinds["quick"]
    [judge] = report.judges
    tools = tuple(judge._replace(computed=True, word=word) for word in ("FAIL", "WARN"))
    head, *_ = shown(report._replace(judges=tools)).splitlines()
    assert head.startswith("✗ FAIL  a tool says FAIL")
    floors = ("quorum: only 0 of 1 judges gave a verdict; 80% are needed",)
    header = report.header._replace(floors=floors, reasons=("no judge gave a verdict",))
    silent = (judge._replace(word=None, verdict=None),)
    error = report._replace(outcome="ERROR", verdict=None, judges=silent, header=header)
    assert "quorum" not in shown(error)
    assert "quorum" in shown(error._replace(outcome="INCOMPLETE"))


def test_what_is_printed_whole_names_lines_and_does_not_advise_all(report: CouncilReport) -> None:
    whole = shown(report, view="all")
    assert "    42 │     if row and row.expires > now:" in whole
    assert "--all" not in whole
    assert "--all" in shown(report)


def test_the_debate_view_is_what_was_agreed(
    report: CouncilReport, golden: Callable[[str, str], None]
) -> None:
    golden("terminal-debate-view-80.txt", shown(report, view="debate"))


def test_the_debate_view_says_when_there_was_no_debate(kinds: dict[str, CouncilReport]) -> None:
    assert shown(kinds["mixed"], view="debate") == "  There was no debate in this council.\n"


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("name", COUNCILS)
def test_nothing_but_a_path_or_a_command_is_wider_than_the_window(
    name: str, width: int, kinds: dict[str, CouncilReport]
) -> None:
    for line in shown(kinds[name], width, "all").splitlines():
        assert len(line) <= width or len(line.split()) <= 4, line


@pytest.mark.parametrize("name", COUNCILS)
@pytest.mark.sample(4)
def test_no_control_character_and_no_order_reaches_the_terminal(
    name: str,
    hostile: str,
    kinds: dict[str, CouncilReport],
    with_text: Callable[[CouncilReport, str], CouncilReport],
) -> None:
    poisoned = with_text(kinds[name], hostile)
    for view in ("", "all", "debate"):
        printed = shown(poisoned, view=view)
        assert not CONTROLS.search(printed)
        assert not any(line.lstrip().startswith("::") for line in printed.splitlines())
        assert "##[" not in printed


def test_a_terminal_without_unicode_gets_the_same_words(report: CouncilReport) -> None:
    printed = shown(report, encoding="ascii")
    assert printed.startswith("x FAIL  2 of 4 judges say FAIL, and 2 findings block")


def test_the_most_concrete_remedy_comes_first_and_the_others_stay(report: CouncilReport) -> None:
    vague = finding(
        "judge-2", title="The query is built of texts", fix="Use bound parameters", why="w"
    )
    code = finding(
        "judge-1", title="The id is put into the query", fix='db.execute(QUERY, (claims["sub"],))'
    )
    merged = issue(vague, code)
    told = report._replace(issues=(merged,), shared=(merged,), split=(), minority=())
    [row] = json_of(told)["issues"]
    assert row["fix"] == code.fix
    assert [each["fix"] for each in row["fixes"]] == [code.fix, vague.fix]
    assert json_of(told)["blocking_findings"][0]["remedy"] == code.fix
    for form in (".md", ".html"):
        text = html.unescape(render(told, form))
        assert 0 <= text.find("db.execute(") < text.find("Use bound parameters"), form
