"""Six judges of two vendors, a debate, replies as models write them: what a lead reads, and in which order."""

import json
import re
from pathlib import Path

import pytest

from guildmoot.model.settings import ALIASES
from judges import add_council_judge, finding, verdict
from practices.conftest import headings

LOGIN = """import hashlib


def sign_in(db, name, password):
    digest = hashlib.md5(password.encode()).hexdigest()
    return db.execute(f"SELECT id FROM users WHERE name = '{name}' AND digest = '{digest}'")


def session_for(user, ttl=86400 * 365):
    return f"{user}:{ttl}"
"""


def found(severity, said, place, fix, why):
    return {
        "severity": severity,
        "category": "security",
        "description": said,
        "location": place,
        "recommendation": fix,
        "fix": fix,
        "why": why,
        "ref": place,
    }


SQL = (
    found("critical", "SQL injection: `name` is formatted into the SELECT statement of sign_in",
          "", "Use placeholders", "Anyone can sign in as anyone."),
    found("critical", "SQL injection: `name` is interpolated into the SELECT statement of sign_in",
          "login.py:6", "Bind the parameters with ?", "No account is needed to read the table."),
    found("significant", "SQL injection through the f-string of the SELECT in sign_in",
          "login.py:6", "Pass name and digest as parameters", "The form reaches the database."),
)  # fmt: skip
MD5 = found("critical", "Passwords are hashed with unsalted MD5", "login.py:5", "Use argon2id", "A leak is cracked in hours.")  # fmt: skip
TTL = found("minor", "Sessions live for a year", "login.py:9", "Make it a day", "A stolen one stays useful.")  # fmt: skip
SILENT = {"fail": "overloaded"}


@pytest.fixture
def six(shop):
    shop.write("login.py", LOGIN)
    shop.commit()

    def says(word, insight, advice, *findings, **more):
        more = {"key_insight": insight, "recommendation": advice, **more}
        return [verdict(word, *findings, **more)]

    first = {
        "judge-1": says("FAIL", "The query can be injected.", "Bind the parameters first.", SQL[0], MD5),
        "judge-2": says("FAIL", "Injection and MD5: it must not ship.", "Move to argon2id.", SQL[1], MD5),
        "judge-3": says("WARN", "Sessions are long.", "Shorten the sessions.", SQL[2], TTL, confidence="LOW"),
    }  # fmt: skip
    second = {
        "other-1": says("FAIL", "Input reaches SQL.", "Use placeholders everywhere.", SQL[1]),
        "other-2": says("FAIL", "It can be injected.", "Add a test with a quote.", SQL[1]),
        "other-3": [SILENT],
    }
    add_council_judge(shop, "one", verdict("WARN"), family="anthropic", seats=first)
    add_council_judge(shop, "other", verdict("WARN"), family="openai", seats=second)
    return shop


def council(shop, *more):
    line = ("council", "--mixed", "--debate", "validate", "login.py", "--agents", "one,other")
    return shop.guild(*line, *more)


def markdown(shop):
    [file] = (shop.root / ".agents" / "council").glob("*.md")
    return file.read_text()


def test_the_order_is_what_a_lead_asks_in(six):
    ran = council(six, "--report", "out.html")
    shown = re.findall(r"^[A-Z][A-Z ]+(?=$|  )", ran.out, re.MULTILINE)
    order = ["SHARED FINDINGS", "DISAGREEMENTS", "RECOMMENDATION", "MINORITY VIEWS", "JUDGES"]
    order += ["VERDICT SHIFTS", "COVERAGE", "NEXT"]
    assert [title for title in shown if title in order] == order
    sections = ["Shared Findings", "Disagreements", "Recommendation", "Minority Views", "Verdicts"]
    page = (six.root / "out.html").read_text()
    titles = re.findall(r"<h[23][^>]*>([^<]+)", page)
    for found_there in (headings(markdown(six)), [title.strip() for title in titles]):
        assert [title for title in found_there if title in sections] == sections


def test_a_finding_of_most_judges_is_shared_with_how_many_of_how_many_why_fix_and_a_place(six):
    ran = council(six)
    shared = ran.out.partition("SHARED FINDINGS")[2].partition("DISAGREEMENTS")[0]
    first = shared.split("✗ ")[1]
    assert "login.py:6" in first, "one that speaks for it named no place, another did"
    assert "5 of 6 judges" in first
    assert "why" in first
    assert "fix" in first
    row = next(line for line in markdown(six).splitlines() if "5 of 6 judges:" in line)
    assert row.startswith("| SQL injection")
    assert "No account is needed" in row or "The form reaches" in row
    [issue] = [
        each for each in json.loads(council(six, "--json").out)["issues"] if each["raised"] == 5
    ]
    assert issue["judges"] == 6


