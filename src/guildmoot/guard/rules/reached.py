"""What programs reach that are not made for it: find, packers that take their sources away, and any program that is
given one of the files that nobody may write. Programs that only read are a table."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, ONE, STAR, names, pattern_fits, pattern_marks
from guildmoot.guard.rules.files import KEPT, NEVER, loss, readable_mode, taken_away, write
from guildmoot.guard.rules.protected import kept_files
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, inside, is_made, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_REMOVERS = names("rm unlink shred mv rmdir gzip bzip2 xz rimraf truncate trash srm wipe")
_TESTS = ("-name", "-iname", "-path", "-wholename", "-ipath", "-iwholename")
_EXEC = ("-exec", "-execdir", "-ok", "-okdir")
_HOLD_PROJECT = ("project", "all", "above", "home", "system")
_GIT_NAMES = (
    *(".git", "HEAD", "config", "index", "description", "packed-refs", "objects", "refs", "hooks"),
    *("info", "logs", "heads", "main", "pack-0a1b.pack", "pack-0a1b.idx", "4b", "exclude"),
    "825dc642cb6eb9a060e54bf8d69288fbee4904",
)
"""Names as they stand in git's own folder."""


def find_removes(run: Invocation, site: Site) -> Iterator[Decision]:
    """``find`` with -delete or a removing program: by the folders it looks at and how it is narrowed."""
    words = run.words[1:]
    for at, word in enumerate(words[:-1]):
        if word in ("-fprint", "-fprintf", "-fls", "-fprint0"):
            yield from write(words[at + 1], run, site)
    starts = [at + 1 for at, word in enumerate(words[:-1]) if word in _EXEC]
    outside, started = [], False
    for word in words:
        started = word in _EXEC or (started and word not in (";", "+"))
        outside += [] if started else [word]
    deletes = "-delete" in outside
    removers = {words[at].rpartition("/")[2] for at in starts} & _REMOVERS
    if deletes or any(_may_write(words[at:]) for at in starts):
        yield from _found_kept(words, run, site)
    if not deletes and not removers:
        return
    roots = _roots(words)
    patterns = [words[at + 1] for at, word in enumerate(words[:-1]) if word in _TESTS]
    patterns = patterns or _limits(words)
    made = bool(patterns) and all(_made_pattern(pattern) for pattern in patterns)
    links = "-o" not in words and _kinds(words) == {"l"}
    ages = {"-mtime", "-mmin", "-newer", "-size", "-empty"}
    narrowed = bool(patterns) or links or bool(ages & {*words})
    for root in roots:
        kind = kind_of(root, run.cwd, site)
        if (made or "-empty" in words) and kind in ("project", "inside", "all", "made", "unknown"):
            continue
        if kind in _HOLD_PROJECT and site.git is not False and not spares_git(words):
            yield ruling("delete-git", root)
        if not deletes and kind not in ("home", "system"):
            continue  # what is started was looked at as a command of its own
        if kind == "project":
            kind = "inside" if patterns or links else "all"
        if kind == "all-temporary" and narrowed:
            continue
        if not narrowed:
            yield from taken_away(root, kind, run, site)
        lost = loss(kind, root, run, site, whole=True)
        if lost and (deletes or not made):
            yield lost


def xargs_removes(run: Invocation, site: Site) -> Iterator[Decision]:
    """``find ... | xargs PROGRAM``, as find with -exec."""
    feed = run.feeds[-1] if run.feeds else None
    if feed is None or feed.name not in ("find", "gfind"):
        return
    valued = ("-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E", "--max-args", "--max-procs")
    started = Arguments(run.words[1:], valued, stop=True).rest
    if started:
        inner = feed.like([*feed.words, "-exec", *started, "{}", "+"])
        yield from find_removes(inner, site)


def _roots(words: list[str]) -> list[str]:
    end = next((at for at, word in enumerate(words) if word[:1] in "-(!"), len(words))
    return words[:end] or ["."]


