"""Reading what a judge answers to a brainstorm or a research, however it puts it."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.reading.ideas import LONGEST, MOST_ITEMS, Idea, Listed, read_ideas

VALUE = {
    "options": [
        {"title": "Redis", "summary": "A shared cache", "pros": ["fast"], "cons": ["to be run"]},
        {"title": "Do nothing", "pros": [], "cons": ["slow"]},
    ],
    "lenses": [{"lens": "Substitute", "ideas": ["a view for the query"]}],
    "questions": ["How old may an answer be?"],
    "recommendation": "Redis first.",
}
OPTIONS = (
    Idea("Redis", "A shared cache", ("fast",), ("to be run",)),
    Idea("Do nothing", "", (), ("slow",)),
)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (json.dumps(VALUE), "json"),
        (f"Here it is:\n```json\n{json.dumps(VALUE, indent=1)}\n```\nThat is all.", "json"),
        (f"My ideas follow. {json.dumps(VALUE)} I hope it helps.", "json"),
        (f"<think>hm {{</think>\n{json.dumps(VALUE)}", "json"),
        (json.dumps(VALUE).replace("}]", "},]"), "repaired"),
    ],
    ids=["pure", "fenced", "in prose", "after thoughts", "trailing comma"],
)
def test_the_json_that_was_asked_for_is_read_wherever_it_stands(text: str, how: str) -> None:
    reading = read_ideas(text)
    assert (reading.how, reading.failure) == (how, "")
    assert reading.options == OPTIONS
    assert reading.lenses == (Listed("Substitute", ("a view for the query",)),)
    assert reading.questions == ("How old may an answer be?",)
    assert reading.recommendation == "Redis first."


def test_a_research_is_read_by_facet() -> None:
    facets = [{"facet": "Rollback", "findings": ["none after the move", {"finding": "slow"}]}]
    reading = read_ideas(json.dumps({"facets": facets}), "research")
    assert reading.facets == (Listed("Rollback", ("none after the move", "slow")),)


def test_other_names_for_the_same_fields_are_understood() -> None:
    value = {"Options": [{"name": "A", "description": "d", "advantages": "one", "risks": ["two"]}]}
    assert read_ideas(json.dumps(value)).options == (Idea("A", "d", ("one",), ("two",)),)


def test_a_bare_list_of_objects_is_a_list_of_options() -> None:
    assert [o.title for o in read_ideas('[{"title": "A"}, {"title": "B"}]').options] == ["A", "B"]


def test_an_answer_that_was_cut_off_gives_what_is_there() -> None:
    text = json.dumps(VALUE)
    reading = read_ideas(text[: text.index("Do nothing") + 4])
    assert reading.options[0] == OPTIONS[0]
    assert reading.how == "repaired"


def test_markdown_headings_and_lists_are_read_when_there_is_no_json() -> None:
    text = """# Caching

## Options

### Option 1: Redis
A shared cache.

**Pros**
- fast
- known

**Cons:**
- to be run

### ETags
Clients ask.
Pros: nothing to run
Cons: clients must take part

## Open questions
1. How old may an answer be?

## Recommendation
Start with Redis.
Then measure.
"""
    reading = read_ideas(text)
    assert reading.how == "markdown"
    assert reading.options == (
        Idea("Redis", "A shared cache.", ("fast", "known"), ("to be run",)),
        Idea("ETags", "Clients ask.", ("nothing to run",), ("clients must take part",)),
    )
    assert reading.questions == ("How old may an answer be?",)
    assert reading.recommendation == "Start with Redis.\nThen measure."


def test_a_list_of_bold_names_is_a_list_of_options() -> None:
    text = """## Options
1. **Redis**: a shared cache
   - Pros: fast
   - Cons: to be run
