"""``guild validate`` as a user meets it: real git, real judges, exit codes to gate on."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from judges import add_judge

GOOD = '"""Prices."""\n\n\ndef total(items: list[int]) -> int:\n    """Sum."""\n    return sum(items)\n'
BAD = "def total(items):\n    return sum(itmes)\n"


def test_clean_code_is_approved(shop):
    shop.write("prices.py", GOOD)
    ran = shop.guild("validate", ".")
    assert ran.code == 0, ran.out + ran.err
    assert "APPROVED" in ran.out


def test_a_defect_is_flagged_with_its_place_and_line(shop):
    shop.write("prices.py", BAD)
    ran = shop.guild("validate", ".")
    assert ran.code == 2
    assert "FLAGGED" in ran.out
    assert "prices.py:2" in ran.out
    assert "return sum(itmes)" in ran.out


def test_json_is_one_document_in_the_seeds_shape(shop):
    shop.write("prices.py", BAD)
    ran = shop.guild("validate", ".", "--json")
    keys = ["verdict", "blocking_findings", "advisory_findings", "cli_runs", "conflicts"]
    assert [*ran.json][:6] == [*keys, "agent_signals"]
    assert ran.json["schema_version"] == 1
    assert ran.json["exit_code"] == ran.code == 2
    [finding] = ran.json["blocking_findings"]
    assert (finding["evaluator"], finding["code"]) == ("ruff", "F821")
    assert ran.err == ""


def test_a_diff_is_judged_by_what_it_changes(shop):
    shop.write("old.py", BAD)
    shop.write("new.py", GOOD)
    shop.commit()
    shop.write("new.py", GOOD + "\n\nLIMIT = 3\n")
    assert shop.guild("validate", "--diff").code == 0
    shop.write("new.py", GOOD + "\n\nLIMIT = limitt\n")
    ran = shop.guild("validate", "--diff", "--json")
    assert [f["path"] for f in ran.json["blocking_findings"]] == ["new.py"]


def test_what_is_staged_is_judged_and_not_what_lies_around(shop):
    shop.write("new.py", GOOD)
    shop.git("add", "new.py")
    shop.write("new.py", BAD)
    assert shop.guild("validate", "--staged").code == 0
    assert shop.guild("validate", "new.py").code == 2


def test_recent_commits_and_ranges(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    shop.write("b.py", BAD)
    shop.commit()
    shop.write("c.py", GOOD)
    shop.commit()
    assert shop.guild("validate", "recent").code == 0
    assert shop.guild("validate", "recent", "--recent", "2").code == 2
    assert shop.guild("validate", "--diff", "HEAD~2..HEAD~1").code == 2
    assert shop.guild("validate", "--diff", "HEAD~1").code == 0


def test_standard_input_is_judged_even_outside_a_repository(shop, tmp_path):
    done = subprocess.run(
        shop.argv("validate", "-", "--json"),
        cwd=tmp_path,
        env=shop.env,
        input=b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
        capture_output=True,
    )
    assert done.returncode == 2, done.stderr
    assert not (tmp_path / ".guild").exists()


def test_the_projects_own_check_takes_a_seat_only_when_named(shop):
    shop.write("prices.py", GOOD)
    shop.write("Makefile", "test:\n\ttouch ran; exit 1\n")
    assert shop.guild("validate", ".").code == 0
    assert not (shop.root / "ran").exists()
    ran = shop.guild("validate", ".", "--verify", "make test", "--json")
    assert (shop.root / "ran").exists()
    assert ran.code == 2
    assert ran.json["blocking_findings"][0]["code"] == "verification-failed"


def test_a_check_that_cannot_be_started_is_infrastructure(shop):
    shop.write("prices.py", GOOD)
    ran = shop.guild("validate", ".", "--verify", "no-such-program --now", "--json")
    assert ran.code == 4
    assert ran.json["outcome"] == "infrastructure"
    assert ran.json["verdict"] == "operator-judgment-required"


def test_a_scripted_panel_is_aggregated_by_the_rule(shop):
    shop.write("prices.py", GOOD)
    add_judge(shop, "kind", "VERDICT: approved\n")
    add_judge(shop, "strict", "VERDICT: flagged\n\nReasons:\n- no-tests: nothing checks `total`\n")
    assert shop.guild("validate", ".", "--agents", "kind").code == 0
    ran = shop.guild("validate", ".", "--agents", "kind,strict", "--json")
    assert ran.code == 2
    assert ran.json["blocking_findings"][0]["code"] == "no-tests"


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ({"fail": "overloaded"}, "failed"),
        ({"missing": "no key"}, "missing"),
        ({"hang": True}, "timeout"),
    ],
)
def test_a_seat_that_does_not_answer_is_told_apart_from_a_verdict(shop, reply, status):
    shop.write("prices.py", GOOD)
    add_judge(shop, "kind", "VERDICT: approved\n")
    add_judge(shop, "shaky", reply)
    ran = shop.guild("validate", ".", "--agents", "kind,shaky", "--timeout", "1", "--json")
    assert ran.code == 4
    answered = {seat["name"]: seat["status"] for seat in ran.json["roster"]["seats"]}
    assert answered == {"kind": "answered", "shaky": status}


def test_agents_of_the_repository_are_never_seated_unasked(shop):
    shop.write("prices.py", GOOD)
    text = "---\nname: ruff\ndescription: d\nbackend: tool\ncommand: touch {root}/owned\n---\n"
    shop.write(".guild/agents/mine.md", text)
    assert shop.guild("validate", ".").code == 0
    assert not (shop.root / "owned").exists()


def test_a_secret_reaches_no_judge_no_record_and_no_report(shop):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    shop.write("deploy.py", f'TOKEN = "{secret}"\n')
    shop.write(".env", f"TOKEN={secret}\n")
    shop.agent(
        "echo.md",
        "---\nname: echo\ndescription: d\nbackend: command\ncommand: cat\n---\nJudge.\n",
    )
    ran = shop.guild("validate", ".", "--add", "echo", "--report", "out.html", "--json")
    kept = [file.read_text(errors="replace") for file in shop.root.glob(".guild/runs/**/*.*")]
    assert len(kept) > 8
    for text in [ran.out, ran.err, (shop.root / "out.html").read_text(), *kept]:
        assert secret not in text
    assert "deploy.py" in [f["path"] for f in ran.json["blocking_findings"]]


@pytest.mark.parametrize("suffix", ["md", "json", "sarif", "xml", "html"])
def test_a_report_is_written_in_the_form_its_name_says(shop, suffix):
    shop.write("prices.py", BAD)
    ran = shop.guild("validate", ".", "--report", f"out.{suffix}")
    assert ran.code == 2
    assert "itmes" in (shop.root / f"out.{suffix}").read_text()


def test_the_run_is_recorded_and_can_be_looked_at(shop):
    shop.write("prices.py", BAD)
    shop.guild("validate", ".")
    [run] = shop.guild("runs", "list", "--json").json["runs"]
    assert (run["state"], run["verdict"], run["blocking"]) == ("complete", "flagged", 1)
    shown = shop.guild("runs", "show", "last", "--json").json
    assert {seat["agent"] for seat in shown["roster"]["asked"]} >= {"ruff", "secrets"}
    assert shown["config"]["settings"]["panel.timeout"]["source"] == "built in"
    assert shown["packet"]["hash"] == shop.guild("validate", ".", "--json").json["packet"]["hash"]
    folder = shop.guild("runs", "open", "last").out.strip()
    assert os.path.isfile(f"{folder}/result.json")


def test_in_the_background_it_says_that_ctrl_c_does_not_reach_it_and_what_does(shop):
    shop.write("prices.py", GOOD)
    add_judge(shop, "quick", "VERDICT: approved\n")
    add_judge(shop, "slow", {"hang": True})
    script = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    argv = [sys.executable, "-c", script, *shop.argv("validate", ".", "--agents", "quick,slow")]
    refused = [*argv[:3], *shop.argv("validate", "missing.py")]
    done = subprocess.run(refused, cwd=shop.root, env=shop.env, capture_output=True, text=True)
    assert done.stderr.startswith(
        "reading what is to be judged\nguild validate: There is no 'missing.py'"
    )
    process = subprocess.Popen(
        argv,
        cwd=shop.root,
        env=shop.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    told = f"Ctrl-C does not reach a command in the background; 'kill {process.pid}' stops it\n"
    assert [process.stderr.readline() for _ in range(2)] == ["reading what is to be judged\n", told]
    assert "quick" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.terminate()
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "slow" in out


def test_stopping_leaves_a_readable_unfinished_run(shop):
    shop.write("prices.py", GOOD)
    add_judge(shop, "quick", "VERDICT: approved\n")
    add_judge(shop, "slow", {"hang": True})
    ran = shop.stop("validate", ".", "--agents", "quick,slow", at="quick")
    assert ran.code == 130
    assert "slow" in ran.out
    [run] = shop.guild("runs", "list", "--json").json["runs"]
    assert run["state"] == "interrupted"
    assert f"guild resume {run['run_id']}  asks who is missing" in ran.out
    replies = shop.guild("runs", "show", "--json").json["replies"]["replies"]
    assert [reply["status"] for reply in replies] == ["answered", "cancelled"]


def test_two_runs_at_once_in_one_repository_both_finish(shop):
    shop.write("prices.py", GOOD)
    argv = shop.argv("validate", ".", "--json")
    both = [
        subprocess.Popen(argv, cwd=shop.root, env=shop.env, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    results = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert len({result["run_id"] for result in results}) == 2
    assert len(shop.guild("runs", "list", "--json").json["runs"]) == 2


def test_a_full_disk_is_said_and_the_verdict_is_not_lost(shop):
    """The system refuses files above 400 kB, as a full disk would refuse them."""
    shop.write("prices.py", GOOD)
    add_judge(shop, "long", "x" * 600_000 + "\n\nVERDICT {nonce}: approved")
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000));"
        "from guildmoot.cli.main import guild; sys.argv[0] = 'guild'; sys.exit(guild())"
    )
    done = subprocess.run(
        [shop.argv()[0], "-c", limited, "validate", ".", "--agents", "long"],
        cwd=shop.root,
        env=shop.env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 4, done.stderr
    assert "APPROVED" in done.stdout
    assert "record of this run is incomplete: File too large" in done.stdout


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["nowhere.py"], "nowhere.py"),
        (["--agents", ""], "empty agents list"),
        ([".", "--agents", "rufff"], "ruff"),
        ([".", "--report", "out.pdf"], ".sarif"),
        ([".", "--report", "no/such/out.md"], "does not exist"),
        (["--diff", "no..such"], "no"),
        ([".", "--timeout", "soon"], "invalid float"),
        ([".", "--timeout", "0"], "panel.timeout must be at least"),
        ([".", "--fail-on", "never"], "invalid choice"),
        (["/etc/passwd"], "outside"),
    ],
)
@pytest.mark.sample(3)
def test_bad_input_is_named_and_exits_64(shop, argv, says):
    shop.write("prices.py", GOOD)
    ran = shop.guild("validate", *argv)
    assert ran.code == 64, ran
    assert says in ran.err
    assert ran.out == ""


def test_bad_input_is_json_for_those_who_asked_for_it(shop):
    ran = shop.guild("validate", "nowhere.py", "--json")
    assert ran.code == ran.json["error"]["exit_code"] == 64
    assert "nowhere.py" in ran.json["error"]["message"]


def test_outside_a_repository_the_way_out_is_told(shop, tmp_path):
    done = subprocess.run(
        shop.argv("validate", "."), cwd=tmp_path, env=shop.env, capture_output=True, text=True
    )
    assert done.returncode == 64
    assert "git init" in done.stderr


def test_a_broken_agent_file_is_named_with_line_and_reason(shop):
    shop.write("prices.py", GOOD)
    shop.agent("odd.md", "---\nname: odd\ndescription: d\nbakend: tool\n---\n")
    ran = shop.guild("validate", ".", "--agents", "odd")
    assert ran.code == 64
    assert "odd.md:4" in ran.err
    assert "backend" in ran.err
    checked = shop.guild("agents", "check")
    assert checked.code == 64
    assert "odd.md:4" in checked.out


def test_advisories_fail_when_asked(shop):
    shop.write("prices.py", "import os\n" + GOOD)
    assert shop.guild("validate", ".").code == 0
    assert shop.guild("validate", ".", "--fail-on", "warn").code == 1


def test_no_record_leaves_nothing_behind(shop):
    shop.write("prices.py", GOOD)
    shop.guild("validate", ".", "--no-record")
    assert not (shop.root / ".guild").exists()


def test_progress_goes_to_standard_error_and_quiet_silences_it(shop):
    shop.write("prices.py", GOOD)
    assert "ruff" in shop.guild("validate", ".").err
    assert shop.guild("validate", ".", "-q").err == ""


def test_results_shown_to_the_judges_are_run_first(shop):
    shop.write("prices.py", GOOD)
    shop.agent(
        "echo.md",
        "---\nname: echo\ndescription: d\nbackend: command\ncommand: cat\n---\nJudge.\n",
    )
    shop.guild("validate", ".", "--agents", "echo", "--run", "echo measured 42; exit 3")
    [reply] = shop.root.glob(".guild/runs/*/replies/001-echo.txt")
    assert "measured 42" in reply.read_text()


def test_the_folder_of_records_ignores_itself_but_for_the_projects_own_work(shop):
    shop.write("prices.py", GOOD)
    shop.commit()
    shop.guild("validate", ".")
    assert shop.git("status", "--porcelain") == ""
    for name in (".guild/agents/mine.md", ".guild/baseline.json", ".guild/panel.toml"):
        shop.write(name, "x\n")
    shown = shop.git("status", "--porcelain", "-uall").split()[1::2]
    assert shown == [".guild/agents/mine.md", ".guild/baseline.json", ".guild/panel.toml"]
    assert not (shop.root / ".gitignore").exists()


def test_old_runs_are_cleared_away_by_themselves_and_new_ones_stay(shop):
    shop.write("prices.py", GOOD)
    shop.guild("validate", ".")
    [first] = shop.root.glob(".guild/runs/2*")
    for number in range(30):
        shutil.copytree(first, first.with_name(f"20200101-0000{number:02}-000000"))
    shop.guild("validate", ".", env={"GUILD_RUNS_KEEP_LAST": "0"})
    assert len([*shop.root.glob(".guild/runs/2*")]) == 32
    shop.guild("validate", ".", env={"GUILD_RUNS_KEEP_LAST": "5"})
    left = sorted(folder.name for folder in shop.root.glob(".guild/runs/2*"))
    assert [name[:4] == "2020" for name in left] == [True, True, False, False, False]


def test_standard_input_with_a_name_gets_the_judges_of_its_kind(shop):
    assert (
        shop.guild("validate", "-", stdin=BAD).code == 3
    )  # it is code, and nobody knows of which language
    ran = shop.guild("validate", "-", "--stdin-name", "app.py", "--json", stdin=BAD)
    assert ran.code == 2
    assert ran.json["blocking_findings"][0]["path"] == "app.py"
    assert shop.guild("validate", "-", "--stdin-name", "../x.py", stdin=BAD).code == 64
    assert shop.guild("validate", "-", "--stdin-name", ".env", stdin=BAD).code == 64


def test_a_committed_private_key_blocks_and_a_public_certificate_does_not(shop):
    shop.write("a.txt", "hello\n")
    shop.write("public.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n")
    shop.commit()
    assert shop.guild("validate", ".").code == 0
    key = "-----BEGIN PRIVATE" + " KEY-----\nMIIE\n-----END PRIVATE" + " KEY-----\n"
    shop.write("server.pem", key)
    shop.commit()
    ran = shop.guild("validate", ".", "--json")
    assert ran.code == 2
    assert [f["path"] for f in ran.json["blocking_findings"]] == ["server.pem"]


def test_a_tool_behind_our_adapter_that_is_not_installed_is_called_by_its_name(shop):
    shop.write("shop.js", "let a = 1;\n")
    ran = shop.guild("validate", "shop.js", "--agents", "eslint", "--json")
    [seat] = ran.json["roster"]["seats"]
    assert (ran.code, seat["status"]) == (4, "missing"), ran
    assert ": eslint is not installed" in seat["reason"]
    assert "{python}" not in ran.out


def test_a_key_that_is_here_is_offered_with_a_price_and_never_used_unasked(shop):
    shop.write("prices.py", GOOD)
    env = {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    ran = shop.guild("validate", ".", env=env)
    said = " ".join(ran.out.split())
    assert ran.code == 0, ran
    assert (
        "guild validate . --model anthropic:claude-sonnet-4-5 asks evaluators too (about $0."
        in said
    )
    said = " ".join(shop.guild("doctor", env=env).out.split())
    assert "ANTHROPIC_API_KEY is set: guild validate --model anthropic:claude-sonnet-4-5" in said


def test_stopped_while_files_are_read_it_ends_at_once_and_says_that_nothing_was_judged(shop):
    for number in range(1500):
        shop.write(f"p{number % 20}/m{number}.py", f"{GOOD}\nX = {number}\n" * 40)
    shop.commit()
    with subprocess.Popen(
        shop.argv("validate", "."),
        cwd=shop.root,
        env=shop.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(30) == 130
    assert first == b"reading what is to be judged\n"
    assert b"stopped" in said


@pytest.mark.parametrize("word", ["HEAD~1..HEAD", "main...HEAD", "HEAD", "abcdef12", "v1^"])
def test_commits_that_are_given_as_a_file_are_told_where_they_go(shop, word):
    ran = shop.guild("validate", word)
    assert ran.code != 0
    assert f"guild validate --diff {word}" in ran.err
