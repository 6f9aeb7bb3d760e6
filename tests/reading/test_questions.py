"""Questions with their answers in Markdown are read as positions, in whichever way they are set."""

import pytest

from guildmoot.reading.decisions import read_decisions, read_section

ASKED = "How long are drafts kept?"


@pytest.mark.parametrize(
    "section",
    [
        f"## {ASKED}\n\n14 days",
        f"### 2. {ASKED}\n**14 days**, the law asks for no more.",
        f"### Q2: {ASKED}\n\n14 days - the law asks for no more.",
        f"**Q: {ASKED}** 14 days.",
        f"**{ASKED}**\n\n14 days",
        f"**{ASKED}** — 14 days (the law)",
        f"**Question:** {ASKED}\n**Answer:** 14 days",
        f"Q: {ASKED}\nA: 14 days",
        f"1. {ASKED} - 14 days",
        f"1. **{ASKED}**\n   14 days",
        f"1) {ASKED}\n\n   14 days",
        f"- {ASKED} → 14 days",
        f"- [x] {ASKED} 14 days",
        f"- {ASKED[:-1]}: 14 days",
        f"{ASKED} 14 days.",
        f"| Question | Answer |\n|---|---|\n| {ASKED} | 14 days |",
        f"| Question | Answer | Why |\n|---|---|---|\n| {ASKED} | 14 days | the law |",
    ],
)
def test_a_question_with_its_answer_is_a_position(section: str) -> None:
    [found] = read_decisions(section)
    assert found.scope == ASKED
    assert found.stance == "adopt"
    assert found.answer == "14 days"
    assert read_section(section).unread == ()


@pytest.mark.parametrize(
    ("section", "stances"),
    [
        (f"## {ASKED}\n\nI do not know yet.", ["open"]),
        (f"## {ASKED}\n\nPerhaps 14 days.", ["option"]),
        (f"## {ASKED}\n\nI move to 14 days.", ["adopt"]),
        (f"## {ASKED}\n\n- 14 days for drafts\n- a year for what was sent", ["adopt", "adopt"]),
        (f"## Open questions\n\n- {ASKED} Perhaps the law tells.", ["open"]),
        ("Why Redis? It is fast.", []),
    ],
)
def test_what_is_no_answer_is_none(section: str, stances: list[str]) -> None:
    found = read_decisions(section)
    assert [each.stance for each in found if "?" in each.scope or each.stance != "adopt"][:2] == (
        stances or ["open"]
    )
    assert len({each.answer for each in found} - {""}) == (1 if "I move" in section else 0)


@pytest.mark.parametrize(
    ("section", "scopes"),
    [
        ("- **Sessions**\n  - How long? 12 hours\n- **Logs**\n  - How long? 30 days", ["Sessions: How long?", "Logs: How long?"]),
        ("## Sessions\n\n**How long are they kept?** 12 hours", ["Sessions: How long are they kept?"]),
        ("## Answers\n\n**Which port?** 8080", ["Which port?"]),
    ],
)  # fmt: skip
def test_a_question_that_names_no_thing_is_about_what_stands_above_it(
    section: str, scopes: list[str]
) -> None:
    assert [each.scope for each in read_decisions(section)] == scopes
