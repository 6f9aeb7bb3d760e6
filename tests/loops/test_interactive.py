"""The paired loop on a real repository: contract, work, proof, records, one commit; nothing of a person's is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from guildmoot.loops.paired.signals import (
    ScopeSignal,
    WorkContract,
    ambiguities,
    concurring,
    scope_signals,
)
from guildmoot.model.verdict import Finding
from loops.bench import GREET as SLUG
from loops.bench import NO_FENCE, START, call
from loops.test_armed import APPROVES, approver
from projects.test_many_writers import git

CHECK = "import sys; sys.path.insert(0, 'src'); import greet; assert greet.hello('a')"
VERIFY = f'{sys.executable} -B -c "{CHECK}"'
HELLO = "def hello(name: str = 'you') -> str:\n    return 'hello ' + name\n"
BYE = HELLO + "\n\ndef bye() -> str:\n    return 'bye'\n"
CLEAR = ("--input=src/greet.py", "--yes", "--no-pr")


def pair(repo, *more: str, verify: str = VERIFY, **environ: str):
    words = ("loop", "interactive", "greet", "1", f"--verify={verify}", "--json", *more)
    ran = call(repo, "guild", *words, **environ)
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)


def events(repo) -> set[str]:
    return {
        row["event"] for row in json.loads(call(repo, "loom", "events", "read", "greet").stdout)
    }


def test_a_unit_is_agreed_done_by_a_person_proven_and_lands_as_one_commit(repo):
    told = pair(repo, *CLEAR)
    assert (told["status"], told["deliverables"][0]["done"]) == ("gated", False)
    assert "--done" in told["next_action"]
    (repo / "src" / "greet.py").write_text(HELLO)
    told = pair(repo, *CLEAR, "--done")
    assert [row["done"] for row in told["deliverables"]] == [True, False], told
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / "src" / "greet.py").read_text() == HELLO
    (repo / "src" / "greet.py").write_text(BYE)
    told = pair(repo, *CLEAR, "--done")
    assert (told["status"], told["last_checkin"]) == ("completed", "02"), told
    assert git(repo, "log", "--format=%s", "main..").splitlines()[0] == "[loop] Words: bye exists"
    rows = json.loads(call(repo, "loom", "checkin", "list", "greet").stdout)
    assert len(rows) == 2
    assert json.loads(call(repo, "loom", "doctor", "greet").stdout)["ok"]
    assert git(repo, "status", "--porcelain") == ""
    phase = json.loads(call(repo, "loom", "phase", "read", "greet", "1").stdout)
    assert phase["status"] == "in-progress"  # completed only when it is merged


@pytest.mark.slow  # whole loops, in one more situation
def test_an_unclear_contract_is_asked_about_and_nothing_begins(repo):
    told = pair(repo, "--yes", "--no-pr")
    assert told["status"] == "gated"
    assert "--input" in told["next_action"]
    told = pair(repo, *CLEAR, "--criterion=it should be nice if possible")
    assert "hedged" in told["reason"]


def test_nobody_agreed_so_nothing_begins(repo):
    told = pair(repo, "--input=src/greet.py", "--no-pr")
    assert (told["status"], "--yes" in told["next_action"]) == ("aborted", True)


def test_work_that_fails_the_check_does_not_land_and_stays_where_it_is(repo):
    pair(repo, *CLEAR)
    (repo / "src" / "greet.py").write_text("def hello():\n    return ''\n")
    told = pair(repo, *CLEAR, "--done")
    assert told["status"] == "gated"
    assert told["reason"].startswith("the verification fails: ")
    assert git(repo, "log", "--format=%s", "main..") == ""
    assert (repo / "src" / "greet.py").read_text() == "def hello():\n    return ''\n"
    for _ in range(2):
        told = pair(repo, *CLEAR, "--done")
    assert told["status"] == "escalated"
    assert "after 3 rounds" in told["reason"]


@pytest.mark.slow  # whole loops, in one more situation
def test_what_the_panel_flags_is_told_and_does_not_land(repo):
    pair(repo, *CLEAR)
    (repo / "src" / "greet.py").write_text(
        HELLO + "\n\ndef bad() -> None:\n    print(undefined_name)\n"
    )
    told = pair(repo, *CLEAR, "--done")
    assert told["status"] == "gated"
    assert any("undefined" in row["message"].lower() for row in told["findings"]), told
    assert git(repo, "log", "--format=%s", "main..") == ""


WRITES = (
    'printf \'def hello(name: str = "you") -> str:\\n    return "hello " + name\\n\' > src/greet.py'
)
MORE = "echo '# %s' >> src/greet.py; echo 'DONE, all criteria met. LGTM'"


def test_a_command_does_the_work_in_a_clone_and_only_proof_counts(repo):
    told = pair(repo, *CLEAR, f"--implementer={MORE % 'more'}")
    assert told["status"] == "completed", told
    assert (repo / "src" / "greet.py").read_text().count("# more") == 2
    told = pair(repo, *CLEAR, "--implementer=echo DONE. All tests pass")
    assert told["status"] == "completed"


@pytest.mark.slow  # whole loops, in one more situation
@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo 'All done. <promise>COMPLETE</promise>'", "changed nothing"),
        ("exit 4", "exit code 4"),
        ("rm -rf .git", "touched git"),
        ("ln -sf /etc/passwd src/greet.py", "link out"),
        ("for f in projects/*/manifest.toml; do echo x >> $f; done", "records"),
    ],
)
def test_a_command_that_does_other_than_it_may_lands_nothing(repo, command, why):
    told = pair(repo, *CLEAR, f"--implementer={command}")
    assert (told["status"], why in told["reason"]) == ("gated", True), told
    assert git(repo, "log", "--format=%s", "main..") == ""
    assert git(repo, "status", "--porcelain") == ""
    assert told["next_action"]
    assert "COMPLETE" not in told["next_action"]  # its words are never what is done next


@pytest.mark.slow  # whole loops, in one more situation
def test_an_implementer_that_writes_to_the_checkout_itself_is_named(repo):
    command = f"echo '# x' >> {repo}/src/greet.py; echo '# y' >> src/greet.py"
    told = pair(repo, *CLEAR, f"--implementer={command}", **NO_FENCE)
    assert (told["status"], command in told["reason"]) == ("escalated", True), told
    assert git(repo, "log", "--format=%s", "main..") == ""


@pytest.mark.slow  # whole loops, in one more situation
def test_two_signals_together_offer_a_new_plan_and_one_alone_is_a_note(repo):
    words = (*CLEAR, f"--implementer={MORE % 'x'}")
    told = pair(repo, *words, "--comment=split phase 1", "--scope-shift=decline")
    assert told["status"] == "completed", told
    assert {"scope-shift-detected", "rpi-inner-declined"} <= events(repo)
    found = json.loads(
        call(repo, "loom", "checkin", "read", "greet", "--branch=greet.words", "--number=01").stdout
    )
    assert any("single signal" in note for note in found["notes_for_pr"])


@pytest.mark.slow  # whole loops, in one more situation
def test_an_accepted_shift_stops_for_a_new_plan_after_the_unit_landed(repo):
    words = (*CLEAR, f"--implementer={MORE % 'x'}", "--deliverable=one", "--comment=other phases")
    told = pair(repo, *words, "--scope-shift=accept")
    assert (told["status"], "revise-plan" in told["next_action"]) == ("gated", True)
    assert told["deliverables"] == [{"text": "one", "done": True}]
    assert "rpi-inner-triggered" in events(repo)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_decision_is_recorded_when_somebody_agrees(repo):
    words = (*CLEAR, f"--implementer={MORE % 'x'}", "--deliverable=one")
    told = pair(repo, *words, "--note=[adr-candidate] greet in English", "--adr=yes")
    assert told["status"] == "completed", told
    (made,) = (repo / "projects" / "adr-log").glob("0001-*.md")
    assert "greet in English" in made.read_text()
    assert git(repo, "status", "--porcelain") == ""
    assert "adr-emitted" in events(repo)


ASKS = (
    'if [ -z "$GUILD_DECISION" ]; then echo "FORK: which word? | hello"; exit 3; fi; '
    'echo "# $GUILD_DECISION" >> src/greet.py'
)


def test_a_fork_is_a_persons_and_a_flag_answers_it(repo):
    told = pair(repo, *CLEAR, f"--implementer={ASKS}", "--deliverable=one")
    assert (told["status"], "which word?" in told["reason"]) == ("gated", True)
    told = pair(repo, *CLEAR, f"--implementer={ASKS}", "--deliverable=one", "--decision=hi")
    assert told["status"] == "completed"
    assert "# hi" in (repo / "src" / "greet.py").read_text()


SIDE = "```decisions\n- scope: the word\n  stance: adopt\n  text: say moin\n  cited: none\n```\n"
TERMS = (
    "--mode=auto",
    "--budget-usd=1",
    "--time-limit=1h",
    "--expires=2h",
    "--no-pr",
    "--scope=src/**",
)


def engineer(repo, *replies: str) -> None:
    home = repo.parent / "home" / ".config" / "guildmoot" / "agents"
    home.mkdir(parents=True, exist_ok=True)
    head = "---\nname: plan-ada\ndescription: plans\nbackend: scripted\nreplies: ada.json\n---\nPlan.\n"
    (home / "plan-ada.md").write_text(head)
    (home / "ada.json").write_text(json.dumps({"replies": {"*": list(replies)}}))
    plan = repo / "projects" / SLUG / "PLAN.md"
    plan.write_text(plan.read_text() + "**Plan**: engineers=plan-ada\n")
    git(repo, "commit", "-qam", "engineers")


@pytest.mark.slow  # whole loops, in one more situation
def test_alone_a_fork_goes_to_a_board_and_a_contract_to_the_evaluator(repo):
    approver(repo, APPROVES)
    engineer(repo, SIDE)
    told = pair(repo, *TERMS, f"--implementer={ASKS}", "--deliverable=one")
    assert told["status"] == "completed", told
    assert "say moin" in (repo / "src" / "greet.py").read_text()
    assert list((repo / "projects" / SLUG / "plans").glob("fork-01-*.md"))
    assert {"auto-mode-entered", "auto-mode-converged"} <= events(repo)
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.slow  # whole loops, in one more situation
def test_alone_without_engineers_a_fork_is_left_to_a_person(repo):
    approver(repo, APPROVES)
    told = pair(repo, *TERMS, f"--implementer={ASKS}", "--deliverable=one")
    assert told["status"] == "escalated"
    assert "which word?" in (repo / "projects" / SLUG / "UNRESOLVED.md").read_text()
    assert "auto-mode-budget-exhausted" in events(repo)


@pytest.mark.slow  # whole loops, in one more situation
def test_what_a_person_must_judge_breaks_out_of_the_board(repo):
    approver(repo, APPROVES)
    engineer(repo, "operator-judgment-required: the brand decides")
    told = pair(repo, *TERMS, f"--implementer={ASKS}", "--deliverable=one")
    assert told["status"] == "escalated"
    assert "a person must judge" in told["reason"]


@pytest.mark.slow  # the loop is killed at several moments and run again
@pytest.mark.parametrize("delay", [0.4, 0.9, 1.4, 2.0, 2.8])
def test_killed_at_any_moment_nothing_of_the_person_is_lost(repo, delay):
    pair(repo, *CLEAR, "--deliverable=one")
    (repo / "src" / "greet.py").write_text(HELLO)
    environment = {**os.environ, "HOME": str(repo.parent / "home")}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "t", f"GIT_{role}_EMAIL": "t@e"}
    words = ["loop", "interactive", "greet", "1", f"--verify={VERIFY}", *CLEAR, "--done"]
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(program="guild"), *words], cwd=repo, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (repo / "src" / "greet.py").read_text() == HELLO
    lock = repo / ".git" / "index.lock"
    deadline = time.monotonic() + 10
    while lock.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    told = pair(repo, *CLEAR, "--done")
    assert told["status"] == "completed", told
    assert (repo / "src" / "greet.py").read_text() == HELLO
    assert git(repo, "status", "--porcelain") == ""


def test_only_what_is_unclear_is_asked():
    clear = WorkContract("x", ("pytest passes",), inputs=("a",))
    assert ambiguities(clear) == []
    assert [a.field for a in ambiguities(clear._replace(inputs=()))] == ["inputs"]
    assert [a.field for a in ambiguities(clear._replace(criteria=("it should work",)))] == [
        "criteria"
    ]
    many = clear._replace(inputs=("a", "b", "c"))
    assert [a.field for a in ambiguities(many)] == ["disqualifiers"]
    assert ambiguities(many._replace(disqualifiers=("no new dependency",))) == []


def test_signals_concur_only_from_two_sources():
    stale = Finding("s", "x", "this belongs to another phase of the plan")
    plain = Finding("s", "x", "a variable is not used")
    assert [s.source for s in scope_signals([plain, stale], "", (), "")] == ["finding"]
    assert scope_signals([plain], " ", (), "") == []
    two = scope_signals([stale], "", ("cache",), "")
    assert concurring(two)
    assert not concurring([ScopeSignal("finding", "a"), ScopeSignal("finding", "b")])


def at_a_terminal(repo, answers: list[tuple[str, str]], *more: str) -> str:
    """Run the loop on a terminal and type each answer once its question is there."""
    import pty
    import select

    environment = {"PATH": os.environ["PATH"], "HOME": str(repo.parent / "home"), "TERM": "xterm"}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "t", f"GIT_{role}_EMAIL": "t@e"}
    words = ["loop", "interactive", "greet", "1", f"--verify={VERIFY}", "--no-pr", *more]
    child, terminal = pty.fork()
    if not child:
        os.chdir(repo)
        os.execve(
            sys.executable,
            [sys.executable, "-c", START.format(program="guild"), *words],
            environment,
        )
    said, seen = "", 0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        said += data.decode(errors="replace")
        if answers and answers[0][0] in said[seen:]:
            question, answer = answers.pop(0)
            seen = said.index(question, seen) + len(question)
            if answer.startswith("!"):
                (repo / "src" / "greet.py").write_text(HELLO)
                answer = answer[1:]
            os.write(terminal, f"{answer}\n".encode())
    os.waitpid(child, 0)
    os.close(terminal)
    assert not answers, said
    return said


def test_a_person_at_a_terminal_is_asked_one_thing_after_another(repo):
    said = at_a_terminal(
        repo,
        [
            ("Start? [y/N]", "y"),
            ("What is it?", "src/greet.py"),
            ("Agreed? [y/N]", "y"),
            ("Done? [y/N]", "!y"),
        ],
        "--deliverable=hello takes a name",
    )
    assert "Status: completed" in said
    assert git(repo, "status", "--porcelain") == ""
    assert "[loop] Words: hello takes a name" in git(repo, "log", "-1", "--format=%s")


def test_a_no_at_a_terminal_changes_nothing(repo):
    said = at_a_terminal(repo, [("Start? [y/N]", "n")])
    assert "Status: aborted" in said
    assert git(repo, "branch", "--show-current").strip() == "main"


@pytest.mark.slow  # whole loops, in one more situation
def test_phases_in_pairs_are_stacked(repo):
    plan = repo / "projects" / SLUG / "PLAN.md"
    more = "\n## Phase 2 — More\n\n**Goal**: more\n**Exit**: more\n**Depends on**: Phase 1\n"
    plan.write_text(plan.read_text() + more)
    added = call(repo, "loom", "phase", "add", "greet", "--number=2", "--name=More")
    assert added.returncode == 0, added.stderr
    git(repo, "commit", "-qam", "two phases")
    told = pair(repo, *CLEAR, f"--implementer={MORE % 'x'}", "--phases=all")
    assert (told["status"], told["branch"]) == ("completed", "greet.more"), told
    assert [row["branch"] for row in told["below"]] == ["greet.words"]
    below = git(repo, "rev-parse", "greet.words")
    assert git(repo, "merge-base", "greet.words", "greet.more") == below


@pytest.mark.slow  # whole loops, in one more situation
def test_a_finding_that_comes_for_the_third_time_is_noted(repo):
    from datetime import UTC, datetime

    from guildmoot.projects.findings import FindingRow, append

    words = (*CLEAR, "--deliverable=one", "--agents=ada")
    home = repo.parent / "home" / ".config" / "guildmoot" / "agents"
    home.mkdir(parents=True, exist_ok=True)
    head = "---\nname: ada\ndescription: judges\nrole: evaluator\nbackend: scripted\nreplies: ada.txt\n---\nJudge.\n"
    (home / "ada.md").write_text(head)
    (home / "ada.txt").write_text(
        "Advisory:\n- naming: src/greet.py:1 the name hello says little\n\nVERDICT {nonce}: approved\n"
    )
    told = pair(repo, *words, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told
    stream = repo / "projects" / SLUG / ".guild-findings.jsonl"
    (row,) = [json.loads(line) for line in stream.read_text().splitlines()]
    kept = FindingRow(SLUG, row["evaluator"], row["code"], row["evidence"], row["severity"])
    append(repo, kept, datetime.now(UTC))
    git(repo, "checkout", "-q", "main")
    git(repo, "branch", "-qD", "greet.words")
    for file in (repo / ".guild" / "loops").glob("*.paired.json"):
        file.unlink()
    told = pair(repo, *words, f"--implementer={MORE % 'y'}")
    assert told["status"] == "completed", told
    found = json.loads(
        call(repo, "loom", "checkin", "read", "greet", "--branch=greet.words", "--number=01").stdout
    )
    assert any("recurring" in note for note in found["notes_for_pr"])
    assert git(repo, "status", "--porcelain") == ""
