"""Whom a page is trusted by: what was closed stays closed, and what somebody vouched for is closed by a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from guildmoot.errors import UsageError
from guildmoot.memory.wiki.brief import make_brief
from guildmoot.memory.wiki.decisions import RecordedDecision, decide
from guildmoot.memory.wiki.ingest import Ingested, IngestOptions, WikiSource, decide_paused, ingest
from guildmoot.memory.wiki.keeping import retire, vouch
from guildmoot.memory.wiki.places import load_page
from guildmoot.memory.wiki.provenance import FILE, Provenance, Register, page_hash
from wikis import repository

MONDAY = "# Walrus policy\n\nThe walruses are counted on Monday.\n"
FRIDAY = "# Walrus policy now\n\nSince spring somebody goes out each Friday with a list.\n"
PAGE = "standards/walrus-policy.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "zoo")


def take(root: Path, words: str, **more: str) -> Ingested:
    source = WikiSource(words.encode(), "pasted", "standard input")
    return ingest(root, source, IngestOptions("standard", **more), "ada")


def trust(root: Path, path: str = PAGE) -> Provenance:
    return Register(root).provenance(path, page_hash((root / ".guild/wiki" / path).read_bytes()))


@pytest.mark.parametrize("how", ["retired", "superseded"])
@pytest.mark.parametrize("register", ["whole", "line deleted", "old line again"])
def test_old_bytes_of_a_closed_page_are_not_trusted_again(root, how, register):
    take(root, MONDAY)
    vouch(root, PAGE, "ada")
    old = (root / ".guild/wiki" / PAGE).read_bytes()
    rows = (root / FILE).read_text()
    if how == "retired":
        retire(root, PAGE, "ada")
    else:
        decide_paused(root, take(root, FRIDAY, supersedes=PAGE).paused_id, "supersede", "ada")
    assert trust(root) == ("reviewed", trust(root).reason)
    assert trust(root).reason.startswith(f"{how} by ada")
    (root / ".guild/wiki" / PAGE).write_bytes(old)
    if register == "line deleted":
        (root / FILE).write_text(rows)
    elif register == "old line again":
        (root / FILE).write_text((root / FILE).read_text() + rows)
    assert trust(root).trust == "untrusted"
    assert "Monday" not in make_brief(root).text


def test_retiring_vouches_for_nothing(root):
    take(root, MONDAY)
    retire(root, PAGE, "ada")
    assert trust(root).trust == "synthesized"
    file = root / ".guild/wiki" / PAGE
    file.write_text(file.read_text().replace("Monday", "Sunday"))
    assert trust(root).trust == "untrusted"
    retire(root, PAGE, "ada")
    assert trust(root).trust == "untrusted"


def test_what_was_vouched_for_is_closed_by_a_person_alone(root):
    take(root, MONDAY)
    vouch(root, PAGE, "ada")
    waits = take(root, FRIDAY, supersedes="walrus-policy")
    assert (waits.status, [each.reason for each in waits.pauses]) == ("paused", ["reviewed"])
    assert load_page(root, PAGE).fact("status") == ""
    done = decide_paused(root, waits.paused_id, "supersede", "ada")
    assert load_page(root, done.path).fact("supersedes") == "walrus-policy"
    assert load_page(root, PAGE).fact("status") == "superseded"


def test_a_decision_is_closed_by_no_other_page(root):
    decide(root, RecordedDecision("May eval be used?", "Never."), "ada")
    with pytest.raises(UsageError, match="only a later decision"):
        take(root, FRIDAY, supersedes="may-eval-be-used")
    assert load_page(root, "decisions/may-eval-be-used.md").fact("status") == ""
    assert not (root / ".guild/raw").exists()


def test_a_page_that_nobody_vouched_for_is_replaced_at_once(root):
    take(root, MONDAY)
    assert take(root, FRIDAY, supersedes="walrus-policy").status == "written"
    assert trust(root).trust == "synthesized"
