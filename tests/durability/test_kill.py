"""A run that is killed before or after any change it makes on disk goes on as if nothing had been.

Where to kill is found, not guessed: one undisturbed run is stopped before each of its changes and its
records are copied. A kill leaves the files as they are, so two changes between which the copies tell
the same (the ledger as SQLite recovers it, every finished file, every call made) leave the same to
resume from. The real SIGKILL then strikes before and after each change that makes a difference, and
once more where an agent was asked between two changes; GUILD_KILL_EVERYWHERE=1 strikes at all others
too.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from itertools import pairwise

import pytest

from durability.harness import KILL_AFTER, KILL_BEFORE, Bench, Fault, Place
from durability.practices import COUNCIL, PANEL, WHITEBOARD, Practice, Template, go_on
from durability.survey import Survey, plain, survey

EVERYWHERE = bool(os.environ.get("GUILD_KILL_EVERYWHERE"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "practice", [PANEL, COUNCIL, WHITEBOARD], ids=lambda practice: practice.name
)
def test_a_killed_run_goes_on_asks_only_what_is_missing_and_ends_the_same(bench, yard, practice):
    template = Template(practice, yard)
    bench.learn(template.place, *practice.argv)
    whole = template.place()
    ended, changes = bench.changes(whole, *practice.argv, copies=True)
    moments = [survey(whole.copies / str(each.number), whole.root) for each in changes]
    moments.append(survey(whole.folder, whole.root))
    assert sum(each.in_ledger for each in changes) > 50
    places = Counter((call.seat, call.round, call.attempt) for call in moments[-1].calls)
    assert set(places.values()) == {1}, "a run of another version is gone on with by place"
    seen: set[Survey] = set()

    def strike(fault: Fault) -> None:
        place = template.place()
        assert bench.run(place, *practice.argv, fault=fault).code == -signal.SIGKILL
        left = survey(place.folder, place.root)
        if left not in seen:
            seen.add(left)
            _check(bench, place, practice, left, moments[-1], plain(ended.out, whole.root))

    bench.each(strike, _faults(moments))
    assert len(seen) > len(practice.argv)


def _faults(moments: list[Survey]) -> list[Fault]:
    """Where a kill can make a difference: changes are numbered from 1, moments from 0."""
    found = {}
    for before, (one, other) in enumerate(pairwise(moments)):
        if one != other or EVERYWHERE:
            found[Fault(KILL_BEFORE, before + 1)] = found[Fault(KILL_AFTER, before + 1)] = None
            if one.asked != other.asked and before + 2 < len(moments):
                found[Fault(KILL_BEFORE, before + 2)] = None
    return list(found)


def _check(
    bench: Bench, place: Place, practice: Practice, left: Survey, whole: Survey, said: str
) -> None:
    """Go on from what a kill left, and hold it against the run that nobody killed."""
    before = Counter({name: len(calls) for name, calls in left.asked})
    ended = go_on(bench, place, practice.argv)
    after = survey(place.folder, place.root)
    assert plain(ended.out, place.root) == said, ended.err
    assert after.result == whole.result
    made = Counter({name: len(calls) for name, calls in after.asked})
    made.subtract(before)
    missing = Counter(whole.answered)
    missing.subtract(left.answered)
    for seat, count in missing.items():
        assert made.pop(practice.agents.get(seat, seat), 0) == count, seat
    assert not made.total(), "what is finished is not asked again, what is not is asked once"
