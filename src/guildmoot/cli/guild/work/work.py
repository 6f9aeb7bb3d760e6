"""``guild work``: each step of the lifecycle as one verb, for scripts."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, listed, number, text
from guildmoot.cli.guild.work.show import brief_rows, plain_view, short_path, show, wrapped
from guildmoot.cli.output import emit
from guildmoot.cli.person import not_in_a_lane
from guildmoot.errors import (
    EXIT_FLAGGED,
    EXIT_OK,
    EXIT_UNDECIDED,
    UndecidedError,
    UsageError,
    did_you_mean,
)

if TYPE_CHECKING:
    from guildmoot.config import Origin
    from guildmoot.lifecycle.view import WorkView

_USAGE = """usage: guild work STEP [SLUG] [options]

The steps from an intent to an approved plan, one at a time. 'guild run' takes
them for you and asks where a person must decide.

  init        map, overview and goals of a project, before its first work
  learn       map the codebase; 'guild learn' is the same
  brainstorm  write the spec: --intent TEXT, --from FILE, --answer FIELD=TEXT
  team        write the team that the spec asks for, with the reason for each
  plan        write the plan: a lane for each specialist
  challenge   let a model, or a file, ask what a spec or plan leaves open
  context     write the brief of each lane of an approved plan
  execute     carry the plan out: --worker CMD, --jobs N
  approve     say yes to spec, team or plan: guild work approve spec SLUG --yes
  review      look at what each lane handed over, by code and by judges
  verify      five checks on the result, in a clean checkout of it
  accept      let something stand by your word, with --why TEXT
  reflect     write what the run taught, as proposals
  status      where the work stands, and what comes next

'guild work STEP --help' explains a step. Exit codes: 0 done, 2 a document is
invalid, 3 a person must decide, 64 usage."""
MODEL = ("--model", "who drafts and challenges, e.g. claude; empty: work.model", text("M"))
FIELDS = {
    "goal": "Goal & outcome",
    "audience": "Audience / operator",
    "criteria": "Success criteria",
    "non-goals": "Non-goals",
    "constraints": "Constraints",
    "autonomy": "Autonomy policy",
    "risks": "Risks & rollback",
    "assumptions": "Assumptions (from brainstorm)",
}
"""What each field of a spec is called on the command line."""


def main(argv: list[str]) -> int:
    """Run a step."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write(_USAGE + "\n")
        return EXIT_OK
    step = _STEPS.get(argv[0])
    if step is None:
        near = did_you_mean(argv[0], _STEPS)
        raise UsageError(f"there is no step {argv[0]}", near or "'guild work --help' lists them.")
    return step(argv[1:])


def model_flag(model: str) -> dict[str, Origin]:
    """What ``--model`` sets."""
    from guildmoot.config import Origin

    return {"work.model": Origin(model, "--model")} if model else {}


def status(argv: list[str]) -> int:
    """``guild status`` and ``guild work status``."""
    parser = Parser("status", "Where the work stands: step, next gate, what is in the way.")
    parser.add_argument("slug", nargs="?", default="")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import list_work, work_status

    views = [] if options.slug else asyncio.run(list_work(Path.cwd()))
    still_open = [each for each in views if each.standing.step != "done"]
    if len(still_open) > 1:
        rows = [row for each in still_open for row in brief_rows(each)]
        data = {"work": [plain_view(each) for each in still_open]}
        return emit(data, rows, as_json=options.json)
    if views:
        return show((still_open or views)[0], as_json=options.json)
    return show(asyncio.run(work_status(options.slug, Path.cwd())), as_json=options.json)


