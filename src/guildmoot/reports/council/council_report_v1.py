"""A council as ``council-report.v1``: bounded, advisory, without a verdict, and checked before it leaves.

It holds the first round only, since a judge that has seen another's answer is no longer independent.
Agreement inside one method is one confirmation: a claim is consensus when two methods make it. Every
issue lands in exactly one bucket.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport, Disagreement, Judge
from guildmoot.model.verdict import Issue
from guildmoot.reports.council.view import claim, ref
from guildmoot.text.clean import clean

VERSION = "council-report.v1"
MAX_BYTES = 512 * 1024
MAX_OUTPUT = 32_768
JUDGMENT = 8_192
MOST_EVIDENCE = 20
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LIMITS = {
    "judge_count": (2, 5),
    "per_judge_timeout_seconds": (1, 300),
    "round_timeout_seconds": (1, 900),
    "max_judge_output_bytes": (1, MAX_OUTPUT),
}
_BUCKETS = ("consensus", "divergence", "minority", "unresolved")
Json = dict[str, object]
_INDEPENDENT = "independent review"
_MOST_POSITIONS = 10


class Limits(NamedTuple):
    """What the round was limited to, in seconds and bytes."""

    per_judge: int = 120
    round: int = 300
    output: int = MAX_OUTPUT


STANDARD = Limits()


def to_council_report_v1(
    report: CouncilReport, *, authorization_id: str, limits: Limits = STANDARD
) -> Json:
    """The report as council-report.v1; raises UsageError when it does not fit its bounds.

    ``authorization_id`` names who allowed the council. Nothing is left out to make it fit.
    """
    attempts = [_attempt(report, judge, limits) for judge in report.judges]
    completed = [
        judge
        for judge, attempt in zip(report.judges, attempts, strict=True)
        if attempt["status"] == "completed"
    ]
    value: Json = {
        "schema_version": VERSION,
        "question": clean(report.header.target),
        "subject_digest": report.header.packet_hash,
        "authorization_id": authorization_id,
        "diversity_unsatisfied": len({_model(judge) for judge in completed}) < 2,
        "input_packet": {
            "source_refs": list(dict.fromkeys(map(clean, report.sources))),
            "byte_length": report.packet_bytes,
            "sha256": report.header.packet_hash,
        },
        "limits": {
            "judge_count": len(report.judges),
            "per_judge_timeout_seconds": limits.per_judge,
            "round_timeout_seconds": limits.round,
            "max_judge_output_bytes": limits.output,
        },
        "round_status": "sufficient" if len(completed) >= 2 else "insufficient",
        "cleanup_verified": True,  # a fan-out ends only when everything that it started has ended
        "judge_attempts": attempts,
        "judges": [_judge(report, judge) for judge in completed],
        "synthesis": _synthesis(report, completed)
        if len(completed) >= 2
        else _insufficient(report, completed),
    }
    problems = check_council_report(value)
    if problems:
        raise UsageError(
            f"the council does not fit council-report.v1: {'; '.join(problems)}",
            "Take the JSON report, which has no such bounds.",
        )
    return value


def _attempt(report: CouncilReport, judge: Judge, limits: Limits) -> Json:
    size = len(judge.text.encode("utf-8", "surrogatepass"))
    error = _failure(judge, size, limits)
    status = "completed" if not error else "error"
    attempt: Json = {
        "context_id": _context(report, judge),
        "adapter": clean(judge.seat.backend),
        "model_identity": _model(judge),
        "status": "timed_out" if judge.status == "timeout" else status,
        "output_bytes": min(size, limits.output),
        "cleanup_confirmed": True,
    }
    return {**attempt, "error": error} if error else attempt


def _failure(judge: Judge, size: int, limits: Limits) -> str:
    if judge.status != "answered" or judge.word is None:
        return clean(judge.reason).strip() or f"no judgement: {judge.status}"
    if size > limits.output:
        return f"its output of {size} bytes is beyond the limit of {limits.output}"
    return "" if _evidence(judge) else "a judgement without evidence is not counted"


def _judge(report: CouncilReport, judge: Judge) -> Json:
    first = judge.first or judge.verdict
    words = clean(first.key_insight if first else judge.reason).strip()
    return {
        "context_id": _context(report, judge),
        "methodology": _method(judge),
        "model_identity": _model(judge),
        "judgment": (words or _evidence(judge)[0])[:JUDGMENT],
        "evidence": _evidence(judge)[:MOST_EVIDENCE],
        "omissions": [],
    }


def _evidence(judge: Judge) -> list[str]:
    """What its judgement rests on: places and claims; without findings, what it saw."""
    first = judge.first or judge.verdict
    found = [f"{ref(finding)}: {claim(finding)}"[:JUDGMENT] for finding in judge.findings]
    seen = clean(first.key_insight).strip()[:JUDGMENT] if first else ""
    return found or ([seen] if seen else [])


def _synthesis(report: CouncilReport, completed: list[Judge]) -> Json:
    consensus, unresolved = [], []
    for issue in report.shared:
        methods = _methods(issue, completed)
        if len(methods) > 1:
            consensus.append({"claim": _point(issue), "methodologies": methods})
        else:
            unresolved.append(f"one confirmation only, by a single method: {_point(issue)}")
    return {
        "consensus": consensus,
        "divergence": [
            *(_divergence(issue, completed) for issue in report.split),
            *map(_disagreement, report.disagreements),
        ],
        "minority": [_point(issue) for issue in report.minority],
        "unresolved": unresolved,
    }


def _insufficient(report: CouncilReport, completed: list[Judge]) -> Json:
    why = f"{len(completed)} of {len(report.judges)} judges gave a judgement; two are needed"
    return {"consensus": [], "divergence": [], "minority": [], "unresolved": [why]}


def _methods(issue: Issue, completed: list[Judge]) -> list[str]:
    return list(
        dict.fromkeys(_method(judge) for judge in completed if {judge.seat.name} & {*issue.seats})
    )


def _divergence(issue: Issue, completed: list[Judge]) -> Json:
    sides = (
        f"{clean(judge.label)} {'raises it' if judge.seat.name in issue.seats else 'does not'}"
        for judge in completed
    )
    return {"point": _point(issue), "positions": list(sides)[:_MOST_POSITIONS]}


def _disagreement(each: Disagreement) -> Json:
    positions = [f"{', '.join(map(clean, who))}: {clean(says)}" for who, says in each.positions]
    return {"point": clean(each.issue), "positions": positions[:_MOST_POSITIONS]}


def _point(issue: Issue) -> str:
    return f"{claim(issue.representative)} ({ref(issue.representative)})"


def _context(report: CouncilReport, judge: Judge) -> str:
    return clean(f"{report.header.run_id or report.stem}/{judge.label}")


def _model(judge: Judge) -> str:
    return clean(judge.seat.model or judge.seat.family or judge.seat.backend)


def _method(judge: Judge) -> str:
    return clean(judge.perspective) or _INDEPENDENT


def check_council_report(value: object) -> list[str]:
    """Every problem, each in a few words; empty when the report is valid. Never raises."""
    if not isinstance(value, dict):
        return ["the report is not an object"]
    problems = [
        *_check_top(value),
        *_check_packet(value),
        *_check_limits(value),
        *_check_attempts(value),
    ]
    problems += [*_check_judges(value), *_check_synthesis(value)]
    try:
        size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (TypeError, ValueError, RecursionError):
        return [*problems, "it cannot be written as JSON"]
    return problems if size <= MAX_BYTES else [*problems, f"{size} bytes are too many"]


def _check_top(value: Json) -> Iterator[str]:
    if value.get("schema_version") != VERSION:
        yield f"schema_version is not {VERSION}"
    yield from _text(value, "question", 4_096)
    yield from _text(value, "authorization_id", 256)
    yield from _digest(value, "subject_digest")
    if value.get("round_status") not in ("sufficient", "insufficient"):
        yield "round_status is neither sufficient nor insufficient"
    if value.get("cleanup_verified") is not True:
        yield "cleanup_verified is not true"
    if not isinstance(value.get("diversity_unsatisfied", False), bool):
        yield "diversity_unsatisfied is not a boolean"


def _check_packet(value: Json) -> Iterator[str]:
    packet = _object(value.get("input_packet"))
    refs = _texts(packet.get("source_refs"), 1_024)
    if refs is None or not 1 <= len(refs) <= 20 or len(set(refs)) != len(refs):
        yield "input_packet.source_refs must be 1 to 20 different texts of at most 1024 characters"
    yield from _number(packet, "byte_length", 1, 262_144, "input_packet.")
    yield from _digest(packet, "sha256", "input_packet.")


def _check_limits(value: Json) -> Iterator[str]:
    limits = _object(value.get("limits"))
    for name, (least, most) in _LIMITS.items():
        yield from _number(limits, name, least, most, "limits.")


def _check_attempts(value: Json) -> Iterator[str]:
    attempts = _objects(value.get("judge_attempts"))
    limits = _object(value.get("limits"))
    if len(attempts) != limits.get("judge_count"):
        yield "judge_attempts are not as many as limits.judge_count"
    if len(set(_ids(attempts))) != len(attempts):
        yield "context_id is not unique among judge_attempts"
    most = limits.get("max_judge_output_bytes")
    for attempt in attempts:
        yield from _check_attempt(attempt, most if isinstance(most, int) else MAX_OUTPUT)


def _check_attempt(attempt: Json, most: int) -> Iterator[str]:
    where = f"attempt {attempt.get('context_id')}: "
    for name in ("context_id", "adapter", "model_identity"):
        yield from _text(attempt, name, 1_024, where)
    yield from _number(attempt, "output_bytes", 0, most, where)
    if attempt.get("cleanup_confirmed") is not True:
        yield f"{where}cleanup_confirmed is not true"
    status = attempt.get("status")
    if status not in ("completed", "timed_out", "error"):
        yield f"{where}status is unknown"
    if status == "completed" and "error" in attempt:
        yield f"{where}completed, and yet it has an error"
    if status != "completed":
        yield from _text(attempt, "error", 8_192, where)


def _check_judges(value: Json) -> Iterator[str]:
    judges = _objects(value.get("judges"))
    completed = {
        str(attempt.get("context_id")): attempt.get("model_identity")
        for attempt in _objects(value.get("judge_attempts"))
        if attempt.get("status") == "completed"
    }
    if sorted(_ids(judges)) != sorted(completed):
        yield "judges are not exactly the completed attempts"
    for judge in judges:
        where = f"judge {judge.get('context_id')}: "
        yield from _text(judge, "methodology", 1_024, where)
        yield from _text(judge, "judgment", JUDGMENT, where)
        if judge.get("model_identity") != completed.get(str(judge.get("context_id"))):
            yield f"{where}model_identity is not the one declared"
        evidence = _texts(judge.get("evidence"), JUDGMENT)
        if evidence is None or not 1 <= len(evidence) <= MOST_EVIDENCE:
            yield f"{where}evidence must be 1 to {MOST_EVIDENCE} texts"
        omissions = _texts(judge.get("omissions"), JUDGMENT)
        if omissions is None or len(omissions) > MOST_EVIDENCE:
            yield f"{where}omissions must be at most {MOST_EVIDENCE} texts"


def _check_synthesis(value: Json) -> Iterator[str]:
    found = _object(value.get("synthesis"))
    yield from (f"synthesis.{name} is not a list" for name in _BUCKETS if not _is_list(found, name))
    judges = _objects(value.get("judges"))
    if value.get("round_status") == "insufficient":
        if any(found.get(name) for name in _BUCKETS[:3]):
            yield "an insufficient round has no consensus, divergence or minority"
        if not found.get("unresolved"):
            yield "an insufficient round must say in unresolved why"
    elif len(judges) < 2:
        yield "a sufficient round needs two judges"
    yield from _check_consensus(value, found, judges)
    for each in _objects(found.get("divergence")):
        positions = _texts(each.get("positions"), JUDGMENT)
        if not each.get("point") or positions is None or not 1 <= len(positions) <= 10:
            yield "a divergence needs a point and 1 to 10 positions"
    for name in ("minority", "unresolved"):
        if _texts(found.get(name), JUDGMENT) is None:
            yield f"synthesis.{name} must be texts"


def _check_consensus(value: Json, found: Json, judges: list[Json]) -> Iterator[str]:
    used = {str(judge.get("methodology")) for judge in judges}
    claims = _objects(found.get("consensus"))
    for each in claims:
        methods = _texts(each.get("methodologies"), 1_024) or []
        if not each.get("claim") or len(set(methods)) != len(methods) or not 2 <= len(methods) <= 5:
            yield "a consensus claim needs 2 to 5 different methodologies"
        elif not set(methods) <= used:
            yield "a consensus claim names a methodology that no judge used"
    models = {str(judge.get("model_identity")) for judge in judges}
    if claims and len(models) < 2 and value.get("diversity_unsatisfied") is not True:
        yield "one model alone agrees with itself, and diversity_unsatisfied does not say so"


def _ids(items: list[Json]) -> list[str]:
    return [str(item.get("context_id")) for item in items]


def _is_list(found: Json, name: str) -> bool:
    return isinstance(found.get(name), list)


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[Json]:
    """The items as objects; what is none becomes an empty one, which fails every check."""
    return [_object(item) for item in value] if isinstance(value, list) else []


def _texts(value: object, most: int) -> list[str] | None:
    """The texts of a list; None when it is no list of texts that are neither empty nor too long."""
    if not isinstance(value, list):
        return None
    texts = [item for item in value if isinstance(item, str) and 0 < len(item) <= most]
    return texts if len(texts) == len(value) else None


def _text(value: Json, name: str, most: int, where: str = "") -> Iterator[str]:
    said = value.get(name)
    if not isinstance(said, str) or not 1 <= len(said) <= most:
        yield f"{where}{name} must be a text of 1 to {most} characters"


def _number(value: Json, name: str, least: int, most: int, where: str) -> Iterator[str]:
    number = value.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        yield f"{where}{name} must be a number from {least} to {most}"


def _digest(value: Json, name: str, where: str = "") -> Iterator[str]:
    digest = value.get(name)
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        yield f"{where}{name} is no SHA-256 in hexadecimal"
