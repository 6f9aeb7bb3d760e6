"""Lanes in the shared database: one worker has a lane, and who lost it can say nothing more of it."""

import pytest

from calls.cluster.scene import LEASE
from guildmoot.calls.cluster import database, lanes, register
from guildmoot.calls.cluster.needs import Capabilities, LaneRoom

LANE = lanes.OfferedLane("a" * 64, "ticket", "run", "T1", "w1", 1, "{}")
HAS = Capabilities((), (), (), lanes=LaneRoom(1, ("mid",), ("c" * 40,)))


@pytest.fixture
def there(url):
    """Does something in the database, in a transaction of its own; two workers are signed in."""
    engine = database.connect(url, 2)

    def do(function, *arguments, **more):
        with engine.begin() as connection:
            return function(connection, *arguments, **more)

    for name in ("w1", "w2"):
        do(register.sign_in, name, HAS, f"ticket of {name}", "elsewhere")
    yield do
    engine.dispose()


def take(there, name="w1", token="token"):
    return there(lanes.take, f"{name}.1", f"ticket of {name}", token)


def test_a_lane_is_for_one_worker_and_taken_once(there):
    assert [each.name for each in there(lanes.lane_workers)] == ["w1", "w2"]
    assert there(lanes.offer, LANE) == "asked"
    assert take(there, "w2") is None
    assert there(lanes.take, "w1.1", "another's ticket", "token") is None
    taken = take(there)
    assert (taken.id, taken.task) == (LANE.id, "T1")
    assert take(there, token="again") is None
    assert there(lanes.offer, LANE) == "running"  # the same attempt again changes nothing
    assert there(lanes.offer, LANE._replace(id="b" * 64, task="T2")) == "busy"
    assert there(lanes.finish, taken, "ended", "x" * 600_000, kept=True)
    assert there(lanes.offer, LANE) == "ended"
    assert there(lanes.look, LANE.id, "ticket", 1_000_000).result == "x" * 600_000
    assert there(lanes.look, LANE.id, "ticket", 1000).result is None
    assert there(lanes.look, LANE.id, "guess", 1_000_000) is None
    with pytest.raises(Exception, match="somebody else"):
        there(lanes.offer, LANE._replace(ticket="guess"))


def test_who_lost_a_lane_can_say_nothing_more_of_it(there, sql):
    there(lanes.offer, LANE)
    late = take(there)
    assert not there(lanes.lose, LANE.id, "ticket")  # it is alive
    sql("UPDATE guild.workers SET heartbeat = now() - make_interval(secs => :s)", s=LEASE + 1)
    assert not there(lanes.lose, LANE.id, "guess")
    assert there(lanes.lose, LANE.id, "ticket")
    assert not there(lanes.sign, late, lanes.LaneSign("still here")).ours
    assert not there(lanes.finish, late, "ended", "{}", kept=True)
    assert there(lanes.offer, LANE._replace(host="w2")) == "asked"
    there(register.beat, "w2.1", [], HAS, "ticket of w2")
    now = take(there, "w2", "another token")
    assert not there(lanes.finish, late, "ended", "late", kept=True)
    assert there(lanes.finish, now, "ended", "{}", kept=True)
    assert not there(lanes.finish, now, "ended", "twice", kept=True)
    assert there(lanes.look, LANE.id, "ticket", 1000).result == "{}"


def test_one_that_nobody_wants_any_more_is_not_begun(there, sql):
    there(lanes.offer, LANE)
    sql("UPDATE guild.lanes SET wanted = now() - interval '1 second'")
    assert take(there) is None
    assert there(lanes.look, LANE.id, "ticket", 1000).state == "asked"  # who looks wants it
    taken = take(there)
    assert there(lanes.nudge, LANE.id, "ticket", "go on")
    assert there(lanes.dismiss, LANE.id, "ticket") == "running"
    assert there(lanes.sign, taken, lanes.LaneSign()) == (True, "go on", True)
    assert there(lanes.finish, taken, "dismissed", "{}", kept=False)
    assert there(lanes.offer, LANE) == "asked"  # what was dismissed may be asked for again
    assert there(lanes.dismiss, LANE.id, "ticket") == "dismissed"
    assert take(there) is None


def test_what_ended_is_cleared_away_with_its_texts(there, sql):
    from guildmoot.calls.cluster.retention import clear

    there(lanes.offer, LANE._replace(job="y" * 600_000))
    sql("UPDATE guild.chunks SET kept = now() - interval '2 days'")
    assert there(clear, 1.0)[:2] == (0, 0)
    assert there(lanes.job_of, take(there)) == "y" * 600_000
    there(lanes.dismiss, LANE.id, "ticket")
    sql("UPDATE guild.lanes SET state = 'dismissed', ended = now() - interval '2 days'")
    assert there(clear, 1.0).lanes == 1
    assert there(clear, 1.0).texts == 0
    assert sql("SELECT count(*) FROM guild.chunks") == [(0,)]
