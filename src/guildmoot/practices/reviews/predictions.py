"""What pre-mortems predicted, set beside what was found later: HIT, MISS or SURPRISE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.consensus.grouping import pair_notes
from guildmoot.memory.predictions import Prediction
from guildmoot.model.verdict import Issue
from guildmoot.practices.reviews.checks import ReportTable
from guildmoot.text.clean import one_line
from guildmoot.text.note import Note


class Scores(NamedTuple):
    """How predictions came out."""

    hits: tuple[tuple[Prediction, Issue], ...]
    misses: tuple[Prediction, ...]
    surprises: tuple[Issue, ...]
    """Found, though nobody had predicted it."""


def concerning(predictions: Sequence[Prediction], plans: Sequence[str]) -> tuple[Prediction, ...]:
    """The predictions about these plans; without a plan that has any, all of them."""
    about = tuple(each for each in predictions if each.plan in plans)
    return about or tuple(predictions)


def score_predictions(predictions: Sequence[Prediction], issues: Sequence[Issue]) -> Scores:
    """Which came true, by what they say: a plan and the work it led to share no places."""
    found = [issue.representative for issue in issues]
    pairs = pair_notes(
        [Note(title=each.foretold) for each in predictions],
        [Note(title=each.title, detail=each.why) for each in found],
    )
    hits = tuple((predictions[old], issues[new]) for new, old in sorted(pairs.items()))
    hit = {each.id for each, _ in hits}
    return Scores(
        hits,
        tuple(each for each in predictions if each.id not in hit),
        tuple(issue for number, issue in enumerate(issues) if number not in pairs),
    )


def accuracy_table(scores: Scores) -> ReportTable:
    """As a post-mortem shows it."""
    rows = [
        *((p.id, "HIT", p.foretold, one_line(i.representative.title)) for p, i in scores.hits),
        *((p.id, "MISS", p.foretold, "-") for p in scores.misses),
        *(("-", "SURPRISE", "-", one_line(i.representative.title)) for i in scores.surprises),
    ]
    return ("Prediction accuracy", ("Id", "Score", "Foretold", "Found"), tuple(rows))
