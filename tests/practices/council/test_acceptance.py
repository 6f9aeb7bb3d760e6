"""The eighteen checks that the council's specification ends with, through the real command.

What the parts do is proved beside them; here each check is seen from where a user stands.
"""

import json
import re
import signal
from itertools import combinations_with_replacement

import pytest

from guildmoot.consensus.council import CouncilVote, tally_council
from guildmoot.reading.verdict_schema import VENDORS, strict_schema
from guildmoot.reports.council.council_report_v1 import check_council_report
from judges import HALVED, ballots, finding, last_words, notes, opening, verdict
from loopback import Rule, serving
from practices.conftest import headings

WORDS = ("PASS", "WARN", "FAIL")
LOW = finding("a name could say more", severity="minor")
MODELS = ("--model", "anthropic:claude-sonnet-4-5,openai:gpt-5")


def panel(council, *words):
    """Judges of one vendor each, who say these words; their names for ``--agents``."""
    for at, word in enumerate(words):
        council.judge(f"j{at}", verdict(word, *([finding()] if word == "FAIL" else [])))
    return ",".join(f"j{at}" for at in range(len(words)))


def on_loopback(provider):
    return {**provider.environment(), "NO_PROXY": "127.0.0.1"}


# 1. The voting table


@pytest.mark.parametrize("size", range(1, 7))
def test_01_every_multiset_of_words_comes_to_what_the_table_says(size):
    for words in combinations_with_replacement(WORDS, size):
        result = tally_council([CouncilVote(f"j{n}", "one", w) for n, w in enumerate(words)])
        expected = "FAIL" if "FAIL" in words else "PASS" if set(words) == {"PASS"} else "WARN"
        assert (result.outcome, result.verdict) == (expected, expected), words


@pytest.mark.parametrize(
    ("words", "outcome", "code"),
    [
        (("PASS", "PASS", "PASS"), "PASS", 0),
        (("PASS", "WARN", "PASS"), "WARN", 0),
        (("WARN", "FAIL"), "FAIL", 2),
    ],
)
def test_01_the_command_counts_by_the_table(council, words, outcome, code):
    ran = council.validate(panel(council, *words))
    assert (ran.code, ran.json["outcome"], ran.json["verdict"]) == (code, outcome, outcome)


def test_01_vendors_that_hold_pass_and_fail_disagree_and_the_gate_fails(council):
    ran = council.validate(panel(council, "PASS", "FAIL"))
    assert (ran.code, ran.json["outcome"]) == (3, "DISAGREE")
    assert (ran.json["disagreement"], ran.json["verdict"]) == (True, None)


# 2. Flags that contradict each other


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--quick --debate validate prices.py", "incompatible"),
        ("--debate brainstorm caching", "only supported with validate"),
        ("--debate research caching", "only supported with validate"),
        ("--technique=scamper validate prices.py", "brainstorm"),
        ("--preset=nobody validate prices.py", "security-audit"),
        ("--profile=nobody validate prices.py", "thorough"),
        ("--technique=nobody brainstorm caching", "six-hats"),
        ("--mode=nobody prices.py", "brainstorm"),
        ("--count=0 validate prices.py", "count"),
        ("--timeout=-1 validate prices.py", "timeout"),
        ("--explorers=6 validate prices.py", "5"),
        ("--agents=ghost validate prices.py", "ghost"),
        ("--perspectives-file=nowhere.yaml validate prices.py", "nowhere.yaml"),
        ("--model=claude --model=codex --agents=a,b,c --mixed validate prices.py", "two"),
        ("validate nowhere.py", "nowhere.py"),
        ("brainstorm", "needs a question"),
        ("show nothing", "recorded run"),
        ("--report=out.exe validate prices.py", ".html"),
    ],
)
@pytest.mark.sample(3)
def test_02_a_conflict_is_refused_with_the_way_out_and_nobody_is_asked(council, line, told):
    ran = council.run(*line.split())
    assert ran.code == 64, ran.out + ran.err
    assert told in ran.err
    assert "Traceback" not in ran.err
    assert not council.ran
    assert not council.folder.exists()


# 3. At most twelve


