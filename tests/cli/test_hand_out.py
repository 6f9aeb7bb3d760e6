"""The host's own agents as judges: prompts handed out, replies handed in, one verdict like any other's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guildmoot.api.handed import read_replies
from guildmoot.errors import UsageError

CODE = "def pages(total, size):\n    return total // size\n"
FLAGGED = """Reasons:
- BLOCKING: boundary-slip: shop.py:2 `return total // size`: with 101 and 50 the last page is lost.

Suggested remedies:
- Round up: `-(-total // size)`.

VERDICT {nonce}: flagged
"""
IN_CLAUDE = {"CLAUDECODE": "1"}


def hand_out(shop, *argv, stdin=""):
    ran = shop.guild(*argv, "--hand-out", "--json", env=IN_CLAUDE, stdin=stdin)
    assert ran.code == 0, ran.err + ran.out
    return ran.json


@pytest.mark.slow  # six commands, one after another
def test_a_panel_is_handed_out_repaired_and_counted_as_every_other_run(shop):
    shop.write("shop.py", CODE)
    shop.commit()
    two = "evaluator-correctness,evaluator-contract-fit"
    out = hand_out(shop, "validate", "shop.py", "--agents", two)
    assert (out["result"], out["host"], len(out["calls"])) == ("waiting", "claude", 2)
    assert out["waves"] == [[call["id"] for call in out["calls"]]]
    first, second = out["calls"]
    for call in out["calls"]:
        assert call["prompt"] == Path(call["prompt_file"]).read_text()
        assert f"VERDICT {call['nonce']}: approved" in call["prompt"]
    assert shop.guild("runs", "list", "--json").json["runs"][0]["state"] == "interrupted"
    told = shop.guild("status-line", stdin=json.dumps({"cwd": str(shop.root)}))
    assert told.out == "phase: unknown | last: interrupted | waits for 2\n"
    # One reply in its place, one that is no vote: only that one is asked once more.
    Path(first["reply_file"]).write_text(FLAGGED.format(nonce=first["nonce"]))
    ran = shop.guild(
        "collect", "--replies", "-", "--json", stdin=json.dumps({second["seat"]: "Looks fine."})
    )
    assert ran.code == 3, ran.err
    [again] = ran.json["calls"]
    assert (again["seat"], again["attempt"]) == (second["seat"], 1)
    assert again["nonce"] != second["nonce"]
    folder = shop.root.parent / "out"
    folder.mkdir()
    (folder / f"{second['seat']}.md").write_text(f"VERDICT {again['nonce']}: approved\n")
    ran = shop.guild("collect", out["run_id"], "--replies", str(folder), "--json")
    report = ran.json
    assert (ran.code, report["verdict"], report["run_id"]) == (2, "flagged", out["run_id"])
    assert [f["path"] for f in report["blocking_findings"]] == ["shop.py"]
    seats = report["roster"]["seats"]
    assert {(s["backend"], s["family"], s["usd"]) for s in seats} == {("host", "anthropic", 0.0)}
    assert report["counts"]["families"] == 1
    assert any("handed out: the judges are agents of claude" in why for why in report["reasons"])
    again = shop.guild("replay", "last", "--json").json
    assert again["verdict"] == "flagged"
    assert shop.guild("collect").code == 64  # nobody is waited for


@pytest.mark.parametrize("said", [5, None, True, 1.5])
def test_what_is_no_text_is_no_reply(said):
    with pytest.raises(UsageError, match="lacks"):
        read_replies(json.dumps({"evaluator-tests": said}))
    assert read_replies('{"evaluator-tests": {"a": 1}}') == {"evaluator-tests": '{"a": 1}'}


@pytest.mark.slow  # four to six commands, one after another
def test_who_does_not_answer_is_absent_when_the_host_waits_no_longer(shop):
    shop.write("shop.py", CODE)
    shop.commit()
    out = hand_out(shop, "validate", "shop.py", "--agents", "evaluator-correctness")
    wrong = shop.guild("collect", "--replies", "-", "--json", stdin='{"evaluator-corectness": "x"}')
    assert (wrong.code, "evaluator-correctness" in wrong.json["error"]["hint"]) == (64, True)
    ran = shop.guild("collect", "--close", "--json")
    assert (ran.code, ran.json["run_id"]) == (4, out["run_id"])
    assert "no reply was handed in" in ran.json["roster"]["seats"][0]["reason"]
    refused = shop.guild("validate", "shop.py", "--hand-out", "--no-record")
    assert (refused.code, "needs the run's record" in refused.err) == (64, True)


@pytest.mark.slow  # four to six commands, one after another
def test_a_council_and_a_whiteboard_go_the_same_road(shop):
    shop.write("shop.py", CODE)
    shop.commit()
    out = hand_out(shop, "council", "validate", "shop.py")
    assert (out["kind"], len(out["calls"])) == ("council", 2)
    assert all('"verdict"' in call["prompt"] for call in out["calls"])
    assert all("verdict" in call["schema"]["properties"] for call in out["calls"])
    vote = {
        "verdict": "PASS", "confidence": "HIGH", "key_insight": "It divides as asked.",
        "findings": [], "recommendation": "Ship it.", "schema_version": 4,
    }  # fmt: skip
    said = {call["id"]: json.dumps(vote) for call in out["calls"]}
    done = shop.guild("collect", "--replies", "-", "--json", stdin=json.dumps(said))
    assert (done.code, done.json["outcome"]) == (0, "PASS"), done.out
    assert any("handed out" in note for note in done.json["notes"])
    engineers = "plan-data,plan-api"
    board = hand_out(
        shop, "whiteboard", "run", "--engineers", engineers, "--brief", "How to page?",
        "--board", "board.md", "--rounds", "1",
    )  # fmt: skip
    assert {call["seat"] for call in board["calls"]} == {"plan-data", "plan-api"}
    assert not (shop.root / "board.md").exists()
    said = {call["seat"]: "## Decisions\n- paging: round up\n" for call in board["calls"]}
    done = shop.guild(
        "collect", board["run_id"], "--replies", "-", "--json", stdin=json.dumps(said)
    )
    assert done.code == 3  # a clerk's question about the sections is handed out as well
    said = {call["id"]: '{"decisions": []}' for call in done.json["calls"]}
    done = shop.guild("collect", "--replies", "-", "--json", stdin=json.dumps(said))
    assert done.code == 0, done.out + done.err
    assert "### From plan-data" in (shop.root / "board.md").read_text()
    road = "handed out: the engineers are agents of claude"
    assert any(road in note for note in done.json["notices"])


@pytest.mark.slow  # three commands
def test_agents_that_are_spawned_by_the_host_give_their_words_in_the_order_asked(shop):
    shop.write("shop.py", CODE)
    shop.commit()
    asked, told = ("fixer", "plan-api", "fixer"), '{"plan-api": "You own the API."}'
    out = hand_out(
        shop, "spawn", "--agents", ",".join(asked), "--brief", "Say hello.", "--context", told
    )
    assert [call["seat"] for call in out["calls"]] == ["fixer#0", "plan-api#1", "fixer#2"]
    assert "You own the API." in out["calls"][1]["prompt"]
    said = json.dumps({"fixer#2": "ho", "fixer#0": "hi"})
    assert shop.guild("collect", "--replies", "-", "--json", stdin=said).code == 3
    done = shop.guild("collect", "--close", "--json")
    assert (done.code, done.json["agents"], done.json["run_id"]) == (0, [*asked], out["run_id"])
    words = [row["output"] for row in done.json["outputs"]]
    assert words == ["hi", "guild-spawn-error: failed: no reply was handed in", "ho"]
    assert any("agents of claude, one family" in note for note in done.json["notices"])
