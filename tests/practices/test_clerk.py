"""The clerk at work: a judge whose reply cannot be read, answers full of ideas, and pairs of remedies."""

import json

import pytest

from judges import add_judge, verdict
from loopback import Rule, serving

PROSE = "I would fail this change. Every total is halved in prices.py:2, so each invoice is wrong by far."
FAILS = {
    "verdict": "FAIL",
    "verdict_quote": "I would fail this change",
    "findings": [
        {
            "severity": "critical",
            "quote": "Every total is halved",
            "location": "prices.py:2",
            "recommendation": "",
        }
    ],
}


def test_a_reply_in_prose_is_put_into_the_form_by_the_same_judge(moot):
    moot.judge("ann", PROSE, "As I said.", json.dumps(FAILS))
    report = moot.sit()
    [judge] = report.judges
    assert judge.word == "FAIL"
    assert [each.title for each in judge.findings] == ["Every total is halved"]
    assert (judge.findings[0].path, judge.findings[0].line) == ("prices.py", 2)


WARNS = "Call it a conditional go from me. Totals of an empty list are halved too in prices.py:2, which is odd."


def test_a_warning_in_other_words_that_is_repeated_counts_through_the_clerk(council):
    told = {
        "verdict": "WARN",
        "verdict_quote": "a conditional go from me",
        "findings": [
            {
                "severity": "minor",
                "quote": "Totals of an empty list are halved too",
                "location": "prices.py:2",
                "recommendation": "",
            }
        ],
    }
    council.judge("ann", verdict("PASS"))
    council.judge("ben", WARNS, "Again: it is a conditional go from me.", json.dumps(told))
    ran = council.validate("ann,ben")
    assert (ran.code, ran.json["outcome"]) == (0, "WARN"), ran.json["reasons"]
    assert [judge["word"] for judge in ran.json["roster"]["judges"]] == ["PASS", "WARN"]
    council.judge("ben", WARNS, "I will not say it again.", json.dumps(told))
    ran = council.validate("ann,ben", "--fresh")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE")


def test_a_refusal_in_another_language_is_not_used_where_a_clerk_calls_it_a_warning(council):
    refused = "## Urteil: DURCHGEFALLEN\n\n**Kritisch** – prices.py:2: Jede Summe wird halbiert, das ist falsch."
    row = {"severity": "minor", "quote": "Jede Summe wird halbiert", "location": "prices.py:2"}
    told = {"verdict": "WARN", "verdict_quote": "Urteil: DURCHGEFALLEN", "findings": [row]}
    council.judge("ann", verdict("PASS"))
    council.judge("ben", refused, refused, json.dumps(told))
    ran = council.validate("ann,ben")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE")
    assert [judge["used"] for judge in ran.json["roster"]["judges"]] == [True, False]
    council.judge("ben", refused, refused, json.dumps({**told, "verdict": "FAIL"}))
    judges = council.validate("ann,ben", "--fresh").json["roster"]["judges"]
    assert [judge["word"] for judge in judges] == ["PASS", "FAIL"]


def test_a_judge_whose_answer_was_not_used_has_not_responded(moot):
    moot.judge("ann", moot.verdict("PASS"))
    moot.judge("ben", "The work has many sides and one could say a lot about each of them.")
    report = moot.sit()
    said = next(moot.folder.glob("*.md")).read_text()
    assert [judge.used for judge in report.judges] == [True, False]
    assert "1/2 judges responded" in said
    assert "2/2 judges responded" not in said


IDEAS = (
    "One could put Redis before the database, which is fast but adds a service. Another way is to"
    " send ETags; it costs nothing and helps reads only."
)


def test_ideas_in_prose_are_put_into_the_form_and_checked_word_by_word(moot):
    told = {
        "options": [
            {
                "title": "put Redis before the database",
                "pros": ["fast"],
                "cons": ["adds a service"],
            },
            {
                "title": "send ETags",
                "pros": ["costs nothing"],
                "cons": ["slow", "helps reads only"],
            },
            {"title": "rewrite it in Rust"},
        ]
    }
    moot.judge("ann", IDEAS, IDEAS, json.dumps(told), reply="verdict")
    ideas = moot.sit(moot.plan(task="brainstorm")).ideas
    assert [each.title for each in ideas.options] == ["put Redis before the database", "send ETags"]
    assert ideas.options[1].cons == ("helps reads only",)


