"""One council as people and machines see it; every report is rendered from this alone."""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.model.agent import Seat
from guildmoot.model.call import ReplyStatus, Usage
from guildmoot.model.council_verdict import CouncilOutcome, CouncilVerdict, CouncilWord
from guildmoot.model.report import RunHeader, SeatCost
from guildmoot.model.verdict import Finding, Issue

Task = Literal["validate", "brainstorm", "research", "debate"]
"""``debate`` is the duel of named experts; a debated verdict is ``validate`` with two rounds."""


class Judge(NamedTuple):
    """One judge and what came of it."""

    label: str
    """``judge-1``, ``judge-attacker``, ``codex-1``: the same on every backend."""
    seat: Seat
    status: ReplyStatus
    persona: str = ""
    perspective: str = ""
    verdict: CouncilVerdict | None = None
    """What counts: the second round's where there is one, else the first's."""
    first: CouncilVerdict | None = None
    """The first round's."""
    word: CouncilWord | None = None
    """Its vote; None when it gave none."""
    findings: tuple[Finding, ...] = ()
    """As checked against the packet."""
    reason: str = ""
    """Why there is no vote, or what must be known of it, e.g. ``R1 verdict (R2 timeout)``."""
    notes: tuple[str, ...] = ()
    """What was missing, mended or doubtful in its verdict, one sentence each."""
    text: str = ""
    """What it said in the first round, whole."""
    second: str = ""
    """What it said in the second round, whole."""
    answers: tuple[tuple[str, str], ...] = ()
    """Labelled answers that its perspective asked for, e.g. ``("BET_QUALITY", "fragile")``."""
    computed: bool = False
    """A tool: it looks for its own rules only."""
    explored: tuple[tuple[str, str], ...] = ()
    """Sub-questions of its explorers and their answers."""
    seconds: float = 0.0
    usage: Usage | None = None
    usd: float | None = None
    used: bool = True
    """Whether its answer could be read; one that could not does not count as an answer."""
    beside: str = ""
    """What it says that its verdict and findings do not carry: reasons in prose, word for word."""


class Shift(NamedTuple):
    """What a judge did in the second round."""

    label: str
    first: CouncilWord | None
    second: CouncilWord | None
    """None when there was no second round for it; the first then counts."""
    changed: bool
    weak: bool = False
    """It changed without anything new: marked, and its first verdict counts."""
    cited: tuple[str, ...] = ()
    """What the change rests on: ``file:line``, an admitted error, a named missing case."""
    reason: str = ""
    """In the judge's own words, or why there is no second verdict."""

    @property
    def counted(self) -> CouncilWord | None:
        """The word that votes: the first, unless a second one stands."""
        return self.first if self.weak or self.second is None else self.second


class Exchange(NamedTuple):
    """One judge answering another, by name."""

    by: str
    to: str
    kind: Literal["steel-man", "challenge", "acknowledge"]
    claim: str
    response: str = ""


class Debate(NamedTuple):
    """What the second round changed."""

    branch: Literal["agreed", "disagreed"]
    fidelity: Literal["full", "degraded"]
    shifts: tuple[Shift, ...]
    exchanges: tuple[Exchange, ...] = ()
    restated: tuple[tuple[str, str], ...] = ()
    """Each judge's own view before it saw the others."""
    converged: bool = False
    """At least two verdicts in the first round, one in the second: agreement, or anchoring."""
    dropped: tuple[tuple[str, Finding], ...] = ()
    """Findings of the first round that their judge no longer mentions."""
    stopped: str = ""
    """Why there was no further round, or none at all."""
    seed: str = ""
    """What the order of the peers was drawn from."""
    seen: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Each judge and the peers in the order it saw them: the first was its ``Judge A``."""
    notes: tuple[str, ...] = ()
    """Who took no part and why, and what the fidelity means here."""


class PairView(NamedTuple):
    """One perspective before two vendors."""

    perspective: str
    words: tuple[tuple[str, CouncilWord | None], ...]
    """By vendor."""
    agreed: bool


class Position(NamedTuple):
    """One side of a disagreement, with its words."""

    who: tuple[str, ...]
    """Labels or vendors."""
    says: str


class Disagreement(NamedTuple):
    """A question on which judges hold different views: the verdict, a severity, a remedy."""

    issue: str
    positions: tuple[Position, ...]


class JointAdvice(NamedTuple):
    """A next step that one judge or several recommend."""

    who: tuple[str, ...]
    text: str
    """In the words of the one that speaks for all."""
    words: tuple[CouncilWord, ...] = ()
    """The verdicts that they hold."""
    others: tuple[tuple[str, str], ...] = ()
    """Judges that say it with the same words in another order, and how."""


class SummarySentence(NamedTuple):
    """One sentence of a council's summary, and the ids that it rests on: issues, or of ideas see ``name_ideas``."""

    text: str
    issues: tuple[str, ...] = ()
    counted: str = ""
    """What a program counted of the one issue it rests on, to stand beside the words of a chair."""


