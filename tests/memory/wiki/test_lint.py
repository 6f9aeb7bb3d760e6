"""The eight checks with exact lines, facts that age, contradictions, sub-projects."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import guildmoot
from guildmoot.errors import ConfigError, UsageError
from guildmoot.memory.recall.query import Memory, WikiQuery
from guildmoot.memory.wiki.capture import WikiSource
from guildmoot.memory.wiki.facts import anchor_mark, page_flags
from guildmoot.memory.wiki.ingest import IngestOptions, ingest
from guildmoot.memory.wiki.lint import CHECKS, lint_report, lint_wiki
from guildmoot.memory.wiki.places import load_page
from guildmoot.memory.wiki.statements import contradiction
from wikis import put, repository

TODAY = date(2026, 3, 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop")


def told(root: Path) -> list[tuple[str, str, str, int]]:
    found = lint_wiki(root, TODAY).findings
    return [
        (each.check, each.gravity, each.path, each.line)
        for each in found
        if each.check != "orphans"
    ]


def test_what_was_ingested_is_clean_and_the_report_has_every_section(root):
    ingest(
        root,
        WikiSource(b"# Caching\n\nThe cache is cleared at night.\n", "pasted", "x"),
        IngestOptions("concept"),
        "a",
    )
    found = lint_wiki(root, TODAY)
    assert found.findings == ()
    report = lint_report(found, "now")
    assert [f"## {check}" in report for check in CHECKS] == [True] * 8
    assert report.count("No findings.") == 8


def test_front_matter_is_told_with_its_line(root):
    put(root, "concepts/a.md", "# A\n", confidence="sure")
    (root / ".guild/wiki/concepts/b.md").write_text("---\ntype: concept\nowner: [x\n---\n# B\n")
    (root / ".guild/wiki/concepts/c.md").write_text("# C\n")
    rows = told(root)
    assert ("front-matter", "blocking", "concepts/a.md", 4) in rows
    assert ("front-matter", "blocking", "concepts/b.md", 3) in rows
    assert rows.count(("front-matter", "blocking", "concepts/c.md", 1)) == 7
    assert lint_wiki(root, TODAY).exit_code == 2


def test_a_capture_that_is_missing_or_was_changed_blocks(root):
    done = ingest(
        root,
        WikiSource(b"# Caching\n\nThe cache is cleared.\n", "pasted", "x"),
        IngestOptions("concept"),
        "a",
    )
    put(root, "concepts/lost.md", "# Lost\n", more="tags: []\n")
    page = root / ".guild/wiki/concepts/lost.md"
    page.write_text(page.read_text().replace("source_refs: []", "source_refs: [gone, ../../etc]"))
    (root / ".guild/raw/sources/caching/original.txt").write_text("other words")
    assert [row for row in told(root) if row[0] == "sources"] == [
        ("sources", "blocking", done.path, 6),
        ("sources", "blocking", "concepts/lost.md", 5),
        ("sources", "blocking", "concepts/lost.md", 5),
    ]


def test_what_is_past_its_date_is_told(root):
    put(root, "concepts/old.md", "# Old\n", more="expires_at: 2026-02-01\n")
    put(root, "concepts/state.md", "# State\n", more="kind: state\nas_of: 2026-01-15\n")
    put(root, "concepts/fresh.md", "# Fresh\n", more="kind: state\nas_of: 2026-02-15\n")
    assert told(root) == [
        ("expiry", "important", "concepts/old.md", 9),
        ("expiry", "important", "concepts/state.md", 10),
    ]
    assert page_flags(root, load_page(root, "concepts/state.md"), TODAY) == ("expired",)


def test_contradictions_and_open_chains_are_told(root):
    put(
        root,
        "concepts/cache.md",
        "# Cache size\n\nSet the cache size to 100 entries.\n",
        day="2026-01-01",
    )
    put(
        root,
        "standards/cache.md",
        "# Cache size\n\nSet the cache size to 100 entries.\n",
        day="2026-02-01",
    )
    put(root, "concepts/new.md", "# New\n", more="supersedes: cache\n")
    put(root, "concepts/none.md", "# None\n", more="supersedes: nothing\n")
    rows = told(root)
    assert ("contradictions", "important", "standards/cache.md", 1) in rows
    assert ("contradictions", "important", "concepts/new.md", 9) in rows
    assert ("contradictions", "blocking", "concepts/none.md", 9) in rows


def test_orphans_concepts_shapes_and_strays_are_told(root):
    for number in range(3):
        put(root, f"concepts/p{number}.md", f"# P{number}\n\nSee [[event sourcing]].\n")
    put(root, "decisions/d.md", "# D\n\n## Context\n")
    (root / ".guild/wiki/junk").mkdir()
    (root / ".guild/wiki/stray.md").write_text("x")
    found = lint_wiki(root, TODAY).findings
    checks = {
        each.check: [other.path for other in found if other.check == each.check] for each in found
    }
    assert len(checks["orphans"]) == 4
    assert checks["concepts"] == ["concepts/p0.md"]
    assert len(checks["decisions"]) == 6
    assert checks["hygiene"] == ["junk", "stray.md"]
    asyncio.run(guildmoot.wiki_lint(fix=True, keep=False, cwd=root))
    assert not [each for each in lint_wiki(root, TODAY).findings if each.check == "orphans"]


def test_lint_edits_no_page(root):
    put(root, "concepts/a.md", "# A\n", confidence="sure")
    before = (root / ".guild/wiki/concepts/a.md").read_bytes()
    asyncio.run(guildmoot.wiki_lint(fix=True, cwd=root))
    assert (root / ".guild/wiki/concepts/a.md").read_bytes() == before
    assert len(list((root / ".guild/wiki").glob("lint-*.md"))) == 1


def test_a_page_is_flagged_when_the_file_it_speaks_of_changes(root):
    (root / "src").mkdir()
    (root / "src/cache.py").write_text("SIZE = 1\n")
    options = IngestOptions("concept", anchors=("src/cache.py",))
    done = ingest(
        root, WikiSource(b"# Caching\n\nThe cache holds one entry.\n", "pasted", "x"), options, "a"
    )
    with Memory(root) as memory:
        assert memory.ask(WikiQuery("cache entry")).results[0].flags == ()
        (root / "src/cache.py").write_text("SIZE = 2\n")
        assert memory.ask(WikiQuery("cache entry")).results[0].flags == (
            "anchor changed: src/cache.py",
        )
    assert load_page(root, done.path).several("anchors") != []
    assert anchor_mark(root, "../outside") == "missing"


@pytest.mark.parametrize(
    ("sure", "stands"), [("medium", "concepts/new.md"), ("high", "concepts/old.md")]
)
def test_pages_that_contradict_come_back_as_a_pair_with_the_rules_verdict(root, sure, stands):
    put(
        root,
        "concepts/old.md",
        "# Session length\n\nUse Redis for the session store.\n",
        day="2026-01-01",
        confidence=sure,
    )
    put(
        root,
        "concepts/new.md",
        "# Session store\n\nDo not use Redis for the session store.\n",
        day="2026-02-01",
    )
    with Memory(root) as memory:
        answer = memory.ask(WikiQuery("redis session store"))
    assert len(answer.results) == 2
    (pair,) = answer.conflicts
    assert (pair.newer, pair.older, pair.stands) == ("concepts/new.md", "concepts/old.md", stands)


def workspace(root: Path, *rows: dict[str, str]) -> None:
    (root / ".guild").mkdir(exist_ok=True)
    (root / ".guild/workspace.json").write_text(
        json.dumps({"schema": "guild.workspace.v1", "projects": list(rows)})
    )


def test_sub_projects_are_asked_along_with_a_tag_and_nothing_is_copied(root):
    put(root, "concepts/cache.md", "# Cache\n\nThe cache of the whole.\n")
    put(root / "services/shop", "concepts/cart.md", "# Cart cache\n\nThe cache of the cart.\n")
    workspace(root, {"name": "shop", "path": "services/shop"})
    with Memory(root) as memory:
        found = {(each.source, each.path) for each in memory.ask(WikiQuery("cache")).results}
    assert found == {("", "concepts/cache.md"), ("shop", "concepts/cart.md")}
    assert sorted(file.name for file in (root / ".guild/wiki/concepts").iterdir()) == ["cache.md"]


@pytest.mark.parametrize("path", ["../other", "/etc", "", ".", "linked"])
def test_a_sub_project_outside_of_the_project_is_refused(root, tmp_path, path):
    (root / "linked").symlink_to(tmp_path)
    workspace(root, {"name": "x", "path": path})
    with pytest.raises(ConfigError):
        Memory(root)


@pytest.mark.parametrize("text", ["{", "[]", '{"projects": 3}', '{"schema": "x", "projects": []}'])
def test_a_broken_workspace_is_told(root, text):
    (root / ".guild").mkdir()
    (root / ".guild/workspace.json").write_text(text)
    with pytest.raises(ConfigError):
        Memory(root)


@pytest.mark.parametrize(
    "query", [WikiQuery(" "), WikiQuery("x", limit=0), WikiQuery("x", limit=201), WikiQuery("x", since="soon"), WikiQuery("x", category="nope")]
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_refused(root, query):
    with Memory(root) as memory, pytest.raises(UsageError):
        memory.ask(query)


@pytest.mark.slow  # dozens of programs
def test_twenty_documents_a_question_and_the_same_answers_without_the_index(root, monkeypatch):
    (root / "docs").mkdir()
    names = [
        "cache",
        "ledger",
        "invoice",
        "deploy",
        "kernel",
        "mirror",
        "parser",
        "queue",
        "socket",
        "token",
        "basket",
        "carrier",
        "coupon",
        "editor",
        "firewall",
        "gateway",
        "handler",
        "journal",
        "lease",
        "manifest",
    ]
    for name in names:
        (root / f"docs/{name}.md").write_text(
            f"# The {name}\n\nThe {name} of the shop is looked after by team {name[::-1]} every day.\n"
        )
    monkeypatch.setenv("GUILD_WIKI_THRESHOLD", "5")
    guild = Path(sys.executable).parent / "guild"

    def run(*words: str) -> str:
        done = subprocess.run([guild, "wiki", *words], cwd=root, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("ingest", "docs", "--category", "concept")
    first = run("query", "who looks after the gateway", "--json")
    assert json.loads(first)["results"][0]["path"] == "concepts/the-gateway.md"
    assert (root / ".guild/index.sqlite").exists()
    for file in (root / ".guild").glob("index.sqlite*"):
        file.unlink()
    assert run("query", "who looks after the gateway", "--json") == first
    monkeypatch.setenv("GUILD_INDEX", "off")
    assert run("query", "who looks after the gateway", "--json") == first


def test_a_batch_is_answered_line_by_line_and_sees_changes(root):
    put(root, "concepts/cache.md", "# Cache\n\nThe cache.\n")
    guild = Path(sys.executable).parent / "guild"
    batch = subprocess.Popen(
        [guild, "wiki", "query", "--batch", "-", "--json"],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def ask(question: str) -> list[str]:
        batch.stdin.write(question + "\n")
        batch.stdin.flush()
        row = json.loads(batch.stdout.readline())
        fields = "path title category score snippet confidence updated_at trust source_refs"
        assert all(list(each) == fields.split() for each in row["results"])
        assert row["query"] == question
        assert list(row) == ["query", "results"]
        return [each["path"] for each in row["results"]]

    assert ask("cache") == ["concepts/cache.md"]
    assert ask("") == []
    assert ask("zebra stripes") == []
    put(root, "concepts/zebra.md", "# Zebra\n\nStripes.\n")
    assert ask("zebra stripes") == ["concepts/zebra.md"]
    batch.stdin.close()
    assert batch.wait() == 0
    batch.stdout.close()


@pytest.mark.parametrize(
    ("words", "why"),
    [(["nope"], "no verb"), (["ingest", "x.md"], "which category"), (["show", "../x"], "no page"), (["query", "--batch", "gone.txt"], "cannot be read"),
     (["ingest", "--answer", "x"], "say which"), (["promote", "nothing"], "no page"), (["ingest", "gone.md", "--category", "concept"], "no such file")],
)  # fmt: skip
@pytest.mark.sample(3)
def test_mistakes_are_told_with_exit_64(root, words, why):
    guild = Path(sys.executable).parent / "guild"
    done = subprocess.run([guild, "wiki", *words], cwd=root, capture_output=True, text=True)
    assert done.returncode == 64
    assert why in done.stderr


def test_a_contradiction_has_the_line_of_its_sentence_and_links_are_told(root):
    put(
        root, "concepts/old.md", "# Session keys\n\nSessions are kept in Redis.\n", day="2026-01-01"
    )
    body = "# Session store\n\nMore.\n\nSessions are not kept in Redis.\n"
    put(root, "concepts/new.md", body, day="2026-02-01")
    (root / ".guild/wiki/concepts/link.md").symlink_to("/etc/passwd")
    text = (root / ".guild/wiki/concepts/new.md").read_text().split("\n")
    line = text.index("Sessions are not kept in Redis.") + 1
    assert told(root) == [
        ("contradictions", "important", "concepts/new.md", line),
        ("hygiene", "nit", "concepts/link.md", 1),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You can then use `Field` with model attributes:", "Use `None` to make an attribute optional."),
        ("Use that same standard syntax for model attributes.", "Use standard types for all attributes:"),
        ("You can use async or regular functions.", "You can also use regular functions (without async)."),
        (":param spider: the spider which has been opened", ":param spider: the spider which has been closed"),
    ],
)  # fmt: skip
def test_sentences_of_real_documents_that_share_words_do_not_contradict(one, other):
    assert contradiction(one, other) is None


def test_a_page_of_a_sub_project_is_shown_by_the_name_that_an_answer_gave_it(root):
    put(root / "services/shop", "concepts/cart.md", "# Cart cache\n\nThe cache of the cart.\n")
    workspace(
        root,
        {"name": "shop", "path": "services/shop"},
        {"name": "bank", "path": "services/bank"},
    )
    shown = asyncio.run(guildmoot.wiki_show("shop:concepts/cart.md", root))
    assert shown.page.title == "Cart cache"
    with pytest.raises(UsageError):
        asyncio.run(guildmoot.wiki_show("bank:concepts/cart.md", root))
    with Memory(root) as memory:
        assert "bank was not asked" in memory.ask(WikiQuery("cart cache")).notices[0]
