"""What every report of a council says in words: names, votes, who moved, what counts where.

The verdict and its reasons come from elsewhere; this only arranges and counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guildmoot.consensus.floors import CLEAN
from guildmoot.consensus.grouping import may_be_one
from guildmoot.model.council import CouncilReport, Debate, Judge
from guildmoot.model.council_verdict import COUNCIL_SEVERITIES
from guildmoot.model.verdict import SEVERITIES, Finding, Issue
from guildmoot.reports.view import doubt, place
from guildmoot.text.clean import count, one_line
from guildmoot.text.told import sentences

OUTCOMES: dict[str, tuple[str, str]] = {
    "PASS": ("✓", "every judge that voted passes it"),
    "WARN": ("!", "nothing blocks, but there are concerns"),
    "FAIL": ("✗", "no judge says FAIL: a check or the rule sets it"),
    "DISAGREE": ("≠", "judges contradict each other: the gate counts it as FAIL, a person decides"),
    "INCOMPLETE": ("?", "what was heard is not enough for a verdict"),
    "ERROR": ("!", "no judge gave a verdict, which says nothing about the work"),
}
"""Symbol and meaning; both make sense without colour."""

_NOBODY_READ = "tools found nothing by their own rules; nobody has read it"
_NO_CONCERN = "no judge has a concern, yet it is no clean PASS: see what is missing"
_BLOCKED = "it does not fail, yet a finding that blocks is named"
"""What WARN means where an issue still blocks: nobody may read that nothing does."""

_TOLD_BELOW = ("target: nothing was named", "masked before the judges")
"""Notes that a terminal's first lines and its coverage tell already."""
_STATUS = {
    "timeout": "timed out",
    "failed": "failed",
    "missing": "missing",
    "cancelled": "stopped",
    "excused": "excused",
}


