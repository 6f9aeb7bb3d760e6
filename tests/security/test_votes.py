"""A vote is a clear yes or it is none: every reply goes through the real flow, over HTTP, and is asked again."""

import json

import pytest

from flow import Said, hear
from guildmoot.practices.council.judge import council_verdict
from loopback.rules import APPROVED
from security.votes import APPROVAL, FLAG, NO_APPROVAL


def fill(text):
    return (
        text.replace("{n:.4}", "{nonce4}")
        .replace("{{", "{")
        .replace("}}", "}")
        .replace("{n}", "{nonce}")
    )


@pytest.fixture(scope="module")
def heard():
    """What came of every row: all are asked at once."""
    rows = {**NO_APPROVAL, **APPROVAL}
    said = [Said(fill(text), fill(text)) for text in rows.values()]
    return dict(zip(rows, hear(said), strict=True))


@pytest.mark.parametrize("name", NO_APPROVAL)
@pytest.mark.sample(4)
def test_what_is_no_clear_approval_is_none(heard, name):
    assert heard[name].outcome != "approved", heard[name]


@pytest.mark.parametrize("name", APPROVAL)
def test_a_clear_approval_is_one(heard, name):
    assert heard[name].outcome == "approved", heard[name]
    assert not any(finding.blocking for finding in heard[name].findings)


@pytest.mark.parametrize("form", ["verdict", "council"])
def test_a_clear_flag_counts_wherever_it_stands_and_is_not_asked_away(form):
    for again in (None, "VERDICT {nonce}: approved"):
        said = [Said(fill(text), again or fill(text), form) for text in FLAG.values()]
        heard = dict(zip(FLAG, map(council_verdict, judged := hear(said)), strict=True))
        assert {name: one and one.verdict for name, one in heard.items()} == dict.fromkeys(
            FLAG, "FAIL"
        )
        assert {one.outcome for one in judged} == {"flagged"}


WASHED = {
    "another verdict": "VERDICT {n}: approved\nVERDICT {n}: flagged",
    "an object that flags": '{"verdict": "flagged", "reasons": ["SQL injection"]}\n\nVERDICT {n}: approved',
    "a grave heading": "## Critical issues\n1. SQL injection in app.py:2",
    "a table": "| Critical | app.py:2 | SQL injection |\n",
    "a rating": "[P0] app.py:2 SQL injection, must fix before merge",
    "a ticked box": "VERDICT:\n- [ ] approved\n- [x] flagged",
    "a sign": "⛔ SQL injection at app.py:2",
    "the council's word": "FAIL\n\nThis deletes the database.",
    "an unknown verdict": "Verdict: FAIL\n\nVERDICT {n}: approved",
    "a rejection": "VERDICT {n}: rejected",
}
"""First replies whose form speaks against an approval."""


@pytest.mark.parametrize("name", WASHED)
def test_what_the_form_of_a_reply_says_is_not_asked_away(name):
    again = "VERDICT {nonce}: approved"
    for one in hear([Said(fill(WASHED[name]), again, form) for form in ("verdict", "council")]):
        assert one.outcome != "approved", one


