"""What is told of a run is what happened: events, costs, summary and spans of real panels and councils."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from guildmoot.memory.traces.vocabulary import FIELDS, event_problem
from loopback import Rule, serving

MODEL = "anthropic:claude-sonnet-4-5"
OPENING = json.dumps(
    {
        "positioning": "here",
        "recommendations": [{"rank": n, "text": f"do {n}", "why": "w"} for n in (1, 2, 3)],
        "kill_list": [{"text": "stop", "why": "w"}],
        "top_risk": "time",
    }
)


def api_judge(shop, name, model=MODEL, tier="powerful"):
    shop.agent(
        f"{name}.md",
        f"---\nname: {name}\ndescription: judges\nbackend: api\nmodel: {model}\ntier: {tier}\n---\nJudge it.\n",
    )


def judged(shop, *agents, env=None):
    shop.write("a.py", "def price(x: int) -> int:\n    return x\n")
    shop.commit()
    with serving([Rule(text="{approved}")]) as provider:
        given = {**provider.environment(), "NO_PROXY": "127.0.0.1", **(env or {})}
        ran = shop.guild("validate", ".", "--agents", ",".join(agents), "--json", env=given)
    assert ran.code in (0, 3), ran
    return ran


def events(shop, *words):
    found = shop.guild("trace", "query", *words, "--json")
    assert found.code == 0, found
    return found.json["events"]


def test_a_panel_tells_its_phase_dispatches_receipts_tools_and_gate_in_the_words_of_the_vocabulary(
    shop,
):
    api_judge(shop, "kay")
    ran = judged(shop, "kay,ruff")
    rows = events(shop)
    assert [problem for row in rows if (problem := event_problem(row))] == []
    assert rows[0]["event"] == "phase_start"
    assert rows[-1] == rows[-1] | {"event": "phase_end", "status": "ok", "phase": "review"}
    asked = [row["specialist"] for row in rows if row["event"] == "specialist_dispatch"]
    assert sorted(asked) == ["kay", "ruff"]
    receipt = next(
        r for r in rows if r["event"] == "specialist_receipt" and r["specialist"] == "kay"
    )
    assert receipt["tokens"]["input"] > 0
    assert receipt["tokens"]["cost_usd"] > 0
    assert receipt["tier"] == "powerful"
    gate = next(row for row in rows if row["event"] == "gate_decision")
    assert gate["decision"] == ran.json["verdict"]
    tool = next(row for row in rows if row["event"] == "tool_call")
    assert tool["status"] == "ok"
    by_id = {row["span_id"]: row for row in rows}
    assert all(row["parent_span_id"] in by_id for row in rows if "parent_span_id" in row)
    assert events(shop) == rows


def test_cost_rolls_up_by_tier_model_specialist_and_phase_and_each_sums_to_the_total(shop):
    api_judge(shop, "kay")
    api_judge(shop, "liz", tier="cheap")
    api_judge(shop, "tom", "ollama:own-model", tier="cheap")
    ran = judged(shop, "kay,liz,tom,ruff")
    found = shop.guild("trace", "cost", "--json").json
    assert set(found["by"]) == {"tier", "model", "specialist", "phase"}
    for rows in found["by"].values():
        for field in ("calls", "input_tokens", "output_tokens", "unknown_calls"):
            assert sum(row[field] for row in rows) == found["total"][field]
    seats = {seat["name"]: seat for seat in ran.json["roster"]["seats"]}
    for row in found["by"]["specialist"]:
        seat = seats[row["name"]]
        assert row["usd"] == pytest.approx(seat["usd"], abs=2e-6)
        assert row["input_tokens"] == (seat["usage"] or {"input_tokens": 0})["input_tokens"]
    assert {row["name"] for row in found["by"]["tier"]} == {"powerful", "cheap", "untiered"}


def test_a_price_that_nobody_knows_is_unknown_and_not_nothing(shop):
    api_judge(shop, "kay", "anthropic:no-such-model-9")
    judged(shop, "kay")
    found = shop.guild("trace", "cost", "--json").json
    assert found["total"]["usd"] == "unknown"
    assert found["total"]["input_tokens"] > 0
    assert "unknown" in shop.guild("trace", "cost").out


def test_rounds_of_a_debate_are_told(shop):
    shop.write("prices.py", "LIMIT = 3\n")
    shop.commit()
    with serving([Rule(text=OPENING)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        words = ("--perspectives", "beck,hickey", "debate", "one repository")
        assert shop.guild("council", "--model", MODEL, *words, env=env).code == 0
    rows = events(shop)
    assert [problem for row in rows if (problem := event_problem(row))] == []
    started = [row["round_number"] for row in rows if row["event"] == "loop_round_start"]
    ended = [row["round_number"] for row in rows if row["event"] == "loop_round_end"]
    assert started == ended == list(range(1, len(started) + 1))
    assert len(started) > 1


def test_the_summary_is_the_same_bytes_again_and_lies_in_the_folder_of_the_run(shop):
    api_judge(shop, "kay")
    judged(shop, "kay,ruff")
    first = shop.guild("trace", "summary", "--json").json
    second = shop.guild("trace", "summary", "--json").json
    assert first == second
    with open(first["path"], encoding="utf-8") as file:
        assert file.read() == first["text"]
    for part in ("event_count: ", "## Timeline", "## Gates", "## Tools", "## Reflection hints"):
        assert part in first["text"]
    assert max(map(len, shop.guild("trace", "query").out.splitlines())) <= 80


def test_a_killed_run_tells_who_was_asked_and_never_answered(shop, wait_until):
    shop.write("a.py", "x = 1\n")
    shop.commit()
    mark = shop.root.parent / "asked"
    script = f"cat > /dev/null; echo > '{mark}'; while kill -0 $PPID; do sleep 0.05; done"
    shop.agent(
        "slow.md",
        "---\nname: slow\ndescription: d\nbackend: command\n"
        f"command: {json.dumps(['sh', '-c', script])}\n---\nJudge it.\n",
    )
    started = subprocess.Popen(
        shop.argv("validate", ".", "-q", "--agents", "slow"), cwd=shop.root, env=shop.env,
        stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    wait_until(mark.exists)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    rows = events(shop)
    assert [row["event"] for row in rows] == ["phase_start", "specialist_dispatch"]
    text = shop.guild("trace", "summary").out
    assert "1 specialists never answered" in text
    assert "review: not ended" in text


def test_what_hooks_logged_is_told_with_the_run_and_a_call_that_never_ended_failed(shop):
    run = shop.root / ".guild/runs/run-20261117-120000-links"
    (run / "logs").mkdir(parents=True)
    call = {
        "ts": "2026-11-17T12:00:05.000Z", "event": "tool_call", "run_id": run.name, "tool": "Bash",
        "tool_use_id": "t1", "command_redacted": "ls", "status": "ok", "latency_ms": 1500,
        "result_excerpt_redacted": "",
    }  # fmt: skip
    lost = {
        "run_id": run.name, "tool": "Edit", "tool_use_id": "t2", "ts_pre": "2026-11-17T12:00:06.000Z",
        "command_redacted": "a.py",
    }  # fmt: skip
    (run / "logs/v1.4-events.jsonl").write_text(json.dumps(call) + "\n{broken\n")
    (run / "logs/tool-call-pre.jsonl").write_text(json.dumps(lost) + "\n")
    rows = [row for row in events(shop, run.name) if row["event"] == "tool_call"]
    assert [(row["tool"], row["status"]) for row in rows] == [("Bash", "ok"), ("Edit", "err")]
    assert "1 lines of the log cannot be read" in shop.guild("trace", "summary", run.name).out
    shop.guild("trace", "export", run.name, "--otlp", "out.json")
    spans = json.loads((shop.root / "out.json").read_text())["resourceSpans"][0]["scopeSpans"][0]
    bash = next(span for span in spans["spans"] if span["name"] == "execute_tool Bash")
    took = int(bash["endTimeUnixNano"]) - int(bash["startTimeUnixNano"])
    assert took == 1_500_000_000


def test_assumptions_and_pages_that_a_session_was_told_are_told(shop):
    api_judge(shop, "kay")
    ran = judged(shop, "kay")
    run = ran.json["run_id"]
    words = ("decide", "Which port?", "--answer", "8080", "--significance", "low", "--run", run)
    assert shop.guild(*words).code == 0
    [row] = events(shop, run, "--event", "assumption_logged")
    assert row["assumption_text"] == "Which port? -> 8080"
    assert event_problem(row) == ""
    told = {
        "ts": "2026-11-17T12:00:05.000Z", "event": "hook_event", "run_id": run, "hook_name": "SessionStart",
        "payload_excerpt_redacted": "", "latency_ms": 0, "status": "ok", "pages": ["concepts/caching.md"],
    }  # fmt: skip
    folder = shop.root / ".guild/runs" / run
    (folder / "logs").mkdir()
    (folder / "logs/v1.4-events.jsonl").write_text(json.dumps(told) + "\n")
    text = shop.guild("trace", "summary", run).out
    assert "told: concepts/caching.md" in text
    assert "Which port? -> 8080" in text


def attributes(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def test_spans_reach_a_collector_on_loopback_and_carry_the_genai_words(shop):
    api_judge(shop, "kay")
    judged(shop, "kay,ruff")
    taken = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.append((self.path, self.headers["x-key"], json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            return

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        env = {"OTEL_EXPORTER_OTLP_HEADERS": "x-key=open%20sesame"}
        done = shop.guild("trace", "export", "last", "--otlp", url, env=env)
    finally:
        server.shutdown()
        server.server_close()
    assert done.code == 0, done
    [(path, key, document)] = taken
    assert (path, key) == ("/v1/traces", "open sesame")
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert len({span["traceId"] for span in spans}) == 1
    assert all(len(span["traceId"]) == 32 and len(span["spanId"]) == 16 for span in spans)
    [whole] = [span for span in spans if "parentSpanId" not in span]
    assert {span["parentSpanId"] for span in spans if span is not whole} == {whole["spanId"]}
    chat = next(span for span in spans if span["name"].startswith("chat "))
    facts = attributes(chat)
    assert facts["gen_ai.operation.name"] == "chat"
    assert facts["gen_ai.provider.name"] == "anthropic"
    assert facts["gen_ai.agent.name"] == "kay"
    assert int(facts["gen_ai.usage.input_tokens"]) > 0
    assert facts["guild.cost_usd"] > 0
    assert shop.guild("trace", "export", "last", "--otlp", url).code == 4  # it is gone


@pytest.mark.parametrize(
    "url", ["http://example.org/v1/traces", "ftp://localhost/x", "https://a:b@example.org"]
)
def test_an_address_that_others_could_hear_is_refused(shop, url):
    api_judge(shop, "kay")
    judged(shop, "kay")
    done = shop.guild("trace", "export", "last", "--otlp", url)
    assert done.code == 64
    assert "Traceback" not in done.err


def test_bad_names_and_words_are_refused_with_help(shop):
    shop.write("a.py", "x = 1\n")
    shop.commit()
    assert shop.guild("trace", "summary").code == 64
    shop.guild("validate", ".", "-q")
    for words in (
        ("query", "nope"), ("query", "../.."), ("query", "--event", "nope"), ("nope",),
        ("export", "last"), ("prune", "--keep", "many"), ("prune",),
    ):  # fmt: skip
        assert shop.guild("trace", *words).code == 64, words
    assert len(shop.guild("trace", "runs", "--json").json["runs"]) == 1


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"event": "nope"}, "no event"),
        ({"event": "phase_start", "ts": "t", "run_id": "r"}, "lacks phase"),
        ({"event": "phase_start", "ts": "t", "run_id": "r", "phase": "sleep"}, "none of"),
        ({"event": "phase_start", "ts": "t", "run_id": "r", "phase": "plan", "tier": None}, "null"),
        (
            {"event": "phase_end", "ts": "t", "run_id": "r", "phase": "plan", "duration_ms": -1, "status": "ok"},
            "no number",
        ),
    ],
)  # fmt: skip
def test_what_is_no_event_is_told(row, why):
    assert why in event_problem(row)


def test_the_vocabulary_has_the_twelve_events():
    assert len(FIELDS) == 12
