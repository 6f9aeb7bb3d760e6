"""Shells and interpreters: the program that they are given as a word, a file or on standard input."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import literal, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = names("sh bash zsh dash ksh ash fish rbash mksh")
INTERPRETERS = {
    "python": "python", "python2": "python", "python3": "python", "pypy": "python", "pypy3": "python",
    "ipython": "python", "node": "js", "nodejs": "js", "bun": "js", "deno": "js", "tsx": "js", "ts-node": "js",
    "perl": "perl", "ruby": "ruby", "irb": "ruby", "php": "php", "lua": "lua", "luajit": "lua", "rscript": "r", "r": "r", "emacs": "lisp", "emacsclient": "lisp",
    "osascript": "applescript", "julia": "julia", "elixir": "elixir", "groovy": "groovy", "tclsh": "tcl",
    "expect": "tcl", "pwsh": "powershell", "powershell": "powershell", "powershell.exe": "powershell",
}  # fmt: skip
_CODE_OPTIONS = {
    "python": ("-c",), "js": ("-e", "-p", "--eval", "--print", "-pe"), "perl": ("-e", "-E"), "ruby": ("-e",),
    "php": ("-r",), "lua": ("-e",), "r": ("-e",), "applescript": ("-e",), "julia": ("-e", "-E", "--eval"),
    "elixir": ("-e", "--eval"), "groovy": ("-e",), "tcl": ("-c",), "lisp": ("--eval", "-eval", "--execute", "-e"),
    "powershell": ("-c", "-command", "-Command", "-C", "/c"),
}  # fmt: skip


class Nested:
    """What a wrapper runs: ``words``, ``shell`` text, or ``code`` of a language."""

    __slots__ = ("kind", "language", "remote", "text", "words")

    def __init__(
        self,
        kind: str,
        text: str = "",
        words: list[str] | None = None,
        *,
        language: str = "",
        remote: str = "",
    ) -> None:
        self.kind = kind
        self.text = text
        self.words = words or []
        self.language = language
        self.remote = remote


_PRELOADS = {"js": ("-r", "--require", "--import", "--loader", "--experimental-loader", "--preload"), "ruby": ("-r",)}  # fmt: skip
_BY_VARIABLE = {"NODE_OPTIONS": "js", "BUN_OPTIONS": "js", "RUBYOPT": "ruby", "PYTHONSTARTUP": "python"}  # fmt: skip


def preloaded(words: list[str], language: str) -> Iterator[Nested]:
    """Files that an interpreter reads before its program: ``node -r FILE``, ``--import 'data:...'``."""
    options = _PRELOADS.get(language, ())
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name not in options:
            short = word[:2] in options and word[1:2] != "-"
            name, value = (word[:2], word[2:]) if short else ("", "")
        if not name:
            continue
        value = literal(value or "".join(words[at + 1 : at + 2]))
        if value.startswith("data:"):
            yield Nested("code", _percent(value.partition(",")[2]), language=language)
        elif value[:1] in "./":  # a package by its name is no file of anybody's
            yield Nested("file", value, language=language)


def preloaded_by(name: str, value: str) -> Iterator[Nested]:
    """The same by a variable that the interpreter looks at."""
    language = _BY_VARIABLE.get(name, "")
    if name == "PYTHONSTARTUP":
        yield Nested("file", value, language=language)
    elif language:
        yield from preloaded(value.split(), language)
    elif name.endswith(("_WRAPPER", "_RUNNER", "_LAUNCHER")) and "/" in value:
        yield Nested("words", words=value.split())


def _percent(text: str) -> str:
    """``%20`` of an address as the character; base64 stays what it is, and unknown."""
    head, *rest = text.split("%")
    pieces = (chr(int(each[:2], 16)) + each[2:] if _is_hex(each[:2]) else each for each in rest)
    return head + "".join(pieces)


def _is_hex(text: str) -> bool:
    return len(text) == 2 and all(char in "0123456789abcdefABCDEF" for char in text)


def versioned(name: str) -> str:
    """``python3.12`` and the like."""
    for known in ("python", "perl", "ruby", "php", "lua", "pypy"):
        if name.startswith(known) and name[len(known) :].strip("0123456789.") == "":
            return INTERPRETERS[known]
    return ""


def shell_program(run: Invocation, words: list[str]) -> list[Nested]:
    """``sh -c TEXT``, ``sh FILE``, or a program on standard input."""
    words = [word for word in words if word[:1] != "+"]
    found = Arguments(words, ("-o", "-O", "--rcfile", "--init-file"), stop=True)
    if found.has("-n", "--version", "--help"):
        return []  # it reads the program and runs nothing of it
    first = found.options.get("--rcfile") or found.options.get("--init-file")
    if first:
        return [Nested("file", first, language="shell"), *_given(run, found)]
    return _given(run, found)


def _given(run: Invocation, found: Arguments) -> list[Nested]:
    if any(
        "c" in option[1:] for option in found.options if option[0] == "-" and option[:2] != "--"
    ):
        return [Nested("shell", literal(found.rest[0]), found.rest[1:])] if found.rest else []
    if found.rest and found.rest[0] != "-" and not found.has("-s"):
        return [Nested("file", found.rest[0], language="shell")]
    return stdin_program(run, "shell")


def stdin_program(run: Invocation, language: str) -> list[Nested]:
    """The program comes by a pipe, a here-document or a redirect."""
    if run.stdin is not None:
        return [
            Nested("shell", run.stdin)
            if language == "shell"
            else Nested("code", run.stdin, language=language)
        ]
    if run.feeds:
        return [Nested("unknown", language=language)]
    return [Nested("file", path, language=language) for path in run.inputs]


_TAKES_REST = {
    "python": "WXmQ", "perl": "iIMmFxDC", "ruby": "iIrFKCxWTE", "php": "dfczS", "lua": "l", "js": "rC",
    "applescript": "ls", "julia": "tpLJ", "r": "fg", "groovy": "cD",
}  # fmt: skip
"""Letters behind which the rest of a word is a value of theirs."""


def _attached(word: str, language: str, options: tuple[str, ...]) -> str:
    """``perl -ne'CODE'``, ``python3 -c'CODE'``: code in the same word as its option."""
    if word[:1] != "-" or word[1:2] == "-" or language not in _TAKES_REST or word in options:
        return ""
    for at, letter in enumerate(word[1:], 1):
        if f"-{letter}" in options:
            return word[at + 1 :]
        if letter in _TAKES_REST[language]:
            break
    return ""


def inline_code(run: Invocation, words: list[str], language: str) -> Iterator[Nested]:
    """Inline code of an interpreter, or code on its standard input."""
    options = _CODE_OPTIONS[language]
    file = ""
    if run.name == "deno" and words[:1] == ["eval"]:
        yield from (Nested("code", literal(word), language="js") for word in words[1:])
        return
    inner = [word for word in words if word in ("shell", "shell_plus", "runner", "tinker", "eval")]
    for at, word in enumerate(words[:-1]):
        if inner and word.partition("=")[0] in ("-c", "--command", "--execute", "runner", "r"):
            given = word.partition("=")[2] or words[at + 1]
            yield Nested("code", literal(given), language=language)  # manage.py shell -c TEXT
    yield from preloaded(words, language)
    valued = ("-W", "-X") if language == "python" else _PRELOADS.get(language, ())
    words = [word for at, word in enumerate(words) if not (at and words[at - 1] in valued)]
    for at, word in enumerate(words):
        if (
            language == "powershell"
            and word[:2].lower() == "-e"
            and word.lower() != "-executionpolicy"
        ):
            yield Nested("unknown", language=language)  # text that is encoded
            return
        word = word.lower() if language == "powershell" and word[:1] == "-" else word
        attached = _attached(word, language, options)
        if attached:
            yield Nested("code", literal(attached), language=language)
            return
        bundled = len(word) > 1 and word[0] == "-" and word[1] != "-" and f"-{word[-1]}" in options
        if (word in options or bundled) and at + 1 < len(words):
            yield Nested("code", literal(words[at + 1]), language=language)
            return
        name, _, value = word.partition("=")
        if name in options and value:
            yield Nested("code", literal(value), language=language)
            return
        if not word.startswith("-"):
            if language == "powershell" and not word.endswith(".ps1"):
                yield Nested(
                    "code", " ".join(literal(each) for each in words[at:]), language=language
                )
                return
            file = word
            break
        if word == "-m" and language == "python":
            yield Nested("words", words=words[at + 1 :])
            return
        if word == "-":
            break
    if file and not (language == "js" and file in ("run", "test", "install", "x", "add", "build")):
        yield Nested("file", file, language=language)
    elif not any(word in ("-m", "--version", "-V", "-v", "--help", "-h") for word in words):
        yield from stdin_program(run, language)
