"""``guild skills``: the shipped skills, and whether skills are well made."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, text
from guildmoot.cli.output import emit
from guildmoot.errors import (
    EXIT_FLAGGED,
    EXIT_OK,
    EXIT_UNDECIDED,
    TargetError,
    UsageError,
    did_you_mean,
)
from guildmoot.text.clean import clean, count


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "skills",
        "Lists and shows the shipped skills, and checks skills in the public agent-skills format: a name that"
        " is its folder's, a description that says when to use it and when not, cases for both. A skill of this"
        " project changes by evidence: evolve takes a new version over when it fixes something and breaks"
        " nothing, or saves a tenth of the tokens; every version is kept, and rollback brings one back.",
        "  guild skills list\n"
        "  guild skills show tdd\n"
        "  guild skills lint                  the shipped ones\n"
        "  guild skills lint .claude/skills   those of a folder\n"
        "  guild skills evolve .claude/skills/tdd --to drafts/tdd --runner ./try-case\n"
        "  guild skills versions .claude/skills/tdd\n"
        "  guild skills rollback .claude/skills/tdd v1",
    )
    parser.add_argument("what", choices=("list", "show", "lint", *_CHANGES))
    parser.add_argument("target", nargs="?", default="", metavar="NAME|FOLDER")
    parser.add_argument("version", nargs="?", default="1", metavar="vN|STEPS")
    add_options(
        parser,
        ("--to", "with evolve: the folder of the new version", text("FOLDER")),
        ("--runner", "run for each case (GUILD_SKILL, GUILD_CASE, GUILD_EXPECT); 0 is a pass", text("CMD")),
        ("--grading", "with evolve: a file with the results instead", text("FILE")),
        ("--yes", "with evolve: you agree to what got worse", YES),
        ("--why", "with rollback: the reason", text("TEXT")),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    if options.what == "lint":
        return _lint(options.target, as_json=options.json)
    if options.what in _CHANGES:
        if not options.target:
            raise UsageError("which skill? name its folder", "e.g. .claude/skills/tdd")
        return _CHANGES[options.what](options)
    from guildmoot.api.work import list_skills

    skills = asyncio.run(list_skills())
    if options.what == "show":
        found = next((skill for skill in skills if skill.name == options.target), None)
        if found is None:
            near = did_you_mean(options.target, (skill.name for skill in skills))
            raise UsageError(f"there is no skill {options.target!r}", near or "guild skills list")
        sys.stdout.write(found.path.read_text(encoding="utf-8"))
        return EXIT_OK
    rows = [f"  {skill.name:<24} {skill.description.partition('. ')[0][:52]}" for skill in skills]
    data = [
        {"name": skill.name, "tier": skill.tier, "description": skill.description}
        for skill in skills
    ]
    return emit({"skills": data}, [count(len(skills), "skill"), *rows], as_json=options.json)


def _evolve(options: argparse.Namespace) -> int:
    from guildmoot.api.lifecycle.skills import evolve_skill

    if not options.to or bool(options.runner) == bool(options.grading):
        raise UsageError(
            "evolve needs the new version and one way to hold it against its cases",
            "Add --to FOLDER and either --runner CMD or --grading FILE.",
        )
    done = asyncio.run(
        evolve_skill(
            options.target, options.to, Path.cwd(),
            grading=options.grading, runner=options.runner, agreed=options.yes,
        )
    )  # fmt: skip
    outcome, why = done.promotion
    rows = [f"{outcome}: {why}"]
    rows += (
        [f"  now v{done.version}; 'guild skills rollback' brings the old one back"]
        if done.version
        else []
    )
    if outcome == "REJECTED" and done.flips.regressions:
        rows.append("  --yes takes it over all the same")
    plain = {
        "outcome": outcome,
        "why": why,
        "version": done.version or None,
        **done.flips._asdict(),
    }
    emit(plain, map(clean, rows), as_json=options.json)
    return EXIT_OK if done.version else EXIT_FLAGGED if outcome == "REJECTED" else EXIT_UNDECIDED


def _versions(options: argparse.Namespace) -> int:
    from guildmoot.api.lifecycle.skills import skill_versions

    found = asyncio.run(skill_versions(options.target, Path.cwd()))
    rows = [
        f"v{each.number}  {each.created_at[:16]}  {each.source}: {each.why} ({each.by})"
        for each in found
    ]
    plain = {"versions": [each._asdict() for each in found]}
    return emit(plain, map(clean, rows or ["no version was kept yet"]), as_json=options.json)


def _rollback(options: argparse.Namespace) -> int:
    from guildmoot.api.lifecycle.skills import rollback_skill

    done = asyncio.run(
        rollback_skill(
            options.target, options.version, Path.cwd(), runner=options.runner, why=options.why
        )
    )
    tried = "its cases were not tried: add --runner CMD"
    if done.failed is not None:
        tried = (
            f"{count(len(done.failed), 'case')} of it do not pass"
            if done.failed
            else "its cases pass"
        )
    emit(
        {**done._asdict()},
        [f"v{done.restored} is back, as v{done.version}; {tried}"],
        as_json=options.json,
    )
    return EXIT_FLAGGED if done.failed else EXIT_OK


_CHANGES = {"evolve": _evolve, "versions": _versions, "rollback": _rollback}


def _lint(folder: str, *, as_json: bool) -> int:
    from guildmoot.cli.guild.work.lint import main as lint
    from guildmoot.lifecycle.skill import SHIPPED

    root = Path(folder) if folder else SHIPPED
    files = sorted(str(path) for path in root.rglob("SKILL.md"))
    if not files:
        raise TargetError(f"there is no SKILL.md below {root}")
    return lint([*files, *(["--json"] if as_json else [])])
