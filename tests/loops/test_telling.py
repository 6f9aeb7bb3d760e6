"""What the loop tells is what git and the records show, also after a restart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from conftest import mainly
from guildmoot.cli.guild.loop import _lines
from guildmoot.errors import UsageError
from guildmoot.loops.confidence.inventory import InventoryItem, check_names
from guildmoot.loops.transform import CommandTransformer
from guildmoot.loops.units import UnitContract, told_of
from guildmoot.loops.values import CommandResult, LoopReport, Quarantine, Remedy
from loops.bench import START, TRANSFORM, call, environment, green, loop
from projects.test_many_writers import git


def told(done):
    return json.loads(done.stdout)


@pytest.mark.parametrize("pattern", mainly("grep:import sys", "src/*.py"))
@pytest.mark.slow  # whole loops, in one more situation
def test_a_transform_that_changes_nothing_completes_nothing(work, pattern):
    done = loop(work, f"--pattern={pattern}", transform="true")
    said = told(done)
    assert (said["status"], done.returncode, said["landed"]) == ("gated", 3, []), said
    assert said["unchanged"]
    assert "nothing was changed" in said["reason"]
    text = (work / "projects").rglob("inventory.md").__next__().read_text()
    assert "[x]" not in text
    again = told(loop(work, f"--pattern={pattern}", "--resume"))
    assert (again["status"], len(again["landed"])) == ("completed", 5), again


@pytest.mark.slow  # whole loops, in one more situation
def test_what_the_pattern_still_finds_is_told(work):
    first = "sh -c 'for f in {files}; do case $f in *m0.py) sed -i /sys/d $f;; esac; done'"
    said = told(loop(work, "--pattern=grep:import sys", transform=first))
    assert (said["status"], said["landed"]) == ("completed", ["src/m0.py"]), said
    assert (
        said["still_matching"]
        == said["unchanged"]
        == ["check.py", *(f"src/m{n}.py" for n in range(1, 5))]
    )


@pytest.mark.slow  # whole loops, in one more situation
def test_the_report_of_the_same_command_again_is_the_same(work):
    first = told(loop(work, "--batch=3"))
    again = told(loop(work, "--batch=3"))
    for name in ("landed", "unchanged", "quarantined", "tiers"):
        assert again[name] == first[name], name
    assert [row["commit"] for row in again["proof"]] == [row["commit"] for row in first["proof"]]
    assert len(again["proof"]) > 1
    changed = git(work, "diff", "--name-only", "main", "--", "src").split()
    assert sorted(again["landed"]) == changed
    assert {path for row in again["proof"] for path in row["files"]} == set(changed)
    assert "special needs os" in again["quarantined"][0]["evidence"]
    body = (work / again["pull_request"]["body_file"]).read_text()
    assert "special needs os" in body


@pytest.mark.slow  # whole loops, in one more situation
def test_what_a_check_prints_is_shown_without_control_codes_and_secrets(work):
    key = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    noisy = (
        f"grep -q os src/special.py || {{ printf '\\033[2J token ghp'; printf {key[3:]}; exit 1; }}"
    )
    said = loop(work, verify=noisy)
    assert told(said)["quarantined"], said.stdout
    assert "\\x1b" in told(said)["quarantined"][0]["evidence"]
    assert "\x1b" not in told(said)["quarantined"][0]["evidence"]
    assert key not in said.stdout


@pytest.mark.slow  # whole loops, in one more situation
def test_a_binary_file_goes_to_a_person_and_the_rest_lands(work):
    spoil = f"{TRANSFORM}; case '{{files}}' in *m1.py*) printf 'a\\0b' > src/m1.py;; esac"
    done = told(
        loop(work, transform=spoil.replace("'{files}'", '"$(echo {files})"'), verify="true")
    )
    assert done["status"] == "escalated", done
    assert [(each["item"], each["reason"]) for each in done["flagged"]] == [
        ("src/m1.py", "nobody can judge it")
    ]
    assert len(done["landed"]) == 5
    more = ("--resume", "--flagged=quarantine")
    done = told(
        loop(work, *more, transform=spoil.replace("'{files}'", '"$(echo {files})"'), verify="true")
    )
    assert done["status"] == "completed", done


@pytest.mark.slow  # whole loops, in one more situation
def test_a_change_that_only_deletes_ends_with_the_object(work):
    ran = loop(work, transform="rm {files}", verify="true")
    done = told(ran)
    assert (done["status"], done["landed"], ran.returncode) == ("escalated", [], 3), done
    assert done["branch"] == "tidy.unused-imports"
    assert green(work)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.sample(2)
def test_stopped_by_the_user_it_ends_with_the_object_and_no_traceback(work, number):
    ready = work.parent / "ready"
    os.mkfifo(ready)
    words = [
        "loop", "confidence", "tidy", "1", "--pattern=src/m*.py", "--transform=sed -i s/sys/re/ {files}",
        f"--verify=if grep -q re src/m0.py; then echo go > {ready}; sleep 60; fi", "--yes", "--json",
    ]  # fmt: skip
    running = subprocess.Popen(
        [sys.executable, "-c", START.format(program="guild"), *words], cwd=work,
        env=environment(work), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    ready.read_text()
    running.send_signal(number)
    out, wrong = running.communicate(timeout=60)
    assert "Traceback" not in wrong
    done = json.loads(out)
    assert (done["status"], done["cause"], running.returncode) == ("aborted", "interrupted", 130), (
        done
    )
    assert done["next_action"].startswith("guild loop confidence")
    assert green(work)


@pytest.mark.parametrize(
    "words", [("--max-usd=nan",), ("--max-usd=-1",), ("--timeout=0",), ("--timeout=inf",)]
)
@pytest.mark.sample(4)
def test_a_limit_that_limits_nothing_is_refused(work, words):
    assert loop(work, *words).returncode == 64


def test_a_pattern_that_finds_nothing_is_not_green(work):
    ran = loop(work, "--pattern=src/*.pyy")
    assert (told(ran)["status"], ran.returncode) == ("aborted", 3)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_plan_is_applied_by_its_own_transform_alone(work):
    plan = told(loop(work, "--dry-run"))["plan"]
    ran = loop(work, f"--plan={plan}", transform="sed -i s/os/evil/ {files}")
    assert ran.returncode == 64
    assert "was made by" in ran.stdout + ran.stderr


def here(work, *more):
    words = (
        "--here",
        "--pattern=src/m*.py",
        f"--transform={TRANSFORM}",
        "--verify=true",
        "--yes",
        "--json",
    )
    return call(work, "guild", "loop", "confidence", *more, *words)


def test_a_branch_of_somebody_else_is_not_taken_over(work):
    git(work, "checkout", "-q", "-b", "other.apply")
    git(work, "commit", "-q", "--allow-empty", "-m", "foreign")
    git(work, "checkout", "-q", "main")
    done = told(here(work, "other"))
    assert (done["status"], "other.apply already" in done["reason"]) == ("aborted", True), done


def test_a_phase_that_is_not_there_is_not_guessed(work):
    assert here(work, "other", "7").returncode == 64


@pytest.mark.slow  # whole loops, in one more situation
@pytest.mark.parametrize("name", ["m\n- [x] src/clean.py", "m (tier: 1) — x.py"])
def test_a_name_that_would_read_as_another_item_is_refused(work, name):
    place = work / "src" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("import sys\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "odd")
    ran = loop(work, "--pattern=grep:import sys" if "/" not in name else "--pattern=**/*")
    assert ran.returncode == 64, ran.stdout


@pytest.mark.parametrize("name", ["m\x1b[31m.py", "m\n.py", "m\x9b1m.py", "m (tier: 1) — x.py"])
def test_a_name_that_would_steer_a_terminal_stands_in_no_inventory(name):
    check_names([InventoryItem("m — é [x].py", 1)])
    with pytest.raises(UsageError, match="cannot stand"):
        check_names([InventoryItem(name, 1)])


def test_a_long_command_leaves_room_for_why_it_failed_which_is_told_once():
    seen = f"{'make check ' * 60}: exit code 1: AssertionError\nTraceback"
    left = [
        Quarantine(name, "the verification fails with it", f"{seen}\nall of it: {name}.log")
        for name in ("a.py", "b.py")
    ]
    report = LoopReport(
        "gated", {"number": 1, "name": "x"}, "b", quarantined=tuple(left), routed=("c.py",)
    )
    text = " ".join(" ".join(_lines(report)).split())
    assert text.count("exit code 1: AssertionError") == 1
    assert "all of it: a.py.log" in text
    assert "all of it: b.py.log" in text
    assert "c.py: tier 4 or above, left to a person" in text


@pytest.mark.slow  # whole loops, in one more situation
def test_no_repository_and_no_expression_are_errors_of_the_user(work, tmp_path):
    (tmp_path / "empty").mkdir()
    assert here(tmp_path / "empty", "other").returncode == 64
    assert loop(work, "--pattern=grep:old(").returncode == 64


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("collected 3\nE   AssertionError: special needs os\n!!!! stopping after 1 failures !!!!\n====\n",
         "E   AssertionError: special needs os"),
        ("Traceback\nValueError: x\nnpm notice new version\n", "ValueError: x"),
        ("FAILED tests/test_a.py::test_b - KeyError: 'x'\n1 passed in 2 s\n", "FAILED tests/test_a.py::test_b - KeyError: 'x'"),
        ("it does not fit\n-----\n", "it does not fit"), ("==== 2 ====\n", "==== 2 ===="), ("", ""),
    ],
)  # fmt: skip
def test_the_evidence_is_the_line_that_says_why(output, line):
    said = told_of(CommandResult("make", 2, 1.0, output))
    assert said == f"make: exit code 2{f': {line}' if line else ''}"


def test_judges_are_told_the_contract_and_what_was_flagged_before():
    contract = UnitContract(
        CommandTransformer("tidy {files}", 1), None, ("make test",), "no unused imports"
    )
    flagged = Remedy("run-1", ("a.py:3 F401: unused",), ("a.py",), "tidy was given the findings")
    said = contract.text(["a.py", "b.py"], [flagged])
    for wanted in ("no unused imports", "tidy {files}", "2. `make test` passes", "- b.py", "a.py:3 F401", "given the findings"):  # fmt: skip
        assert wanted in said
    assert "earlier rounds" not in contract.text(["a.py"])
