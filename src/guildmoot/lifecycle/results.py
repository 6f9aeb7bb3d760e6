"""What comes after the work: context bundles, reviews, verifications and reflections. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.lifecycle.documents import Checker, Problem, SourceDocument
from guildmoot.text.patterns import lazy

MOST_TOKENS = 6_000
LAYERS = ("Universal", "Role", "Task")
CHECKS = 5
VERDICTS = ("pass", "fail", "follow-up")
STATUS = ("PASS", "FAIL")
BUCKETS = ("skill_improvement", "missing_specialist", "context_issues", "followup_backlog")
SIGNIFICANCE = ("low", "medium", "high")
_CHECK = lazy(
    r"(?i)[ \t]{0,3}(?:#{1,6}|[-*+]|\|)?[ \t|]*(?:\[[ x]\][ \t]*|[✓✗✔✘][ \t]*)?\**(?:check[ \t]*)?"
    r"([1-5])(?![\d/])(?! of\b).*"
)
"""The line that begins a check: a heading, a bullet, a numbered line or a row of a table."""
_MARK = lazy(r"(?i)\b(?:pass(?:ed)?|fail(?:ed)?|undecided|not run|skipped)\b|[✓✗✔✘]|\[[ x]\]")
_FAILED = frozenset(("fail", "failed", "undecided", "✗", "✘", "[ ]"))
_RECALL = lazy(r"(?m)^<(/?)guild:recall\b[^>\n]*>")
_PARTS = ("universal", "role", "task", "total")


def check_bundle(document: SourceDocument) -> list[Problem]:
    """All that is wrong with a context bundle."""
    check = Checker(document)
    for key in ("run_id", "specialist", "task_id", "spec", "plan"):
        check.text(key)
    check.words("sources")
    check.words("dropped_for_budget")
    _estimate(check)
    check.filled(LAYERS)
    found = [s.title.casefold() for s in document.sections if s.title.capitalize() in LAYERS]
    if len(found) == len(LAYERS) and found != [layer.casefold() for layer in LAYERS]:
        why = f"the layers stand in this order: {', '.join(LAYERS)}"
        check.tell(document.sections[0].line, "order", why)
    tokens = bundle_tokens(document.body)
    if tokens > MOST_TOKENS:
        check.tell(
            1,
            "too-large",
            f"the bundle has about {tokens:,} tokens, more than {MOST_TOKENS:,}: drop what is dropped"
            " first (graph nodes, then references) and list it under dropped_for_budget",
        )
    depth = 0
    for mark in _RECALL.finditer(document.body):
        depth += -1 if mark[1] else 1
        if depth not in (0, 1):
            break
    if depth:
        why = "each <guild:recall ...> mark needs its own end </guild:recall>, and nothing else"
        check.tell(1, "open-mark", why)
    return check.problems


def _estimate(check: Checker) -> None:
    """The four numbers, which add up and keep within the limit."""
    given, line = (
        check.document.data.get("token_estimate"),
        check.document.line_of("token_estimate"),
    )
    if not isinstance(given, dict) or any(name not in given for name in _PARTS):
        why = "token_estimate must give universal, role, task and total"
        check.tell(line, "missing-key", why)
        return
    counts = [int(text) for name in _PARTS if (text := str(given[name])).isdecimal()]
    if len(counts) < len(_PARTS):
        check.tell(line, "bad-value", "the parts of token_estimate are whole numbers")
    elif sum(counts[:3]) != counts[3]:
        why = f"token_estimate: the layers add up to {sum(counts[:3])}, not to {counts[3]}"
        check.tell(line, "bad-value", why)
    elif counts[3] > MOST_TOKENS:
        why = f"token_estimate says {counts[3]:,}, more than {MOST_TOKENS:,}: drop something"
        check.tell(line, "too-large", why)


def bundle_tokens(text: str) -> int:
    """About how many tokens a finished bundle has: a quarter of a token a character, and one where it is not ASCII.

    Bundles are put together by a higher count, so that none that was made here comes near the limit by this one.
    """
    other = len(text) - len(text.encode("ascii", "ignore"))
    return -(-(len(text) - other) // 4) + other


def check_review(document: SourceDocument) -> list[Problem]:
    """All that is wrong with a review."""
    check = Checker(document)
    for key in ("run_id", "slug", "review_stage", "reviewer"):
        check.text(key)
    check.day("reviewed_at")
    check.word("overall_verdict", VERDICTS)
    rows = [row for row in document.body.split("\n") if row.strip().startswith("|")]
    if len(rows) < 3:
        check.tell(
            document.end,
            "no-table",
            "a review has a table with a row for each lane: specialist, task-id, stage 1, stage 2,"
            " failing check",
        )
    _lane_verdicts(check, rows)
    return check.problems


def _lane_verdicts(check: Checker, rows: list[str]) -> None:
    """No review passes over a lane that fails, and stage 2 comes after a stage 1 that passed."""
    for row in rows[2:]:
        cells = [cell.strip().casefold() for cell in row.strip().strip("|").split("|")]
        if len(cells) < 4:
            continue
        task, first, second = cells[1:4]
        if first == "fail" and second == "pass":
            why = f"{task} passes stage 2 although stage 1 failed"
            check.tell(check.document.end, "wrong-stage", why)
        if "fail" in (first, second) and check.document.data.get("overall_verdict") == "pass":
            why = f"overall_verdict is pass although {task} fails"
            check.tell(check.document.line_of("overall_verdict"), "wrong-verdict", why)


def check_assumptions(text: str) -> list[Problem]:
    """All that is wrong with the assumptions of a run: a heading alone says that there are none."""
    if any(row.startswith(("# ", "## ", "- ", "* ")) for row in text.splitlines()):
        return []
    why = "it has neither a heading nor a bullet: write '# Assumptions', alone if there are none"
    return [Problem(1, "no-assumptions", why)]


def check_verify(document: SourceDocument) -> list[Problem]:
    """All that is wrong with a verification."""
    check = Checker(document)
    check.text("run_id")
    said = check.text("status")
    if said and said.upper() not in STATUS:
        line = document.line_of("status")
        check.tell(line, "bad-value", f"status must be one of: {', '.join(STATUS)}")
    told: dict[int, tuple[int, str]] = {}
    for number, line, text in _checks(document):
        told.setdefault(number, (line, text))
    for number in range(1, CHECKS + 1):
        line, text = told.get(number, (document.end, ""))
        if number not in told:
            check.tell(line, "missing-section", f"check {number} of {CHECKS} is not told")
        elif not _MARK.search(text):
            check.tell(line, "no-result", f"check {number} does not say pass or fail")
        elif not _evidence(text):
            check.tell(line, "no-evidence", f"check {number} names no evidence")
    failed = [number for number, (_, text) in told.items() if _first_mark(text) in _FAILED]
    if failed and said.upper() == "PASS":
        check.tell(
            document.line_of("status"),
            "wrong-status",
            f"status is PASS although check {failed[0]} failed",
        )
    return check.problems


def _checks(document: SourceDocument) -> Iterator[tuple[int, int, str]]:
    """The five checks with their lines: as headings with what stands below, else as one line each."""
    heads = [
        (int(found[1]), section.line, f"{section.title}\n{section.text}")
        for section in document.sections
        if (found := _CHECK.fullmatch(section.title))
    ]
    if heads:
        yield from heads
        return
    rows = document.body.split("\n")
    first = document.end - len(rows) + 1
    for at, row in enumerate(rows):
        if found := _CHECK.fullmatch(row):
            yield int(found[1]), first + at, row


def _first_mark(text: str) -> str:
    """The word that a check begins with; '0 failed' in its evidence is none."""
    found = _MARK.search(text)
    return found[0].casefold() if found else ""


def _evidence(text: str) -> str:
    """What a check says beside its number and its mark."""
    head, _, below = text.partition("\n")
    rest = _MARK.sub("", head).strip(" \t|#*+-:.[]0123456789")
    return below.strip() or (
        rest if ":" in head or "`" in head or "|" in head or " " in rest else ""
    )


def check_reflection(document: SourceDocument) -> list[Problem]:
    """All that is wrong with a reflection."""
    check = Checker(document)
    check.text("run_id")
    check.day("date")
    check.text("task_slug")
    check.word("significance", SIGNIFICANCE)
    proposals = document.data.get("proposals")
    if not isinstance(proposals, dict):
        check.tell(
            document.line_of("proposals"),
            "missing-key",
            f"proposals must list {', '.join(BUCKETS)} (each may be [])",
        )
        return check.problems
    for name in BUCKETS:
        if not isinstance(proposals.get(name), list):
            check.tell(
                document.line_of("proposals", name), "bad-value", f"proposals.{name} must be a list"
            )
    for name in proposals.keys() - set(BUCKETS):
        check.tell(
            document.line_of("proposals", name), "unknown-key", f"proposals has no list {name}"
        )
    least = least_significance({k: len(v) for k, v in proposals.items() if isinstance(v, list)})
    said = document.data.get("significance")
    known = isinstance(said, str) and said in SIGNIFICANCE
    if known and SIGNIFICANCE.index(str(said)) < SIGNIFICANCE.index(least):
        check.tell(
            document.line_of("significance"),
            "wrong-significance",
            f"what is proposed makes it {least} at least",
        )
    return check.problems


def least_significance(counts: dict[str, int]) -> str:
    """How much a reflection matters by what it proposes; earlier reflections may make it more."""
    if counts.get("missing_specialist"):
        return "high"
    if (
        counts.get("skill_improvement")
        or counts.get("context_issues")
        or counts.get("followup_backlog", 0) >= 3
    ):
        return "medium"
    return "low"
