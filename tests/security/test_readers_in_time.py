"""No reader takes long over any text: a table of readers by a table of adversarial strings, under a time bound.

Add a reader or a string in one line. A string is a beginning, a piece and an end; the piece is repeated up to the size.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from guildmoot.agents.rules.lines import search_lines
from guildmoot.practices.lookups import read_requests
from guildmoot.reading.blocks import cut, lay_out
from guildmoot.reading.clerk.transcript import read_transcript
from guildmoot.reading.council.chair import ChairFacts, read_chair
from guildmoot.reading.council.judgement import read_judgement, read_location
from guildmoot.reading.council.read import read_council
from guildmoot.reading.council.review import is_review
from guildmoot.reading.exact import is_plain_form
from guildmoot.reading.grammar import read_verdict, why_not_approved
from guildmoot.reading.refusal import find_refusal, is_placeholder, not_a_vote
from guildmoot.reading.reply_json import find_answer, find_texts
from guildmoot.reading.unsettled import unsettled
from guildmoot.reading.words.tags import split_tags
from guildmoot.reading.words.wording import objection
from guildmoot.text.pragmas import without_pragmas

pytestmark = pytest.mark.slow  # long texts, to be read within seconds each

SIZE = 20_000
SECONDS = 2.0
"""Of processor time, on a slow machine; what is quadratic takes ten times as long."""

READERS: dict[str, Callable[[str], object]] = {
    "verdict": lambda text: read_verdict(text, "judge"),
    "approved": lambda text: read_verdict(f"VERDICT: approved\n\n{text}", "judge"),
    "flagged": lambda text: read_verdict(
        f"VERDICT: flagged\n\nReasons:\n- a-b: {text}", "judge", places=False
    ),
    "reasons": lambda text: read_verdict(
        f"VERDICT: flagged\n\nReasons:\n{text}", "judge", places=False
    ),
    "why not": why_not_approved,
    "council": lambda text: read_judgement(read_council(text), "judge"),
    "council PASS": lambda text: read_council(f"Verdict: PASS\n\n{text}"),
    "tags": split_tags,
    "words": objection,
    "exact": is_plain_form,
    "layout": lay_out,
    "parts": cut,
    "answer": lambda text: find_answer(text, ("verdict",)),
    "texts": lambda text: find_texts(text, "questions"),
    "refusal": find_refusal,
    "placeholder": is_placeholder,
    "no vote": not_a_vote,
    "place": read_location,
    "clerk": lambda text: read_transcript(text, "It fails: line 3 is wrong."),
    "clerk's source": lambda text: read_transcript(_TRANSCRIPT, text),
    "chair": lambda text: read_chair(text, ChairFacts({"a": "words"}, "PASS")),
    "chair's sentence": lambda text: read_chair(
        json.dumps({"sentences": [{"text": f"The verdict {text}", "issues": ["a"]}]}),
        ChairFacts({"a": "words"}, "FAIL", {"judge-1"}),
    ),
    "first reply": unsettled,
    "review": is_review,
    "requests": lambda text: read_requests(f'{text}{{"requests": []}}'),
    "pragmas": lambda text: without_pragmas(f"# guild: ignore[{text}"),
    "lines of shell": lambda text: list(search_lines("Shell", f"rm eval [{text}")),
    "lines of Terraform": lambda text: list(search_lines("Terraform", f"skip_{text}")),
}
_ROWS = [
    {"severity": "minor", "quote": f"not said {n}", "location": "", "recommendation": ""}
    for n in range(40)
]
_TRANSCRIPT = json.dumps({"verdict": "FAIL", "verdict_quote": "not said", "findings": _ROWS})
PIECES = (
    *("[", "]", "{", "}", "(", ")", "<", ">", "`", "~", "*", "_", "#", "|", "-", "'", '"', "\\", ":", "/", ".", " ", "\t", "\n"),
    *('{"a":{', "{a: ", '{"a":[', "[[", "{'a': '", '{"verdict": "PASS", ', '"verdict": ', "{}{", "{ //\n", "{/*", '["', "{“a”: “"),
    *("<a>", "</a>", "<think>", "</think>", "<a ", "<!--", "-->", "<a><b>", "<p>\n", "```\n", "~~~\n", "> ", ">\n", "    ", "``` "),
    *("VERDICT: ", "VERDICT:\n", "VERDICT: approved\n", "verdict ", "Verdict", "- VERDICT: flagged\n", "## Verdict\n", "Verdict: PASS\n"),
    *("- a\n", "- BLOCKING: a-b: c\n", "1. ", "| a ", "|\n", "|---", "Reasons:\n", "Advisory:\n", "# a\n", "**a**\n", "a: ", "a:\n"),
    *("severity ", "severity: ", "critical ", "injection ", "no injection ", "if approved ", "not ", "1/", "1/2 ", "9 failed ", "0", "1e"),
    *("a.py:1 ", "a/", "./", "../", "a-", "a.b", "I am sorry ", "I cannot ", "the file contains ", "for example ", "and ", "because "),
    *("é", "中", "。", "а", "🔴", "\u200b", "\u2028", "\r", "\ufffc", "\x00", "\ud7ff", "[x] flagged\n", "[ ] approved\n", "Fix: "),
)  # fmt: skip
ENDS = ("", "\nVERDICT: approved")


@pytest.mark.parametrize("name", READERS)
def test_a_reader_is_done_in_time_whatever_the_text(name: str) -> None:
    read = READERS[name]
    slow = {}
    for piece in PIECES:
        for end in ENDS if len(piece) > 1 else ENDS[:1]:
            text = (piece * (SIZE // len(piece) + 1))[:SIZE] + end
            started = time.process_time()
            read(text)
            taken = time.process_time() - started
            if taken > SECONDS:
                slow[piece, end] = round(taken, 1)
    assert not slow
