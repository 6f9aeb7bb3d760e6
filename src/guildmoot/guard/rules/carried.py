"""Commands that another program is given as text: what it does with them is its own affair, so a person is asked.

``tar -I 'rm -rf X'``, ``psql -c '\\! rm -rf X'``, ``nix develop -c rm -rf X``, ``PAGER='rm -rf X' man ls``: no list of
programs that can start others is ever complete, but a text that would be denied as a command tells itself.
"""

from __future__ import annotations

from guildmoot.guard.commands.interpreters import SHELLS
from guildmoot.guard.commands.words import names
from guildmoot.guard.rules.databases import ALL_ROWS, CLIENTS, dangerous_sql
from guildmoot.guard.rules.rulings import ruling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.decision import Decision

    Judge = Callable[[str], Decision]

_DATA = names(
    """echo printf print grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk cat head tail tee read : true false test [ [[
    git hg jj gh glab hub jq yq curl wget http https xh logger say notify-send claude codex gemini aider cursor llm ollama
    guild loom griot mail mailx pbcopy xclip wl-copy expr basename dirname let export declare local readonly typeset set
    alias unalias trap eval jira linear code open xdg-open diff comm cmp sort uniq wc cut tr column fold figlet cowsay
    ls cd pushd mkdir touch rm cp mv find python python3 node ruby perl php pytest jest vitest source . command"""
)
"""Programs to which their words are data, or that are looked into by rules of their own."""
_MARKS = "!\\|:.&@ \t\"'({"
_SAYS = ("shell ", "system ", "exec ", "spawn ", "sh ")
_BEHIND = names("-- -c -e -x --exec --command --cmd --run -run exec run")
_RUN_BY_NAME = (
    "EDITOR",
    "PAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "_COMMAND",
    "_ASKPASS",
    "SHELL",
)
_MOST_TEXT = 2_000
_MOST_LINES = 40


def carried(run: Invocation, programs: Container[str], judge: Judge) -> Iterator[Decision]:
    """``programs`` have rules; ``judge`` says what a text would be as a command."""
    for name, value in run.assigns:
        if name.endswith(_RUN_BY_NAME) and " " in value:
            yield judge(value.lstrip("| "))
        elif (found := command_in(value, programs)) and grave(judge(found)):
            yield ruling("code-text", found[:60])  # CARGO_TARGET_X_RUNNER, and others nobody lists
    if run.opened or run.local or run.name in _DATA:
        return
    for text in _texts(run):
        if run.name not in CLIENTS and "--local" not in run.words and dangerous_sql(text):
            yield ruling("code-text", text[:60])
        if any(call in text for call in ALL_ROWS):
            yield ruling("code-text", text[:60])
        found = command_in(text, programs)
        if found and grave(judge(found)):
            yield ruling("code-text", found[:60])


def command_in(text: str, programs: Container[str]) -> str:
    """A text that begins with a program that has rules, without the marks that make it a command elsewhere."""
    text = _unquoted(text[:_MOST_TEXT]).lstrip(_MARKS)
    for word in _SAYS:
        if not text.startswith("sh -"):
            text = text.removeprefix(word).lstrip(_MARKS)
    first = text.partition(" ")[0].rpartition("/")[2]
    known = first in programs or first in _STARTS
    return text if " " in text and known and first not in _DATA - _ACTS else ""


_ACTS = names("rm git curl wget mv cp find python python3 node ruby perl php")
"""Of these the programs that do something."""
_STARTS = names("env sudo doas nohup exec timeout python python3 node ruby perl php") | SHELLS


def _unquoted(text: str) -> str:
    """``"sh -c \\"X\\""`` and ``["rm", "-rf", "X"]`` of a settings file as a command."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":
        return " ".join(word.strip(" \"'") for word in text[1:-1].split(","))
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].replace('\\"', '"')
    return text


def grave(decision: Decision) -> bool:
    """Whether it would be denied, or asked about after a snapshot."""
    return decision.action == "deny" or (decision.action == "snapshot" and decision.then == "ask")


def _texts(run: Invocation) -> Iterator[str]:
    words = run.words[1:]
    if words and " " not in words[0]:
        yield " ".join(words)  # a wrapper that nobody knows: rtk rm -rf X
    for at, word in enumerate(words):
        if " " in word or "(" in word or word.endswith("_all"):
            yield word.partition("=")[2] if word[:2] == "--" and "=" in word else word
            if " " not in word.partition("=")[0]:
                yield word.partition("=")[2]
            at_program = word.lower().find("program '")  # COPY t TO PROGRAM 'X' of PostgreSQL
            if at_program >= 0:
                yield word[at_program + 9 :].partition("'")[0]
        elif "=[" in word:
            yield word.partition("=")[2]
        elif word in _BEHIND and at + 1 < len(words) and " " not in words[at + 1]:
            yield " ".join(words[at + 1 :])
    yield from (run.stdin or "")[: _MOST_TEXT * 4].split("\n")[:_MOST_LINES]