2. **ETags** - clients ask
3. Do nothing: live with it
"""
    assert read_ideas(text).options == (
        Idea("Redis", "a shared cache", ("fast",), ("to be run",)),
        Idea("ETags", "clients ask"),
        Idea("Do nothing", "live with it"),
    )


def test_markdown_facets_of_a_research_are_read() -> None:
    text = "## Failure modes\n- drains take 4 minutes\n\n## Rollback\nThere is none.\n"
    assert read_ideas(text, "research").facets == (
        Listed("Failure modes", ("drains take 4 minutes",)),
        Listed("Rollback", ("There is none.",)),
    )


def test_lenses_in_markdown_are_told_from_options() -> None:
    text = "## Substitute\n- a view\n\n## White hat\n- nobody measured\n\n## Next steps\nMeasure.\n"
    reading = read_ideas(text)
    assert [lens.title for lens in reading.lenses] == ["Substitute", "White hat"]
    assert reading.recommendation == "Measure."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("API Error: 529 overloaded", "error message"),
        ("It depends on many things.", "names no option"),
        ("{}", "empty"),
        ('{"verdict": "PASS"}', "names no option"),
    ],
)
def test_an_answer_without_ideas_says_why(text: str, why: str) -> None:
    assert why in read_ideas(text).failure


def test_what_is_only_quoted_does_not_count() -> None:
    quoted = f"> {json.dumps(VALUE)}\n\n```python\n{json.dumps(VALUE)}\n```\nNothing of my own."
    assert read_ideas(quoted).options == ()


def test_nobody_can_flood_the_report() -> None:
    options = [{"title": "x" * 9_000, "pros": ["p"] * 500} for _ in range(500)]
    reading = read_ideas(json.dumps({"options": options}))
    assert len(reading.options) == MOST_ITEMS
    assert len(reading.options[0].title) == LONGEST
    assert len(reading.options[0].pros) == MOST_ITEMS
    assert any("were cut" in warning for warning in reading.warnings)


@pytest.mark.parametrize("text", ["{" * 100_000, '{"options": [' * 5_000, "[[" * 50_000 + "a"])
def test_a_heap_of_brackets_costs_little(text: str) -> None:
    began = time.process_time()
    assert read_ideas(text).failure
    assert time.process_time() - began < 5


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["options", "title", "pros", "cons", "facets", "findings", "lenses", "lens"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(deadline=None)
@given(JSONISH)
def test_any_json_is_read_or_refused_and_never_raises(value: object) -> None:
    reading = read_ideas(json.dumps(value))
    assert bool(reading.failure) == reading.is_empty
    assert all(option.title for option in reading.options)


@settings(deadline=None)
@given(st.text(max_size=200) | st.text("#*-1.: \nProsConOptin{}[]\"'`", max_size=120))
def test_any_text_is_read_or_refused_and_never_raises(text: str) -> None:
    for task in ("brainstorm", "research"):
        reading = read_ideas(text, task)
        assert bool(reading.failure) == reading.is_empty


def test_both_sides_on_one_line_and_numbers_of_headings_are_told_apart() -> None:
    text = (
        "# Ways\n\n## 1. Read replicas\nCopies take the load. **Pros:** simple. **Cons:** lag.\n\n"
        "## 2. A queue\nWrites wait in line.\n\n## Recommendation\nStart with replicas.\n"
    )
    reading = read_ideas(text)
    assert reading.options == (
        Idea("Read replicas", "Copies take the load.", ("simple.",), ("lag.",)),
        Idea("A queue", "Writes wait in line."),
    )
    assert reading.recommendation == "Start with replicas."


def test_lines_that_name_an_option_hold_what_is_listed_for_and_against_it() -> None:
    text = (
        "Option A: Sharding\nPros:\n- scales\nCons:\n- joins are gone\n\n"
        "**Option B: Partitions**\nUpsides:\n- one database\nDownsides:\n- one machine\n"
    )
    assert read_ideas(text).options == (
        Idea("Sharding", "", ("scales",), ("joins are gone",)),
        Idea("Partitions", "", ("one database",), ("one machine",)),
    )


def test_a_listed_option_has_the_sides_that_its_line_names() -> None:
    text = (
        "1. **Cron** - runs hourly. Upside: known. Downside: coarse.\n2. **Timer** - in process.\n"
    )
    assert read_ideas(text).options == (
        Idea("Cron", "runs hourly.", ("known.",), ("coarse.",)),
        Idea("Timer", "in process."),
    )


def test_plus_and_minus_before_what_is_listed_are_for_and_against() -> None:
    text = "1. ETags\n   + no memory\n   - stale\n2. Redis\n   - shared\n"
    alone = Idea("Redis", "shared")  # a dash alone says nothing
    assert read_ideas(text).options == (Idea("ETags", "", ("no memory",), ("stale",)), alone)


def test_an_answer_that_is_a_list_of_texts_is_a_list_of_options() -> None:
    text = '["Keep it in memory", "Keep it on disk"]'
    assert [idea.title for idea in read_ideas(text).options] == [
        "Keep it in memory",
        "Keep it on disk",
    ]
    assert read_ideas(text, "research").facets == (
        Listed("Findings", ("Keep it in memory", "Keep it on disk")),
    )


LAST_ARGUMENT = """### Option 1: ETags
- Pro: cheap
- Con: a round trip each time

### Option 2: Redis
- Pro: quick
- Con: one more thing to run

I'd recommend starting with ETags and measuring.

