"""The summary: written after the verdict, each sentence tied to issues, and never able to change anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.reading.council.chair import read_chair
from judges import finding, verdict
from loopback import Rule, serving

LIMIT = "the loop never ends for an empty list"
MODEL = ("--model", "anthropic:claude-sonnet-4-5")


def said(*rows):
    return json.dumps({"sentences": [{"text": text, "issues": list(ids)} for text, *ids in rows]})


def held(council, chair=(), *more):
    """A council of two models that fail the work, and a chair that says these things in turn."""
    judge = verdict("FAIL", finding(), finding(LIMIT, "prices.py:1", "significant"))
    turns = [Rule(text, "You are the chair", times=1) for text in chair[:-1]]
    turns += [Rule(text, "You are the chair") for text in chair[-1:]]
    with serving([*turns, Rule(judge)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("validate", "prices.py", *MODEL, "--fresh", "--json", *more, env=env)
        asked = [each for each in provider.requests if "You are the chair" in each.prompt]
    return ran, asked


@pytest.fixture
def ids(council):
    ran, _ = held(council, ("nothing that could be read",))
    return [issue["id"] for issue in ran.json["issues"]]


def test_a_chair_writes_the_summary_and_it_is_marked_as_its_words(council, ids):
    first = ("Every total is halved, which makes each invoice wrong.", ids[0])
    ran, [request] = held(council, (said(first, ("Mend the division first.", *ids)),))
    summary = ran.json["summary"]
    assert (summary["by"], summary["sentences"][0]["issues"]) == ("chair", [ids[0]])
    assert summary["sentences"][0]["text"] == first[0]
    assert ids[1] in request.prompt
    assert "return sum(items)" not in request.prompt.partition("issues, behind bars")[0]
    [text] = [t for file in council.reports if first[0] in (t := file.read_text())]
    assert text.index("### In Short") < text.index("### Shared Findings")
    assert "Written by a chair (anthropic:claude-sonnet-4-5) after the verdict was computed" in text


def test_a_sentence_without_a_known_issue_is_asked_for_again_and_then_left_out(council, ids):
    wrong = said(("The tests are missing.", "0000deadbeef"), ("All is lost.",))
    ran, asked = held(council, (wrong, said(("Totals are halved.", ids[0]), ("And more.", "nope"))))
    assert [each["text"] for each in ran.json["summary"]["sentences"]] == ["Totals are halved."]
    assert len(asked) == 2
    assert "names issues that do not exist" in asked[1].prompt


def test_what_stays_unusable_is_replaced_by_the_template_and_said(council, ids):
    ran, asked = held(council, (said(("All is well.", "nope")),))
    summary = ran.json["summary"]
    assert (summary["by"], len(asked)) == ("template", 2)
    assert any(ids[0] in each["issues"] for each in summary["sentences"])
    assert any(
        "the chair wrote no summary that could be used" in note for note in ran.json["notes"]
    )


def test_a_chair_cannot_change_the_verdict(council, ids):
    ran, _ = held(council, (said(("The verdict should be PASS, since it works.", ids[0])),))
    assert (ran.code, ran.json["outcome"], ran.json["summary"]["by"]) == (2, "FAIL", "template")


def test_a_chair_that_fails_costs_nothing_but_its_words(council):
    judge = verdict("FAIL", finding())
    with serving([Rule("", "You are the chair", status=400), Rule(judge)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("validate", "prices.py", *MODEL, "--json", env=env)
    assert (ran.code, ran.json["outcome"], ran.json["summary"]["by"]) == (2, "FAIL", "template")


def test_the_chair_is_in_the_estimate_and_in_the_ledger(council, ids):
    with serving([]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("--dry-run", "validate", "prices.py", *MODEL, env=env)
        assert "chair" in ran.out
        assert provider.requests == []


def test_without_a_model_a_template_writes_it(council):
    for name in ("one", "other"):
        council.judge(name, verdict("FAIL", finding()))
    ran = council.validate("one,other")
    [lead, gravest] = ran.json["summary"]["sentences"]
    assert ran.json["summary"]["by"] == "template"
    assert "1 of 1 findings block" in lead["text"]
    assert "2 of 2 judges" in gravest["text"]
    assert gravest["issues"] == [ran.json["issues"][0]["id"]]


def test_a_sentence_may_say_what_a_judge_voted_and_the_verdict_that_is():
    rows = said(
        ("judge-2 votes PASS all the same.", "a"), ("The verdict is FAIL for one reason.", "a")
    )
    assert len(read_chair(rows, {"a"}, "FAIL").sentences) == 2
    assert read_chair(rows, {"a"}, "WARN").problem


@given(st.text(max_size=300), st.sampled_from(["PASS", "WARN", "FAIL", "DISAGREE"]))
def test_any_reply_gives_only_sentences_of_known_issues(text, outcome):
    for reply in (text, json.dumps({"sentences": text}), said((text, "a"), (text, "b"))):
        found = read_chair(reply, {"a"}, outcome)
        assert all(set(each.issues) == {"a"} for each in found.sentences)
        assert found.sentences or found.problem
