"""Runs git on a repository whose content is not trusted, and reads what it prints.

Nothing that the repository holds may make git run a program: no hooks, no file-system monitor, no
external diff, no text conversion, no filter. Without its filters (Git LFS is one) a file of the working
tree is compared as it lies there. What the answers mean is for the callers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from guildmoot.errors import (
    InfrastructureError,
    Interrupted,
    NothingJudgedError,
    TargetError,
    UsageError,
)
from guildmoot.system.bounded import run_bounded
from guildmoot.system.commit_names import find_commit
from guildmoot.system.files import linked_part
from guildmoot.system.search import find_program, search_path

_LITERAL = "--literal-pathspecs"
_SAFE = (
    "--no-pager", _LITERAL,
    "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "safe.bareRepository=explicit",  # a folder that looks like a repository is none
)  # fmt: skip
_PLAIN = tuple(word for word in _SAFE if word != _LITERAL)  # check-ignore refuses it
_SCRATCH = (
    "-c", "core.symlinks=false", "-c", f"core.attributesFile={os.devnull}",
    "-c", "core.autocrlf=false", "-c", "gc.auto=0",
)  # fmt: skip
_FILTERING = frozenset(("diff", "diff-files", "diff-index", "status", "update-index", "-m"))
"""What looks at files of the working tree, for which git would run filters."""
_TIMEOUT, _SCRATCH_TIMEOUT = 60.0, 20.0
_QUICK = frozenset(("rev-parse", "config", "show-ref", "hash-object", "init"))
"""What reads no tree and no file of the repository's."""
_COMMON = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not reach for the network
    "GIT_ALLOW_PROTOCOL": "none",  # nor, with a git that does not know that, run what would
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",  # objects and parents are what their names say
    "GIT_GRAFT_FILE": os.devnull,
    "LC_ALL": "C",
}


class GitError(Exception):
    """git said no; the message is git's own reason, in one line."""


class _TooLateError(InfrastructureError):
    """git did not answer in time."""


