"""What a page is called, what of it is found and shown, and which pages contradict each other."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from guildmoot.memory.recall.query import Memory, WikiQuery
from guildmoot.memory.recall.recall import Recall
from guildmoot.memory.wiki.decisions import RecordedDecision, decide
from guildmoot.memory.wiki.gate import contained, pauses
from guildmoot.memory.wiki.ingest import IngestOptions, WikiSource, ingest
from guildmoot.memory.wiki.keeping import vouch
from guildmoot.memory.wiki.pages import first_heading
from guildmoot.memory.wiki.provenance import Register, page_hash, repository_of
from guildmoot.memory.wiki.statements import contradiction
from wikis import put, repository

SHOP = "# Caching\n\nThe cache of the shop is cleared by the janitor every night at two o'clock.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop")


def take(root: Path, text: str) -> str:
    source = WikiSource(text.encode(), "pasted", "standard input")
    return ingest(root, source, IngestOptions("concept"), "ada").path


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# [![logo](a.png)](b) Superstruct\n", "Superstruct"),
        ('<h1 align="center">\n <img src="x.png"><br>\n Ink\n</h1>\n\n# Install\n', "Ink"),
        ("[![Build](x.svg)](y)\n\n# ![a](b)\n\n## A **tool** for [pens](z)\n", "A **tool** for pens"),
        ("```sh\n# install it\n```\n\n# Real\n", "Real"),
        ("Caching\n=======\n\ntext\n", "Caching"),
        ("no heading at all\n", ""),
    ],
)  # fmt: skip
def test_a_title_is_words_and_not_a_picture_a_tag_or_a_comment(body, title):
    assert first_heading(body) == title


def test_what_we_put_around_a_source_is_neither_found_nor_shown(root):
    path = take(root, SHOP)
    recall = Recall(root)
    assert recall.ask("sentences chosen by their words") == []
    assert recall.ask("capture checksum original") == []
    (found,) = recall.ask("janitor of the cache")
    assert found.path == path
    assert not any(word in found.snippet for word in ("_Sentences", "##", "checksum"))
    recall.close()


def test_a_huge_page_is_searched_at_its_beginning_and_says_so(root):
    put(
        root,
        "concepts/huge.md",
        "# Huge\n\nThe heron sits first.\n" + "words of no use\n" * 400_000,
    )
    put(root, "concepts/small.md", "# Small\n\nThe heron sits here.\n")
    recall = Recall(root)
    recall.ask("heron")
    begun = time.process_time()
    found = {each.path: each.flags for each in recall.ask("heron")}
    assert time.process_time() - begun < 0.2
    assert found["concepts/small.md"] == ()
    assert found["concepts/huge.md"] == ("cut: only its first 400,000 characters are searched",)
    recall.close()


def test_an_answer_is_known_again_without_its_mark_and_a_copy_in_disguise_too():
    answer = "0.85  concepts/caching.md  Caching\n      The cache is cleared.\n"
    assert [each.reason for each in pauses(answer, {}, {}, "0" * 8)] == ["recalled"]
    told = "It says:\n  synthesized: ingested by t on 2026-11-18, not promoted by anyone\n"
    assert [each.reason for each in pauses(told, {}, {}, "0" * 8)] == ["recalled"]
    assert pauses("Version 0.85 of concepts is out.\n", {}, {}, "0" * 8) == []
    assert contained(SHOP.replace("e", "e\u200b").upper(), SHOP) == 1


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("Sessions are kept in Redis.", "Sessions are not kept in Redis.", True),
        ("The cache is enabled in production.", "The cache is disabled in production.", True),
        ("The default timeout is 30 seconds.", "Note.\nThe default timeout is 60 seconds.", True),
        ("We can deploy on Friday.", "We can never deploy on Friday.", True),
        ("The cache is enabled in production.", "The cache is not disabled in production.", False),
        ("Django 1.7 release notes", "Django 4.2 release notes", False),
        ("title = CharField(max_length=100)", "title = CharField(max_length=3)", False),
        ("The default timeout is 30 seconds.", "The longest timeout is 60 seconds.", False),
    ],
)
def test_statements_contradict_by_denial_opposites_and_numbers(one, other, found):
    assert (contradiction(one, other) is not None) is found
    assert (contradiction(other, one) is not None) is found


def test_pages_that_contradict_each_other_come_as_a_pair(root):
    put(root, "concepts/old.md", "# Sessions\n\nSessions are kept in Redis.\n", "2026-01-01")
    put(
        root,
        "concepts/new.md",
        "# Sessions today\n\nSessions are not kept in Redis.\n",
        "2026-06-01",
    )
    with Memory(root) as memory:
        (pair,) = memory.ask(WikiQuery("sessions redis")).conflicts
    assert (pair.newer, pair.older, pair.stands) == (
        *("concepts/new.md", "concepts/old.md", "concepts/new.md"),
    )


def test_trust_goes_with_the_repository_when_it_is_moved(root):
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty"]
    subprocess.run(["git", *commit], cwd=root, check=True)
    repository_of.cache_clear()
    path = take(root, SHOP)
    vouch(root, path, "ada")
    moved = root.rename(root.parent / "elsewhere")
    data = (moved / ".guild/wiki" / path).read_bytes()
    assert Register(moved).provenance(path, page_hash(data)).trust == "reviewed"
    other = repository(root.parent / "other")
    subprocess.run(["git", *commit[:-1], "--allow-empty", "-m", "y"], cwd=other, check=True)
    (moved / ".guild").rename(other / ".guild")
    assert Register(other).provenance(path, page_hash(data)).trust == "untrusted"


@pytest.mark.parametrize("question", ["缓存多久清理一次？", "???"])
def test_a_question_without_letters_of_a_name_can_be_decided(root, question):
    done = decide(root, RecordedDecision(question, "yes"), "ada")
    assert (root / ".guild" / done.path).is_file()