def test_only_a_difference_is_a_disagreement(six):
    ran = council(six)
    disputed = ran.out.partition("DISAGREEMENTS")[2].partition("RECOMMENDATION")[0]
    assert "not raised" not in ran.out + markdown(six)
    assert "judge-3: significant" in " ".join(disputed.split())
    assert "MD5" not in disputed, "whoever raises it calls it critical"


def test_a_silent_judge_is_told_once_and_has_its_row(six):
    ran = council(six)
    assert ran.out.count("overloaded") == 1
    assert ran.out.count("other-3") == 2, ran.out
    assert markdown(six).count("overloaded") == 1


def test_every_judge_recommends_and_its_own_confidence_is_marked_as_its_own(six):
    ran = council(six)
    advised = ran.out.partition("RECOMMENDATION")[2].partition("MINORITY VIEWS")[0]
    for said in ("Bind the parameters first", "argon2id", "Shorten", "everywhere", "with a quote"):
        assert said in advised
    assert "own confidence LOW" in ran.out
    assert "| Its own confidence |" in markdown(six)


def test_words_that_a_newcomer_must_guess_are_explained_where_they_stand(six):
    told = " ".join(council(six).out.split())
    assert "floor" not in told
    assert "was not measured ('guild probe' does)" in told
    assert "staged" not in told
    assert "worth 2 independent votes (judges of one vendor tend to err together)" in told


def test_a_wide_window_and_a_narrow_one_hold_every_line(six):
    for columns in ("80", "120"):
        out = six.guild("council", "show", "last", env={"COLUMNS": columns}).out
        assert all(len(line) <= int(columns) for line in out.splitlines()), columns


def test_progress_names_the_round(six):
    told = council(six).err
    assert told.index("round 1") < told.index("round 2: each judge restates")
    second = told.partition("round 2: each judge answers")[2]
    assert second.count("[1/5]") == 1, "the count begins anew with every round"


