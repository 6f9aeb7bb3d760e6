"""Where a command would run, as plain facts, and what a path there means.

A path may hold the marks of ``commands.words``: a part that nobody knows, or a wildcard. Everything here is
lexical; ``real`` follows links where the caller can look at the disk.
"""

from __future__ import annotations

from guildmoot.guard.commands.words import ANY, ONE, STAR, has_marks, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm")  # noqa: S108 - named, not used
_MADE = names("""node_modules dist build target out .next .nuxt .turbo .parcel-cache .svelte-kit .output .vite .angular
    __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv env .eggs htmlcov coverage .coverage
    .nyc_output .cache .gradle .dart_tool .terraform cdk.out .serverless .aws-sam storybook-static _site site
    .hypothesis .ipynb_checkpoints bin obj debug release deriveddata pods bower_components vendor tmp temp logs log
    cmake-build-debug cmake-build-release builddir _build zig-cache zig-out .zig-cache elm-stuff .stack-work
    dist-newstyle .bundle public/build test-results playwright-report .docusaurus .sass-cache .eslintcache
    package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock cargo.lock tsconfig.tsbuildinfo nohup.out
    a.out core result .ds_store thumbs.db .idea-cache generated gen lib-cov lcov.info coverage.xml coverage.out
    .coverage.xml junit.xml report.html wheels wheelhouse artifacts test-output output .pnpm-store .yarn .pdm-build
    .scannerwork .swc .expo .metro-cache .firebase .vercel .netlify .wrangler .astro .cargo-cache go-build
    """)
"""Names that a build makes again."""
_MADE_ENDS = (
    *(".pyc", ".pyo", ".o", ".a", ".so", ".class", ".log", ".tmp", ".bak", ".orig", ".rej", ".swp"),
    *(".egg-info", ".dist-info", ".tsbuildinfo", ".whl", ".tgz", ".gcda", ".gcno", ".pid", ".lock"),
    *(".cache", "~", ".prof", ".trace", ".profraw", ".out", ".dylib", ".dll", ".exe", ".wasm"),
)
_CACHES = (
    *(".cache", ".npm", ".yarn", ".pnpm-store", ".cargo/registry", ".cargo/git", ".gradle/caches"),
    *(
        ".m2/repository",
        ".nuget/packages",
        "go/pkg",
        ".ivy2/cache",
        "library/caches",
        ".bun/install",
    ),
    *("library/developer/xcode/deriveddata", ".local/share/trash", ".pub-cache", ".cpan/build"),
    *(".local/share/pnpm/store", ".rustup/tmp", ".node-gyp", ".nv", ".keras/cache", ".ccache"),
)
"""Below the home folder: fetched or made again on the next use."""
_SYSTEM = names("""bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv sys usr var users
    system library applications volumes private cores windows c d snap nix data""")