class Option(NamedTuple):
    """One way to go, as a brainstorm gives it."""

    title: str
    proposed_by: tuple[str, ...]
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    summary: str = ""
    wordings: tuple[tuple[str, str], ...] = ()
    """What each judge called it, word for word."""


class Facet(NamedTuple):
    """One side of a researched question, as one judge looked at it."""

    facet: str
    judge: str
    findings: tuple[str, ...]


class Theme(NamedTuple):
    """Findings of several judges about one thing."""

    title: str
    points: tuple[tuple[str, str], ...]
    """Judge and point."""


class Ideas(NamedTuple):
    """What a brainstorm or a research comes to; there is no verdict in it."""

    options: tuple[Option, ...] = ()
    facets: tuple[Facet, ...] = ()
    themes: tuple[Theme, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    """Judge and open question."""
    recommendations: tuple[tuple[str, str], ...] = ()
    """Judge and what it recommends."""
    technique: str = ""
    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """For a technique: its lens or hat, and what each judge said under it."""


def name_ideas(ideas: Ideas) -> dict[str, str]:
    """Everything that a summary of ideas may rest on: its id, by kind and place, and what it is called."""
    kinds = {
        "option": [each.title for each in ideas.options],
        "theme": [each.title for each in ideas.themes],
        "recommendation": [f"what {who} recommends" for who, _ in ideas.recommendations],
        "question": [asked for _, asked in ideas.questions],
    }
    return {
        f"{kind}-{number}": called
        for kind, names in kinds.items()
        for number, called in enumerate(names, 1)
    }


class Scored(NamedTuple):
    """One recommendation of a duel and the scores it got."""

    by: str
    text: str
    scores: tuple[tuple[str, int], ...]
    """Scorer and 0 to 1000."""
    mean: float
    gap: int
    """Between the highest and the lowest score."""
    bucket: Literal["winner", "contested", "kill", "open"] = "open"
    missing: tuple[str, ...] = ()
    """Experts that were to score it and did not; their votes are not made up."""


class Contender(NamedTuple):
    """One expert of a duel, and where it stood at the beginning and at the end."""

    label: str
    persona: str
    frameworks: str
    positioning: str = ""
    risk: str = ""
    recommendations: tuple[str, ...] = ()
    """Ranked, the best first."""
    kills: tuple[str, ...] = ()
    """What it would stop or not begin."""
    defence: str = ""
    revision: str = ""
    failed: tuple[str, ...] = ()
    """Rounds that it did not answer, and why."""


class Duel(NamedTuple):
    """Named experts that scored each other."""

    tension: str
    ballots: tuple[tuple[str, float], ...]
    """Expert and the mean of what the others gave the whole."""
    matrix: tuple[Scored, ...]
    conceded: tuple[tuple[str, str], ...] = ()
    blind_spots: tuple[tuple[str, str], ...] = ()
    diagnostics: tuple[str, ...] = ()
    """In words, e.g. ``love-fest: both above 800``."""
    contenders: tuple[Contender, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    """Ballots that were not cast: scorer and expert."""
    seed: str = ""
    """What the order of the peers was drawn from."""
    seen: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Each expert and the others in the order it saw them: the first was its ``Expert A``."""
    notes: tuple[str, ...] = ()
    """What went otherwise than asked, e.g. that the ballots were cast again."""


class CouncilReport(NamedTuple):
    """One council."""

    header: RunHeader
    stem: str
    """``YYYY-MM-DD-<type>-<slug>``: the report's file name without its ending; the council's id."""
    date: str
    task: Task
    modes: tuple[str, ...]
    """In the user's words: quick, deep, mixed, debate, evidence ..."""
    judges: tuple[Judge, ...]
    outcome: CouncilOutcome | None
    """None where nothing is judged: brainstorm, research, duel."""
    verdict: CouncilWord | None
    issues: tuple[Issue, ...] = ()
    """All findings, grouped; each is in exactly one of the three next."""
    shared: tuple[Issue, ...] = ()
    """What all judges that voted raise (or, with many, all but tools that took no side)."""
    split: tuple[Issue, ...] = ()
    """What several but not all raise."""
    minority: tuple[Issue, ...] = ()
    """What one judge alone raises, kept word for word."""
    disagreements: tuple[Disagreement, ...] = ()
    pairs: tuple[PairView, ...] = ()
    confidence: str = ""
    """Measured, in words: the vote share and the seats' record on probes."""
    recommendation: str = ""
    summary: tuple[SummarySentence, ...] = ()
    """What it comes to in a few sentences, written after the verdict was computed."""
    chair: str = ""
    """Who wrote the summary; empty when a template did."""
    advice: tuple[JointAdvice, ...] = ()
    """What all judges recommend, merged; the first is of those that hold the verdict."""
    debate: Debate | None = None
    ideas: Ideas | None = None
    duel: Duel | None = None
    requested: tuple[str, ...] = ()
    """The roster that was asked for, by label."""
    notes: tuple[str, ...] = ()
    """What went otherwise than asked: degradations, fits, fallbacks."""
    suppressed: tuple[tuple[str, str], ...] = ()
    """Findings held out of the report's lists, and the reason on file."""
    evidence: tuple[tuple[str, int], ...] = ()
    """In evidence mode: each finding's id and how many assertions it has."""
    profile: str = ""
    technique: str = ""
    previous: str = ""
    """The run that this one follows up."""
    delta: tuple[tuple[str, str, str], ...] = ()
    """Against the previous run: issue, before, now."""
    checks: tuple[tuple[str, str, str], ...] = ()
    """A review's mechanical checks: name, ``ok`` ``warn`` ``fail`` or ``skipped``, detail."""
    wrapper: str = ""
    """``vibe``, ``pre-mortem`` or ``post-mortem``."""
    decision: str = ""
    """The review's word, e.g. SHIP, FIX, REFACTOR."""
    predictions: tuple[tuple[str, str], ...] = ()
    """A pre-mortem's: ``pm-YYYYMMDD-NNN`` and what is foretold."""
    tables: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = ()
    """A review's tables, e.g. complexity: title, headings, rows."""
    settings: tuple[tuple[str, str, str], ...] = ()
    """Setting, value and where it came from, as the plan gives them."""
    sources: tuple[str, ...] = ()
    """What the packet holds: paths of files and titles of sections."""
    costs: tuple[SeatCost, ...] = ()
    """What every seat took, with all that was asked on its behalf."""
    packet_bytes: int = 0
    """Of what every judge saw."""
    opened: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Who looked into which further files of the repository."""

    @property
    def run_id(self) -> str:
        """Of the run that it reports."""
        return self.header.run_id

    @property
    def exit_code(self) -> int:
        """Of the command that made it."""
        return self.header.exit_code

    @property
    def found(self) -> tuple[int, int]:
        """How many issues block, and how many advise."""
        blocking = sum(issue.blocking for issue in self.issues)
        return blocking, len(self.issues) - blocking
