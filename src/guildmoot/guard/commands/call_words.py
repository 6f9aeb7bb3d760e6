"""Texts in the calls of a language that nobody parses here: the first argument, or a command as a list of words."""

from __future__ import annotations

from guildmoot.guard.commands.words import ANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HOMES = (
    *("require('os').homedir()", 'require("os").homedir()', "require('node:os').homedir()"),
    *(
        "os.homedir()",
        "homedir()",
        "process.env.HOME",
        "process.env['HOME']",
        "Dir.home",
        "ENV['HOME']",
    ),
    *('ENV["HOME"]', "$ENV{HOME}", "getenv('HOME')", 'getenv("HOME")', 'Deno.env.get("HOME")'),
    *("Deno.env.get('HOME')", "ENV.fetch('HOME')", "$_SERVER['HOME']", "os.UserHomeDir()"),
    *(
        'System.getProperty("user.home")',
        "System.getProperty('user.home')",
        'System.getenv("HOME")',
    ),
    *("System.getenv('HOME')", "System.getenv().HOME", "gradle.gradleUserHomeDir.parentFile"),
)
"""How languages ask for the home folder."""


def with_home(text: str, home: str) -> str:
    """The code with the home folder as a text wherever it is asked for."""
    if "HOME" not in text and "ome" not in text:
        return text
    for each in _HOMES:
        if each in text:
            for open_, close in (("${", "}"), ("#{", "}")):
                text = text.replace(f"{open_}{each}{close}", home)
            text = text.replace(f"{each}/", f"{home}/") if each[0] == "$" else text
            text = text.replace(each, f"'{home}'")
    return text


def _places(text: str, call: str) -> Iterator[str]:
    """What stands behind each call of a function."""
    at = text.find(call)
    most = 50
    while at >= 0 and most > 0:
        most -= 1
        before = text[at - 1 : at]
        if not before or not (before.isalnum() or before in "_$"):
            yield text[at + len(call) : at + len(call) + 600]
        at = text.find(call, at + len(call))


def arguments(text: str, call: str) -> Iterator[str]:
    """The first text after each call of a function; empty where there is none."""
    for rest in _places(text, call):
        yield "".join(_words(rest.lstrip(" ("))[:1])


def commands_of(text: str, call: str) -> Iterator[str]:
    """The command that a call starts, from one text or a list of words; what is no text is unknown."""
    for rest in _places(text, call):
        words = _words("`" + rest if call.endswith("`") else rest)
        if not words:
            yield ANY
        elif len(words) == 1 or " " in words[0].strip():
            yield words[0]
        else:
            yield " ".join(_quoted(word) for word in words)


_ENDS = ")};\n&"


def _words(rest: str) -> list[str]:
    """Texts up to the end of a call. One that goes on with something else than a comma ends unknown."""
    words: list[str] = []
    at, glued, depth = 0, False, 0
    while at < len(rest):
        char = rest[at]
        if char in "'\"`":
            end = rest.find(char, at + 1)
            end = len(rest) if end < 0 else end
            piece = _interpolated(rest[at + 1 : end], char)
            if glued and words:
                words[-1] += piece
            else:
                words.append(piece)
            at, glued = end + 1, True
            if char == "`":
                break
            continue
        if char in ",[(":
            glued = False
            depth += char != ","
        elif char == ")" and depth > 0:
            depth -= 1
        elif char in _ENDS or char == "{":
            break
        elif char.isalnum() or char in "$_@":
            end = at
            while end < len(rest) and (rest[end].isalnum() or rest[end] in "_.$@{}[]'\":"):
                if rest[end] in "'\"" and rest[end - 1] not in "[{":
                    break
                end += 1
            name = rest[at:end]
            if name not in ("in", "do", "then", "end", "if", "unless") and not name.isdigit():
                if glued and words:
                    words[-1] += ANY
                else:
                    words.append(ANY)
                glued = True
            at = end
            continue
        at += 1
    return words


def _interpolated(text: str, quote: str) -> str:
    """``#{x}`` and ``${x}`` stand for something unknown."""
    for mark in ("#{", "${"):
        while quote != "'" and mark in text:
            head, _, tail = text.partition(mark)
            text = head + ANY + tail.partition("}")[2]
    return text


def _quoted(word: str) -> str:
    plain = word.replace("-", "").replace("/", "").replace(ANY, "")
    return word if plain.isalnum() or not plain else "'" + word.replace("'", "'\\''") + "'"


def awk_files(text: str) -> Iterator[str]:
    """``print > "FILE"``: what follows the text is unknown."""
    for piece in text.split(">")[1:40]:
        piece = piece.lstrip("> ")
        if piece[:1] == '"':
            path, _, rest = piece[1:].partition('"')
            ends = rest.lstrip(" ")[:1] in ("", "}", ";", "\n")
            yield path if ends else path + ANY
