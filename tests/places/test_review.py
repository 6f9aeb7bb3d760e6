"""``guild review`` through a scripted ``gh``: prints, compares with the last time, and posts only when told to."""

from __future__ import annotations

import json
import os

import pytest

from guildmoot.errors import InfrastructureError
from guildmoot.places.review import changed_lines, find_pull

GOOD = "def area(width, height):\n    return width * height\n"
BAD = GOOD.replace("* height", "* heigth")
GH = """#!/bin/sh
echo "$*" >> "$GH_DIR/calls"
case "$*" in
  "pr view"*) cat "$GH_DIR/view.json" ;;
  "pr diff"*) cat "$GH_DIR/diff" ;;
  *POST*) cat > "$GH_DIR/posted.json"; echo '{}' ;;
  *DELETE*) ;;
  *reviews?per_page=100) echo '[{"id": 5, "state": "PENDING", "body": "<!-- guild: one comment, edited in place -->"}]' ;;
  api*) printf '{"head": {"sha": "%s"}}' "$(cat "$GH_DIR/head")" ;;
esac
"""


def push(shop, text):
    """The pull request's branch has this now."""
    shop.write("shape.py", text)
    shop.commit()
    head = shop.git("rev-parse", "HEAD").strip()
    shop.git("push", "-q", "-f", "origin", "HEAD:refs/pull/3/head")
    return head


@pytest.mark.slow  # four reviews
def test_a_pull_request_is_judged_compared_and_posted_only_on_demand(shop):
    folder = shop.root.parent / "gh"
    folder.mkdir()
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    env = {"PATH": f"{folder}{os.pathsep}{shop.env['PATH']}", "GH_DIR": str(folder)}
    shop.write("shape.py", GOOD)
    shop.commit()
    base = shop.git("rev-parse", "HEAD").strip()
    shop.git("init", "-q", "--bare", str(folder / "remote"))
    shop.git("remote", "add", "origin", str(folder / "remote"))
    shop.git("push", "-q", "origin", "main")

    def review(text, *words):
        head = push(shop, text)
        view = {
            "number": 3,
            "headRefOid": head,
            "baseRefOid": base,
            "title": "Area",
            "url": "https://example.org/o/r/pull/3",
        }
        (folder / "view.json").write_text(json.dumps(view))
        (folder / "head").write_text(head)
        (folder / "diff").write_text(shop.git("diff", base, head))
        return shop.guild("review", "3", *words, env=env)

    first = review(BAD)
    assert first.code == 2, first.err
    assert "nothing was posted" in first.err
    assert not (folder / "posted.json").exists()
    again = review(BAD + "\n\ndef more():\n    return widht\n", "--post", "--json")
    assert again.code == 2, again.err
    fates = {(row["fate"], row["title"].rpartition(" ")[2]) for row in again.json["since"]}
    assert fates == {("still there", "`heigth`"), ("new", "`widht`")}
    posted = json.loads((folder / "posted.json").read_text())
    assert "event" not in posted  # pending: only the user sees it
    assert {(row["path"], row["line"]) for row in posted["comments"]} == {
        ("shape.py", 2),
        ("shape.py", 6),
    }
    calls = (folder / "calls").read_text()
    assert "-X DELETE --hostname example.org repos/o/r/pulls/3/reviews/5" in calls
    assert "{owner}" not in calls  # which would be this repository, whatever the address says
    done = review(GOOD.replace("area", "size"), "--json")
    assert "resolved" in {row["fate"] for row in done.json["since"]}


def test_comments_stand_only_on_lines_that_the_diff_shows():
    diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"
    assert changed_lines(diff) == {"x": {1, 2, 3}}
    odd = "@@ -0,0 +1,3 @@\n+++ b/y\n+@@ -1 +9 @@\n+a\fb\ndiff --git a/z b/z\n+++ b/z\n@@ -4 +4 @@\n-a\n+b\n"
    assert changed_lines("+++ b/x\n" + odd) == {"x": {1, 2, 3}, "z": {4}}  # content is no header
    for told, path in (
        ("b/a b.py\t", "a b.py"),
        ('"b/\\303\\274n\\t\\"\\\\.py"', 'ün\t"\\.py'),
        ("b/ün.py", "ün.py"),
    ):
        assert changed_lines(f"+++ {told}\n@@ -0,0 +1 @@\n+a\n") == {path: {1}}


@pytest.mark.parametrize(
    "said", ["", "[]", "{}", '{"number": 3, "headRefOid": "--upload-pack=x", "baseRefOid": "a"}']
)
def test_another_answer_of_gh_is_told_and_nothing_is_fetched(tmp_path, monkeypatch, said):
    (tmp_path / "gh").write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\n")
    (tmp_path / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(InfrastructureError, match="gh"):
        find_pull("3", tmp_path)
