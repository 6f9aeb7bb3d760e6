"""A judge that calls its verdict by a word of its own language, with the schema's word behind it."""

import pytest

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.reading.council.confirm import to_confirm
from guildmoot.reading.reply import read_second

NONCE = "7f3a91c2"
LINE = f"VERDICT {NONCE}: PASS"
HONEST = [
    "Urteil: PASS\n\nDie Änderung ist korrekt, die Sperre wird auf jedem Weg freigegeben.",
    "**Urteil:** PASS\n\nAlles in Ordnung, die Sperre wird freigegeben.",
    "Veredicto: PASS\n\nEl cambio es correcto y está probado.",
    "Conclusion générale : PASS\n\nTout est en ordre, chaque verrou est libéré.",
    "**Verdict**：PASS\n\n変更は正しいです。",
    "判定：PASS\n\n変更は正しいです。",
]
DOUBTFUL = [
    "Urteil: FAIL\n\nDie Abfrage in db.py:3 ist falsch.",
    "Urteil: PASS\n\nDie Änderung darf nicht gemergt werden, bevor der Fehler behoben ist.",
    "Veredicto: PASS con reservas\n\nEl cambio es casi correcto.",
    "Tests: FAIL\n\nOtherwise fine work here overall.",
]


STANDS = f'{{"code": "{NONCE}", "stands": "PASS", "was_everything_read": true, "must_fix": []}}'


def heard(first: str, again: str = LINE):
    agent = Agent("j", "d", "", "t", backend="api", family="x", reply="council")
    call = Call(seat=Seat("j", "j", "api", "x"), agent=agent, prompt="judge", timeout=1, nonce="")
    replies = Reply("j", "answered", first, nonce=""), Reply("j", "answered", again, nonce=NONCE)
    return read_second(*replies, call)


@pytest.mark.parametrize("first", HONEST)
def test_an_approval_under_another_label_stands_once_it_is_confirmed_with_the_nonce(first):
    assert heard(first, STANDS if to_confirm(first) else LINE).outcome == "approved"


@pytest.mark.parametrize("first", DOUBTFUL)
def test_whatever_speaks_against_it_is_not_settled_by_the_line(first):
    assert heard(first).outcome == "unreadable"


@pytest.mark.parametrize(("word", "outcome"), [("PASS", "approved"), ("FAIL", "flagged")])
def test_the_nonce_tells_the_line_whatever_its_label_is_called(word, outcome):
    first = f"Urteil: {word}\n\nDie Sperre in jedem Weg wurde geprüft."
    said = "Urteil: PASS" if word == "PASS" else first
    assert heard(said, f"Urteil {NONCE}: {word}").outcome == outcome
    assert heard(first, f"Urteil 00000000: {word}").outcome != "approved"