def _brainstorm(argv: list[str]) -> int:
    parser = Parser(
        "work brainstorm",
        "Writes the spec from what is known. What nobody answered stays open, and the spec is not"
        " valid until it is answered, or until --proceed turns it into assumptions.",
        "  guild work brainstorm --intent 'A link shortener with an API'\n"
        "  guild work brainstorm shop --from issue.md --answer criteria='`pytest -q` exits 0'",
    )
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        ("--intent", "what is wanted, in a sentence", text("TEXT")),
        ("--from", "a file with a brief or an issue text", {**text("FILE"), "dest": "source"}),
        (
            "--answer",
            f"one of: {', '.join(FIELDS)}",
            {"action": "append", "metavar": "FIELD=TEXT"},
        ),
        ("--proceed", "turn what is open into assumptions", YES),
        MODEL,
        ("--lanes", "who does all of it, e.g. backend; or: team", {**text("WHO"), "dest": "alone"}),
        ("--replace", "write it anew although there is one", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import brainstorm
    from guildmoot.lifecycle.steps import SpecRequest

    fields = tuple(_answer(each) for each in options.answer or ())
    request = SpecRequest(
        *(options.intent, options.slug, options.source, fields),
        proceed=options.proceed,
        replace=options.replace,
        one_lane=options.alone,
    )
    made = asyncio.run(brainstorm(request, Path.cwd(), model_flag(options.model)))
    show(made, as_json=options.json)
    return _exit_code(made)


def _exit_code(view: WorkView) -> int:
    """A step that leaves a document which nobody can approve is not done."""
    return EXIT_FLAGGED if view.problems else EXIT_OK


def _answer(text: str) -> tuple[str, str]:
    name, equals, said = text.partition("=")
    if not equals or name not in FIELDS:
        raise UsageError(
            f"--answer {text.partition('=')[0]} names no field",
            f"Write --answer FIELD=TEXT with one of: {', '.join(FIELDS)}",
        )
    return FIELDS[name], said.strip()


def _team(argv: list[str]) -> int:
    parser = Parser(
        "work team",
        "Writes the team that the approved spec asks for: specialists whose words stand in its goal and"
        " criteria, and the roles that these imply. The reason for each is told.",
    )
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        ("--with", "who must sit", {**listed("A,B"), "dest": "wanted"}),
        ("--without", "who must not", {**listed("A,B"), "dest": "unwanted"}),
        ("--team-size", "how many at most (6, or work.team_size)",
         {**number(int), "dest": "most"}),
        ("--gap", "of a part that nobody covers: A, B, C:NAME or D",
         {"action": "append", "metavar": "ROLE=HOW"}),
        ("--replace", "write it anew although there is one", YES),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import compose_team
    from guildmoot.cli.guild.work.run import team_rows
    from guildmoot.lifecycle.steps import TeamRequest

    gaps = dict(each.partition("=")[::2] for each in options.gap or ())
    request = TeamRequest(
        options.slug, tuple(options.wanted), tuple(options.unwanted), options.most or 0,
        options.replace, gaps,
    )  # fmt: skip
    view, proposal = asyncio.run(compose_team(request, Path.cwd()))
    extra = {
        "team": [
            {"name": m.specialist.name, "why": m.why, "implied_by": m.implied_by or None,
             "taken": m.taken}
            for m in proposal.matches
        ],
        "gaps": [{**gap._asdict(), "note": gap.note} for gap in proposal.gaps],
    }  # fmt: skip
    show(view, as_json=options.json, rows=team_rows(proposal), extra=extra)
    return _exit_code(view)


def _plan(argv: list[str]) -> int:
    parser = Parser(
        "work plan", "Writes the plan for the approved team: a lane for each specialist."
    )
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        ("--replace", "write it anew although there is one", YES),
        ("--model-tier", "pin every lane: cheap, mid or powerful",
         {"default": "", "choices": ("cheap", "mid", "powerful"), "dest": "tier"}),
        MODEL,
        ("--review", "only hold the pre-mortem of the plan that is there", YES),
        ("--no-review", "write it without a pre-mortem", YES),
        ("--mermaid", "print the lanes as a Mermaid graph; a plan that is there is only drawn", YES),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import draft_plan, review_work, work_status
    from guildmoot.lifecycle.planning import draw_mermaid
    from guildmoot.lifecycle.steps import PlanRequest

    flags = model_flag(options.model)
    if options.review:
        view = asyncio.run(review_work(options.slug, Path.cwd(), flags))
    elif (
        options.mermaid
        and not options.replace
        and "plan" in (known := asyncio.run(work_status(options.slug, Path.cwd()))).files
    ):
        view = known  # only drawn
    else:
        request = PlanRequest(
            options.slug, options.replace, options.tier, review=not options.no_review
        )
        view = asyncio.run(draft_plan(request, Path.cwd(), flags))
    graph = draw_mermaid(view.plan) if view.plan and options.mermaid else ""
    show(view, as_json=options.json, rows=graph.splitlines(), extra={"mermaid": graph or None})
    return _exit_code(view)


def _challenge(argv: list[str]) -> int:
    parser = Parser(
        "work challenge",
        "Lets one model ask what a spec or plan leaves open and another mend it, round by round, until the"
        " line '## NO MORE QUESTIONS'. A file can be a round as well. What goes on too long, or cannot be"
        " read twice, a person decides.",
        "  guild work challenge spec link-shortener --model claude\n"
        "  guild work challenge plan link-shortener --from questions.md\n"
        "  guild work challenge plan link-shortener --decide extend-cap=8",
    )
    parser.add_argument("gate", choices=("spec", "plan"))
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        MODEL,
        ("--from", "a round of questions in a file", {**text("FILE"), "dest": "source"}),
        ("--decide", "force-pass, extend-cap=N or rework", text("HOW")),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.drafting import challenge_work, loop_words

    told = asyncio.run(
        challenge_work(
            options.gate, options.slug, Path.cwd(), source=options.source,
            decision=options.decide, settings=model_flag(options.model),
        )
    )  # fmt: skip
    state = told.state
    rows = [row for line in loop_words(told) for row in wrapped(line)]
    for question in state.questions if state and state.ended != "done" else ():
        rows += wrapped(f"  {question}", "    ")
    if state and state.needs_person:
        rows.append(f"next: guild work challenge {options.gate} {told.slug} --decide force-pass")
        rows.append("  or --decide extend-cap=4, or --decide rework")
    emit(
        {"slug": told.slug, "loop": told.loop, "notes": list(told.notes),
         "state": state._asdict() if state else None},
        rows, as_json=options.json,
    )  # fmt: skip
    return EXIT_UNDECIDED if state is None or state.needs_person else EXIT_OK


def _context(argv: list[str]) -> int:
    parser = Parser(
        "work context",
        "Writes the context bundle of every lane of an approved plan: the whole brief of its"
        " specialist, within 6,000 tokens, with what was dropped or withheld.",
    )
    parser.add_argument("slug", nargs="?", default="")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import make_context

    view, made = asyncio.run(make_context(options.slug, Path.cwd()))
    rows = [f"run {made.run}"]
    for lane in made.lanes:
        lost = len(lane.bundle.dropped) + len(lane.bundle.quarantined)
        rows.append(
            f"  {lane.lane.task:<16} ~{lane.bundle.tokens['total']} tokens"
            + (f", {lost} left out" if lost else "")
        )
        rows.append(f"    {short_path(lane.path)}")
    for each in made.warnings:
        rows += wrapped(f"  note: {each}", "    ")
    extra = {
        "run": made.run,
        "bundles": [
            {"task": lane.lane.task, "path": str(lane.path), "tokens": lane.bundle.tokens,
             "dropped_for_budget": list(lane.bundle.dropped),
             "quarantined": list(lane.bundle.quarantined)}
            for lane in made.lanes
        ],
        "warnings": list(made.warnings),
    }  # fmt: skip
    return show(view, as_json=options.json, rows=rows, extra=extra)


def _approve(argv: list[str]) -> int:
    parser = Parser(
        "work approve",
        "Says yes to a spec, team or plan as it is now. A later change of the file makes it"
        " unapproved again. A file that 'guild lint' refuses is not approved.",
        "  guild work approve spec link-shortener --yes",
    )
    parser.add_argument("gate", choices=("spec", "team", "plan"))
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        ("--yes", "approve without asking", YES),
        ("--no", "reject it", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    not_in_a_lane("work approve")
    from guildmoot.api.work import approve, work_status

    view = asyncio.run(work_status(options.slug, Path.cwd()))
    seen = ""
    if options.gate in view.files and not options.yes and not options.no:
        if not sys.stdin.isatty():
            raise UndecidedError(
                f"nobody is there to approve the {options.gate}",
                f"Run: guild work approve {options.gate} {view.slug} --yes",
            )
        from guildmoot.cli.guild.work.run import ask_gate

        answered, seen = ask_gate(view, options.gate)
        if answered != "approve":
            sys.stderr.write("nothing was approved\n")
            return EXIT_UNDECIDED
    done = asyncio.run(approve(options.gate, view.slug, Path.cwd(), seen=seen, yes=not options.no))
    return show(done, as_json=options.json)


def _elsewhere(module: str, verb: str = "main") -> Callable[[list[str]], int]:
    """A step of another file, which is read when it is called."""

    def run(argv: list[str]) -> int:
        found = __import__(f"guildmoot.cli.guild.work.{module}", fromlist=[verb])
        step: Callable[[list[str]], int] = getattr(found, verb)
        return step(argv)

    return run


_STEPS: dict[str, Callable[[list[str]], int]] = {
    "init": _elsewhere("initiative", "init"),
    "learn": _elsewhere("learn"),
    "brainstorm": _brainstorm,
    "team": _team,
    "plan": _plan,
    "challenge": _challenge,
    "context": _context,
    "execute": _elsewhere("execute", "execute"),
    "approve": _approve,
    "review": _elsewhere("proof", "review"),
    "verify": _elsewhere("proof", "verify"),
    "accept": _elsewhere("proof", "accept"),
    "reflect": _elsewhere("proof", "reflect"),
    "status": status,
}
