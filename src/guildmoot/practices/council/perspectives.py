"""From which perspectives the judges look: flags first, then the preset, then the project's own choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from guildmoot.agents.presets.loader import DEFAULT, Reviewers, from_project
from guildmoot.agents.presets.model import Perspective, Preset
from guildmoot.agents.presets.perspectives import check_name, read_perspectives
from guildmoot.errors import UsageError
from guildmoot.model.council import Task
from guildmoot.practices.council.options import CouncilOptions, one_of
from guildmoot.practices.repository import RepositoryView

FEWEST_EXPERTS, MOST_EXPERTS = 2, 4


class ChosenPerspectives(NamedTuple):
    """The perspectives that were chosen, in order; empty: judges without labels."""

    perspectives: tuple[Perspective, ...] = ()
    preset: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()


def choose_perspectives(
    options: CouncilOptions,
    task: Task,
    about_plan: bool,
    experts: tuple[str, ...],
    presets: Mapping[str, Preset],
    repository: RepositoryView,
) -> ChosenPerspectives:
    """The perspectives of one council; ``experts`` are those that the words call upon."""
    chosen = (
        _from_flags(options, presets, repository)
        or _from_words(experts, task, presets)
        or _from_preset(options.preset, presets, repository.reviewers)
        or _from_reviewers(options, task, about_plan, presets, repository.reviewers)
        or _from_task(task, presets)
    )
    added = [_known(name, presets, "--add-perspective") for name in options.add_perspective]
    chosen = chosen._replace(perspectives=_once((*chosen.perspectives, *added)))
    chosen = chosen._replace(notes=(*chosen.notes, *_own_perspectives(chosen, presets)))
    number = len(chosen.perspectives)
    if task == "debate" and not FEWEST_EXPERTS <= number <= MOST_EXPERTS:
        raise UsageError(
            f"a duel is between {FEWEST_EXPERTS} and {MOST_EXPERTS} experts, not {number}",
            'Name them: --perspectives="first expert,second expert".',
        )
    return chosen


def _from_flags(
    options: CouncilOptions, presets: Mapping[str, Preset], repository: RepositoryView
) -> ChosenPerspectives | None:
    if not options.perspectives and not options.perspectives_file:
        return None
    filed = _filed(options.perspectives_file, repository) if options.perspectives_file else ()
    named = [_known(name, presets, "--perspectives") for name in options.perspectives]
    by_file = {each.name.casefold(): each for each in filed}
    found = _once((*(by_file.get(each.name.casefold(), each) for each in named), *filed))
    notes = (f"--preset={options.preset} gives way to the perspectives that were named",)
    source = "--perspectives" if options.perspectives else "--perspectives-file"
    return ChosenPerspectives(found, source=source, notes=notes if options.preset else ())


def _filed(path: str, repository: RepositoryView) -> tuple[Perspective, ...]:
    try:
        return read_perspectives(repository.read(path), path)
    except OSError as wrong:
        raise UsageError(f"--perspectives-file {path}: {wrong.strerror}") from wrong
    except UnicodeDecodeError as wrong:
        raise UsageError(f"--perspectives-file {path}: it is not UTF-8 text") from wrong


def _from_words(
    experts: tuple[str, ...], task: Task, presets: Mapping[str, Preset]
) -> ChosenPerspectives | None:
    if task != "debate" or not experts:
        return None
    found = tuple(_known(name, presets, "the experts") for name in experts)
    return ChosenPerspectives(_once(found), source="the words of the request")


def _from_preset(
    name: str, presets: Mapping[str, Preset], reviewers: Reviewers
) -> ChosenPerspectives | None:
    if not name:
        return None
    name = one_of(name, (*presets, DEFAULT), "preset")
    if name == DEFAULT:
        return ChosenPerspectives(source="--preset=default")
    notes = _own_preset(name, presets)
    found = _without_skipped(presets[name].perspectives, reviewers)
    return found._replace(preset=name, source=f"--preset={name}", notes=(*notes, *found.notes))


def _from_reviewers(
    options: CouncilOptions,
    task: Task,
    about_plan: bool,
    presets: Mapping[str, Preset],
    reviewers: Reviewers,
) -> ChosenPerspectives | None:
    names = reviewers.plan_reviewers if about_plan else reviewers.reviewers
    if task != "validate" or options.quick or not names:
        return None
    found = _without_skipped([_known(name, presets, reviewers.source) for name in names], reviewers)
    note = f"{reviewers.source} of this repository chose the perspectives"
    return found._replace(source=reviewers.source, notes=(note, *found.notes))


def _from_task(task: Task, presets: Mapping[str, Preset]) -> ChosenPerspectives:
    if task != "debate" or "duel" not in presets:
        return ChosenPerspectives()
    notes = _own_preset("duel", presets)
    source = presets["duel"].source if notes else "built in"
    return ChosenPerspectives(presets["duel"].perspectives, "duel", source, notes)


def _own_preset(name: str, presets: Mapping[str, Preset]) -> tuple[str, ...]:
    """Whose words the judges are told is said where they are the repository's."""
    if not from_project(presets, name):
        return ()
    return (f"the preset {name} is this repository's own: {presets[name].source}",)


def _own_perspectives(chosen: ChosenPerspectives, presets: Mapping[str, Preset]) -> tuple[str, ...]:
    """The same for perspectives that were named one by one."""
    sources = {
        perspective: preset.source
        for name, preset in presets.items()
        if name != chosen.preset and from_project(presets, name)
        for perspective in preset.perspectives
    }
    return tuple(
        f"the perspective {each.name} is this repository's own: {sources[each]}"
        for each in chosen.perspectives
        if each in sources
    )


def _without_skipped(
    perspectives: Iterable[Perspective], reviewers: Reviewers
) -> ChosenPerspectives:
    skipped = {name.casefold() for name in reviewers.skip_reviewers}
    kept = tuple(each for each in perspectives if each.name.casefold() not in skipped)
    gone = [each.name for each in perspectives if each.name.casefold() in skipped]
    notes = (f"{reviewers.source} of this repository skips {', '.join(gone)}",) if gone else ()
    return ChosenPerspectives(kept, notes=notes)


def _known(name: str, presets: Mapping[str, Preset], where: str) -> Perspective:
    """The perspective of that name in any preset, else one that is nothing but its name."""
    key = name.strip().casefold()
    for preset in presets.values():
        for perspective in preset.perspectives:
            if perspective.name.casefold() == key:
                return perspective
    return Perspective(check_name(name.strip(), where))


def _once(perspectives: Iterable[Perspective]) -> tuple[Perspective, ...]:
    """The first of each name."""
    found: dict[str, Perspective] = {}
    for perspective in perspectives:
        found.setdefault(perspective.name.casefold(), perspective)
    return tuple(found.values())
