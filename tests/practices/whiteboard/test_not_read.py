"""What stands beside a block goes to a clerk; what nobody read is listed, and nothing is settled over it."""

from __future__ import annotations

import json

import pytest

from guildmoot.practices.whiteboard.minutes import minutes_of
from guildmoot.reading.board import Board, BoardRound, BoardSection
from guildmoot.reading.decisions import CLERKS, NOTHING_BESIDE, read_section
from guildmoot.reports import document as doc
from guildmoot.reports.whiteboard import BoardReport, summary_json
from guildmoot.reports.whiteboard_view import board_document
from judges import add_engineers, add_judge, decides

BLOCK = decides("queue", "adopt", "Use one queue for all tenants")
FENCE = BLOCK.partition("\n\n")[2]
RATE = "The importer ought to read at most forty files a minute, whoever asks."


@pytest.mark.parametrize(
    ("before", "after", "unread"),
    [
        ("My view.", "", ()),
        ("Here is my view.", "", ()),
        ("I have read all sections of the last round; these are my decisions.", "That is my position for this round.", ()),
        ("Here is my view: imports run at night.", "", ("Here is my view: imports run at night.",)),
        ("My decisions, in one block:", "", ()),
        ("We should use one queue for all tenants.", "", ()),
        (RATE, "", (RATE,)),
        ("", RATE, (RATE,)),
        (f"- Use one queue for all tenants.\n- {RATE}", "", (RATE,)),
        (f"## Position\n\n{RATE} Not one queue for all tenants!", "", (RATE, "Not one queue for all tenants!")),
        ("> what somebody else says is quoted", "", ()),
        (f"<!-- {RATE} -->", "", ()),
        (RATE, NOTHING_BESIDE, ()),
        (RATE, f"{CLERKS}\n{decides('files', 'adopt', RATE).partition(chr(10) * 2)[2]}", ()),
    ],
)  # fmt: skip
def test_what_stands_beside_a_block_is_known_to_be_unread(before, after, unread) -> None:
    assert read_section(f"{before}\n\n{FENCE}\n{after}").unread == unread


WHY = """| Question | Choice | Why |
|---|---|---|
| Which transport? | Server-sent events | {} |
| How long are mails kept? | One year; the law asks for it | support asks for it |
"""
TWO = """| Topic | Decision | Also |
|---|---|---|
| Transport | {} | {} |
"""


@pytest.mark.parametrize(
    ("table", "unread"),
    [
        (WHY.format("simpler behind proxies"), ()),
        (WHY.format("use them everywhere"), ()),
        (TWO.format("Use server-sent events", "proxies know them"), ()),
        (TWO.format("Use server-sent events", "retry mails 3 times"), ("Retry mails 3 times",)),
        (TWO.format("", "retry mails 3 times"), ("Transport: retry mails 3 times",)),
    ],
)
@pytest.mark.parametrize("around", ["{}", "Here is my view.\n\n{}\n", "My answers:\n\n{}"])
def test_a_row_that_was_read_is_read_and_what_else_it_decides_is_not(table, unread, around) -> None:
    read = read_section(around.format(table))
    assert read.unread == unread
    assert bool(read.decisions) == ("events" in table)


def test_a_block_that_cannot_be_read_and_json_among_sentences() -> None:
    broken = read_section('My view.\n\n```decisions\n[{"scope": "a",, "stance"\n```\n')
    assert broken.unread
    assert not broken.decisions
    rows = [{"scope": "queue", "stance": "adopt", "text": "Use one queue for all tenants"}]
    found = read_section(f"Here it is:\n{json.dumps({'decisions': rows})}\n{RATE}")
    assert [each.text for each in found.decisions] == [rows[0]["text"]]
    assert found.unread == (RATE,)


@pytest.mark.parametrize(
    "around", ["{}", "Here it is:\n{}\nThat is all.", "Here it is:\n\n```json\n{}\n```\n"]
)
def test_words_in_the_same_object_as_the_decisions_are_beside_them(around) -> None:
    rows = [{"scope": "queue", "stance": "adopt", "text": "Use one queue for all tenants"}]
    said = f"{RATE} I withdraw my proposal to poll."
    found = read_section(around.replace("{}", json.dumps({"section": said, "decisions": rows})))
    assert [each.stance for each in found.decisions] == ["adopt", "withdraw"]
    assert found.unread == (RATE,)


def test_what_a_clerk_put_into_a_block_of_its_own_is_read_beside_the_engineers() -> None:
    clerks = decides("files", "adopt", RATE).partition("\n\n")[2]
    said = read_section(f"{RATE} I withdraw polling.\n\n{FENCE}\n{CLERKS}\n{clerks}").decisions
    assert [each.scope for each in said] == ["queue", "polling", "files"]
    alone = read_section(f"{RATE} I withdraw polling.\n\n{CLERKS}\n{clerks}").decisions
    assert [each.scope for each in alone] == ["files"]


