"""A change on disk that fails, whichever it is, ends in a message and exit code 4 or does no harm.

Every change of a run is made to fail in turn, with a full disk and with a missing permission, once and
with the disk staying full. An approval is given only with a whole record, the ledger stays sound, and
once the disk is well the run can be gone on with.
"""

from __future__ import annotations

import errno
import os
from itertools import groupby

import pytest

from durability.harness import FAIL_FROM, FAIL_ONCE, Bench, Change, Ended, Fault, Place
from durability.practices import APPROVED, COUNCIL, WHITEBOARD, Template, go_on
from durability.survey import Survey, plain, survey

EVERYWHERE = bool(os.environ.get("GUILD_KILL_EVERYWHERE"))
KINDS = {
    "disk full once": (FAIL_ONCE, errno.ENOSPC),
    "disk full from then on": (FAIL_FROM, errno.ENOSPC),
    "permission denied": (FAIL_ONCE, errno.EACCES),
}


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "error"), KINDS.values(), ids=KINDS)
def test_a_change_that_fails_is_told_and_never_approved_without_a_record(bench, yard, mode, error):
    template = Template(APPROVED, yard)
    bench.learn(template.place, *template.argv)
    whole = template.place()
    ended, changes = bench.changes(whole, *template.argv)
    assert ended.code == 0
    healthy = survey(whole.folder, whole.root)
    wrong: list[str] = []
    seen: set[tuple[Survey, str]] = set()

    def strike(number: int) -> None:
        place = template.place()
        ended = bench.run(place, *template.argv, fault=Fault(mode, number, error))
        left = survey(place.folder, place.root)  # which asks SQLite whether the ledger is sound
        try:
            _check(ended, left, healthy)
            if (left, plain(ended.out, place.root)) not in seen:
                seen.add((left, plain(ended.out, place.root)))
                _check_later(bench, place, left, healthy, template.argv)
        except AssertionError as failure:
            where = f"{number} {changes[number - 1].what} {changes[number - 1].path}"
            wrong.append(f"{where}: exit {ended.code}: {failure}\n{ended.out[-300:]}{ended.err}")

    bench.each(strike, _worth(changes))
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("practice", "codes"),
    [(COUNCIL, {2, 3, 4}), (WHITEBOARD, {0, 1, 4})],  # 2: what another judge found blocks
    ids=["council", "whiteboard"],
)
def test_no_judge_is_lost_to_a_full_disk_without_a_word(bench, yard, practice, codes):
    """Where a council goes on without an absent judge, the disk must not make one absent.

    Struck where it hurts: at each commit of the ledger, and at the parts that end the record.
    """
    template = Template(practice, yard)
    bench.learn(template.place, *template.argv)
    whole = template.place()
    good, changes = bench.changes(whole, *template.argv)
    asked = next(each.number for each in changes if each.path.endswith("request.json"))
    commits = [each for each in changes if asked < each.number and each.what == "fdatasync"]
    ends = [each for each in changes if each.path.endswith(("result.json", "state.json"))]

    def strike(change: Change) -> str:
        place = template.place()
        ended = bench.run(
            place, *template.argv, fault=Fault(FAIL_ONCE, change.number, errno.ENOSPC)
        )
        answered = survey(place.folder, place.root).answered
        wrong = ended.code not in codes or "internal error" in ended.out + ended.err
        lost = ended.code == good.code and answered != survey(whole.folder, whole.root).answered
        late = change in ends and ended.code == good.code
        return f"{change}: exit {ended.code}" if wrong or lost or late else ""

    struck = [*(each for each in commits if each.path.endswith("-wal")), *ends]
    assert not list(filter(None, bench.each(strike, struck)))


def _worth(changes: list[Change]) -> list[int]:
    """The first and the last of changes that do the same to the same file, one after the other.

    Those between are the pages of one transaction: SQLite meets the failure in the same COMMIT and
    takes all of it back. GUILD_KILL_EVERYWHERE=1 strikes at them too.
    """
    if EVERYWHERE:
        return [each.number for each in changes]
    runs = (list(run) for _, run in groupby(changes, lambda each: (each.what, each.path)))
    return sorted({end.number for run in runs for end in (run[0], run[-1])})


def _check(ended: Ended, left: Survey, healthy: Survey) -> None:
    for said in (ended.out, ended.err):
        assert "Traceback" not in said
        assert "internal error" not in said
    if ended.code == 0:
        assert left.result == healthy.result, "approved without a whole record"
    else:
        assert ended.code == 4
        _check_message(ended)


def _check_later(
    bench: Bench, place: Place, left: Survey, healthy: Survey, argv: tuple[str, ...]
) -> None:
    """Once the disk is well again, the run goes on, and asks only what is not answered yet."""
    finished = left.answered
    again = go_on(bench, place, argv)
    assert again.code == 0, f"it could not be gone on with: {again.out}{again.err}"
    after = survey(place.folder, place.root)
    assert after.result == healthy.result
    for name, calls in after.asked:
        before = len(dict(left.asked).get(name, ""))
        assert len(calls) - before == 1 - finished[name], f"calls of {name}"


def _check_message(ended: Ended) -> None:
    """What failed, and why: in the error's message, or among the verdict's reasons."""
    told = ended.json
    said = told["error"]["message"] if "error" in told else " ".join(told["reasons"])
    assert any(
        word in said.lower()
        for word in (
            "space",
            "disk",
            "permission",
            "i/o error",
            "denied",
            "unable to open",
            "readonly",
            "locked",
            "full",
        )
    ), said
