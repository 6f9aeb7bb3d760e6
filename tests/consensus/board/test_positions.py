"""Who contradicts whom on a board, who agrees, how positions move, and when a board is settled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.board.contests import Round, align_rounds, follow
from guildmoot.consensus.board.contradictions import (
    find_contradictions,
    find_stands,
    pair_key,
)
from guildmoot.consensus.board.minutes import judge_settled, name_scopes, take_minutes
from guildmoot.consensus.board.positions import BoardPosition, told_stance
from guildmoot.consensus.board.scopes import align


def hold(
    engineer: str, stance: str, text: str, scope: str = "cache", round: int = 1, *cited: str
) -> BoardPosition:
    return BoardPosition(engineer, round, scope, stance, text, cited)  # type: ignore[arg-type]


def contradicted(*positions: BoardPosition) -> list[tuple[str, tuple[str, ...]]]:
    found = find_contradictions(align(positions)).contradictions
    return [(each.scope, each.engineers) for each in found]


def possible(*positions: BoardPosition) -> list[tuple[str, tuple[str, ...]]]:
    found = find_contradictions(align(positions))
    assert found.contradictions == ()
    return [(each.scope, each.engineers) for each in found.possible]


@pytest.mark.parametrize(
    ("scope", "first", "second"),
    [
        ("cache", ("adopt", "Add a cache"), ("reject", "Add a cache")),
        ("cache", ("adopt", "Add a cache"), ("adopt", "No cache")),
        ("cache", ("adopt", "Add a cache"), ("reject", "Do not add a cache")),
        ("cache", ("adopt", "Put a Redis cache before orders"), ("reject", "Redis cache before orders")),
        ("storage engine", ("adopt", "SQLite"), ("adopt", "Postgres")),
        ("retry limit", ("adopt", "Set the retry limit to 5"), ("adopt", "Set the retry limit to 3")),
        ("sessions", ("adopt", "Store sessions in Redis"), ("adopt", "Store sessions in cookies")),
    ],
)  # fmt: skip
def test_what_cannot_both_be_followed_is_a_contradiction(
    scope: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert contradicted(hold("a", *first, scope), hold("b", *second, scope)) == [
        (scope, ("a", "b"))
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("reject", "Add a cache"), ("reject", "Do not add a cache")),
        (("adopt", "Cache reads"), ("adopt", "Do not cache writes")),
        (("adopt", "Add a cache"), ("option", "No cache")),
        (("adopt", "Add a cache"), ("open", "Is a cache needed?")),
        (("adopt", "Add a cache"), ("adopt", "Add a cache with a limit")),
    ],
)
def test_what_can_both_be_followed_is_none(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert contradicted(hold("a", *first), hold("b", *second)) == []


def test_nobody_contradicts_themselves() -> None:
    assert contradicted(hold("a", "adopt", "Add a cache"), hold("a", "reject", "Add a cache")) == []


def test_scopes_that_are_spelled_alike_are_one_and_the_first_one_names_them() -> None:
    found = contradicted(
        hold("a", "adopt", "SQLite", "the storage-engine"),
        hold("b", "adopt", "Postgres", "`Storage engine`:"),
    )
    assert found == [("the storage-engine", ("a", "b"))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cache size", "cache invalidation"),
        ("cache ttl", "cache key"),
        ("storage", "storage engine"),
        ("orders per user", "users per order"),
        ("the database in tests", "the test database"),
        ("access token lifetime", "refresh token lifetime"),
        ("staging database", "the database"),
    ],
)
def test_other_scopes_do_not_meet_however_alike_they_are(one: str, other: str) -> None:
    first, second = align((hold("a", "adopt", "10", one), hold("b", "adopt", "by event", other)))
    assert (first.scope, second.scope) == (one, other)


def test_two_statements_that_contradict_do_not_make_their_scopes_one() -> None:
    said = align(
        (
            hold("a", "adopt", "Keep sessions in Redis", "session store"),
            hold("a", "adopt", "Back it up hourly", "session store"),
            hold("b", "adopt", "Keep sessions in signed cookies", "where sessions live"),
            hold("b", "adopt", "No backup", "where sessions live"),
        )
    )
    assert [each.scope for each in said] == ["session store"] * 2 + ["where sessions live"] * 2
    [found] = find_contradictions(said).contradictions
    assert {each.text for each in found.positions} == {said[0].text, said[2].text}


def test_a_scope_that_is_written_with_its_answers_is_the_one_of_the_list() -> None:
    asked = "Where do sessions live?"
    said = align(
        (
            hold("a", "adopt", "Redis", asked),
            hold("b", "adopt", "Redis", f"{asked} (Redis; cookies)"),
        )
    )
    assert {each.scope for each in said} == {asked}


def test_positions_that_name_no_scope_meet_by_what_they_ask_for() -> None:
    split, keep = "Split billing into its own service", "Keep billing in the monolith"
    queue = "Use a queue"
    found = possible(
        hold("a", "adopt", queue, queue), hold("a", "adopt", split, split), hold("b", "adopt", keep, keep)
    )  # fmt: skip
    assert found == [(split, ("a", "b"))]
    found = possible(hold("a", "adopt", split, "billing"), hold("b", "adopt", keep, keep))
    assert found == [("billing", ("a", "b"))]


def test_reasons_behind_a_choice_do_not_hide_it() -> None:
    jwt = hold("a", "adopt", "Use JWTs so that services need no lookup", "token format")
    assert possible(jwt, hold("b", "adopt", "Use opaque tokens", "token format"))


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("Run the suite on pull requests", "Trigger it from the merge queue", True),
        ("Put the limiter in the gateway", "Enforce it inside each service, not the gateway", True),
        ("Cache rendered pages at the CDN", "Cache at the CDN", False),
    ],
)
def test_choices_without_a_word_in_common_are_shown_but_not_counted(
    first: str, second: str, shown: bool
) -> None:
    meeting = find_contradictions(
        (hold("a", "adopt", first, "the plan"), hold("b", "adopt", second, "the plan"))
    )
    assert (meeting.contradictions, bool(meeting.possible)) == ((), shown)


def test_opposite_stances_on_perhaps_another_thing_are_shown_but_not_counted() -> None:
    meeting = find_contradictions(
        (hold("a", "adopt", "SQLite", "storage"), hold("b", "reject", "MongoDB", "storage"))
    )
    assert meeting.contradictions == ()
    assert [each.engineers for each in meeting.possible] == [("a", "b")]


def test_who_says_alike_stands_together_in_a_contradiction() -> None:
    [found] = find_contradictions(
        align(
            (
                hold("a", "adopt", "SQLite", "storage"),
                hold("b", "adopt", "Postgres", "storage"),
                hold("c", "adopt", "Keep SQLite", "storage"),
            )
        )
    ).contradictions
    assert found.engineers == ("a", "b", "c")


def test_like_positions_are_one_stand_and_opposed_ones_are_not() -> None:
    stands = find_stands(
        (
            hold("a", "adopt", "Set the retry limit to 5", "retries"),
            hold("b", "adopt", "Set the retry limit to 3", "retries"),
            hold("c", "adopt", "Set the retry limit to 5", "retries"),
        )
    )
    assert [(each.text, each.engineers) for each in stands] == [
        ("Set the retry limit to 5", ("a", "c")),
        ("Set the retry limit to 3", ("b",)),
    ]


_ENGINEERS = st.sampled_from(["a", "b", "c"])
_POSITIONS = st.builds(
    hold,
    _ENGINEERS,
    st.sampled_from(["adopt", "reject", "option", "open"]),
    st.sampled_from(["Add a cache", "No cache", "SQLite", "Use Postgres", "Retry 3 times", "x"]),
    st.sampled_from(["cache", "storage", "the storage", "x/y.py"]),
)


@given(st.lists(_POSITIONS, max_size=8))
def test_only_different_engineers_contradict_and_everything_stands_somewhere(
    positions: list[BoardPosition],
) -> None:
    aligned = align(positions)
    meeting = find_contradictions(aligned)
    for found in (*meeting.contradictions, *meeting.possible):
        assert len(found.engineers) > 1
        assert found.scope in {each.scope for each in found.positions}
    stood = [each for stand in find_stands(aligned) for each in stand.positions]
    assert sorted(stood) == sorted(aligned)


@given(st.lists(_POSITIONS, max_size=6))
def test_the_order_of_engineers_does_not_change_who_contradicts_whom(
    positions: list[BoardPosition],
) -> None:
    forward, backward = align(positions), align(positions)[::-1]
    scopes = {
        each.scope: set(each.engineers) for each in find_contradictions(forward).contradictions
    }
    again = {
        each.scope: set(each.engineers) for each in find_contradictions(backward).contradictions
    }
    assert scopes == again


# --- rounds ---------------------------------------------------------------------------------------


def rounds(*said: list[BoardPosition], failed: dict[int, str] | None = None) -> tuple[Round, ...]:
    """Rounds in which everybody who says anything in any of them answers, unless they failed."""
    everybody = sorted({each.engineer for positions in said for each in positions})
    made = []
    for number, positions in enumerate(said, 1):
        absent = [name for at, name in (failed or {}).items() if at == number]
        answered = tuple(name for name in everybody if name not in absent)
        own = tuple(each._replace(round=number) for each in positions)
        made.append(Round(number, own, answered, tuple(absent)))
    return align_rounds(made)


REDIS = hold("a", "adopt", "Store sessions in Redis", "sessions")
COOKIES = hold("b", "adopt", "Store sessions in signed cookies", "sessions")
MOVED = COOKIES._replace(engineer="a", cited=("load.md:3",))


@pytest.mark.parametrize(
    ("ana", "ben"),
    [
        ("Redis holds our sessions, with a TTL", "Signed cookies carry each session"),
        ("We still want Redis", "Store sessions in signed cookies"),
        ("An in-memory store with eviction", "Store sessions in signed cookies"),
    ],
)
def test_other_words_for_the_same_choice_close_nothing(ana: str, ben: str) -> None:
    later = [REDIS._replace(text=ana), COOKIES._replace(text=ben)]
    spoken = rounds([REDIS, COOKIES], later, later)
    [contest] = follow(spoken)
    assert contest.state == "open"
    assert {each.text for each in contest.contradiction.positions} == {ana, ben}
    assert "still contradicted" in judge_settled(spoken).reason


def test_silence_settles_nothing() -> None:
    other = hold("a", "adopt", "Log as JSON", "logging")
    check = judge_settled(rounds([REDIS, COOKIES, other], [other, COOKIES]))
    assert check.reason == "still contradicted: sessions"


@pytest.mark.parametrize(
    "later",
    [
        REDIS._replace(stance="reject"),
        REDIS._replace(stance="reject", text="Redis"),
        REDIS._replace(stance="open", text="Where do sessions live?"),
        REDIS._replace(text="Signed cookies, but for one day only"),
    ],
)
def test_who_withdraws_or_takes_over_the_others_choice_closes_it(later: BoardPosition) -> None:
    [contest] = follow(rounds([REDIS, COOKIES], [later, COOKIES]))
    assert contest.state == "closed"


def test_who_withdraws_from_a_contradiction_of_three_is_told_though_two_stay_apart() -> None:
    third = hold("c", "adopt", "Store sessions in Postgres", "sessions")
    gone = REDIS._replace(stance="withdraw")
    [contest] = follow(rounds([REDIS, COOKIES, third], [gone, COOKIES, third]))
    assert (contest.state, [move.engineer for move in contest.moves]) == ("open", ["a"])
    assert contest.contradiction.engineers == ("b", "c")


def test_what_was_withdrawn_and_is_asked_for_again_stands_again() -> None:
    gone = REDIS._replace(stance="withdraw")
    [contest] = follow(rounds([REDIS, COOKIES], [gone, COOKIES], [REDIS, COOKIES]))
    assert contest.state == "open"


def test_two_who_move_to_a_third_thing_agree() -> None:
    both = [each._replace(text="Store sessions in Postgres") for each in (REDIS, COOKIES)]
    [contest] = follow(rounds([REDIS, COOKIES], both))
    assert contest.state == "closed"


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        (hold("a", "adopt", "Encrypt backups")._replace(answer="ja"),
         hold("b", "adopt", "Encrypt backups")._replace(answer="nein")),
        (hold("a", "adopt", "Backups werden verschlüsselt"),
         hold("b", "adopt", "Backups werden nicht verschlüsselt")),
        (hold("a", "adopt", "Log every request"), hold("b", "adopt", "Log no request")),
    ],
)  # fmt: skip
def test_a_denial_is_a_contradiction_and_no_support(yes: BoardPosition, no: BoardPosition) -> None:
    assert contradicted(yes, no) == [("cache", ("a", "b"))]
    assert [stand.engineers for stand in find_stands([yes, no])] == [("a",), ("b",)]


def test_a_contradiction_closes_when_somebody_moves_and_what_they_cited_is_told() -> None:
    [contest] = follow(rounds([REDIS, COOKIES], [MOVED, COOKIES]))
    assert (contest.state, contest.first_round, contest.last_round) == ("closed", 1, 1)
    [move] = contest.moves
    assert (move.engineer, move.round, move.cited) == ("a", 2, ("load.md:3",))


def test_a_contradiction_that_is_held_stays_open_without_a_move() -> None:
    [contest] = follow(rounds([REDIS, COOKIES], [REDIS, COOKIES]))
    assert (contest.state, contest.last_round, contest.moves) == ("open", 2, ())


def test_leaving_it_out_is_dropping_it_silently() -> None:
    other = hold("a", "adopt", "Log as JSON", "logs")
    [contest] = follow(rounds([REDIS, COOKIES], [other, COOKIES]))
    assert (contest.state, contest.silent, contest.moves) == ("dropped", ("a",), ())


def test_who_failed_keeps_what_they_said() -> None:
    [contest] = follow(rounds([REDIS, COOKIES], [COOKIES], failed={2: "a"}))
    assert contest.state == "open"


def test_another_number_is_a_move() -> None:
    five, three = (hold("a", "adopt", f"Set the retry limit to {n}", "retries") for n in (5, 3))
    mine = three._replace(engineer="b")
    [contest] = follow(rounds([five, mine], [three, mine]))
    assert (contest.state, [move.engineer for move in contest.moves]) == ("closed", ["a"])


def test_a_round_that_adds_nothing_settles_the_board() -> None:
    held = rounds([REDIS, COOKIES], [MOVED, COOKIES])
    assert judge_settled(held).settled
    found = judge_settled([held[0], held[1]._replace(prose=("b",))])
    assert (found.settled, found.quiet) == (False, True)
    assert "b's answer has no list of decisions" in found.reason


@pytest.mark.parametrize(
    ("last", "word"),
    [
        (hold("a", "adopt", "Log as JSON", "logs"), "a decision (logs)"),
        (hold("a", "option", "A queue", "transport"), "an option (transport)"),
        (hold("a", "reject", "Store sessions in signed cookies", "sessions"), "a contradiction"),
    ],
)
def test_a_round_that_adds_something_does_not(last: BoardPosition, word: str) -> None:
    mine = COOKIES._replace(engineer="a")
    found = judge_settled(rounds([mine, COOKIES], [mine, COOKIES, last]))
    assert not found.settled
    assert word in found.reason


def test_one_round_a_failure_or_no_decision_at_all_settle_nothing() -> None:
    assert not judge_settled(rounds([REDIS])).settled
    assert not judge_settled(rounds([REDIS, COOKIES], [COOKIES], failed={2: "a"})).settled
    assert not judge_settled(rounds([REDIS, COOKIES], [])).settled


def test_weighing_what_somebody_wants_already_is_no_new_option() -> None:
    weighed = MOVED._replace(stance="option")
    found = judge_settled(rounds([REDIS, COOKIES], [REDIS, weighed, COOKIES]))
    assert "added" not in found.reason


def test_nothing_is_settled_over_an_open_contradiction_or_an_undecided_pair() -> None:
    both = [REDIS, COOKIES]
    found = judge_settled(rounds(both, both))
    assert (found.settled, found.reason) == (False, f"still contradicted: {REDIS.scope}")
    assert judge_settled(rounds(both, both), closed=[REDIS.scope]).settled
    pair = [hold("a", "adopt", "Kafka", "transport"), hold("b", "adopt", "NATS", "transport")]
    found = judge_settled(rounds(pair, pair))
    assert not found.settled
    assert found.reason.startswith(("1 pair undecided", "still contradicted"))


def test_different_choices_on_one_scope_are_not_called_settled_though_no_rule_opposes_them() -> (
    None
):
    """Another round would say the same, so it is quiet; a person, a clerk or an engineer can end it."""
    many = hold("a", "adopt", "Retry failed uploads five times", "uploads")
    log = hold("b", "adopt", "Log failed uploads with their retries", "uploads")
    found = judge_settled(rounds([many, log], [many, log]))
    assert (found.settled, found.quiet) == (False, True)
    assert "different choices stand on uploads" in found.reason
    assert judge_settled(rounds([many, log], [many, log]), closed=["uploads"]).settled
    assert judge_settled(rounds([many, log], [many, log]), {pair_key(many, log): False}).settled
    both = [many, log, log._replace(engineer="a")]
    assert judge_settled(rounds(both, both)).settled, "a holds both"
    other = hold("b", "adopt", "Count requests by endpoint", "metrics")
    found = judge_settled(rounds([many, other], [many, other]))
    assert (found.settled, found.quiet) == (False, True), "nobody told whether both can hold"
    ruled = {pair_key(many, other): False}
    assert judge_settled(rounds([many, other], [many, other]), ruled).settled


def test_what_may_contradict_under_two_scopes_is_not_called_settled_either() -> None:
    many = hold("a", "adopt", "Retry failed uploads five times", "uploads")
    log = hold("b", "adopt", "Log failed uploads with their retries", "metrics")
    found = judge_settled(rounds([many, log], [many, log]))
    assert (found.settled, found.quiet) == (False, True)
    assert "may contradict: uploads" in found.reason
    assert judge_settled(rounds([many, log], [many, log]), {pair_key(many, log): False}).settled


def test_a_clerk_decides_what_words_leave_open_and_nothing_else() -> None:
    pair = [
        hold("a", "adopt", "Issue signed access tokens", "auth"),
        hold("b", "adopt", "Look the caller up in the session table", "auth"),
    ]
    held = rounds(pair, pair)
    assert not judge_settled(held).settled
    assert judge_settled(held, {pair_key(*pair): False}).settled
    assert "contradicted" in judge_settled(held, {pair_key(*pair): True}).reason
    sure = {pair_key(REDIS, COOKIES): False}
    assert not judge_settled(rounds([REDIS, COOKIES], [REDIS, COOKIES]), sure).settled


def test_the_minutes_of_an_empty_board_are_empty() -> None:
    minutes = take_minutes([])
    assert (minutes.rounds, minutes.decisions, minutes.contests) == ((), (), ())


def test_a_choice_has_a_name_with_a_number_where_there_are_several() -> None:
    minutes = take_minutes(rounds([REDIS, COOKIES, hold("a", "reject", "TLS 1.0", "protocol")]))
    assert {name: stand.said for name, stand in minutes.choices.items()} == {
        f"{minutes.ids[REDIS.scope]}.1": REDIS.text,
        f"{minutes.ids[REDIS.scope]}.2": COOKIES.text,
        "protocol": "not: TLS 1.0",
    }


def test_who_rejects_with_do_not_is_not_told_as_wanting_it() -> None:
    held = hold("a", "reject", "Never retry POST requests", "retries")
    minutes = take_minutes(rounds([held]))
    assert [stand.said for stand in minutes.choices.values()] == ["Never retry POST requests"]
    assert (told_stance(held), told_stance(held._replace(text="Retry"))) == ("adopt", "reject")


def test_scopes_have_names_of_their_own_that_a_command_line_can_hold() -> None:
    names = name_scopes(["Session store", "session-store!", "кэш"])
    assert list(names.values())[:2] == ["session-store", "session-store-2"]
    assert names["кэш"].startswith("scope-")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use Kafka as the bus", "Use NATS as the bus"),
        ("Adopt ULIDs as primary keys", "Use integers as primary keys"),
        ("Keep scans on the shared disk", "Store scans in S3 and not on a disk"),
    ],
)
def test_one_part_is_played_by_one_thing_unless_the_scopes_may_be_two_things(first, second) -> None:
    found = contradicted(hold("a", "adopt", first, "policy"), hold("b", "adopt", second, "choice"))
    assert [engineers for _, engineers in found] == [("a", "b")]
    found = possible(hold("a", "adopt", first, "staging"), hold("b", "adopt", second, "production"))
    assert [engineers for _, engineers in found] == [("a", "b")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use Redis as a cache", "Use Redis as a lock"),
        ("Use Kafka as the bus", "Use Grafana as the dashboard"),
        ("Put invoices into S3 and not on a disk", "Put invoices into S3"),
    ],
)
def test_other_parts_and_the_same_place_contradict_nothing(first, second) -> None:
    assert not contradicted(hold("a", "adopt", first, "one"), hold("b", "adopt", second, "two"))


def test_another_verb_for_the_same_place_is_the_same_choice() -> None:
    kept = [hold("a", "adopt", "Store carts in cookies", "carts")]
    kept += [hold("b", "adopt", "Keep carts in cookies", "carts")]
    assert judge_settled(rounds(kept, kept)).settled
    other = [kept[0], hold("b", "adopt", "Keep the page of carts as it is", "carts")]
    assert not judge_settled(rounds(other, other)).settled


def test_two_scopes_that_name_one_subject_are_not_called_settled() -> None:
    """Nobody decided about the other's scope, and one scope is wholly named by the other's words."""
    column = hold("a", "adopt", "Store invoices as one JSONB column", "schema")
    table = hold("b", "adopt", "Give invoices a table of their own", "invoice storage")
    found = judge_settled(rounds([column, table], [column, table]))
    assert (found.settled, found.quiet) == (False, True)
    assert "schema and invoice storage, which may be one subject" in found.reason
    assert judge_settled(
        rounds([column, table], [column, table]), {pair_key(column, table): False}
    ).settled
    assert judge_settled(rounds([column, table], [column, table]), closed=["schema"]).settled


def test_who_still_holds_what_they_held_has_not_moved() -> None:
    redis = hold("a", "adopt", "Store sessions in Redis", "session store")
    cookies = hold("b", "adopt", "Store sessions in signed cookies", "session store")
    stays = hold("b", "adopt", "sessions belong in signed cookies", "session store")
    retry = hold("a", "adopt", "Retry failed jobs 5 times", "retries")
    ban = hold("b", "adopt", "Do not retry; let the queue fail", "retries")
    same = hold("b", "reject", "retry", "retries")
    contests = follow(rounds([redis, cookies, retry, ban], [redis, stays, retry, same]))
    assert [contest.contradiction.scope for contest in contests] == ["session store", "retries"]
    assert [move.engineer for contest in contests for move in contest.moves] == []
