"""What a judge wrote in words stays in the report when it is asked once more for its verdict."""

import html
import json

import pytest

from guildmoot.reading.council.reasons import says_fail
from judges import add_council_judge, verdict
from loopback import Rule, serving

MODEL = ("--model", "anthropic:claude-sonnet-4-5", "--count", "1")
FAILED = (
    "This should not go in. The function in prices.py, line 2, is the trouble: total() halves every sum, so each"
    " invoice is wrong. I would fail it until that is gone."
)
WARNED = "I'd be careful here. In prices.py, line 2, the sum is divided, so each shop that prints it has to double it."
PLACELESS = "This is to be rejected as it stands. Every total is halved before anybody sees it, so each invoice is wrong."
MISQUOTED = json.dumps(
    {
        "verdict": "WARN",
        "verdict_quote": "I'd be careful here",
        "findings": [
            {"severity": "significant", "quote": "the total is divided", "location": "", "recommendation": ""}
        ],
    }
)  # fmt: skip


def asked(council, first, word, clerk="I cannot do that.", *, terminal=False):
    rules = [
        Rule(f"VERDICT {{nonce}}: {word}", "exactly one of these"),
        Rule(clerk, "You are a clerk"),
        Rule(first),
    ]
    with serving(rules) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1", "COLUMNS": "400"}
        line = (*MODEL, "validate", "prices.py")
        plain = council.run(*line, "--json", "--report", "out.html", env=env)
        shown = council.run(*line, env=env) if terminal else None
    views = {
        "Markdown": " ".join(council.reports[0].read_text().split()),
        "page": " ".join(html.unescape((council.root / "out.html").read_text()).split()),
        "JSON": json.dumps(plain.json),
        "file": " ".join(
            (council.reports[0].with_suffix("") / "judge-1.md")
            .read_text()
            .replace("\n>", " ")
            .split()
        ),
    }
    return plain, views | ({"terminal": " ".join(shown.out.split())} if shown else {})


@pytest.mark.parametrize(
    ("first", "word", "clerk"),
    [(FAILED, "FAIL", "no"), (WARNED, "WARN", "no"), (WARNED, "WARN", MISQUOTED)],
)
def test_the_place_that_a_judge_names_in_words_is_a_finding(council, first, word, clerk):
    plain, views = asked(council, first, word, clerk)
    assert plain.json["outcome"] == word
    [judge] = plain.json["roster"]["judges"]
    [found] = judge["findings"]
    assert (found["path"], found["line"], found["blocking"]) == ("prices.py", 2, word == "FAIL")
    assert found["evidence"] in first
    assert [view for view, text in views.items() if first.split(". ")[0] not in text] == []
    assert [view for view, text in views.items() if "(nothing)" in text] == []


def test_a_reason_without_a_place_stands_in_every_view(council):
    plain, views = asked(council, PLACELESS, "FAIL", terminal=True)
    assert plain.json["outcome"] == "FAIL"
    assert [view for view, text in views.items() if PLACELESS not in text] == []
    assert [view for view, text in views.items() if "(nothing)" in text] == []
    assert "[Asked once more:]" in views["file"]


def test_a_pass_that_was_only_given_when_asked_says_so_in_every_view(council):
    first = "I went through prices.py and the whole of it looks good to me."
    stands = {"code": "{nonce}", "stands": "PASS", "was_everything_read": True, "must_fix": []}
    told = json.dumps(stands)
    with serving([Rule(told, "What is your verdict"), Rule(first)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1", "COLUMNS": "400"}
        line = (*MODEL, "validate", "prices.py")
        plain = council.run(*line, "--json", env=env)
        shown = council.run(*line, env=env)
    note = f'it was asked again for its verdict and answered PASS; at first it said: "{first}"'
    assert (plain.code, plain.json["outcome"]) == (0, "PASS")
    for view in (json.dumps(plain.json["notes"]), council.reports[0].read_text(), shown.out):
        assert note.replace('"', "") in " ".join(view.split()).replace('\\"', "").replace('"', "")


def test_the_line_that_votes_is_no_reason(council):
    plain, views = asked(council, FAILED, "FAIL")
    assert not plain.json["roster"]["judges"][0]["beside"].count("VERDICT")
    assert "VERDICT" not in views["Markdown"].partition("Own Words")[2].split("###")[0]


def test_what_a_clerk_quotes_rightly_is_the_finding(council):
    quote = "total() halves every sum"
    told = {
        "verdict": "FAIL",
        "verdict_quote": "I would fail it",
        "findings": [
            {
                "severity": "critical",
                "quote": quote,
                "location": "prices.py, line 2",
                "recommendation": "",
            }
        ],
    }
    plain, _ = asked(council, FAILED, "FAIL", json.dumps(told))
    assert [each["evidence"] for each in plain.json["roster"]["judges"][0]["findings"]] == [quote]


@pytest.mark.parametrize(
    "second", ["FAIL", "Verdict: FAIL", '{"verdict": "FAIL"}', "VERDICT: FAIL"]
)
def test_a_bare_second_answer_keeps_the_reasons_of_the_first(moot, second):
    moot.judge("ann", FAILED, second, "I cannot do that.")
    report = moot.sit()
    [judge] = report.judges
    assert judge.word == "FAIL"
    assert [(each.path, each.line, each.blocking) for each in judge.findings] == [
        ("prices.py", 2, True)
    ]
    assert FAILED.split(". ")[0] in judge.beside


@pytest.mark.parametrize(
    "opening",
    ["FAIL.", "FAIL:", "**FAIL.**", "FAIL because", "This fails:", "My answer is FAIL:"],
)
@pytest.mark.parametrize("again", ["As I said, FAIL.", ""])
def test_a_fail_in_words_that_never_became_a_vote_is_no_approval_of_the_others(
    shop, opening, again
):
    shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    shop.commit()
    said = f"{opening} prices.py:2 lets anybody choose what a thing costs."
    add_council_judge(shop, "ann", [said, again or said, "no"])
    names = [f"j{number}" for number in range(4)]
    for name in names:
        add_council_judge(shop, name, verdict("PASS"))
    who = ",".join(("ann", *names))
    ran = shop.guild("council", "--agents", who, "validate", "prices.py", "--json")
    assert (ran.code, ran.json["outcome"]) != (0, "WARN"), ran.json["reasons"]
    assert ran.json["outcome"] in ("INCOMPLETE", "FAIL"), ran.json["reasons"]


@pytest.mark.parametrize(
    "text", ["I cannot give PASS, WARN or FAIL.", "The tests failed to load.", ""]
)
def test_who_only_cannot_judge_says_no_fail(text):
    assert not says_fail(text)
