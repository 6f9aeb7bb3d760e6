"""Guildmoot puts software work before a panel of judges and computes one verdict from their words.

The names below are the public surface; everything else may change. They are resolved on first use,
so that importing the package, and with it every command, costs next to nothing. Every verb is an
async function of one request that returns one report; docs/python.md shows them.
"""

from __future__ import annotations

from guildmoot.version import __version__

TYPE_CHECKING = False  # spelled out, because importing typing would cost a fifth of the start-up

_MODULES = {
    "guildmoot.agents.hosts.tasks": ("HostTask", "Route", "RoutingTerms"),
    "guildmoot.api.ask": ("add_probe", "append_round", "decide_on_board", "init_board",
                          "list_probes", "next_round", "probe", "probe_report", "read_board",
                          "remove_probe", "spawn", "summarise_board", "whiteboard"),
    "guildmoot.api.council": ("CouncilRequest", "council", "dry_run_council", "post_mortem",
                              "pre_mortem", "vibe"),
    "guildmoot.api.engine": ("Migration", "WorkerRequest", "clear_engine", "drain_engine",
                             "engine_status", "migrate_engine", "work"),
    "guildmoot.api.findings": ("append_finding", "count_findings", "decide_candidate",
                               "decide_finding", "list_candidates"),
    "guildmoot.api.guarding": ("install_guard", "mcp_servers", "pin_servers", "plan_guard",
                               "plan_unguard", "probe_guard", "uninstall_guard"),
    "guildmoot.api.handed": ("CollectRequest", "HandOut", "collect", "waiting"),
    "guildmoot.api.hooks": ("answer_approval", "audit", "guard_report", "hook", "list_approvals",
                            "wait_for_approval"),
    "guildmoot.api.judge": ("dry_run", "validate"),
    "guildmoot.api.learn": ("ChangeReach", "explain_file", "learn", "reach_of_change"),
    "guildmoot.api.loops": ("loop_confidence", "loop_interactive", "loop_interactive_phases",
                            "loop_phases", "run_phase"),
    "guildmoot.api.rules": ("CaseResult", "Explanation", "check_cases", "explain_command"),
    "guildmoot.api.runs": ("ClearRequest", "RunRequest", "clear_runs", "compare", "list_runs",
                           "recheck", "replay", "rerun", "resume", "show_council"),
    "guildmoot.api.setup": ("Check", "Diagnosis", "derive_panel", "doctor", "list_agents",
                            "list_hosts", "list_policies", "load_settings",
                            "parse_and_aggregate", "phase_roster", "recipe", "route"),
    "guildmoot.api.baseline": ("DrawnBaseline", "clear_baseline", "draw_baseline", "show_baseline"),
    "guildmoot.api.drafting": ("challenge_work",),
    "guildmoot.api.initiatives": ("add_to_initiative", "close_initiative", "init_project",
                                  "list_initiatives", "move_initiative", "new_initiative",
                                  "show_initiative", "update_initiative"),
    "guildmoot.lifecycle.project.beginning": ("ProjectBeginning",),
    "guildmoot.lifecycle.project.initiatives": ("Initiative", "InitiativeClosing"),
    "guildmoot.lifecycle.drafting.challenge": ("ChallengeReport",),
    "guildmoot.api.work": ("approve", "brainstorm", "compare_context", "compose_team",
                           "draft_plan", "explain_context", "make_context", "lint", "list_skills",
                           "list_work",
                           "restart_work", "review_work", "work_settings", "work_status"),
    "guildmoot.api.lifecycle.execution": ("ask_of_run", "execute_work", "preview_work", "run_state"),
    "guildmoot.api.lifecycle.proof": ("reflect_on", "review_lanes", "verify_work"),
    "guildmoot.lifecycle.execution.control": ("ControlRequest",),
    "guildmoot.lifecycle.execution.values": ("ExecuteRequest", "ExecutionReport", "RunState"),
    "guildmoot.lifecycle.proof.acts": ("CleanRuns", "LanesReviewed", "WorkVerified"),
    "guildmoot.lifecycle.proof.reflect": ("Reflection",),
    "guildmoot.api.decide": ("decide",),
    "guildmoot.memory.wiki.brief": ("WikiBrief",),
    "guildmoot.memory.wiki.decisions": ("Decided", "RecordedDecision"),
    "guildmoot.api.wiki": ("FailedIngest", "IngestReport", "IngestRequest", "ShownPage",
                           "wiki_answer", "wiki_brief", "wiki_ingest", "wiki_lint", "wiki_list", "wiki_log",
                           "wiki_paused", "wiki_promote", "wiki_query", "wiki_retire", "wiki_show"),
    "guildmoot.api.traces": ("TraceExport", "TracePruned", "TraceQuery", "TraceSummary", "trace_cost",
                             "trace_export", "trace_prune", "trace_query", "trace_runs",
                             "trace_summary"),
    "guildmoot.memory.traces.cost": ("TraceCost",),
    "guildmoot.memory.traces.trace": ("RunTrace",),
    "guildmoot.memory.recall.query": ("WikiAnswer", "WikiQuery"),
    "guildmoot.memory.wiki.ingest": ("IngestOptions", "Ingested"),
    "guildmoot.api.trust": ("TrustReport", "revoke_trust", "show_trust", "trust"),
    "guildmoot.api.undo": ("keep_snapshot", "list_snapshots", "restore_snapshot", "show_snapshot"),
    "guildmoot.calls": ("Watch",),
    "guildmoot.calls.estimate": ("DryRun",),
    "guildmoot.calls.ledger.ledger": ("Ledger", "LedgerRow"),
    "guildmoot.consensus.grouping": ("group_findings",),
    "guildmoot.errors": ("GuildmootError",),
    "guildmoot.lifecycle.documents": ("Problem",),
    "guildmoot.lifecycle.team.compose": ("TeamProposal",),
    "guildmoot.lifecycle.briefing.gathering": ("RunContext",),
    "guildmoot.lifecycle.lint": ("LintedFile",),
    "guildmoot.loops.armed": ("ArmedTerms",),
    "guildmoot.loops.paired.pairing": ("InteractiveReport", "InteractiveRequest"),
    "guildmoot.loops.router": ("RouteReport", "RouteRequest"),
    "guildmoot.loops.values": ("LoopReport", "LoopRequest"),
    "guildmoot.lifecycle.skill": ("Skill",),
    "guildmoot.lifecycle.steps": ("PlanRequest", "SpecRequest", "TeamRequest"),
    "guildmoot.lifecycle.terms": ("WorkTerms",),
    "guildmoot.lifecycle.view": ("WorkView",),
    "guildmoot.memory.codebase.codebase": ("Codebase", "MappedFile"),
    "guildmoot.memory.candidates": ("CandidateDecision",),
    "guildmoot.model.agent": ("Seat",),
    "guildmoot.model.call": ("Reply",),
    "guildmoot.model.council": ("CouncilReport",),
    "guildmoot.model.packet": ("Packet",),
    "guildmoot.model.report": ("RunReport",),
    "guildmoot.model.verdict": ("Finding", "Judgement"),
    "guildmoot.packet": ("PacketRequest",),
    "guildmoot.practices.council.request": ("CouncilOptions",),
    "guildmoot.practices.dispositions": ("DispositionRequest",),
    "guildmoot.practices.panel": ("PanelRequest",),
    "guildmoot.practices.probe.run": ("ProbeReport", "ProbeRequest"),
    "guildmoot.practices.probe.suites": ("NewProbe",),
    "guildmoot.practices.spawn": ("SpawnRequest", "SpawnResult"),
    "guildmoot.practices.whiteboard.boards": ("AppendedRound",),
    "guildmoot.practices.whiteboard.request": ("WhiteboardRequest",),
    "guildmoot.projects.findings": ("FindingRow",),
    "guildmoot.reading.board": ("BoardSection",),
    "guildmoot.reports.whiteboard": ("BoardReport",),
    "guildmoot.runs.index": ("RunQuery",),
}  # fmt: skip
_PUBLIC = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["__version__", *_PUBLIC]

