"""What brings many files at once: archives, patches, folders that are copied, a commit that is checked out.

The command names none of them, so the archive's list, the patch or the folder is looked at where it is there and small.
What nobody can look into is asked about where an agent's settings or start-up files lie in the target.
"""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import has_marks, names
from guildmoot.guard.rules.files import write
from guildmoot.guard.rules.protected import kept_files, protected
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_LISTS = names("-l -t -v -Z -p --list --test l t i")
_NETWORK = names("curl wget aria2c http https xh ssh nc")


def unpack(run: Invocation, site: Site) -> Iterator[Decision]:
    """tar x, unzip, 7z x, cpio -i, jar xf, unrar x: what they lay down, and where."""
    found = None if run.remote else _unpacked(run)
    if found is None:
        return
    archive, folder, only = found
    target = absolute(folder, run.cwd)
    yield from write(folder, run, site)
    if target == "/":
        return
    fed = _fed(run)
    for member in fed or ():
        if _holds_kept(absolute(member, target), site):
            yield ruling("unpack-unseen", member)
    members: Iterable[str] | None = only or fed
    if members is None and archive and not has_marks(archive):
        members = site.members(absolute(archive, run.cwd))
    if members is not None:
        yield from _landing(members, target, site)
    elif _holds_kept(target, site):
        yield ruling("unpack-unseen", folder)


def _unpacked(run: Invocation) -> tuple[str, str, list[str]] | None:
    """The archive, the folder, and the members where they are named; None where nothing is unpacked."""
    name, words = run.name, run.words[1:]
    if name in ("tar", "bsdtar", "gtar", "jar"):
        if words[:1] and words[0][:1] != "-":
            words = [f"-{words[0]}", *words[1:]]
        found = Arguments(words, ("-f", "-C", "--file", "--directory", "--exclude", "-T", "-I"))
        if not found.has("-x", "--extract", "--get") or found.has("-O", "--to-stdout"):
            return None
        archive = found.options.get("-f") or found.options.get("--file") or ""
        folder = found.options.get("-C") or found.options.get("--directory") or "."
        return archive, folder, found.operands
    if name == "unzip":
        found = Arguments(words, ("-d", "-x"))
        if found.has(*_LISTS) or not found.operands:
            return None
        return found.operands[0], found.options.get("-d") or ".", found.operands[1:]
    if name in ("7z", "7za", "7zz", "7zr", "unrar", "rar"):
        operands = [word for word in words if word[:1] != "-"]
        if operands[:1] not in (["x"], ["e"]):
            return None
        folder = next((word[2:] for word in words if word[:2] == "-o" and word[2:]), ".")
        return "".join(operands[1:2]), folder, operands[2:]
    if name in ("cpio", "pax"):
        found = Arguments(words, ("-D", "--directory", "-F"))
        if not found.has("-i", "--extract", "-r"):
            return None
        return "", found.options.get("-D") or found.options.get("--directory") or ".", []
    return None


def _fed(run: Invocation) -> list[str] | None:
    """``tar cf - src | tar xf - -C x``: the program before the pipe names what comes."""
    feed = run.feeds[-1] if run.feeds else None
    if feed is None or feed.name not in ("tar", "bsdtar", "gtar"):
        return None
    given = Arguments(feed.words[1:], ("-f", "-C", "--file", "--directory", "--exclude"))
    operands = given.operands if feed.words[1:2][0][:1] == "-" else given.operands[1:]
    return [name for name in operands if name not in (".", "-")] or None


def _landing(members: Iterable[str], target: str, site: Site) -> Iterator[Decision]:
    """The gravest of what a list of files would write below a folder."""
    for member in members:
        if "/." in f"/{member}" or member.startswith("/") or "/." in target:
            found = protected(absolute(member.rstrip("/"), target), site)
            if found:
                yield found
                if found.action == "deny":
                    return


def _holds_kept(target: str, site: Site) -> bool:
    """Settings of an agent or start-up files that are there; hooks of git are in every checkout."""
    real = site.real(target)
    near = (path for path in kept_files(site) if not path.endswith("/.git/hooks"))
    return any(inside(path, real) and site.holds(path) for path in near)


# patches


def patch(run: Invocation, site: Site) -> Iterator[Decision]:
    """patch: the file that it names, and those that the patch names."""
    found = Arguments(run.words[1:], ("-p", "-d", "-i", "--input", "--directory", "-o", "-r", "-F"))
    if run.remote or found.has("--dry-run"):
        return
    for path in found.operands[:1]:
        yield from write(path, run, site)
    files = [found.options.get("-i", ""), found.options.get("--input", ""), *found.operands[1:]]
    folder = found.options.get("-d") or found.options.get("--directory") or "."
    yield from patched(run, [file for file in files if file], absolute(folder, run.cwd), site)


def patched(run: Invocation, files: list[str], folder: str, site: Site) -> Iterator[Decision]:
    """What a patch from files, a redirect, a here-document or a pipe would write below a folder."""
    texts = [
        site.read(absolute(path, run.cwd)) for path in (*files, *run.inputs) if not has_marks(path)
    ]
    texts += [run.stdin] if run.stdin else []
    if not any(texts):
        fetched = any(feed.name in _NETWORK for feed in run.feeds)
        named = "/." in folder.removeprefix(site.project)
        if (fetched or named) and _holds_kept(folder, site):
            yield ruling("unpack-unseen", folder)
        return
    yield from _landing({name for text in texts for name in _patched_names(text)}, folder, site)


