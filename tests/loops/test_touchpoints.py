"""What a person is asked, what a flag answers, and what is shown before anything is changed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from loops.bench import START, TRANSFORM, VERIFY, call, environment, green, loop, tree
from projects.test_many_writers import git

WORDS = ("loop", "confidence", "tidy", "1", "--pattern=src/*.py", f"--transform={TRANSFORM}")


@pytest.mark.slow  # whole loops, in one more situation
def test_without_a_terminal_and_without_the_flag_nothing_is_done_and_the_command_is_told(work):
    ran = call(work, "guild", *WORDS, f"--verify={VERIFY}", "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], told["landed"]) == (3, "aborted", [])
    assert "a person must decide" in told["reason"]
    assert told["next_action"].endswith(" --yes")
    assert git(work, "branch", "--show-current").strip() == "main"
    again = subprocess.run(
        told["next_action"].replace("guild ", f'{sys.executable} -c "{START.format(program="guild")}" ', 1),
        shell=True, cwd=work, env=environment(work), capture_output=True, text=True,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr  # what it says to type is what does it


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 3), ("\n", 3)])
@pytest.mark.sample(3)
def test_at_a_terminal_the_question_is_asked_and_the_answer_holds(work, typed, code):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", START.format(program="guild"), *WORDS, f"--verify={VERIFY}"]
    process = subprocess.Popen(
        words,
        cwd=work,
        env=environment(work),
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(ours, 1000)
    os.write(ours, typed.encode())
    try:
        while more := os.read(ours, 1000):
            shown += more
    except OSError:  # the other end is closed
        pass
    assert process.wait() == code
    assert b"estimate: 7 items in 1 unit," in shown
    if code == 0:
        assert b"tier 1, unit 1 of about 1" in shown
        assert b"verify" in shown
        assert b"panel" in shown
    else:
        assert git(work, "branch", "--show-current").strip() == "main"


def test_a_verification_that_only_the_repository_names_is_not_run_unasked(work):
    manifest = next((work / "projects").rglob("manifest.toml"))
    text = manifest.read_text()
    assert "verification = []" in text
    manifest.write_text(text.replace("verification = []", 'verification = ["touch ../ran"]'))
    git(work, "commit", "-qam", "hostile")
    ran = call(work, "guild", *WORDS, "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, "touch ../ran" in told["reason"]) == (3, True)
    assert not list(work.rglob("ran"))


@pytest.mark.slow  # whole loops, in one more situation
def test_a_gate_that_was_closed_is_opened_by_a_person_alone(work):
    broken = "for f in {files}; do printf 'import os\\nprint(undefined_name)\\n' > $f; done"
    first = json.loads(loop(work, transform=broken, verify="true").stdout)
    assert first["status"] == "escalated"
    ran = loop(work)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], told["landed"]) == (3, "gated", [])
    assert told["next_action"].endswith("--resume")
    told = json.loads(loop(work, "--resume").stdout)
    assert told["status"] == "completed", told["reason"]
    assert len(told["landed"]) == 5


@pytest.mark.slow  # whole loops, in one more situation
def test_what_the_panel_still_flags_is_put_into_quarantine_where_a_person_said_so(work):
    broken = (
        "for f in {files}; do [ $f = src/m0.py ] && echo 'print(undefined_name)' >> $f; done; true"
    )
    told = json.loads(loop(work, "--flagged=quarantine", transform=broken, verify="true").stdout)
    assert told["status"] == "gated", told["reason"]  # nothing else changed, so nothing is done
    assert [each["item"] for each in told["quarantined"]] == ["src/m0.py"]
    assert tree(work) == tree(work, "main")


FIXER = (
    f'{sys.executable} -c "import json, os, pathlib;'
    " [pathlib.Path(r['path']).write_text('import os\\nA = os.sep\\n') for r in json.load(open(os.environ['GUILD_FINDINGS']))]\""
)


@pytest.mark.slow  # whole loops, in one more situation
def test_the_findings_are_handed_to_the_fixer_and_what_it_mends_lands(work):
    broken = (
        "for f in {files}; do [ $f = src/m0.py ] && echo 'print(undefined_name)' >> $f; done; true"
    )
    told = json.loads(loop(work, f"--fixer={FIXER}", transform=broken, verify="true").stdout)
    assert (told["status"], told["landed"]) == ("completed", ["src/m0.py"]), told
    assert (work / "src" / "m0.py").read_text() == "import os\nA = os.sep\n"
    assert told["attempts"] == {"2": 1}
    rows = json.loads(call(work, "loom", "checkin", "list", "tidy").stdout)
    read = ("checkin", "read", "tidy", "--branch=tidy.unused-imports")
    kept = [
        json.loads(call(work, "loom", *read, f"--number={row['number']}").stdout) for row in rows
    ]
    assert [each["verdict"]["result"] for each in kept] == ["flagged", "flagged", "approved"]
    assert kept[-1]["verdict"]["run"] == told["proof"][0]["run"]


@pytest.mark.slow  # whole loops, in one more situation
def test_a_check_in_is_bound_to_the_run_that_judged_it_and_to_the_tree(work):
    told = json.loads(loop(work).stdout)
    (unit,) = [row for row in told["proof"] if row["files"]]
    read = (
        "checkin",
        "read",
        "tidy",
        "--branch=tidy.unused-imports",
        f"--number={unit['checkin']}",
    )
    checkin = json.loads(call(work, "loom", *read).stdout)
    assert checkin["verdict"]["run"] == unit["run"]
    assert checkin["verdict"]["tree"] == unit["tree"]
    shown = json.loads(call(work, "guild", "runs", "show", unit["run"], "--json").stdout)
    assert shown["result"]["verdict"] == "approved"
    index = {**os.environ, "GIT_INDEX_FILE": str(work.parent / "index")}
    parent = f"{unit['commit']}^"
    for words in (("read-tree", parent), ("add", *unit["files"])):  # the files are as they landed
        subprocess.run(["git", *words], cwd=work, env=index, check=True)
    made = subprocess.run(
        ["git", "write-tree"], cwd=work, env=index, capture_output=True, text=True
    )
    assert made.stdout.strip() == unit["tree"]
    assert "tier-1 contract (see checkin 01)" in checkin["contract"]["rules_applied"]
    events = json.loads(call(work, "loom", "events", "read", "tidy").stdout)
    names = {event["event"] for event in events}
    assert {"phase-started", "checkin-created", "evaluator-spawned", "retro-written"} <= names
    seats = {e["detail"]["evaluator"] for e in events if e["event"] == "evaluator-spawned"}
    assert "ruff" in seats


# Look first, apply exactly that.


def test_what_was_previewed_is_applied_byte_by_byte_whatever_the_transform_would_make_now(work):
    counted = f"echo ran >> {work.parent}/ran; {TRANSFORM}"
    planned = json.loads(loop(work, "--dry-run", transform=counted).stdout)
    assert (planned["status"], len(planned["plan"])) == ("planned", 16)
    assert tree(work) == tree(work, "main")
    before = (work.parent / "ran").read_text()
    told = json.loads(loop(work, f"--plan={planned['plan']}", transform=counted).stdout)
    assert (
        work.parent / "ran"
    ).read_text() == before * 2  # once more at the end, to see that nothing changes
    assert told["status"] == "completed", told["reason"]
    assert len(told["landed"]) == 5
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_plan_is_not_applied_to_files_that_changed_since(work):
    planned = json.loads(loop(work, "--dry-run").stdout)
    (work / "src" / "m0.py").write_text("import json\n\nA = 1\n")
    git(work, "commit", "-qam", "meanwhile")
    before = git(work, "rev-parse", "HEAD")
    ran = loop(work, f"--plan={planned['plan']}")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], "src/m0.py" in told["reason"]) == (3, "aborted", True)
    assert git(work, "rev-parse", "HEAD") == before
    assert git(work, "branch", "--show-current").strip() == "main"


def test_a_plan_that_somebody_changed_is_not_believed(work):
    planned = json.loads(loop(work, "--dry-run").stdout)
    plans = work / ".guild" / "loops" / "plans"
    blob = next(plans.glob("*.blob"))
    blob.write_text("evil = 1\n")
    ran = loop(work, f"--plan={planned['plan']}")
    assert ran.returncode == 64
    (plans / f"{planned['plan']}.json").write_text("{}")
    assert loop(work, f"--plan={planned['plan']}").returncode == 64
    assert loop(work, "--plan=../../x").returncode == 64


@pytest.mark.slow  # whole loops, in one more situation
def test_a_mode_is_a_change_too(work):
    told = json.loads(loop(work, transform="chmod +x src/m0.py").stdout)
    assert told["landed"] == ["src/m0.py"], told
    assert os.access(work / "src" / "m0.py", os.X_OK)
