"""Compaction of learnings: each note is tried, judged blind, and promoted, archived or left. Read it from the top.

note ─▶ rubric ─▶ control and treatment ─▶ blind judges ─▶ debate where they differ ─▶ promote, archive or retry

Every call goes through one session, so what was answered is never paid twice; a note is promoted before it is
archived and known by its name, so a run that was killed is run again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.roster import make_roster
from guildmoot.calls.session import CallSession, ReusePolicy, open_session
from guildmoot.config import Config
from guildmoot.errors import UsageError
from guildmoot.model.call import Call, Reply
from guildmoot.practices.learnings import prompts
from guildmoot.practices.learnings.report import OPEN, CompactReport, keep_report
from guildmoot.practices.stage import ReplyReader, ask
from guildmoot.projects.learnings import notes as notebook
from guildmoot.projects.learnings import rollup
from guildmoot.projects.learnings.panel import compare, decide
from guildmoot.projects.slugs import text_hash
from guildmoot.system.files import write_atomic

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

RULES: Record = {
    "consensus": {"round_1_blind": 4, "round_2_debate": 3},
    "tiebreak": {"rule": "top_tier_consensus", "top_tier": "top"},
}
TIERS = ("top", "top", "middle", "small")
_AT_ONCE = frozenset(("recurring", "sanctioned-exception", "evaluator-conflict"))
_TRAPS = frozenset(("generator-antipattern", "catalog-gap"))


class CompactRequest(NamedTuple):
    """Who answers."""

    root: Path
    model: str
    """A model, or an agent's name, for every part that has none of its own."""
    judges: tuple[tuple[str, str], ...] = ()
    """Tier and model of each judge; four of the one model without."""
    subject: str = ""
    """Who does the task with and without the learning."""
    attempts: int = 2
    regression: bool = True
    """Whether every learning in use is tried again."""


class _Bench:
    """Who can be asked, and what it cost."""

    def __init__(self, request: CompactRequest, config: Config, session: CallSession) -> None:
        self._registry = load_agents(request.root, user_agents_folder())
        self._config, self._session = config, session
        self.usd: float | None = 0.0
        self.interrupted = False
        self.judges = request.judges or tuple((tier, request.model) for tier in TIERS)
        self.subject = request.subject or request.model

    async def ask(self, asked: Sequence[tuple[str, str, str]]) -> list[Reply]:
        """Replies to (name, model, prompt), all at once."""
        calls = [self._call(*each) for each in asked]
        done = await ask(self._session, calls, ReplyReader(lambda reply, call: reply))
        self.interrupted |= done.interrupted
        for reply in done.replies:
            cost = reply.usage.cost_usd if reply.usage else 0.0
            self.usd = None if cost is None or self.usd is None else self.usd + cost
        return list(done.replies)

    def _call(self, name: str, model: str, prompt: str) -> Call:
        word = model if _is_agent(self._registry, model) else f"learner@{model}"
        roster = make_roster(self._registry, self._config, [], [word], "")
        seat = roster.seats[0]
        agent = roster.agents[seat.name]
        return Call(
            seat._replace(name=name), agent, f"{agent.body.strip()}\n\n{prompt}\n",
            timeout=agent.timeout or self._config.number("panel.timeout"), packet=text_hash(prompt),
        )  # fmt: skip


def _is_agent(registry: Registry, word: str) -> bool:
    return word in registry.agents


async def compact(request: CompactRequest, config: Config) -> CompactReport:
    """Judge every note that waits, then every learning in use."""
    folder = notebook.learnings_folder(str(request.root))
    waiting = notebook.list_notes(folder)
    run = f"griot-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"
    kept = request.root if (request.root / ".git").exists() else None
    with open_session(kept, run, config, reuse=ReusePolicy()) as session:
        bench = _Bench(request, config, session)
        rows = []
        for note in waiting:
            if bench.interrupted:
                break
            rows.append(await _judge_note(bench, folder, note, request.attempts))
        tried: list[Record | None] = []
        if request.regression and not bench.interrupted:
            fresh = {row["promoted_as"] for row in rows}
            in_use = [each for each in rollup.load(folder) or [] if each["id"] not in fresh]
            tried = [await _try_again(bench, folder, entry) for entry in in_use]
        report = CompactReport(
            run, tuple(rows), tuple(filter(None, tried)), bench.usd, bench.interrupted
        )
    keep_report(folder, report)
    return report


def check_request(request: CompactRequest) -> None:
    """UsageError when nobody could answer."""
    if not request.model and not (request.judges and request.subject):
        raise UsageError(
            "griot compact needs a model: --model claude, --model anthropic:MODEL, --model ollama:MODEL",
            "Recurring notes need none: 'griot compact --direct' promotes those alone.",
        )