@pytest.fixture
def provider():
    with serving([Rule(text="")]) as running:
        yield running


def test_the_model_that_is_set_for_clerks_is_asked_and_in_the_schema(shop, provider):
    shop.write("prices.py", "def total(items):\n    return sum(items) / 2\n")
    shop.commit()
    provider.rules = [
        Rule(text=json.dumps(FAILS), match="You are a clerk"),
        Rule(text="fine"),
    ]
    add_judge(shop, "ann", PROSE)
    env = {
        **provider.environment(),
        "NO_PROXY": "127.0.0.1",
        "GUILD_CLERK_MODEL": "anthropic:claude-haiku-4-5",
    }
    ran = shop.guild("validate", "prices.py", "--agents", "ann", "--json", env=env)
    assert ran.json["verdict"] == "flagged"
    assert [each["evidence"] for each in ran.json["blocking_findings"]] == ["Every total is halved"]
    [asked] = provider.requests
    assert asked.model == "claude-haiku-4-5"
    assert '"verdict_quote"' in json.dumps(asked.body)
    provider.rules = [Rule(status=400, message="no such clerk")]
    ran = shop.guild("validate", "prices.py", "--agents", "ann", "--json", "--fresh", env=env)
    assert ran.code == 4, ran
    assert (
        "no clerk could put it into the form: the provider answered 400: no such clerk" in ran.out
    )


def flagged(fix):
    return (
        "VERDICT: flagged\n\nReasons:\n- halved: prices.py:2 the total is halved\n\n"
        f"Suggested remedies:\n- {fix}\n"
    )


def test_a_clerk_is_asked_about_remedies_that_share_a_place_and_a_subject(shop):
    shop.write("prices.py", "def total(items):\n    return sum(items) / 2\n")
    shop.commit()
    one, other = "Divide the total by the number of items.", "Give the total as an exact fraction."
    for answer in ("contradict", "compatible"):
        row = {
            "number": 1,
            "answer": answer,
            "quote_a": "Divide the total by",
            "quote_b": "the total as an",
        }
        said = json.dumps({"pairs": [row]})
        add_judge(shop, "ann", flagged(one), seats={"clerk": said})
        add_judge(shop, "ben", flagged(other))
        ran = shop.guild("validate", "prices.py", "--agents", "ann,ben", "--json", "--fresh")
        conflict = answer == "contradict"
        assert ran.json["verdict"] == ("flagged-conflict" if conflict else "flagged")
        assert len(ran.json["conflicts"]) == conflict


def test_a_clerk_who_sits_on_the_panel_lifts_no_block_by_a_contradiction(shop):
    """Two of four families agree; the first judge, who approves, is the clerk and says they contradict."""
    shop.write("prices.py", "def total(items):\n    return sum(items) / 2\n")
    shop.commit()
    quotes = {"quote_a": "Divide the total by", "quote_b": "the total as an"}
    row = {"number": 1, "answer": "contradict", **quotes}
    said = json.dumps({"pairs": [row]})
    add_judge(shop, "ann", "VERDICT: approved", seats={"clerk": said}, family="ann")
    add_judge(shop, "ben", flagged("Divide the total by the number of items."), family="ben")
    add_judge(shop, "cat", flagged("Give the total as an exact fraction."), family="cat")
    add_judge(shop, "dan", "VERDICT: approved", family="dan")
    ran = shop.guild("validate", "prices.py", "--agents", "ann,ben,cat,dan", "--json")
    assert len(ran.json["conflicts"]) == 1
    assert (ran.code, ran.json["outcome"]) == (2, "flagged")
    [shown] = ran.json["blocking_findings"]
    assert "2 of 4 model families report it" in shown["note"]