def test_03_three_judges_with_three_explorers_are_twelve_and_allowed(council):
    steps = [json.dumps({"questions": ["a?", "b?", "c?"]}), verdict("PASS")]
    council.judge("wise", verdict("PASS"), seats={f"judge-{n}~questions": steps for n in (1, 2, 3)})
    ran = council.run("--deep", "--explorers=3", "validate", "prices.py", "--agents=wise", "--json")
    assert (ran.code, ran.json["roster"]["responded"]) == (0, 3), ran.err
    assert [len(judge["explored"]) for judge in ran.json["roster"]["judges"]] == [3, 3, 3]


def test_03_six_with_three_are_scaled_down_loudly_or_refused_where_the_settings_say_so(council):
    council.judge("a", verdict("PASS"))
    council.judge("b", verdict("PASS"))
    line = ("--mixed", "--explorers=3", "validate", "prices.py", "--agents=a,b")
    ran = council.run(*line, env={"GUILD_COUNCIL_FIT": "false"})
    assert ran.code == 64
    assert "24 agents" in ran.err
    assert "--fit" in ran.err
    assert not council.ran
    assert "scaled down: 3 judges x 2 vendors" in " ".join(council.run(*line).out.split())
    ran = council.run(*line, "--json")
    labels = ran.json["roster"]["requested"]
    assert len([label for label in labels if label.startswith("judge-")]) * 2 == len(labels), labels
    assert len(labels) * 4 <= 12, "pairs are kept"


# 4. As many judges as angles


