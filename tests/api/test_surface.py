"""What ``import guildmoot`` offers: typed, documented, async where it works, and cheap to import."""

from __future__ import annotations

import asyncio
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import guildmoot
from guildmoot.cli.main import GUILD_VERBS

VERBS = (
    *("council", "dry_run", "dry_run_council", "post_mortem", "pre_mortem", "probe", "replay"),
    *("rerun", "resume", "spawn", "validate", "vibe", "whiteboard", "derive_panel", "doctor"),
    *("list_agents", "list_hosts", "list_policies", "load_settings", "parse_and_aggregate"),
    *("append_finding", "count_findings", "decide_candidate", "decide_finding", "list_candidates"),
    *(
        "add_probe",
        "list_probes",
        "probe_report",
        "remove_probe",
        "phase_roster",
        "recipe",
        "route",
    ),
    *("append_round", "decide_on_board", "init_board", "next_round", "read_board"),
    *("summarise_board", "clear_engine", "drain_engine", "engine_status", "migrate_engine", "work"),
    *("trust", "show_trust", "revoke_trust"),
    *("wiki_ingest", "wiki_query", "wiki_show", "wiki_list", "wiki_lint", "wiki_promote"),
    *("wiki_retire", "wiki_log", "wiki_answer", "wiki_paused", "wiki_brief", "decide"),
    *("trace_cost", "trace_export", "trace_prune", "trace_query", "trace_runs", "trace_summary"),
    *("draw_baseline", "show_baseline", "clear_baseline", "lint", "explain_command", "check_cases"),
    *("approve", "brainstorm", "compose_team", "draft_plan", "restart_work", "work_status"),
    *("compare_context", "explain_context", "make_context"),
    *("explain_file", "learn", "list_skills", "reach_of_change"),
    *("clear_runs", "compare", "list_runs", "recheck", "show_council"),
)
"""Taking one away, or changing its name, breaks those who use it."""
FUNCTIONS = {
    "initiative": ("close_initiative", "list_initiatives", "new_initiative", "show_initiative"),
    "loop": ("loop_confidence", "loop_interactive", "loop_phases", "loop_interactive_phases"),
    "guard": (
        "plan_guard",
        "install_guard",
        "plan_unguard",
        "uninstall_guard",
        "guard_report",
        "explain_command",
        "check_cases",
    ),
    "approvals": ("list_approvals", "answer_approval"),
    "undo": ("list_snapshots", "show_snapshot", "restore_snapshot"),
    "run": ("brainstorm", "compose_team", "draft_plan", "approve"),
    "work": ("brainstorm", "compose_team", "draft_plan", "approve", "work_status"),
    "mcp": (
        "validate",
        "council",
        "list_runs",
        "wiki_query",
        "wiki_show",
        "wiki_list",
        "trace_query",
    ),
    "pre-commit": ("validate",),
    "pre-push": ("validate",),
    "install-hook": (),
    "completion": (),
    "plugin": (),
    "ci": ("validate",),
    "review": ("validate",),
    "status-line": ("work_status",),
    "status": ("work_status",),
    "lane": ("run_state", "ask_of_run"),
    "team": ("run_state",),
    "pause": ("ask_of_run",),
    "stop": ("ask_of_run",),
    "context": ("explain_context", "compare_context"),
    "skills": ("list_skills", "lint"),
    "agents": ("list_agents",),
    "plan": ("whiteboard", "init_board", "next_round", "read_board", "append_round"),
    "policies": ("list_policies",),
    "runs": ("list_runs", "clear_runs"),
    "worker": ("work",),
    "engine": ("engine_status", "drain_engine", "clear_engine", "migrate_engine"),
    "hosts": ("list_hosts", "route"),
    "config": ("load_settings",),
    "baseline": ("draw_baseline", "show_baseline", "clear_baseline"),
    "trust": ("trust", "show_trust", "revoke_trust"),
    "wiki": (
        *("wiki_ingest", "wiki_query", "wiki_show", "wiki_list", "wiki_lint", "wiki_promote"),
        *("wiki_retire", "wiki_log", "wiki_answer", "wiki_paused", "wiki_brief"),
    ),
    "trace": (
        *("trace_runs", "trace_summary", "trace_query", "trace_cost", "trace_export"),
        "trace_prune",
    ),
    "findings": ("append_finding", "count_findings", "decide_finding"),
}
"""The verbs of ``guild`` that are not simply the function of that name."""


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_a_documented_async_function_with_a_typed_request_and_result(verb):
    function = getattr(guildmoot, verb)
    signature = inspect.signature(function)
    assert inspect.iscoroutinefunction(function)
    assert function.__doc__
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(each.annotation is not each.empty for each in signature.parameters.values())


def test_every_public_name_is_there_and_nothing_else_is():
    for name in guildmoot.__all__:
        assert getattr(guildmoot, name) is not None
    assert set(VERBS) <= set(guildmoot.__all__)
    with pytest.raises(AttributeError):
        guildmoot.no_such_verb  # noqa: B018


def test_every_verb_of_the_command_line_has_functions_here():
    public = set(guildmoot.__all__)
    for verb in GUILD_VERBS:
        functions = FUNCTIONS.get(verb, (verb.replace("-", "_"),))
        assert public.issuperset(functions), verb


def test_type_checkers_see_the_names_that_are_resolved_on_first_use():
    source = Path(guildmoot.__file__).read_text()
    seen = set(re.findall(r"^    from [\w.]+ import (\w+) as \1$", source, re.MULTILINE))
    assert seen == set(guildmoot.__all__) - {"__version__"}


def test_importing_the_package_imports_nothing_of_it():
    script = "import sys, guildmoot; print(*sorted(m for m in sys.modules if 'guildmoot' in m))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["guildmoot", "guildmoot.version"]


@pytest.mark.parametrize(
    "work",
    [
        lambda: guildmoot.validate(guildmoot.PanelRequest(guildmoot.PacketRequest("a.py"))),
        lambda: guildmoot.council(
            guildmoot.CouncilRequest(guildmoot.CouncilOptions(words="validate a.py"))
        ),
        lambda: guildmoot.rerun(guildmoot.RunRequest("last", seats="secrets")),
    ],
)
def test_one_text_where_several_belong_is_refused_and_not_taken_letter_by_letter(work):
    with pytest.raises(guildmoot.GuildmootError, match="is one text, and several belong there"):
        asyncio.run(work())