if TYPE_CHECKING:
    from guildmoot.agents.hosts.tasks import HostTask as HostTask
    from guildmoot.agents.hosts.tasks import Route as Route
    from guildmoot.agents.hosts.tasks import RoutingTerms as RoutingTerms
    from guildmoot.api.ask import add_probe as add_probe
    from guildmoot.api.ask import append_round as append_round
    from guildmoot.api.ask import decide_on_board as decide_on_board
    from guildmoot.api.ask import init_board as init_board
    from guildmoot.api.ask import list_probes as list_probes
    from guildmoot.api.ask import next_round as next_round
    from guildmoot.api.ask import probe as probe
    from guildmoot.api.ask import probe_report as probe_report
    from guildmoot.api.ask import read_board as read_board
    from guildmoot.api.ask import remove_probe as remove_probe
    from guildmoot.api.ask import spawn as spawn
    from guildmoot.api.ask import summarise_board as summarise_board
    from guildmoot.api.ask import whiteboard as whiteboard
    from guildmoot.api.baseline import DrawnBaseline as DrawnBaseline
    from guildmoot.api.baseline import clear_baseline as clear_baseline
    from guildmoot.api.baseline import draw_baseline as draw_baseline
    from guildmoot.api.baseline import show_baseline as show_baseline
    from guildmoot.api.council import CouncilRequest as CouncilRequest
    from guildmoot.api.council import council as council
    from guildmoot.api.council import dry_run_council as dry_run_council
    from guildmoot.api.council import post_mortem as post_mortem
    from guildmoot.api.council import pre_mortem as pre_mortem
    from guildmoot.api.council import vibe as vibe
    from guildmoot.api.decide import decide as decide
    from guildmoot.api.drafting import challenge_work as challenge_work
    from guildmoot.api.engine import Migration as Migration
    from guildmoot.api.engine import WorkerRequest as WorkerRequest
    from guildmoot.api.engine import clear_engine as clear_engine
    from guildmoot.api.engine import drain_engine as drain_engine
    from guildmoot.api.engine import engine_status as engine_status
    from guildmoot.api.engine import migrate_engine as migrate_engine
    from guildmoot.api.engine import work as work
    from guildmoot.api.findings import append_finding as append_finding
    from guildmoot.api.findings import count_findings as count_findings
    from guildmoot.api.findings import decide_candidate as decide_candidate
    from guildmoot.api.findings import decide_finding as decide_finding
    from guildmoot.api.findings import list_candidates as list_candidates
    from guildmoot.api.guarding import install_guard as install_guard
    from guildmoot.api.guarding import mcp_servers as mcp_servers
    from guildmoot.api.guarding import pin_servers as pin_servers
    from guildmoot.api.guarding import plan_guard as plan_guard
    from guildmoot.api.guarding import plan_unguard as plan_unguard
    from guildmoot.api.guarding import probe_guard as probe_guard
    from guildmoot.api.guarding import uninstall_guard as uninstall_guard
    from guildmoot.api.handed import CollectRequest as CollectRequest
    from guildmoot.api.handed import HandOut as HandOut
    from guildmoot.api.handed import collect as collect
    from guildmoot.api.handed import waiting as waiting
    from guildmoot.api.hooks import answer_approval as answer_approval
    from guildmoot.api.hooks import audit as audit
    from guildmoot.api.hooks import guard_report as guard_report
    from guildmoot.api.hooks import hook as hook
    from guildmoot.api.hooks import list_approvals as list_approvals
    from guildmoot.api.hooks import wait_for_approval as wait_for_approval
    from guildmoot.api.initiatives import add_to_initiative as add_to_initiative
    from guildmoot.api.initiatives import close_initiative as close_initiative
    from guildmoot.api.initiatives import init_project as init_project
    from guildmoot.api.initiatives import list_initiatives as list_initiatives
    from guildmoot.api.initiatives import move_initiative as move_initiative
    from guildmoot.api.initiatives import new_initiative as new_initiative
    from guildmoot.api.initiatives import show_initiative as show_initiative
    from guildmoot.api.initiatives import update_initiative as update_initiative
    from guildmoot.api.judge import dry_run as dry_run
    from guildmoot.api.judge import validate as validate
    from guildmoot.api.learn import ChangeReach as ChangeReach
    from guildmoot.api.learn import explain_file as explain_file
    from guildmoot.api.learn import learn as learn
    from guildmoot.api.learn import reach_of_change as reach_of_change
    from guildmoot.api.lifecycle.execution import ask_of_run as ask_of_run
    from guildmoot.api.lifecycle.execution import execute_work as execute_work
    from guildmoot.api.lifecycle.execution import preview_work as preview_work
    from guildmoot.api.lifecycle.execution import run_state as run_state
    from guildmoot.api.lifecycle.proof import reflect_on as reflect_on
    from guildmoot.api.lifecycle.proof import review_lanes as review_lanes
    from guildmoot.api.lifecycle.proof import verify_work as verify_work
    from guildmoot.api.loops import loop_confidence as loop_confidence
    from guildmoot.api.loops import loop_interactive as loop_interactive
    from guildmoot.api.loops import loop_interactive_phases as loop_interactive_phases
    from guildmoot.api.loops import loop_phases as loop_phases
    from guildmoot.api.loops import run_phase as run_phase
    from guildmoot.api.rules import CaseResult as CaseResult
    from guildmoot.api.rules import Explanation as Explanation
    from guildmoot.api.rules import check_cases as check_cases
    from guildmoot.api.rules import explain_command as explain_command
    from guildmoot.api.runs import ClearRequest as ClearRequest
    from guildmoot.api.runs import RunRequest as RunRequest
    from guildmoot.api.runs import clear_runs as clear_runs
    from guildmoot.api.runs import compare as compare
    from guildmoot.api.runs import list_runs as list_runs
    from guildmoot.api.runs import recheck as recheck
    from guildmoot.api.runs import replay as replay
    from guildmoot.api.runs import rerun as rerun
    from guildmoot.api.runs import resume as resume
    from guildmoot.api.runs import show_council as show_council
    from guildmoot.api.setup import Check as Check
    from guildmoot.api.setup import Diagnosis as Diagnosis
    from guildmoot.api.setup import derive_panel as derive_panel
    from guildmoot.api.setup import doctor as doctor
    from guildmoot.api.setup import list_agents as list_agents
    from guildmoot.api.setup import list_hosts as list_hosts
    from guildmoot.api.setup import list_policies as list_policies
    from guildmoot.api.setup import load_settings as load_settings
    from guildmoot.api.setup import parse_and_aggregate as parse_and_aggregate
    from guildmoot.api.setup import phase_roster as phase_roster
    from guildmoot.api.setup import recipe as recipe
    from guildmoot.api.setup import route as route
    from guildmoot.api.traces import TraceExport as TraceExport
    from guildmoot.api.traces import TracePruned as TracePruned
    from guildmoot.api.traces import TraceQuery as TraceQuery
    from guildmoot.api.traces import TraceSummary as TraceSummary
    from guildmoot.api.traces import trace_cost as trace_cost
    from guildmoot.api.traces import trace_export as trace_export
    from guildmoot.api.traces import trace_prune as trace_prune
    from guildmoot.api.traces import trace_query as trace_query
    from guildmoot.api.traces import trace_runs as trace_runs
    from guildmoot.api.traces import trace_summary as trace_summary
    from guildmoot.api.trust import TrustReport as TrustReport
    from guildmoot.api.trust import revoke_trust as revoke_trust
    from guildmoot.api.trust import show_trust as show_trust
    from guildmoot.api.trust import trust as trust
    from guildmoot.api.undo import keep_snapshot as keep_snapshot
    from guildmoot.api.undo import list_snapshots as list_snapshots
    from guildmoot.api.undo import restore_snapshot as restore_snapshot
    from guildmoot.api.undo import show_snapshot as show_snapshot
    from guildmoot.api.wiki import FailedIngest as FailedIngest
    from guildmoot.api.wiki import IngestReport as IngestReport
    from guildmoot.api.wiki import IngestRequest as IngestRequest
    from guildmoot.api.wiki import ShownPage as ShownPage
    from guildmoot.api.wiki import wiki_answer as wiki_answer
    from guildmoot.api.wiki import wiki_brief as wiki_brief
    from guildmoot.api.wiki import wiki_ingest as wiki_ingest
    from guildmoot.api.wiki import wiki_lint as wiki_lint
    from guildmoot.api.wiki import wiki_list as wiki_list
    from guildmoot.api.wiki import wiki_log as wiki_log
    from guildmoot.api.wiki import wiki_paused as wiki_paused
    from guildmoot.api.wiki import wiki_promote as wiki_promote
    from guildmoot.api.wiki import wiki_query as wiki_query
    from guildmoot.api.wiki import wiki_retire as wiki_retire
    from guildmoot.api.wiki import wiki_show as wiki_show
    from guildmoot.api.work import approve as approve
    from guildmoot.api.work import brainstorm as brainstorm
    from guildmoot.api.work import compare_context as compare_context
    from guildmoot.api.work import compose_team as compose_team
    from guildmoot.api.work import draft_plan as draft_plan
    from guildmoot.api.work import explain_context as explain_context
    from guildmoot.api.work import lint as lint
    from guildmoot.api.work import list_skills as list_skills
    from guildmoot.api.work import list_work as list_work
    from guildmoot.api.work import make_context as make_context
    from guildmoot.api.work import restart_work as restart_work
    from guildmoot.api.work import review_work as review_work
    from guildmoot.api.work import work_settings as work_settings
    from guildmoot.api.work import work_status as work_status
    from guildmoot.calls import Watch as Watch
    from guildmoot.calls.estimate import DryRun as DryRun
    from guildmoot.calls.ledger.ledger import Ledger as Ledger
    from guildmoot.calls.ledger.ledger import LedgerRow as LedgerRow
    from guildmoot.consensus.grouping import group_findings as group_findings
    from guildmoot.errors import GuildmootError as GuildmootError
    from guildmoot.lifecycle.briefing.gathering import RunContext as RunContext
    from guildmoot.lifecycle.documents import Problem as Problem
    from guildmoot.lifecycle.drafting.challenge import ChallengeReport as ChallengeReport
    from guildmoot.lifecycle.execution.control import ControlRequest as ControlRequest
    from guildmoot.lifecycle.execution.values import ExecuteRequest as ExecuteRequest
    from guildmoot.lifecycle.execution.values import ExecutionReport as ExecutionReport
    from guildmoot.lifecycle.execution.values import RunState as RunState
    from guildmoot.lifecycle.lint import LintedFile as LintedFile
    from guildmoot.lifecycle.project.beginning import ProjectBeginning as ProjectBeginning
    from guildmoot.lifecycle.project.initiatives import Initiative as Initiative
    from guildmoot.lifecycle.project.initiatives import InitiativeClosing as InitiativeClosing
    from guildmoot.lifecycle.proof.acts import CleanRuns as CleanRuns
    from guildmoot.lifecycle.proof.acts import LanesReviewed as LanesReviewed
    from guildmoot.lifecycle.proof.acts import WorkVerified as WorkVerified
    from guildmoot.lifecycle.proof.reflect import Reflection as Reflection
    from guildmoot.lifecycle.skill import Skill as Skill
    from guildmoot.lifecycle.steps import PlanRequest as PlanRequest
    from guildmoot.lifecycle.steps import SpecRequest as SpecRequest
    from guildmoot.lifecycle.steps import TeamRequest as TeamRequest
    from guildmoot.lifecycle.team.compose import TeamProposal as TeamProposal
    from guildmoot.lifecycle.terms import WorkTerms as WorkTerms
    from guildmoot.lifecycle.view import WorkView as WorkView
    from guildmoot.loops.armed import ArmedTerms as ArmedTerms
    from guildmoot.loops.paired.pairing import InteractiveReport as InteractiveReport
    from guildmoot.loops.paired.pairing import InteractiveRequest as InteractiveRequest
    from guildmoot.loops.router import RouteReport as RouteReport
    from guildmoot.loops.router import RouteRequest as RouteRequest
    from guildmoot.loops.values import LoopReport as LoopReport
    from guildmoot.loops.values import LoopRequest as LoopRequest
    from guildmoot.memory.candidates import CandidateDecision as CandidateDecision
    from guildmoot.memory.codebase.codebase import Codebase as Codebase
    from guildmoot.memory.codebase.codebase import MappedFile as MappedFile
    from guildmoot.memory.recall.query import WikiAnswer as WikiAnswer
    from guildmoot.memory.recall.query import WikiQuery as WikiQuery
    from guildmoot.memory.traces.cost import TraceCost as TraceCost
    from guildmoot.memory.traces.trace import RunTrace as RunTrace
    from guildmoot.memory.wiki.brief import WikiBrief as WikiBrief
    from guildmoot.memory.wiki.decisions import Decided as Decided
    from guildmoot.memory.wiki.decisions import RecordedDecision as RecordedDecision
    from guildmoot.memory.wiki.ingest import Ingested as Ingested
    from guildmoot.memory.wiki.ingest import IngestOptions as IngestOptions
    from guildmoot.model.agent import Seat as Seat
    from guildmoot.model.call import Reply as Reply
    from guildmoot.model.council import CouncilReport as CouncilReport
    from guildmoot.model.packet import Packet as Packet
    from guildmoot.model.report import RunReport as RunReport
    from guildmoot.model.verdict import Finding as Finding
    from guildmoot.model.verdict import Judgement as Judgement
    from guildmoot.packet import PacketRequest as PacketRequest
    from guildmoot.practices.council.request import CouncilOptions as CouncilOptions
    from guildmoot.practices.dispositions import DispositionRequest as DispositionRequest
    from guildmoot.practices.panel import PanelRequest as PanelRequest
    from guildmoot.practices.probe.run import ProbeReport as ProbeReport
    from guildmoot.practices.probe.run import ProbeRequest as ProbeRequest
    from guildmoot.practices.probe.suites import NewProbe as NewProbe
    from guildmoot.practices.spawn import SpawnRequest as SpawnRequest
    from guildmoot.practices.spawn import SpawnResult as SpawnResult
    from guildmoot.practices.whiteboard.boards import AppendedRound as AppendedRound
    from guildmoot.practices.whiteboard.request import WhiteboardRequest as WhiteboardRequest
    from guildmoot.projects.findings import FindingRow as FindingRow
    from guildmoot.reading.board import BoardSection as BoardSection
    from guildmoot.reports.whiteboard import BoardReport as BoardReport
    from guildmoot.runs.index import RunQuery as RunQuery


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'guildmoot' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)
