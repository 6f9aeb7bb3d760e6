"""The clerk at work: a judge whose reply cannot be read, answers full of ideas, and pairs of remedies."""

import json

import pytest

from judges import add_judge
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
            "quote_a": "Divide the total",
            "quote_b": "the total as",
        }
        said = json.dumps({"pairs": [row]})
        add_judge(shop, "ann", flagged(one), seats={"clerk": said})
        add_judge(shop, "ben", flagged(other))
        ran = shop.guild("validate", "prices.py", "--agents", "ann,ben", "--json", "--fresh")
        conflict = answer == "contradict"
        assert ran.json["verdict"] == ("flagged-conflict" if conflict else "flagged")
        assert len(ran.json["conflicts"]) == conflict
