"""From which perspectives the judges look: flags first, then the preset, then the project's own choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    reviewers = repository.reviewers
    chosen_here = reviewers.plan_reviewers if about_plan else reviewers.reviewers
    if options.perspectives or options.perspectives_file:
        chosen = _from_flags(options, presets, repository)
    elif task == "debate" and experts:
        chosen = ChosenPerspectives(_named(experts, presets, "the experts"))
        chosen = chosen._replace(source="the words of the request")
    elif options.preset:
        chosen = _from_preset(options.preset, presets, reviewers)
    elif task == "validate" and chosen_here and not options.quick:
        named = _named(chosen_here, presets, reviewers.source)
        note = f"{reviewers.source} of this repository chose the perspectives"
        chosen = ChosenPerspectives(named, source=reviewers.source, notes=(note,))
        chosen = _without_skipped(chosen, reviewers)
    elif task == "debate" and "duel" in presets:
        own = from_project(presets, "duel")
        source = presets["duel"].source if own else "built in"
        chosen = ChosenPerspectives(presets["duel"].perspectives, "duel", source)
    else:
        chosen = ChosenPerspectives()
    added = _named(options.add_perspective, presets, "--add-perspective")
    chosen = chosen._replace(perspectives=_once((*chosen.perspectives, *added)))
    number = len(chosen.perspectives)
    if task == "debate" and not FEWEST_EXPERTS <= number <= MOST_EXPERTS:
        raise UsageError(
            f"a duel is between {FEWEST_EXPERTS} and {MOST_EXPERTS} experts, not {number}",
            'Name them: --perspectives="first expert,second expert".',
        )
    return chosen._replace(notes=(*_own(chosen, presets), *chosen.notes))


def _from_flags(
    options: CouncilOptions, presets: Mapping[str, Preset], repository: RepositoryView
) -> ChosenPerspectives:
    filed = _filed(options.perspectives_file, repository) if options.perspectives_file else ()
    by_file = {each.name.casefold(): each for each in filed}
    named = _named(options.perspectives, presets, "--perspectives")
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


def _from_preset(
    name: str, presets: Mapping[str, Preset], reviewers: Reviewers
) -> ChosenPerspectives:
    name = one_of(name, (*presets, DEFAULT), "preset")
    if name == DEFAULT:
        return ChosenPerspectives(source="--preset=default")
    found = ChosenPerspectives(presets[name].perspectives, name, f"--preset={name}")
    return _without_skipped(found, reviewers)


def _own(chosen: ChosenPerspectives, presets: Mapping[str, Preset]) -> Iterator[str]:
    """Whose words the judges are given is said where they are the repository's."""
    own = {name: preset for name, preset in presets.items() if from_project(presets, name)}
    if chosen.preset in own:
        yield f"the preset {chosen.preset} is this repository's own: {own[chosen.preset].source}"
    sources = {
        perspective: preset.source
        for name, preset in own.items()
        if name != chosen.preset
        for perspective in preset.perspectives
    }
    for each in chosen.perspectives:
        if each in sources:
            yield f"the perspective {each.name} is this repository's own: {sources[each]}"


def _without_skipped(chosen: ChosenPerspectives, reviewers: Reviewers) -> ChosenPerspectives:
    skipped = {name.casefold() for name in reviewers.skip_reviewers}
    kept = tuple(each for each in chosen.perspectives if each.name.casefold() not in skipped)
    gone = ", ".join(each.name for each in chosen.perspectives if each not in kept)
    notes = (f"{reviewers.source} of this repository skips {gone}",) if gone else ()
    return chosen._replace(perspectives=kept, notes=(*chosen.notes, *notes))


def _named(
    names: Iterable[str], presets: Mapping[str, Preset], where: str
) -> tuple[Perspective, ...]:
    """The perspectives of those names in any preset, else ones that are nothing but their name."""
    every = [each for preset in presets.values() for each in preset.perspectives]
    known = {each.name.casefold(): each for each in reversed(every)}
    return _once(
        known.get(name.strip().casefold()) or Perspective(check_name(name.strip(), where))
        for name in names
    )


def _once(perspectives: Iterable[Perspective]) -> tuple[Perspective, ...]:
    """The first of each name."""
    found: dict[str, Perspective] = {}
    for perspective in perspectives:
        found.setdefault(perspective.name.casefold(), perspective)
    return tuple(found.values())