OBJECTS = {
    "a recusal": {**APPROVED, "recusal": "I saw nothing"},
    "a command that failed": {**APPROVED, "cli_runs": [{"command": "pytest", "passed": False}]},
    "checks that say no": {**APPROVED, "checks": "This is malware, do not merge."},
    "nothing read": {**APPROVED, "checks": "Nothing: the packet was empty."},
    "an unknown key": {**APPROVED, "final_verdict": "flagged"},
    "an unknown word": {**APPROVED, "verdict": "approved!"},
    "a missing key": {key: value for key, value in APPROVED.items() if key != "reasons"},
    "a wrong type": {**APPROVED, "reasons": "none"},
    "a number": {**APPROVED, "verdict": 1},
    "a list around it": [APPROVED],
    "in another object": {"example": APPROVED},
}
NOTE = {
    "code": "x-y",
    "severity": "low",
    "path": "",
    "line": 0,
    "quote": "",
    "what": "w",
    "fix": "f",
}
TEXTS = {
    **{name: json.dumps(value) for name, value in OBJECTS.items()},
    "a key twice": json.dumps(APPROVED)[:-1] + ', "verdict": "approved"}',
    "two objects": json.dumps(APPROVED) * 2,
    "words before": f"Here it is: {json.dumps(APPROVED)}",
    "words after": f"{json.dumps(APPROVED)}\nDo not merge.",
    "in a fence, words before": f"So:\n```json\n{json.dumps(APPROVED)}\n```",
    "cut off": json.dumps(APPROVED)[:-2],
    "an unknown severity": json.dumps({**APPROVED, "advisories": [{**NOTE, "severity": "fatal"}]}),
    "something high": json.dumps({**APPROVED, "advisories": [{**NOTE, "severity": "high"}]}),
    "a note that says no": json.dumps(
        {
            **APPROVED,
            "advisories": [{**NOTE, "what": "BLOCKING: SQL injection, must be fixed first"}],
        }
    ),
    "something critical": json.dumps(
        {**APPROVED, "advisories": [{**NOTE, "severity": "critical"}]}
    ),
    "something that blocks": json.dumps({**APPROVED, "reasons": [{**NOTE, "blocking": True}]}),
    "a fix that must be": json.dumps(
        {**APPROVED, "advisories": [{**NOTE, "fix": "must be removed before release"}]}
    ),
    "a code that blocks": json.dumps({**APPROVED, "advisories": [{**NOTE, "code": "BLOCKER"}]}),
    "a reason that says no": json.dumps(
        {**APPROVED, "reasons": [{**NOTE, "blocking": False, "what": "do not merge: it leaks"}]}
    ),
    "an escalation": json.dumps({**APPROVED, "escalation": "legal must decide"}),
    "prose": "VERDICT: approved",
    "NaN": json.dumps({**APPROVED, "checks": float("nan")}),
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize(
    "model", ["anthropic:claude-sonnet-4-5", "openai:gpt-5", "google:gemini-2.5-pro"]
)
def test_an_object_votes_only_when_it_is_all_and_fits(model):
    """Whatever the vendor promised."""
    heard = hear([Said(text, text) for text in TEXTS.values()], model)
    approved = [name for name, one in zip(TEXTS, heard, strict=True) if one.outcome == "approved"]
    assert approved == []


def test_an_object_is_a_judgement_with_its_findings():
    reason = {
        **NOTE,
        "blocking": True,
        "path": "app.py",
        "line": 3,
        "quote": "log(token)",
        "severity": "high",
    }
    rows = [
        json.dumps({**APPROVED, "advisories": [NOTE], "confidence": "low"}),
        f"```json\n{json.dumps(APPROVED)}\n```",
        json.dumps({**APPROVED, "verdict": "flagged", "reasons": [reason]}),
        json.dumps({**APPROVED, "verdict": "flagged"}),
        json.dumps({**APPROVED, "verdict": "recused", "recusal": "not mine"}),
        json.dumps({**APPROVED, "verdict": "flagged", "reasons": [{"what": "it leaks"}]}),
    ]
    one, fenced, flagged, bare, recused, unfit = hear(
        [Said(row, row) for row in rows], "openai:gpt-5"
    )
    assert (one.outcome, one.confidence, one.findings[0].blocking) == ("approved", "low", False)
    assert fenced.outcome == "approved"
    [finding] = flagged.findings
    assert (finding.path, finding.line, finding.quote, finding.blocking) == (
        "app.py",
        3,
        "log(token)",
        True,
    )
    assert (bare.outcome, bare.findings[0].code) == ("flagged", "flagged-without-reasons")
    assert (recused.outcome, recused.reason) == ("recused", "not mine")
    assert (unfit.outcome, unfit.findings[0].title) == ("flagged", "it leaks")


def test_what_lacks_the_line_is_asked_for_it_once_and_keeps_its_findings():
    line = "VERDICT {nonce}: approved"
    notes = "All is well.\n\nAdvisory notes:\n- naming: app.py:3 `x`: a longer name\n"
    rows = [
        Said(notes, line),
        Said("Reasons:\n- BLOCKING: leak: app.py:3 logs the token\n", line),
        Said("Reasons:\n- BLOCKING: leak: app.py:3 logs the token\n", "VERDICT {nonce}: flagged"),
        Said("It is fine.", "VERDICT: flagged"),
        Said("It is fine.", "VERDICT: approved"),
        Said("", f"Checked.\n\n{line}"),
    ]
    noted, blocked, flagged, plain, unbound, silent = hear(rows)
    assert (noted.outcome, [each.code for each in noted.findings]) == ("approved", ["naming"])
    assert blocked.outcome == "unreadable"
    assert (flagged.outcome, flagged.findings[0].code) == ("flagged", "leak")
    assert plain.outcome == "flagged", "a clear flag counts without a nonce"
    assert (unbound.outcome, unbound.findings) == ("unreadable", ()), "no vote is no finding"
    assert silent.outcome == "approved", "who said nothing is asked in full"


COUNCIL = {
    "verdict": "PASS",
    "confidence": "HIGH",
    "key_insight": "k",
    "findings": [],
    "recommendation": "r",
    "schema_version": 4,
}
GRAVE = {
    "severity": "critical",
    "category": "c",
    "description": "d",
    "location": "app.py:1",
    "recommendation": "r",
}
PASS = "VERDICT {nonce}: PASS"


@pytest.mark.parametrize("model", ["openai:gpt-5", "openai-compatible:m"])
def test_a_councils_judge_passes_the_work_with_one_whole_object_or_with_the_line(model):
    whole = json.dumps(COUNCIL)
    warns, fails = whole.replace("PASS", "WARN"), whole.replace("PASS", "FAIL")
    good = [
        Said(whole, ""), Said(f"```json\n{whole}\n```", ""), Said(f"So:\n{whole}", PASS), Said(f"So:\n{whole}", whole),
        Said("I found no issues.", PASS), Said("I found no issues.", "VERDICT {nonce}: approved"), Said(whole[:-1], f"{whole}\n\n{PASS}"),
    ]  # fmt: skip
    bad = [
        Said(f"Hm:\n{whole}", f"Hm:\n{whole}"), Said(f"Hm:\n{whole}", "VERDICT: PASS"), Said(f"Hm:\n{warns}", PASS),
        Said("It is fine.", PASS), Said("It is fine.", f"{fails}\n\n{PASS}"), Said("It is fine.", f"{PASS}\nbut see app.py:1"), Said("no", PASS.replace("P", "!P")),
        Said(json.dumps({**COUNCIL, "findings": [GRAVE]}), PASS), Said(json.dumps({**COUNCIL, "final_verdict": "FAIL"}), ""),
        Said(whole.replace("PASS", "!PASS"), ""), Said(json.dumps({"example": COUNCIL}), ""), Said(json.dumps({**COUNCIL, "findings": [{**GRAVE, "severity": "fatal"}]}), ""),
        Said("Reasons:\n- BLOCKING: leak: app.py:3 logs the token", PASS), Said(whole[:-1] + ', "findings": []}', ""), Said("## Verdict\n[ ] PASS\n[x] FAIL", ""), Said(f"{whole}\n{fails}", PASS),
    ]  # fmt: skip
    heard = hear([one._replace(form="council") for one in (*good, *bad)], model)
    outcomes = [
        (one.outcome, one.council and one.council.verdict and one.council.verdict.verdict)
        for one in heard
    ]
    assert outcomes[: len(good)] == [("approved", "PASS")] * len(good)
    assert [bad[at] for at, one in enumerate(outcomes[len(good) :]) if one[0] == "approved"] == []