Open questions:
- How fresh must prices be?
"""


@pytest.mark.parametrize(
    ("end", "questions", "advice"),
    [
        (
            "I'd recommend starting with ETags.\n\nOpen questions:\n- How fresh?\n",
            ("How fresh?",),
            "I'd recommend starting with ETags.",
        ),
        ("**Recommendation:** go with 1 first.\n", (), "go with 1 first."),
        ("My pick would be ETags.\n", (), "My pick would be ETags."),
        ("**Open questions**\n\n1. Who runs it?\n2. Until when?\n", ("Who runs it?", "Until when?"), ""),
        ("## Next steps\n\nMeasure the reads.\n", (), "Measure the reads."),
    ],
)  # fmt: skip
def test_what_an_answer_ends_with_is_no_argument_of_its_last_option(end, questions, advice):
    options = LAST_ARGUMENT.partition("I'd recommend")[0]
    reading = read_ideas(options + end)
    assert [idea.cons for idea in reading.options] == [
        ("a round trip each time",),
        ("one more thing to run",),
    ]
    assert (reading.questions, reading.recommendation) == (questions, advice)


@pytest.mark.parametrize("end", ["I would take option 1 first.", "I'd go for option 1."])
def test_advice_after_the_last_option_is_no_argument_against_it(end: str) -> None:
    listed = "### Option 1: Totals in the cart\n**Pros:** cheap\n\n### Option 2: Redis\n- Pro: shared\n- Con: runs apart\n"
    reading = read_ideas(f"{listed}\n{end}\n")
    assert (reading.options[-1].cons, reading.recommendation) == (("runs apart",), end)


def test_findings_under_no_facet_are_not_lost() -> None:
    text = (
        "Findings\n\n1. Two passes: parse, then convert.\n2. The parser was forked and handles mixed arguments.\n"
        "3. I could not determine whether old parameters warn twice.\n\nRecommendation: document the border."
    )
    reading = read_ideas(text, "research")
    assert reading.facets == (
        Listed("Two passes", ("parse, then convert.",)),
        Listed("Findings", ("The parser was forked and handles mixed arguments",)),
    )
    assert reading.questions == ("I could not determine whether old parameters warn twice",)
    assert not reading.warnings
    texts = ["Parsing comes first", "Types are read later"]
    for reply in (texts, {"facets": texts}):
        assert read_ideas(json.dumps(reply), "research").facets == (
            Listed("Findings", tuple(texts)),
        )


def test_the_choice_at_the_end_is_no_argument_against_the_last_option() -> None:
    text = "**A. Memoise**\nPros: cheap\nCons: stale\n\n**B. Disk**\nPros: fast\nCons: large\n\n**Verdict:** A"
    reading = read_ideas(text)
    assert reading.recommendation == "A"
    assert [option.cons for option in reading.options] == [("stale",), ("large",)]


def test_findings_that_stand_beside_names_of_facets_are_found() -> None:
    read = read_ideas(
        '{"facets": ["caching"], "open_questions": ["How long do tests take?"], "findings":'
        ' [{"finding": "Nothing is cached", "evidence": "ci.yml:8"}], "recommendations": ["cache"]}',
        "research",
    )
    assert Listed("Findings", ("Nothing is cached (ci.yml:8)",)) in read.facets
    assert (read.questions, read.recommendation) == (("How long do tests take?",), "cache")
    assert not read.options


def test_findings_with_a_title_are_no_options_of_a_research() -> None:
    said = '{"findings": [{"title": "One job", "detail": "nothing runs beside it"}]}'
    for text in (said, said[13:-1]):
        read = read_ideas(text, "research")
        assert read.facets == (Listed("Findings", ("One job: nothing runs beside it",)),)
        assert not read.options


def test_an_answer_in_the_form_of_a_verdict_proposes_what_it_found() -> None:
    said = {"description": "Share the cache", "recommendation": "Use Redis", "severity": "minor"}
    read = read_ideas(json.dumps({"verdict": "WARN", "findings": [said]}), "brainstorm")
    assert read.options == (Idea("Share the cache", "Use Redis"),)


def test_the_other_columns_of_a_table_of_findings_are_no_findings() -> None:
    rows = "| Finding | Evidence | Confidence |\n|---|---|---|\n| One job | ci.yml:4 | High |\n"
    read = read_ideas(rows + "| No cache | ci.yml:8 | Low |", "research")
    one, two = read.facets[0].items
    assert one == "One job (evidence: ci.yml:4; confidence: High)"
    assert two.startswith("No cache (")


@pytest.mark.parametrize(
    "text",
    [
        "1. **Redis** – shared.\n   - ✅ fast\n   - ❌ to be run\n2. **Files** – plain.\n   - ✅ simple",
        "- Redis: shared\n  - Pros:\n    - fast\n  - Cons:\n    - to be run\n- Files: plain",
        (
            "**I. Servers**\n\n*   **Redis:** shared\n    *   *Pros:* fast\n    *   *Cons:* to be run\n"
            "\n**II. Disks**\n\n*   **Files:** plain"
        ),
        "A) Redis. Good: fast. Bad: to be run.\nB) Files. Good: simple.",
    ],
    ids=["signs", "labels above", "groups", "letters"],
)
def test_what_speaks_for_and_against_reaches_its_option(text: str) -> None:
    first, second = read_ideas(text, "brainstorm").options
    assert (first.title, second.title) == ("Redis", "Files")
    assert [each.rstrip(".") for each in first.pros] == ["fast"]
    assert [each.rstrip(".") for each in first.cons] == ["to be run"]


def test_advice_alone_is_no_idea_so_that_a_clerk_is_asked_for_the_rest() -> None:
    read = read_ideas('{"facets": ["caching"], "recommendation": "cache"}', "research")
    assert not read.has_ideas
    assert read_ideas(json.dumps(VALUE)).has_ideas
