"""Programs that edit text, and what their own languages run or write beside it: sed, awk, vim, ed."""

from __future__ import annotations

from guildmoot.guard.commands.interpreters import Nested
from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, ansi_c, literal, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def awk_program(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    found = Arguments(words, ("-F", "-v", "-f", "-i", "-e", "--file", "--source"), stop=True)
    file = found.options.get("-f") or found.options.get("--file")
    if file:
        yield Nested("file", file, language="awk")
        return
    given = found.options.get("-e") or found.options.get("--source")
    program = [given] if given else found.rest[:1]
    marks = ("system(", "getline", '| "', '|"', ">")
    if program and any(mark in program[0] for mark in marks):
        text = literal(program[0])
        yield Nested("code", ansi_c(text) if "\\" in text else text, language="awk")


def sed_script(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``1e COMMAND`` and ``s/x/COMMAND/e`` of GNU sed run something, ``w FILE`` writes."""
    file = Arguments(words, ("-e", "-f", "--file")).options
    if file.get("-f") or file.get("--file"):
        yield Nested("file", file.get("-f") or file["--file"], language="sed")
        return
    for kind, text in sed_effects(_scripts(words)):
        yield Nested("shell", text) if kind == "e" else Nested("words", words=["tee", text])


def editor_commands(run: Invocation, words: list[str]) -> Iterator[Nested]:
    """vim, ex, ed, gdb: commands as options, as words with a plus, or on standard input."""
    given = [words[at + 1] for at, word in enumerate(words[:-1]) if word in _EDITOR_COMMANDS]
    given += [
        words[at + 1] for at, word in enumerate(words[:-1]) if word[:1] == "-" and word[-1:] == "c"
    ]
    given += [word[1:] for word in words if word[:1] == "+"]
    given += (
        (run.stdin or "").split("\n")[:200] if run.name in ("ed", "ex", "vi", "vim", "nvim") else []
    )
    for line in given:
        for part in line.lstrip(": ").split("|"):
            verb, _, rest = part.strip().lstrip(":").partition(" ")
            if verb == "shell" or "!" in verb[:6] or rest[:1] == "!":
                text = part.partition("!")[2] if verb != "shell" else rest
                if text.strip():
                    yield Nested("shell", text)
            elif verb.strip("%0123456789,$.") in _EDITOR_WRITES and rest.strip(" !"):
                yield Nested("words", words=["tee", rest.strip(" !>")])
            elif "delete(" in part or "writefile(" in part or "system(" in part:
                yield Nested("code", part.replace("delete(", "rmtree("), language="vim")


_EDITOR_COMMANDS = ("-c", "--cmd", "-ex", "-eval-command", "-S")
_EDITOR_WRITES = names("w wq write sav saveas wn x up update")


# scripts of sed

_VALUED = ("-e", "--expression")


def sed_effects(scripts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """``("w", FILE)`` and ``("e", COMMAND)`` of every script."""
    for script in scripts:
        for line in script.split("\n"):
            yield from _of_line(line)


def _scripts(words: list[str]) -> Iterator[str]:
    given = [words[at + 1] for at, word in enumerate(words[:-1]) if word in _VALUED]
    given += [word.partition("=")[2] for word in words if word.startswith("--expression=")]
    if not given:
        given = [word for word in words if word[:1] != "-"][:1]
    yield from (literal(word) for word in given)


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    rest = line
    while rest:
        rest = rest.lstrip(" \t;{}")
        rest = _behind_address(rest).lstrip(" \t!{")
        verb = rest[:1]
        if verb in ("w", "W", "e"):
            if rest[1:].strip():
                yield ("e" if verb == "e" else "w"), rest[1:].strip()
            return
        if verb == "s" and len(rest) > 3:
            new, flags = _substitution(rest)
            name, _, path = flags.partition("w")
            if "e" in name.partition(";")[0]:
                yield "e", new.replace("&", ANY)
            elif path.strip() and ";" not in name:
                yield "w", path.strip()
                return
            rest = flags.partition(";")[2]
            continue
        if verb in ("a", "i", "c", "r", "R", "b", "t", "y", ":", "#"):
            return  # text, names and labels up to the end of the line
        rest = rest.partition(";")[2]


def _behind_address(text: str) -> str:
    """``1,$``, ``/x/,/y/``, ``$``: what stands before a command."""
    at = 0
    while at < len(text) and text[at] in "0123456789,$~+/ ":
        if text[at] == "/":
            end = _end(text, at + 1, "/")
            if end < 0:
                return ""
            at = end
        at += 1
    return text[at:]


def _substitution(text: str) -> tuple[str, str]:
    mark = text[1]
    middle = _end(text, 2, mark)
    end = _end(text, middle + 1, mark) if middle >= 0 else -1
    return (text[middle + 1 : end], text[end + 1 :]) if end >= 0 else ("", "")


def _end(text: str, at: int, mark: str) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == mark:
            return at
        at += 1
    return -1
