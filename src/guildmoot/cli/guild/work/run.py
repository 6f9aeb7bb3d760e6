"""``guild run``: from a sentence to an approved plan, asking a person where one must decide."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_options, listed, text
from guildmoot.cli.guild.work.work import show
from guildmoot.errors import EXIT_OK, EXIT_UNDECIDED, UndecidedError, UsageError
from guildmoot.text.clean import clean

if TYPE_CHECKING:
    from guildmoot.lifecycle.gates import Gate
    from guildmoot.lifecycle.steps import WorkView

_AUTO = {
    "none": (),
    "spec": ("spec",),
    "plan": ("team", "plan"),
    "spec-and-plan": ("spec", "team", "plan"),
    "build": (),
    "implementation": (),
    "all": ("spec", "team", "plan"),
}


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "run",
        "Finds where the work stands and goes on from there: spec, team, plan, each shown to you and"
        " approved by you. Stop whenever you like; the same command goes on.",
        "  guild run 'A link shortener with an HTTP API'\n"
        "  guild run                              go on with what is open\n"
        "  guild run --from issue.md              begin with a brief or an issue\n"
        "  guild run --auto-approve spec,plan     without a person, for scripts",
    )
    parser.add_argument("intent", nargs="?", default="", help="what you want, in a sentence")
    add_options(
        parser,
        ("--slug", "which piece of work, where several are open", text("NAME")),
        ("--from", "a file with a brief or an issue text", {**text("FILE"), "dest": "source"}),
        ("--auto-approve", f"gates that need nobody: {', '.join(_AUTO)}",
         {**listed("A,B"), "dest": "auto"}),
        ("--restart", "put what is there aside and begin anew", YES),
        ("--yes", "with --restart: do not ask", YES),
    )  # fmt: skip
    options = parser.parse_args(argv)
    covered = _covered(options.auto)
    if options.restart:
        _restart(options.slug, sure=options.yes)
    view = _begin(options.intent, options.slug, options.source)
    while True:
        view, goes_on = _advance(view, covered)
        if not goes_on:
            break
    return EXIT_OK if view.standing.step not in _STOPS else EXIT_UNDECIDED


_STOPS = ("brainstorm", "approve spec", "team", "approve team", "plan", "approve plan")


def _covered(words: tuple[str, ...]) -> frozenset[str]:
    unknown = [word for word in words if word not in _AUTO]
    if unknown:
        raise UsageError(
            f"--auto-approve knows no {unknown[0]}", f"Take some of: {', '.join(_AUTO)}"
        )
    return frozenset(gate for word in words for gate in _AUTO[word])


def _restart(slug: str, *, sure: bool) -> None:
    from guildmoot.api.work import restart_work

    if not sure:
        if not sys.stdin.isatty():
            raise UndecidedError("nobody is there to say that it begins anew", "Add --yes.")
        sys.stdout.write("Put the spec, team and plan aside and begin anew? [y/N] ")
        sys.stdout.flush()
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            raise UndecidedError("nothing was put aside")
    aside = asyncio.run(restart_work(slug, Path.cwd()))
    sys.stdout.write(f"put aside: {aside}\n")


def _begin(intent: str, slug: str, source: str) -> WorkView:
    from guildmoot.api.work import brainstorm, work_status
    from guildmoot.lifecycle.steps import SpecRequest

    if not intent and not source:
        return asyncio.run(work_status(slug, Path.cwd()))
    fields = _interview() if sys.stdin.isatty() else ()
    return asyncio.run(brainstorm(SpecRequest(intent, slug, source, fields), Path.cwd()))


def _interview() -> tuple[tuple[str, str], ...]:
    """The questions, a group at a time; an empty answer leaves a field open."""
    from guildmoot.lifecycle.interview import CLUSTERS
    from guildmoot.lifecycle.spec import GOAL

    answers: list[tuple[str, str]] = []
    for cluster in CLUSTERS:
        said: list[str] = []
        for question in cluster:
            if question.field == GOAL:
                continue  # the intent is the goal
            sys.stdout.write(f"\n{question.text}\n  e.g. {question.example}\n")
            answer = _lines()
            if answer:
                answers.append((question.field, answer))
                said.append(f"{question.field}: {' '.join(answer.split())[:60]}")
        if said:
            sys.stdout.write(f"So: {'; '.join(said)}.\n")
    return tuple(answers)


def _lines() -> str:
    """Lines until an empty one."""
    rows: list[str] = []
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        row = sys.stdin.readline()
        if not row.strip():
            return "\n".join(rows)
        rows.append(row.rstrip("\n"))


def _advance(view: WorkView, covered: frozenset[str]) -> tuple[WorkView, bool]:
    """Take the next step; False when it cannot be taken here, or all are."""
    from guildmoot.api.work import approve, compose_team, draft_plan, make_context
    from guildmoot.lifecycle.steps import TeamRequest

    cwd, step = Path.cwd(), view.standing.step
    if step == "team" and not view.state.team.exists:
        view, proposal = asyncio.run(compose_team(TeamRequest(view.slug), cwd))
        for match in proposal.taken:
            sys.stdout.write(f"  {match.specialist.name:<16} {clean(match.why)}\n")
        return view, True
    if step == "plan" and not view.state.plan.exists:
        return asyncio.run(draft_plan(view.slug, cwd)), True
    if step == "context":
        view, made = asyncio.run(make_context(view.slug, cwd))
        sys.stdout.write(f"{len(made.lanes)} bundles of run {made.run}\n")
        return view, True
    if step.startswith("approve "):
        gate: Gate = "spec" if "spec" in step else "team" if "team" in step else "plan"
        if gate in covered:
            done = asyncio.run(approve(gate, view.slug, cwd, source="auto-approve-mode"))
            return done, True
        if not sys.stdin.isatty():
            show(view, as_json=False)
            return view, False
        answer, seen = ask_gate(view, gate)
        if answer == "edit":
            _edit(view.files[gate])
            return _again(view.slug), True
        if answer != "approve":
            sys.stdout.write("Stopped here; 'guild run' goes on.\n")
            return view, False
        return asyncio.run(approve(gate, view.slug, cwd, seen=seen)), True
    show(view, as_json=False)
    return view, False


def _again(slug: str) -> WorkView:
    from guildmoot.api.work import work_status

    return asyncio.run(work_status(slug, Path.cwd()))


def ask_gate(view: WorkView, gate: Gate) -> tuple[str, str]:
    """Show a document to a person and ask; ``approve``, ``edit`` or ``abort``, and the hash of what was shown."""
    from guildmoot.lifecycle.gates import YES as AGREED
    from guildmoot.lifecycle.gates import content_hash

    content = view.files[gate].read_text(encoding="utf-8", errors="replace")
    sys.stdout.write(f"\n{view.files[gate]}\n\n{_indented(content)}\n")
    sys.stdout.write(f"The {gate}: approve, edit or abort? ")
    sys.stdout.flush()
    said = sys.stdin.readline().strip().casefold().rstrip("!.")
    answer = "approve" if said in AGREED else "edit" if said in ("edit", "e") else "abort"
    return answer, content_hash(content)


def _indented(content: str) -> str:
    return "\n".join(f"  {clean(row)}" for row in content.splitlines())


def _edit(path: Path) -> None:
    """Open the user's own editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        sys.stdout.write(f"No EDITOR is set: edit {path}, then press Enter. ")
        sys.stdout.flush()
        sys.stdin.readline()
        return
    import shlex

    subprocess.run([*shlex.split(editor), str(path)], check=False)
