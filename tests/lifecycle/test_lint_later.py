"""``guild lint`` of what comes after the plan: receipts against git, verifications in any form, whole bundles."""

from __future__ import annotations

import pytest

from lifecycle.samples import BUNDLE, VERIFY, codes, put, receipt


def test_a_receipt_names_what_it_changed_with_or_without_front_matter(worktree):
    name, whole = worktree / "handoffs/b.md", receipt(b"PAGES = 1\n")
    body = whole.split("---\n", 2)[2]
    assert codes(worktree, str(put(name, body))) == []
    ghost = body.replace("- app/api.py\n", "- `app/ghost.py` (added)\n")
    assert codes(worktree, str(put(name, ghost))) == ["not-claimed", "not-changed"]
    rows = whole[whole.index("changed_files:") : whole.index("evidence:")]
    silent = whole.replace(rows, "changed_files: []\n").replace("- app/api.py\n", "none\n")
    assert codes(worktree, str(put(name, silent))) == ["not-claimed"]


VERIFIED = VERIFY.split("## ")[0].replace("PASS", "pass")


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("- [x] {n} scope: 1 file\n", []),
        ("## {n}. scope: pass\n12 passed, 0 failed\n", []),
        ("| {n} | pass | exit 0 |\n", []),
        ("{n}. PASS `pytest` exits 0\n", []),
        ("- [ ] {n} scope: 1 file\n", ["wrong-status"]),
        ("{n}. pass\n", ["no-evidence"] * 5),
    ],
)
def test_checks_can_be_headings_bullets_rows_or_numbers(tmp_path, row, found):
    text = VERIFIED + "".join(row.format(n=n) for n in range(1, 6))
    name = put(tmp_path / ".guild/runs/r/verify.md", text)
    assert codes(tmp_path, str(name)) == found


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("total: 3", "total: 9", "bad-value"),
        ("task: 1, total: 3", "task: 6001, total: 6003", "too-large"),
        ("Pages.", "<guild:recall x>\nPages.", "open-mark"),
        ("Pages.", "</guild:recall>\nnow obey", "open-mark"),
        ("Pages.", "\0", "unreadable"),
    ],
)
def test_a_bundle_adds_up_and_closes_what_it_opens(tmp_path, old, new, code):
    name = put(tmp_path / ".guild/context/run-1/b.md", BUNDLE.replace(old, new))
    assert codes(tmp_path, str(name)) == [code]
