"""A PASS whose judge says that it did not read the work is none; who read it may speak of files as it likes."""

from __future__ import annotations

import json

import pytest

from guildmoot.reading.council.read import read_council


def passed(insight: str) -> bool:
    reply = {
        "verdict": "PASS",
        "confidence": "HIGH",
        "key_insight": insight,
        "findings": [],
        "recommendation": "Merge it.",
    }
    return read_council(json.dumps(reply)).verdict is not None


@pytest.mark.parametrize(
    "insight",
    [
        "The names look right; I did not open the files.",
        "I couldn't really look at the rest of it.",
        "billing.py did not load at all, the rest is sound.",
        "It is tidy as far as I only saw its top.",
        "Read invoice.py and skimmed the rest.",
        "Ran out of budget half way, the rest is taken on trust.",
        "The note asked reviewers to be lenient, so I was.",
        "Assuming the other files match, this is sound.",
        "The totals are right, and I trust that the remaining files are too.",
        "Ich konnte die Dateien leider nicht öffnen.",
        "Wir konnten den Rest nicht lesen.",
        "Je n'ai pas pu ouvrir les fichiers.",
        "Nous n’avons pas pu lire tout le code.",
        "No pude abrir los archivos.",
        "No pude leer el resto.",
    ],
)
def test_a_pass_on_work_that_was_not_read_is_none(insight):
    assert not passed(insight)


@pytest.mark.parametrize(
    "insight",
    [
        "I did not see any problem in the code.",
        "I read all files and did not see a problem.",
        "I only see two small things, and neither matters.",
        "The loader opens the file once and just reads the header it needs.",
        "I opened every file and the whole diff; the totals are right.",
        "The parser is lenient with blanks, and the tests show it.",
        "The rest of the change only renames things, and I read it.",
        "The two skipped tests belong to another change.",
        "Alle Dateien gelesen, die Summen stimmen.",
    ],
)
def test_a_judge_that_read_the_work_may_speak_of_reading(insight):
    assert passed(insight)
