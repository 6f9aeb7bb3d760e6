"""Logs of agents: nothing of a secret is left, and what only looks like one stays as it is."""

from __future__ import annotations

from guildmoot.guard.scrub import Scrubber
from security.log_corpus import lookalikes, secrets


def test_secrets_in_logs_are_masked():
    rows = list(secrets())
    assert (len(rows), len({family for family, _, _ in rows})) == (300, 25)
    scrubber = Scrubber()
    assert [text for _, text, left in rows if left in scrubber.text(text).text] == []


def test_lookalikes_are_left_alone():
    rows = list(lookalikes())
    assert len(rows) == 1000
    scrubber = Scrubber()
    assert [text for _, text in rows if scrubber.text(text).text != text] == []
