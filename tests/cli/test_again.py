"""Runs that were killed go on; runs are replayed, rerun and cleared away; seen through the command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

GOOD = "def price(x: int) -> int:\n    return x\n"
BAD = "print(undefined)\n"


def judge(shop, name, text="VERDICT: approved", gate=""):
    """An agent that leaves a mark each time it is asked; with ``gate`` it waits for that file."""
    count = shop.root.parent / f"{name}.count"
    wait = (
        f"echo $$ > '{gate}.pid'; while [ ! -e '{gate}' ]; do sleep 0.02; kill -0 $PPID || exit; done; kill -0 $PPID || exit; "
        if gate
        else ""
    )
    said = text.replace("\n", "\\n")
    script = f"cat > /dev/null; {wait}printf x >> '{count}'; printf '{said}'"
    shop.agent(
        f"{name}.md",
        f"---\nname: {name}\ndescription: judges\nbackend: command\n"
        f"command: {json.dumps(['sh', '-c', script])}\n---\nJudge it.\n",
    )
    return lambda: len(count.read_text()) if count.exists() else 0


def killed_run(shop, gate, *argv, what=(".",)):
    """Start a run that ``gate`` keeps waiting."""
    return subprocess.Popen(
        shop.argv("validate", *what, "-q", *argv),
        cwd=shop.root,
        env=shop.env,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_a_killed_run_goes_on_and_asks_only_who_had_not_answered(shop, wait_until, ends):
    shop.write("a.py", GOOD)
    shop.commit()
    gate = shop.root.parent / "gate"
    quick, slow = judge(shop, "quick"), judge(shop, "slow", gate=gate)
    run = killed_run(shop, gate, "--agents", "quick,slow")
    waiting = Path(f"{gate}.pid")
    wait_until(lambda: shop.answered() == 1 and waiting.exists() and waiting.read_text())
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    ends(int(waiting.read_text()))
    gate.touch()
    listed = shop.guild("runs", "list", "--json").json["runs"]
    assert [entry["state"] for entry in listed] == ["incomplete"]
    shop.write("a.py", BAD)  # what lies there now is not what was judged
    done = shop.guild("resume", "--json")
    assert done.code == 0, done.err
    report = done.json
    assert report["verdict"] == "approved"
    assert report["run_id"] == listed[0]["run_id"]
    assert (quick(), slow()) == (1, 1)
    assert shop.guild("runs", "list", "--json").json["runs"][0]["state"] == "complete"
    again = shop.guild("resume", "last", "--json")
    assert again.json["roster"] == report["roster"]
    assert (quick(), slow()) == (1, 1)


def flagged_change(shop):
    """A repository with an uncommitted change in which a tool finds something."""
    shop.write("prices.py", GOOD)
    shop.commit()
    shop.write("prices.py", f"{GOOD}\n\n{BAD}")


@pytest.mark.parametrize("verb", [["validate"], ["council", "validate"], ["vibe"]])
@pytest.mark.sample(3)
def test_what_tools_found_in_a_change_stands_when_it_is_replayed_and_rerun(shop, verb):
    """Their words hold the scratch folder of the first run; the files lie in another one now."""
    flagged_change(shop)
    first = shop.guild(*verb, "--diff", "--json")
    assert first.code == 2, first
    again = shop.guild("replay", "last", "--json")
    assert (again.code, places(again)) == (2, places(first))
    (seat,) = set(re.findall(r'"((?:judge-)?[\w-]*ruff)"', first.out)[:1])
    anew = shop.guild("rerun", "last", "--seat", seat, "--json")
    assert (anew.code, places(anew)) == (2, places(first))


def places(ran):
    """How a report names the file that was judged."""
    return set(re.findall(r'"([\w/.-]*prices\.py[:\d]*)"', ran.out))


def test_a_killed_run_on_a_change_comes_to_the_verdict_that_it_would_have(
    shop, tmp_path, wait_until
):
    flagged_change(shop)
    gate = tmp_path / "gate"
    judge(shop, "late", gate=gate)
    begun = killed_run(shop, gate, "--agents", "ruff,late", "--diff", what=())
    wait_until(lambda: shop.answered() == 2)  # ruff, before and after
    os.killpg(begun.pid, signal.SIGKILL)
    begun.wait()
    gate.touch()
    assert shop.guild("resume", "-q").code == 2


def test_judges_of_a_run_that_an_older_version_recorded_are_asked_again(shop):
    """Their programs stood in another place of the package then."""
    shop.write("a.py", GOOD)
    shop.commit()
    run = shop.guild("validate", ".", "--json").json["run_id"]
    roster = shop.root / ".guild" / "runs" / run / "roster.json"
    roster.write_text(roster.read_text().replace("guildmoot.agents.tools.", "guildmoot.evidence."))
    done = shop.guild("rerun", "last", "--seat", "secrets,merge-conflicts", "--json")
    assert (done.code, done.json["verdict"]) == (0, "approved"), done


def test_without_an_unfinished_run_there_is_nothing_to_resume(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    shop.guild("validate", ".")
    done = shop.guild("resume")
    assert done.code == 64
    assert "there is no unfinished run" in done.err


def test_a_run_that_is_going_on_is_not_resumed(shop, wait_until):
    shop.write("a.py", GOOD)
    shop.commit()
    gate = shop.root.parent / "gate"
    judge(shop, "slow", gate=gate)
    run = killed_run(shop, gate, "--agents", "slow")
    wait_until(lambda: shop.guild("runs", "list", "--json").json["runs"])
    listed = shop.guild("runs", "list", "--json").json["runs"]
    assert listed[0]["state"] == "running"
    done = shop.guild("resume", "last")
    assert done.code == 64
    assert "still going on" in done.err
    gate.touch()
    assert run.wait(timeout=30) == 0


def test_a_replay_weighs_the_same_replies_by_another_rule_and_asks_nobody(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    flagged = "VERDICT: flagged\n\nReasons:\n- wrong: a.py:1 price is wrong\n"
    count = judge(shop, "critic", flagged)
    assert shop.guild("validate", ".", "--agents", "critic").code == 2
    shop.agent("critic.md", "changed since")
    before = sorted(os.listdir(shop.root / ".guild" / "runs"))
    assert shop.guild("replay", "last").code == 2
    done = shop.guild("replay", "last", "--policy", "agreement", "--json")
    assert done.code != 2, done.out
    assert done.json["policy"] == "agreement"
    assert count() == 1
    assert sorted(os.listdir(shop.root / ".guild" / "runs")) == before


def test_a_rerun_asks_the_named_seat_and_keeps_the_others(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    one, two = judge(shop, "one"), judge(shop, "two")
    first = shop.guild("validate", ".", "--agents", "one,two", "--json").json
    done = shop.guild("rerun", "last", "--seat", "two", "--json")
    assert done.code == 0, done.err
    assert (one(), two()) == (1, 2)
    seats = {seat["name"]: seat["kept"] for seat in done.json["roster"]["seats"]}
    assert seats == {"one": first["run_id"], "two": None}
    assert done.json["run_id"] != first["run_id"]
    shown = shop.guild("rerun", "last", "--seat", "one").out
    assert "Asked before, and not again: two (run" in shown
    assert (one(), two()) == (2, 2)
    for again in (shop.guild("replay", "last", "--json"), shop.guild("resume", "last", "--json")):
        assert again.code == 0, again.err
    assert (one(), two()) == (2, 2)


def test_fresh_asks_everyone_and_can_be_replayed(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    one = judge(shop, "one")
    for _ in range(2):
        shop.guild("validate", ".", "--agents", "one", "--fresh")
    assert one() == 2
    assert shop.guild("replay", "last").code == 0
    assert one() == 2


def test_a_seat_that_did_not_sit_is_refused_with_the_nearest_name(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    judge(shop, "critic")
    shop.guild("validate", ".", "--agents", "critic")
    done = shop.guild("rerun", "last", "--seat", "critc")
    assert done.code == 64
    assert "Did you mean critic?" in done.err


def test_old_runs_are_cleared_with_what_only_they_had(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    for _ in range(3):
        shop.guild("validate", ".")
    would = shop.guild("runs", "gc", "--keep", "1", "--dry-run", "--json").json
    assert (len(would["runs"]), would["kept"], would["ledger"]) == (2, 1, None)
    done = shop.guild("runs", "gc", "--keep", "1", "--json").json
    assert done["runs"] == would["runs"]
    assert done["ledger"]["calls"] > 0
    assert len(shop.guild("runs", "list", "--json").json["runs"]) == 1
    assert shop.guild("replay", "last").code == 0


def test_clearing_takes_no_run_and_then_clears_nothing(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    run = shop.guild("validate", ".", "--json").json["run_id"]
    done = shop.guild("runs", "gc", run, "--keep", "0")
    assert (done.code, "takes no RUN" in done.err) == (64, True), done
    assert shop.guild("runs", "show", run).code == 0


def test_an_engine_needs_an_address_and_a_verb(shop):
    done = shop.guild("--engine")
    assert done.code == 64
    assert "needs an address and a verb" in done.err


def test_the_password_of_the_engine_is_not_recorded(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    url = "postgresql://guild:" + "hunter" + "2@127.0.0.1:1/guild"
    away = {"GUILD_ENGINE_URL": url, "GUILD_ENGINE_WAIT": "0"}
    assert "hunter2" not in shop.guild("validate", ".", env={**shop.env, **away}).err
    for form in ((), ("--json",)):
        told = shop.guild("config", "show", *form, env={**shop.env, "GUILD_ENGINE_URL": url})
        assert "127.0.0.1" in told.out
        assert "hunter2" not in told.out + told.err
    for file in (shop.root / ".guild").rglob("*"):
        if file.is_file():
            assert b"hunter2" not in file.read_bytes(), file


def council_judge(shop, name, verdict, *findings):
    said = json.dumps(
        {
            "verdict": verdict,
            "confidence": "HIGH",
            "key_insight": "read and correct",
            "findings": findings,
            "recommendation": "go on",
            "schema_version": 4,
            "satisfaction_score": None,
            "satisfaction_breakdown": None,
        }
    )
    return judge(shop, name, said)


def test_a_council_is_replayed_and_rerun_like_a_panel(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    one, two = council_judge(shop, "one", "PASS"), council_judge(shop, "two", "WARN")
    first = shop.guild("council", "--agents", "one,two", "validate", "a.py", "--json")
    assert first.json["outcome"] == "WARN", first.err
    assert shop.guild("runs", "list", "--json").json["runs"][0]["verdict"] == "WARN"
    again = shop.guild("replay", "last", "--json")
    assert (again.code, again.json["outcome"]) == (first.code, "WARN")
    assert (one(), two()) == (1, 1)
    council_judge(shop, "two", "FAIL")  # the file of today is not the agent that sat
    done = shop.guild("rerun", "last", "--seat", "judge-2", "--json")
    assert done.json["outcome"] == "WARN", done.err
    assert (one(), two()) == (1, 2)


def test_a_council_that_found_something_blocking_is_listed_with_it(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    finding = {
        "severity": "critical",
        "category": "correctness",
        "description": "the price is not rounded",
        "location": "a.py:2",
        "recommendation": "round it",
        "fix": "return round x",
        "why": "every invoice is wrong",
        "ref": "a.py:2",
    }
    council_judge(shop, "one", "FAIL", finding)
    council_judge(shop, "two", "FAIL", finding)
    done = shop.guild("council", "--agents", "one,two", "validate", "a.py", "--json")
    assert done.json["outcome"] == "FAIL", done.err
    for _ in range(2):
        [listed] = shop.guild("runs", "list", "--json").json["runs"]
        assert (listed["verdict"], listed["blocking"], listed["advisory"]) == ("FAIL", 1, 0)
        assert (listed["kind"], listed["parent"]) == ("council", "")
        (shop.root / ".guild" / "runs" / ".index.jsonl").unlink()
    assert "FAIL          1 blocking, 0 advisory" in shop.guild("runs", "list").out
    assert shop.guild("runs", "list", "--kind", "panel").out == "no such runs\n"


def test_a_record_that_a_hand_was_in_is_named_with_the_place(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    judge(shop, "one")
    run = shop.guild("validate", ".", "--agents", "one", "--json").json["run_id"]
    file = shop.root / ".guild" / "runs" / run / "roster.json"
    file.write_text(file.read_text().replace('"backend": "command"', '"backend": 7'))
    done = shop.guild("replay", "last")
    assert done.code == 4
    assert f"the record of the run {run} cannot be read: seats[0].backend: 7 is not" in done.err
    request = file.with_name("request.json")
    request.write_text(request.read_text().replace('"anew": []', '"anew": ""'))
    done = shop.guild("replay", "last")
    assert (done.code, "anew" in done.err) == (4, True), done


def test_a_whiteboard_has_nothing_to_replay(shop):
    shop.agent(
        "ada.md",
        "---\nname: ada\ndescription: plans\nbackend: scripted\nreplies: ada.txt\n---\nPlan.\n",
    )
    shop.agent("ada.txt", "Use a queue.")
    ran = shop.guild(
        "whiteboard", "run", "--engineers", "ada", "--brief", "How?", "--board", "b.md"
    )
    assert ran.code == 0, ran.err
    done = shop.guild("replay", "last")
    assert done.code == 64
    assert "nothing to replay" in done.err
