"""What changed, in git's terms: the working tree, the index, a range or the last commits against what came before."""

from __future__ import annotations

from guildmoot.errors import TargetError
from guildmoot.packet.branch import branch_change
from guildmoot.packet.diff import Change, Entry, parse_diff, quoted
from guildmoot.packet.request import RECENT, PacketRequest
from guildmoot.system.git import Git, GitError, find_root

# Every setting of the user that would change the bytes is overruled, and so is whatever would run a
# program. Files beyond the limit are taken for binary, so that git never holds a huge one.
_FIXED = (
    "-l1000", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames",
    "--diff-algorithm=histogram", "--src-prefix=a/", "--dst-prefix=b/", "--full-index",
    "--unified=3", "--inter-hunk-context=0", "--indent-heuristic", "--submodule=short",
    "--ignore-submodules=dirty", "-O/dev/null", "--no-abbrev",
)  # fmt: skip
_MOST_COMPARED = 8_000_000
_PLAIN = ("-c", "diff.suppressBlankEmpty=false")


def base_revision(request: PacketRequest) -> str:
    """The commit that a requested change is compared with; empty where whole files are judged."""
    asked = (
        *(request.staged, request.branch),
        *(request.diff is not None, request.targets == (RECENT,)),
    )
    if sum(asked) != 1:
        return ""  # no change, or more than one: then the packet is refused
    change = change_of(Git(find_root(request.cwd)), request)
    return change.base if change else ""


def resolve_change(request: PacketRequest) -> PacketRequest:
    """The request with its branch, index or diff looked up, so that all its parts are about one state."""
    if request.branch + request.staged + (request.diff is not None) != 1 or request.change:
        return request
    return request._replace(change=change_of(Git(find_root(request.cwd)), request))


def change_of(git: Git, request: PacketRequest) -> Change | None:
    """The change that is requested; None where whole files are."""
    if request.change:
        return request.change
    if request.branch:
        return branch_change(git)
    if request.staged:
        return staged(git)
    if request.diff is not None:
        return compare(git, request.diff)
    return recent(git, request.recent) if request.targets == (RECENT,) else None


def staged(git: Git) -> Change:
    """What the next commit would hold."""
    base = ("--cached", _head(git) or git.empty_tree())
    return Change("staged changes", base, in_worktree=False, nothing="nothing is staged")


def compare(git: Git, text: str) -> Change:
    """A ref against the working tree, or the two ends of ``a..b`` or ``a...b``."""
    if not text:
        head = _head(git) or git.empty_tree()
        nothing = "there is no uncommitted work"
        return Change("working tree against HEAD", (head,), in_worktree=True, nothing=nothing)
    left, dots, right = _split_range(text)
    start = commit_named(git, left or "HEAD")
    if not dots:
        shown = text if start.startswith(text) else f"{text} ({start[:10]})"
        return Change(f"working tree against {shown}", (start,), in_worktree=True)
    end = commit_named(git, right or "HEAD")
    if dots == "...":
        start = _merge_base(git, start, end, text)
    return Change(f"changes in {text} ({_span(start, end)})", (start, end), in_worktree=False)


def recent(git: Git, count: int) -> Change:
    """The last commits on the way to HEAD; the first commit is compared with nothing."""
    head = _head(git)
    if not head:
        raise TargetError(
            "This repository has no commits yet, so none are recent.",
            "Commit something, or name the files to judge.",
        )
    title = "the last commit" if count == 1 else f"the last {count} commits"
    there = int(git.run("rev-list", "--count", "--first-parent", f"--max-count={count + 1}", head))
    if there > count:
        start = commit_named(git, f"{head}~{count}")
        return Change(f"{title} ({_span(start, head)})", (start, head), in_worktree=False)
    if git.run("rev-parse", "--is-shallow-repository").strip() == b"true":
        raise TargetError(
            f"This clone is shallow: what came before {title} is not here to compare with.",
            f"Run `git fetch --deepen={count}`, then try again.",
        )
    title = "the only commit" if there == 1 else f"all {there} commits"
    return Change(f"{title} (up to {head[:10]})", (git.empty_tree(), head), in_worktree=False)


def _span(start: str, end: str) -> str:
    return f"{start[:10]}..{end[:10]}"


def compared(git: Git, change: Change, limit: int) -> tuple[list[Entry], str]:
    """Every changed file, and the unified diff of them all."""
    most = max(limit, _MOST_COMPARED)
    words = (*_PLAIN, "-c", f"core.bigFileThreshold={most}", "diff", *_FIXED, "-p")
    entries, text = parse_diff(git.run(*words, "--raw", "-z", *change.revisions, "--"))
    if any(quoted(name) != name for entry in entries for name in (entry.path, entry.old)):
        # with -z such a name stands in the patches as it is, and could look like a patch itself
        text = git.run(*words, *change.revisions, "--").decode("utf-8", "replace")
    return entries, text


def _split_range(text: str) -> tuple[str, str, str]:
    for dots in ("...", ".."):
        left, found, right = text.partition(dots)
        if found:
            return left, dots, right
    return text, "", ""


def _head(git: Git) -> str:
    """The commit that is checked out; empty before the first one."""
    try:
        return git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
    except GitError:
        return ""


def commit_named(git: Git, name: str) -> str:
    """The commit of that name; TargetError when there is none, or more than one."""
    try:
        return git.commit(name)
    except GitError as error:
        raise TargetError(
            f"{name!r} names no commit here: git says {str(error)!r}.",
            "See `git log --oneline` and `git branch -a` for the names there are.",
        ) from None


def _merge_base(git: Git, start: str, end: str, text: str) -> str:
    try:
        return git.run("merge-base", start, end).decode().strip()
    except GitError:
        raise TargetError(
            f"The two ends of {text!r} have no common ancestor here.",
            "Use two dots to compare them directly, or fetch the missing history.",
        ) from None
