"""Asks the policy about one call: where it would run, under which scope, and what the rules say."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.guard.decision import Decision
    from guildmoot.guard.hooks.events import HookEvent
    from guildmoot.guard.scopes.rules import Scope


def judge(event: HookEvent) -> Decision:
    """What is to be done with the call."""
    from guildmoot.guard.facts import site_at
    from guildmoot.guard.hooks.places import guarded_places
    from guildmoot.guard.tools import judge_tool

    cwd = event.cwd or os.getcwd()
    site = site_at(cwd, event.project, event.env, guarded_places(event.env, event.project))
    return judge_tool(event.tool, event.tool_input, site, _scope(event))


def _scope(event: HookEvent) -> Scope | None:
    """The scope of this task; a session that leads a run has no task and no scope of its own."""
    if event.env.get("GUILD_CAPABILITY_SCOPE") is None and not event.env.get("GUILD_RUN_ID"):
        return None
    from guildmoot.guard.scopes.load import load_scope

    place = event.run_place()
    task = event.env.get("GUILD_TASK_ID") or event.env.get("GUILD_LANE_ID") or ""
    return load_scope(event.env, os.path.join(*place) if place else "", task)
