"""Which files a program would write, as its words say; programs that nobody knows say nothing."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import names

_ALL = names(
    "rm rmdir unlink shred touch mkdir tee truncate sponge mkfifo mknod chmod chown chgrp patch"
)
_GIT = names(
    "checkout reset restore clean apply am merge rebase pull stash rm mv switch cherry-pick revert commit add"
)
_SKIPS = names("chmod chown chgrp")


def written_files(run: Invocation) -> list[str]:
    """Redirects, and the files that well-known programs write, move or remove."""
    name, words = run.name, run.words[1:]
    files = list(run.outputs)
    if name in _ALL:
        operands = Arguments(words, ("-s", "-r", "-d", "-t", "-m", "-i", "-p")).operands
        return files + (operands[1:] if name in _SKIPS else operands)
    if name in ("mv", "gmv"):
        found = Arguments(words, ("-t", "-S"))
        return [*files, *found.operands, *filter(None, [found.options.get("-t", "")])]
    if name in ("cp", "ln", "install", "rsync", "scp", "ditto"):
        found = Arguments(words, ("-t", "-m", "-o", "-g", "-e", "--exclude"))
        target = found.options.get("-t") or "".join(found.operands[-1:])
        hard = (name == "ln" and not found.has("-s", "--symbolic")) or found.has("-l", "--link")
        sources = found.operands[:-1] if hard else []
        return [*files, *sources, *([target] if target and ":" not in target else [])]
    if name == "sd":
        return files + Arguments(words, ("-f", "-n")).operands[2:]
    if name == "dd":
        return files + [word[3:] for word in words if word.startswith("of=")]
    if name in ("sed", "gsed", "perl", "ruby"):
        short = [word for word in words if word[:1] == "-" and word[1:2] != "-"]
        if any("i" in word for word in short) or any(
            word.startswith("--in-place") for word in words
        ):
            return (
                files
                + Arguments(words, ("-e", "-f")).operands[
                    0 if any("e" in w for w in short) else 1 :
                ]
            )
        return files
    if name in ("curl", "wget"):
        found = Arguments(
            words,
            ("-o", "-O", "--output", "-P", "-d", "-H", "-X")
            if name == "wget"
            else ("-o", "--output", "-d", "-H", "-X"),
        )
        named = [
            found.options.get(option, "")
            for option in ("-o", "--output", *(["-O", "-P"] if name == "wget" else []))
        ]
        kept = [path for path in named if path and path != "-"]
        return files + (kept or (["."] if name == "wget" or found.has("-O") else []))
    if name in ("tar", "unzip", "bsdtar"):
        return files + _unpacked(name, words)
    if name == "git":
        rest = Arguments(words, ("-C", "-c"), stop=True)
        return (
            [*files, rest.options.get("-C") or "."]
            if rest.rest[:1] and rest.rest[0] in _GIT
            else files
        )
    if name == "find" and "-delete" in words:
        return [*files, *(words[:1] if words and not words[0].startswith("-") else ["."])]
    if name in ("ex", "vi", "vim", "nvim", "ed") and len(words) > 1:
        return files + [word for word in words[-1:] if word[:1] not in "-+"]
    if name in ("gzip", "bzip2", "xz", "gunzip", "zip", "split"):
        found = Arguments(words, ("-b", "-l", "-n", "-S", "-x", "-i"))
        shown = name != "zip" and found.has("-c", "--stdout", "-t", "-l", "--list", "-k", "--keep")
        first = 1 if name == "split" else 0
        last = 1 if name == "zip" and not found.has("-m") else None
        return files + ([] if shown and first == 0 else found.operands[first:last])
    return files if name in _OTHER_O else files + _named_output(words)


_OTHER_O = names(
    "grep egrep fgrep zgrep rg ag ack ls ps mount ssh scp sftp set shopt bash sh zsh lsof kubectl oc docker date wc"
)
"""Programs whose ``-o`` names no file."""


def _named_output(words: list[str]) -> list[str]:
    """``sort -o FILE``, ``pandoc --output=FILE``: customary in any program."""
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-o", "--output")]
    named += [word[9:] for word in words if word.startswith("--output=")]
    return [
        path
        for path in named
        if ("." in path or "/" in path) and path[:1] != "-" and not {*"={}"} & {*path}
    ]


def _unpacked(name: str, words: list[str]) -> list[str]:
    found = Arguments(words, ("-C", "-f", "-d", "--directory", "--file"))
    if name == "unzip":
        return [] if found.has("-l", "-t") else [found.options.get("-d") or "."]
    mode = "".join(words[:1]).lstrip("-")
    if "x" in mode or found.has("-x", "--extract"):
        return [found.options.get("-C") or found.options.get("--directory") or "."]
    if "c" in mode or found.has("-c", "--create"):
        archive = (
            found.options.get("-f") or found.options.get("--file") or "".join(found.operands[1:2])
        )
        return [archive] if archive and archive != "-" else []
    return []
