"""Rules for git: what discards uncommitted work, rewrites shared history or destroys it."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, STAR, names
from guildmoot.guard.rules.protected import secret_level
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

_SHARED = names("main master trunk develop dev production prod release staging stable")
GLOBAL = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
_EVERYTHING = frozenset((".", "./", STAR, "./" + STAR, ":/", "-A", ":/" + STAR, "*"))


_LONG = names(
    """--hard --merge --force --force-with-lease --delete --mirror --discard-changes --reverse --dry-run --cached
    --staged --worktree --abort --reset --mixed --soft --detach --track --message --tags --set-upstream --follow-tags"""
)


class GitCall:
    """A git command: its sub-command, the words behind it and the folder it works on."""

    def __init__(self, run: Invocation, site: Site) -> None:
        words = run.words[1:]
        found = Arguments(words, GLOBAL, stop=True)
        self.verb = found.rest[0] if found.rest else ""
        self.words = found.rest[1:]
        self.settings: list[str] = []
        folder = run.cwd
        for at, word in enumerate(words[: len(words) - len(found.rest)]):
            if word == "-C" and at + 1 < len(words):
                folder = absolute(words[at + 1], folder)
            elif word[:2] == "-c":
                self.settings.append(word[2:] or "".join(words[at + 1 : at + 2]))
            elif word.startswith("--work-tree="):
                folder = absolute(word[12:], folder)
        for at, word in enumerate(self.words if self.verb in ("clone", "init") else ()):
            name, _, value = word.partition("=")
            value = value or "".join(self.words[at + 1 : at + 2])
            if name in ("-c", "--config", "--template"):  # they stay set in the new repository
                self.settings.append(f"init.templatedir={value}" if name[2:3] == "t" else value)
        here = inside(folder, site.project)
        self.repository = (
            (site.tree(folder) if here else folder) if ANY not in folder else site.project
        )
        """What a snapshot is taken of."""
        self.clean = self.repository == site.project and here and site.dirty is False

    def options(self, *valued: str) -> Arguments:
        """The words behind the sub-command."""
        found = Arguments(self.words, valued)
        for given in [name for name in found.options if name.startswith("--") and len(name) > 3]:
            if given not in _LONG:  # git takes the beginning of an option for the option
                found.options.update({name: "" for name in _LONG if name.startswith(given)})
        return found

    def discard(self, code: str = "discard-all") -> Iterator[Decision]:
        """Work that is not committed would go, unless there is none."""
        if not self.clean:
            asked = code != "discard-inside"
            yield ruling(code, folders=(self.repository,), then="ask" if asked else "allow")


def git(run: Invocation, site: Site) -> Iterator[Decision]:
    """All rules of git."""
    call = GitCall(run, site)
    for setting in call.settings:
        checks = call.verb not in _NO_HOOKS
        yield from _setting(*setting.partition("=")[::2], checks=checks)
    if ANY in call.verb:
        yield ruling("unknown-command")
    if call.verb and call.verb not in _VERBS and not run.remote:
        yield from _alias(call, run, site)
    if call.verb == "diff" and "--no-index" in call.words and not run.remote:
        for path in call.options().operands:
            level = secret_level(absolute(path, run.cwd), site)
            yield from (ruling(level, path),) if level else ()
    rule = _VERBS.get(call.verb)
    if rule and (not run.remote or call.verb == "push"):
        yield from rule(call, site)
    elif (
        rule
        and run.remote == "ssh"  # nothing there can be kept first
        and any(found.action in ("snapshot", "deny") for found in rule(call, site))
    ):
        yield ruling("delete-remote")
    if call.verb in _BRINGS and not run.remote:
        from guildmoot.guard.rules.brought import checked_out

        yield from checked_out(call.verb, call.words, call.repository, run, site)


_BRINGS = names(
    "apply am checkout switch merge rebase cherry-pick reset restore stash read-tree pull"
)


def _alias(call: GitCall, run: Invocation, site: Site) -> Iterator[Decision]:
    """A name that the repository or the user gave to something else."""
    given = [each.partition(".")[2] for each in call.settings if each.lower().startswith("alias.")]
    texts = ["[alias]\n" + "\n".join(given)]
    texts += [site.read(f"{call.repository}/.git/config"), site.read(f"{site.home}/.gitconfig")]
    for text in texts:
        rows = text.partition("[alias]")[2].partition("\n[")[0].split("\n")
        for row in rows:
            name, equals, value = row.partition("=")
            if not equals or name.strip() != call.verb:
                continue
            value = value.strip().strip('"')
            if value.startswith("!"):
                from guildmoot.guard.commands.policy import judgements
                from guildmoot.guard.commands.shell import understand

                yield from judgements(understand(value[1:], site, run.cwd), site, 3)
            elif value.split()[:1] != [call.verb]:
                words = run.words[: len(run.words) - len(call.words) - 1]
                yield from git(run.like([*words, *value.split(), *call.words]), site)
            return


def _add(call: GitCall, site: Site) -> Iterator[Decision]:
    for path in call.options().operands:
        if secret_level(absolute(path, call.repository), site) == "secrets":
            yield ruling("send-file", path)


def _moves(call: GitCall, _site: Site) -> Iterator[Decision]:
    """symbolic-ref -d, fetch +main:main: a branch is set anew or gone."""
    found = call.options()
    forced = found.has("-f", "--force") or any(ref.startswith("+") for ref in found.operands)
    local = [ref.rpartition(":")[2] for ref in found.operands if ":" in ref and "/" not in ref]
    if (call.verb == "symbolic-ref" and found.has("-d", "--delete")) or (
        call.verb == "fetch" and forced and local
    ):
        yield ruling("branch-loss")
    elif call.verb == "send-pack" and (forced or found.has("--mirror")):
        yield ruling("rewrite-shared")


def _clone(call: GitCall, _site: Site) -> Iterator[Decision]:
    if any(word.startswith("ext::") for word in call.words):
        yield ruling("git-runs")


def _reset(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.options().has("--hard", "--merge"):
        yield from call.discard()


def _clean(call: GitCall, site: Site) -> Iterator[Decision]:
    found = call.options("-e", "--exclude")
    forced = found.has("-f", "--force") or any(ANY in option for option in found.options)
    if found.has("-n", "--dry-run") or not forced or (call.clean and not found.has("-x", "-X")):
        return
    decision = ruling("discard-untracked", folders=(call.repository,), then="ask")
    if found.has("-x", "-X"):
        decision.paths = (call.repository,)
        yield from _ignored_guard(call, site)
    yield decision


def _ignored_guard(call: GitCall, site: Site) -> Iterator[Decision]:
    """Git ignores the settings by which this session is guarded, and this takes ignored files away."""
    words = call.words
    left_out = {
        words[at + 1].strip("/")
        for at, word in enumerate(words[:-1])
        if word.startswith("-") and word.endswith(("e", "--exclude")) and word != "--force"
    }
    for path in site.guarded:
        folder = path.removeprefix(call.repository).strip("/").partition("/")[0]
        if inside(path, call.repository) and folder not in left_out:
            decision = ruling("guard-files", path)
            decision.instead = f"Leave it out: git clean -fdx -e {folder}"
            yield decision


def _checkout(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options("-b", "-B", "--orphan", "-c", "-C", "-s", "--source")
    if _is_shared(found.options.get("-B") or found.options.get("-C") or ""):
        yield ruling("branch-moved")
    forced = found.has("-f", "--force", "--discard-changes")
    if found.has("--ours", "--theirs"):
        yield from call.discard("discard-inside")
    elif forced or any(path in _EVERYTHING for path in found.operands):
        yield from call.discard()
    elif (
        found.has("--pathspec-from-file")
        or "--" in call.words
        or (found.operands and _looks_like_file(found.operands[-1], found))
    ):
        yield from call.discard("discard-inside")


def _looks_like_file(word: str, found: Arguments) -> bool:
    """``git checkout src/app.py`` without the dashes."""
    if found.has("-b", "-B", "--orphan", "-c", "-C", "-t", "--track", "--detach"):
        return False
    name = word.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    known = bool(dot and stem and ending.isalpha() and len(ending) < 6)
    return known or STAR in word or word == ANY  # $(git ls-files -m)


def _restore(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options("-s", "--source", "--pathspec-from-file")
    if found.has("--staged", "-S") and not found.has("--worktree", "-W"):
        return
    whole = any(path in _EVERYTHING for path in found.operands)
    yield from call.discard("discard-all" if whole else "discard-inside")


def _rm(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options()
    if found.has("--cached", "-n", "--dry-run"):
        return
    if any(path in _EVERYTHING for path in found.operands):
        yield ruling("discard-all", folders=(call.repository,), then="ask")
    elif found.has("-f", "--force"):
        yield ruling("discard-inside", folders=(call.repository,))


def _stash(call: GitCall, site: Site) -> Iterator[Decision]:
    verb = "".join(call.words[:1])
    if call.options("-m", "--message").has("-a", "--all"):
        yield from _ignored_guard(call, site)
    if verb in ("clear", "drop"):
        yield ruling(f"stash-{verb}", folders=(call.repository,))


def _push(call: GitCall, site: Site) -> Iterator[Decision]:
    found = call.options("-o", "--push-option", "--repo", "--receive-pack")
    refs = found.operands[1:]
    targets = [ref.removeprefix("+").rpartition(":")[2] for ref in refs]
    deletes = found.has("-d", "--delete") or any(ref.startswith(":") for ref in refs)
    unknown = any(ANY in option for option in found.options)
    forced = found.has("-f", "--force") or unknown or any(ref.startswith("+") for ref in refs)
    lease = found.has("--force-with-lease", "--force-if-includes")
    shared = any(_is_shared(target) for target in targets) or (
        not targets and _is_shared(site.branch)
    )
    if found.has("--dry-run", "-n"):
        return
    if (
        found.has("--mirror", "--prune")
        or (found.has("--all", "--branches") and forced)
        or (shared and (forced or deletes or (lease and targets)))
    ):
        yield ruling("rewrite-shared")
    elif deletes:
        yield ruling("delete-remote-branch")
    elif forced or lease:
        yield ruling("force-push")
    if found.has("--no-verify"):
        yield ruling("skips-hooks")
    remote = "".join(found.operands[:1])
    if "://" in remote or ("@" in remote and ":" in remote):
        yield ruling("push-elsewhere", remote)


def _is_shared(branch: str) -> bool:
    low = branch.lower().removeprefix("refs/heads/")
    return low in _SHARED or low.startswith(("release/", "release-", "hotfix/"))


def _commit(call: GitCall, _site: Site) -> Iterator[Decision]:
    valued = (
        "-m",
        "-F",
        "-C",
        "-c",
        "--author",
        "--date",
        "-t",
        "--message",
        "--file",
        "--fixup",
        "--squash",
    )
    if call.options(*valued).has("--no-verify", "-n"):
        yield ruling("skips-hooks")


def _branch(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options("-u", "--set-upstream-to", "--sort", "--format", "--contains", "--merged")
    if found.has("-f", "--force", "-M", "-C") and not found.has("-d", "--delete"):
        yield ruling("branch-moved")
    if found.has("-D") or (found.has("-d", "--delete") and found.has("-f", "--force")):
        yield ruling(
            "branch-main" if any(_is_shared(name) for name in found.operands) else "branch-loss"
        )


def _history(_call: GitCall, _site: Site) -> Iterator[Decision]:
    yield ruling("rewrite-history")


def _reflog(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.words[:1] in (["expire"], ["delete"]):
        yield ruling("history-loss")


def _gc(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options()
    now = found.options.get("--prune", "") in ("now", "all") and found.has("--prune")
    if now or (call.verb == "prune" and not found.has("-n", "--dry-run")):
        yield ruling("history-loss")


def _update_ref(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.options().has("-d", "--delete", "--stdin"):
        yield ruling("branch-loss")


def _worktree(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.words[:1] == ["remove"] and call.options().has("-f", "--force"):
        yield ruling("worktree-loss")


def _lfs(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.words[:1] == ["prune"] and not call.options().has("--dry-run", "-d"):
        yield ruling("destroys", "git lfs")


def _index(call: GitCall, _site: Site) -> Iterator[Decision]:
    """read-tree, checkout-index: the plumbing under reset and checkout."""
    found = call.options()
    if (found.has("-u") and found.has("--reset")) or (found.has("-f") and found.has("-a")):
        yield from call.discard()


def _submodule(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options()
    if found.operands[:1] == ["deinit"] and found.has("-f", "--force"):
        yield from call.discard()


def _config(call: GitCall, _site: Site) -> Iterator[Decision]:
    found = call.options("-f", "--file", "--type", "--default", "--get", "--get-all", "--blob")
    words = [word for word in found.operands if word not in ("set", "add")]
    reads = ("--get", "--get-all", "--list", "-l", "--unset", "--get-regexp", "--unset-all")
    if not found.has(*reads) and len(words) > 1 and words[0] not in ("unset", "get", "list"):
        yield from _setting(words[0], words[1])


_RUNS_LATER = names(
    """core.hookspath core.fsmonitor core.sshcommand core.pager core.editor core.askpass credential.helper
    diff.external gpg.program include.path init.templatedir sequence.editor uploadpack.packobjectshook"""
)
_HARMLESS_VALUES = names(
    "cat less delta true : vim nano false store cache osxkeychain manager /dev/null"
)
_NO_HOOKS = names(
    "init clone fetch bundle status log diff show rev-parse ls-remote ls-files config"
)


def _setting(name: str, value: str, *, checks: bool = True) -> Iterator[Decision]:
    """A setting that names a program to run. ``checks``: hooks of the project would look at what is done."""
    low = name.lower()
    if low == "core.hookspath" and value == "/dev/null" and checks:
        yield ruling("skips-hooks")
    if low.startswith("remote.") and (value.startswith("+") or low.endswith(".mirror")):
        yield ruling("force-push", name)
    runs = low in _RUNS_LATER or low.endswith(
        (".textconv", ".clean", ".smudge", ".process", ".driver")
    )
    shell_alias = low.startswith("alias.") and value.startswith("!")
    harmless = value in _HARMLESS_VALUES or value in ("", "code --wait", "!gh auth git-credential")
    if shell_alias or (runs and not harmless):
        yield ruling("git-runs", name)


def _apply(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.options("-p", "--directory").has("-R", "--reverse"):
        yield from call.discard("discard-inside")


def _abort(call: GitCall, _site: Site) -> Iterator[Decision]:
    if call.options().has("--abort", "--quit", "--skip"):
        yield from call.discard("discard-inside")


_VERBS: dict[str, Callable[[GitCall, Site], Iterator[Decision]]] = {
    "reset": _reset, "clean": _clean, "checkout": _checkout, "switch": _checkout, "restore": _restore, "rm": _rm,
    "stash": _stash, "push": _push, "commit": _commit, "branch": _branch, "filter-branch": _history,
    "filter-repo": _history, "reflog": _reflog, "gc": _gc, "prune": _gc, "update-ref": _update_ref,
    "worktree": _worktree, "lfs": _lfs, "apply": _apply, "add": _add, "symbolic-ref": _moves, "fetch": _moves, "send-pack": _moves, "clone": _clone, "config": _config, "merge": _abort, "rebase": _abort, "cherry-pick": _abort,
    "am": _abort, "revert": _abort, "read-tree": _index, "checkout-index": _index, "submodule": _submodule,
}  # fmt: skip
RULES = {"git": (git,)}
