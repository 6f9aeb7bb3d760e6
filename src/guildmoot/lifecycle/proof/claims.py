"""What the receipts of a run say, lane by lane, and which files each lane may touch. Pure."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from guildmoot.lifecycle.deferral import deferred_actions
from guildmoot.lifecycle.documents import SourceDocument, without_fences
from guildmoot.lifecycle.plan import Lane, places_of
from guildmoot.text.patterns import lazy

_LABEL = lazy(r"(?im)^[ \t]*(opens_for|assumptions|evidence|followups):[ \t]*(\S.*)$")
_BLOCKING = lazy(
    r"(?i)^\W*(?:blocking|blocker|must fix|cannot proceed)\b|\[blocking\]|\(blocking\)"
)
_NOTHING = frozenset(("none", "nothing", "n/a", "-", "none.", "(none)", "no", ""))
_MANIFESTS = ("pyproject.toml", "requirements*.txt", "package.json", "go.mod", "Cargo.toml", "Gemfile",
              "composer.json", "pom.xml", "build.gradle*", "*.csproj", "setup.py", "setup.cfg")  # fmt: skip


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

    @property
    def blocking(self) -> tuple[str, ...]:
        """Follow-ups that say themselves that the work cannot be called done without them."""
        return tuple(each for each in self.followups if _BLOCKING.search(each))


def read_claim(
    lane: Lane, document: SourceDocument, receipt: str, files: tuple[str, ...]
) -> LaneClaim:
    """The claims of a receipt, valid or not."""
    evidence, assumptions, followups = (
        _said(document, name) for name in ("evidence", "assumptions", "followups")
    )
    left = (each.text for each in deferred_actions(document) if not isinstance(each, str))
    return LaneClaim(lane, receipt, files, evidence, assumptions, (*followups, *left))


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
    return tuple(each for each in found if each.strip().casefold() not in _NOTHING)


def scope_places(lane: Lane) -> list[str]:
    """What the scope of a lane, and what it may do without asking, name."""
    policy = [line.text for line in lane.policy if line.text.startswith("may act")]
    return [place for text in (lane.scope, *policy) for place in places_of(text)]


def out_of_scope(lane: Lane, files: tuple[str, ...]) -> tuple[str, ...]:
    """Files that neither the scope nor what the lane may do without asking names; none where no place is named."""
    places = scope_places(lane)
    return tuple(each for each in files if places and not any(is_inside(each, p) for p in places))


def forbidden_files(lane: Lane, files: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Files that the lane's policy forbids, or wants a person's word for, each with the line that says so."""
    found = []
    for line in (each.text for each in lane.policy if not each.text.startswith("may act")):
        places = places_of(line.partition(":")[2])
        packages = "dependenc" in line
        found += [
            (each, line)
            for each in files
            if any(is_inside(each, place) for place in places)
            or (packages and any(fnmatchcase(each.rpartition("/")[2], m) for m in _MANIFESTS))
        ]
    return tuple(found)


def is_inside(path: str, place: str) -> bool:
    """Whether a path is a place that somebody named, or lies in it."""
    plain = place.removeprefix("./").rstrip("/")
    return path == plain or path.startswith(f"{plain}/") or fnmatchcase(path, plain)
