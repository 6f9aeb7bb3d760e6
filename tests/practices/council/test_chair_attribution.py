"""What a chair says of a judge or a vendor is what was counted, or is left out."""

import json

import pytest

from guildmoot.reading.council.attribution import misattributed
from guildmoot.reading.council.chair import ChairFacts, read_chair
from guildmoot.reading.council.standing import IssueStanding
from judges import finding, verdict
from loopback import Rule, serving

SIDES = {f"judge-{n}": "claude" for n in (1, 2, 3)} | {f"openai-{n}": "openai" for n in (1, 2, 3)}
STANDING = {
    "s": IssueStanding(
        "critical", True, 3, 6, {"judge-1": "critical", "judge-3": "minor", "openai-1": "critical"}
    ),
    "r": IssueStanding("critical", True, 2, 6, dict.fromkeys(("openai-1", "openai-2"), "critical")),
    "m": IssueStanding("significant", True, 1, 6, {"judge-2": "significant"}),
}
WORDS = {
    "s": "The INSERT in save() interpolates user_id and target\nwhoever uploads can change the statement\nbind the values",
    "r": "remove() ignores user_id\none customer can delete the file of another\ncheck the owner",
    "m": "MAX_BYTES is never enforced\none upload can fill the disk\ncount the bytes",
}
UNTRUE = [
    ("Only openai found that the INSERT interpolates user_id and target.", "s"),
    ("openai alone saw that the INSERT interpolates user_id and target.", "s"),
    ("Nobody but openai-1 saw that the INSERT interpolates user_id and target.", "s"),
    ("judge-3 calls the INSERT in save() critical.", "s"),
    ("The INSERT in save() is called critical by judge-1 and judge-3.", "s"),
    ("Anthropic's judges overlooked that the INSERT interpolates user_id and target.", "s"),
    ("judge-2 wrote that the INSERT interpolates user_id, and openai-3 confirmed it.", "s"),
    ("All of openai's judges see that the INSERT interpolates user_id.", "s"),
    ("Both vendors raise that remove() ignores user_id.", "r"),
    ("Every vendor raises that remove() ignores user_id.", "r"),
    ("openai-3 also reports that remove() ignores user_id.", "r"),
    ("Judge 2 reports that remove() ignores user_id.", "r"),
    ("Claude finds that remove() ignores user_id.", "r"),
    ("Gemini finds that remove() ignores user_id.", "r"),
    ("Half of the council thinks that remove() ignores user_id.", "r"),
    ("Most of the panel holds that remove() ignores user_id.", "r"),
    ("A lone dissenter finds that the INSERT interpolates user_id.", "s"),
    ("Only judge-2 raises that MAX_BYTES is never enforced, which it calls critical.", "m"),
]
BORNE_OUT = [
    ("judge-1 and openai-1 find that the INSERT interpolates user_id and target.", "s"),
    ("The INSERT is rated critical by judge-1 and openai-1, and minor by judge-3.", "s"),
    ("judge-3 calls the INSERT minor.", "s"),
    ("Both vendors raise that the INSERT interpolates user_id and target.", "s"),
    ("openai alone raises that remove() ignores user_id.", "r"),
    ("One vendor raises that remove() ignores user_id.", "r"),
    ("Judge openai-2 finds that remove() ignores user_id.", "r"),
    ("Only judge-2 notes that MAX_BYTES is never enforced.", "m"),
    ("openai-3 voted PASS, though remove() ignores user_id.", "r"),
    ("remove() ignores user_id, so one customer can delete the file of another.", "r"),
    ("Both the INSERT in save() and remove() trust what a user sends.", "sr"),
    ("judge-1 raises the INSERT and openai-2 that remove() ignores user_id.", "sr"),
]


@pytest.mark.parametrize(("text", "ids"), UNTRUE + BORNE_OUT)
def test_a_sentence_says_of_judges_and_vendors_what_was_counted(text, ids):
    words = "\n".join(WORDS[each] for each in ids)
    told = misattributed(text, words, [STANDING[each] for each in ids], SIDES)
    assert bool(told) == ((text, ids) in UNTRUE), told


def test_an_untrue_word_of_a_judge_is_left_out_of_a_summary():
    rows = [{"text": text, "issues": list(ids)} for text, ids in UNTRUE[:6]]
    facts = ChairFacts(WORDS, "FAIL", {*SIDES}, "shop.py", STANDING, "critical", SIDES)
    read = read_chair(json.dumps({"sentences": rows}), facts)
    assert (read.sentences, read.dropped) == ((), 6), read.problem


def test_a_vendor_that_the_work_is_about_names_no_judge():
    words = "The key of openai is logged\nmask it"
    standing = [IssueStanding("critical", True, 1, 6, {"judge-1": "critical"})]
    assert not misattributed("The key of openai is logged.", words, standing, SIDES)
    assert misattributed("openai-1 finds that the key is logged.", words, standing, SIDES)


def test_who_raised_an_issue_and_how_grave_it_called_it_reaches_the_check(council):
    model = ("--model", "anthropic:claude-sonnet-4-5")
    one = verdict("FAIL", finding())
    other = verdict("PASS")
    with serving([Rule(one, "You are judge 1", times=1), Rule(other)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("validate", "prices.py", *model, "--fresh", "--json", env=env)
    [issue] = ran.json["issues"]
    title = issue["evidence"] if "evidence" in issue else issue["title"]
    rows = [
        {"text": f"{who} finds that {title}.", "issues": [issue["id"]]}
        for who in ("judge-1", "judge-2")
    ]
    chair = json.dumps({"verdict": ran.json["outcome"], "sentences": rows})
    rules = [Rule(chair, "You are the chair"), Rule(one, "You are judge 1", times=1), Rule(other)]
    with serving(rules) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("validate", "prices.py", *model, "--fresh", "--json", env=env)
    told = [each["text"] for each in ran.json["summary"]["sentences"]]
    assert (rows[0]["text"] in told, rows[1]["text"] in told) == (True, False), ran.json["notes"]
