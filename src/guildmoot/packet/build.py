"""From a request to a packet: find what is meant, collect it, and let ``egress`` release it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.guard.egress import admit
from guildmoot.guard.secrets import mask
from guildmoot.model.packet import Omission, Packet
from guildmoot.packet.change_draft import draft_change, nothing_left
from guildmoot.packet.changes import change_of
from guildmoot.packet.collect import ByteBudget, collect
from guildmoot.packet.contents import Refusal, decode
from guildmoot.packet.egress import Draft, release
from guildmoot.packet.request import REASONS, RECENT, STDIN, PacketRequest
from guildmoot.packet.sections import make_sections
from guildmoot.packet.targets import Pick, Rule, make_rules, pick
from guildmoot.packet.workspace import Workspace, describe, is_foreign, is_own, open_workspace
from guildmoot.system.git import Git, GitError, find_root


def build_packet(request: PacketRequest) -> Packet:
    """Collect what the request names; TargetError when nothing is there or nothing may be shown."""
    _check(request)
    if request.targets == (STDIN,):
        return release(_draft_stdin(request))
    if _is_question(request):
        return release(_draft_question(request))
    root = find_root(request.cwd)
    try:
        return release(_draft(request, root))
    except GitError as error:
        raise InfrastructureError(
            f"git failed in {root}: {error}.", "See whether `git status` works there."
        ) from error


def _check(request: PacketRequest) -> None:
    has_diff = request.diff is not None or request.staged or request.branch
    if request.diff is not None and request.staged:
        raise UsageError("--diff and --staged were both given.", "Choose one of them.")
    if has_diff and (STDIN in request.targets or request.targets == (RECENT,)):
        raise UsageError(
            f"The target {request.targets[0]!r} cannot be combined with --diff or --staged.",
            "Choose one of them.",
        )
    if not request.targets and not has_diff and not request.question.strip():
        raise TargetError("Nothing was named to be judged.", "Name files or a folder, such as `.`.")
    if request.recent < 1:
        raise UsageError(f"{request.recent} commits cannot be judged.", "Ask for one or more.")


def _draft(request: PacketRequest, root: Path) -> Draft:
    git = Git(root)
    change = change_of(git, request)
    work = open_workspace(git, request, whole=change is None)
    if change is None:
        return _draft_tree(request, work)
    words = () if request.targets == (RECENT,) else request.targets
    return draft_change(request._replace(targets=words), work, change)


def _draft_tree(request: PacketRequest, work: Workspace) -> Draft:
    """Whole files of the working tree, as they lie there now."""
    words = [word for word in request.targets if word != STDIN]
    rules = make_rules(words, request.cwd, work.root, work.listing.all)
    picked = pick(work.listing.all, rules) if rules else {}
    refused = _refuse_rules(rules, work, picked)
    # A file that git ignores is judged when it is named itself.
    for rule in rules:
        if rule.is_file and rule.base not in picked and rule.base not in refused:
            picked[rule.base] = Pick(named=True, base=rule.base)
    own = [path for path, each in picked.items() if is_own(path, each.base)]
    for path in own:
        del picked[path]
    budget = ByteBudget(request.max_bytes)
    files, omitted = collect(picked, work.tree, work.known, budget, weights=request.weights)
    # Silence about what was meant, is there and did not fit is no approval.
    omitted = [
        item._replace(unseen_by="everybody") if item.reason == "over-budget" else item
        for item in omitted
    ]
    omitted += [*refused.values(), *(Omission(path, "own-record") for path in own)]
    if STDIN in request.targets:
        files.append(_stdin_file(request, taken={path for path, _ in files}))
    if not files:
        raise nothing_left(describe(rules), omitted)
    target = describe(rules)
    return Draft(
        root=str(work.root),
        target=f"{target}, standard input" if STDIN in request.targets else target,
        files=files,
        sections=make_sections(request, work.root),
        omitted=omitted,
        checkout=STDIN not in request.targets,
    )


def _refuse_rules(
    rules: Sequence[Rule], work: Workspace, picked: Collection[str]
) -> dict[str, Omission]:
    """What was named but has nothing to judge: parts of other repositories, empty folders."""
    refused: dict[str, Omission] = {}
    for rule in rules:
        if is_foreign(work.root, rule.base):
            refused[rule.base] = Omission(rule.base, "submodule")
        elif not rule.is_file and not _covers_any(rule, picked):
            if rule.pattern:
                raise TargetError(
                    f"No file matches {rule.word!r}.", "Files that git ignores are not looked at."
                )
            refused[rule.base] = Omission(rule.base or ".", "empty")
    return refused


def _covers_any(rule: Rule, paths: Iterable[str]) -> bool:
    return any(rule.covers(path) for path in paths)


def _draft_stdin(request: PacketRequest) -> Draft:
    """Standard input alone, which needs no repository."""
    draft = _draft_question(request)
    return draft._replace(target="standard input", files=[_stdin_file(request, taken=())])


def _is_question(request: PacketRequest) -> bool:
    change = request.diff is not None or request.staged or request.branch
    return not request.targets and not change


def _draft_question(request: PacketRequest) -> Draft:
    """A question and the texts beside it, without a file; it needs no repository either."""
    try:
        root = find_root(request.cwd)
    except TargetError:
        root = Path(os.path.realpath(request.cwd))
    # Masked while its lines are lines, for a secret may be spread over them.
    target = " ".join(mask(request.question, "")[0].split())
    return Draft(str(root), target, files=request.texts, sections=make_sections(request, root))


def _stdin_file(request: PacketRequest, taken: Collection[str]) -> tuple[str, str]:
    data = request.stdin
    if not data:
        raise TargetError(
            "Standard input is empty, so there is nothing to judge.", "Pipe a text into it."
        )
    limit = min(request.max_bytes, request.max_file_bytes)
    found = decode(data) if len(data) <= limit else Refusal("too-large", f"{len(data)} bytes")
    if isinstance(found, Refusal):
        raise TargetError(
            f"Standard input cannot be judged: {found.detail or REASONS[found.reason]}.",
            f"Pass text of at most {limit} bytes.",
        )
    name = _stdin_name(request.stdin_name)
    while name in taken:
        name += "_"
    return name, found.text


def _stdin_name(given: str) -> str:
    """What the text is called; its ending tells which judges know it."""
    name = given.replace("\\", "/").strip("/") or "stdin"
    if ".." in name.split("/") or admit(name):
        raise TargetError(f"Standard input cannot be called {given!r}.", "Name it as a plain file.")
    return name
