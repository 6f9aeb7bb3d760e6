"""``guild skills``: the shipped skills, and whether skills are well made."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit
from guildmoot.errors import EXIT_OK, TargetError, UsageError, did_you_mean
from guildmoot.text.clean import count


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "skills",
        "Lists and shows the shipped skills, and checks skills in the public agent-skills format: a name that"
        " is its folder's, a description that says when to use it and when not, cases for both.",
        "  guild skills list\n"
        "  guild skills show tdd\n"
        "  guild skills lint                  the shipped ones\n"
        "  guild skills lint .claude/skills   those of a folder",
    )
    parser.add_argument("what", choices=("list", "show", "lint"))
    parser.add_argument("target", nargs="?", default="", metavar="NAME|FOLDER")
    add_json(parser)
    options = parser.parse_args(argv)
    if options.what == "lint":
        return _lint(options.target, as_json=options.json)
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


def _lint(folder: str, *, as_json: bool) -> int:
    from guildmoot.cli.guild.work.lint import main as lint
    from guildmoot.lifecycle.skill import SHIPPED

    root = Path(folder) if folder else SHIPPED
    files = sorted(str(path) for path in root.rglob("SKILL.md"))
    if not files:
        raise TargetError(f"there is no SKILL.md below {root}")
    return lint([*files, *(["--json"] if as_json else [])])
