"""The server as clients meet it: a process on standard input and output, and on loopback."""

import json
import os
import subprocess
import threading
import time
from contextlib import contextmanager
from http.client import HTTPConnection

import anyio
import pytest

from guildmoot.mcp.http import serve_http
from guildmoot.mcp.jobs import McpJob
from guildmoot.mcp.tools import PROFILES

GOOD = '"""Prices."""\n\n\ndef price(net: int) -> int:\n    return net * 119 // 100\n'
SLOW = """---
name: slow
description: takes its time
backend: tool
command: [sleep, "30"]
format: lines
pattern: '(?P<path>[^:]+):(?P<line>\\d+):(?P<message>.*)'
exit_codes: {0: clean}
---
"""


class Client:
    """Speaks to a server line by line."""

    def __init__(self, process):
        self.process = process
        self.number = 0
        self.heard = []

    def ask(self, method, params=None):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params or {}})
        return self.answer(self.number)

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, number):
        for line in self.process.stdout:
            message = json.loads(line)  # nothing but the protocol is on standard output
            if message.get("id") == number:
                return message
            self.heard.append(message)
        raise AssertionError(self.process.stderr.read())

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]


@contextmanager
def served(shop, *options):
    with subprocess.Popen(
        shop.argv("mcp", *options),
        cwd=shop.root,
        env=shop.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        yield Client(process)
        process.stdin.close()
        process.wait(20)


def test_a_client_gets_a_verdict_mends_and_gets_another(shop):
    shop.write("shop.py", "def where():\n    return os.getcwd()\n")
    shop.commit()
    with served(shop) as client:
        flagged = client.call("validate")["structuredContent"]
        shop.write("shop.py", "import os\n\n\ndef where():\n    return os.getcwd()\n")
        mended = client.call("validate", paths=["shop.py"])["structuredContent"]
        report = client.ask("resources/read", {"uri": flagged["report"]})["result"]["contents"][0]
    assert flagged["verdict"] == "flagged"
    assert [row["code"] for row in flagged["blocking_findings"]] == ["F821"]
    assert (mended["verdict"], mended["status"]) == ("approved", "complete")
    assert "FLAGGED" in report["text"]
    assert (shop.root / ".guild/runs" / flagged["run_id"]).is_dir()


def test_what_cannot_be_done_is_an_error_for_the_model_and_the_session_goes_on(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    with served(shop) as client:
        for name, arguments, told in (
            ("wiki_get", {"path": "../../../etc/passwd"}, "no page of the wiki"),
            ("validate", {"paths": ["/etc/passwd"]}, "/etc/passwd"),
            ("validate", {"cwd": "/nowhere"}, "no folder"),
            ("council", {"paths": ["--verify=x y"]}, "there is no"),  # not: its question
            ("validate", {"model": "claude"}, "--allow"),
            ("run", {"run": "../../x"}, "no recorded run"),
            ("findings", {"action": "dismiss", "id": "1", "why": "x"}, "--allow"),
        ):
            result = client.call(name, **arguments)
            assert result["isError"], name
            assert told in result["content"][0]["text"]
        assert client.ask("no/such")["error"]["code"] == -32601
        assert client.ask("tools/call", {"name": "x"})["error"]["code"] == -32602
        assert (
            client.ask("resources/read", {"uri": "file:///etc/passwd"})["error"]["code"] == -32002
        )
        assert client.ask("ping")["result"] == {}


def test_a_long_judgement_is_a_run_that_is_asked_for_once_and_can_be_cancelled(shop, wait_until):
    shop.write("a.py", GOOD)
    shop.commit()
    shop.agent("slow.md", SLOW)
    shop.settings('[panel]\nadd = ["slow"]\n')
    with served(shop) as client:
        began = time.monotonic()
        client.send(
            {"id": 77, "method": "tools/call", "params": {"name": "validate", "arguments": {}}}
        )
        jobs = shop.home / ".local/state/guildmoot/jobs"
        wait_until(lambda: any(jobs.glob("2*/job.json")))
        [run] = [folder.name for folder in jobs.glob("2*")]
        status = client.call("run", run=run)["structuredContent"]
        assert (status["status"], status["run_id"]) == ("running", run)
        client.process.kill()  # the client and its server end
    with served(shop) as again:
        again.send(
            {"id": 78, "method": "tools/call", "params": {"name": "validate", "arguments": {}}}
        )
        assert again.call("run", run=run)["structuredContent"]["status"] == "running"
        assert len(list(jobs.glob("2*"))) == 1  # no second run was begun
        gone = again.call("run", run=run, action="cancel")
        assert gone["structuredContent"] == {"run_id": run, "status": "cancelled"}
        assert time.monotonic() - began < 28
        again.send({"method": "notifications/cancelled", "params": {"requestId": 78}})


def test_progress_is_told_under_the_token_of_the_client(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    shop.agent("slow.md", SLOW.replace('"30"', '"1"'))
    shop.settings('[panel]\nadd = ["slow"]\n')
    with served(shop) as client:
        params = {"name": "validate", "arguments": {}, "_meta": {"progressToken": "t"}}
        client.ask("tools/call", params)
    told = [row["params"] for row in client.heard if row.get("method") == "notifications/progress"]
    assert told
    assert {row["progressToken"] for row in told} == {"t"}
    assert [row["progress"] for row in told] == sorted({row["progress"] for row in told})


def test_profiles_offer_what_the_two_servers_of_the_seed_did(shop):
    for profile, names in {
        "memory": {"wiki_search", "wiki_get", "wiki_list"},
        "telemetry": {"trace_list_runs", "trace_summary", "trace_query", "trace_cost_rollup"},
    }.items():
        with served(shop, "--profile", profile) as client:
            tools = client.ask("tools/list")["result"]["tools"]
        assert {tool["name"] for tool in tools} == names
        assert all(tool["outputSchema"]["properties"] for tool in tools)


@pytest.mark.parametrize(
    ("code", "given", "paid", "answers"),
    [
        (2, None, False, True),  # nobody was given it
        (2, 60, True, True),  # it was, but may have been lost on its way: it is not paid again
        (2, 60, False, False),  # tools cost nothing: they are asked anew
        (2, 4_000, True, False),
        (4, 60, True, False),  # who did not answer is asked once more
    ],
)
def test_what_was_judged_and_paid_for_answers_the_same_question_again(
    tmp_path, code, given, paid, answers
):
    (tmp_path / "stdout").write_text(json.dumps({"exit_code": code}))
    if given is not None:
        (tmp_path / "delivered").touch()
        os.utime(tmp_path / "delivered", (time.time() - given,) * 2)
    assert McpJob(tmp_path).answers(paid=paid) is answers


def test_words_of_other_servers_are_known():
    tools = {tool.name: tool for profile in PROFILES.values() for tool in profile}
    assert tools["trace_summary"].read({"run": "last"}) == {"run_id": "last"}
    assert tools["wiki_list"].read({"updated_since": "2026"}) == {"since": "2026"}
    every = tools["trace_cost_rollup"].command({"since": "2026"})
    assert every == ["trace", "cost", "--json", "--since=2026"]


def test_pages_of_the_memory_are_found_and_read_by_their_path(shop):
    shop.write("cache.md", "# Cache\n\nThe cache is cleared at night by `clear_cache`.\n")
    shop.guild("wiki", "ingest", "cache.md", "--category", "concept")
    with served(shop, "--profile=memory") as client:
        [found] = client.call("wiki_search", query="clear_cache")["structuredContent"]["results"]
        page = client.call("wiki_get", path=found["path"])["structuredContent"]
        [listed] = client.call("wiki_list")["structuredContent"]["pages"]
    assert page["frontmatter"]["title"] == listed["title"] == "Cache"
    assert "cleared at night" in page["body"]


@pytest.mark.slow  # imports the official client
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_speaks_with_it_in_both_eras(shop, mode):
    from mcp import Client as OfficialClient
    from mcp import StdioServerParameters

    shop.write("a.py", GOOD)
    shop.commit()
    program, *argv = shop.argv("mcp")
    server = StdioServerParameters(command=program, args=argv, cwd=shop.root, env=shop.env)

    async def talk():
        async with OfficialClient(server, mode=mode) as client:
            tools = await client.list_tools()
            result = await client.call_tool("validate", {})
            return client.protocol_version, len(tools.tools), result.structured_content["verdict"]

    version = "2026-07-28" if mode == "auto" else "2025-11-25"
    assert anyio.run(talk) == (version, 8, "approved")


@pytest.mark.slow  # imports the official client
def test_the_official_client_speaks_with_it_over_http_only_with_the_token(shop):
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from mcp import Client as OfficialClient

    shop.write("a.py", GOOD)
    shop.commit()
    with subprocess.Popen(
        shop.argv("mcp", "--http=0"), cwd=shop.root, env=shop.env, stdout=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        token = process.stdout.readline().strip().partition("Bearer ")[2]

        async def talk():
            headers = {"Authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=30) as http,
                OfficialClient(streamable_http_client(url, http_client=http)) as client,
            ):
                return (await client.call_tool("validate", {})).structured_content["verdict"]

        async def refused(headers):
            async with httpx2.AsyncClient() as http:
                body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                return (await http.post(url, json=body, headers=headers)).status_code

        try:
            assert anyio.run(talk) == "approved"
            assert anyio.run(refused, {}) == 401
            right = {"Authorization": f"Bearer {token}"}
            assert anyio.run(refused, {**right, "Origin": "https://example.org"}) == 403
            assert anyio.run(refused, {**right, "Host": "example.org"}) == 403
        finally:
            process.kill()


@pytest.mark.parametrize("length", ["-5", "abc", "", "99999999999"])
def test_a_request_of_no_sound_length_is_refused_at_once(tmp_path, length):
    server = serve_http(PROFILES["default"], 0, "t0ken", tmp_path, allow=False)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        asked = HTTPConnection("127.0.0.1", server.server_port, timeout=5)
        asked.putrequest("POST", "/mcp")
        asked.putheader("Authorization", "Bearer t0ken")
        asked.putheader("Content-Length", length)
        asked.endheaders()
        assert asked.getresponse().status == 400
        asked.close()
    finally:
        server.shutdown()
        server.server_close()


def test_slips_in_options_are_told(shop):
    for argv, told in ((["--profil", "x"], "--profile"), (["--profile", "memori"], "memory")):
        ran = shop.guild("mcp", *argv)
        assert ran.code == 64
        assert told in ran.err


@pytest.mark.slow  # a round on a board, and a server
def test_a_board_is_a_resource_of_its_run(shop):
    shop.write("a.py", GOOD)
    shop.commit()
    script = shop.home / "said.txt"
    script.write_text("## Position\nA queue.\n")
    shop.agent(
        "planner.md",
        f"---\nname: planner\ndescription: plans\nrole: planner\nbackend: scripted\nreplies: {script}\n---\nPlan.\n",
    )
    ran = shop.guild(
        "whiteboard",
        "run",
        "--engineers",
        "planner",
        "--brief",
        "How?",
        "--board",
        "b.md",
        "--json",
    )
    assert ran.code == 0, ran.err
    uri = f"guild://run/{ran.json['run_id']}/board"
    with served(shop) as client:
        listed = client.ask("resources/list")["result"]["resources"]
        assert [row["uri"] for row in listed] == [uri]
        board = client.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"]
        assert "### From planner" in board
        (shop.root / "b.md").unlink()
        (shop.root / "b.md").symlink_to("/etc/passwd")
        assert client.ask("resources/read", {"uri": uri})["error"]["code"] == -32002
