"""What a person may let stand by their word: a criterion that nobody showed, a follow-up that blocks. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guildmoot.errors import UsageError
from guildmoot.lifecycle.proof.claims import LaneClaim
from guildmoot.lifecycle.proof.verify import DISPUTE, TESTS
from guildmoot.lifecycle.spec import Spec
from guildmoot.text.patterns import lazy

_CRITERION = lazy(r"(?i)criterion\s*(\d+)")


def meant_item(
    item: str,
    spec: Spec,
    claims: Sequence[LaneClaim],
    challenged: Mapping[str, Sequence[str]],
    disputed: Sequence[str] = (),
) -> tuple[str, ...]:
    """The criterion of that number, the tests that a run changed, what a lane or a challenge left open, or what holds
    the words; or UsageError."""
    if item.strip().casefold() == TESTS:
        return (TESTS,)
    if disputed and item.strip().casefold() == DISPUTE:
        return tuple(disputed)
    criteria = [" ".join(line.text.split()) for line in spec.criteria]
    blocking = {
        c.lane.task: [
            " ".join(each.split()) for each in (*c.blocking, *challenged.get(c.lane.task, ()))
        ]
        for c in claims
    }
    found = _CRITERION.fullmatch(item.strip())
    if found and 0 < int(found[1]) <= len(criteria):
        return (criteria[int(found[1]) - 1],)
    if blocking.get(item):
        return tuple(blocking[item])
    known = [*criteria, *(each for texts in blocking.values() for each in texts)]
    near = [each for each in known if item.casefold() in each.casefold()] if item.strip() else []
    if len(near) == 1:
        return (near[0],)
    names = [f"'criterion {n}' ({text[:60]})" for n, text in enumerate(criteria, 1)]
    names += [f"'{TESTS}' (what the run changed in them)"]
    names += [f"'{DISPUTE}' ({disputed[0][:60]})"] if disputed else []
    names += [f"{task} ({texts[0][:60]})" for task, texts in blocking.items() if texts]
    problem = f"{len(near)} things hold {item!r}" if near else f"nothing is called {item!r}"
    raise UsageError(f"{problem}.", f"There are: {'; '.join(names)}.")
