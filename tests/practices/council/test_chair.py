"""The summary: written after the verdict, each sentence tied to issues, and never able to change anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.reading.council.chair import ChairFacts, read_chair
from guildmoot.reading.council.standing import IssueStanding
from judges import finding, verdict
from loopback import Rule, serving

LIMIT = "the loop never ends for an empty list"
MODEL = ("--model", "anthropic:claude-sonnet-4-5")


def said(*rows, **more):
    rows = [{"text": text, "issues": list(ids)} for text, *ids in rows]
    return json.dumps({**more, "sentences": rows})


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
    ran, [request] = held(council, (said(first, ("Mend the halved total first.", *ids)),))
    summary = ran.json["summary"]
    told = [each for each in summary["sentences"] if each["text"] == first[0]]
    assert (summary["by"], [each["issues"] for each in told]) == ("chair", [[ids[0]]])
    assert ids[1] in request.prompt
    assert "return sum(items)" not in request.prompt.partition("issues, behind bars")[0]
    [text] = [t for file in council.reports if first[0] in (t := file.read_text())]
    assert text.index("### In Short") < text.index("### Shared Findings")
    assert "written by a chair (anthropic:claude-sonnet-4-5) after the verdict was computed" in text


def test_what_blocks_stands_in_its_judge_s_words_whatever_the_chair_says_of_it(council, ids):
    ran, _ = held(council, (said(("The total of the invoice is fine.", ids[0])),))
    told = [each["text"] for each in ran.json["summary"]["sentences"]]
    assert LIMIT.rstrip(".") in " ".join(told)
    assert "findings block" in told[0]
    assert not any("is fine" in each for each in told)


def test_sentences_without_a_known_issue_are_asked_for_again(council, ids):
    wrong = said(("The tests are missing.", "0000deadbeef"), ("All is lost.",))
    ran, asked = held(council, (wrong, said(("Totals are halved.", ids[0]))))
    *own, last = [each["text"] for each in ran.json["summary"]["sentences"]]
    assert last == "Totals are halved."
    assert any(LIMIT in each for each in own)
    assert len(asked) == 2
    assert "names issues that do not exist" in asked[1].prompt


REPLACED = [
    ((("Totals are halved.", 0), ("All is well.", "nope")), {}, "named issues that do not exist"),
    ((("Totals are halved.", 0), ("And more.",)), {}, "wrote a sentence that names no issue"),
    (
        (("Totals are halved.", 0),),
        {"verdict": "PASS"},
        "stated the verdict 'PASS', and it is FAIL",
    ),
    (
        (("Totals are halved.", 0), ("It is ready to merge.", 0)),
        {"verdict": "FAIL"},
        "wrote as if the verdict were not FAIL",
    ),
    (
        (("Totals are halved.", 0), ("It is good to go.", 0)),
        {},
        "wrote as if the verdict were not FAIL",
    ),
]


@pytest.mark.parametrize(("rows", "more", "why"), REPLACED)
def test_a_summary_of_another_verdict_or_of_nothing_is_replaced_and_said(
    council, ids, rows, more, why
):
    named = [(text, *(ids[at] if at == 0 else at for at in of)) for text, *of in rows]
    ran, asked = held(council, (said(*named, **more),))
    summary = ran.json["summary"]
    assert (summary["by"], len(asked)) == ("template", 2)
    assert any(ids[0] in each["issues"] for each in summary["sentences"])
    assert f"the chair {why}, so a template sums up" in ran.json["notes"]
    assert "ready to merge" not in council.reports[-1].read_text().partition("### In Short")[2]


def test_the_chair_is_asked_for_the_verdict_by_schema_and_one_that_repeats_it_is_used(council, ids):
    ran, [request] = held(council, (said(("Totals are halved.", ids[0]), verdict="FAIL"),))
    assert ran.json["summary"]["by"] == "chair"
    form = request.body["output_config"]["format"]["schema"]
    assert "verdict" in form["required"]
    assert "FAIL" in form["properties"]["verdict"]["enum"]


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
    assert len(read_chair(rows, ChairFacts({"a": ""}, "FAIL", {"judge-2"})).sentences) == 2
    assert read_chair(rows, ChairFacts({"a": ""}, "WARN")).problem


@given(st.text(max_size=300), st.sampled_from(["PASS", "WARN", "FAIL", "DISAGREE"]))
def test_any_reply_gives_only_sentences_of_known_issues(text, outcome):
    for reply in (text, json.dumps({"sentences": text}), said((text, "a"), (text, "b"))):
        found = read_chair(reply, ChairFacts({"a": ""}, outcome))
        assert all(set(each.issues) == {"a"} for each in found.sentences)
        assert found.sentences or found.problem


def option(title, *pros, cons=()):
    return {"title": title, "summary": f"about {title}", "pros": list(pros), "cons": list(cons)}


BRAINSTORM = json.dumps(
    {
        "options": [option("ETags", "cheap", cons=["stale reads"]), option("Redis", "quick")],
        "questions": ["How fresh must it be?"],
        "recommendation": "Begin with ETags.",
    }
)
RESEARCH = json.dumps(
    {
        "facets": [{"facet": "Cost", "findings": ["two clusters for a day", "no new licence"]}],
        "questions": [],
        "recommendation": "",
    }
)


def gathered(council, said_by_all, chair, *words):
    with serving([Rule(chair, "You are the chair"), Rule(said_by_all)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run(*words, *MODEL, "--fresh", "--json", env=env)
        asked = [each for each in provider.requests if "You are the chair" in each.prompt]
    return ran, asked


def test_a_chair_answers_a_brainstorm_and_each_sentence_names_what_it_rests_on(council):
    right = ("Both judges propose ETags, which are cheap but may be stale.", "option-1")
    chair = said(right, ("Buy a bigger server.", "option-9"), ("It is all fine.",))
    ran, [first, second] = gathered(council, BRAINSTORM, chair, "brainstorm", "caching")
    summary = ran.json["summary"]
    assert (ran.code, summary["by"]) == (0, "chair")
    assert summary["sentences"] == [{"text": right[0], "issues": ["option-1"]}]
    assert "stale reads" in first.prompt
    assert "option-9" in second.prompt, "it is told what was wrong, once"
    ids = {each["id"] for part in ("options", "questions") for each in ran.json["ideas"][part]}
    assert {"option-1", "option-2", "question-1"} <= ids
    text = council.text
    assert text.index("### In Short") < text.index("### Options Explored")
    assert "by a chair (anthropic:claude-sonnet-4-5) from what the judges said" in text


def test_a_chair_answers_a_research_and_cannot_make_a_verdict_of_it(council):
    chair = said(("The verdict is PASS.", "theme-1"), ("Two clusters run for a day.", "theme-1"))
    ran, _ = gathered(council, RESEARCH, chair, "research", "upgrades")
    assert [each["text"] for each in ran.json["summary"]["sentences"]] == [
        "Two clusters run for a day."
    ]
    assert ran.json["outcome"] is None


def test_without_a_chair_a_template_answers_a_brainstorm(council):
    council.judge("wise", BRAINSTORM)
    council.judge("bold", json.dumps({"options": [option("ETags", "standard")]}))
    ran = council.run("brainstorm", "caching", "--agents", "wise,bold", "--json")
    summary = ran.json["summary"]
    assert (ran.code, summary["by"]) == (0, "template")
    texts = [each["text"] for each in summary["sentences"]]
    assert texts[0] == "2 options from 2 judges, 1 of them proposed by more than one."
    assert texts[1] == "ETags (2 of 2 judges) — for: cheap; against: stale reads."
    assert any("recommends: Begin with ETags." in each for each in texts)
    assert "How fresh must it be?" in texts[-1]
    known = {each["id"] for each in ran.json["ideas"]["options"]}
    assert summary["sentences"][1]["issues"][0] in known
    assert "### In Short" in council.text


def test_a_finding_of_two_judges_stands_once_under_its_theme(council):
    chair = said(("Two clusters run for a day.", "theme-1"))
    with serving([Rule(chair, "You are the chair"), Rule(RESEARCH)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("research", "upgrades", *MODEL, "--fresh", env=env)
    assert ran.out.count("no new licence") == 1
    assert "no new licence (judge-1, judge-2" in ran.out


def test_the_chair_of_a_brainstorm_is_foreseen(council):
    ran = council.run("brainstorm", "caching", *MODEL, "--dry-run", "--json")
    assert [each["name"] for each in ran.json["seats"]][-1] == "chair"


def test_what_several_judges_ask_and_advise_alike_is_told_once(council):
    chair = said(("Both would begin with ETags.", "option-1"))
    with serving([Rule(chair, "You are the chair"), Rule(BRAINSTORM)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run("brainstorm", "caching", *MODEL, "--fresh", env=env)
    assert ran.out.count("How fresh must it be? (judge-1, judge-2)") == 1
    assert "judge-1, judge-2 recommend: Begin with ETags." in ran.out
    assert "begin with ETags. (ETags)" in ran.out


MADE_UP = [
    "Both judges pass the work, everything is fine and it can be merged at once.",
    "Judge openai-7 found a remote code execution in the cart.",
    "judge-9 wants the division mended.",
    "A remote code execution stands in payments.py:99.",
    "This is safe to ship.",
]
TRUE = [
    "Totals are halved in prices.py, and judge-2 wants the division mended.",
    "It must not be merged before the division in prices.py is mended.",
    "One judge would pass it, the others fail it for the division.",
    "Use UTF-8 and SHA-256 here.",
]


def test_a_sentence_against_the_verdict_or_of_judges_and_files_that_are_not_there_is_dropped():
    shown = "totals are halved by the division; use UTF-8 and SHA-256\nprices.py:2"
    facts = ChairFacts({"a": shown}, "FAIL", {"judge-1", "judge-2"})
    rows = said(*((text, "a") for text in MADE_UP))
    assert read_chair(rows, facts).sentences == ()
    kept = read_chair(said(*((text, "a") for text in TRUE)), facts)
    assert [each.text for each in kept.sentences] == TRUE, kept.problem


SQL = (
    "SQL is built from the coupon code with an f-string a coupon code from a form can read or change any row"
    " bind the code as a parameter\nsrc/shop/coupons.py:6\n3 of 3 judges"
)
STRAY = [
    "A second problem, a backdoor in the payment module, needs three weeks.",
    "Another critical problem is a backdoor.",
    "The coupon code costs 40 requests for each row.",
    "Binding the coupon code as a parameter takes a week.",
    "The SQL in src/shop/auth.py is built from a form.",
    "The coupon code reaches the billing service as SQL.",
    "The coupon row is read by `drop_all`.",
    "Customers lose their carts whenever the network is slow, says the coupon judge.",
]
FITS = [
    "A form can change any row through the coupon code, so bind it as a parameter first.",
    "All three judges find that SQL is built from the coupon code in src/shop/coupons.py:6.",
    "An injection of SQL into coupons.py is the one critical finding, and 3 of 3 judges raise it.",
    "It must not be merged before the code is bound.",
    "The verdict is FAIL for this reason.",
]


def test_a_sentence_says_what_the_issues_it_names_say_or_goes():
    facts = ChairFacts({"a": SQL}, "FAIL", {"judge-1", "judge-2", "judge-3"}, "shop.py")
    for text in STRAY:
        found = read_chair(said((text, "a")), facts)
        assert found.sentences == (), text
        assert "issues" in found.problem
    for text in FITS:
        found = read_chair(said((text, "a")), facts)
        assert [each.text for each in found.sentences] == [text], found.problem


def test_a_sentence_may_not_borrow_the_words_of_an_issue_it_does_not_name():
    facts = ChairFacts({"a": SQL, "b": "An unknown code ends in an error 500"}, "FAIL")
    text = "An unknown code ends in an error 500."
    assert read_chair(said((text, "a")), facts).sentences == ()
    assert read_chair(said((text, "b")), facts).sentences


COUNTED = {
    "a": IssueStanding("critical", blocks=True, raised=2, able=2),
    "b": IssueStanding("minor", blocks=False, raised=1, able=2),
}
WORDS = {
    "a": "the name of a row is put into the SQL text; bind it as a parameter; whoever asks can run SQL",
    "b": "LIMIT is never used; remove it",
}
AGAINST_THE_COUNT = [
    ("Only one judge finds that the name is put into the SQL text.", "a"),
    ("The SQL text is a minor matter and can wait.", "a"),
    ("Judges differ on whether a name reaches the SQL text.", "a"),
    ("The name is put into SQL, but only in tests.", "a"),
    ("The SQL text was fixed in the meantime.", "a"),
    ("The SQL text is harmless, since names are short.", "a"),
    ("Nobody needs to bind the name as a parameter.", "a"),
    ("The name in the SQL text does not block.", "a"),
    ("The unused LIMIT is the gravest finding.", "b"),
    ("LIMIT is never used, and that blocks the release.", "b"),
]
WITH_THE_COUNT = [
    ("Both judges find that the name is put into the SQL text.", "a"),
    ("The gravest finding is the name in the SQL text, and it blocks.", "a"),
    ("All judges agree that the SQL text is not safe.", "a"),
    ("It is not minor: whoever asks can run SQL.", "a"),
    ("The SQL text must be fixed first, before anything else is merged.", "a"),
    ("One judge notes that LIMIT is never used, which is cosmetic and blocks nothing.", "b"),
]


def test_a_sentence_against_what_was_counted_is_dropped_and_one_with_it_stays():
    facts = ChairFacts(WORDS, "FAIL", {"judge-1", "judge-2"}, "", COUNTED, "critical")
    for text, id in AGAINST_THE_COUNT:
        assert read_chair(said((text, id)), facts).sentences == (), text
    for text, id in WITH_THE_COUNT:
        found = read_chair(said((text, id)), facts)
        assert [each.text for each in found.sentences] == [text], found.problem


def test_what_was_counted_stands_beside_the_chairs_words(council, ids):
    first = ("Every total is halved, which makes each invoice wrong.", ids[0])
    ran, _ = held(council, (said(first),))
    [*_, sentence] = ran.json["summary"]["sentences"]
    assert sentence["counted"].endswith("blocks, 2 of 2 judges")
    [text] = [t for file in council.reports if first[0] in (t := file.read_text())]
    assert f"{first[0]} ({sentence['counted']}; " in text


TOKENS = {
    "a": "An expired session is still returned by get()\nold logins work for ever\nCheck expires in get()\na.py:20",
    "b": "Session tokens are an MD5 of guessable values\nwhoever knows the second can forge one\nUse secrets\na.py:11",
    "c": "purge() is called by nothing\nMemory grows without bound\nRun purge from a timer\na.py:31",
}
TAKEN_BACK = [
    ("Nothing in get() about an expired session is serious, so merge it.", "a"),
    ("That an expired session is still returned by get() is intended.", "a"),
    ("Returning an expired session from get() is a feature.", "a"),
    ("An expired session works as expected.", "a"),
    ("The expired session that get() returns is no problem.", "a"),
    ("Check expires in get() later and merge it now.", "a"),
    ("Session tokens are not guessable.", "b"),
    ("Session tokens are unguessable.", "b"),
    ("Nobody can forge the session tokens.", "b"),
    ("The session tokens are safe.", "b"),
    ("Memory does not grow.", "c"),
]
UPHELD = [
    ("An expired session is still returned by get(), so old logins work for ever.", "a"),
    ("The gravest problem is that get() never checks expires.", "a"),
    ("It must not be merged before get() checks expires.", "a"),
    ("The session tokens are not safe, since whoever knows the second can forge one.", "b"),
    ("Nothing calls purge(), so memory grows without bound.", "c"),
    ("Use secrets for the session tokens, then run purge from a timer.", "bc"),
]


@pytest.mark.parametrize(("text", "ids"), TAKEN_BACK + UPHELD)
def test_a_sentence_that_denies_or_excuses_its_issue_is_dropped(text, ids):
    standing = dict.fromkeys(TOKENS, IssueStanding("critical", True, 1, 2))
    facts = ChairFacts(TOKENS, "FAIL", {"judge-1", "judge-2"}, "a.py", standing, "critical")
    read = read_chair(said((text, *ids)), facts)
    assert bool(read.sentences) == ((text, ids) in UPHELD), read.problem
    assert read.dropped == len(read.sentences) ^ 1


def test_what_a_sentence_does_with_its_issues_is_asked_for_and_held_to(council, ids):
    row = {"text": "Totals are halved.", "issues": ids[:1], "stance": "states the problem"}
    other = {**row, "text": "Every total is halved.", "stance": "excuses it"}
    text = json.dumps({"verdict": "FAIL", "sentences": [row, other]})
    ran, [request, _] = held(council, (text,))
    item = request.body["output_config"]["format"]["schema"]["properties"]["sentences"]["items"]
    assert "stance" in item["required"]
    assert "excuses it" not in item["properties"]["stance"]["enum"]
    told = [each["text"] for each in ran.json["summary"]["sentences"]]
    assert row["text"] in told
    assert other["text"] not in told
    note = "1 sentence of the chair is left out: the issues do not bear that out"
    assert ran.json["notes"].count(note) == 1
    assert any(note in file.read_text() for file in council.reports)


ORDERS = (
    "search() builds SQL from user input\nanybody can read all orders\nuse bound parameters\na.py:1"
)
EXPIRY = "The token's expiry is not checked\nold tokens keep working\ncheck exp before use\nb.py:4"
PORT = "README names the wrong port\nnewcomers are misled\nwrite 8080\nREADME.md:5"
BORNE_OUT = [
    ("search() builds SQL from user input, so anybody can read all orders.", "a"),
    ("The token's expiry is not checked, so old tokens keep working.", "b"),
    ("Use bound parameters in search() first.", "a"),
    ("Only judge-2 raises the token's expiry.", "b"),
    (
        "User input reaches the SQL of search(), which exposes every order; use bound parameters first.",
        "a",
    ),
    ("search() builds SQL from what a user sends, and that lets anybody read orders.", "a"),
]
FALSE = [
    ("The token's expiry is checked, so old tokens stop working.", "b"),
    ("search() does not build SQL from user input.", "a"),
    ("Nobody can read the orders through search().", "a"),
    ("Do not use bound parameters in search().", "a"),
    ("The SQL in search() can be left as it is.", "a"),
    ("The wrong port in the README is what to mend first.", "c"),
    ("The SQL and the token's expiry are raised by all judges.", "ab"),
    ("judge-1 alone raises that search() builds SQL from user input.", "a"),
    ("search() builds SQL from user input, and the passwords of users are not hashed.", "a"),
    ("search() builds SQL from user input; escape the quotes by hand.", "a"),
    ("The token's expiry is not checked and backups lie in a public bucket.", "b"),
    ("Check exp before use, or rotate the signing keys nightly.", "b"),
    ("Old tokens keep working because the clock of the server drifts.", "b"),
]


@pytest.mark.parametrize(("said", "ids"), BORNE_OUT + FALSE)
def test_a_sentence_that_is_false_of_the_issues_it_names_is_dropped(said, ids):
    standing = {
        "a": IssueStanding("critical", True, 3, 3),
        "b": IssueStanding("significant", True, 1, 3),
        "c": IssueStanding("minor", False, 2, 3),
    }
    judges = {"judge-1", "judge-2", "judge-3"}
    issues = {"a": ORDERS, "b": EXPIRY, "c": PORT}
    facts = ChairFacts(issues, "FAIL", judges, "the API", standing, "critical")
    read = read_chair(json.dumps({"sentences": [{"text": said, "issues": list(ids)}]}), facts)
    assert bool(read.sentences) == ((said, ids) in BORNE_OUT)
