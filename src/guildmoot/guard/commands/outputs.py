"""What a few well-known programs print, so that ``$(pwd)`` or ``$(mktemp -d)`` is not a riddle."""

from __future__ import annotations

from guildmoot.guard.commands.words import ANY, ansi_c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.site import Site


def printed_by(run: Invocation, site: Site, cwd: str) -> str | None:
    """The text that goes on; a redirect to a file takes it away."""
    return "" if run.outputs else prints(run, site, cwd)


def prints(run: Invocation, site: Site, cwd: str) -> str | None:
    """The text on standard output, with marks for unknown parts; None where nothing is known."""
    name, words = run.name, run.words[1:]
    if name == "echo":
        shown = [word for word in words if word not in ("-n", "-e", "-E", "-ne", "-en")]
        text = " ".join(shown)
        return ansi_c(text) if len(shown) < len(words) and "e" in "".join(words[:1]) else text
    if name == "printf" and words:
        return _printf(words)
    if (
        name in ("cat", "tee")
        and run.stdin is not None
        and all(word.startswith("-") for word in words)
    ):
        return run.stdin
    if name == "pwd":
        return cwd
    if name == "mktemp":
        return f"{site.temporary[0]}/t.{ANY}"  # never empty, so never the folder itself
    if name == "git" and words[:1] == ["rev-parse"]:
        return {"--show-toplevel": site.project, "--git-dir": ".git"}.get(words[-1], ANY)
    if name in ("dirname", "basename") and words:
        path = words[-1] if name == "dirname" or len(words) == 1 else words[0]
        head, slash, tail = path.rstrip("/").rpartition("/")
        return (head or (slash or ".")) if name == "dirname" else tail or ANY
    if name in ("which", "command") and words:
        return words[-1]
    if (
        name in ("base64", "gbase64")
        and run.stdin is not None
        and {"-d", "-D", "--decode"} & {*words}
    ):
        return _base64(run.stdin)
    if name == "rev" and run.stdin is not None:
        return "\n".join(line[::-1] for line in run.stdin.split("\n"))
    return None


def _printf(words: list[str]) -> str:
    pattern, rest = ansi_c(words[0]), words[1:]
    out: list[str] = []
    pieces = pattern.split("%")
    while True:
        out.append(pieces[0])
        for piece in pieces[1:]:
            value = rest.pop(0) if rest else ""
            out.append((value if piece[:1] in "sbq" else ANY) + piece[1:])
        if not rest or len(pieces) < 2:
            return "".join(out)


def _base64(text: str) -> str | None:
    import binascii

    try:
        return binascii.a2b_base64(text).decode("utf-8", "replace")
    except binascii.Error:
        return None
