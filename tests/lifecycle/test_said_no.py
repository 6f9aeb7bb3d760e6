"""A gate that says no is no dead end: it says why, what comes next, and whose word lets it stand."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    TEST,
    approve_plan,
    execute,
    git,
    project,
    script,
    starts,
    unproven,
)
from tests.lifecycle.test_proof_run import BAD, GOOD

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.api.lifecycle.proof import accept_item, review_lanes, verify_work
from guildmoot.api.lifecycle.questions import open_questions
from guildmoot.cli.guild.work.work import main
from guildmoot.errors import UsageError
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.view import WorkView, look

pytestmark = pytest.mark.slow
ONE = {"T1-copywriter": ()}
LEFT = '\n```guild.deferral_contract.v1\n{"action": "make deploy", "reason": "it costs", "required": true}\n```\n'


def seen(root: Path) -> WorkView:
    return look(WorkFolder(root.resolve()), SLUG)


def inbox(root: Path) -> list[tuple[str, str]]:
    return [(each.text, each.command) for each in asyncio.run(open_questions(root))]


def test_what_a_lane_leaves_to_a_person_waits_for_their_word_and_is_told_with_it(tmp_path: Path):
    root = project(tmp_path / "p", ONE)
    act = {**GOOD, "followups": f"- BLOCKING: the index is not written\n{LEFT}"}
    assert execute(root, script(root, T1=act)).status == "done"
    first = asyncio.run(review_lanes(SLUG, root))
    assert (first.verdict, first.sent_back, first.lanes[0].status) == ("fail", (), "undecided")
    assert (
        "the review waits for a person: T1-copywriter: it left open: BLOCKING"
        in seen(root).standing.why
    )
    (text, command), _ = inbox(root)
    assert "it left open" in text
    assert command == f"guild work accept {SLUG} T1-copywriter --why WHY"
    with pytest.raises(UsageError, match="nothing is called 'T9'"):
        asyncio.run(accept_item("T9", "so be it", SLUG, root))
    assert len(asyncio.run(accept_item("T1-copywriter", "done by hand", SLUG, root))) == 2
    again = asyncio.run(review_lanes(SLUG, root))
    assert again.verdict != "fail"
    told = again.file.read_text()
    assert "done by hand (by A)" in told
    assert f"reviewer: panel of {again.lanes[0].judges[0].words}" in told
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    assert done.passed
    assert seen(root).standing.why.endswith(f"git merge {done.branch}")
    assert "done by hand (by A)" in done.file.read_text()


def test_a_criterion_that_only_a_lane_says_is_met_is_a_persons_to_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    root = project(tmp_path / "p", ONE)
    act = {**GOOD, "evidence": f"- {TEST} exit code 0\n- {unproven(root)}: 2 s by {TEST}"}
    execute(root, script(root, T1=act))
    asyncio.run(review_lanes(SLUG, root))
    monkeypatch.chdir(root)
    assert main(["verify", SLUG, "--yes"]) == 3
    assert "criterion 2 is not proven" in capsys.readouterr().out
    assert "the verification waits for a person" in seen(root).standing.why
    assert f"guild work accept {SLUG} 'criterion 2' --why WHY" in inbox(root)[0]
    assert main(["accept", SLUG, "criterion 2", "--why", "I saw it"]) == 0
    capsys.readouterr()
    assert main(["verify", SLUG, "--yes"]) == 0
    assert "I saw it (by A)" in " ".join(capsys.readouterr().out.split())


def test_a_merged_lane_is_done_again_by_a_persons_word_after_the_fix_round(tmp_path: Path):
    root = project(tmp_path / "p", ONE)
    worse = {**GOOD, "files": {"app/a.py": "PAGE = another_thing\n"}, "modified": ["app/a.py"]}
    good = {**GOOD, "files": {"app/a.py": "PAGE = 1\n"}, "modified": ["app/a.py"]}
    worker = script(root, T1=[BAD, worse, good])
    execute(root, worker)
    asyncio.run(review_lanes(SLUG, root))
    assert "T1-copywriter was sent back by the review: " in seen(root).standing.why
    execute(root, worker)
    asyncio.run(review_lanes(SLUG, root))
    view = seen(root)
    assert "the review FAILED: T1-copywriter: " in view.standing.why
    assert view.command == f"guild lane retry T1-copywriter --run {SLUG} --why WHAT"
    asyncio.run(ask_of_run("", ControlRequest("retry", "T1-copywriter", why="use a number"), root))
    assert execute(root, worker).status == "done"
    assert starts(root)[-1] == "T1-copywriter/3"
    assert asyncio.run(review_lanes(SLUG, root)).verdict == "pass"


def test_a_result_that_fails_its_verification_names_the_lane_to_do_again(tmp_path: Path):
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    folder = WorkFolder(root.resolve())
    spec = folder.spec(SLUG)
    shows = "`python -c 'import app.a; app.a.missing'` exits 0"
    spec.write_text(spec.read_text().replace(f"{TEST} exits 0 within 30 s", shows))
    approve_plan(folder)
    execute(root, script(root, T1={}, T2=GOOD))
    assert asyncio.run(review_lanes(SLUG, root)).verdict != "fail"
    assert not asyncio.run(verify_work(SLUG, root, accepted=True)).passed
    assert "missing" in seen(root).standing.why, "what failed is told, not what passed"
    assert seen(root).command == f"guild lane retry T1-copywriter --run {SLUG} --why WHAT"


def test_what_is_unresolved_is_told_with_the_commands_that_answer(tmp_path: Path):
    root = project(tmp_path / "p", ONE)
    execute(root, script(root, T1={"crash": 3}))
    (left,) = (root / ".guild" / "runs").glob("*/UNRESOLVED.md")
    assert f"`guild lane retry T1-copywriter --why ANSWER --run {SLUG}`" in left.read_text()


def test_what_lanes_assumed_is_in_the_inbox_until_a_person_let_it_stand(tmp_path: Path):
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    report = execute(root, script(root, T1=GOOD, T2={"crash": 3}))
    assert any("it assumed: - one number a parcel" in note for note in report.notes)
    asked = [each for each in asyncio.run(open_questions(root)) if "assumed" in each.text]
    assert [(each.task, "one number a parcel" in each.text) for each in asked] == [
        ("T1-copywriter", True)
    ]
    execute(root, script(root, T1=GOOD))
    asyncio.run(ask_of_run("", ControlRequest("retry", "T2-sales", why="go"), root))
    assert execute(root).status == "done"
    asyncio.run(review_lanes(SLUG, root))
    assert (
        "assumed: - one number a parcel",
        f"guild work verify {SLUG} --yes (or --dispute TEXT)",
    ) in inbox(root)
    assert asyncio.run(verify_work(SLUG, root, accepted=True)).passed
    assert inbox(root) == []


def test_a_paused_run_is_in_the_inbox_with_who_and_why(tmp_path: Path):
    root = project(tmp_path / "p", ONE)
    execute(root, script(root, T1={"crash": 3}))
    asyncio.run(ask_of_run("", ControlRequest("pause", why="lunch"), root))
    texts = [text for text, _ in inbox(root)]
    assert any(text.endswith("is paused: lunch (by A)") for text in texts)
    assert any(text.startswith("failed: ") for text in texts)
    assert seen(root).standing.why.endswith("is paused: lunch (by A)")
    execute(root)
    (left,) = (root / ".guild" / "runs").glob("*/UNRESOLVED.md")
    assert "Why: lunch (by A)." in left.read_text()


def test_seconds_that_are_no_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--timeout"):
        main(["execute", SLUG, "--timeout", "nan"])


UNITTEST = "unittest discover -s tests -t ."


@pytest.mark.parametrize("number", ["0", "-1"])
def test_no_lane_at_once_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--jobs"):
        main(["execute", SLUG, "--jobs", number])


HAD = "import unittest\nfrom app.base import BASE\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(BASE, 1)\n"
BROKEN = {"app/base.py": "BASE = 7\n"}
QUIET = {
    "an expected value": {"tests/test_base.py": HAD.replace("BASE, 1", "BASE, 7")},
    "a new file that writes into the code": {
        "tests/test_aaa.py": "import app.base\n\nvars(app.base)['BASE'] = 1\n"
    },
}


def with_tests(root: Path, scope: str = "app/ and tests/") -> Path:
    """A project that has a test which passes."""
    made = project(root, {"T1-copywriter": ()}, T1=scope)
    for name, text in (("__init__.py", ""), ("test_base.py", HAD)):
        (made / "tests").mkdir(exist_ok=True)
        (made / "tests" / name).write_text(text)
    git(made, "add", "-A")
    git(made, "commit", "-q", "-m", "tests")
    return made


def carried_out(root: Path, files: dict[str, str]) -> None:
    known = [path for path in files if (root / path).is_file()]
    act = {**GOOD, "files": files, "modified": known, "assumes": "- none", "followups": "- none"}
    assert execute(root, script(root, T1=act)).status == "done"
    asyncio.run(review_lanes(SLUG, root))


@pytest.mark.parametrize("changed", QUIET.values(), ids=QUIET)
def test_tests_that_pass_only_as_the_run_changed_them_wait_for_a_person(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, str],
):
    root = with_tests(tmp_path / "p")
    carried_out(root, {**BROKEN, **changed})
    monkeypatch.chdir(root)
    assert main(["verify", SLUG, "--yes"]) == 3
    told = " ".join(capsys.readouterr().out.split())
    assert ", with the tests as they stood before the run, which it changed (tests/" in told
    assert "the verification waits for a person: 1. Acceptance commands" in seen(root).standing.why
    assert f"guild work accept {SLUG} tests --why WHY" in inbox(root)[0]
    assert main(["accept", SLUG, "tests", "--why", "seven is right"]) == 0
    capsys.readouterr()
    assert main(["verify", SLUG, "--yes"]) == 0
    assert "a person's word" in capsys.readouterr().out
    assert "seven is right (by A)" in asyncio.run(verify_work(SLUG, root)).file.read_text()


RED = (
    HAD
    + "\n    def test_vat(self):\n        from app.base import VAT\n\n        self.assertEqual(VAT, 1)\n"
)
VAT = {"app/base.py": "BASE = 7\nVAT = 1\n"}


@pytest.mark.parametrize(
    ("had", "files"),
    [
        (RED, {**VAT, "tests/test_base.py": RED.replace("BASE, 1", "BASE, 7")}),
        (HAD.replace("1)", "3)"), {**BROKEN, "tests/test_base.py": HAD.replace("1)", "7)")}),
        (RED, {**VAT, "tests/__init__.py": "import app.base\n\napp.base.BASE = 1\n"}),
        (RED, {**VAT, "tests/test_aaa.py": QUIET["a new file that writes into the code"]["tests/test_aaa.py"]}),
    ],
    ids=["one of them failed", "all of them failed", "a patch in the package", "a patch in a new file"],
)  # fmt: skip
def test_tests_that_failed_before_the_run_are_no_freer_than_others(
    tmp_path: Path, had: str, files: dict[str, str]
):
    root = with_tests(tmp_path / "p")
    for name, text in (("__init__.py", ""), ("test_base.py", had)):
        (root / "tests" / name).write_text(text)
    folder = WorkFolder(root.resolve())
    for file in (folder.spec(SLUG), folder.plan(SLUG)):
        file.write_text(file.read_text().replace("unittest discover tests", UNITTEST))
    approve_plan(folder)
    git(root, "commit", "-q", "-am", "tests first")
    carried_out(root, files)
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    assert done.status == "UNDECIDED", done.checks
    assert "test_it (" in done.checks[0].evidence[-1]


def test_a_test_that_was_written_first_and_stays_as_it_is_holds_nobody_up(tmp_path: Path):
    root = with_tests(tmp_path / "p")
    (root / "tests" / "test_base.py").write_text(RED)
    git(root, "commit", "-q", "-am", "tests first")
    carried_out(root, {"app/base.py": "BASE = 1\nVAT = 1\n", "tests/test_new.py": HAD})
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    assert done.passed, done.checks


@pytest.mark.parametrize(
    ("scope", "files"),
    [
        ("app/ and tests/", {"app/new.py": "N = 1\n", "tests/test_new.py": HAD}),
        ("app/ and tests/", {"tests/test_base.py": HAD + "\n\nMORE = 1\n"}),
        (
            "app/base.py and tests/test_base.py",
            {**BROKEN, "tests/test_base.py": HAD.replace("BASE, 1", "BASE, 7")},
        ),
    ],
    ids=["new tests", "the same tests in other words", "tests that the plan names"],
)
def test_tests_that_may_change_hold_nobody_up(tmp_path: Path, scope: str, files: dict[str, str]):
    root = with_tests(tmp_path / "p", scope)
    carried_out(root, files)
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    assert done.passed, done.checks


def test_the_object_of_a_verification_holds_the_five_checks_however_it_ends(tmp_path: Path):
    root = project(tmp_path / "p", ONE)

    def verified(*words: str) -> tuple[int, dict[str, object], list[str]]:
        command = [sys.executable, "-m", "guildmoot", "work", "verify", SLUG, "--json", *words]
        ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        told = json.loads(ran.stdout)
        return ran.returncode, told, [each["result"] for each in told["checks"]]

    code, told, results = verified()
    assert (code, results) == (3, ["not run"] * 5)
    assert "is not there yet" in told["checks"][0]["evidence"][0]
    execute(root, script(root, T1=GOOD))
    asyncio.run(review_lanes(SLUG, root))
    code, told, results = verified()
    assert (code, told["status"], results) == (3, "UNDECIDED", ["pass"] * 4 + ["undecided"])
    assert told["checks"][4]["evidence"] == ["T1-copywriter: one number a parcel"]
    code, told, results = verified("--yes")
    assert (code, told["status"], results) == (0, "PASS", ["pass"] * 5)


def test_who_takes_lines_out_of_the_tests_of_another_lane_needs_a_persons_word(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)})
    head = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual"
    files = {**GOOD["files"], "tests/test_a.py": f"{head}(8, 8)\n"}
    first = {**GOOD, "files": files}
    later = {**GOOD, "files": {"app/b.py": "PAGE = 2\n", "tests/test_a.py": f"{head}(9, 9)\n"}}
    later["modified"] = ["tests/test_a.py"]
    acts = {"T1": first, "T2": later}
    report = execute(root, script(root, **acts))
    assert report.status == "done", [each.reason for each in report.lanes]
    assert asyncio.run(review_lanes(SLUG, root)).verdict != "fail"
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    assert done.status == "UNDECIDED"
    assert "T2-seo took lines out of tests/test_a.py, a test that T1-copywriter wrote" in str(done)
    assert f"guild work accept {SLUG} tests --why WHY" in str(seen(root))
    asyncio.run(accept_item("tests", "nine is right", SLUG, root))
    assert asyncio.run(verify_work(SLUG, root, accepted=True)).passed
