"""``guild completion``: scripts for shells, and the manual page."""

from __future__ import annotations

import sys

from guildmoot.cli.arguments import Parser
from guildmoot.errors import UsageError


def main(argv: list[str]) -> int:
    """Run the verb."""
    from guildmoot.places.shells import SHELLS, completion

    parser = Parser(
        "completion",
        "Print what teaches a shell the verbs and options of guild, or the manual page.",
        '  eval "$(guild completion bash)"\n'
        '  guild completion zsh > "${fpath[1]}/_guild"\n'
        "  guild completion fish > ~/.config/fish/completions/guild.fish\n"
        "  guild completion man | man -l -",
    )
    parser.add_argument("shell", metavar="bash|zsh|fish|man")
    shell = parser.parse_args(argv).shell
    if shell != "man" and shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}", f"There is: {', '.join(SHELLS)}.")
    from guildmoot.cli.main import GUILD_VERBS

    if shell == "man":
        sys.stdout.write(manual_page())
    else:
        sys.stdout.write(completion(shell, {verb: row[1] for verb, row in GUILD_VERBS.items()}))
    return 0


def manual_page() -> str:
    """The page as docs/guild.1 has it."""
    from guildmoot.cli.main import ABOUT, EXAMPLES, GUILD_VERBS, tasks
    from guildmoot.places.shells import manual

    groups = {title: {v: GUILD_VERBS[v][1] for v in verbs} for title, verbs in tasks(GUILD_VERBS)}
    return manual(ABOUT["guild"], groups, EXAMPLES.partition("\n\n")[0].partition("\n")[2])