def _may_write(words: list[str]) -> bool:
    """Whether a program may write the files that it is given."""
    name = words[0].rpartition("/")[2]
    if name in ("sed", "gsed", "perl", "ruby"):
        return any(word.startswith(("-i", "-pi", "--in-place", "-Ei", "-ni")) for word in words)
    if name == "chmod" and readable_mode("".join(words[1:2])):
        return False
    return name not in _READS and name not in ("cp", "scp", "rsync", "tar", "zip")


def _found_kept(words: list[str], run: Invocation, site: Site) -> Iterator[Decision]:
    """The guard's own files among those that a find gives to a program that may write them."""
    off = {"!", "-not", "-prune"} & {*words}
    if run.remote or (off and any(".claude" in word for word in words)):
        return
    if "-o" not in words and ("-empty" in words or _kinds(words) == {"l"}):
        return  # they hold something, and are no links
    patterns = _limits(words)
    for root in _roots(words):
        folder = site.real(absolute(root, run.cwd))
        for path in kept_files(site):
            found = f"{root.rstrip('/')}{path[len(folder) :]}".lower()
            fits = any(pattern_fits(one, found if "/" in one else _last(found)) for one in patterns)
            if (fits or not patterns) and inside(path, folder) and site.holds(path):
                yield from (one for one in write(path, run, site) if one.code in KEPT)
                return


def _kinds(words: list[str]) -> set[str]:
    tests = ((at, word) for at, word in enumerate(words[:-1]) if word in ("-type", "-xtype"))
    return {words[at + 1] if words[at - 1] not in ("!", "-not") else "?" for at, _ in tests}


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _limits(words: list[str]) -> list[str]:
    """Patterns of names or paths that all it finds must fit; none where a branch of it has no such test."""
    patterns: list[str] = []
    tests = 0
    for at, word in enumerate([*words, "-o"]):
        if word in ("-o", "-or", ","):
            if not tests:
                return []
            tests = 0
        elif word in _TESTS and words[at - 1] not in ("!", "-not"):
            tests += 1
            patterns += [pattern_marks(each).lower() for each in words[at + 1 : at + 2]]
        elif word in ("-regex", "-iregex") and words[at - 1] not in ("!", "-not"):
            ending = "".join(words[at + 1 : at + 2]).rpartition("\\.")[2].rstrip("$")
            tests += ending.isalnum()
            patterns += [f"{STAR}.{ending}".lower()] if ending.isalnum() else []
    return patterns


def _made_pattern(pattern: str) -> bool:
    parts = [part.strip("*") for part in pattern.replace(STAR, "*").split("/")]
    return any(part and (is_made(part) or is_made(f"x{part}")) for part in parts)


def spares_git(words: list[str]) -> bool:
    """Whether the conditions of a find leave ``.git`` out for certain: by name, by a path that is kept off."""
    if "-o" not in words and _kinds(words) == {"l"}:
        return True  # git has no links there
    flat = "-maxdepth" in words and words[words.index("-maxdepth") + 1 :][:1] in (["0"], ["1"])
    if flat and "-type" in words and words[words.index("-type") + 1 :][:1] in (["f"], ["l"]):
        return True
    branch_safe = False
    pruned = False
    negated = False
    for at, word in enumerate([*words, "-o"]):
        if word in ("-o", "-or", ","):
            if not branch_safe and not pruned:
                return False
            branch_safe = pruned = negated = False
        elif word in ("-not", "!"):
            negated = True
        elif word == "-prune":
            pruned = True
        elif word in _TESTS and at + 1 < len(words):
            given = words[at + 1]
            if ".git" in given.rstrip("/*").split("/") and (negated or "-prune" in words[at:]):
                return True
            branch_safe = branch_safe or (not negated and not _reaches_git(word, given))
            negated = False
        elif word in ("-regex", "-iregex"):
            branch_safe = branch_safe or ("\\." in "".join(words[at + 1 : at + 2]) and not negated)
            negated = False
        elif word.startswith("-"):
            negated = False
    return True


def _reaches_git(test: str, given: str) -> bool:
    pattern = pattern_marks(given)
    if ANY in pattern or "[" in pattern:
        return True
    if "name" in test and "whole" not in test:
        return any(pattern_fits(pattern.lower(), name.lower()) for name in _GIT_NAMES)
    return any(pattern_fits(pattern, f"./.git/{name}") for name in _GIT_NAMES)