class Git:
    """git in one repository."""

    def __init__(self, root: Path | str, path: str = "", *, index: Path | None = None) -> None:
        """``index`` is a private one, in place of the repository's."""
        self.root = Path(root)
        self._env = _environment(root, path)
        if index:
            self._env["GIT_INDEX_FILE"] = str(index)
        else:
            self._keep_index()

    def run(self, *args: str, stdin: bytes = b"") -> bytes:
        """What git prints; GitError carries its reason when it fails."""
        off = self._no_filters if _FILTERING.intersection(args) else ()
        return _run((*_SAFE, *off, *args), self.root, self._env, stdin)

    @cached_property
    def _no_filters(self) -> tuple[str, ...]:
        """What switches off every filter that any configuration of git names."""
        try:
            listed = self.run("config", "-z", "--name-only", "--get-regexp", r"^filter\.")
        except GitError:  # there is none
            return ()
        keys = (os.fsdecode(key) for key in listed.split(b"\0") if key)
        names = dict.fromkeys(key.rpartition(".")[0] for key in keys)
        odd = next((name for name in names if "=" in name), None)
        if odd:  # git's command line cannot name it
            raise TargetError(
                f"git's configuration in {self.root} sets {odd!r}, which cannot be switched off.",
                "Remove it, for no filter may run while a repository is judged.",
            )
        values = ("clean=", "smudge=", "process=", "required=false")
        return tuple(
            word for name in names for value in values for word in ("-c", f"{name}.{value}")
        )

    def ignored(self, paths: Iterable[str]) -> list[str]:
        """Those of the paths that the repository's own .gitignore files name, tracked or not."""
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        words = (*_PLAIN, "-c", f"core.excludesFile={os.devnull}", "check-ignore", "--no-index")
        answer = _run((*words, "-z", "--stdin"), self.root, self._env, asked, fine=(0, 1))
        return [os.fsdecode(name) for name in answer.split(b"\0") if name]

    def names(self, *args: str) -> list[str]:
        """The NUL-separated answer of a command that was given ``-z``."""
        return [os.fsdecode(name) for name in self.run(*args).split(b"\0") if name]

    def tracked(self, place: str) -> list[str]:
        """What the index holds at or below a path of ours, however its letters are written."""
        words = ("--icase-pathspecs" if word == _LITERAL else word for word in _SAFE)
        answer = _run((*words, "ls-files", "-z", "--", place), self.root, self._env, b"")
        return [os.fsdecode(name) for name in answer.split(b"\0") if name]

    @contextmanager
    def blob_reader(self) -> Iterator[Callable[[str], bytes]]:
        """A function from an object's name to its content, with one git process behind it."""
        with self.small_blob_reader(sys.maxsize) as read:
            yield lambda oid: read(oid) or b""

    @contextmanager
    def small_blob_reader(self, most: int) -> Iterator[Callable[[str], bytes | None]]:
        """The same for untrusted sizes: None for an object of more than ``most`` bytes, which is not read."""
        with ExitStack() as stack:
            running: list[subprocess.Popen[bytes]] = []

            def read(oid: str) -> bytes | None:
                if not running:
                    running.append(stack.enter_context(self._batch()))
                content = _ask(running[0], oid, most)
                if content is None:
                    running.pop().kill()
                return content

            yield read

    def _batch(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            (find_program("git", self._env["PATH"]), *_SAFE, "cat-file", "--batch"),
            cwd=self.root,
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def sizes(self, oids: Sequence[str]) -> dict[str, int]:
        """The sizes of the objects that exist."""
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        answers = self.run("cat-file", "--batch-check", stdin=asked).decode().splitlines()
        words = [answer.split() for answer in answers]
        return {answer[0]: int(answer[2]) for answer in words if len(answer) == 3}

    def commit(self, name: str) -> str:
        """The commit of that name; GitError where there is none, TargetError where there are several.

        git would take a tag before a branch, and whoever is fetched from brings tags along.
        """
        return find_commit(self.run, name) or self._commit(name)

    def _commit(self, name: str) -> str:
        # Resolved before it is used, so that a name can never be taken for an option.
        found = self.run("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        return found.decode().strip().splitlines()[-1]

    def empty_tree(self) -> str:
        """The name of the tree without files, in this repository's kind of hash."""
        return self.run("hash-object", "-t", "tree", "--stdin").decode().strip()

    def _keep_index(self) -> None:
        """Inside a commit hook git names the index to be committed; it is kept if it is this one's.

        Without it ``git commit -a`` would have us judge the index as it was before.
        """
        index = os.environ.get("GIT_INDEX_FILE")
        if not index:
            return
        folder = os.fsdecode(self.run("rev-parse", "--absolute-git-dir").rstrip(b"\n"))
        path = os.path.realpath(self.root / index)
        if path.startswith(os.path.realpath(folder) + os.sep) and os.path.exists(path):
            self._env["GIT_INDEX_FILE"] = path


class ScratchGit:
    """git in a temporary repository of ours: no configuration of the machine or the user takes part,
    no symbolic link is made, and what takes too long fails."""

    def __init__(self, home: Path) -> None:
        self.root = home / "tree"
        self.root.mkdir()
        self._env = _COMMON | {
            "PATH": search_path(),
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(home),
        }

    def run(self, *args: str, stdin: str = "") -> str:
        """What git prints; GitError carries its reason when it fails or takes too long."""
        data = stdin.encode("utf-8", "surrogateescape")
        try:
            words = (*_SAFE, *_SCRATCH, *args)
            answer = _run(words, self.root, self._env, data, _SCRATCH_TIMEOUT)
        except _TooLateError:
            raise GitError(f"git {args[0]} took longer than {_SCRATCH_TIMEOUT:.0f} s") from None
        return answer.decode("utf-8", "surrogateescape")


def _ask(process: subprocess.Popen[bytes], oid: str, most: int) -> bytes | None:
    into, out = process.stdin, process.stdout
    if into is None or out is None:
        raise InfrastructureError("git cat-file was started without pipes.")
    into.write(oid.encode() + b"\n")
    into.flush()
    header = out.readline().split()
    if len(header) != 3:
        raise GitError(f"object {oid} is missing")
    size = int(header[2])
    return out.read(size + 1)[:size] if size <= most else None


def find_root(cwd: Path) -> Path:
    """The top folder of the repository that ``cwd`` lies in; TargetError when there is none."""
    if not cwd.is_dir():
        raise TargetError(f"There is no folder {cwd}.", "Run it from a folder that exists.")
    here = os.path.realpath(cwd)
    root = _known_root(here)
    if not root:
        try:
            answer = _run((*_SAFE, "rev-parse", "--show-toplevel"), cwd, _environment(cwd), b"")
        except GitError as error:
            raise _no_root(cwd, str(error)) from None
        # Not strip(): the name of the folder may end with white space.
        root = os.fsdecode(answer.removesuffix(b"\n"))
    real = os.path.realpath(root)
    if os.path.commonpath((here, real)) != real or not os.path.lexists(os.path.join(root, ".git")):
        raise TargetError(
            f"git takes {root} for the working tree of {cwd}, and that is no repository around it.",
            "A setting core.worktree says so; run it from the folder that holds the files.",
        )
    for name in (".gitattributes", ".gitignore"):
        if Path(root, name).is_fifo():
            raise TargetError(f"{root}/{name} is a pipe, on which git would wait.", "Remove it.")
    _roots[here] = root, _identity(root)
    return Path(root)


_roots: dict[str, tuple[str, tuple[int, int]]] = {}
"""What git said of folders before, with which ``.git`` it was: one run asks several times."""


def _known_root(here: str) -> str:
    """The root that git named for the folder, if nothing has come between the two since; else empty."""
    root, was = _roots.get(here, ("", (0, 0)))
    if not root or _identity(root) != was:
        return ""
    top, folder = os.path.realpath(root), here
    while folder != top:
        if os.path.lexists(os.path.join(folder, ".git")) or folder == os.path.dirname(folder):
            return ""
        folder = os.path.dirname(folder)
    return root


def _identity(root: str) -> tuple[int, int]:
    try:
        info = os.lstat(os.path.join(root, ".git"))
    except OSError:
        return 0, 0
    return info.st_dev, info.st_ino


def project_root(cwd: Path) -> Path:
    """The repository's root, or the folder itself outside of one."""
    try:
        return find_root(cwd)
    except TargetError:
        return cwd


def refuse_brought_link(path: Path, cwd: Path) -> None:
    """UsageError for a file behind a link that the repository brought; the user's own are followed."""
    root = os.path.realpath(project_root(cwd))
    inner = os.path.relpath(os.path.normpath(os.path.join(os.path.realpath(cwd), path)), root)
    part = "" if inner.startswith(os.pardir) else linked_part(root, inner)
    if part and os.path.lexists(f"{root}/.git") and Git(Path(root)).tracked(part):
        raise UsageError(
            f"{path} is, or lies behind, the link {part} that the repository brought.",
            "Links of a repository are not followed; name the file that it leads to.",
        )


def _no_root(cwd: Path, reason: str) -> TargetError:
    if "not a git repository" in reason:
        return TargetError(
            f"{cwd.absolute()} is not in a git repository, so there is nothing to compare or to list.",
            "Run `git init` there, or pass the text on standard input with the target `-`.",
        )
    hint = "Run it from the folder that holds the files."
    if "dubious ownership" in reason:
        hint = f"If you trust it, run `git config --global --add safe.directory '{cwd}'`."
    return TargetError(f"git cannot be used in {cwd}: {reason}.", hint)


def ignores(root: Path, path: str) -> bool:
    """Whether git leaves this path out of commits, so that nobody has to be told."""
    try:
        return bool(_run((*_PLAIN, "check-ignore", "--", path), root, _environment(root), b""))
    except GitError:
        return False


def _environment(root: Path | str, path: str = "") -> dict[str, str]:
    """Ours without GIT_*: inside a hook those point to another repository or index."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return env | _COMMON | {"PATH": path or search_path(here=root)}


def _run(
    args: Sequence[str],
    cwd: Path,
    env: dict[str, str],
    stdin: bytes,
    timeout: float = _TIMEOUT,
    fine: Sequence[int] = (0,),
) -> bytes:
    # What may take long must not outlive us.
    long = not _QUICK.intersection(args)
    try:
        words = (find_program("git", env["PATH"]), *args)
        done = run_bounded(words, cwd=cwd, env=env, stdin=stdin, timeout=timeout, guarded=long)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename:  # or none for its output
            hint = "Install git and try again."
            raise InfrastructureError("git is not installed, or not on PATH.", hint) from error
        raise InfrastructureError(f"git could not be started: {error.strerror}.") from error
    if done.status == "stopped":
        raise Interrupted("stopped while git was at work")
    if done.status == "timeout":
        raise _TooLateError(
            f"git did not answer within {timeout:.0f} seconds.",
            "See whether `git status` works there: a pipe called .gitattributes or .gitignore stops it,"
            " and so does a tree without end.",
        )
    starved = any(word in done.stderr for word in (b"ut of memory", b"mmap failed"))
    if done.status == "overflow" or (done.code not in fine and starved):
        raise NothingJudgedError(
            "Undecided: git needs more memory or prints more than it is given: a tree without end, it seems.",
            "A person must look at it. Name a smaller change.",
        )
    if done.code not in fine:
        raise GitError(_reason(done.stderr))
    return done.stdout


def _reason(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    first = next(
        (line for line in lines if line.startswith(("fatal:", "error:"))), "no reason given"
    )
    return first.partition(": ")[2].rstrip(".") or first
