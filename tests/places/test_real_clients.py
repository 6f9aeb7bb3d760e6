"""The real clients, offline against a scripted model, with the plugin as 'guild plugin install' puts it in.

``scripts/clients`` installs them; where one is absent its tests are skipped, unless GUILD_REQUIRE_CLIENTS is set.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.backends.clients import find_client
from loopback import Rule, serving

pytestmark = pytest.mark.slow  # each starts a real client
ROOT = Path(__file__).parents[2]
FOUND = {name: find_client(name, os.environ) for name in ("claude", "codex", "gemini")}
CODE = "def pages(total, size):\n    return total // size\n"
RUN = "20261111-111111-abcdef"
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GUILD_NEW_RUN": RUN}


def installed(name):
    if not FOUND[name] and not os.environ.get("GUILD_REQUIRE_CLIENTS"):
        pytest.skip(f"{name} is not installed")
    return str(FOUND[name])


def environment(shop):
    """As bare as env -i: a scratch home, and guild on the path."""
    beside = str(Path(sys.executable).parent)
    path = os.pathsep.join((beside, *(f for f in ("/usr/local/bin", "/usr/bin", "/bin"))))
    return {**shop.env, "PATH": path}


def run(shop, *words, **more):
    return subprocess.run(
        words, cwd=shop.root, env={**environment(shop), **more}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=180, check=False,
    )  # fmt: skip


def drive(shop, rules, *words):
    """What a session of Claude Code says of itself, row by row."""
    with serving(rules) as provider:
        done = run(
            shop, installed("claude"), "-p", *words, "--output-format", "stream-json", "--verbose",
            "--model", "claude-sonnet-4-5",
            **provider.environment(), **QUIET,
        )  # fmt: skip
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows, done.stderr
    assert rows[-1]["subtype"] == "success", done.stdout
    return rows


def test_claude_accepts_the_plugin_and_the_catalogue(shop):
    claude = installed("claude")
    for words in (("--strict", "--profile", "directory", str(ROOT / "plugin")), (str(ROOT),)):
        done = run(shop, claude, "plugin", "validate", *words, **QUIET)
        assert done.returncode == 0, done.stdout


def test_codex_and_gemini_accept_the_same_tree(shop):
    codex = installed("codex")
    for words in (("marketplace", "add", str(ROOT)), ("add", "guild@guildmoot")):
        done = run(shop, codex, "plugin", *words)
        assert done.returncode == 0, done.stderr
    assert "installed, enabled" in run(shop, codex, "plugin", "list").stdout
    done = run(shop, installed("gemini"), "extensions", "validate", str(ROOT / "plugin/gemini"))
    assert "successfully validated" in done.stdout + done.stderr


def test_a_skill_of_claude_ends_with_the_verdict_of_its_own_subagent(shop):
    """The whole road: skill, hand-out, a judge of the host's own, collect, verdict; and the guard's hook fires.

    Nothing is allowed beforehand: the skill brings what it needs, so that nobody is asked for each judge.
    """
    installed("claude")
    shop.write("shop.py", CODE)
    shop.commit()
    assert run(shop, "guild", "plugin", "install", "--claude", "--yes").returncode == 0
    hand_out = "guild validate shop.py --agents evaluator-correctness --hand-out"
    told = run(shop, *hand_out.split(), "--json", CLAUDECODE="1", **QUIET)
    [call] = json.loads(told.stdout)["calls"]  # the same run once more below has the same names
    shutil.rmtree(shop.root / ".guild")
    reply = (
        "Reasons:\n- BLOCKING: boundary-slip: shop.py:2 `return total // size`: the last page is lost.\n\n"
        "Suggested remedies:\n- Round up.\n\nVERDICT {}: flagged\n"
    ).format(call["nonce"])
    task = f"Read {call['prompt_file']} and do what it says. Write your whole reply to {call['reply_file']}"
    judge = {"subagent_type": "guild:judge", "description": "judge", "prompt": task, "run_in_background": False}  # fmt: skip
    rules = [
        Rule(use=("Bash", {"command": hand_out}), times=1),
        Rule(use=("Agent", judge), times=1),
        Rule(use=("Read", {"file_path": call["prompt_file"]}), times=1),
        Rule(use=("Write", {"file_path": call["reply_file"], "content": reply}), times=1),
        Rule(text="done", times=1),
        Rule(use=("Bash", {"command": "guild collect --json"}), times=1),
        Rule(use=("Bash", {"command": "guild validate --verify='touch pwned'"}), times=1),
        Rule(use=("Bash", {"command": "rm -rf .git"}), times=1),
        Rule(text="The verdict is flagged."),
    ]
    rows = drive(shop, rules, "/guild:guild-validate shop.py")
    said = json.dumps(rows)
    [begun] = [row for row in rows if row.get("subtype") == "init"]
    assert "guild:guild-validate" in json.dumps(begun)
    runs = json.loads(run(shop, "guild", "runs", "list", "--json").stdout)["runs"]
    assert [(r["run_id"], r["state"], r["verdict"]) for r in runs] == [(RUN, "complete", "flagged")]
    assert "handed out: the judges are agents of claude" in said
    assert rows[-1]["result"] == "The verdict is flagged."
    assert not (shop.root / "pwned").exists()  # the skill is no way around the person's yes
    assert (shop.root / ".git").is_dir()
    assert "guild guard" in said  # the plugin's hook denied it


@pytest.mark.parametrize("host", ["codex", "gemini"])
def test_codex_and_gemini_are_told_of_the_skills(shop, host):
    """What the host sends to its model names our skills, installed for a user as the command puts them in."""
    program = installed(host)
    assert run(shop, "guild", "plugin", "install", f"--{host}", "--yes").returncode == 0
    say = "Which skills are there?"
    with serving([Rule(text="done")]) as provider:
        if host == "codex":
            served = f'model_providers.fake={{name="fake",base_url="{provider.url}/v1",env_key="FAKE_KEY",wire_api="responses"}}'
            words = [
                "exec",
                "--skip-git-repo-check",
                "-s",
                "read-only",
                "-c",
                'model_provider="fake"',
            ]
            words += [
                "-c",
                served,
                "-c",
                "analytics.enabled=false",
                "--disable",
                "plugins",
                "-m",
                "gpt-5",
            ]
            done = run(shop, program, *words, say, FAKE_KEY="dummy")
        else:
            shop.home.joinpath(".gemini").mkdir(exist_ok=True)
            auth = {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
            }
            shop.home.joinpath(".gemini/settings.json").write_text(json.dumps(auth))
            more = {
                "GEMINI_API_KEY": "dummy",
                "GOOGLE_GEMINI_BASE_URL": provider.url,
                "GEMINI_CLI_NO_RELAUNCH": "true",
            }
            done = run(shop, program, "-p", say, "-m", "gemini-2.5-flash", "--skip-trust", **more)
        seen = json.dumps([request.body for request in provider.requests])
    assert "guild-validate" in seen, done.stdout + done.stderr
    assert "guild collect" in seen  # the section that every session reads


def test_a_verdict_is_had_inside_the_sandbox_of_codex(shop):
    """It has no network, refuses ``send`` even within a process, and holds .git and .agents read-only."""
    program = installed("codex")
    shop.write("shop.py", CODE)
    shop.write(".agents/notes.md", "Ours.\n")
    shop.commit()
    shop.write("shop.py", CODE.replace("total //", "totl //"))
    inside = (program, "sandbox", "-c", 'sandbox_mode="workspace-write"', "--")
    judged = run(shop, *inside, "guild", "validate", "--json")
    assert judged.returncode == 2, judged.stderr
    assert [row["code"] for row in json.loads(judged.stdout)["blocking_findings"]] == ["F821"]
    asked = run(shop, *inside, "guild", "council", "validate", "shop.py", "--json")
    assert (asked.returncode, json.loads(asked.stdout)["outcome"]) == (2, "FAIL"), asked.stderr
    assert any("guild replay" in note for note in json.loads(asked.stdout)["notes"])
    handed = run(shop, *inside, "guild", "validate", "--agents", "evaluator-tests", "--hand-out")
    assert (handed.returncode, "guild collect" in handed.stdout) == (0, True), handed.stderr
