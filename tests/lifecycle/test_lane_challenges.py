"""What challenges find in a lane's work is told, handed to its next attempt, and in the way where it is grave."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, execute, project, script
from tests.lifecycle.test_proof_run import GOOD

from guildmoot.api.lifecycle.proof import LanesReviewed, accept_item, review_lanes
from guildmoot.config import Flags, Origin
from guildmoot.lifecycle.drafting.rounds import SENTINEL
from guildmoot.lifecycle.lint import lint

pytestmark = pytest.mark.slow
LANE = "T1-copywriter"
SETTINGS: Flags = {"work.model": Origin("said", "--model"), "work.loops": ("implementation",)}


def finds(text: str, severity: str, met: str = "false") -> str:
    row = f"- {text}. severity: {severity}, addressed_by_owner: {met}"
    return f"## Findings\n{row}\n{SENTINEL}\n"


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    agents = tmp_path / "xdg_config_home" / "guildmoot" / "agents"
    agents.mkdir(parents=True)

    def write(**layers: str) -> None:
        replies = {"*": SENTINEL, **{f"{name}-{LANE}": said for name, said in layers.items()}}
        (agents / "said.json").write_text(json.dumps({"replies": replies}))
        head = "name: said\ndescription: it\nrole: clerk\nbackend: scripted\nreplies: said.json"
        (agents / "said.md").write_text(f"---\n{head}\n---\n")

    return write


def reviewed(root: Path) -> LanesReviewed:
    return asyncio.run(review_lanes(SLUG, root, settings=SETTINGS))


def test_a_grave_finding_goes_back_with_all_that_was_found(tmp_path: Path, says) -> None:
    root = project(tmp_path / "p", {LANE: ()})
    better = {"files": {"app/a.py": "PAGE = 2\n"}, "modified": ["app/a.py"]}
    worker = script(root, T1=[GOOD, {**GOOD, **better}])
    execute(root, worker)
    says(L3=finds("an empty page is lost", "medium"), L4=finds("no test fails", "critical"))
    first = reviewed(root)
    assert (first.verdict, first.sent_back) == ("fail", (LANE,))
    assert first.lanes[0].failing == ("L4 critical: no test fails.",)
    text = first.file.read_text()
    assert "- T1-copywriter: L3 medium: an empty page is lost. (open)" in text
    assert "- T1-copywriter: L4 critical: no test fails. (open)" in text
    assert "; challenged by said" in text
    execute(root, worker)
    sent = first.file.parent / "attempts" / f"{LANE}-2" / "sent-back.md"
    assert "no test fails" in sent.read_text()
    assert "an empty page is lost" in sent.read_text()
    says(L3=finds("an empty page is lost", "medium", "true"), security=finds("x is logged", "low"))
    last = reviewed(root)
    assert (last.verdict, last.lanes[0].stage2) == ("follow-up", "follow-up")
    assert "security low: x is logged." in last.lanes[0].followups
    assert [each.addressed for each in last.lanes[0].findings] == [True, False]
    assert lint([str(last.file)], root)[0].problems == ()


def test_a_finding_that_stays_grave_waits_for_a_persons_word(tmp_path: Path, says) -> None:
    root = project(tmp_path / "p", {LANE: ()})
    acts = [{**GOOD, "files": {**GOOD["files"], "app/a.py": f"PAGE = {n}\n"}} for n in range(4)]
    worker = script(root, T1=[acts[0], *({**each, "modified": list(each["files"])} for each in acts[1:])])  # fmt: skip
    says(L3=finds("it is lost", "high"))
    for sent_back in ((LANE,), (LANE,), (LANE,), ()):
        assert execute(root, worker).status == "done"
        found = reviewed(root)
        assert found.sent_back == sent_back
    assert (found.status, found.lanes[0].failing) == (
        "undecided", ("it left open: L3 high: it is lost.",)
    )  # fmt: skip
    assert asyncio.run(accept_item(LANE, "it is so by intent", SLUG, root))
    again = reviewed(root)
    assert again.verdict == "pass"
    assert "it is so by intent" in again.file.read_text()


def test_one_that_does_not_say_how_grave_it_is_is_told_all_the_same(tmp_path: Path, says) -> None:
    root = project(tmp_path / "p", {LANE: ()})
    execute(root, script(root, T1=GOOD))
    says(L3=f"## Findings\n- it is slow\n{SENTINEL}\n", L4=f"## Findings\n- none\n{SENTINEL}\n")
    found = reviewed(root)
    assert found.verdict == "follow-up"
    assert found.lanes[0].followups[-1] == "L3 unrated: it is slow"
    assert len(found.lanes[0].findings) == 1