_PACKERS = names(
    "gzip gunzip bzip2 xz lzma zstd pigz compress zip tar bsdtar 7z 7za 7zz rename prename"
)


def packed_away(run: Invocation, site: Site) -> Iterator[Decision]:
    """Programs that put files into an archive, or under another name, and remove what they took."""
    name, words = run.name, run.words[1:]
    if name in ("tar", "bsdtar"):
        found = Arguments(words, ("-f", "-C", "--file", "--directory"))
        takes, paths = found.has("--remove-files"), found.operands
    elif name == "zip":
        found = Arguments(words, ("-x", "-i"))
        takes, paths = found.has("-m", "--move"), found.operands[1:]
    elif name.startswith("7z"):
        takes, paths = "-sdel" in words, [word for word in words[2:] if word[:1] != "-"]
    elif "rename" in name:
        takes, paths = True, Arguments(words, ("-e", "-E")).operands[1:]
    else:
        found = Arguments(words, ("-S", "-T", "--suffix", "--threads"))
        takes, paths = (
            not found.has(*("-c", "-k", "-l", "-t", "--stdout", "--keep", "--list", "--test")),
            found.operands,
        )
        takes = takes and (name != "zstd" or found.has("--rm"))
    for path in paths if takes else ():
        kind = kind_of(path, run.cwd, site)
        yield from taken_away(path, kind, run, site)
        lost = loss(kind, path, run, site, whole=True) if kind in NEVER else None
        if lost:
            yield lost


_READS = names(
    """cat less more head tail bat batcat tac nl grep egrep fgrep rg ag ack cut uniq strings xxd od hexdump base64 jq
    diff cmp comm colordiff delta paste column fold rev zcat view ls ll exa eza lsd tree stat file wc du df readlink
    realpath basename dirname md5sum sha1sum sha256sum sha512sum shasum cksum b2sum test [ [[ echo printf read cd
    pushd popd source . bash sh zsh dash ksh fish python python3 node ruby perl deno bun shellcheck which type command
    open xdg-open code true false : export declare local unset alias eval exec git gh man tokei cloc scc ajv
    check-jsonschema jsonlint json.tool getfacl lsattr namei ssh kubectl docker guild loom griot claude codex gemini mkdir touch
    sed gsed awk gawk mawk find gfind fd fdfind xargs sudo env curl wget"""
)
"""Programs that only read what they are given, or that have rules of their own for what they write."""
_OWN = names(
    """cp gcp ln install rsync scp ditto mv gmv rm rmdir unlink shred srm grm wipe rimraf del-cli tee dd truncate
    sponge chmod chown chgrp gchmod tar bsdtar zip 7z 7za 7zz"""
)
_GIT_READS = names(
    """add diff log show status blame ls-files commit check-ignore grep cat-file rev-parse ls-tree hash-object
    check-attr annotate shortlog whatchanged difftool config rev-list describe"""
)
_PATH_MARKS = ("/", ".", STAR, ONE)


def given_files(run: Invocation, site: Site) -> Iterator[Decision]:
    """A program that nobody knows as a reader, given a file that may not be written."""
    name = run.name
    if run.remote or len(run.words) < 2 or run.opened:
        return
    if name == "git":
        verb = Arguments(run.words[1:], ("-C", "-c"), stop=True).rest[:1]
        if not verb or verb[0] in _GIT_READS:
            return
    elif name in _READS or name in _OWN:
        return
    for word in run.words[1:]:
        path = word.partition("=")[2] if word[:2] == "--" else word[2:] if word[:1] == "-" else word
        if path and " " not in path and "\n" not in path and any(m in path for m in _PATH_MARKS):
            yield from (one for one in write(path, run, site) if one.code in KEPT)


RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(names("find gfind"), (find_removes,)),
    **dict.fromkeys(names("xargs gxargs"), (xargs_removes,)),
    **dict.fromkeys(_PACKERS, (packed_away,)),
}
