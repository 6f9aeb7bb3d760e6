"""A judge flags real work and cites it in every way that judges do: beside seats that approve, it is never approved.

A row is where the fault lies, what the judge writes behind ``BLOCKING: sql-injection:``, and the outcome:
``flagged`` when the place can be found, ``undecided`` when somebody must look. To add a form of citation, add a row.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pytest

from conftest import Shop
from guildmoot.api.judge import validate
from guildmoot.model.settings import POLICIES
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest
from judges import add_council_judge, add_judge, finding, verdict

pytestmark = pytest.mark.slow  # a process or more for each row of a long table

CODE = (
    "def q(db, name):\n"
    "    log(name)\n"
    '    rows = db.run("select * from t where n=" + name)\n'
    "    return rows\n"
)
LINE = '`rows = db.run("select * from t where n=" + name)`'
PATH = "app.py"


class Cited(NamedTuple):
    """One way to cite the fault."""

    where: str
    """The file that holds it."""
    said: str
    outcome: str = "flagged"


FOUND = [
    Cited(PATH, f"app.py:3 {LINE}: joined"),
    Cited("a b/app.py", f"a b/app.py:3 {LINE}: joined"),
    Cited("a b/c d.py", f"a b/c d.py:3 {LINE}: joined"),
    Cited("a\u200bb/app.py", f"ab/app.py:3 {LINE}: joined"),
    Cited("a\u200bb/app.py", f"a⟦U+200B⟧b/app.py:3 {LINE}: joined"),
    Cited("a\u202eb/app.py", f"ab/app.py:3 {LINE}: joined"),
    Cited("e\u0301t\u00e9/app.py", f"\u00e9te\u0301/app.py:3 {LINE}: joined"),
    Cited("(x)/[y]/app.py", f"(x)/[y]/app.py:3 {LINE}: joined"),
    Cited("a,b;c/app.py", f"a,b;c/app.py:3 {LINE}: joined"),
    Cited("a'b/app.py", f"a'b/app.py:3 {LINE}: joined"),
    Cited('a"b/app.py', f'a\\"b/app.py:3 {LINE}: joined'),
    Cited("a%20b/app.py", f"a%20b/app.py:3 {LINE}: joined"),
    Cited("a#b/app.py", f"a#b/app.py:3 {LINE}: joined"),
    Cited("日本/アプリ.py", f"日本/アプリ.pyの3行目 {LINE}: joined"),
    Cited(PATH, f"src/app.py:3 {LINE}: joined"),
    Cited(PATH, f"b/app.py:3 {LINE}: joined"),
    Cited(PATH, f"./app.py:3 {LINE}: joined"),
    Cited(PATH, f"/home/me/work/app.py:3 {LINE}: joined"),
    Cited(PATH, f"C:\\work\\app.py:3 {LINE}: joined"),
    Cited(PATH, f"App.py:3 {LINE}: joined"),
    Cited("src/app.py", f"app.py:3 {LINE}: joined"),
    Cited("src/app.py", f"src\\app.py(3) {LINE}: joined"),
    Cited(PATH, "app.py#L3-L4: joined"),
    Cited(PATH, "line 3 of `app.py`: joined"),
    Cited(PATH, "app.py:3:5: joined"),
    Cited(PATH, "app.py:900: joined"),
    Cited(PATH, f"app.py:1 {LINE}: joined"),
    Cited(PATH, "app.py:3 `db.run(… + name)`: joined"),
    Cited(PATH, "app.py:3 `def q(db, name): ... return rows`: joined"),
    Cited(PATH, "app.py:3 `db.run(...)`: joined"),
    Cited(PATH, "[app.py](https://example.org/blob/main/app.py#L3): joined"),
    Cited(PATH, "app.py:3 `+    rows = db.run('select * from t where n=' + name)`: joined"),
    Cited(PATH, 'app.py:3 `3| rows = db.run("select * from t where n="  +  name)`: joined'),
    Cited(PATH, "tests/test_app.py:1 is missing"),
    Cited(PATH, "the query is joined from strings"),
]
UNFOUND = [
    Cited(PATH, f"src/ghost.py:3 {LINE}: joined", "undecided"),
    Cited(PATH, "lib/db/query.py:99: joined", "undecided"),
    Cited(PATH, "app.py:3 `cursor.execute(sql % name)`: joined", "undecided"),
    Cited("lib/app.py", f"src/app.py:3 {LINE}: joined", "undecided"),
]


def panel(shop: Shop, row: Cited, policy: str = "panel") -> tuple[str, int, str]:
    """Outcome, exit code and reasons of a panel with one judge that flags, and others that do not."""
    shop.write(row.where, CODE)
    shop.commit()
    add_judge(shop, "j", f"VERDICT: flagged\n\nReasons:\n- BLOCKING: sql-injection: {row.said}\n")
    add_judge(shop, "kind", "VERDICT: approved\n", family="other")
    settings = {"policy.name": policy, "policy.veto": ("kind",)}
    request = PanelRequest(
        PacketRequest((".",), cwd=shop.root), agents=("j", "kind", "secrets"), settings=settings
    )
    report = asyncio.run(validate(request))
    return report.outcome, report.exit_code, "\n".join(report.header.reasons)


@pytest.mark.parametrize("row", [*FOUND, *UNFOUND], ids=lambda row: row.said)
def test_no_citation_disarms_a_flag(shop: Shop, row: Cited) -> None:
    outcome, code, reasons = panel(shop, row)
    assert (outcome, code) == (row.outcome, {"flagged": 2, "undecided": 3}[row.outcome])
    if row.outcome == "undecided":
        assert "what j flagged could not be found in the work" in reasons


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("row", UNFOUND, ids=lambda row: row.said)
def test_no_policy_approves_over_what_could_not_be_found(
    shop: Shop, row: Cited, policy: str
) -> None:
    _, code, reasons = panel(shop, row, policy)
    assert code == 3
    assert "what j flagged could not be found in the work" in reasons


@pytest.mark.parametrize("verb", ["council", "vibe"])
@pytest.mark.parametrize(
    ("said", "word", "codes"),
    [
        ("a b/app.py:3", "FAIL", (2, 3)),
        ("b/app.py line 3", "FAIL", (2, 3)),
        ("x/a b/app.py:3", "FAIL", (2, 3)),
        ("src/ghost.py:3", "FAIL", (3,)),
        ("src/ghost.py:3", "WARN", (3,)),  # a critical finding, whatever the word
    ],
)
def test_no_council_passes_over_it(
    shop: Shop, verb: str, said: str, word: str, codes: tuple[int, ...]
) -> None:
    shop.write("README.md", "a shop\n")
    shop.commit()
    shop.write("a b/app.py", CODE)
    shop.commit()
    add_council_judge(shop, "j", verdict(word, finding("joined", said)))
    add_council_judge(shop, "kind", verdict("PASS"))
    argv = ("council", "validate", "a b/app.py") if verb == "council" else ("vibe", "HEAD~1..HEAD")
    ran = shop.guild(*argv, "--agents=j,kind")
    assert ran.code in codes, ran.out + ran.err
    if codes == (3,):
        assert "what judge-1 flagged could not be found" in " ".join(ran.out.split())


def test_a_reason_that_is_found_blocks_whatever_stands_beside_it(shop: Shop) -> None:
    row = Cited(PATH, "src/ghost.py:1: gone\n- BLOCKING: sql-injection: app.py:3: joined")
    assert panel(shop, row)[:2] == ("flagged", 2)


def test_a_flag_that_calls_all_advice_is_no_approval(shop: Shop) -> None:
    shop.write(PATH, CODE)
    add_judge(shop, "odd", "VERDICT: flagged\n\nReasons:\n- ADVISORY: nit: app.py:3: joined\n")
    add_judge(shop, "kind", "VERDICT: approved\n")
    request = PanelRequest(PacketRequest((".",), cwd=shop.root), agents=("odd", "kind"))
    report = asyncio.run(validate(request))
    assert (report.outcome, report.exit_code) == ("undecided", 3)


@pytest.mark.parametrize("others", [("dead", "dead"), ("mute",), ("dead", "kind")])
def test_a_silent_judge_is_no_approval(shop: Shop, others: tuple[str, ...]) -> None:
    shop.write(PATH, CODE)
    shop.commit()
    says = "I would say this FAILS badly: SQL injection in app.py:3."
    add_council_judge(shop, "kind", verdict("PASS"))
    add_council_judge(shop, "mute", says)
    add_council_judge(shop, "dead", {"fail": "exit 1"})
    ran = shop.guild("council", "validate", PATH, f"--agents={','.join(('kind', *others))}")
    assert ran.code == 3, ran.out
    if "mute" in others:
        assert "I would say this FAILS badly" in " ".join(ran.out.split())
