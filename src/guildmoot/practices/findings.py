"""What happens to findings between reading and the verdict: grounding, and what a change brought."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from guildmoot.config import Config
from guildmoot.grounding.anchors import Texts, ground
from guildmoot.grounding.harm import excused
from guildmoot.grounding.lost_names import BY_FOLDER, elsewhere_pattern
from guildmoot.grounding.novelty import whole
from guildmoot.grounding.patches import PatchSandbox
from guildmoot.grounding.proofs import check_assertions, check_patch
from guildmoot.model.call import Call
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import UNREAL, Finding, Judgement
from guildmoot.named import NamedTuple
from guildmoot.packet import materialise
from guildmoot.practices.before import UNKNOWN, Earlier, Novelty, in_checkout
from guildmoot.reading.known_paths import KnownPaths, settle
from guildmoot.system.git import Git, GitError
from guildmoot.text.languages import language_of


class Trials(NamedTuple):
    """What findings may run to prove themselves; nothing, unless programs are allowed by name."""

    folder: Path | None = None
    allowed: Collection[str] = ()
    timeout: float = 30.0


NO_TRIALS = Trials()


@contextmanager
def open_trials(packet: Packet, config: Config) -> Iterator[Trials]:
    """The packet in a folder of its own for the programs that the user allows; else no trials."""
    allowed = config.strings("grounding.allow")
    if not allowed:
        yield NO_TRIALS
        return
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        folder, _ = materialise(packet, Path(scratch))
        yield Trials(folder, allowed, config.number("grounding.timeout"))


class CheckedFindings(NamedTuple):
    """The judgements with the findings that count, and those that were there before the change."""

    judgements: list[Judgement]
    existing: tuple[Finding, ...] = ()


def check_findings(
    judgements: Sequence[Judgement],
    calls: Sequence[Call],
    packet: Packet,
    trials: Trials = NO_TRIALS,
    earlier: Earlier = UNKNOWN,
) -> CheckedFindings:
    """Ground every finding; facts that are not of the seat's files, or were there before, are set aside."""
    shown = [file.path for file in packet.files]
    unshown = {*(each.path for each in packet.omitted), *(part.title for part in packet.sections)}
    texts = Texts(packet.files, unshown - {*shown})
    known = KnownPaths((*shown, *texts.unshown))
    by_seat = {call.seat.name: call for call in calls}
    change = Novelty(packet, known, earlier, partial(_declared_elsewhere, packet))
    checked, existing = list[Judgement](), list[Finding]()
    for judgement in judgements:
        call = by_seat.get(judgement.seat)
        said = [_settled(f, known, call) for f in judgement.findings]
        # A tool that runs on the whole folder also reports on files that its agent must not judge.
        foreign = {*shown} - {*(call.files if call else ())}
        own = [_placed(f, texts) for f in said if not (f.proven and f.path in foreign)]
        new, old = change.split(own, call)
        existing += old
        in_base = partial(_in_base, packet)
        kept = tuple(excused(new, texts.text, bool(packet.base), in_base, len(packet.files)))
        checked.append(_with(judgement, kept)._replace(gap=_gap(judgement, kept)))
    return CheckedFindings(_prove(checked, packet, trials), tuple(existing))


def _placed(finding: Finding, texts: Texts) -> Finding:
    """Grounded, and a grave fact with all of its lines."""
    return whole(ground(finding, texts), texts.text(finding.path))


def _in_base(packet: Packet, path: str) -> bool:
    """Whether the base of a change has that file or folder."""
    try:
        git = Git(Path(packet.root))
        return bool(git.names("ls-tree", "-z", packet.base, "--", path))
    except GitError:
        return False


def _declared_elsewhere(packet: Packet, path: str, name: str) -> bool:
    """Whether another file, of those that this one need not import, declares the name."""
    language = language_of(path).name
    pattern = elsewhere_pattern(language, name)
    if not pattern:
        return False
    tree = () if packet.checkout else (packet.base,)
    try:
        git = Git(Path(packet.root))
        found = git.names("grep", "-z", "-l", "-I", "-E", "-e", pattern, *tree, "--", ".")
    except GitError:  # also where nothing is found
        return False
    others = {each.rpartition(":")[2] for each in found} - {path}
    if language in BY_FOLDER:  # a package may lie in several folders of one name
        others = {each for each in others if _package(each) == _package(path)}
    return bool(others)


def _package(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]


def _settled(finding: Finding, known: KnownPaths, call: Call | None) -> Finding:
    """At a path of the packet; a tool in the checkout may mean a file that the packet does not hold."""
    if not finding.proven:
        return settle(finding, known)
    return finding if in_checkout(call) else finding._replace(path=known.known(finding.path))


def _gap(judgement: Judgement, checked: Sequence[Finding]) -> str:
    """Why an opinion that flagged blocks nothing: its places are not there, or it calls all advice."""
    said, seat = judgement.findings, judgement.seat
    if judgement.computed or any(finding.blocking for finding in checked):
        return ""
    lost = [finding for finding in checked if finding.grounding in UNREAL]
    if lost and any(finding.blocking for finding in said):
        place = f"{lost[0].path}:{lost[0].line}" if lost[0].line else lost[0].path
        why = lost[0].note.partition(", so it")[0]
        return f"what {seat} flagged could not be found in the work: {place} ({why})"
    flagged = judgement.outcome == "flagged"
    return f"{seat} flagged the work and calls all that it names advice" if flagged else ""


def _prove(judgements: list[Judgement], packet: Packet, trials: Trials) -> list[Judgement]:
    """Try what findings bring along: patches with git, assertions with the allowed programs."""
    brought = [f for judgement in judgements for f in judgement.findings if f.patch or f.assertions]
    if not brought:
        return judgements
    with PatchSandbox({file.path: file.text for file in packet.files}) as bench:
        return [
            judgement._replace(findings=tuple(_tried(f, bench, trials) for f in judgement.findings))
            for judgement in judgements
        ]


def _tried(finding: Finding, bench: PatchSandbox, trials: Trials) -> Finding:
    finding = check_patch(finding, bench)
    if not trials.folder:
        return finding
    return check_assertions(finding, trials.folder, trials.allowed, trials.timeout)


def _with(judgement: Judgement, kept: tuple[Finding, ...]) -> Judgement:
    """A seat whose every finding was set aside, and a tool that only advises, has nothing against the work."""
    harmless = judgement.computed and not any(finding.blocking for finding in kept)
    if judgement.outcome == "flagged" and judgement.findings and (harmless or not kept):
        return judgement._replace(findings=kept, outcome="approved")
    return judgement._replace(findings=kept)
