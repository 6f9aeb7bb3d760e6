"""Two values of one key surely contradict each other; all else is only possible, and shown in the order of its likelihood."""

import pytest

from guildmoot.consensus.board.contradictions import find_contradictions
from guildmoot.consensus.board.firm import firm
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.consensus.board.scopes import align


def said(who: str, scope: str, text: str, stance: str = "adopt", **more: object) -> BoardPosition:
    return BoardPosition(who, 1, scope, stance, text, **more)  # type: ignore[arg-type]


def why(scope: str, first: str, second: str) -> str:
    a, b = said("ana", scope, first), said("ben", scope, second)
    assert bool(firm(a, b)) == bool(firm(b, a))
    return firm(a, b)


@pytest.mark.parametrize(
    ("scope", "first", "second", "told"),
    [
        ("limit", "Allow 100 requests per minute.", "Allow 500 requests per minute.", "another amount (per:request)"),
        ("logs", "Keep logs for two weeks", "Keep logs for 90 days; disks are cheap", "another amount (time)"),
        ("database", "Use Postgres", "Use MySQL", "mysql or postgres"),
        ("retries", "Retry failed jobs 5 times", "Do not retry failed jobs", "one adopts what another rejects"),
        ("retries", "Retry failed jobs 5 times", "Do not retry; let the queue fail", "one adopts what another rejects"),
        ("backups", "Backups are encrypted", "Backups are not encrypted", "one adopts what another rejects"),
        ("sessions", "Sessions live in Redis", "Sessions don't live in Redis", "one adopts what another rejects"),
        ("bodies", "We log request bodies", "We never log request bodies", "one adopts what another rejects"),
        ("orders", "Orders can be cancelled", "Orders cannot be cancelled", "one adopts what another rejects"),
        ("retries", "Retries should not exceed 5", "Retries should not exceed 10", "another amount (number)"),
        ("session store", "Keep sessions in Redis", "Sessions live in signed cookies", "Redis or signed cookies"),
        ("events", "Use Kafka as the bus", "Use NATS as the bus", "Kafka or NATS"),
    ],
)  # fmt: skip
def test_the_same_statement_with_another_value_is_firm(
    scope: str, first: str, second: str, told: str
) -> None:
    assert why(scope, first, second) in (told, " or ".join(reversed(told.split(" or "))))


@pytest.mark.parametrize(
    ("scope", "first", "second"),
    [
        ("workers", "Run at least two workers.", "Run at most ten workers."),
        ("logs", "Keep logs for two weeks", "Keep logs for 14 days"),
        ("logs", "Do not log request bodies.", "Log the request id of each call."),
        ("retries", "Do not retry; only reads are tried again", "Retry reads three times"),
        ("deploys", "Deploy to staging automatically.", "Deploy to production by hand."),
        ("uploads", "Images may be 5 MB.", "Videos may be 200 MB."),
        ("carts", "Keep carts in Redis", "Store carts in the Redis cluster"),
        ("carts", "Keep carts in Redis", "Store orders in Postgres"),
        ("alerts", "Send alerts to Slack", "Send alerts to the pager"),
        ("tokens", "Access tokens live for ten minutes.", "Refresh tokens live for thirty days."),
    ],
)
def test_what_may_stand_side_by_side_is_never_firm(scope: str, first: str, second: str) -> None:
    assert why(scope, first, second) == ""


def test_an_answer_that_another_rules_out_by_name_is_firm() -> None:
    where = "Where are sessions stored?"
    redis = said("ana", where, "Put them into Redis.", answer="Redis", rejects=("signed cookies",))
    cookies = said("ben", where, "The browser keeps them.", answer="signed cookies")
    assert firm(redis, cookies) == firm(cookies, redis) == "one chooses what another rules out"
    elsewhere = cookies._replace(scope="Where are carts stored?")
    assert firm(redis, elsewhere) == ""


@pytest.mark.parametrize(
    ("first", "second", "is_firm"),
    [("14 days", "one year", True), ("at least 3", "at most 5", False), ("two weeks", "14 days", False)],
)  # fmt: skip
def test_another_amount_is_another_answer(first: str, second: str, is_firm: bool) -> None:
    a, b = (
        said(who, "How long are logs kept?", f"Keep them for {answer}.", answer=answer)
        for who, answer in (("ana", first), ("ben", second))
    )
    assert bool(firm(a, b)) == is_firm


