"""``guild council candidates``: what councils staged for later; accepted or rejected by a person."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from guildmoot.cli.arguments import YES, Kind, Parser, add_json, add_options, project_root, text
from guildmoot.cli.output import emit
from guildmoot.errors import UsageError
from guildmoot.memory.candidates import (
    FILE,
    CandidateDecision,
    CandidateList,
    State,
    StoredCandidate,
    read_candidates,
    record_decision,
)
from guildmoot.text.clean import one_line

_STATES: dict[str, State] = {"accept": "accepted", "reject": "rejected"}


def main(argv: list[str]) -> int:
    """Run one of the four actions."""
    parser = Parser(
        "council candidates",
        "Councils that end in WARN or FAIL stage their severe findings here. Nothing is promoted by\n"
        "itself: accept what is worth keeping, reject what is not. KEY is the start of a key.",
        "  guild council candidates list\n"
        "  guild council candidates accept 3f2a --why 'seen twice this month'\n"
        "  guild council candidates reject 9c01 --why 'the input is validated above' --suppress\n"
        "  guild council candidates export > learnings.jsonl",
    )
    parser.add_argument("action", choices=("list", "accept", "reject", "export"))
    parser.add_argument("key", nargs="?", default="", metavar="KEY")
    shown: Kind = {"choices": ("staged", "accepted", "rejected", "all")}
    add_options(
        parser,
        ("--why", "the reason, for others", text("TEXT")),
        ("--suppress", "with reject: keep it out of vibe's lists too", YES),
        ("--state", "which to list (staged) or to export (accepted)", shown),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    if options.action in _STATES:
        if not options.key or not options.why.strip():
            raise UsageError(f"{options.action} needs a KEY and --why TEXT")
        if options.state:
            raise UsageError("--state goes with list and export")
        state, why = _STATES[options.action], options.why.strip()
        decision = CandidateDecision(options.key, state, why, options.suppress)
        return _decide(decision, as_json=options.json)
    if options.key or options.why or options.suppress:
        raise UsageError(
            f"{options.action} takes no KEY, no --why and no --suppress",
            "They go with accept and reject; --state chooses what is shown.",
        )
    found = read_candidates(project_root())
    default = "staged" if options.action == "list" else "accepted"
    wanted = [k for k in found.kept if (options.state or default) in (k.state, "all")]
    if options.action == "export":
        return _export(wanted, as_json=options.json)
    return _list(found, wanted, as_json=options.json)


def _decide(decision: CandidateDecision, *, as_json: bool) -> int:
    kept = record_decision(project_root(), decision, datetime.now(UTC))
    rows = [f"{kept.state}: {kept.candidate.dedup_key[:12]}"]
    if decision.suppress:
        rows.append("  'guild vibe' leaves it out of its lists from now on")
    return emit({**_plain(kept), "suppressed": decision.suppress}, rows, as_json=as_json)


def _list(found: CandidateList, wanted: list[StoredCandidate], *, as_json: bool) -> int:
    if as_json:
        rows = [_plain(kept) for kept in wanted]
        return emit({"candidates": rows, "unreadable_lines": found.broken}, as_json=True)
    if not wanted:
        sys.stdout.write(f"no such candidates; {len(found.kept)} are on file in {FILE}\n")
    _print(wanted)
    if found.broken:
        sys.stdout.write(f"{found.broken} lines could not be read and are left alone\n")
    return 0


def _export(wanted: list[StoredCandidate], *, as_json: bool) -> int:
    """The seven fields, one line each, as other tools read them."""
    from json import dumps

    rows = [kept.candidate._asdict() for kept in wanted]
    return emit({"candidates": rows}, map(dumps, rows), as_json=as_json)


def _print(wanted: list[StoredCandidate]) -> None:
    from guildmoot.reports.console import Console
    from guildmoot.reports.pen import Pen

    pen = Pen(Console())
    for kept in wanted:
        each = kept.candidate
        head = f"{each.dedup_key[:12]}  {each.candidate_type}, {each.severity}, {each.source_judge}"
        pen.line(pen.text(one_line(head), "bold"))
        pen.hanging(pen.text("  "), pen.text(one_line(each.finding_description)))
        if kept.why:
            told = f"{kept.state} {kept.decided}: {one_line(kept.why)}"
            pen.hanging(pen.text("  "), pen.text(told, "dim"))


def _plain(kept: StoredCandidate) -> dict[str, object]:
    plain = kept._asdict()
    return {**plain.pop("candidate")._asdict(), **plain}