class Grid(NamedTuple):
    """The verdicts as a table: one row for each vendor."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[Judge, ...], ...]], ...]


def is_quick(report: CouncilReport) -> bool:
    """One judge was asked inline, and the report has the short form."""
    return "quick" in report.modes and not report.wrapper and report.task == "validate"


def judged(report: CouncilReport) -> str:
    """Which change was judged, where the words that asked for it do not say so themselves."""
    header = report.header
    return "" if header.judged == header.target else header.judged


def meaning(report: CouncilReport) -> str:
    """What the outcome means for a reader; empty where nothing was judged."""
    if report.outcome == "WARN" and any(issue.blocking for issue in report.issues):
        return _BLOCKED
    passed = all(judge.word == "PASS" for judge in report.judges if judge.word)
    checked = all(result != "warn" for _, result, _ in report.checks)
    if report.outcome == "WARN" and passed and checked and not report.issues:
        return _NO_CONCERN
    if report.outcome == "FAIL" and (against := _against(report)):
        return against
    if report.outcome == "PASS" and all(judge.computed for judge in report.judges if judge.word):
        return _NOBODY_READ
    return OUTCOMES[report.outcome][1] if report.outcome else ""


def _against(report: CouncilReport) -> str:
    """``3 of 6 judges say FAIL, and 4 findings block``; empty where nobody says so."""
    failing = [judge for judge in report.judges if judge.word == "FAIL"]
    blocking = sum(issue.blocking for issue in report.issues)
    sides = [judge for judge in report.judges if not (judge.computed and judge.word == "PASS")]
    if not failing:
        return ""
    who = f"{len(failing)} of {count(len(sides), 'judge')} {'says' if len(failing) == 1 else 'say'} FAIL"
    if all(judge.computed for judge in sides):
        who = "a tool says FAIL" if len(failing) == 1 else f"{len(failing)} tools say FAIL"
    elif len(sides) == 1:
        who = "the one judge says FAIL"
    block = f", and {count(blocking, 'finding')} {'blocks' if blocking == 1 else 'block'}"
    return who + (block if blocking else "")


def headline_words(report: CouncilReport) -> tuple[str, str, str]:
    """Sign, word and meaning: of a review its decision, for one word heads a report."""
    symbol = OUTCOMES[report.outcome][0] if report.outcome else ""
    return symbol, one_line(report.decision) or report.outcome or "", meaning(report)


def gate_word(report: CouncilReport) -> str:
    """PASS, WARN or FAIL for tools; empty when there is no verdict to gate on.

    An incomplete council has none, whatever its votes were: a tool that finds no verdict stops.
    """
    return report.verdict or "" if report.outcome not in ("INCOMPLETE", "ERROR", None) else ""


def names(report: CouncilReport) -> dict[str, str]:
    """What each judge is called: its persona where only one has it, else its label."""
    experts = report.duel.contenders if report.duel else ()
    called = {expert.label: expert.persona for expert in experts}
    called |= {judge.label: judge.persona for judge in report.judges}
    taken = Counter(called.values())
    return {
        label: one_line(persona if persona and taken[persona] == 1 else label)
        for label, persona in called.items()
    }


def full_name(judge: Judge) -> str:
    """``Red (judge-attacker)``, or the label alone."""
    label = one_line(judge.label)
    return f"{one_line(judge.persona)} ({label})" if judge.persona else label


def vendor(judge: Judge) -> str:
    """Whose judge it is; tools of any make are one side."""
    return "tools" if judge.computed else one_line(judge.seat.family or judge.seat.backend)


def vendors(report: CouncilReport) -> tuple[str, ...]:
    """Every vendor, in the order of the judges."""
    return tuple(dict.fromkeys(map(vendor, report.judges)))


def are_tools(report: CouncilReport) -> bool:
    """Whether all judges are programs that gave a verdict: then no vote has to be weighed."""
    return all(judge.computed and judge.word for judge in report.judges)


def judge_of(report: CouncilReport) -> dict[str, Judge]:
    """Judges by label and by the name of their seat, as findings give it."""
    by_seat = {judge.seat.name: judge for judge in report.judges}
    return by_seat | {judge.label: judge for judge in report.judges}


def speaker(report: CouncilReport, seat: str) -> str:
    """What the judge of a seat is called; a name that no judge has stays as it is."""
    judge = judge_of(report).get(seat)
    return names(report).get(judge.label if judge else seat) or one_line(seat)


def speakers(report: CouncilReport, issue: Issue) -> str:
    """Who raises an issue, in the order of the judges."""
    by_label = {judge.seat.name: number for number, judge in enumerate(report.judges)}
    seats = sorted(issue.seats, key=lambda seat: (by_label.get(seat, len(by_label)), seat))
    return ", ".join(dict.fromkeys(speaker(report, seat) for seat in seats))


def readers_that_voted(report: CouncilReport) -> int:
    """Judges that read the whole work and gave a verdict; tools are none."""
    return sum(judge.word is not None and not judge.computed for judge in report.judges)


def support(report: CouncilReport, issue: Issue) -> tuple[int, int]:
    """How many judges raise an issue, of how many that read the whole work; the silent are counted."""
    able = [j for j in report.judges if not j.computed and j.status != "excused"]
    return sum(judge.seat.name in issue.seats for judge in able), len(able)


def raised_by(report: CouncilReport, issue: Issue) -> str:
    """``4 of 6 judges: judge-1, ...``; names alone where only tools raise it, or one judge sat."""
    raised, able = support(report, issue)
    who = speakers(report, issue)
    return f"{raised} of {able} judges: {who}" if raised and able > 1 else who


def by_weight(report: CouncilReport, issues: Iterable[Issue]) -> list[Issue]:
    """The issues as a reader wants them: what blocks, then the severest, then what most raise."""
    return sorted(
        issues,
        key=lambda issue: (
            not issue.blocking,
            SEVERITIES.index(issue.severity),
            -support(report, issue)[0],
            -len(issue.seats),
        ),
    )


def shared(report: CouncilReport) -> list[Issue]:
    """What two judges or more raise, all of them or not."""
    return by_weight(report, (*report.shared, *report.split))


def where(said: Finding | Issue) -> str:
    """The place or the address; of an issue any member's when the one that speaks names none."""
    if isinstance(said, Finding):
        return place(said) or one_line(said.url)
    members = (said.representative, *said.members)
    places = [place(member) for member in members] + [one_line(m.url) for m in members]
    return next(filter(None, places), "")


