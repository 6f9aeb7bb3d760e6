"""What pre-mortems predicted, and how it came out: ``.agents/council/predictions.jsonl``.

A prediction is one line with an id of its own, ``pm-YYYYMMDD-NNN``; its score is a later line with the
same id. A run that is resumed keeps the ids that it gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.consensus.grouping import pair_notes
from guildmoot.guard.records import own_rows
from guildmoot.model.verdict import Issue
from guildmoot.runs.council_record import FOLDER
from guildmoot.system.files import Locked, append_rows, folder_inside
from guildmoot.text.note import Note

FILE = FOLDER / "predictions.jsonl"
_LOCK = ".predictions.lock"


class Prediction(NamedTuple):
    """One thing that was predicted."""

    id: str
    run_id: str
    issue: str
    """The id of the issue that predicts it."""
    plan: str
    foretold: str
    code: str = ""
    path: str = ""
    score: str = ""
    """``HIT`` or ``MISS``; empty while nobody has looked back."""
    scored_by: str = ""
    """The run that scored it."""


class PredictionScores(NamedTuple):
    """How predictions came out."""

    hits: tuple[tuple[Prediction, Issue], ...]
    misses: tuple[Prediction, ...]
    surprises: tuple[Issue, ...]
    """Found, though nobody had predicted it."""


def read_predictions(root: Path) -> tuple[Prediction, ...]:
    """All predictions, oldest first, each with its last score."""
    found: dict[str, Prediction] = {}
    for row in own_rows(root, FILE):
        plain = {k: v for k, v in (row or {}).items() if isinstance(v, str)}
        name = plain.get("id", "")
        if name in found:
            found[name] = found[name]._replace(
                score=plain.get("score", ""), scored_by=plain.get("scored_by", "")
            )
        elif name and {"run_id", "issue", "plan", "foretold"} <= plain.keys():
            found[name] = Prediction(**{k: v for k, v in plain.items() if k in Prediction._fields})
    return tuple(found.values())


def predict(root: Path, day: str, predictions: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """Put the predictions of one run on file and return them with their ids, in the given order."""
    folder = folder_inside(root, FOLDER)
    with Locked(folder / _LOCK):
        kept = read_predictions(root)
        known = {(each.run_id, each.issue): each for each in kept}
        prefix = f"pm-{day.replace('-', '')}-"
        last = max((_number(each.id, prefix) for each in kept), default=0)
        new = [each for each in predictions if (each.run_id, each.issue) not in known]
        numbered = [
            each._replace(id=f"{prefix}{number:03d}") for number, each in enumerate(new, last + 1)
        ]
        append_rows(folder / FILE.name, list(map(_row, numbered)))
    known |= {(each.run_id, each.issue): each for each in numbered}
    return tuple(known[each.run_id, each.issue] for each in predictions)


def score(root: Path, scores: Sequence[tuple[str, str]], run_id: str) -> None:
    """Put down how predictions came out: id, and HIT or MISS."""
    folder = folder_inside(root, FOLDER)
    with Locked(folder / _LOCK):
        rows = [{"id": name, "score": word, "scored_by": run_id} for name, word in scores]
        append_rows(folder / FILE.name, rows)


def concerning(predictions: Sequence[Prediction], plans: Sequence[str]) -> tuple[Prediction, ...]:
    """The predictions about these plans; without a plan that has any, all of them."""
    about = tuple(each for each in predictions if each.plan in plans)
    return about or tuple(predictions)


def score_predictions(
    predictions: Sequence[Prediction], issues: Sequence[Issue]
) -> PredictionScores:
    """Which came true, by what they say: a plan and the work it led to share no places."""
    found = [issue.representative for issue in issues]
    pairs = pair_notes(
        [Note(title=each.foretold) for each in predictions],
        [Note(title=each.title, detail=each.why) for each in found],
    )
    hits = tuple((predictions[old], issues[new]) for new, old in sorted(pairs.items()))
    hit = {each.id for each, _ in hits}
    return PredictionScores(
        hits,
        tuple(each for each in predictions if each.id not in hit),
        tuple(issue for number, issue in enumerate(issues) if number not in pairs),
    )


def _row(each: Prediction) -> dict[str, str]:
    return {k: v for k, v in each._asdict().items() if k not in ("score", "scored_by")}


def _number(name: str, prefix: str) -> int:
    rest = name.removeprefix(prefix)
    return int(rest) if name.startswith(prefix) and rest.isdecimal() else 0
