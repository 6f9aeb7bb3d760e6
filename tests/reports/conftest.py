"""One made-up run that has everything a report can show, and a way to vary it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guildmoot.model.agent import Seat
from guildmoot.model.packet import Masking, Omission
from guildmoot.model.report import Counts, RunOrigin, RunReport, SeatReport
from guildmoot.model.verdict import CliRun, Conflict, Finding, Signal
from made_reports import changed, check_golden, made

GOLDEN = Path(__file__).parent.parent / "data" / "reports"


def _finding(**fields: Any) -> Finding:
    given: dict[str, Any] = {
        "seat": "python-correctness",
        "code": "F821",
        "title": "Undefined name",
    }
    return Finding(**{**given, **fields})


BLOCKING = (
    Finding(
        seat="secrets",
        code="private-key",
        title="A private key is committed",
        severity="critical",
        path="deploy/keys/staging.txt",
        line=1,
        end_line=3,
        quote="-----BEGIN PRIVATE KEY-----\n[masked]\n-----END PRIVATE KEY-----",
        why="Whoever can read the repository can sign as the staging server.",
        fix="Revoke the key, take the file out of the history, and load it from the secret store.",
        family="guildmoot",
        proven=True,
        grounding="grounded",
    ),
    Finding(
        seat="python-correctness",
        code="F821",
        title="Undefined name `account`",
        severity="high",
        path="src/billing/invoice.py",
        line=88,
        quote="    return account.total - discount",
        fix="Use the parameter `customer`, or import `account`.",
        url="https://docs.astral.sh/ruff/rules/undefined-name",
        family="ruff",
        proven=True,
        grounding="grounded",
    ),
    Finding(
        seat="contract-fit",
        code="criterion-unmet",
        title="The spec asks for refunds in the invoice's own currency, but the amount is always "
        "written in EUR",
        severity="high",
        path="src/billing/refunds/currency/conversion/very_long_module_name_for_rounding.py",
        line=112,
        end_line=119,
        quote='def refund(invoice):\n    amount = invoice.amount\n    return Money(amount, "EUR")',
        why="Customers who paid in another currency get a wrong amount back.",
        fix="Pass `invoice.currency` to `Money`.",
        patch='--- a/r.py\n+++ b/r.py\n@@ -3 +3 @@\n-    return Money(amount, "EUR")\n'
        "+    return Money(amount, invoice.currency)\n",
        family="anthropic",
        grounding="moved",
        note="the quote stands at line 112, not at line 97",
    ),
)

ADVISORY = (
    *(
        _finding(
            seat="python-errors",
            code="BLE001",
            title="Do not catch blind exception: `Exception`",
            severity="medium",
            blocking=False,
            path=f"src/billing/worker_{number % 3}.py",
            line=30 + number,
            quote="    except Exception:",
            fix="Name the exceptions that you can handle.",
            url="https://docs.astral.sh/ruff/rules/blind-except",
            family="ruff",
            proven=True,
            grounding="grounded",
        )
        for number in range(4)
    ),
    _finding(
        seat="contract-fit",
        code="edge-case",
        title="What happens when the invoice is empty?",
        severity="medium",
        blocking=False,
        path="src/billing/totals.py",
        line=400,
        why="The sum of nothing is not zero here.",
        family="anthropic",
        grounding="line-out-of-range",
    ),
    *(
        _finding(
            code="F401",
            title=f"`module_{number}` imported but unused",
            severity="low",
            blocking=False,
            path=f"src/api/views_{number % 6}.py",
            line=number + 1,
            quote=f"import module_{number}",
            family="ruff",
            proven=True,
        )
        for number in range(14)
    ),
    _finding(
        seat="naming",
        code="unclear-name",
        title="`tmp2` says nothing about what it holds",
        severity="low",
        blocking=False,
        family="anthropic",
    ),
)


def _seat(name: str, *, backend: str = "tool", family: str = "ruff", model: str = "") -> Seat:
    return Seat(name, name, backend, family, model, why="*.py in the packet")


SEATS = (
    SeatReport(_seat("python-correctness"), "answered", "flagged", 0.412, 15, 1),
    SeatReport(_seat("python-errors"), "answered", "flagged", 0.388, 4, 0),
    SeatReport(_seat("secrets", family="guildmoot"), "answered", "flagged", 1.05, 1, 1),
    SeatReport(
        _seat("contract-fit", backend="claude", family="anthropic", model="opus"),
        "answered",
        "flagged",
        41.7,
        2,
        1,
    ),
    SeatReport(
        _seat("naming", backend="claude", family="anthropic", model="haiku"),
        "answered",
        "approved",
        12.3,
        1,
        0,
    ),
    SeatReport(_seat("docs"), "answered", "recused", 0.2, 0, 0, "no documentation in the packet"),
    SeatReport(
        _seat("mypy", family="mypy"), "timeout", "absent", 120.0, 0, 0, "no answer in 120 s"
    ),
)

REPORT = made(
    RunReport,
    run_id="20260314-150926-a1b2c3",
    target="src/ and deploy/ of the working tree",
    origin=RunOrigin(
        "github.com/house/billing",
        "refunds",
        "0123456789abcdef0123456789abcdef01234567",
        "fedcba9876543210fedcba9876543210fedcba98",
        "2026-03-14 15:09 UTC",
        "guild validate src deploy",
    ),
    verdict="flagged",
    outcome="flagged",
    reasons=(
        "3 blocking findings from contract-fit, python-correctness, secrets",
        "mypy did not answer: no answer in 120 s",
    ),
    blocking=BLOCKING,
    advisory=ADVISORY,
    conflicts=(),
    cli_runs=(CliRun("contract-fit", "pytest -q", True),),
    signals=(
        Signal("python-correctness", None, "gated", None),
        Signal("docs", "high", "recused", "no documentation in the packet"),
    ),
    seats=SEATS,
    passed_over=(
        ("eslint", "no JavaScript in the packet"),
        ("hadolint", "not installed"),
        ("semgrep", "not installed"),
    ),
    packet_hash="3f2a91c04e" + "0" * 54,
    files_reviewed=34,
    lines_reviewed=4812,
    omitted=(
        *(Omission(f"vendor/lib{number}.js", "vendored") for number in range(8)),
        Omission("assets/logo.png", "binary"),
        Omission("data/dump.sql", "too-large", "210 MB; the limit is 400 kB"),
    ),
    masked=(Masking("src/settings.py", 12, "aws-access-key", True),),
    outside=7,
    policy="panel",
    seconds=121.4,
    exit_code=2,
    version="0.1.0",
    floors=("coverage: only 40% of the files were judged",),
    counts=Counts(7, 5, 3, 2.4, 3 / 7, 2 / 7, 0.31),
)

CONFLICT = Conflict(
    scope="src/cache.py:10-14",
    seats=("performance", "simplicity"),
    findings=(
        _finding(seat="performance", title="Slow", fix="Add a cache in front of `load`."),
        _finding(seat="simplicity", title="Needless", fix="Remove the cache around `load`."),
    ),
)


@pytest.fixture(scope="session")
def report() -> RunReport:
    """A flagged run with everything in it."""
    return REPORT


@pytest.fixture(scope="session")
def approved() -> RunReport:
    """A run in which nothing was found."""
    return changed(
        REPORT,
        verdict="approved",
        outcome="approved",
        reasons=("6 seats answered and nothing blocks",),
        blocking=(),
        advisory=(),
        seats=tuple(
            seat._replace(findings=0, blocking=0, outcome="approved", reason="")
            for seat in SEATS[:6]
        ),
        omitted=(),
        masked=(),
        passed_over=(),
        outside=0,
        seconds=2.3,
        exit_code=0,
    )


@pytest.fixture(scope="session")
def conflicting() -> RunReport:
    """A run in which two remedies cannot both be applied."""
    return changed(
        REPORT,
        verdict="flagged-conflict",
        outcome="conflict",
        reasons=("performance and simplicity contradict each other",),
        blocking=CONFLICT.findings,
        advisory=(),
        conflicts=(CONFLICT,),
        exit_code=3,
    )


@pytest.fixture(scope="session")
def with_text() -> Callable[[str], RunReport]:
    """The run with one text in every place where foreign text can stand."""

    def make(text: str) -> RunReport:
        names = ("quote", "why", "fix", "patch", "url", "family", "note")
        fields: dict[str, Any] = dict.fromkeys(names, text)
        hostile = Finding(text, text, text, path=text, line=3, end_line=4, **fields)
        advice = hostile._replace(blocking=False, severity="low")
        seat = SeatReport(
            Seat(text, text, text, text, text, text, text), "failed", "absent", 0, 0, 0, text
        )
        return changed(
            REPORT,
            run_id=text,
            target=text,
            origin=RunOrigin(text, text, text, text, text, text),
            outcome="conflict",
            reasons=(text,),
            blocking=(hostile,),
            advisory=(advice,) * 8,
            conflicts=(Conflict(text, (text, text), (hostile, hostile)),),
            cli_runs=(CliRun(text, text, True),),
            signals=(Signal(text, None, "gated", text),),
            seats=(seat,),
            passed_over=((text, text),),
            packet_hash=text,
            omitted=(Omission(text, text, text),),
            masked=(Masking(text, 1, text, True),),
            policy=text,
            version=text,
        )

    return make


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], None]:
    """Compare with a file under tests/data/reports."""
    return lambda name, text: check_golden(GOLDEN / name, text)


HOSTILE = (
    "[red]markup[/red] [link=https://evil.example]click[/link] :warning:",
    "\x1b[2J\x1b]8;;https://evil.example\x07click\x1b]8;;\x07 \x9b31m",
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "\"' onmouseover=alert(1) x='",
    "]]> <!-- --> <![CDATA[ &amp; &#0; &lt;",
    "\x00\x01\x08\x0b\x0c\x0e\x1f\x7f\x85\ufffe\uffff",
    "right\u202eleft\u2066isolate\u2069 \u200bzero\ufeffwidth \U000e0041tag",
    "a\r\nb\rc\u2028d\u2029e\ttab",
    "``` \n~~~\n# heading\n- item\n> quote\n1. one\n---\n| a | b |\n|---|---|",
    "`open and ``two`` and ``` three",
    "![image](https://evil.example/x.png) [link](javascript:alert(1)) <https://evil.example>",
    "::add-mask::secret",
    "##[add-mask]secret ##vso[task.setvariable variable=x]y ##teamcity[x]",
    "@everyone @octocat fixes #1",
    "javascript:alert(1)",
    "name with bytes \udcff\udc80 and half a pair \ud83d",
    "{0} {{1}} %s $HOME ${x} \\ \\[ \\`",
    "日本語の長い文章" * 20 + " 👩‍👩‍👧‍👦 é",
    "x" * 500,
    "",
    "   \n  ",
)


@pytest.fixture(scope="session", params=HOSTILE, ids=lambda text: ascii(text)[:24])
def hostile(request: pytest.FixtureRequest) -> str:
    """A text that tries to be more than text."""
    return str(request.param)