def why(issue: Issue | None, finding: Finding) -> str:
    """Why it matters as the finding says it, else as another member of its issue does."""
    said = (each.why for each in (finding, *(issue.members if issue else ())))
    return next((text for text in said if text.strip()), "")


def own_confidence(judge: Judge) -> str:
    """What the judge says of its own confidence; it counts for nothing."""
    return (judge.verdict.confidence or "") if judge.verdict and judge.word else ""


def remark(report: CouncilReport, judge: Judge) -> str:
    """What must be known of its answer, unless the report's head says it already."""
    told = (*report.header.reasons, *report.notes)
    whose = [(one.split(" gave ")[0].split(":")[0].split(", "), one) for one in told]
    told_there = any(judge.label in names and judge.reason in one for names, one in whose)
    reason = "" if judge.reason and told_there else judge.reason
    runs = dict(report.header.reused)
    reused = f"answer reused of {runs[judge.label]}" if judge.label in runs else ""
    return "; ".join(filter(None, (reason, reused)))


def reasons(report: CouncilReport, *, brief: bool = False) -> tuple[str, ...]:
    """Why the outcome is what it is, each said once."""
    header = report.header
    known = "\n".join(header.reasons)
    said = [why for why in header.reasons if not (brief and why.startswith("PASS by "))]
    said += [floor for floor in header.floors if floor not in known]
    said = [why for why in said if not _is_idle(report, why)]
    said += [
        note
        for note in report.notes
        if not (brief and note.startswith(_TOLD_BELOW)) and not _names_angle(note, said)
    ]
    return tuple(dict.fromkeys(said))


def _is_idle(report: CouncilReport, floor: str) -> bool:
    """What only keeps a council from a verdict that it does not give; who is silent is told anyway."""
    if report.outcome == "ERROR":
        return floor.startswith(("quorum: ", "unjudged: "))
    return report.outcome == "FAIL" and floor.endswith(CLEAN)


def _names_angle(note: str, said: Iterable[str]) -> bool:
    """Whether a note tells of one angle that nobody looks from it, and another line does so for all of them."""
    angle = note.partition(":")[0]
    name = angle.removeprefix("angle ")
    return name != angle and any(why.startswith("readers:") and name in why for why in said)


def state(judge: Judge) -> str:
    """Its vote, also what it said where that is another word, or what became of it."""
    if judge.word and said_word(judge) != judge.word:
        return f"{said_word(judge)}, counts as {judge.word}"
    return judge.word or _STATUS.get(judge.status, "no verdict")


def said_word(judge: Judge) -> str:
    """The verdict in the judge's own word, which need not be the one that counts."""
    return judge.verdict.verdict if judge.verdict else judge.word or ""


def answer_state(report: CouncilReport, judge: Judge) -> str:
    """Its vote; where nobody votes, that its answer was read or why it was not."""
    if report.outcome or judge.status != "answered":
        return state(judge)
    return "answered" if judge.used else "not read"


def insight(judge: Judge) -> str:
    """What it has to say in a sentence; a tool says how much it found."""
    if judge.verdict and judge.verdict.key_insight.strip():
        return judge.verdict.key_insight
    if judge.word and not judge.computed and (judge.findings or judge.beside):
        gravest = sorted(judge.findings, key=lambda found: SEVERITIES.index(found.severity))[:1]
        return sentences(next(map(claim, gravest), one_line(judge.beside)))[0]
    if judge.word and judge.computed:
        found = count(len(judge.findings), "finding") if judge.findings else ""
        return found or judge.reason or "nothing found"
    return judge.reason


def grid(report: CouncilReport) -> Grid:
    """Who voted what: columns are the perspectives, or judges by number where one has none."""
    labelled = all(judge.perspective for judge in report.judges)
    seen: Counter[str] = Counter()
    cells: dict[tuple[str, str], list[Judge]] = {}
    for judge in report.judges:
        side = vendor(judge)
        seen[side] += 1
        column = one_line(judge.perspective) if labelled else f"Judge {seen[side]}"
        cells.setdefault((side, column), []).append(judge)
    columns = tuple(dict.fromkeys(column for _, column in cells))
    return Grid(
        columns,
        tuple(
            (side, tuple(tuple(cells.get((side, column), ())) for column in columns))
            for side in vendors(report)
        ),
    )


