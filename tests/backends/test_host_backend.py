"""Prompts are handed out until a reply lies in its place, and the same question has the same place."""

from __future__ import annotations

import asyncio

from guildmoot.agents.roster import seat_for
from guildmoot.backends.host import (
    BACKEND,
    HostBackend,
    close_calls,
    host_name,
    open_calls,
)
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call

AGENT = Agent("judge/..", "judges", "", "built in", backend="host")
CALL = Call(seat_for(AGENT, "named"), AGENT, "Judge \ud800 this.", nonce="abcd1234")


def ask(backend, call=CALL):
    return asyncio.run(backend.call(call))


def test_a_prompt_waits_for_its_reply_whoever_asks_again(tmp_path):
    folder = tmp_path / "handed"
    first = HostBackend(folder)
    assert ask(first).status == "cancelled"
    first.close()
    [told] = open_calls(folder)
    assert (told.seat, told.nonce, told.attempt) == ("judge/..", "abcd1234", 0)
    assert "/" not in told.id
    reply = folder / f"{told.id}.reply.md"
    assert told.reply_file == str(reply)
    reply.write_text("  \n")
    again = HostBackend(folder)
    assert ask(again).status == "cancelled"  # an empty file is no reply
    reply.write_text("VERDICT abcd1234: approved")
    last = HostBackend(folder)
    assert (ask(last).status, ask(last).text) == ("answered", "VERDICT abcd1234: approved")
    last.close()
    assert open_calls(folder) == []


def test_a_link_is_no_reply_and_who_is_waited_for_no_longer_is_absent(tmp_path):
    folder = tmp_path / "handed"
    begun = HostBackend(folder)
    ask(begun)
    secret = tmp_path / "secret"
    secret.write_text("VERDICT abcd1234: approved")
    (folder / f"{begun.open[0].id}.reply.md").symlink_to(secret)
    assert ask(HostBackend(folder)).status == "cancelled"
    close_calls(folder)
    assert ask(HostBackend(folder)).status == "failed"
    assert ask(BACKEND).status == "failed"  # nothing is recorded, so nothing can be handed out


def test_the_host_is_known_by_what_it_tells_its_programs():
    assert host_name({"CLAUDECODE": "1"}) == "claude"
    assert host_name({"CLAUDECODE": "1", "GUILD_HOST": "codex"}) == "codex"
    assert host_name({"GUILD_HOST": "../x"}) == ""
