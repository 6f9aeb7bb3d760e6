"""A judge's reasons and remedies reach every view of the report, however it wrote them."""

import html
import json

import pytest

from judges import verdict
from loopback import Rule, serving

MODEL = ("--model", "anthropic:claude-sonnet-4-5")
WHY, FIX = "auditors reject the halved invoices", "return the sum undivided"
OTHER_WHY, OTHER_FIX = "an empty cart raises at midnight", "guard against empty carts"
ALL = (WHY, FIX, OTHER_WHY, OTHER_FIX)


def row(**more):
    given = {"severity": "significant", "category": "c", "location": "prices.py:2"}
    return {**given, **more}


FORMS = {
    "remedies in a list of their own": f"""VERDICT: FAIL

REASONS
- Totals are halved (prices.py:2): {WHY}.
- Nothing is returned for no items (prices.py:1): {OTHER_WHY}.

SUGGESTED REMEDIES
- {FIX}
- {OTHER_FIX}
""",
    "fewer remedies than reasons": f"""## Verdict: FAIL

## Findings

- **[critical]** Totals are halved (prices.py:2). {WHY}. {OTHER_WHY}.
- **[minor]** The name is vague (prices.py:1).

## Suggested fixes

- First {FIX}, then {OTHER_FIX}, and rename it.
- Ship it behind a flag.
- Write a test.
""",
    "reasons below a list of headlines": f"""Verdict: FAIL

Findings:
1. [critical] Totals are halved (prices.py:2)
2. [significant] The cart is not checked (prices.py:1)

Reasoning:
For the first, {WHY}. For the second, {OTHER_WHY}.

Recommendations:
1. {FIX}
2. {OTHER_FIX}
""",
    "prose before the object": f"""I read it twice. It matters because {WHY}; besides, {OTHER_WHY}.

```json
{verdict("FAIL", row(description="totals are halved", recommendation=FIX, fix=OTHER_FIX, why=None))}
```
""",
    "advice and a fix for one finding": verdict(
        "FAIL", row(description="totals are halved", recommendation=FIX, fix=OTHER_FIX, why=f"{WHY}, and {OTHER_WHY}")
    ),
    "a recommendation of several lines": f"""**Verdict: FAIL**

- critical: totals are halved (prices.py:2)
  Why: {WHY}, and {OTHER_WHY}

### Recommendation

- {FIX}
- {OTHER_FIX}
""",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", [(), ("--quick",)], ids=["several", "one"])
def test_why_and_remedy_of_a_finding_stand_in_every_view(council, form, mode):
    with serving([Rule("nothing", "You are the chair"), Rule(FORMS[form])]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1", "COLUMNS": "400"}
        line = (*mode, *MODEL, "validate", "prices.py", "--report", "out.html")
        ran = council.run(*line, env=env)
        plain = council.run(*line, "--json", env=env)
    views = {
        "terminal": " ".join(ran.out.split()),
        "Markdown": " ".join(council.reports[0].read_text().split()),
        "page": " ".join(html.unescape((council.root / "out.html").read_text()).split()),
        "JSON": json.dumps(plain.json),
    }
    lost = [(name, said) for name, text in views.items() for said in ALL if said not in text]
    assert not lost


def test_what_the_findings_say_is_not_said_again_in_the_judge_s_own_words(council):
    reply = f"""**Verdict:** FAIL

- critical: totals are halved (prices.py:2)
  Why: {WHY}
  Fix: {FIX}
"""
    with serving([Rule("nothing", "You are the chair"), Rule(reply)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = council.run(*MODEL, "validate", "prices.py", env=env)
    assert "OWN WORDS" not in ran.out
    assert "In Their Own Words" not in council.text


def test_every_judge_s_reason_for_a_shared_finding_stands_once(council):
    first = row(description="totals are halved in total()", recommendation=FIX, fix=None, why=WHY)
    second = {**first, "description": "total() halves the totals", "why": f"{WHY}. {OTHER_WHY}."}
    council.judge("ann", verdict("FAIL", first))
    council.judge("ben", verdict("FAIL", second))
    ran = council.run(
        "validate", "prices.py", "--agents", "ann,ben", "--count=2", env={"COLUMNS": "300"}
    )
    table = next(line for line in council.text.splitlines() if WHY in line)
    for shown in (ran.out.partition("RECOMMENDATION")[0], table):
        assert shown.count(WHY) == 1
        assert shown.count(OTHER_WHY) == 1


def test_a_report_says_each_thing_once_and_whole(council):
    """A title in bold, a place in the words of a finding, a judge without an insight of its own."""
    marked = """## Verdict: FAIL

### Findings

1. **[critical] Totals are halved** — `prices.py:2`
   Every invoice is wrong by half.
   **Fix:** drop the division.
"""
    plain = verdict(
        "FAIL",
        row(description="The cart is never checked (prices.py:1)", recommendation="check it"),
    )
    council.judge("ann", marked)
    council.judge("ben", plain)
    ran = council.run("validate", "prices.py", "--agents", "ann,ben", "--count=2")
    for text in (ran.out, council.text):
        assert "**" not in text.partition("In Short")[2].partition("### ")[0]
        assert "halved**" not in text.replace("\\", "")
        assert "(prices.py:1) at prices.py:1" not in text
    rows = council.text.partition("Key insight")[2].partition("\n\n")[0]
    assert "Totals are halved" in rows


STANDS = '{"code": "{nonce}", "stands": "PASS", "was_everything_read": true, "must_fix": []}'


@pytest.mark.parametrize("then", [STANDS, "As I said."], ids=["stands by it", "does not answer"])
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Verdict: PASS\n\nTidy work.\n\nThe second click pays again.", "second click pays"),
        ("**PASS**\n\n| Part | State |\n|---|---|\n| Sum | right |\n| Tax | doubled |", "doubled"),
        ("PASS\n\nWould I ship it? Rather not.", "Rather not"),
    ],
)
def test_what_stands_beside_a_pass_in_words_is_in_the_report(council, said, shown, then):
    rules = [
        Rule(then, r"Do you stand by PASS\?"),
        Rule("nothing", "You are the chair"),
        Rule(said),
    ]
    with serving(rules) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1", "COLUMNS": "400"}
        ran = council.run("--quick", *MODEL, "validate", "prices.py", env=env)
    assert "OWN WORDS" in ran.out
    assert shown in ran.out
    assert shown in council.text
    assert ran.code == (0 if then == STANDS else 4)