def responded(report: CouncilReport) -> tuple[int, int]:
    """How many judges gave an answer that could be used, and how many were asked for."""
    answered = sum(1 for judge in report.judges if judge.status == "answered" and judge.used)
    if report.duel and not report.judges:
        answered = len(report.duel.ballots)
    return answered, max(len(report.requested), len(report.judges))


def second_round(debate: Debate) -> tuple[int, int]:
    """How many judges gave a second verdict, and how many had given a first."""
    asked = [shift for shift in debate.shifts if shift.first]
    return sum(shift.second is not None for shift in asked), len(asked)


def missing(report: CouncilReport) -> tuple[str, ...]:
    """Labels that were asked for and did not answer."""
    answered = {judge.label for judge in report.judges if judge.status == "answered"}
    asked = report.requested or tuple(judge.label for judge in report.judges)
    return tuple(one_line(label) for label in asked if label not in answered)


def strength(report: CouncilReport) -> str:
    """``3 of 4 judges voted, worth 2 independent votes``; it stands by every verdict."""
    if len(report.judges) == 1 and report.judges[0].word:
        return "one judge: one opinion"
    if not report.header.counts:
        voted = sum(judge.word is not None for judge in report.judges)
        return f"{voted} of {count(responded(report)[1], 'judge')} voted"
    number = f"{report.header.counts.effective:.1f}".removesuffix(".0")
    worth = f"worth {number} independent {'vote' if number == '1' else 'votes'}"
    if report.header.counts.effective < report.header.counts.voted:
        worth += " (judges of one vendor tend to err together)"
    return f"{report.header.counts.voted} of {count(report.header.counts.asked, 'judge')} voted, {worth}"


def seating(report: CouncilReport) -> str:
    """``2 anthropic opus, 1 openai gpt-5``."""
    kinds = Counter(
        " ".join(filter(None, (vendor(judge), _model(judge)))) for judge in report.judges
    )
    return ", ".join(
        "1 tool" if (number, kind) == (1, "tools") else f"{number} {kind}"
        for kind, number in kinds.items()
    )


def _model(judge: Judge) -> str:
    """Its model, without the vendor's name before it."""
    return one_line(judge.seat.model).removeprefix(f"{vendor(judge)}:")


def severity(finding_or_issue: Finding | Issue) -> str:
    """Its severity in the council's words."""
    return COUNCIL_SEVERITIES[finding_or_issue.severity]


def claim(finding: Finding) -> str:
    """What a finding says, with the doubt that a reader must know of."""
    said = one_line(finding.title) or "no reason was given"
    unsure = doubt(finding)
    return f"{said} (note: {unsure})" if unsure else said


def ref(finding: Finding) -> str:
    """The place or the address; ``none`` where it names neither."""
    return place(finding) or one_line(finding.url) or "none"


def lone_sides(report: CouncilReport) -> Iterator[tuple[str, list[Issue]]]:
    """For each vendor the issues of its judges that nobody of another vendor raises, nor one that may be the same."""
    judges = judge_of(report)
    sides = {
        issue.id: {vendor(judges[seat]) for seat in issue.seats if seat in judges}
        for issue in report.issues
    }
    for side in vendors(report):
        others = [issue for issue in report.issues if sides[issue.id] - {side}]
        own = (issue for issue in report.issues if sides[issue.id] == {side})
        yield side, [each for each in own if not any(may_be_one(each, other) for other in others)]


def spread(words: Sequence[str | None]) -> str:
    """``2 PASS, 1 FAIL``; who gave none is left out."""
    counts = Counter(word for word in words if word)
    order = [word for word in ("PASS", "WARN", "FAIL") if counts[word]]
    return ", ".join(f"{counts[word]} {word}" for word in order) or "none"
