"""``guild run``: from a sentence to work that is proven done, asking a person where one must decide."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_options, at_least_one, listed, text
from guildmoot.cli.guild.work.show import short_path, show, wrapped
from guildmoot.errors import EXIT_OK, EXIT_UNDECIDED, UndecidedError, UsageError
from guildmoot.text.clean import clean, count

if TYPE_CHECKING:
    from guildmoot.config import Flags, Origin, Value
    from guildmoot.lifecycle.gates import Gate
    from guildmoot.lifecycle.interview import SpecQuestion
    from guildmoot.lifecycle.team.compose import TeamProposal
    from guildmoot.lifecycle.view import WorkView

_AUTO = {
    "none": (),
    "spec-and-plan": ("spec", "plan"),
    "implementation": ("build",),
    **{name: (name,) for name in ("spec", "plan", "build", "all")},
}


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "run",
        "Finds where the work stands and goes on from there: spec, team, plan, each shown to you and"
        " approved by you; then the plan is carried out, reviewed and verified on a branch of its own."
        " Stop whenever you like; the same command goes on.",
        "  guild run 'A link shortener with an HTTP API'\n"
        "  guild run                              go on with what is open\n"
        "  guild run --from issue.md              begin with a brief or an issue\n"
        "  guild run --auto-approve spec,plan     without a person, for scripts\n"
        "  guild run --worker ./agent.sh          carry the plan out with that command\n"
        "  guild run --dry-run                    print what would happen, and do nothing",
    )
    parser.add_argument("intent", nargs="?", default="", help="what you want, in a sentence")
    add_options(
        parser,
        ("--slug", "which piece of work, where several are open", text("NAME")),
        ("--from", "a file with a brief or an issue text", {**text("FILE"), "dest": "source"}),
        ("--lanes", "who does all of it, e.g. backend; or: team", {**text("WHO"), "dest": "alone"}),
        ("--model", "who drafts and challenges, e.g. claude; empty: work.model", text("M")),
        ("--auto-approve", f"gates that need nobody: {', '.join(_AUTO)}",
         {**listed("A,B", None), "dest": "auto"}),
        ("--initiative", "the initiative it belongs to; 'new' begins one", text("ID")),
        ("--worker", "a command that does a lane's work; else work.worker", text("CMD")),
        ("--jobs", "lanes at once (work.jobs)", at_least_one()),
        ("--dry-run", "print everything that would happen", YES),
        ("--restart", "put what is there aside and begin anew", YES),
        ("--yes", "what lanes assumed was seen and stands; with --restart: do not ask", YES),
    )  # fmt: skip
    options = parser.parse_args(argv)
    if options.dry_run:
        from guildmoot.cli.guild.work.execute import dry_run

        return dry_run(options.slug, options.worker, options.jobs)
    covered = _covered(options.auto)
    if options.restart:
        _restart(options.slug, sure=options.yes)
        if not options.intent and not options.source:
            sys.stdout.write("Begin anew with a sentence: guild run 'what you want'\n")
            return EXIT_OK
    from guildmoot.cli.guild.work.work import model_flag

    flags: dict[str, Value | Origin] = {**model_flag(options.model)}
    if options.initiative:
        flags["work.initiative"] = _initiative(options.initiative, options.intent)
    request = (options.intent, options.slug, options.source, options.alone)
    view = _begin(*request, flags)
    from guildmoot.lifecycle.standing import is_waiting, next_action

    while True:
        action = next_action(view.standing, view.state, covered, person=sys.stdin.isatty())
        if action in ("execute", "review", "verify"):
            code = _carry(action, view.slug, options.worker, options.jobs, sure=options.yes)
            after = _again(view.slug)
            sent_back = action == "review" and after.standing.step == "execute"
            if (code and not sent_back) or after.standing == view.standing:
                return code
            view = after
            continue
        view, goes_on = _advance(view, covered, flags)
        if not goes_on:
            break
    return EXIT_UNDECIDED if is_waiting(view.standing) else EXIT_OK


def _carry(step: str, slug: str, worker: str, jobs: int, *, sure: bool) -> int:
    """Carry the plan out, review the lanes, or verify the result and reflect on it; the exit code of that step."""
    if step == "execute":
        from guildmoot.cli.guild.work.execute import execute
        from guildmoot.lifecycle.execution.workers.choose import NoWorkerError

        try:
            at_once = ["--jobs", str(jobs)] if jobs else []
            return execute([slug, "--worker", worker, *at_once])
        except NoWorkerError:  # the plan is approved; who does the work is a person's word
            show(_again(slug), as_json=False)
            return EXIT_UNDECIDED
    from guildmoot.cli.guild.work import proof

    if step == "review":
        return proof.review([slug])
    code = proof.verify([slug, *(["--yes"] if sure else [])])
    return code or proof.reflect([slug])


def _initiative(name: str, intent: str) -> str:
    """The initiative that is meant; ``new`` begins one with the intent as its goal."""
    if name != "new":
        return name
    if not intent:
        raise UsageError(
            "a new initiative needs a sentence", "guild run 'what you want' --initiative new"
        )
    from guildmoot.api.initiatives import new_initiative

    return asyncio.run(new_initiative(intent, intent, Path.cwd())).id


def _covered(words: tuple[str, ...] | None) -> frozenset[str]:
    """What the flag says; without it what the settings say."""
    from guildmoot.lifecycle.terms import covered_gates

    if words is None:
        from guildmoot.api.work import work_settings

        return asyncio.run(work_settings(Path.cwd())).auto_approve
    unknown = [word for word in words if word not in _AUTO]
    if unknown:
        raise UsageError(
            f"--auto-approve knows no {unknown[0]}", f"Take some of: {', '.join(_AUTO)}"
        )
    return covered_gates(tuple(each for word in words for each in _AUTO[word]))


def _restart(slug: str, *, sure: bool) -> None:
    from guildmoot.api.work import list_work, restart_work

    if not asyncio.run(list_work(Path.cwd())):
        sys.stdout.write("There is no work here to put aside.\n")
        return
    if not sure:
        if not sys.stdin.isatty():
            raise UndecidedError("nobody is there to say that it begins anew", "Add --yes.")
        if _asked("Put the spec, team and plan aside and begin anew? [y/N] ") not in ("y", "yes"):
            raise UndecidedError("nothing was put aside")
    aside = asyncio.run(restart_work(slug, Path.cwd()))
    if aside:
        sys.stdout.write(f"put aside: {short_path(aside)}\n")


def _begin(intent: str, slug: str, source: str, alone: str, flags: Flags) -> WorkView:
    from guildmoot.api.work import brainstorm, work_status
    from guildmoot.lifecycle.steps import SpecRequest

    if not intent and not source and not alone and "work.initiative" not in flags:
        return asyncio.run(work_status(slug, Path.cwd()))
    request = SpecRequest(intent, slug, source, one_lane=alone)
    return asyncio.run(brainstorm(request, Path.cwd(), flags))


def _advance(view: WorkView, covered: frozenset[str], flags: Flags) -> tuple[WorkView, bool]:
    """Take the next step; False when it cannot be taken here, or all are."""
    from guildmoot.api.work import approve, compose_team, draft_plan, make_context
    from guildmoot.lifecycle.standing import next_action
    from guildmoot.lifecycle.steps import PlanRequest, TeamRequest

    cwd = Path.cwd()
    action = next_action(view.standing, view.state, covered, person=sys.stdin.isatty())
    if action == "interview":
        return _interview(view, flags)
    if action == "team":
        view, proposal = asyncio.run(compose_team(TeamRequest(view.slug), cwd))
        _write(team_rows(proposal))
        return view, True
    if action == "plan":
        return asyncio.run(draft_plan(PlanRequest(view.slug), cwd, flags)), True
    if action == "context":
        view, made = asyncio.run(make_context(view.slug, cwd))
        sys.stdout.write(f"{count(len(made.lanes), 'bundle')} of run {made.run}\n")
        return view, True
    if action == "decide":
        return _decide(view, flags)
    gate: Gate = "plan"
    for name in ("spec", "team"):
        gate = name if view.standing.step == f"approve {name}" else gate
    if gate == "plan" and action in ("approve", "ask") and view.unreviewed:
        from guildmoot.api.work import review_work  # it was stopped before the plan was looked at

        view = asyncio.run(review_work(view.slug, cwd, flags))
    if action == "approve":
        return asyncio.run(approve(gate, view.slug, cwd, source="auto-approve-mode")), True
    if action == "ask":
        answer, seen = ask_gate(view, gate)
        if answer == "edit":
            _edit(view.files[gate])
            return _again(view.slug), True
        if answer == "approve":
            return asyncio.run(approve(gate, view.slug, cwd, seen=seen)), True
        sys.stdout.write("Stopped here; 'guild run' goes on.\n")
        return view, False
    show(view, as_json=False)
    return view, False


def team_rows(proposal: TeamProposal) -> list[str]:
    """Who sits and why, and what nobody covers."""
    rows: list[str] = []
    for match in proposal.taken:
        rule = f" ({match.implied_by})" if match.implied_by else ""
        rows += wrapped(f"  {match.specialist.name:<16} {match.why}{rule}", " " * 19)
    for note in proposal.left_out:
        rows += wrapped(f"  note: {note}", "    ")
    for gap in proposal.gaps:
        rows += wrapped(f"  gap {gap.role}: {gap.note}", "    ")
        if gap.resolution == "B":
            rows += wrapped(
                f"    guild work team --replace --gap {gap.role}=A proposes a specialist, =B does without"
                " (as now), =C:NAME lets somebody cover it, =D: the team is composed by hand", "    ",
            )  # fmt: skip
    return rows


_DECISIONS = {"1": "force-pass", "2": "extend-cap=4", "3": "rework"}


def _decide(view: WorkView, flags: Flags) -> tuple[WorkView, bool]:
    """The three ways out of a challenge that cannot go on by itself; three tries, then it stays open."""
    from guildmoot.api.drafting import challenge_work, loop_words

    gate = view.standing.gate
    _write(wrapped(view.standing.why))
    _write(["  1  force-pass: go on; the open questions are kept as assumptions",
            "  2  extend-cap: four rounds more", "  3  rework: back to whoever wrote it"])  # fmt: skip
    _forget_typed()
    for _ in range(3):
        word = _DECISIONS.get(_asked("1, 2 or 3? "))
        if word:
            told = asyncio.run(
                challenge_work(gate, view.slug, Path.cwd(), decision=word, settings=flags)
            )
            _write(row for line in loop_words(told) for row in wrapped(line))
            return _again(view.slug), word != "rework"
    _write(wrapped(f"Nobody decided: {view.command} (or extend-cap=4, or rework)"))
    return view, False


def _interview(view: WorkView, flags: Flags) -> tuple[WorkView, bool]:
    """Ask for what is open; nothing said is nothing done."""
    from guildmoot.api.work import brainstorm, save_answers
    from guildmoot.lifecycle.interview import hold_interview
    from guildmoot.lifecycle.steps import SpecRequest

    sys.stdout.write("An empty line ends an answer; an empty answer leaves it open.\n")
    fields = hold_interview(
        view.open_fields, _ask, lambda said: _write(wrapped(said)),
        lambda said: asyncio.run(save_answers(view.slug, said, Path.cwd())),
    )  # fmt: skip
    if not fields:
        show(view, as_json=False)
        return view, False
    request = SpecRequest(slug=view.slug, fields=tuple(fields.items()))
    after = asyncio.run(brainstorm(request, Path.cwd(), flags))
    if after.standing.step == "brainstorm":
        show(after, as_json=False)
        return after, False
    return after, True


def _ask(question: SpecQuestion, problem: str) -> str:
    if problem:
        _write(wrapped(f"  {problem}"))
    _write(["", *wrapped(question.text), *wrapped(f"  e.g. {question.example}")])
    rows: list[str] = []
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        row = sys.stdin.readline()
        if not row.strip():
            return "\n".join(rows)
        rows.append(row.rstrip("\n"))


def _write(rows: Iterable[str]) -> None:
    sys.stdout.writelines(f"{clean(row)}\n" for row in rows)


def _asked(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold()


def _forget_typed() -> None:
    """What was typed before a document was shown is no answer to it."""
    with suppress(OSError, ValueError, ImportError):
        import termios

        if sys.stdin.isatty():
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _again(slug: str) -> WorkView:
    from guildmoot.api.work import work_status

    return asyncio.run(work_status(slug, Path.cwd()))


def ask_gate(view: WorkView, gate: Gate) -> tuple[str, str]:
    """Show a document to a person and ask; ``approve``, ``edit`` or ``abort``, and the hash of what was shown."""
    from guildmoot.lifecycle.gates import YES as AGREED
    from guildmoot.lifecycle.gates import content_hash

    content = view.files[gate].read_bytes().decode("utf-8", "replace")
    _write(["", short_path(view.files[gate]), "", *(f"  {row}" for row in content.splitlines())])
    for note in view.notes:
        _write(wrapped(f"note: {note}"))
    words = {**dict.fromkeys(AGREED, "approve"), **dict.fromkeys(("edit", "e"), "edit"),
             **dict.fromkeys(("", "abort", "a", "no", "n"), "abort")}  # fmt: skip
    _forget_typed()
    for _ in range(3):
        said = _asked(f"The {gate}: approve, edit or abort? ").rstrip("!.")
        if answer := words.get(said):
            return answer, content_hash(content)
        sys.stdout.write(f"{clean(said)!r} is no yes: write 'approve' to approve.\n")
    return "abort", content_hash(content)


def _edit(path: Path) -> None:
    """Open the user's own editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        _asked(f"No EDITOR is set: edit {path}, then press Enter. ")
        return
    import shlex

    subprocess.run([*shlex.split(editor), str(path)], check=False)