@pytest.mark.parametrize(
    ("flags", "number"),
    [
        (("--preset=security-audit",), 4),
        (("--preset=security-audit", "--count=2"), 2),
        (("--preset=product",), 4),
        (("--preset=architecture",), 3),
        (("--perspectives=a,b,c,d,e",), 5),
        ((), 2),
        (("--deep",), 3),
    ],
)
@pytest.mark.sample(3)
def test_04_a_preset_raises_the_number_of_judges_and_count_has_the_last_word(
    council, flags, number
):
    council.judge("kind", verdict("PASS"))
    ran = council.run(*flags, "validate", "prices.py", "--agents=kind", "--dry-run", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["agents"] == number


# 5. Who has the last word on a setting


@pytest.mark.parametrize(
    ("env", "flags", "settings", "judges", "timeout"),
    [
        ({}, (), "", 2, 120),
        ({}, (), "judges = 5\ntimeout = 33", 5, 33),
        ({}, ("--profile=fast",), "", 2, 60),
        ({}, ("--profile=fast",), "timeout = 33", 2, 33),
        ({}, ("--profile=thorough",), "", 3, 120),
        ({}, ("--profile=thorough", "--count=4"), "judges = 5", 4, 120),
        ({}, ("--profile=fast", "--timeout=7"), "timeout = 33", 2, 7),
        ({"COUNCIL_TIMEOUT": "9"}, ("--timeout=7", "--profile=fast"), "timeout = 33", 2, 7),
        ({"GUILD_COUNCIL_TIMEOUT": "9"}, ("--timeout=7",), "timeout = 33", 2, 7),
        ({"COUNCIL_TIMEOUT": "9"}, ("--profile=fast",), "timeout = 33", 2, 9),
        ({"COUNCIL_TIMEOUT": "9", "GUILD_COUNCIL_TIMEOUT": "8"}, (), "", 2, 8),
        ({"COUNCIL_JUDGE_COUNT": "6"}, ("--count=4",), "judges = 5", 4, 120),
        ({"COUNCIL_JUDGE_COUNT": "6"}, (), "judges = 5", 6, 120),
    ],
)
@pytest.mark.sample(3)
def test_05_flag_before_environment_before_settings_before_profile(
    council, env, flags, settings, judges, timeout
):
    council.judge("kind", verdict("PASS"))
    council.shop.settings(f"[council]\n{settings}\n")
    words = ("validate", "prices.py", "--agents=kind", "--dry-run", "--json")
    ran = council.run(*flags, *words, env=env)
    assert ran.code == 0, ran.err
    found = {row["setting"]: row["value"] for row in ran.json["settings"]}
    assert (int(found["judges"]), float(found["timeout"])) == (judges, timeout)


# 6. Every version of the form


@pytest.mark.parametrize("version", [None, 1, 2, 3, 4])
def test_06_a_verdict_of_any_version_is_read_with_its_fallbacks(council, version):
    old = {key: finding()[key] for key in ("severity", "category", "description", "location")}
    old["recommendation"] = "drop the division"
    given = json.loads(verdict("FAIL", old if (version or 0) < 2 else finding()))
    given = {**given, "schema_version": version} if version else given
    if version is None:
        del given["schema_version"]
    council.judge("old", json.dumps(given))
    ran = council.validate("old")
    assert (ran.code, ran.json["outcome"]) == (2, "FAIL"), ran.out
    [judge] = ran.json["roster"]["judges"]
    [held] = judge["findings"]
    assert (held["path"], held["line"], held["grounding"]) == ("prices.py", 2, "grounded")
    fix = "drop the division" if (version or 0) < 2 else "return sum(items)"
    assert (held["remedy"], f"Fix: {fix}" in council.text) == (fix, True)


@pytest.mark.parametrize("vendor", VENDORS)
def test_06_the_strict_schema_requires_every_property_at_every_level(vendor):
    def check(schema):
        if "properties" in schema:
            assert sorted(schema["required"]) == sorted(schema["properties"])
            assert vendor == "google" or schema["additionalProperties"] is False
        for inner in (*schema.get("properties", {}).values(), schema.get("items")):
            if inner:
                check(inner)

    strict = strict_schema(vendor)
    check(strict)
    assert {"test_assertions", "id"} <= set(strict["properties"]["findings"]["items"]["properties"])


# 7. What a reply may look like


WHOLE = verdict("WARN", LOW)


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        (WHOLE, "WARN"),
        (f"```json\n{WHOLE}\n```", "WARN"),
        (
            [f"Here it is:\n```json\n{WHOLE}\n```\nThat is my view.", "VERDICT {nonce}: WARN"],
            "WARN",
        ),
        (f"Here it is:\n```json\n{WHOLE}\n```\nThat is my view.", None),
        (f"```json\n{verdict('PASS')}\n```\nOn second thoughts:\n```json\n{WHOLE}\n```", None),
        ([WHOLE[: WHOLE.rindex("}") - 3], "VERDICT {nonce}: WARN"], "WARN"),
        (WHOLE.replace('"WARN"', '"MAYBE"'), None),
        (WHOLE.replace('"schema_version": 4', '"schema_version": "4"'), None),
        ("", None),
        ("I'm sorry, but I can't help with that.", None),
    ],
    ids=[
        "json",
        "fenced",
        "prose",
        "unsaid",
        "two",
        "truncated",
        "enum",
        "numbers",
        "empty",
        "refusal",
    ],
)
@pytest.mark.sample(3)
def test_07_a_reply_is_read_mended_or_no_vote_and_never_a_silent_one(council, reply, word):
    said = reply or {"malformed": "empty"}
    council.judge("odd", *(said if isinstance(said, list) else [said]))
    council.judge("kind", verdict("PASS"))
    ran = council.validate("kind,odd")
    odd = ran.json["roster"]["judges"][1]
    if word:
        assert (odd["word"], ran.json["outcome"]) == (word, word)
        return
    assert odd["word"] is None or odd["word"] != "PASS", "of two verdicts the kinder never counts"
    if odd["word"] is None:
        told = [*ran.json["reasons"], *ran.json["notes"]]
        assert any("judge-2" in each for each in told), told
        assert odd["reason"]


# 8. Whoever is missing


@pytest.mark.slow
def test_08_one_of_three_that_times_out_is_left_out_and_told(council):
    council.judge("mute", {"hang": True})
    agents = f"{panel(council, 'PASS', 'PASS')},mute"
    ran = council.validate(agents, "--timeout=1")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE")  # it goes on, but is no clean PASS
    assert ran.json["roster"]["missing"] == ["judge-3"]
    assert "2/3 judges responded" in council.text
    assert "judge-3" in council.text


def test_08_when_nobody_answers_it_is_infrastructure_and_no_fail(council):
    council.judge("mute", {"hang": True})
    ran = council.validate("mute,mute", "--timeout=1")
    assert (ran.code, ran.json["outcome"], ran.json["verdict"]) == (4, "ERROR", None)


