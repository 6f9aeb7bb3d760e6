"""``guild approvals``: the inbox of questions that wait for a person, the guard's and those of work."""

from __future__ import annotations

import asyncio
import getpass
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, shorten
from guildmoot.cli.person import not_in_a_lane
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.text.clean import one_line

if TYPE_CHECKING:
    from guildmoot.api.lifecycle.questions import WorkQuestion
    from guildmoot.guard.hooks.approvals import Answer, Approval

_WORDS = ("list", "approve", "deny")


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "approvals",
        "What the guard asked or refused waits here for a person, and what a piece of work waits for,"
        " with the command that answers it. A yes lets exactly that call of that"
        " session pass once, within an hour; who waits for it goes on by itself. An answer is typed"
        " at a terminal that no agent started.",
        "  guild approvals                    what waits\n"
        "  guild approvals list --all         what was answered, too\n"
        "  guild approvals approve 1f3a       let it pass once\n"
        "  guild approvals approve 1f3a --for 8   as often as it comes, for 8 hours\n"
        "  guild approvals deny 1f3a",
    )
    parser.add_argument("what", nargs="?", default="list", metavar="list|approve|deny")
    parser.add_argument("name", nargs="?", default="", metavar="ID", help="or its beginning")
    parser.add_argument(
        "--for", dest="hours", type=float, metavar="HOURS", help="as often as it comes, so long"
    )
    parser.add_argument("--all", action="store_true", help="list what was answered, too")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api import hooks as api
    from guildmoot.api.lifecycle.questions import open_questions

    if options.what not in _WORDS:
        hint = did_you_mean(options.what, _WORDS, "It can list, approve and deny.")
        raise UsageError(f"'guild approvals' cannot {options.what!r}", hint)
    if options.what == "list":
        found = asyncio.run(api.list_approvals())
        shown = [each for each in found if options.all or each.state == "waiting"]
        asked = asyncio.run(open_questions(Path.cwd()))
        data = {"approvals": [_plain(each) for each in shown], "work": [q._asdict() for q in asked]}
        rows = [*_work_rows(asked), *_rows(shown, len(found), bool(asked))]
        return emit(data, rows, as_json=options.json)
    not_in_a_lane(f"approvals {options.what}")
    if not options.name:
        raise UsageError("an answer needs the id of its question.", "`guild approvals` lists them.")
    if options.hours is not None and not 0 < options.hours <= 24 * 7:
        raise UsageError("--for is at most 168 and more than 0.", "A yes must expire.")
    known = [each for each in asyncio.run(api.list_approvals()) if each.id.startswith(options.name)]
    if len(known) == 1:
        _confirm(known[0], options.what)
    answered: Answer = "approved" if options.what == "approve" else "denied"
    done = asyncio.run(
        api.answer_approval(
            options.name, answered, getpass.getuser(), "terminal", options.hours or 0.0
        )
    )
    times = "once" if done.once else "as often as it comes"
    until = (
        f", {times}, until {done.expires[:16].replace('T', ' ')} UTC"
        if answered == "approved"
        else ""
    )
    return emit(_plain(done), [f"{done.id} {answered}{until}"], as_json=options.json)


def _confirm(one: Approval, what: str) -> None:
    """Show it at the terminal and have its nonce's first letters typed: no pipe and no agent answers."""
    from guildmoot.guard.hooks.channel import agent_above

    agent = agent_above(os.environ)
    if agent:
        raise UsageError(
            f"an answer is a person's to give, and this comes from an agent: {agent}.",
            f"Run it in a terminal of your own: guild approvals {what} {one.id}",
        )
    try:
        with (
            open("/dev/tty", encoding="utf-8") as typed,
            open("/dev/tty", "w", encoding="utf-8") as out,
        ):
            word = one.nonce[:4]
            out.writelines(f"{row}\n" for row in _details(one))
            out.write(f"Type {word} to {what} it: ")
            out.flush()
            said = typed.readline().strip()
    except OSError:
        raise UsageError(
            "an answer is given at a terminal, and this process has none.",
            f"Run it in a terminal of your own: guild approvals {what} {one.id}",
        ) from None
    if said != word:
        raise UsageError("that was not the word, so nothing was answered.", "Try it again.")


def _work_rows(asked: list[WorkQuestion]) -> Iterator[str]:
    """What pieces of work wait for, each with the command that answers."""
    from guildmoot.cli.guild.work.show import wrapped

    for each in asked:
        yield from wrapped(one_line(f"{each.task or each.work}  {each.text}"), "          ")
        yield f"          {one_line(each.command)}"


def _rows(shown: list[Approval], every: int, asked: bool) -> Iterator[str]:
    if not shown and not asked:
        yield "Nothing waits." + (" --all lists what was answered." if every else "")
    for each in shown:
        state = "" if each.state == "waiting" else f"{each.state}  "
        yield shorten(
            f"{each.id}  {each.asked[5:16].replace('T', ' ')}  {state}{one_line(each.call)}"
        )
        yield shorten(f"          {one_line(each.reason)}")


def _details(one: Approval) -> Iterator[str]:
    yield f"{one.host} wants to use {one_line(one.tool)} in {one_line(one.folder)}:"
    for line in one.call.splitlines()[:20]:
        yield f"  {one_line(line)}"
    yield one_line(one.reason)


def _plain(one: Approval) -> dict[str, object]:
    hidden = ("nonce", "digest")  # who reads this list must not be able to answer
    told = {name: value or None for name, value in one._asdict().items() if name not in hidden}
    return {**told, "state": one.state, "used": one.used}
