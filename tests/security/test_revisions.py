"""Names and objects of a clone that want another commit to be taken for the base, or other content for the change's.

A row is a name and what lies in the clone beside base (``main``) and change (``HEAD``, the door one commit
below it): commands of git, where ``{door}`` is the commit that opens the door, or a file below ``.git``.
"""

from __future__ import annotations

import pytest

from conftest import Shop
from security.pull_requests import AUTH, DOOR
from security.test_pull_requests import add_oracle

GRAFT = "{door}\n{last} {door}\n"
ROWS = [
    ("a tag called like the branch", "main...HEAD", ("tag", "main", "{door}")),
    ("two dots", "main..HEAD", ("tag", "main", "{door}")),
    ("the working tree", "main", ("tag", "main", "{door}")),
    ("a step from it", "main~0..HEAD", ("tag", "main", "{door}")),
    ("an annotated tag", "main...HEAD", ("tag", "-a", "-m", "x", "main", "{door}")),
    ("a tag called like the remote's", "origin/main...HEAD", ("tag", "origin/main", "{door}")),
    ("a branch called like the remote's", "origin/main...HEAD", ("branch", "origin/main", "{door}")),
    ("a name right below refs", "main...HEAD", ("update-ref", "refs/main", "{door}")),
    ("a file in .git", "main...HEAD", (".git/main", "{door}\n")),
    ("a tag called like a short commit", "{base:.8}...HEAD", ("tag", "{base:.8}", "{door}")),
    ("a tag called like a whole name", "refs/heads/main...HEAD", ("tag", "refs/heads/main", "{door}")),
    ("a whole name that only a tag has", "refs/heads/x...HEAD", ("tag", "refs/heads/x", "{door}")),
    ("a blob in place of another", "main...HEAD", ("replace", "{door}:auth.py", "main:auth.py")),
    ("a commit in place of another", "main...HEAD", ("replace", "-f", "main", "{door}")),
    ("grafts", "main...HEAD", (".git/info/grafts", GRAFT)),
]  # fmt: skip
PRACTICES = [("validate", "--agents", "oracle"), ("vibe",), ("council", "validate")]


def clone(shop: Shop, asked: str, fake: tuple[str, ...]) -> str:
    """The clone of a row; the range to be judged."""
    add_oracle(shop)
    commits = {}
    for name, path, text in (("base", "auth.py", AUTH), ("door", "auth.py", DOOR), ("last", "b.py", "b = 1\n")):  # fmt: skip
        shop.write(path, text)
        shop.commit()
        commits[name] = shop.git("rev-parse", "HEAD").strip()
        if name == "base":
            shop.git("update-ref", "refs/remotes/origin/main", "HEAD")
            shop.git("checkout", "-q", "-b", "change")
    words = [word.format(**commits) for word in fake]
    if words[0].startswith(".git/"):
        shop.write(*words)
    else:
        shop.git(*words)
    return asked.format(**commits)


@pytest.mark.parametrize(("name", "asked", "fake"), ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.sample(3)
def test_no_name_hides_the_door(shop: Shop, name: str, asked: str, fake: tuple[str, ...]) -> None:
    ran = shop.guild("validate", "--agents", "oracle", "--diff", clone(shop, asked, fake))
    assert ran.code in (2, 64), ran


@pytest.mark.parametrize("words", PRACTICES, ids=lambda words: words[0])
def test_a_name_with_two_meanings_is_refused_with_what_to_type(shop: Shop, words) -> None:
    asked = clone(shop, "main...HEAD", ("tag", "main", "{door}"))
    ran = shop.guild(*words, "--diff", asked)
    assert ran.code == 64
    for said in ("refs/tags/main is ", "refs/heads/main is ", "e.g. refs/heads/main"):
        assert said in ran.err.replace("\n", " "), ran


def test_a_name_with_one_meaning_is_taken(shop: Shop) -> None:
    asked = clone(shop, "main...HEAD", ("tag", "main", "{base}"))
    assert shop.guild("validate", "--agents", "oracle", "--diff", asked).code == 2
