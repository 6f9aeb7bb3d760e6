"""What a review fills in where the user said nothing. Pure; what was guessed is said in notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from guildmoot.config import FLAG, Config
from guildmoot.errors import GuildmootError, TargetError
from guildmoot.practices.council.request import CouncilOptions
from guildmoot.practices.repository import RecentChange, RepositoryView, is_plan
from guildmoot.practices.reviews.checks import is_test

_LEAST = 4
"""Letters of a name that say something."""


class ReviewDefaults(NamedTuple):
    """A request with its gaps filled; empty where the user's own words stand."""

    options: CouncilOptions
    spec: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """From the root: what is judged of the change where that is not all of it."""
    left: tuple[str, ...] = ()
    """What changed but is not judged."""
    target: str = ""
    notes: tuple[str, ...] = ()


def is_sized(options: CouncilOptions, config: Config) -> bool:
    """Whether the user said how many judges are to look, or from which perspectives."""
    named = options.preset or options.perspectives or options.perspectives_file
    return bool(named or options.quick or config.given("council.judges", FLAG))


def is_named(options: CouncilOptions) -> bool:
    """Whether the user said what is judged."""
    return bool(options.words) or options.diff is not None or options.staged


def fill_change(
    options: CouncilOptions,
    spec: tuple[str, ...],
    repository: RepositoryView,
    unnamed: Callable[[], RecentChange],
) -> ReviewDefaults:
    """The change as named, else ``unnamed`` (TargetError: nothing changed); and the spec it is judged by."""
    recent = None if is_named(options) else unnamed()
    newest, notes = repository.newest_plan(), list[str]()
    if not spec and newest and not is_test(newest):
        changed = _paths(options, recent, repository)
        if is_about(newest, changed, repository):
            spec = (newest,)
            notes.append(
                f"spec: none was named; {newest} is the newest plan and speaks of the change"
            )
    if recent is None:
        options = options._replace(words=("validate", *options.words))
        return ReviewDefaults(options, spec, notes=tuple(notes))
    if not recent.paths and not recent.gone:
        raise TargetError(
            f"Nothing changed: {recent.title}.", "Name what is to be judged, e.g. a folder."
        )
    notes.insert(0, f"target: nothing was named; judged: {recent.title}")
    words = ("validate", "recent") if recent.diff is None else ("validate",)
    return ReviewDefaults(
        options._replace(words=words, diff=recent.diff),
        spec,
        paths=(*recent.paths, *recent.gone) if recent.diff is not None and recent.left else (),
        left=recent.left if recent.diff is not None else (),
        target=recent.title,
        notes=tuple(notes),
    )


def _paths(
    options: CouncilOptions, recent: RecentChange | None, repository: RepositoryView
) -> tuple[str, ...]:
    """What is judged, as far as it is known before the change is read."""
    if recent is None and options.words:
        return options.words
    try:
        change = recent or repository.recent_change()
    except GuildmootError:
        return ()
    return (*change.paths, *change.left, *change.gone)


def is_about(plan: str, paths: Sequence[str], repository: RepositoryView) -> bool:
    """Whether a plan is part of the change, or names one of its files; any other may be of another work."""
    if plan in paths:
        return True
    try:
        text = repository.read(plan)
    except (OSError, ValueError):
        return False
    names = {path.rstrip("/").rpartition("/")[2] for path in paths if not is_plan(path)}
    return any(path in text for path in (*paths, *names) if len(path) >= _LEAST)


def with_preset(found: ReviewDefaults, preset: str) -> ReviewDefaults:
    """The perspectives of a preset, unless another one was named."""
    options = found.options
    return found._replace(options=options._replace(preset=options.preset or preset))