class Site:
    """Facts about the folder where a command would run."""

    __slots__ = (
        "blobs",
        "branch",
        "cwd",
        "dirty",
        "git",
        "guarded",
        "holds",
        "home",
        "links",
        "members",
        "project",
        "read",
        "real",
        "same",
        "temporary",
        "top",
        "worktree",
    )

    def __init__(
        self,
        cwd: str,
        project: str = "",
        home: str = "",
        *,
        git: bool | None = None,
        dirty: bool | None = None,
        branch: str = "",
        temporary: tuple[str, ...] = (),
        guarded: tuple[str, ...] = (),
        real: Callable[[str], str] | None = None,
        links: Callable[[str], int] | None = None,
        top: Callable[[str], str] | None = None,
        read: Callable[[str], str] | None = None,
        holds: Callable[[str], bool] | None = None,
        same: Callable[[str, str], bool] | None = None,
        members: Callable[[str], list[str] | None] | None = None,
        blobs: Callable[[str, list[str]], dict[str, str]] | None = None,
        worktree: Callable[[str, str], str] | None = None,
    ) -> None:
        self.cwd = cwd
        self.project = project or cwd
        """The folder that the host names as its project."""
        self.home = home or "/home/user"
        self.git = git
        """Whether the project is a git checkout; None when nobody looked, which counts as yes."""
        self.dirty = dirty
        """Whether it holds uncommitted work; None when nobody looked."""
        self.branch = branch
        self.temporary = (*TEMPORARY, *(path for path in temporary if len(path) > 1))
        self.guarded = guarded
        """The guard's own files and folders, absolute."""
        self.real = real or _same
        """Follows links: ``os.path.realpath`` where the disk may be looked at."""
        self.links = links or _one_link
        """How many names a file has."""
        self.top = top or _no_top
        """The working tree of git that a path lies in, as the disk says; empty for none."""

        self.read = read or _no_top
        """The text of a small file; empty where there is none or it is no text."""
        self.holds = holds or _nothing
        """Whether there is a file with something in it, or a folder."""
        self.same = same or _never
        """Whether two names are those of one file on the disk."""
        self.members = members or _unlisted
        """The names in an archive; None where it is not there, too large or no archive."""
        self.blobs = blobs or _no_blobs
        """What git has of ``COMMIT:PATH`` in a repository; those that it has not are left out."""
        self.worktree = worktree or _no_worktree
        """Whether a folder is another worktree of a project's repository: ``clean``, ``dirty``, or empty."""

    def with_files(self, written: dict[str, str]) -> Site:
        """The same where a command has written these files before others are read."""
        from copy import copy

        made, read = copy(self), self.read
        made.read = lambda path: written[path] if path in written else read(path)
        return made

    def tree(self, path: str) -> str:
        """The working tree whose uncommitted work is at stake at a path."""
        if has_marks(path):
            path = next(
                (path[:at].rpartition("/")[0] for at, c in enumerate(path) if has_marks(c)), path
            )
        return self.top(path) or self.project


def _same(path: str) -> str:
    return path


def _no_top(_path: str) -> str:
    return ""


def _nothing(_path: str) -> bool:
    return False


def _never(_path: str, _other: str) -> bool:
    return False


def _one_link(_path: str) -> int:
    return 1


def _unlisted(_path: str) -> list[str] | None:
    return None


def _no_worktree(_path: str, _project: str) -> str:
    return ""


def _no_blobs(_repository: str, _objects: list[str]) -> dict[str, str]:
    return {}


def absolute(path: str, cwd: str) -> str:
    """The path without ``.``, ``..`` and doubled slashes. One that begins with an unknown part keeps it."""
    if not path.startswith("/"):
        path = path if path.startswith(ANY) else f"{cwd}/{path}"
    out: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if out and out[-1] not in (ANY, ".."):
                out.pop()
            elif out:
                out.append(part)
        elif part not in ("", "."):
            out.append(part)
    joined = "/".join(out)
    return joined if joined.startswith(ANY) else f"/{joined}"