def promote_direct(root: Path) -> list[Record]:
    """Promote what a person or a count has settled already; nobody is asked."""
    folder = notebook.learnings_folder(str(root))
    found = [note for note in notebook.list_notes(folder) if _kind(note) in _AT_ONCE]
    return [_promote(folder, note, note["texts"]["learning"], None, []) for note in found]


async def _judge_note(bench: _Bench, folder: str, note: Record, attempts: int) -> Record:
    if _kind(note) in _AT_ONCE:
        return _promote(folder, note, note["texts"]["learning"], None, [])
    if not _task(note):
        return _row(note, "NO_TASK", [])
    assertions = await _rubric(bench, folder, note)
    if not assertions:
        return _row(note, "AUTHOR_FAILED", [])
    learning, task = note["texts"]["learning"], _task(note)
    rounds: list[Record] = []
    outcome = "STUCK"
    for attempt in range(1, attempts + 1):
        if _kept_rubric(folder, note) != assertions:
            return _row(note, "RUBRIC_TAMPERED", rounds)
        if attempt > 1:
            learning = await _rewrite(bench, note, learning, outcome) or ""
            if not learning:
                return _row(note, "REWRITER_FAILED", rounds)
        outcome, decided = await _trial(
            bench, task, learning, assertions, f"{note['name']}#{attempt}"
        )
        rounds += decided
        if outcome == "IMPROVED":
            return _promote(folder, note, learning, assertions, rounds)
        if outcome == "DID_NOT_REPRODUCE":
            _archive(folder, note, outcome, None)
            return _row(note, outcome, rounds)
        if outcome in OPEN:
            return _row(note, outcome, rounds)
    return _row(note, "STUCK", rounds, last=outcome)


async def _rubric(bench: _Bench, folder: str, note: Record) -> list[str] | None:
    """The assertions; written once, and never changed afterwards."""
    kept = _kept_rubric(folder, note)
    if kept:
        return kept
    (reply,) = await bench.ask(
        [(f"author@{note['name']}", bench.subject, prompts.ask_author(note["texts"]))]
    )
    found = prompts.read_assertions(reply.text) if reply.status == "answered" else None
    if found:
        place = Path(folder) / notebook.NOTES / note["name"]
        write_atomic(place / "rubric.json", json.dumps(found, ensure_ascii=False).encode())
        state = {**note["state"], "rubric_sha256": text_hash(json.dumps(found))}
        write_atomic(
            place / "state.json", (json.dumps(state, ensure_ascii=False, indent=2) + "\n").encode()
        )
        note["state"] = state
    return found


def _kept_rubric(folder: str, note: Record) -> list[str] | None:
    """What was written down, if it is still what was written down."""
    try:
        found = json.loads(
            (Path(folder) / notebook.NOTES / note["name"] / "rubric.json").read_text("utf-8")
        )
    except (OSError, ValueError):
        return None
    return found if text_hash(json.dumps(found)) == note["state"].get("rubric_sha256") else None


async def _rewrite(bench: _Bench, note: Record, learning: str, problem: str) -> str | None:
    prompt = prompts.ask_rewriter(learning, note["texts"]["correction"], problem)
    (reply,) = await bench.ask([(f"rewriter@{note['name']}", bench.subject, prompt)])
    return prompts.read_learning(reply.text) if reply.status == "answered" else None


async def _trial(
    bench: _Bench, task: str, learning: str, assertions: Sequence[str], name: str
) -> tuple[str, list[Record]]:
    """Control and treatment, then up to two rounds of judges."""
    done = await bench.ask(
        [
            (f"control@{name}", bench.subject, prompts.ask_subject(task)),
            (f"treatment@{name}", bench.subject, prompts.ask_subject(task, learning)),
        ]
    )
    if any(reply.status != "answered" or not reply.text.strip() for reply in done):
        return "SUBJECT_FAILED", []
    control, treatment = (reply.text for reply in done)
    rounds: list[Record] = []
    before = ""
    for number in (1, 2):
        rows, ballots = await _ballots(
            bench, task, assertions, control, treatment, f"{name}.{number}", before
        )
        decided = decide(number, rows, _rules(bench))
        rounds.append(decided)
        verdict = decided["consensus_verdict"] or decided["tiebreak_verdict"]
        if verdict:
            return verdict, rounds
        before = prompts.debate_summary(assertions, ballots)
    return "NO_CONSENSUS", rounds


def _rules(bench: _Bench) -> Record:
    """The seeds' numbers for four judges; with fewer all must agree, then all but one."""
    count = len(bench.judges)
    blind, debate = min(4, count), min(3, max(1, count - 1))
    top = bench.judges[0][0]
    return {
        "consensus": {"round_1_blind": blind, "round_2_debate": debate},
        "tiebreak": {"rule": RULES["tiebreak"]["rule"], "top_tier": top},
    }


