"""Checks a ``council-report.v1`` against its bounds; what is wrong is told, nothing is mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

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


def check_g4(value: object) -> list[str]:
    """Every problem, each in a few words; empty when the report is valid. Never raises."""
    if not isinstance(value, dict):
        return ["the report is not an object"]
    problems = [*_top(value), *_packet(value), *_limits(value), *_attempts(value)]
    problems += [*_judges(value), *_synthesis(value)]
    try:
        size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (TypeError, ValueError, RecursionError):
        return [*problems, "it cannot be written as JSON"]
    return problems if size <= MAX_BYTES else [*problems, f"{size} bytes are too many"]


def _top(value: dict[str, object]) -> Iterator[str]:
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


def _packet(value: dict[str, object]) -> Iterator[str]:
    packet = _object(value.get("input_packet"))
    refs = _texts(packet.get("source_refs"), 1_024)
    if refs is None or not 1 <= len(refs) <= 20 or len(set(refs)) != len(refs):
        yield "input_packet.source_refs must be 1 to 20 different texts of at most 1024 characters"
    yield from _number(packet, "byte_length", 1, 262_144, "input_packet.")
    yield from _digest(packet, "sha256", "input_packet.")


def _limits(value: dict[str, object]) -> Iterator[str]:
    limits = _object(value.get("limits"))
    for name, (least, most) in _LIMITS.items():
        yield from _number(limits, name, least, most, "limits.")


def _attempts(value: dict[str, object]) -> Iterator[str]:
    attempts = _objects(value.get("judge_attempts"))
    limits = _object(value.get("limits"))
    if len(attempts) != limits.get("judge_count"):
        yield "judge_attempts are not as many as limits.judge_count"
    if len(set(_ids(attempts))) != len(attempts):
        yield "context_id is not unique among judge_attempts"
    most = limits.get("max_judge_output_bytes")
    for attempt in attempts:
        yield from _attempt(attempt, most if isinstance(most, int) else MAX_OUTPUT)


def _attempt(attempt: dict[str, object], most: int) -> Iterator[str]:
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


def _judges(value: dict[str, object]) -> Iterator[str]:
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


def _synthesis(value: dict[str, object]) -> Iterator[str]:
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
    yield from _consensus(value, found, judges)
    for each in _objects(found.get("divergence")):
        positions = _texts(each.get("positions"), JUDGMENT)
        if not each.get("point") or positions is None or not 1 <= len(positions) <= 10:
            yield "a divergence needs a point and 1 to 10 positions"
    for name in ("minority", "unresolved"):
        if _texts(found.get(name), JUDGMENT) is None:
            yield f"synthesis.{name} must be texts"


def _consensus(
    value: dict[str, object], found: dict[str, object], judges: list[dict[str, object]]
) -> Iterator[str]:
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


def _ids(items: list[dict[str, object]]) -> list[str]:
    return [str(item.get("context_id")) for item in items]


def _is_list(found: dict[str, object], name: str) -> bool:
    return isinstance(found.get(name), list)


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, object]]:
    """The items as objects; what is none becomes an empty one, which fails every check."""
    return [_object(item) for item in value] if isinstance(value, list) else []


def _texts(value: object, most: int) -> list[str] | None:
    """The texts of a list; None when it is no list of texts that are neither empty nor too long."""
    if not isinstance(value, list):
        return None
    texts = [item for item in value if isinstance(item, str) and 0 < len(item) <= most]
    return texts if len(texts) == len(value) else None


def _text(value: dict[str, object], name: str, most: int, where: str = "") -> Iterator[str]:
    said = value.get(name)
    if not isinstance(said, str) or not 1 <= len(said) <= most:
        yield f"{where}{name} must be a text of 1 to {most} characters"


def _number(
    value: dict[str, object], name: str, least: int, most: int, where: str
) -> Iterator[str]:
    number = value.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        yield f"{where}{name} must be a number from {least} to {most}"


def _digest(value: dict[str, object], name: str, where: str = "") -> Iterator[str]:
    digest = value.get(name)
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        yield f"{where}{name} is no SHA-256 in hexadecimal"