def _patched_names(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        for mark in ("+++ ", "--- ", "rename to ", "copy to ", "rename from "):
            if line.startswith(mark):
                name = line[len(mark) :].partition("\t")[0].strip().strip('"')
                yield name
                yield name.partition("/")[2]


# folders

_RECURSIVE = ("-r", "-R", "-a", "--recursive", "--archive")


def folders(run: Invocation, site: Site) -> Iterator[Decision]:
    """cp -r, rsync -a, mv, ditto: a folder that holds files of the kinds that nobody may write."""
    valued = ("-t", "-S", "-e", "--exclude", "--include", "--filter", "--target-directory", "-f")
    found = Arguments(run.words[1:], valued)
    whole = found.has(*_RECURSIVE) or run.name in ("mv", "gmv", "ditto")
    given = found.options.get("-t") or found.options.get("--target-directory")
    sources = found.operands if given else found.operands[:-1]
    target = given or "".join(found.operands[-1:])
    if not whole or run.remote or not sources or has_marks(target) or ":" in target:
        return
    full = absolute(target, run.cwd)
    kept = [path for path in kept_files(site) if inside(path, site.real(full))]
    left_out = {
        word.rpartition("=")[2].strip("/*")
        for before, word in zip(run.words, run.words[1:], strict=False)
        if before == "--exclude" or word.startswith("--exclude=")
    }
    for source in sources if kept else ():
        yield from _copied(source, full, kept, left_out, run, site)


def _copied(
    source: str, full: str, kept: list[str], left_out: set[str], run: Invocation, site: Site
) -> Iterator[Decision]:
    if ":" in source.partition("/")[0]:
        if not left_out:
            yield ruling("unpack-unseen", source)
        return
    contents = source.endswith(("/.", "/..")) or source in (".", "..")
    contents = contents or (run.name == "rsync" and source.endswith("/"))
    origin = absolute(source, run.cwd)
    name = origin.rpartition("/")[2]
    if has_marks(name):
        origin, contents = origin[: -len(name) - 1], True
        if name[:1] != ".":
            return  # a wildcard leaves names with a dot out
    lands = full if contents or not site.holds(f"{full}/.") else f"{full}/{name}"
    lands, origin = site.real(lands), site.real(origin)
    for path in kept:
        below = path[len(lands) :]
        if inside(path, lands) and lands != origin and not left_out & {*below.split("/")}:
            found = protected(path, site) if site.holds(origin + below) else None
            if found:
                yield found
                return


# commits

_HOSTS = (
    *(".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json"),
    ".codex/hooks.json",
)


def checked_out(
    verb: str, words: list[str], repository: str, run: Invocation, site: Site
) -> Iterator[Decision]:
    """A commit whose settings would take the guard away, whatever brings it into the working tree."""
    if verb in ("apply", "am"):
        found = Arguments(words, ("-p", "--directory", "-C", "--exclude", "--include"))
        if not found.has("--stat", "--check", "--numstat", "--summary", "--cached"):
            folder = absolute(found.options.get("--directory") or ".", repository)
            yield from patched(run, found.operands, folder, site)
        return
    if not inside(site.real(site.project), site.real(repository)):
        return
    found = Arguments(words, ("-s", "--source", "-m", "-X", "--strategy", "-b", "-B", "-c", "-C"))
    cut = words.index("--") if "--" in words else len(words)
    paths = words[cut + 1 :] if cut < len(words) else found.operands
    if verb in ("checkout", "restore"):
        for path in paths:
            yield from _restored(absolute(path, run.cwd), site)
    refs = [found.options.get("-s") or found.options.get("--source") or "", *found.operands[:3]]
    if verb == "stash":  # untracked files are its third parent
        ref = "".join(found.operands[1:2]) or "stash@{0}"
        refs = [ref, f"{ref}^3"] if found.operands[:1] in (["pop"], ["apply"]) else []
    refs = [ref for ref in refs if ref and ref not in paths[: len(paths) * (cut < len(words))]]
    objects = [f"{ref}:{name}" for ref in refs for name in _HOSTS if not has_marks(ref)]
    for name, text in site.blobs(repository, objects).items() if objects else ():
        yield from _settings(f"{repository}/{name.rpartition(':')[2]}", text, site)


def _restored(full: str, site: Site) -> Iterator[Decision]:
    """``git checkout X -- .claude``: a folder of settings by its own name."""
    if inside(site.project, full) or has_marks(full):
        return
    near = (path for path in kept_files(site) if inside(path, full) and site.holds(path))
    yield from filter(None, (protected(path, site) for path in near))


def _settings(path: str, text: str, site: Site) -> Iterator[Decision]:
    now = site.read(path)
    lost = any(each in now and each not in text for each in site.guarded)
    if lost or ('"disableAllHooks"' in text and '"disableAllHooks"' not in now):
        yield ruling("guard-files", path)


RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(
        names("tar bsdtar gtar jar unzip 7z 7za 7zz 7zr unrar rar cpio pax"), (unpack,)
    ),
    "patch": (patch,),
    **dict.fromkeys(names("cp gcp rsync mv gmv ditto"), (folders,)),
}