async def _ballots(
    bench: _Bench,
    task: str,
    assertions: Sequence[str],
    control: str,
    treatment: str,
    name: str,
    before: str,
) -> tuple[list[Record], list[Record]]:
    """Each judge's verdict, computed from its ballot; every other judge sees the answers the other way round."""
    asked = []
    for index, (_, model) in enumerate(bench.judges):
        pair = (control, treatment) if index % 2 == 0 else (treatment, control)
        prompt = prompts.ask_judge(task, assertions, *pair, before)
        asked.append((f"judge-{index + 1}@{name}", model, prompt))
    rows, ballots = [], []
    for index, reply in enumerate(await bench.ask(asked)):
        judge = {"judge_id": f"judge-{index + 1}", "tier": bench.judges[index][0]}
        ballot = (
            prompts.read_ballot(reply.text, len(assertions)) if reply.status == "answered" else None
        )
        if ballot is None:
            why = reply.error or "the reply holds no ballot that fits the assertions"
            rows.append({**judge, "verdict": "UNCHANGED", "errored": True, "error_message": why})
            continue
        one, other = (ballot[0], ballot[1]) if index % 2 == 0 else (ballot[1], ballot[0])
        row = {**judge, "verdict": compare(one, other), "errored": False, "reasoning": ballot[2]}
        rows.append(row)
        ballots.append({"control": one, "treatment": other, "reasoning": ballot[2]})
    return rows, ballots


async def _try_again(bench: _Bench, folder: str, entry: Record) -> Record | None:
    """One learning in use: is its task still done right with it, and is it still needed?"""
    task, rubric = entry.get("task"), entry.get("rubric")
    if not isinstance(task, str) or not isinstance(rubric, list) or not rubric:
        return None
    name = f"regression-{entry['id']}"
    done = await bench.ask(
        [
            (f"control@{name}", bench.subject, prompts.ask_subject(task)),
            (f"treatment@{name}", bench.subject, prompts.ask_subject(task, str(entry.get("body")))),
        ]
    )
    if any(reply.status != "answered" for reply in done):
        return {"id": entry["id"], "outcome": "not-tried", "why": "the subject did not answer"}
    prompt = prompts.ask_judge(task, rubric, done[0].text, done[1].text)
    (reply,) = await bench.ask([(f"judge@{name}", bench.judges[0][1], prompt)])
    ballot = prompts.read_ballot(reply.text, len(rubric)) if reply.status == "answered" else None
    if ballot is None:
        return {
            "id": entry["id"],
            "outcome": "not-tried",
            "why": "the judge's reply could not be read",
        }
    if not all(ballot[1]):
        return {"id": entry["id"], "outcome": "failed", "why": ballot[2]}
    outcome = "no-longer-needed" if all(ballot[0]) else "passed"
    return {"id": entry["id"], "outcome": outcome, "why": ballot[2]}


def _kind(note: Record) -> str:
    return str(note["state"].get("classification"))


def _task(note: Record) -> str:
    return str(note["texts"]["prompt"].strip())


def _promote(
    folder: str, note: Record, learning: str, assertions: list[str] | None, rounds: list[Record]
) -> Record:
    """Into the rollup once, whatever became of an earlier run; then the note is put away."""
    known = next(
        (each for each in rollup.load(folder) or [] if each.get("origin") == note["name"]), None
    )
    state = note["state"]
    if known is None:
        entry: Record = {
            "title": _title(learning), "origin": note["name"], "body": learning.strip(),
            "rubric": assertions, "task": _task(note), "provenance": state.get("provenance"),
        }  # fmt: skip
        if state.get("evaluator"):
            entry |= {"evaluator": state["evaluator"], "code": state.get("code")}
        known = rollup.promote(folder, "AP" if _kind(note) in _TRAPS else "L", entry)
    _archive(folder, note, "PROMOTED", known["id"])
    return {**_row(note, "PROMOTED", rounds), "promoted_as": known["id"]}


def _title(text: str) -> str:
    first = " ".join(text.split()).partition(". ")[0]
    return first if len(first) <= 80 else first[:77].rsplit(" ", 1)[0] + "..."


def _archive(folder: str, note: Record, status: str, promoted: str | None) -> None:
    source = Path(folder) / notebook.NOTES / note["name"]
    state = {**note["state"], "status": status.lower(), "promoted_as": promoted}
    write_atomic(
        source / "state.json", (json.dumps(state, ensure_ascii=False, indent=2) + "\n").encode()
    )
    target = Path(folder) / notebook.ARCHIVE / note["name"]
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(source, target)


def _row(note: Record, outcome: str, rounds: list[Record], **more: object) -> Record:
    tally = rounds[-1]["tally"] if rounds else {}
    return {"note": note["name"], "outcome": outcome, "rounds": len(rounds), "tally": tally,
            "promoted_as": None, **more}  # fmt: skip