def test_08_without_a_model_there_is_one_round_and_it_says_so(council):
    ran = council.run("--debate", "validate", "prices.py", "--json")
    assert any("tools do not debate" in note for note in ran.json["notes"]), ran.json["notes"]


def test_08_a_cancelled_council_writes_an_incomplete_report(council):
    council.judge("mute", {"hang": True})
    agents = f"{panel(council, 'PASS')},mute"
    ran = council.shop.stop("council", "validate", "prices.py", f"--agents={agents}", at="judge-1")
    assert ran.code == 130
    assert "INCOMPLETE" in ran.out
    assert "INCOMPLETE" in council.text


# 9. Debate


def debater(council, name, first, second, *, restated="I hold what I said.", **more):
    council.judge(name, first, restated, second, **more)


def debated(council, first, second, *argv):
    """A debate of two; what each says in both rounds."""
    debater(council, "one", *first)
    debater(council, "two", *second)
    return council.validate("one,two", "--debate", *argv)


PASSED = verdict("PASS", debate_notes=notes())
FAILED = verdict("FAIL", finding(), debate_notes=notes())


@pytest.mark.parametrize(("second", "branch"), [(PASSED, "agreed"), (FAILED, "disagreed")])
def test_09_one_voice_gets_the_agreed_branch_and_a_split_the_other(council, second, branch):
    ran = debated(council, (PASSED, PASSED), (second, second))
    assert ran.json["debate"]["branch"] == branch
    assert ran.json["debate"]["fidelity"] == "degraded", "nobody was kept alive between the rounds"
    assert "Verdict Shifts" in headings(council.text)
    assert "Fidelity" in council.text


def test_09_the_call_that_restates_holds_nothing_of_the_others(council):
    rules = [
        Rule(match="Before you learn what anybody", text="I hold what I said."),
        Rule(
            model="gpt", text=verdict("FAIL", finding(), key_insight="zebra", debate_notes=notes())
        ),
        Rule(text=verdict("PASS", key_insight="A sound giraffe", debate_notes=notes())),
    ]
    with serving(rules) as provider:
        line = ("--mixed", "--count=1", "--debate", "validate", "prices.py", "--json")
        ran = council.run(*line, *MODELS, env=on_loopback(provider))
        assert ran.code == 3, ran.out + ran.err
        prompts = [(request.model, request.prompt) for request in provider.requests]
    restating = [each for each in prompts if "Before you learn what anybody" in each[1]]
    assert len(restating) == 2
    for model, prompt in restating:
        own, other = ("zebra", "giraffe") if "gpt" in model else ("giraffe", "zebra")
        assert own in prompt
        assert other not in prompt
    answering = [prompt for _, prompt in prompts if "Now the others" in prompt]
    assert len(answering) == 2
    assert all("zebra" in prompt and "giraffe" in prompt for prompt in answering)


def test_09_a_second_round_that_times_out_leaves_the_first_and_says_so(council):
    line = ({"hang": True}, "COUNCIL_R2_TIMEOUT")
    debater(council, "one", PASSED, PASSED)
    debater(council, "two", FAILED, line[0])
    ran = council.validate("one,two", "--debate", env={line[1]: "1"})
    shift = next(each for each in ran.json["debate"]["shifts"] if each["label"] == "judge-2")
    assert "R1 verdict (R2 timeout)" in json.dumps(shift)
    assert ran.json["outcome"] == "DISAGREE"
    assert "R2 timeout" in council.text


def test_09_a_flip_without_a_ground_is_weak_does_not_count_and_convergence_is_called_out(council):
    weak = verdict("PASS", debate_notes=notes("good point"))
    ran = debated(council, (PASSED, PASSED), (FAILED, weak))
    shift = next(each for each in ran.json["debate"]["shifts"] if each["label"] == "judge-2")
    assert (shift["changed"], shift["weak"]) == (True, True)
    assert ran.json["outcome"] == "DISAGREE", "the first verdict counts"
    assert ran.json["debate"]["converged"] is True
    assert HALVED in json.dumps(ran.json["debate"]["dropped"]), "a finding left out is listed"
    assert re.search("weak", council.text, re.IGNORECASE)


