"""``guild pre-commit``, ``guild pre-push``, ``guild install-hook``: judge what is to be committed, or pushed."""

from __future__ import annotations

import os
import sys

_HELP = """usage: guild pre-commit [options of 'guild validate']

Judge what the next commit holds, by tools of this machine: no model is asked,
nothing leaves. The same staged files under the same settings are judged once;
after that the answer comes at once. 'guild install-hook' makes it a git hook;
for the pre-commit program see docs/pre-commit.md: with --all-files or
--from-ref and --to-ref, these are judged.

examples:
  guild pre-commit
  guild pre-commit --fail-on warn
  guild pre-commit --format concise      one line a finding, for editors

exit codes: those of 'guild validate': 0 approved, 2 flagged, 3 undecided
"""
_PUSH_HELP = """usage: guild pre-push [REMOTE] [options of 'guild validate'] < what git tells

Judge what is pushed, since it left the default branch of REMOTE (origin),
whatever is checked out: git tells a hook the commits on standard input, one
line for each branch or tag; on a terminal it is the last commit here.
'guild install-hook --pre-push' makes it a git hook. Models judge too where
your settings name one.

examples:
  guild pre-push
  guild pre-push origin --fail-on warn

exit codes: those of 'guild validate', the gravest of all that is pushed
"""


def main(argv: list[str]) -> int:
    """Run the hook."""
    if {"-h", "--help"}.intersection(argv):
        sys.stdout.write(_HELP)
        return 0
    from guildmoot.places.commit_hook import cache_place, keep, look_up
    from guildmoot.places.hook_targets import ask_git, to_commit

    targets = to_commit(os.environ, ask_git)
    place = cache_place(argv) if targets == ("--staged",) else None
    if place and (known := look_up(*place)):
        sys.stdout.write(known.text)
        sys.stderr.write("guild: nothing has changed since this was judged\n")
        return known.exit_code
    code, text = _judge([*targets, "-q", *argv])
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
        code = validate(argv)
    sys.stdout.write(said.getvalue())
    return code, said.getvalue()


def push(argv: list[str]) -> int:
    """Run the hook before a push."""
    if {"-h", "--help"}.intersection(argv):
        sys.stdout.write(_PUSH_HELP)
        return 0
    from guildmoot.cli.guild.validate import main as validate
    from guildmoot.places.hook_targets import ask_git, pushed_commits, to_push

    named = argv[:1] if argv and not argv[0].startswith("-") else []
    remote = (named or [os.environ.get("PRE_COMMIT_REMOTE_NAME") or "origin"])[0]
    lines = ["- HEAD - -"] if sys.stdin.isatty() else sys.stdin
    tips = pushed_commits(lines, os.environ, ask_git)
    if not tips:
        sys.stderr.write("guild: nothing is pushed, so nothing was judged\n")
    words = [to_push(tip, remote, ask_git) for tip in tips]
    return max((validate([*each, "-q", *argv[len(named) :]]) for each in words), default=0)


def install(argv: list[str]) -> int:
    """Run ``guild install-hook``."""
    from pathlib import Path

    from guildmoot.cli.arguments import YES, Parser, add_json, add_options
    from guildmoot.cli.output import emit
    from guildmoot.places.commit_hook import HOOKS, plan_hook, put_hook

    parser = Parser(
        "install-hook",
        "Put 'guild pre-commit' into this repository's git hooks, or with --pre-push 'guild pre-push',\n"
        "which judges what is pushed. A hook of somebody else's is never touched.",
        "  guild install-hook\n  guild install-hook --pre-push\n  guild install-hook --uninstall",
    )
    add_options(
        parser,
        ("--pre-push", "judge before a push instead", YES),
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
