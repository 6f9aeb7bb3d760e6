"""What a brainstorm or a research comes to: as rows for a chair, and in sentences that a program can write."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import Ideas, Option, SummarySentence, Theme
from guildmoot.text.clean import count, one_line

_MOST_TOLD = 3
_LONGEST = 240


def idea_rows(ideas: Ideas) -> Iterator[dict[str, object]]:
    """Everything that was gathered, each with the id that a sentence may name."""
    for number, option in enumerate(ideas.options, 1):
        yield {
            "id": f"option-{number}",
            "option": option.title,
            "proposed_by": list(option.proposed_by),
            "is": option.summary[:600],
            "for": list(option.pros),
            "against": list(option.cons),
        }
    for number, theme in enumerate(ideas.themes, 1):
        points = [{"judge": who, "found": said} for who, said in theme.points]
        yield {"id": f"theme-{number}", "theme": theme.title, "findings": points}
    for number, (who, said) in enumerate(ideas.recommendations, 1):
        yield {"id": f"recommendation-{number}", "judge": who, "recommends": said[:1_000]}
    for number, (who, asked) in enumerate(ideas.questions, 1):
        yield {"id": f"question-{number}", "judge": who, "asks": asked[:600]}


def ideas_in_short(ideas: Ideas, judges: int) -> Iterator[SummarySentence]:
    """The options or themes that most judges name, what each judge recommends, and what is open."""
    options = sorted(enumerate(ideas.options, 1), key=lambda each: -len(each[1].proposed_by))
    if options:
        several = [number for number, each in options if len(each.proposed_by) > 1]
        lead = f"{count(len(options), 'option')} from {count(judges, 'judge')}"
        lead += f", {len(several)} of them proposed by more than one" if judges > 1 else ""
        told = options[:_MOST_TOLD]
        yield SummarySentence(f"{lead}.", tuple(f"option-{number}" for number, _ in told))
        for number, option in told:
            yield SummarySentence(_option(option, judges), (f"option-{number}",))
    themes = sorted(enumerate(ideas.themes, 1), key=lambda each: -len(_speakers(each[1])))
    if themes:
        first_ones = themes[:_MOST_TOLD]
        points = sum(len(theme.points) for theme in ideas.themes)
        lead = f"{count(points, 'finding')} under {count(len(themes), 'theme')}"
        ids = tuple(f"theme-{number}" for number, _ in first_ones)
        yield SummarySentence(f"{lead} from {count(judges, 'judge')}.", ids)
        for number, theme in first_ones:
            yield SummarySentence(_theme(theme, judges), (f"theme-{number}",))
    for number, (who, said) in enumerate(ideas.recommendations, 1):
        yield SummarySentence(_cut(f"{who} recommends: {said}"), (f"recommendation-{number}",))
    if ideas.questions:
        ids = tuple(f"question-{number}" for number in range(1, len(ideas.questions) + 1))
        first = ideas.questions[0][1]
        words = f"{count(len(ideas.questions), 'question')} left open, the first: {first}"
        yield SummarySentence(_cut(words), ids)


def _option(option: Option, judges: int) -> str:
    by = f" ({len(option.proposed_by)} of {judges} judges)" if judges > 1 else ""
    points = [("for", option.pros), ("against", option.cons)]
    sides = [f"{word}: {said[0].rstrip('.')}" for word, said in points if said]
    return _cut(f"{option.title.rstrip('.')}{by}{' — ' if sides else ''}{'; '.join(sides)}.")


def _theme(theme: Theme, judges: int) -> str:
    by = f" ({len(_speakers(theme))} of {judges} judges)" if judges > 1 else ""
    return _cut(f"{theme.title.rstrip('.')}{by}: {theme.points[0][1].rstrip('.')}.")


def _speakers(theme: Theme) -> set[str]:
    return {who for who, _ in theme.points}


def _cut(words: str) -> str:
    plain = one_line(words)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1].rstrip()}…"