LIMITED = """
How long are backups kept?|14 days|Keep hourly backups 14 days|2 years|Keep monthly backups 2 years
How long are backups kept?|14 days|Keep backups 14 days if they are hourly|2 years|Keep backups 2 years if they are monthly
How often do we poll?|every 5 seconds|Poll the queue every 5 seconds|every 5 minutes|Poll the mail server every 5 minutes
What is the rate limit?|100 requests per minute|100 requests per minute for guests|1000 requests per minute|1000 requests per minute for members
When does a session end?|30 minutes|End it after 30 minutes without activity|12 hours|End it 12 hours after sign-in
How many replicas?|2|Run 2 replicas in staging|6|Run 6 replicas in production
Which hash?|argon2|Hash passwords with argon2|sha256|Hash files with sha256
Which line width?|80 columns|80 columns for prose|100 columns|100 columns for code
Which transport?|gRPC|Use gRPC inside|REST|Use REST outside
Do we log bodies?|yes|Log bodies when a request fails|no|Do not log bodies when a request succeeds
Do we cache?|yes|Yes. Cache reads.|no|No. Do not cache writes.
Do we cache?|yes, for reads|Cache|no, not for writes|Do not cache
Is downtime allowed?|yes, on Sunday nights|Plan it on Sundays|no|Never while shops are open
Are orders editable?|yes|Until payment they are|no|After payment they are not
bodies||Log bodies when a request fails||Do not log bodies when a request succeeds
bodies||Log bodies (in staging)||Do not log bodies (in production)
alerts||Page somebody, during the day||Do not page somebody, during the night
retries||Retry 3 times (client)||Retry 5 times (worker)
retries||Retry 3 times. That holds for the client.||Retry 5 times. That holds for workers.
indentation||Use tabs (Makefiles)||Use spaces (Python)
packages||Use npm; web||Use yarn; docs
sessions||Sessions live in Redis (staff)||Sessions live in cookies (guests)
sessions||Keep sessions in Redis during the day||Keep sessions in files at night
How many approvals?|1 for typos|one|2 for migrations|two
"""
TOTAL = """
How long are logs kept?|30 days|Keep logs 30 days|1 year|Keep logs 1 year
How many workers?|4|Run 4 workers|12|Run 12 workers because nights are busy
Do we cache pages?|yes|Cache pages because they are slow|no|Do not cache pages
Do we cache?|yes|Cache reads|no|Do not cache
Which database?|Postgres|Use Postgres|MySQL|Use MySQL
Do we sample?|yes|Yes, one in ten|no|No.
How long are drafts kept?|1 year|1 year|30 days|30 days, the law asks for no more
retries||Retry 3 times (see load.md)||Retry 5 times; networks do fail
bodies||Log bodies if a request fails||Do not log bodies if a request fails
"""


@pytest.mark.parametrize("row", [*LIMITED.strip().splitlines(), *TOTAL.strip().splitlines()])
def test_answers_and_values_are_certain_where_both_speak_of_the_same(row: str) -> None:
    scope, *rest = row.split("|")
    a, b = (
        said(who, scope, text, answer=answer)
        for who, answer, text in (("ana", *rest[:2]), ("ben", *rest[2:]))
    )
    assert bool(firm(a, b)) == bool(firm(b, a)) == (row in TOTAL), firm(a, b)


def test_what_is_possible_is_told_pair_by_pair_and_the_likeliest_first() -> None:
    board = [
        said("ana", "Who runs it?", "The data team does.", answer="data team"),
        said("ana", "geocoding", "Geocode addresses when a store is saved."),
        said("ana", "backups", "Copy the disks every night."),
        said("ben", "Who runs it?", "Platform does.", answer="platform"),
        said("ben", "coordinates", "Look addresses up for each request."),
        said("ben", "colours", "Use a darker blue."),
    ]
    found = find_contradictions(align(board))
    assert found.contradictions == ()
    assert [each.scope for each in found.possible] == ["Who runs it?", "geocoding"]
    assert {each.level for each in found.possible} == {"possible"}
    shares = [each.likelihood for each in found.possible]
    assert shares == sorted(shares, reverse=True)
    assert max(shares) < 1


def test_what_one_engineer_calls_a_scope_is_kept_where_the_board_has_another_name_for_it() -> None:
    first, second = align(
        [said("ana", "storage", "Use SQLite"), said("ben", "the Storage", "Use files")]
    )
    assert (first.scope, second.scope) == ("storage", "storage")
    assert (first.own_scope, second.own_scope) == ("storage", "the Storage")


def test_who_asks_in_words_of_their_own_still_meets_a_question_that_others_share() -> None:
    ours, mine = "Which store has the sessions?", "Where is the session store?"
    board = [
        said("ana", ours, "Redis it is.", answer="Redis"),
        said("ben", ours, "The browser has them.", answer="signed cookies"),
        said("cyd", mine, "Postgres has the sessions.", answer="Postgres"),
        said("cyd", "How long are logs kept?", "Keep logs for a week.", answer="a week"),
    ]
    found = find_contradictions(align(board))
    assert {"ana", "cyd"} in [{*each.engineers} for each in found.possible]
    assert not any("logs" in p.text for each in found.possible for p in each.positions)
