"""A tool's output becomes findings that are facts, and silence counts only when all was read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.model.agent import Agent
from guildmoot.model.call import Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.tool import read_tool

FILES = ("src/app.py", "app.py", "src/with space/ünï.py")
LINES = r"^(?P<path>[^:]+):(?P<line>\d+): (?:(?P<severity>\w+): )?(?P<code>\w+) (?P<message>.+)$"


def agent(format: str, **changes: object) -> Agent:
    base = Agent("lint", "a linter", "", "lint.md", family="lintco", format=format)  # type: ignore[arg-type]
    return base._replace(**changes)


def read(text: str, judge: Agent, exit_code: int | None = 0, root: str = "") -> Judgement:
    return read_tool(Reply("lint", "answered", text, exit_code=exit_code), judge, FILES, root)


def sarif(*results: dict[str, object], **run: object) -> str:
    return json.dumps({"version": "2.1.0", "runs": [{"results": list(results), **run}]})


def result(uri: str = "src/app.py", **changes: object) -> dict[str, object]:
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": 3, "endLine": 5}}
    return {
        "ruleId": "X1",
        "message": {"text": "wrong"},
        "locations": [{"physicalLocation": place}],
        **changes,
    }


# --- SARIF ---------------------------------------------------------------------------------------


def test_a_sarif_result_becomes_a_proven_finding() -> None:
    rule = {
        "id": "X1",
        "helpUri": "https://rules.example/X1",
        "shortDescription": {"text": "Something is wrong"},
        "defaultConfiguration": {"level": "error"},
    }
    fixes = [{"description": {"text": "Do it right"}}]
    text = sarif(result(fixes=fixes), tool={"driver": {"name": "lint", "rules": [rule]}})
    judgement = read(text, agent("sarif"), exit_code=1)
    (finding,) = judgement.findings
    assert judgement.outcome == "flagged"
    assert (finding.path, finding.line, finding.end_line) == ("src/app.py", 3, 5)
    assert (finding.code, finding.title, finding.why) == ("X1", "wrong", "Something is wrong")
    assert (finding.fix, finding.url) == ("Do it right", "https://rules.example/X1")
    assert (finding.severity, finding.blocking, finding.proven) == ("high", True, True)
    assert (finding.seat, finding.family) == ("lint", "lintco")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("./src/app.py", "src/app.py"),
        ("src%2Fapp.py", "src/app.py"),
        ("src/with%20space/%C3%BCn%C3%AF.py", "src/with space/ünï.py"),
        ("file:///work/repo/src/app.py", "src/app.py"),
        ("file://localhost/work/repo/src/app.py", "src/app.py"),
        ("/work/repo/src/app.py", "src/app.py"),
        ("src\\app.py", "src/app.py"),
        ("file:///C:/repo/src/app.py", "src/app.py"),
        ("lib/../src/app.py", "src/app.py"),
        ("vendor/other.py", "vendor/other.py"),
    ],
)
def test_sarif_uris_are_made_relative_to_the_packet(uri: str, path: str) -> None:
    assert read(sarif(result(uri)), agent("sarif")).findings[0].path == path


def test_the_folder_it_ran_in_beats_a_lookalike_in_the_packet() -> None:
    text = sarif(result("file:///w/repo/lib/app.py"))
    assert read(text, agent("sarif"), root="/w/repo").findings[0].path == "lib/app.py"
    assert read(text, agent("sarif"), root="/w/repo/lib").findings[0].path == "app.py"


def test_a_path_outside_the_folder_it_ran_in_is_kept_as_it_is() -> None:
    text = sarif(result("/usr/include/stdio.h"))
    assert read(text, agent("sarif"), root="/w/repo").findings[0].path == "/usr/include/stdio.h"


def test_base_folders_are_followed_and_a_loop_of_them_ends() -> None:
    place = {"artifactLocation": {"uri": "app.py", "uriBaseId": "SUB"}}
    item = result(locations=[{"physicalLocation": place}])
    bases = {"SUB": {"uri": "src/", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///w/r/"}}
    found = read(sarif(item, originalUriBaseIds=bases), agent("sarif"), root="/w/r")
    assert found.findings[0].path == "src/app.py"
    loop = {"SUB": {"uri": "a/", "uriBaseId": "SUB"}}
    assert read(sarif(item, originalUriBaseIds=loop), agent("sarif")).findings[0].path


def test_an_artifact_may_be_named_by_its_index() -> None:
    item = result(locations=[{"physicalLocation": {"artifactLocation": {"index": 0}}}])
    artifacts = [{"location": {"uri": "src/app.py"}}]
    assert read(sarif(item, artifacts=artifacts), agent("sarif")).findings[0].path == "src/app.py"


def test_messages_and_rules_may_live_in_the_rule_by_index() -> None:
    rule = {"id": "R9", "messageStrings": {"default": {"text": "{0} shadows {1} {7}"}}}
    item = result(message={"id": "default", "arguments": ["a", "b"]}, ruleIndex=0)
    del item["ruleId"]
    (finding,) = read(sarif(item, tool={"driver": {"rules": [rule]}}), agent("sarif")).findings
    assert (finding.code, finding.title) == ("R9", "a shadows b {7}")


def test_a_rule_of_an_extension_is_found() -> None:
    extension = {"rules": [{"id": "E/1", "helpUri": "https://e.example"}]}
    item = result(rule={"index": 0, "toolComponent": {"index": 0}})
    (finding,) = read(sarif(item, tool={"extensions": [extension]}), agent("sarif")).findings
    assert finding.url == "https://e.example"


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "pass"},
        {"kind": "notApplicable"},
        {"baselineState": "absent"},
        {"suppressions": [{"kind": "inSource"}]},
        {"suppressions": [{"kind": "external", "status": "accepted"}]},
    ],
)
def test_passed_gone_and_suppressed_results_do_not_count(changes: dict[str, object]) -> None:
    judgement = read(sarif(result(**changes)), agent("sarif"))
    assert (judgement.outcome, judgement.findings) == ("approved", ())


def test_a_suppression_that_was_rejected_does_not_hide_a_result() -> None:
    item = result(suppressions=[{"kind": "external", "status": "rejected"}])
    assert len(read(sarif(item), agent("sarif")).findings) == 1


@pytest.mark.parametrize(
    ("score", "severity"), [("9.8", "critical"), (7, "high"), ("5.0", "medium"), ("0.1", "low")]
)
def test_a_security_score_sets_the_severity(score: object, severity: str) -> None:
    rule = {"id": "X1", "properties": {"security-severity": score}}
    (finding,) = read(sarif(result(), tool={"driver": {"rules": [rule]}}), agent("sarif")).findings
    assert finding.severity == severity


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Segmentation fault",
        "{",
        "[]",
        '{"runs": []}',
        '{"runs": [{}]}',
        '{"runs": [{"results": null}]}',
        '{"runs": [{"results": [7]}]}',
        '{"runs": [{"results": [], "invocations": [{"executionSuccessful": false}]}]}',
        '{"runs": [{"results": [], "tool": {"driver": {"name": "Semgrep OSS", "rules": []}}}]}',
    ],
)
def test_sarif_that_shows_no_scan_is_unreadable_not_clean(text: str) -> None:
    judgement = read(text, agent("sarif"))
    assert judgement.outcome == "unreadable"
    assert judgement.reason


def test_facts_count_even_when_another_run_did_not_scan() -> None:
    log = {"runs": [{"results": [result(level="error")]}, {"results": None}]}
    judgement = read(json.dumps(log), agent("sarif"))
    assert judgement.outcome == "flagged"
    assert "did not scan" in judgement.reason


def test_chatter_around_the_json_is_ignored() -> None:
    text = "Scanning {1} files\n" + sarif(result(level="error")) + "\nDone.\n"
    assert read(text, agent("sarif")).outcome == "flagged"


# --- rdjson and rdjsonl --------------------------------------------------------------------------


def diagnostic(**changes: object) -> dict[str, object]:
    return {
        "message": "unused import",
        "location": {"path": "src/app.py", "range": {"start": {"line": 2, "column": 1}}},
        "severity": "ERROR",
        "code": {"value": "F401", "url": "https://rules.example/F401"},
        **changes,
    }


def test_rdjson_is_read() -> None:
    suggestion = {"range": {"start": {"line": 2}, "end": {"line": 3}}, "text": "import os\n"}
    item = diagnostic(suggestions=[suggestion])
    judgement = read(json.dumps({"diagnostics": [item]}), agent("rdjson"))
    (finding,) = judgement.findings
    assert (finding.path, finding.line, finding.end_line) == ("src/app.py", 2, 2)
    assert (finding.code, finding.url) == ("F401", "https://rules.example/F401")
    assert finding.fix == "replace at lines 2 to 3 with: import os"
    assert (judgement.outcome, finding.severity) == ("flagged", "high")


def test_a_diagnostic_without_a_severity_takes_that_of_the_whole() -> None:
    items = [diagnostic(severity=None), diagnostic(severity=1), diagnostic(severity="INFO")]
    text = json.dumps({"severity": "WARNING", "diagnostics": items})
    found = [finding.severity for finding in read(text, agent("rdjson")).findings]
    assert found == ["medium", "high", "low"]


def test_rdjsonl_is_read_line_by_line_and_chatter_is_ignored() -> None:
    text = f"checking...\n{json.dumps(diagnostic())}\n\n{json.dumps(diagnostic())}\n"
    assert len(read(text, agent("rdjsonl")).findings) == 2


def test_a_line_separator_inside_a_message_does_not_cut_the_line() -> None:
    text = json.dumps(diagnostic(message="one\u2028two"), ensure_ascii=False)
    assert read(text, agent("rdjsonl")).findings[0].title == "one\u2028two"


def test_a_broken_line_of_rdjsonl_never_approves_but_loses_no_facts() -> None:
    broken = '{"message": "cut of'
    assert read(broken, agent("rdjsonl")).outcome == "unreadable"
    mild = json.dumps(diagnostic(severity="INFO"))
    kept = read(f"{mild}\n{broken}", agent("rdjsonl"))
    assert (kept.outcome, len(kept.findings)) == ("unreadable", 1)


@pytest.mark.parametrize("text", ["", "{}", '{"diagnostics": 3}', '{"diagnostics": ["x"]}'])
def test_malformed_rdjson_is_unreadable(text: str) -> None:
    assert read(text, agent("rdjson")).outcome == "unreadable"


# --- lines ---------------------------------------------------------------------------------------


def test_lines_are_read_by_the_agents_pattern() -> None:
    text = "\x1b[1msrc/app.py:7: error: E9 broken\x1b[0m\nsrc/app.py:9: W1 odd\n2 problems\n"
    judgement = read(text, agent("lines", pattern=LINES), exit_code=1)
    first, second = judgement.findings
    assert (first.path, first.line, first.code, first.severity) == ("src/app.py", 7, "E9", "high")
    assert (second.line, second.title, second.severity) == (9, "odd", "medium")


def test_a_clean_line_tool_approves() -> None:
    assert read("All checks passed!\n", agent("lines", pattern=LINES)).outcome == "approved"


def test_an_exit_code_for_findings_with_nothing_readable_is_not_an_approval() -> None:
    judgement = read("something went wrong\n", agent("lines", pattern=LINES), exit_code=1)
    assert judgement.outcome == "unreadable"
    assert "exit code 1" in judgement.reason


@pytest.mark.parametrize("pattern", ["", "(", "(?P<path"])
def test_a_useless_pattern_is_unreadable(pattern: str) -> None:
    assert read("a:1: E1 x", agent("lines", pattern=pattern)).outcome == "unreadable"


# --- exit codes ----------------------------------------------------------------------------------


def test_a_verification_command_that_passes_approves() -> None:
    assert read("12 passed", agent("exit")).outcome == "approved"


def test_a_verification_command_that_fails_blocks_with_its_last_words() -> None:
    text = "\n".join(f"line {n}" for n in range(100))
    judge = agent("exit", command=("make", "test"))
    judgement = read_tool(Reply("v", "answered", text, "Error 2", exit_code=2), judge, FILES)
    (finding,) = judgement.findings
    assert judgement.outcome == "flagged"
    assert (finding.code, finding.severity) == ("verification-failed", "critical")
    assert finding.blocking
    assert finding.title == "make test failed with exit code 2"
    assert finding.quote.endswith("line 99\nError 2")
    assert "line 10\n" not in finding.quote


def test_a_command_without_an_exit_code_is_unreadable() -> None:
    assert read("ok", agent("exit"), exit_code=None).outcome == "unreadable"


def test_declared_exit_codes_decide_what_a_code_means() -> None:
    codes = ((0, "clean"), (1, "findings"), (5, "clean"))
    judge = agent("exit", exit_codes=codes)
    outcomes = [read("", judge, exit_code=code).outcome for code in (0, 1, 5, 2)]
    assert outcomes == ["approved", "flagged", "approved", "absent"]


# --- infrastructure ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["timeout", "failed", "missing", "cancelled", "excused"])
def test_a_tool_that_did_not_answer_is_absent_whatever_it_printed(status: str) -> None:
    reply = Reply("lint", status, sarif(), "no such file", exit_code=0)  # type: ignore[arg-type]
    judgement = read_tool(reply, agent("sarif"), FILES)
    assert (judgement.outcome, judgement.findings) == ("absent", ())
    assert "no such file" in judgement.reason


def test_an_exit_code_that_is_not_listed_is_an_absence() -> None:
    judge = agent("sarif", exit_codes=((0, "clean"), (1, "findings")))
    judgement = read_tool(Reply("lint", "answered", sarif(), "boom", 2), judge, FILES)
    assert judgement.outcome == "absent"
    assert "boom" in judgement.reason


# --- severity and blocking -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "level", "severity"),
    [
        ("S105", "warning", "critical"),  # the longest prefix wins
        ("S999", "error", "medium"),
        ("E501", "error", "low"),
        ("Q1", "error", "high"),  # the level, when no prefix fits
        ("error-prone", "note", "low"),  # a level word is no rule prefix
        ("Q1", "odd", "low"),  # the rest
    ],
)
def test_the_agents_map_decides_the_severity(code: str, level: str, severity: str) -> None:
    known = (("S", "medium"), ("S1", "critical"), ("E", "low"), ("error", "high"), ("*", "low"))
    judge = agent("sarif", severities=known)
    (finding,) = read(sarif(result(ruleId=code, level=level)), judge).findings
    assert finding.severity == severity


@pytest.mark.parametrize(
    ("blocks_at", "outcome"),
    [("critical", "approved"), ("high", "flagged"), ("low", "flagged"), ("never", "approved")],
)
def test_the_agent_says_from_which_severity_on_a_finding_blocks(
    blocks_at: str, outcome: str
) -> None:
    judgement = read(sarif(result(level="error")), agent("sarif", blocks_at=blocks_at))
    assert judgement.outcome == outcome
    assert len(judgement.findings) == 1


# --- the real thing, and anything at all ---------------------------------------------------------


@pytest.mark.parametrize("format", ["sarif", "rdjson"])
def test_ruffs_own_output_is_read(format: str, tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "my mod.py").write_text("import os\n\n\ndef f():\n    return nowhere\n")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    done = subprocess.run(
        [*command, f"--output-format={format}", "pkg"], cwd=tmp_path, capture_output=True, text=True
    )
    judge = agent(format, severities=(("F821", "critical"), ("*", "low")))
    reply = Reply("ruff", "answered", done.stdout, done.stderr, done.returncode)
    judgement = read_tool(reply, judge, ["pkg/my mod.py"], str(tmp_path))
    found = {(f.code, f.path, f.line, f.severity) for f in judgement.findings}
    assert found == {
        ("F401", "pkg/my mod.py", 1, "low"),
        ("F821", "pkg/my mod.py", 5, "critical"),
    }
    assert judgement.outcome == "flagged"
    assert all(finding.url for finding in judgement.findings)


KEYS = """runs results tool driver rules ruleIndex rule index id message text level kind locations
    physicalLocation artifactLocation uri uriBaseId region startLine fixes diagnostics location path
    range start line severity code value suggestions properties security-severity suppressions
    originalUriBaseIds invocations"""
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=5)
    ),
    max_leaves=30,
)
formats = st.sampled_from(["sarif", "rdjson", "rdjsonl", "lines", "exit"])


@given(text=st.text() | anything.map(json.dumps), format=formats, code=st.integers(-9, 9))
def test_no_text_at_all_makes_it_crash(text: str, format: str, code: int) -> None:
    judgement = read(text, agent(format, pattern=LINES), exit_code=code)
    if judgement.outcome == "approved":
        assert not any(finding.blocking for finding in judgement.findings)


@given(runs=st.lists(anything, min_size=1, max_size=3))
def test_no_shape_of_sarif_makes_it_crash(runs: list[object]) -> None:
    read(json.dumps({"runs": runs}), agent("sarif"))
    read(json.dumps({"runs": [{"results": runs}]}), agent("sarif"))


def test_a_nest_deeper_than_the_stack_is_unreadable() -> None:
    assert read('{"runs":' + "[" * 100_000, agent("sarif")).outcome == "unreadable"


def test_a_tool_that_reports_findings_and_prints_none_says_what_it_said_itself() -> None:
    reply = Reply("lint", "answered", "", "error: no matching package named `x`", exit_code=1)
    assert "no matching package" in read_tool(reply, agent("sarif"), FILES).reason