def test_nothing_is_settled_over_what_nobody_read_and_it_is_listed() -> None:
    for text, settled in ((RATE, False), ("", True)):
        said = (BoardSection("ana", f"{text}\n\n{FENCE}"), BoardSection("ben", BLOCK))
        board = Board("queues", (BoardRound(1, said), BoardRound(2, said)))
        minutes = minutes_of(board)
        assert minutes.settled.settled == settled, minutes.settled
        report = BoardReport("b.md", "whiteboard_path", board, minutes)
        rows = [{"engineer": "ana", "round": 2, "texts": [RATE], "more": 0}]
        assert summary_json(report)["not_read"] == ([] if settled else rows)
        titles = [
            b.title for b in board_document(report).blocks if isinstance(b, doc.SectionHeading)
        ]
        assert ("Not read" in titles) != settled


def entry(text: str, **more: object) -> str:
    row = {
        "scope": "files",
        "stance": "adopt",
        "answer": "",
        "rejects": [],
        "text": text,
        "cited": [],
    }
    return json.dumps({"decisions": [{**row, **more}]})


@pytest.mark.parametrize(
    ("clerk", "texts", "read"),
    [
        (entry(RATE.rstrip(".")), [RATE.rstrip(".")], True),
        ('{"decisions": []}', [], True),
        (entry("Read as many files as you like"), [], False),
        ("I would rather not.", [], False),
    ],
)
def test_a_clerk_is_asked_about_what_stands_beside_a_block(shop, clerk, texts, read) -> None:
    said = f"{RATE}\n\n{FENCE}"
    add_judge(shop, "ana", [said, said, clerk, said, clerk], role="planner", seats={"clerk": "{}"})
    who = "ana," + add_engineers(shop, ben=BLOCK)
    ran = shop.guild(
        "whiteboard", "run", "--brief", "Queues?", "--board", "b.md", "--engineers", who,
        "--rounds", "2", "--until", "settled", "--json",
    )  # fmt: skip
    told = shop.guild("whiteboard", "summary", "b.md", "--json").json
    assert [each["text"] for each in told["decisions"]] == ["Use one queue for all tenants", *texts]
    assert bool(told["not_read"]) != read
    # of the new statement beside the others' the clerk says nothing, and ana holds both
    assert ran.json["settled"]["settled"] == read, ran.json["settled"]


def test_an_engineer_cannot_say_that_a_clerk_has_read_it(shop) -> None:
    who = add_engineers(shop, ana=f"{RATE}\n\n{FENCE}\n\n{NOTHING_BESIDE}", ben=BLOCK)
    shop.guild(
        "whiteboard", "run", "--brief", "Q?", "--board", "b.md", "--engineers", who, "--json"
    )
    assert shop.guild("whiteboard", "summary", "b.md", "--json").json["not_read"]


@pytest.mark.parametrize(
    ("answer", "settled"), [("compatible", True), ("unclear", False), ("", False)]
)
def test_nothing_is_settled_over_pairs_of_which_the_clerk_says_nothing(
    shop, answer, settled
) -> None:
    go, jvm = "Write the daemon in Go", "Everything runs on the JVM"
    block = "```decisions\n- scope: {}\n  stance: adopt\n  text: {}\n  cited: none\n```\n"
    row = {"number": 1, "answer": answer, "quote_a": go, "quote_b": jvm}
    clerk = json.dumps({"pairs": [row]}) if answer else "{}"
    add_judge(shop, "ana", block.format("language", go), role="planner", seats={"clerk": clerk})
    who = "ana," + add_engineers(shop, ben=block.format("runtime", jvm))
    ran = shop.guild(
        "whiteboard", "run", "--brief", "The daemon?", "--board", "b.md", "--engineers", who,
        "--until", "settled", "--json",
    )  # fmt: skip
    assert ran.json["settled"]["settled"] == settled, ran.json["settled"]
    if not answer:
        assert "1 pair on which nobody ruled may contradict" in ran.json["stopped"]


@pytest.mark.parametrize(
    ("held", "settled"),
    [
        ({"ana": ["Write the daemon in Go"], "ben": ["Everything runs on the JVM"]}, False),
        ({"ana": ["Number orders 1, 2, 3"], "ben": ["Use random identifiers in links"]}, False),
        ({who: ["Write the daemon in Go", "Log each sign-in"] for who in ("ana", "ben", "cyd")}, True),
        ({"ana": ["Write the daemon in Go", "Log each sign-in"], "ben": ["Log each sign-in"]}, True),
    ],
)  # fmt: skip
def test_without_a_clerk_only_what_somebody_holds_together_is_settled(held, settled) -> None:
    block = "```decisions\n{}```\n"
    row = "- scope: {}\n  stance: adopt\n  text: {}\n"
    said = tuple(
        BoardSection(
            who, block.format("".join(row.format(text.split()[-1], text) for text in texts))
        )
        for who, texts in held.items()
    )
    minutes = minutes_of(Board("it", (BoardRound(1, said), BoardRound(2, said))))
    assert minutes.settled.settled == settled, minutes.settled
    assert settled or minutes.settled.quiet