OBJECT = (
    '{"verdict": "CONDITIONAL PASS", "confidence": "MEDIUM", "key_insight": "it halves", "findings":'
    ' {"1": {"severity": "minor", "description": "an empty list gives\n0.0", "location": "prices.py:2"}}}'
)
"""What models write: a word of their own, findings as an object, a raw line break, no version."""
NOTES = "Looks fine overall.\n\nVerdict: approved (with minor notes)\n\n1. prices.py:1 has no docstring\n"


@pytest.mark.parametrize("said", [OBJECT, NOTES])
def test_a_warning_in_other_words_that_code_reads_twice_needs_no_clerk(council, said):
    council.judge("ann", verdict("PASS"))
    council.judge("ben", said)
    ran = council.validate("ann,ben")
    assert (ran.code, ran.json["outcome"]) == (0, "WARN"), ran.json["reasons"]
    council.judge("ben", said, "I have said enough.")
    ran = council.validate("ann,ben", "--fresh")
    assert ran.json["outcome"] == "INCOMPLETE"


def test_what_a_judge_without_a_verdict_said_is_told_once(council):
    said = (
        "I would not ship this until the division is gone. So: needs changes, in my view, and soon."
    )
    council.judge("ann", verdict("PASS"))
    council.judge("ben", said)
    ran = council.run("validate", "prices.py", "--agents=ann,ben", "--count=2")
    assert ran.code == 3
    assert ran.out.count("I would not ship this") == 1


@pytest.mark.parametrize("line", [("validate",), ("council", "validate")], ids=["panel", "council"])
def test_the_total_holds_what_a_clerk_of_another_model_and_second_asks_took(shop, provider, line):
    shop.write("prices.py", "def total(items):\n    return sum(items) / 2\n")
    shop.commit()
    provider.rules = [
        Rule(text=json.dumps(FAILS), match="You are a clerk"),
        Rule(text="{}", match="You are the chair"),
        Rule(text=PROSE),
    ]
    env = {
        **provider.environment(),
        "NO_PROXY": "127.0.0.1",
        "GUILD_CLERK_MODEL": "anthropic:claude-haiku-4-5",
    }
    model = ("--model", "anthropic:claude-sonnet-4-5")
    ran = shop.guild(*line, "prices.py", *model, "--json", env=env)
    total = ran.json["costs"]["total"]
    assert {each.model for each in provider.requests} == {"claude-sonnet-4-5", "claude-haiku-4-5"}
    assert total["requests"] == len(provider.requests)
    tokens = total["input_tokens"] / 1e6 * 3 + total["output_tokens"] / 1e6 * 15
    assert 0 < total["cost_usd"] < tokens
    seats = ran.json["roster"].get("judges") or ran.json["roster"]["seats"]
    others = [each for each in ran.json["costs"]["seats"] if each["seat"] == "chair"]
    parts = sum(each["usd"] for each in seats) + sum(each["cost_usd"] for each in others)
    assert parts == pytest.approx(total["cost_usd"])
    [listed] = shop.guild("runs", "list", "--json").json["runs"]
    assert listed["usd"] == pytest.approx(total["cost_usd"])


def test_a_clerk_who_rules_on_remedies_is_in_the_total(shop, provider):
    shop.write("prices.py", "def total(items):\n    return sum(items) / 2\n")
    shop.commit()
    row = {"number": 1, "answer": "compatible", "quote_a": "", "quote_b": ""}
    provider.rules = [Rule(text=json.dumps({"pairs": [row]}))]
    add_judge(shop, "ann", flagged("Divide the total by the number of items."))
    add_judge(shop, "ben", flagged("Give the total as an exact fraction."))
    env = {
        **provider.environment(),
        "NO_PROXY": "127.0.0.1",
        "GUILD_CLERK_MODEL": "anthropic:claude-haiku-4-5",
    }
    ran = shop.guild("validate", "prices.py", "--agents", "ann,ben", "--json", env=env)
    assert provider.requests
    costs = ran.json["costs"]
    assert [each["seat"] for each in costs["seats"] if each["cost_usd"]] == ["clerk"]
    assert costs["total"]["requests"] == len(provider.requests)
    assert costs["total"]["cost_usd"] > 0
