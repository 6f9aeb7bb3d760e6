"""The verbs that work on files alone, as a program calls them."""

import asyncio

import pytest

import guildmoot
from guildmoot.errors import UsageError


def test_a_board_is_made_written_on_decided_on_and_summed_up(tmp_path):
    async def design():
        board = tmp_path / "board.md"
        await guildmoot.init_board(board, "How should the cache expire?")
        sections = [
            guildmoot.BoardSection("ann", "Use a queue."),
            guildmoot.BoardSection("ben", "-"),
        ]
        added = await guildmoot.append_round(board, sections)
        decision, is_new = await guildmoot.decide_on_board(
            board, "use-a-queue", "it drains", "A queue"
        )
        assert (added.number, await guildmoot.next_round(board)) == (1, 2)
        assert (decision.choice, is_new) == ("A queue", True)
        assert (await guildmoot.read_board(board)).topic == "How should the cache expire?"
        return await guildmoot.summarise_board(board)

    assert [each.number for each in asyncio.run(design()).board.rounds] == [1]


def test_a_probe_is_kept_listed_and_removed(shop):
    shop.write("typo.py", "totl = 1\n")

    async def keep():
        work = guildmoot.PacketRequest(("typo.py",), shop.root)
        new = guildmoot.NewProbe("typo", "flagged", work, ("typo.py:1",))
        await guildmoot.add_probe(new, cwd=shop.root)
        listed = await guildmoot.list_probes(cwd=shop.root)
        removed = await guildmoot.remove_probe("typo", cwd=shop.root)
        assert not removed.exists()
        return [(case.name, case.findings[0].place) for case in listed]

    assert asyncio.run(keep()) == [("typo", "typo.py:1")]
    with pytest.raises(UsageError, match="nothing was measured"):
        asyncio.run(guildmoot.probe_report(shop.root))


def test_findings_of_a_project_are_appended_and_counted(tmp_path):
    (tmp_path / "projects" / "shop").mkdir(parents=True)
    row = guildmoot.FindingRow("shop", "evaluator-api", "c-1", "no timeout")

    async def twice():
        marks = {await guildmoot.append_finding(row, tmp_path) for _ in range(2)}
        return len(marks), await guildmoot.count_findings(row, tmp_path)

    assert asyncio.run(twice()) == (1, 2)


def test_recipes_and_phases_name_their_agents():
    assert "plan-api" in asyncio.run(guildmoot.recipe("plan-feature"))
    assert all(name.startswith("plan-") for name in asyncio.run(guildmoot.phase_roster("plan")))


def test_a_review_takes_no_other_task_than_a_verdict(tmp_path):
    options = guildmoot.CouncilOptions(technique="scamper")
    request = guildmoot.CouncilRequest(options, guildmoot.PacketRequest(cwd=tmp_path))
    with pytest.raises(UsageError):
        asyncio.run(guildmoot.vibe(request))


def test_a_worker_of_a_wrong_name_and_an_engine_without_address_are_refused(monkeypatch, tmp_path):
    monkeypatch.delenv("GUILD_ENGINE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no name for a worker"):
        asyncio.run(guildmoot.work(guildmoot.WorkerRequest("not a name")))
    with pytest.raises(UsageError, match="no engine is named"):
        asyncio.run(guildmoot.engine_status())
    with pytest.raises(UsageError, match="between 1 and 3600"):
        asyncio.run(guildmoot.migrate_engine("postgresql://g@127.0.0.1/g", lease=0))