def inside(path: str, folder: str) -> bool:
    """Whether the path is the folder or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def kind_of(path: str, cwd: str, site: Site) -> str:
    """What a path is, by the harm of losing it.

    system, home, above (holds the project), project, git (history), keys, all (everything of the project),
    made, inside, temporary, all-temporary, cache, outside, unknown, repository (another one, whole), other (in one).
    """
    full = absolute(path, cwd)
    if full.startswith(ANY):
        return _unknown_kind(full)
    if "/../" in f"{full}/":  # behind a part that nobody knows
        return "unknown"
    last = full.rpartition("/")[2]
    if last == ANY and full.count("/") > 0:  # may be empty, and then it is the folder above
        parent = kind_of(full[: -len(last)] or "/", cwd, site)
        if parent in ("system", "home", "above", "project", "git", "outside"):
            return "unknown"
    every = last in (STAR, STAR + STAR, "." + STAR, STAR + "." + STAR)
    folder = (full[: -len(last) - 1] or "/") if every else full
    if not has_marks(folder):
        real = site.real(folder)
        if real != folder:
            strict, plain = _kind(real, site, every=every), _kind(folder, site, every=every)
            kind = strict if strict not in ("inside", "made", "temporary", "cache") else plain
        else:
            kind = _kind(folder, site, every=every)
        return _other_repository(kind, real, site)
    return _kind(folder, site, every=every)


def _other_repository(kind: str, real: str, site: Site) -> str:
    """A working tree of its own inside the project or the temporary folder is worth as much as the project."""
    if kind not in ("inside", "temporary"):
        return kind
    top = site.top(real)
    if not top or inside(site.real(site.project), top):
        return kind
    return "repository" if top == real else "inside" if kind == "inside" else "other"


def _unknown_kind(full: str) -> str:
    """Below a folder that nobody knows: only names that are made again tell something."""
    last = full.rpartition("/")[2]
    named = "/" in full and not has_marks(last[:1]) and is_made(last)
    return "made" if named else "unknown"


def _kind(full: str, site: Site, *, every: bool) -> str:
    low = full.lower()
    home = site.home
    project = site.project
    if full == "/" or (low.count("/") == 1 and low[1:] in _SYSTEM):
        return "system"
    for temporary in site.temporary:
        if home != temporary and inside(home, temporary) and _touches(full, home):
            continue  # containers and sandboxes have such homes
        if full == temporary:
            return "all-temporary"
        if inside(full, temporary) and not inside(project, full):
            return _inside_project(full, project, every) if inside(full, project) else "temporary"
    if full == home or (full.startswith(("/home/", "/Users/")) and full.count("/") == 2):
        return "project" if full == project and full != home and not every else "home"
    if full == project:
        return "all" if every else "project"
    if inside(full, project):
        return _inside_project(full, project, every)
    if inside(project, full) or inside(site.cwd, full) or inside(home, full):
        return "above"
    if inside(full, home):
        return _inside_home(low[len(home) :].strip("/"))
    if "/.git/" in full + "/":
        return "git"
    if low.startswith(("/etc/", "/usr/", "/bin/", "/sbin/", "/lib", "/boot/", "/dev/", "/system/")):
        return "system" if not inside(low, "/usr/local") else "outside"
    if low.startswith(("/var/lib/", "/proc/", "/sys/")):
        return "system"
    return "outside"


def _touches(full: str, home: str) -> bool:
    return inside(full, home) or inside(home, full)


def _inside_home(below: str) -> str:
    if any(inside(below, cache) for cache in _CACHES):
        return "cache"
    if below.partition("/")[0] in (".ssh", ".gnupg", ".aws", ".kube", ".password-store", ".config"):
        return "keys" if below.partition("/")[0] != ".config" or below == ".config" else "outside"
    return "made" if below.rpartition("/")[2] in _ALWAYS_MADE and "/" in below else "outside"


_ALWAYS_MADE = names("node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .turbo .next")
"""Of these names nobody has a folder of his own, wherever it lies."""


def _inside_project(full: str, project: str, every: bool) -> str:
    below = full[len(project) :].strip("/")
    parts = below.lower().split("/")
    if ".git" in parts:
        return "made" if parts[-1].endswith(".lock") else "git"
    if any(part in _MADE for part in parts) or is_made(parts[-1]):
        return "made"
    return "inside" if below or not every else "all"


def is_made(name: str) -> bool:
    """Whether a build makes a file or folder of this name again."""
    low = name.lower()
    return low in _MADE or (low.endswith(_MADE_ENDS) and low not in (STAR, ANY)) or _numbered(low)


def _numbered(low: str) -> bool:
    """``build-arm64``, ``cmake-build-release``, ``dist_old``: a name that begins like a made one."""
    head = low.replace("_", "-").partition("-")[0]
    return head in ("build", "dist", "coverage", "tmp", "temp", "venv", ".venv") and head != low


def told(path: str) -> str:
    """A path for people: marks shown as a shell would write them."""
    return path.replace(ANY, "$?").replace(STAR, "*").replace(ONE, "?")