# 10. What is kept of the findings


def test_10_candidates_are_staged_once_in_the_seven_fields(council):
    file = council.folder / "extraction-candidates.jsonl"
    council.validate(panel(council, "PASS", "PASS"))
    assert not file.exists(), "a PASS yields none"
    unsure = finding("nobody knows the currency", "prices.py:1", "significant")
    council.judge("unsure", verdict("WARN", LOW, unsure, confidence="LOW"))
    council.validate("unsure")
    assert not file.exists(), "neither what is minor nor what the judge doubts"
    council.judge("strict", verdict("FAIL", finding()))
    council.validate("strict")
    [line] = [json.loads(row) for row in file.read_text().splitlines()]
    assert list(line) == [
        *("date", "council_id", "finding_description", "severity"),
        *("source_judge", "candidate_type", "dedup_key"),
    ]
    assert line["finding_description"] == HALVED
    assert re.fullmatch("[0-9a-f]{64}", line["dedup_key"])
    council.validate("strict")
    assert len(file.read_text().splitlines()) == 1, "the second run adds nothing"


# 11. Evidence


def assertion(command, expected="2"):
    return {
        "description": "the division is there",
        "verifies_by": "grep",
        "command": command,
        "expected_result": expected,
    }


def test_11_a_finding_with_one_assertion_holds_the_verdict_down_and_is_listed(council):
    bare = finding("a name could say more", severity="minor", test_assertions=[assertion("true")])
    council.judge("lax", verdict("PASS", bare))
    ran = council.validate("lax", "--evidence")
    assert ran.json["outcome"] == "WARN"
    assert any("assertion" in floor for floor in ran.json["floors"]), ran.json["floors"]
    assert [row["assertions"] for row in ran.json["evidence"]] == [1]


def test_11_only_programs_of_the_list_are_run(council):
    spill = council.root / "spilled"
    checks = [
        assertion(f"touch {spill}", ""),
        assertion("grep -c '/ 2' prices.py", "1"),
    ]
    council.judge("sly", verdict("FAIL", finding(test_assertions=checks)))
    council.shop.settings('[grounding]\nallow = ["grep"]\n')
    ran = council.validate("sly", "--evidence")
    assert ran.code == 2, ran.out + ran.err
    assert not spill.exists()
    [judge] = ran.json["roster"]["judges"]
    assert "refused" in judge["findings"][0]["note"]


def test_11_a_recheck_tells_drift_after_the_cited_place_has_changed(council):
    council.validate(panel(council, "FAIL"))
    before = council.run("recheck", "last", "--json")
    assert [row["standing"] for row in before.json["findings"]] == ["holds"]
    council.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    after = council.run("recheck", "last", "--json")
    assert [row["standing"] for row in after.json["findings"]] == ["vanished"]
    assert after.json["changed_files"] == ["prices.py"]


# 12. Plans


GATE = ("rigor-sequence", "rigor-once", "rigor-precedence", "rigor-conformance")


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        (dict.fromkeys(GATE, 1), "PASS"),
        ({**dict.fromkeys(GATE, 1), "rigor-once": 0}, "WARN"),
        ({**dict.fromkeys(GATE, 1), "rigor-conformance": 0.5}, "WARN"),
        ({**dict.fromkeys(GATE, 1), "rigor-checkable": 0}, "FAIL"),
        ({}, "WARN"),
    ],
    ids=["whole", "missing", "untested", "uncheckable", "unanswered"],
)
def test_12_no_vote_lifts_a_plan_above_its_gate(council, answers, outcome):
    council.shop.write("PLAN.md", "# Plan\n\n1. Consume the queue.\n")
    council.judge("kind", verdict("PASS", satisfaction_breakdown=answers or None))
    ran = council.run("validate", "PLAN.md", "--agents=kind", "--json")
    assert ran.json["outcome"] == outcome, ran.json["reasons"]


# 13. Two vendors


def test_13_every_angle_has_exactly_one_seat_of_each_vendor(council):
    with serving([Rule(text=verdict("PASS"))]) as provider:
        line = ("--mixed", "--preset=architecture", "validate", "prices.py", "--json")
        ran = council.run(*line, *MODELS, env=on_loopback(provider))
    judges = ran.json["roster"]["judges"]
    seats = sorted((judge["perspective"], judge["vendor"]) for judge in judges)
    angles = ("maintainability", "scalability", "simplicity")
    assert seats == [(angle, vendor) for angle in angles for vendor in ("anthropic", "openai")]


