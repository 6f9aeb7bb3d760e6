"""What comes after the work: context bundles, reviews, verifications and reflections. Pure."""

from __future__ import annotations

from guildmoot.calls.pricing import estimate_tokens
from guildmoot.lifecycle.documents import Checker, MarkdownSection, Problem, SourceDocument
from guildmoot.text.patterns import lazy

MOST_TOKENS = 6_000
LAYERS = ("Universal", "Role", "Task")
CHECKS = 5
VERDICTS = ("pass", "fail", "follow-up")
STATUS = ("PASS", "FAIL")
BUCKETS = ("skill_improvement", "missing_specialist", "context_issues", "followup_backlog")
SIGNIFICANCE = ("low", "medium", "high")
_CHECK = lazy(r"(?i)(?:check\s+)?([1-5])\b.*")
_MARK = lazy(r"(?i)\b(?:pass(?:ed)?|fail(?:ed)?|not run|skipped)\b|[✓✗]|\[[ x]\]")


def check_bundle(document: SourceDocument) -> list[Problem]:
    """All that is wrong with a context bundle."""
    check = Checker(document)
    for key in ("run_id", "specialist", "task_id", "spec", "plan"):
        check.text(key)
    check.words("sources")
    check.words("dropped_for_budget")
    if not isinstance(document.data.get("token_estimate"), dict):
        check.tell(
            document.line_of("token_estimate"),
            "missing-key",
            "token_estimate must give universal, role, task and total",
        )
    check.filled(LAYERS)
    found = [s.title.casefold() for s in document.sections if s.title.capitalize() in LAYERS]
    if len(found) == len(LAYERS) and found != [layer.casefold() for layer in LAYERS]:
        check.tell(document.sections[0].line, "order", f"the layers stand in this order: {LAYERS}")
    tokens = estimate_tokens(document.body)
    if tokens > MOST_TOKENS:
        check.tell(
            1,
            "too-large",
            f"the bundle has about {tokens:,} tokens, more than {MOST_TOKENS:,}: drop what is dropped"
            " first (graph nodes, then references) and list it under dropped_for_budget",
        )
    return check.problems


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
    check.word("status", STATUS)
    told = {
        int(found[1]): section
        for section in document.sections
        if (found := _CHECK.fullmatch(section.title))
    }
    for number in range(1, CHECKS + 1):
        section = told.get(number)
        if section is None:
            check.tell(document.end, "missing-section", f"check {number} of {CHECKS} is not told")
        elif not _MARK.search(f"{section.title}\n{section.text}"):
            check.tell(section.line, "no-result", f"check {number} does not say pass or fail")
        elif section.is_empty:
            check.tell(section.line, "no-evidence", f"check {number} names no evidence")
    failed = [number for number, section in told.items() if _failed(section)]
    if failed and document.data.get("status") == "PASS":
        check.tell(
            document.line_of("status"),
            "wrong-status",
            f"status is PASS although check {failed[0]} failed",
        )
    return check.problems


def _failed(section: MarkdownSection) -> bool:
    """By its heading where that says how it ended; what a program printed below it does not count then."""
    said = section.title if _MARK.search(section.title) else section.text
    return "fail" in said.casefold().split()


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
