"""Rules for programs that remove, overwrite or open up files."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, STAR, has_marks, may_be, names
from guildmoot.guard.rules.protected import holds_git, holds_guard, protected, secret_level
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

KEPT = names("guard-files shell-startup git-hooks")
"""Files that may neither be written nor removed."""
NEVER = names("system home above project git keys")


def loss(kind: str, path: str, run: Invocation, site: Site, *, whole: bool) -> Decision | None:
    """What losing a path means. ``whole``: a folder with all it holds, or many files."""
    if not path:
        return None
    if run.remote:
        return _remote_loss(kind, path, run)
    if kind in ("made", "temporary", "cache"):
        return None
    if kind in NEVER:
        return ruling(f"delete-{kind}", path)
    if kind == "unknown":
        return ruling("delete-unknown", path, folders=(site.tree(run.cwd),) if site.git else ())
    if kind == "all-temporary":
        return ruling("delete-temporary", path)
    if kind in ("outside", "repository") and whole:
        state = site.worktree(site.real(absolute(path, run.cwd)), site.project)
        if state:
            return ruling("delete-repository", path) if state == "dirty" else None
    if kind == "outside":
        return ruling("delete-outside" if whole else "delete-file-outside", path)
    if kind == "repository":
        return ruling("delete-repository", path)
    if kind == "other":
        return _discard("discard-inside", path, run, site, ask=False)
    if site.git is False:
        if kind == "inside" and not whole:
            return None
        return ruling("delete-all-unversioned" if kind == "all" else "delete-unversioned", path)
    if kind == "all":
        return None if site.dirty is False else _discard("discard-all", path, run, site, ask=True)
    return _discard("discard-inside", path, run, site, ask=False)


def _discard(code: str, path: str, run: Invocation, site: Site, *, ask: bool) -> Decision:
    full = f"{run.cwd}/{path}" if path[:1] == ANY else absolute(path, run.cwd)
    found = ruling(code, path, folders=(site.tree(full),), then="ask" if ask else "allow")
    found.paths = (full,)
    return found


def _remote_loss(kind: str, path: str, run: Invocation) -> Decision | None:
    """Paths of another machine mean nothing here, but a root is a root."""
    if run.remote == "container" and "run" in run.source.split():
        return None  # a new container is thrown away anyway; its mounts are judged with docker
    grave = kind in ("system", "home", "above") or path.startswith("~")
    if grave:
        return ruling("delete-remote-system", path)
    return None if path.startswith("/tmp/") and ".." not in path else ruling("delete-remote", path)  # noqa: S108


def remove(run: Invocation, site: Site) -> Iterator[Decision]:
    """rm, rmdir, unlink, shred, trash."""
    name = run.name
    found = Arguments(run.words[1:], ("-n", "-s", "--iterations") if name == "shred" else ())
    recursive = found.has("-r", "-R", "--recursive") or any(ANY in o for o in found.options)
    recursive = recursive or name in ("rimraf", "del-cli")
    if found.has("--no-preserve-root"):
        yield ruling("delete-system")
    for path in found.operands:
        if path.startswith("/dev/") and name == "shred":
            yield ruling("disk", path)
            continue
        kind = kind_of(path, run.cwd, site)
        yield from taken_away(path, kind, run, site)
        if name == "rmdir" and kind not in ("system", "home"):
            continue  # it removes empty folders alone
        lost = loss(kind, path, run, site, whole=recursive or STAR in path.rpartition("/")[2])
        if lost:
            yield lost


def taken_away(path: str, kind: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """Removed or moved: what may not be written may not go either, nor a folder that holds the guard."""
    yield from (one for one in write(path, run, site) if one.code in KEPT)
    if run.remote or kind in NEVER:
        return
    full = absolute(path, run.cwd)
    yield from filter(None, (holds_guard(full, site), holds_git(full, run.cwd, site)))


def move(run: Invocation, site: Site) -> Iterator[Decision]:
    """mv: what is moved is gone from where it was; what it lands on is overwritten."""
    found = Arguments(run.words[1:], ("-t", "-S", "--target-directory"))
    folder = found.options.get("-t") or found.options.get("--target-directory") or ""
    target = folder or "".join(found.operands[-1:])
    for path in found.operands if folder else found.operands[:-1]:
        kind = kind_of(path, run.cwd, site)
        yield from taken_away(path, kind, run, site)
        away = kind == "all" and target and kind_of(target, run.cwd, site) not in _NEAR
        if kind in NEVER or target == "/dev/null" or away:
            lost = loss(kind, path, run, site, whole=True)
            if lost:
                yield lost
    if target:
        yield from write(target, run, site)


_NEAR = names("project all inside made")


def copy(run: Invocation, site: Site) -> Iterator[Decision]:
    """cp, ln, install, rsync: the target is written; a key must not be copied about."""
    valued = ("-t", "-m", "-o", "-g", "-S", "-e", "--exclude", "--include", "--filter", "--rsh")
    found = Arguments(run.words[1:], valued)
    folder = found.options.get("-t", "")
    target = folder or "".join(found.operands[-1:])
    if run.name == "rsync" and found.has("-n", "--dry-run"):
        return
    if any(option.startswith("--del") for option in found.options) and ":" not in target:
        lost = loss(kind_of(target, run.cwd, site), target, run, site, whole=True)
        if lost:
            yield lost
    sources = found.operands if folder or len(found.operands) == 1 else found.operands[:-1]
    if folder or len(found.operands) > 1:
        name = sources[0].rpartition("/")[2] if len(sources) == 1 and target.endswith("/") else ""
        yield from write(target + name, run, site)
    if run.name == "ln":  # what is written through the new name is written there
        for source in sources:
            yield from taken_away(source, kind_of(source, run.cwd, site), run, site)
    else:
        yield from (one for source in sources for one in show(source, run, site))


def overwrite(run: Invocation, site: Site) -> Iterator[Decision]:
    """dd, truncate, tee, sponge, sed -i, perl -i: named files are written."""
    name, words = run.name, run.words[1:]
    if name == "dd":
        for word in words:
            yield from write(word[3:], run, site) if word.startswith("of=") else ()
            yield from show(word[3:], run, site) if word.startswith("if=") else ()
        return
    paths = Arguments(words, ("-s", "--size", "-o", "-r", "-d", "-t")).operands
    if name in _EDITORS:
        if not in_place(words):
            return
        given = [word for word in words if word[:1] == "-" and word[1:2] != "-"]
        operands = Arguments(words, ("-e", "-f")).operands
        paths = operands if any("e" in word or "f" in word for word in given) else operands[1:]
    for path in paths:
        yield from write(path, run, site)
        if name == "truncate":
            lost = loss(kind_of(path, run.cwd, site), path, run, site, whole=False)
            if lost:
                yield lost


def in_place(words: list[str]) -> bool:
    """``sed -i``, ``perl -pi``: what they would print goes into the file."""
    given = [word for word in words if word[:1] == "-" and word[1:2] != "-"]
    return any("i" in word for word in given) or "--in-place" in "".join(words)


def new_key(run: Invocation, site: Site) -> Iterator[Decision]:
    """ssh-keygen -f: the key of that name is gone."""
    found = Arguments(run.words[1:], ("-f", "-t", "-b", "-C", "-N", "-F", "-R"))
    if not found.has("-l", "-y", "-F", "-R", "-B", "-H", "-i", "-e", "--help", "-?"):
        path = found.options.get("-f") or f"{site.home}/.ssh/id_ed25519"
        if site.holds(absolute(path, run.cwd)) or ".ssh/id_" in path:
            yield from write(path, run, site)


_KEEPS = names("rm rmdir unlink shred touch mkdir chmod chown chgrp git mkfifo mknod find patch")
"""Programs with rules of their own, or that leave what is in a file."""


def overwritten(run: Invocation, site: Site) -> Iterator[Decision]:
    """``cp a b``, ``sed -i``, ``x > b``: what was in the file is gone, and it is kept where git has it not."""
    if (
        run.remote
        or site.git is False
        or (
            (run.appends or "-a" in run.words[1:2])
            and run.name in ("", "echo", "cat", "printf", "tee")
        )
    ):
        return
    if not run.outputs and (not run.words or run.name in _KEEPS):
        return
    from guildmoot.guard.commands.written import written_files

    paths = () if run.appends else run.outputs
    for path in paths if run.name in _KEEPS else (*written_files(run), *_landed(run)):
        if path in run.outputs and run.appends:
            continue
        yield from lost_text(path, run, site)


def lost_text(path: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """A snapshot where a file of the project, or of another repository, is overwritten or moved away."""
    full = absolute(path, run.cwd)
    if has_marks(full):
        yield from _many_lost(path, run, site)
    elif site.holds(full) and kind_of(path, run.cwd, site) in ("inside", "other"):
        yield _discard("overwrite", path, run, site, ask=False)


def _many_lost(path: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """A wildcard, or a list that is not known yet: ``sed -i s/a/b/ $(git ls-files)``."""
    edits = run.name in _EMPTIES or (run.name in _EDITORS and in_place(run.words[1:]))
    kinds = ("inside", "other", "all", "unknown") if edits else ("inside", "other", "all")
    if ANY in path and not edits:
        return  # a log whose name is made up; it is written anew far more often than lost
    if kind_of(path, run.cwd, site) in kinds:
        yield _discard("overwrite", path, run, site, ask=False)


def unknown_text(run: Invocation, site: Site) -> Decision:
    """Code writes files whose names it makes up: a loop over ``glob("*.py")``."""
    return _discard("overwrite", ANY, run, site, ask=False)


_EDITORS = names("sed gsed perl ruby")
_EMPTIES = ("", ":", "true", "sd")


def _landed(run: Invocation) -> list[str]:
    """What a copy or a move lands on where its target is a folder."""
    if run.name not in ("cp", "mv", "install", "gcp", "gmv", "ln"):
        return []
    operands = Arguments(run.words[1:], ("-t", "-m", "-o", "-g", "-S")).operands
    return [f"{operands[-1]}/{path.rstrip('/').rpartition('/')[2]}" for path in operands[:-1]]


def write(path: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """What writing to a path means, through a redirect or any program."""
    found = None if run.remote else protected(absolute(path, run.cwd), site)
    if found:
        yield found


_SECRET_NAMES = (".env", ".env.local", ".env.production", ".netrc", ".pgpass")


def show(path: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """What reading a file into the conversation, or copying it, means."""
    full = absolute(path, run.cwd)
    level = "" if run.remote else secret_level(full, site)
    if not level and has_marks(path) and not run.remote:
        folder = full.rpartition("/")[0]
        near = (f"{folder}/{name}" for name in _SECRET_NAMES)
        if any(site.holds(each) and may_be(full, each) == "same" for each in near):
            level = "secrets"
    if level:
        yield ruling(level, path)


def read(run: Invocation, site: Site) -> Iterator[Decision]:
    """cat, head, grep, base64 and other programs that print what is in a file."""
    for path in shown_files(run):
        yield from show(path, run, site)


def shown_files(run: Invocation) -> list[str]:
    """The files whose content the program prints."""
    name, words = run.name, run.words[1:]
    if name in ("grep", "egrep", "fgrep", "rg", "ag", "ack"):
        valued = ("-e", "-f", "-A", "-B", "-C", "-m", "--include", "--exclude", "-g", "-t")
        found = Arguments(words, valued)
        quiet = ("-q", "-c", "-l", "-L", "--quiet", "--count", "--files-with-matches")
        if found.has(*quiet):
            return []
        return found.operands if found.has("-e", "-f") else found.operands[1:]
    if name == "cut":
        found = Arguments(words, ("-d", "-f", "-c", "--delimiter", "--fields"))
        return (
            []
            if "1" in (found.options.get("-f"), found.options.get("--fields"))
            else found.operands
        )
    if name == "sed" and in_place(words):
        return []
    if name in ("sed", "awk", "gawk", "jq", "yq"):
        found = Arguments(words, ("-e", "-f", "-F", "-v", "--arg"))
        if "s/=.*/" in "".join(words[:2]) or "{print $1}" in "".join(words):
            return []
        names_it = name == "yq" and found.operands[:1] and found.operands[0] in _YQ
        return found.operands if found.has("-e", "-f") else found.operands[2 if names_it else 1 :]
    return Arguments(words, ("-n", "-c", "-C", "-f", "--lines", "-l", "-s", "-N", "-o")).operands


_YQ = ("e", "ea", "eval", "eval-all")


def readable_mode(mode: str) -> bool:
    """``644``: its owner can still read it."""
    return mode.isdigit() and mode[-3:-2] in ("4", "5", "6", "7")


def permissions(run: Invocation, site: Site) -> Iterator[Decision]:
    """chmod, chown, chgrp."""
    words = [word for word in run.words[1:] if word[:1] != "-" or word[1:2] in "-Rvcfh"]
    if len(words) < len(run.words) - 1 and run.name == "chmod":
        words = ["a-x", *words]  # chmod -x FILE
    found = Arguments(words, ("--reference",))
    recursive = found.has("-R", "--recursive")
    mode = "".join(found.operands[:1])
    for path in found.operands[1:]:
        kind = kind_of(path, run.cwd, site)
        readable = has_marks(path) and readable_mode(mode)
        if not readable:  # find . -exec chmod 644 {} + leaves the settings what they are
            yield from (one for one in write(path, run, site) if one.code == "guard-files")
        if kind in ("inside", "outside") and not run.remote and not readable:
            yield from filter(None, (holds_guard(absolute(path, run.cwd), site),))
        if (
            kind in ("system", "home", "above")
            and not run.remote
            and (recursive or kind == "system")
        ):
            yield ruling("permissions", path)
        elif mode in ("4755", "u+s", "+s", "6755", "g+s") or (
            recursive and mode in ("777", "a+rwx", "0777", "a=rwx", "ugo+rwx", "a+w", "o+w")
        ):
            yield ruling("permissions-open", path)


_READERS = names(
    """cat less more head tail bat batcat tac nl grep egrep fgrep rg ag ack sed awk gawk cut sort uniq strings xxd od
    hexdump base64 jq yq diff tee paste column fold rev zcat view"""
)
RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(_READERS, (read,)),
    **dict.fromkeys(names("rm rmdir unlink shred srm grm wipe rimraf del-cli"), (remove,)),
    **dict.fromkeys(names("mv gmv"), (move,)),
    "ssh-keygen": (new_key,),
    **dict.fromkeys(names("cp gcp ln install rsync scp ditto"), (copy,)),
    **dict.fromkeys(names("dd truncate sponge touch gsed perl ruby"), (overwrite,)),
    **dict.fromkeys(names("tee sed"), (overwrite, read)),
    **dict.fromkeys(names("chmod chown chgrp gchmod"), (permissions,)),
}