def test_13_without_a_second_vendor_it_goes_on_loudly_or_is_refused_before_any_call(council):
    with serving([Rule(text=verdict("PASS"))]) as provider:
        env = {**on_loopback(provider), "OPENAI_API_KEY": ""}
        line = ("--mixed", "validate", "prices.py", *MODELS)
        ran = council.run(*line, "--no-record", env=env)
        assert ran.code == 0
        assert "WARN" in ran.out
        assert "two vendors were asked for" in " ".join(ran.out.split())
        provider.requests.clear()
        ran = council.run(*line, "--strict-mixed", env=env)
        assert ran.code == 64
        assert "openai cannot answer" in ran.err
        assert "drop --strict-mixed" in ran.err
        assert provider.requests == []
    assert not council.ran


# 14. Reports


IDEAS = json.dumps(
    {
        "options": [{"title": "Redis", "summary": "s", "pros": ["fast"], "cons": ["ops"]}],
        "facets": [{"facet": "Speed", "findings": ["a millisecond"]}],
        "questions": ["how many readers?"],
        "recommendation": "Redis",
    }
)
SECTIONS = {
    "validate": ["Verdicts", "Shared Findings", "Disagreements", "Recommendation"],
    "brainstorm": ["Options Explored", "Recommendation"],
    "research": ["Facets Explored", "Synthesized Findings", "Open Questions", "Recommendation"],
}


def steady(text, run_id):
    """A report without what every run has of its own: its id and how long it took."""
    return re.sub(r"\d+(?:\.\d+)? ?s\b|\"seconds\": [\d.]+", "TIME", text.replace(run_id, "RUN"))


@pytest.mark.parametrize("task", SECTIONS)
def test_14_a_report_has_its_sections_and_the_same_replies_give_the_same_bytes(council, task):
    council.judge("a", IDEAS if task != "validate" else verdict("FAIL", finding()))
    council.judge("b", IDEAS if task != "validate" else verdict("FAIL", finding()))
    words = ["prices.py"] if task == "validate" else ["caching"]
    texts = []
    for _ in range(2):
        ran = council.run(task, *words, "--agents=a,b", "--fresh", "--json")
        file = council.folder / f"{ran.json['council_id']}.md"
        own = ran.json["council_id"]
        text = file.read_text()
        assert text.startswith(f"---\nid: council-{ran.json['date']}-{task}-")
        texts.append(steady(text, ran.json["run_id"]).replace(own, "STEM"))
    found = headings(texts[0])
    for section in SECTIONS[task]:
        assert any(heading.startswith(section) for heading in found), (section, found)
    first, second = (re.sub(r"-2\b", "", text) for text in texts)
    assert first == second


# 15. What may be shown, and what was not


def test_15_a_file_of_secrets_is_not_shown_and_is_named(council):
    council.shop.write("src/.env", "PASSWORD=" + "hunter2hunter2\n")
    council.shop.write("src/a.py", "A = 1\n")
    keep = council.shop.home / "prompt"
    (council.shop.home / "answer").write_text(verdict("PASS"))
    command = f'["sh", "-c", "cat > {keep}; cat {council.shop.home}/answer"]'
    council.judge("teller", "", backend="command", command=command)
    agent = council.shop.agents / "teller.md"
    agent.write_text(agent.read_text().replace("replies: teller.json\n", ""))
    ran = council.run("validate", "src/", "--agents=teller", "--count=1", "--json")
    assert ran.json["packet"]["sources"] == ["src/a.py"], ran.out + ran.err
    assert "src/.env" in json.dumps(ran.json["packet"]["omitted"])
    assert "hunter2" not in keep.read_text()
    named = council.run("validate", "src/.env", "--agents=teller")
    assert named.code != 0
    assert "hunter2" not in named.out + named.err


