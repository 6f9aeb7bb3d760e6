"""``guild pre-commit`` and ``guild install-hook``: judge what is staged, before it is committed."""

from __future__ import annotations

import sys

_HELP = """usage: guild pre-commit [options of 'guild validate']

Judge what the next commit holds, by tools of this machine: no model is asked,
nothing leaves. The same staged files under the same settings are judged once;
after that the answer comes at once. 'guild install-hook' makes it a git hook;
for the pre-commit program see docs/pre-commit.md.

examples:
  guild pre-commit
  guild pre-commit --fail-on warn
  guild pre-commit --format concise      one line a finding, for editors

exit codes: those of 'guild validate': 0 approved, 2 flagged, 3 undecided
"""


def main(argv: list[str]) -> int:
    """Run the hook."""
    if {"-h", "--help"}.intersection(argv):
        sys.stdout.write(_HELP)
        return 0
    from guildmoot.places.commit_hook import cache_place, keep, look_up

    place = cache_place(argv)
    if place and (known := look_up(*place)):
        sys.stdout.write(known.text)
        sys.stderr.write("guild: nothing has changed since this was judged\n")
        return known.exit_code
    code, text = _judge(argv)
    if place and code in (0, 1, 2, 3):
        keep(*place, text, code)
    return code


def _judge(argv: list[str]) -> tuple[int, str]:
    """The panel's exit code and what it printed, which is seen as well."""
    import io
    from contextlib import redirect_stdout

    from guildmoot.cli.guild.validate import main as validate
    from guildmoot.config import process_flag

    said = io.StringIO()
    with redirect_stdout(said), process_flag("panel.model", "", "pre-commit"):
        code = validate(["--staged", "-q", *argv])
    sys.stdout.write(said.getvalue())
    return code, said.getvalue()


def install(argv: list[str]) -> int:
    """Run ``guild install-hook``."""
    from pathlib import Path

    from guildmoot.cli.arguments import YES, Parser, add_json, add_options
    from guildmoot.cli.output import emit
    from guildmoot.places.commit_hook import HOOKS, plan_hook, put_hook

    parser = Parser(
        "install-hook",
        "Put 'guild pre-commit' into this repository's git hooks, or with --pre-push the judging of\n"
        "the whole branch before it is pushed. A hook of somebody else's is never touched.",
        "  guild install-hook\n  guild install-hook --pre-push\n  guild install-hook --uninstall",
    )
    add_options(
        parser,
        ("--pre-push", "judge the branch before a push instead", YES),
        ("--uninstall", "take it away again", YES),
        ("--dry-run", "show what would be written", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    hook = plan_hook(HOOKS[options.pre_push], Path.cwd(), uninstall=options.uninstall)
    changed = hook.before != hook.after
    if changed and not options.dry_run:
        put_hook(hook)
    done = "would be" if options.dry_run else "was"
    what = (
        f"{done} {'taken away' if options.uninstall else 'written'}" if changed else "is as it was"
    )
    data = {"hook": str(hook.path), "changed": changed and not options.dry_run, "text": hook.after}
    shown = hook.after.splitlines() if options.dry_run else []
    return emit(data, [f"{hook.path} {what}", *shown], as_json=options.json)
