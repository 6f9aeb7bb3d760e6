"""What a council cost is recorded and reported, also where nobody votes."""

import json

import pytest

from loopback import Rule, serving

BRAINSTORM = json.dumps(
    {"options": [{"title": "ETags", "summary": "s", "pros": ["cheap"], "cons": ["old"]}]}
)
RESEARCH = json.dumps({"facets": [{"facet": "Cost", "findings": ["two clusters for a day"]}]})
OPENING = json.dumps(
    {
        "positioning": "here",
        "recommendations": [{"rank": n, "text": f"do {n}", "why": "w"} for n in (1, 2, 3)],
        "kill_list": [{"text": "stop", "why": "w"}],
        "top_risk": "time",
    }
)


@pytest.mark.parametrize(
    ("text", "words", "requests"),
    [
        (BRAINSTORM, ("brainstorm", "caching"), 1),
        (RESEARCH, ("research", "upgrade patterns"), 1),
        (OPENING, ("--perspectives", "beck,hickey", "debate", "one repository"), 3),
    ],
)
def test_usage_model_and_cost_are_on_record_and_in_the_report(shop, text, words, requests):
    shop.write("prices.py", "LIMIT = 3\n")
    shop.commit()
    with serving([Rule(text=text)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        model = "anthropic:claude-sonnet-4-5"
        ran = shop.guild("council", "--model", model, *words, "--json", env=env)
    assert ran.code == 0, ran
    judges = ran.json["roster"]["judges"]
    assert len(judges) == 2
    for judge in judges:
        assert judge["usage"]["requests"] == requests
        assert judge["usage"]["input_tokens"] > 0
        assert judge["usd"] > 0
    [file] = shop.root.glob(".guild/runs/*/replies.json")
    replies = json.loads(file.read_text())["replies"]
    assert len(replies) == 2 * requests
    assert all(reply["usage"]["input_tokens"] > 0 for reply in replies)
    assert all("claude" in reply["model"] for reply in replies)
