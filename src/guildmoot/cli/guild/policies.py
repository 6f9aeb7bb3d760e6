"""``guild policies``: the named rules that turn judgements into a verdict."""

from __future__ import annotations

import sys

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.consensus.policies import POLICIES, PUBLISHED_PRECISION
from guildmoot.system.jsonio import dumps


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "policies",
        "List the policies. One is picked with --policy or policy.name in guild.toml.",
        "  guild policies\n  guild validate . --policy agreement",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    if options.json:
        rows = [{"name": policy.name, "about": policy.about} for policy in POLICIES.values()]
        body = {"schema_version": 1, "policies": rows, "published_precision": PUBLISHED_PRECISION}
        sys.stdout.write(dumps(body) + "\n")
        return 0
    for policy in POLICIES.values():
        sys.stdout.write(f"{policy.name:<10} {policy.about}\n")
    sys.stdout.write(
        "\nHow often a finding was right, by the number of tools that reported it\n"
        "(50 real pull requests, 12 review tools):\n"
    )
    for count, share in PUBLISHED_PRECISION.items():
        more = " or more" if count == max(PUBLISHED_PRECISION) else ""
        sys.stdout.write(f"  {count}{more}: {share}\n")
    return 0
