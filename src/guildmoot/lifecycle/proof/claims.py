"""What the receipts of a run say, lane by lane, and which files each lane may touch. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from guildmoot.lifecycle.deferral import deferred_actions
from guildmoot.lifecycle.documents import SourceDocument, without_fences
from guildmoot.lifecycle.named_places import EVERYWHERE, is_inside, places_of
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.packages import PackageChange
from guildmoot.lifecycle.receipt import claimed_files
from guildmoot.text.clean import clean
from guildmoot.text.patterns import lazy

_LABEL = lazy(r"(?im)^[ \t]*(opens_for|assumptions|evidence|followups):[ \t]*(\S.*)$")
_BLOCKING = lazy(
    r"(?i)^\W*(?:blocking|blocker|must fix|cannot proceed)\b|\[blocking\]|\(blocking\)"
)
_NOTHING = frozenset(("none", "nothing", "n/a", "-", "none.", "(none)", "no", ""))


class LaneClaim(NamedTuple):
    """What one lane handed over, beside what git shows of it."""

    lane: Lane
    receipt: str
    """Where its receipt lies."""
    files: tuple[str, ...]
    """What its commits change, by git."""
    evidence: tuple[str, ...]
    assumptions: tuple[str, ...]
    followups: tuple[str, ...]
    let_stand: tuple[str, ...] = ()
    """Follow-ups that a person let stand."""
    flagged: bool = False
    """Its receipt gives orders to a model."""
    unclaimed: tuple[str, ...] = ()
    """Those of its files that the receipt does not name."""
    weakened: tuple[str, ...] = ()
    """What it took away from the tests that judge it, and nobody agreed to."""
    agreed: tuple[str, ...] = ()
    """What somebody agreed to of that."""
    leaked: tuple[str, ...] = ()
    """Secrets that its commits add."""
    packages: Mapping[str, PackageChange] = {}
    """What it does to the packages that manifests name."""

    @property
    def blocking(self) -> tuple[str, ...]:
        """Without what the work cannot be called done, unless a person let it be: follow-ups that say so, tests that
        were made weaker, secrets in its commits."""
        said = (each for each in self.followups if _BLOCKING.search(each))
        left = (*said, *self.weakened, *self.leaked)
        return tuple(each for each in left if " ".join(each.split()) not in self.let_stand)


def read_claim(
    lane: Lane, document: SourceDocument, receipt: str, files: tuple[str, ...]
) -> LaneClaim:
    """The claims of a receipt, valid or not, in characters that can be seen."""
    evidence, assumptions, followups = (
        _said(document, name) for name in ("evidence", "assumptions", "followups")
    )
    left = (each.text for each in deferred_actions(document) if not isinstance(each, str))
    claimed = claimed_files(document)
    return LaneClaim(
        lane, receipt, files, evidence, assumptions, (*followups, *left),
        unclaimed=tuple(path for path in files if path not in claimed),
    )  # fmt: skip


def _said(document: SourceDocument, name: str) -> tuple[str, ...]:
    """The bullets of a section, the rows of the front matter, or the line behind a label."""
    section = document.section(name)
    found = [each.text for each in section.bullets()] if section else []
    if section and not found:
        outside, _ = without_fences(section.lines)
        found = ["\n".join(line.text for line in outside).strip()]
    rows = document.data.get(name)
    for row in rows if isinstance(rows, list) else ():
        words = [str(each) for each in row.values()] if isinstance(row, dict) else [str(row)]
        found.append(" ".join(words))
    if not found:
        found = [
            match[2] for match in _LABEL.finditer(document.body) if match[1].casefold() == name
        ]
    return tuple(clean(each) for each in found if each.strip().casefold() not in _NOTHING)


def scope_places(lane: Lane) -> list[str]:
    """What the scope of a lane names; of one that names nothing, or does all the work, what it may do without asking.

    A policy is mostly that of the whole work, the same for each lane: it widens no scope.
    """
    if EVERYWHERE in lane.scope:
        return []
    named = list(places_of(lane.scope, lane.tree))
    return [*named, *may_places(lane)] if lane.whole or not named else named


def beyond_scope(lane: Lane) -> tuple[str, ...]:
    """Places in which a policy lets a lane act, and that its scope does not name: it may not change them."""
    scope = scope_places(lane)
    return tuple(each for each in may_places(lane) if not any(is_inside(each, s) for s in scope))


def may_places(lane: Lane) -> list[str]:
    """What its policy lets a lane do without asking."""
    policy = [_said_of(each.text) for each in lane.policy if each.text.startswith("may act")]
    return [place for text in policy for place in places_of(text, lane.tree, policy=True)]


def out_of_scope(lane: Lane, files: tuple[str, ...]) -> tuple[str, ...]:
    """Files outside of the scope; none where no place is named."""
    places = scope_places(lane)
    return tuple(each for each in files if places and not any(is_inside(each, p) for p in places))


def forbidden_files(
    lane: Lane, files: tuple[str, ...], packages: Mapping[str, PackageChange]
) -> tuple[tuple[str, str], ...]:
    """Files that the lane's policy forbids, or wants a person's word for, each with the line that says so.

    ``packages`` says of manifests which packages they name otherwise than before.
    """
    found = []
    for line in (each.text for each in lane.policy if not each.text.startswith("may act")):
        places = places_of(_said_of(line), lane.tree, policy=True)
        of_packages = "dependenc" in line.casefold()
        found += [
            (each, line)
            for each in files
            if any(is_inside(each, place) for place in places)
            or (of_packages and packages.get(each, PackageChange()).is_meant(line))
        ]
    return tuple(found)


def _said_of(line: str) -> str:
    """What stands behind the label of a policy."""
    return line.partition(":")[2]