def test_15_what_was_changed_but_not_shown_prevents_a_pass(council):
    council.judge("kind", verdict("PASS"))
    council.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    council.shop.write("big.py", "x = 1  # padding\n" * 40_000)
    council.shop.settings("[floors]\ncoverage = 1.0\n")
    council.shop.git("add", "prices.py", "big.py")
    ran = council.run("--staged", "validate", "--agents=kind", "--json")
    assert "big.py" in json.dumps(ran.json["packet"]["omitted"]), ran.out + ran.err
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE"), ran.json["reasons"]
    assert "big.py" in council.text


# 16. Duel


@pytest.mark.parametrize(
    ("scores", "diagnostic"),
    [
        (((632, 700, 300), (620, 650, 900)), "within 12"),
        (((900, 900, 900), (950, 900, 900)), "800"),
        (((300, 300, 300), (700, 700, 700)), "200"),
    ],
    ids=["healthy", "love-fest", "gap"],
)
def test_16_a_duel_counts_its_ballots_and_tells_what_is_odd(council, scores, diagnostic):
    first, second = scores
    council.judge("h", opening("values", "queues"), ballots(first), last_words())
    council.judge("b", opening("tests", "pairs"), ballots(second), last_words("Y2"))
    line = ("debate", "monorepo", "--perspectives=hickey,beck", "--agents=h,b", "--json")
    ran = council.run(*line)
    assert ran.code == 0, ran.out + ran.err
    duel = ran.json["duel"]
    rows = {row["text"].partition(":")[0]: row for row in duel["matrix"]}
    scores = {text: list(row["scores"].values()) for text, row in rows.items()}
    assert scores == {
        "tests": [first[1]], "pairs": [first[2]], "values": [second[1]], "queues": [second[2]]
    }  # fmt: skip
    assert diagnostic in " ".join(duel["diagnostics"]), duel["diagnostics"]
    if diagnostic == "within 12":
        assert (rows["queues"]["bucket"], rows["pairs"]["bucket"]) == ("winner", "kill")


# 17. The bounded record of the newest generation


def test_17_the_bounded_record_is_valid_and_one_judge_is_insufficient(council):
    council.validate(panel(council, "FAIL", "FAIL"))
    ran = council.run("show", "last", "--g4", "TICKET-12")
    assert ran.code == 0, ran.err
    assert check_council_report(ran.json) == []
    assert (ran.json["round_status"], len(ran.json["judges"])) == ("sufficient", 2)
    contexts = [judge["context_id"] for judge in ran.json["judges"]]
    assert len(set(contexts)) == 2
    council.judge("mute", {"fail": "overloaded"})
    council.validate("j0,mute")
    alone = council.run("show", "last", "--g4", "TICKET-12")
    assert alone.json["round_status"] == "insufficient", alone.out + alone.err
    assert check_council_report(alone.json) == []


# 18. Killed and gone on with


def test_18_a_council_killed_in_its_first_round_asks_only_the_missing_judges(council):
    council.judge("mute", {"hang": True})
    agents = f"{panel(council, 'PASS')},mute"
    words = ("council", "validate", "prices.py", f"--agents={agents}")
    ran = council.shop.stop(*words, at="judge-1", how=signal.SIGKILL)
    assert ran.code == -signal.SIGKILL
    assert council.reports == []
    council.judge("j0", verdict("FAIL", finding()))  # would fail it, if it were asked again
    council.judge("mute", verdict("WARN"))
    ran = council.shop.guild("resume", "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "WARN"), ran.out + ran.err
    assert [judge["word"] for judge in ran.json["roster"]["judges"]] == ["PASS", "WARN"]


def test_records_in_a_range_are_told_in_one_line_and_do_not_hold_the_verdict_down(council):
    council.judge("calm", verdict("PASS"))
    for number in range(12):
        council.shop.write(f".agents/council/v{number}.md", "PASS\n")
        council.shop.write(f".guild/boards/b{number}.md", "# plan\n")
    council.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    council.shop.git("add", "-Af")
    council.shop.git("commit", "-qm", "all")
    ran = council.run("validate", "HEAD~1..HEAD", "--agents", "calm", "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "PASS")
    [told] = [note for note in ran.json["notes"] if "own-record" in note]
    assert "12 files in .agents/council/, 12 files in .guild/boards/ (own-record" in told
