"""The index follows the files: as many rows as pages, and the answers of a new index, after a thousand changes."""

from __future__ import annotations

import os
import random
import sqlite3

import pytest

from guildmoot.memory.recall.recall import Recall
from wikis import KINDS, put, repository

WORDS = [f"word{number}" for number in range(60)]
QUESTIONS = ("word1 word2", "word3", "word10 word11 word12", "word59 nothing", "tells of word7")


def body(choice):
    told = " ".join(choice.choices(WORDS, k=choice.randint(3, 40)))
    return f"# Page of {choice.choice(WORDS)}\n\nIt tells of {told}.\n"


def change(root, choice, names, number):
    """One random change, as people, editors and git make them."""
    wiki = root / ".guild/wiki"
    what = choice.choice(
        ("new", "edit", "edit", "replace", "rename", "delete", "same time", "move")
    )
    if not names or what == "new":
        name = f"{choice.choice(list(KINDS))}/page-{number}.md"
        put(root, name, body(choice))
        names.append(name)
        return
    name = choice.choice(names)
    file = wiki / name
    if what == "edit":
        with open(file, "a", encoding="utf-8") as out:
            out.write(f"\n{choice.choice(WORDS)} was added.\n")
    elif what == "replace":
        part = file.with_name(f".{file.name}.part")
        part.write_text(file.read_text().partition("# ")[0] + body(choice))
        os.replace(part, file)
    elif what == "same time":  # its own time is set back, as copying tools do
        known = file.stat()
        text = file.read_text()
        file.write_text(text.replace("word1 ", "word2 ", 1))
        os.utime(file, ns=(known.st_atime_ns, known.st_mtime_ns))
    elif what == "delete":
        file.unlink()
        names.remove(name)
    else:
        folder = name.partition("/")[0] if what == "rename" else choice.choice(list(KINDS))
        new = f"{folder}/renamed-{number}.md"
        (wiki / new).parent.mkdir(exist_ok=True)
        os.rename(file, wiki / new)
        names[names.index(name)] = new


def answers(recall):
    return [[(each.path, round(each.score, 6)) for each in recall.ask(q, 20)] for q in QUESTIONS]


def rows(root):
    database = sqlite3.connect(root / ".guild/index.sqlite")
    try:
        return sorted(path for (path,) in database.execute("SELECT path FROM pages"))
    finally:
        database.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 19])
def test_after_a_thousand_random_changes_rows_are_files_and_answers_those_of_a_new_index(
    tmp_path, monkeypatch, seed
):
    monkeypatch.setenv("GUILD_WIKI_THRESHOLD", "0")
    root, choice, names = repository(tmp_path / "shop"), random.Random(seed), []
    for number in range(100):
        name = f"{choice.choice(list(KINDS))}/first-{number}.md"
        put(root, name, body(choice))
        names.append(name)
    staying = Recall(root, stay=True)
    assert staying.lit
    try:
        for number in range(1_000):
            change(root, choice, names, number)
            if number % 50 == 49:
                told = answers(staying)
                passing = Recall(root)
                assert answers(passing) == told
                passing.close()
                assert rows(root) == sorted(names)
        told = answers(staying)
    finally:
        staying.close()
    for file in (root / ".guild").glob("index.sqlite*"):
        file.unlink()
    fresh = Recall(root)
    assert answers(fresh) == told
    fresh.close()
    assert rows(root) == sorted(names)
    monkeypatch.setenv("GUILD_INDEX", "off")
    dark = Recall(root)
    assert answers(dark) == told
    dark.close()