def test_a_quick_check_without_a_model_is_one_view_that_has_the_headings_verdict(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    ran = shop.guild("council", "--quick", "validate", "login.py")
    [text] = [file.read_text() for file in (shop.root / ".agents" / "council").glob("*.md")]
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    heading = re.search(r"^## Verdict: (\w+)", text, re.MULTILINE)
    assert heading
    assert json.loads(block)["verdict"] == heading[1] == ran.out.split()[1]
    assert json.loads(block)["findings"], "what the tools found is in the one view"
    assert "single-agent" not in text


@pytest.mark.parametrize(
    "line",
    [
        *("shwo", "shwo last", "candidate", "rechekc 20260101"),
        *("reseach the API", "--quick brainstrom caching", "valdate login.py", "compar a b"),
    ],
)
@pytest.mark.sample(3)
def test_a_mistyped_verb_is_an_error_with_what_was_meant(shop, line):
    shop.write("login.py", LOGIN)
    shop.commit()
    ran = shop.guild("council", *line.split())
    assert (ran.code, ran.out) == (64, "")
    assert "Did you mean" in ran.err
    assert not (shop.root / ".guild" / "runs").exists()


def test_words_that_only_look_like_a_verb_are_no_slip(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    for words in ("recent", "check", "shadow", "search", "comparing", "invalidate", "validation"):
        assert "Did you mean" not in shop.guild("council", "--dry-run", words).err


def test_help_lists_the_verbs(shop):
    shown = shop.guild("council", "--help").out
    for verb in ("show", "candidates", "compare", "recheck"):
        assert f"guild council {verb}" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_every_variable_of_a_council_is_documented():
    told = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text()
    for name in (name for names in ALIASES.values() for name in names):
        assert f"`{name}`" in told


def test_a_single_view_that_blocks_is_named_at_the_top_and_what_follows_anyway_is_not_told_twice(
    shop,
):
    shop.write("login.py", LOGIN)
    shop.commit()
    add_council_judge(shop, "one", verdict("FAIL", MD5), family="a")
    add_council_judge(shop, "two", verdict("WARN"), family="b")
    line = ("council", "validate", "login.py", "--agents", "one,two")
    out = shop.guild(*line).out
    assert "MD5" in out.partition("IN SHORT")[2].partition("RECOMMENDATION")[0]
    add_council_judge(shop, "two", verdict("FAIL", MD5), family="b")
    assert "IN SHORT" not in shop.guild(*line, "--fresh").out


def test_when_nobody_answers_the_way_to_try_again_is_named(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    add_council_judge(shop, "one", SILENT)
    ran = shop.guild("council", "validate", "login.py", "--agents", "one", "--count=1")
    assert ran.code == 4
    assert "guild resume" in ran.out


def test_answers_of_which_nothing_could_be_read_are_told_so_and_end_in_4(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    add_council_judge(shop, "vague", "It depends on many things.")
    ran = shop.guild("council", "brainstorm", "where sessions live", "--agents", "vague")
    assert ran.code == 4
    assert "no answer could be read" in ran.out
    assert "not read" in ran.out
    assert "  answered" not in ran.out


def test_the_head_says_why_once_and_what_the_votes_are_worth_in_a_line_of_its_own(six):
    head, _, _ = council(six).out.partition("SHARED FINDINGS")
    lines = head.splitlines()
    assert lines[0].startswith("✗ FAIL  4 of 6 judges say FAIL, and ")
    assert head.count("FAIL (") == 0
    assert "clean PASS" not in head, "it fails anyway, and who is silent is named"
    assert any(
        line.startswith("  5 of 6 judges voted, worth 2 independent votes") for line in lines
    )


def test_each_recommendation_stands_under_its_judges_name_and_none_is_called_the_same(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    advice = "Fix both before merging.", "Fix expiry; schedule purge.", "Fix expiry; schedule purge"
    for name, said in zip("abc", advice, strict=True):
        add_council_judge(shop, name, verdict("FAIL", MD5, recommendation=said))
    line = ("council", "validate", "login.py", "--agents", "a,b,c", "--report", "out.html")
    ran = shop.guild(*line, "--report", "out.json")
    told = " ".join(ran.out.partition("RECOMMENDATION\n")[2].partition("\n\n")[0].split())
    assert told == f"• judge-2, judge-3 (FAIL): {advice[1]} • judge-1 (FAIL): {advice[0]}"
    for text in (ran.out, markdown(shop), (shop.root / "out.html").read_text()):
        assert "in other words" not in text
    advised = json.loads((shop.root / "out.json").read_text())["recommendations"]
    assert [each["who"] for each in advised] == [["judge-2", "judge-3"], ["judge-1"]]


def test_every_judges_words_of_a_shared_finding_stand_in_files_under_its_name(council):
    first = finding("totals are halved because the sum is divided by two", why="Bills are too low")
    second = finding("the total is halved: total() divides the sum by two", why="Half is billed")
    near = finding("total() halves the sum", "prices.py:1", why="Nobody pays in full", fix="halve")
    council.judge("one", verdict("FAIL", first), family="anthropic")
    council.judge("two", verdict("FAIL", {**second, "fix": "return plain"}), family="openai")
    council.judge("three", verdict("FAIL", near), family="openai")
    council.run("validate", "prices.py", "--agents", "one,two,three", "--report", "out.html")
    page = re.sub(r"<[^>]+>", "", (council.root / "out.html").read_text())
    for text in (council.text.replace("**", ""), page):
        for said in (first, second, near):
            assert said["description"] in text
            assert said["why"] in text
        assert "judge-1: return sum(items)" in text
        assert "judge-2: return plain" in text


def test_nobody_is_said_to_be_alone_with_what_another_vendor_says_too(council):
    here = finding("totals are halved because the sum is divided by two", "prices.py:2")
    tax = finding("no tax is added to an invoice", "prices.py:1", fix="add it", why="the law")
    far = finding("the sum is divided by two, so totals are halved", "prices.py:30")
    council.root.joinpath("prices.py").write_text("import tax\n\n" + "x = 1\n" * 30)
    council.judge("one", verdict("FAIL", here), family="anthropic")
    council.judge("two", verdict("FAIL", far, tax), family="openai")
    council.run("validate", "prices.py", "--agents", "one,two")
    alone = council.text.partition("Cross-Vendor Insights")[2].partition("###")[0]
    assert "Raised so by openai alone" in alone
    assert "no tax" in alone
    assert "halved" not in alone


def test_nobody_is_credited_with_another_judges_recommendation(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    for name, advice in (("one", "Fix the query before"), ("two", "Fix the login before")):
        add_council_judge(shop, name, verdict("FAIL", MD5, recommendation=f"{advice} merging it."))
    ran = shop.guild("council", "validate", "login.py", "--agents", "one,two")
    advised = ran.out.partition("RECOMMENDATION\n")[2].partition("\n\n")[0]
    assert "judge-1, judge-2" not in advised
    assert all(f"Fix the {what} before merging it." in advised for what in ("query", "login"))


def test_angles_that_nobody_takes_are_told_in_one_line(shop):
    shop.write("README.md", "# A shop\n\nIt sells.\n")
    shop.commit()
    ran = shop.guild("council", "--preset=doc-review", "validate", "README.md")
    assert ran.code == 3
    assert " ".join(ran.out.split()).count("accuracy-verifier") == 1, ran.out


def test_who_says_the_same_letter_by_letter_is_named_and_not_repeated(shop):
    shop.write("login.py", LOGIN)
    shop.commit()
    add_council_judge(shop, "one", verdict("FAIL", MD5))
    add_council_judge(shop, "two", verdict("FAIL", MD5))
    shop.guild("council", "validate", "login.py", "--agents", "one,two", "--report", "out.html")
    page = (shop.root / "out.html").read_text()
    found = page.partition("Shared Findings")[2].partition("<h2")[0]
    assert found.count(MD5["description"]) == 1, found


def test_a_fail_on_minor_findings_alone_is_a_remark_by_its_vote_and_no_finding(council):
    nit = finding("the name is short", severity="minor", category="style")
    council.judge("strict", verdict("FAIL", nit, key_insight="Names matter."))
    council.judge("mild", verdict("PASS"))
    ran = council.run("validate", "prices.py", "--agents", "strict,mild", "--json")
    told = "it said FAIL; counts as WARN because every finding is minor"
    assert [each["evidence"] for each in ran.json["issues"]] == ["the name is short"]
    assert ran.json["blocking_findings"] == []
    judge = ran.json["roster"]["judges"][0]
    assert (judge["said"], judge["word"], judge["reason"]) == ("FAIL", "WARN", told)
    assert [each["evidence"] for each in judge["findings"]] == ["the name is short"]
    written = council.text
    shown = council.run("validate", "prices.py", "--agents", "strict,mild").out
    for text in (shown, written):
        flat = " ".join(text.split())
        assert "but every finding is minor" not in flat
        assert "counts as WARN" in flat
    assert told in written
    assert "FAIL, counts as WARN" in written


def test_what_code_says_of_a_fail_supports_no_finding_of_another_judge(council):
    insight = "Totals are halved, so every invoice is wrong."
    nit = finding("the name is short", severity="minor", category="style", why=None)
    half = finding("totals are halved because of the division", severity="significant", why=insight)
    council.judge("strict", verdict("FAIL", nit, key_insight=insight))
    council.judge("mild", verdict("WARN", half, key_insight=insight))
    ran = council.run("validate", "prices.py", "--agents", "strict,mild", "--json")
    told = {each["evidence"]: (each["raised"], each["blocking"]) for each in ran.json["issues"]}
    assert told == {half["description"]: (1, False), nit["description"]: (1, False)}
    assert ran.json["verdict"] == "WARN"
    assert "a finding that blocks" not in council.text


def test_a_fail_without_findings_stands_with_the_judges_own_words_and_no_made_up_finding(council):
    council.judge("grim", verdict("FAIL", key_insight="It cannot be trusted with money."))
    ran = council.run("validate", "prices.py", "--agents", "grim", "--json")
    assert (ran.json["verdict"], ran.json["issues"]) == ("FAIL", [])
    assert ran.json["roster"]["judges"][0]["findings"] == []
    told = 'no finding; the reason given: "It cannot be trusted with money."'
    assert any(told in note for note in ran.json["notes"])


def test_a_judge_that_could_not_be_read_is_not_said_to_be_missing_nor_to_have_answered(council):
    council.judge("vague", "Well, one could see it this way, and one could see it another way too.")
    ran = council.run("validate", "prices.py", "--agents", "vague", "--json")
    assert ran.json["roster"]["judges"][0]["status"] == "unread"
    told = " ".join((*ran.json["reasons"], *ran.json["floors"]))
    assert "no judge here knows the language" not in told
    assert (
        "nobody who knows the language of the code gave a verdict (judge-1, judge-2 could" in told
    )


def test_a_tool_that_found_only_what_stood_there_before_says_so_and_not_what(council):
    risk = "HIGH: Use of weak MD5 hash for security. Consider another"
    front = ["name: weak", "description: d", "backend: tool", "format: lines"]
    front += ["command: [grep, -nH, md5, '{files}']", "exit_codes: {0: findings, 1: clean}"]
    front += [
        "pattern: '(?P<path>[^:]+):(?P<line>\\d+):(?P<message>.*)'",
        "severities: {'*': high}",
    ]
    council.shop.agent("weak.md", "\n".join(["---", *front, "---", "Judge.", ""]))
    council.shop.write("prices.py", f"import hashlib\nhash = hashlib.md5  # {risk}\ncheap = 1\n")
    council.shop.commit()
    council.shop.write("prices.py", f"import hashlib\nhash = hashlib.md5  # {risk}\ncheap = 2\n")
    council.shop.commit()
    ran = council.run("validate", "HEAD~1..HEAD", "--agents", "weak", "--json")
    [judge] = ran.json["roster"]["judges"]
    assert (judge["word"], judge["findings"]) == ("PASS", [])
    shown = council.run("validate", "HEAD~1..HEAD", "--agents", "weak").out
    for text in (shown, council.reports[0].read_text()):
        assert "1 earlier finding, not of this change" in text
        assert "nothing found" not in text
        assert "weak MD5" not in text
