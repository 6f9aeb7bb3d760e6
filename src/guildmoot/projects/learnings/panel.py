"""What a panel of judges made of a learning: their replies read, tallied, and decided. Pure.

A judge compares an answer without the learning (control) with one that had it (treatment), assertion by
assertion. Four verdicts: IMPROVED, UNCHANGED, REGRESSED, DID_NOT_REPRODUCE.
"""

from __future__ import annotations

import json
import re

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from guildmoot.projects.manifest import Record

VERDICTS = ("IMPROVED", "UNCHANGED", "REGRESSED", "DID_NOT_REPRODUCE")
_FENCE = re.compile(r"```[ \t]*verdict[ \t]*\r?\n(.*?)```", re.DOTALL)
_ERROR = "mediate-panel-error"


def compare(control: Sequence[bool], treatment: Sequence[bool]) -> str:
    """The verdict that follows from which assertions each answer meets; the gravest rule first."""
    pairs = list(zip(control, treatment, strict=True))
    if any(before and not after for before, after in pairs):
        return "REGRESSED"
    if all(control):
        return "DID_NOT_REPRODUCE"
    return "IMPROVED" if sum(treatment) > sum(control) else "UNCHANGED"


def mediate(request: object) -> Record:
    """Read the judges' replies of one round and say what they come to."""
    number, verdicts, config = _checked(request)
    rows = [read_verdict(row["judge_id"], row["tier"], row["raw_output"]) for row in verdicts]
    return decide(number, rows, config)


def decide(number: int, rows: list[Record], config: Record) -> Record:
    """The outcome of a round: consensus by the number of judges, else the tie-break of the last round."""
    counted = [row for row in rows if not row["errored"]]
    tally = {verdict: sum(row["verdict"] == verdict for row in counted) for verdict in VERDICTS}
    needed = config["consensus"]["round_1_blind" if number == 1 else "round_2_debate"]
    leading = max(
        VERDICTS, key=lambda verdict: tally[verdict]
    )  # a tie goes to the first of the list
    met = bool(counted) and tally[leading] >= needed
    top = config["tiebreak"]["top_tier"]
    best = [row["verdict"] for row in counted if row["tier"] == top]
    rest = [row["verdict"] for row in counted if row["tier"] != top]
    split = len(set(best)) == 1 and len(set(rest)) == 1 and best[0] != rest[0]
    broken = (
        number == 2
        and not met
        and config["tiebreak"]["rule"] == "top_tier_consensus"
        and len(best) >= 2
        and len(set(best)) == 1
    )
    return {
        "round": number, "verdicts": rows, "tally": tally,
        "consensus_verdict": leading if met else None, "threshold_met": met, "tier_split": split,
        "tiebreak_applied": broken, "tiebreak_verdict": best[0] if broken else None,
    }  # fmt: skip


def read_verdict(judge: str, tier: str, text: str) -> Record:
    """One judge's reply; what cannot be read is kept as an error and not counted."""
    found = _FENCE.search(text)
    if not found:
        return _errored(judge, tier, "verdict block not found in raw_output")
    try:
        value = json.loads(found.group(1))
    except (ValueError, RecursionError) as wrong:
        return _errored(judge, tier, f"verdict block is no JSON: {wrong}")
    if not isinstance(value, dict):
        return _errored(judge, tier, "verdict block is no JSON object")
    verdict = value.get("verdict")
    if verdict not in VERDICTS:
        return _errored(judge, tier, f"unknown or missing verdict: {json.dumps(verdict)}")
    return {
        "judge_id": judge, "tier": tier, "verdict": verdict,
        "control_evals": _list(value.get("control_evals")),
        "treatment_evals": _list(value.get("treatment_evals")),
        "reasoning": str(value.get("reasoning") or ""), "errored": False,
    }  # fmt: skip


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _errored(judge: str, tier: str, why: str) -> Record:
    return {
        "judge_id": judge, "tier": tier, "verdict": "UNCHANGED", "control_evals": [],
        "treatment_evals": [], "reasoning": "", "errored": True, "error_message": why,
    }  # fmt: skip


def _checked(request: object) -> tuple[int, list[Record], Record]:
    if not isinstance(request, dict) or request.get("round_num") not in (1, 2):
        raise RecordError(_ERROR, "round_num must be 1 or 2")
    verdicts, config = request.get("verdicts"), request.get("config")
    if not isinstance(verdicts, list) or not verdicts:
        raise RecordError(_ERROR, "verdicts must be a list with at least one reply")
    for index, row in enumerate(verdicts):
        names = ("judge_id", "tier", "raw_output")
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in names):
            raise RecordError(
                _ERROR, f"verdicts[{index}] needs judge_id, tier and raw_output, all texts"
            )
    check_rules(config)
    return request["round_num"], verdicts, config  # type: ignore[return-value]


def check_rules(config: object) -> None:
    """RecordError when the rules of a panel are not whole."""
    consensus = config.get("consensus") if isinstance(config, dict) else None
    tiebreak = config.get("tiebreak") if isinstance(config, dict) else None
    numbers = ("round_1_blind", "round_2_debate")
    if not isinstance(consensus, dict) or not all(_whole(consensus.get(name)) for name in numbers):
        raise RecordError(
            _ERROR, "config.consensus needs round_1_blind and round_2_debate, whole numbers"
        )
    if not isinstance(tiebreak, dict) or not all(
        isinstance(tiebreak.get(name), str) for name in ("rule", "top_tier")
    ):
        raise RecordError(_ERROR, "config.tiebreak needs rule and top_tier, texts")


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
