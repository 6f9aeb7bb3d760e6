"""The rules of a debate: who debates, who moved and on what grounds, and what was left behind. Pure.

    branch      agreed when everybody who took a side says the same, else disagreed
    a move      counts only if it cites something new: a place of the packet that the first round
                did not name, an error of its own first round, or, for a harsher verdict, a named
                missing test or case
    weak flip   any other change of the verdict: marked, and the first verdict counts
    converged   at least two verdicts at first, one at last: agreement, or anchoring
    dropped     a finding of the first round that its judge no longer mentions

Replies are read elsewhere, and what the packet holds is asked through ``PacketLookup``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from guildmoot.consensus.grouping import note_of
from guildmoot.model.council import Shift
from guildmoot.model.council_verdict import VERDICTS, CouncilWord
from guildmoot.model.verdict import Finding
from guildmoot.text.similar import group

Branch = Literal["agreed", "disagreed"]
Place = tuple[str, int, int]
"""Path, first and last line."""

MOST_ROUNDS = 2
_SHOWN = 240
_TELLING = 2
"""Words with a meaning of their own that a ground must have, so that "good point" is none."""
_WORD = re.compile(r"[^\W\d]\w{3,}")
_EMPTY_WORDS = frozenset(
    """about accept actually adequate after again agree agreed agrees also although analysis
    another argued argument arguments assessment because been before being both case cases
    change changed clearly completely compelling concern concerns confirm convinced convincing
    correct could council critical debate debated decision disagree does earlier edge enough
    error errors evidence fail failed fails fair finding findings first from fully further given
    good happen have having himself however important incorrect incorrectly indeed initial initially
    insight issue issues itself judge judgement judges judgment just less like made make makes many
    maybe mean minor mistake mistaken more most much must myself nothing opinion original other
    others over overlooked pass peer peers perhaps persuaded persuasive place point points position
    positions previous problem problems quite raise raised raises rather reading really reason
    reasons recommend reconsider reconsidered review revise revised revising right risk risks
    round said same says second seems serious severe severity should significant since some
    something still strong stronger such sure test tested testing tests than that their them then
    there therefore these they thing things think this those though thought through thus told
    true truly under unless until upon valid verdict verdicts very view views warn warning weak
    well were what when where which while with within without would wrong wrongly your yours
    """.split()  # noqa: SIM905 - a list of that length does not read
)
"""Words of the debate itself, and glue: they say nothing about the work."""


class JudgeRound(NamedTuple):
    """Where a judge stood after one round, in words and places that were read before."""

    word: CouncilWord | None
    findings: tuple[Finding, ...] = ()
    places: tuple[Place, ...] = ()
    """Every place that it named, under the packet's paths."""
    said: str = ""
    """All that it said, to tell what is new."""
    admitted: tuple[str, ...] = ()
    """Sentences in which it owns up to an error of its first round."""
    missing: tuple[str, ...] = ()
    """Sentences that name a missing test or an unhandled case."""
    remarks: tuple[Finding, ...] = ()
    """What it says beside its findings: a finding that is answered there was not dropped."""
    reason: str = ""
    """Why it holds or changes its view, in its own words."""


class Turn(NamedTuple):
    """One judge over both rounds."""

    label: str
    first: JudgeRound
    second: JudgeRound | None
    """None when there is no second verdict of it."""
    absent: str = ""
    """Why there is none, e.g. ``R1 verdict (R2 timeout)``."""


class PacketLookup(NamedTuple):
    """What can be looked up in the packet."""

    exists: Callable[[Place], bool]
    mentions: Callable[[str], bool]
    """Whether a word, in lower case, stands anywhere in it."""


def branch_of(words: Iterable[CouncilWord | None]) -> Branch:
    """Which instructions the second round gets; who gave no word takes no side."""
    return "agreed" if len({word for word in words if word}) <= 1 else "disagreed"


def why_not(mode: str, words: Sequence[CouncilWord | None], able: int) -> str:
    """Why there is no second round; empty when there is one.

    ``words`` are of all who took a side, ``able`` counts those that can answer a second time.
    """
    if mode == "off":
        return "no debate was asked for"
    if able < 2:
        return (
            f"a debate takes two judges with a verdict that can answer again, here {able or 'none'}"
        )
    if mode == "auto" and branch_of(words) == "agreed":
        said = next(word for word in words if word)
        return f"no split: everybody said {said}, and auto debates only a split"
    return ""


def peer_order(seed: str, judge: str, peers: Iterable[str]) -> tuple[str, ...]:
    """The order in which a judge sees its peers: its own, and the same for the same seed."""

    def draw(peer: str) -> tuple[str, str]:
        return sha256(f"{seed}\0{judge}\0{peer}".encode("utf-8", "surrogatepass")).hexdigest(), peer

    return tuple(sorted(peers, key=draw))


def move_of(turn: Turn, reality: PacketLookup) -> Shift:
    """What the judge did, and whether a change of its verdict rests on anything new."""
    first, second = turn.first, turn.second
    if second is None or second.word is None:
        return Shift(turn.label, first.word, None, False, False, (), turn.absent)
    changed = first.word != second.word
    cited = new_grounds(first, second, reality) if changed else ()
    return Shift(
        turn.label, first.word, second.word, changed, changed and not cited, cited, second.reason
    )


def new_grounds(first: JudgeRound, second: JudgeRound, reality: PacketLookup) -> tuple[str, ...]:
    """What the second round cites that is real, specific and was not in the first."""
    places = [
        _shown(place)
        for place in dict.fromkeys(second.places)
        if place[1] and reality.exists(place) and not _overlaps(place, first.places)
    ]
    known = set(telling_words(first.said))
    errors = [
        f"an error of its own: {said[:_SHOWN]}"
        for said in second.admitted
        if _is_specific(
            word for word in telling_words(said) if word in known or reality.mentions(word)
        )
    ]
    cases = [
        f"a missing case: {said[:_SHOWN]}"
        for said in second.missing
        if not _is_milder(first, second)  # what the work lacks does not speak for it
        and _is_specific(telling_words(said))
        and not known.issuperset(telling_words(said))
    ]
    return (*places, *errors, *cases)


def _is_milder(first: JudgeRound, second: JudgeRound) -> bool:
    return bool(
        first.word and second.word and VERDICTS.index(second.word) < VERDICTS.index(first.word)
    )


def converged(moves: Sequence[Shift]) -> bool:
    """A split that ended in one verdict, by what was said last; weak flips count as said here."""
    firsts = {move.first for move in moves if move.first}
    lasts = {move.second or move.first for move in moves} - {None}
    return len(firsts) > 1 and len(lasts) == 1


def dropped(turn: Turn) -> tuple[Finding, ...]:
    """The first round's findings that the second neither repeats, answers nor takes back."""
    if turn.second is None:
        return ()
    repeated = {_claim(finding) for finding in turn.second.findings}
    open_ones = [finding for finding in turn.first.findings if _claim(finding) not in repeated]
    again = (*turn.second.findings, *turn.second.remarks)
    matched = _matched(open_ones, again)
    return tuple(finding for finding in open_ones if finding not in matched)


def fresh(turns: Sequence[Turn]) -> tuple[Finding, ...]:
    """Findings of the second round that nobody had raised in the first."""
    before = [finding for turn in turns for finding in turn.first.findings]
    known = {_claim(finding) for finding in before}
    after = [f for turn in turns if turn.second for f in turn.second.findings]
    news = [finding for finding in after if _claim(finding) not in known]
    matched = _matched(news, before)
    return tuple(finding for finding in news if finding not in matched)


def why_stopped(moves: Sequence[Shift], news: int) -> str:
    """Why there is no further round."""
    words = {move.counted for move in moves if move.counted}
    if len(words) == 1 and not news:
        return f"stable: everybody says {words.pop()}, and nothing new was raised"
    if not news and not any(move.second and move.counted != move.first for move in moves):
        moved = "no verdict that counts" if any(move.changed for move in moves) else "nobody"
        return f"stable: {moved} moved, and nothing new was raised"
    raised = f"; the last one raised {news} new finding{'s' * (news > 1)}" if news else ""
    return f"{MOST_ROUNDS} rounds are the most there are{raised}"


def telling_words(text: str) -> list[str]:
    """The words that say something about the work, in lower case, each once."""
    words = (word.lower() for word in _WORD.findall(text))
    return list(dict.fromkeys(word for word in words if word not in _EMPTY_WORDS))


def _is_specific(words: Iterable[str]) -> bool:
    return len(list(words)) >= _TELLING


def _overlaps(place: Place, others: Collection[Place]) -> bool:
    """Whether the lines, or the whole file, were named before."""
    path, first, last = place
    return any(path == other and start <= last and first <= end for other, start, end in others)


def _shown(place: Place) -> str:
    path, first, last = place
    return f"{path}:{first}-{last}" if last > first else f"{path}:{first}"


def _claim(finding: Finding) -> tuple[str, int, str]:
    return finding.path, finding.line, finding.title


def _matched(wanted: Sequence[Finding], others: Sequence[Finding]) -> set[Finding]:
    """Those that say the same as one of the others, by the one way in which findings are grouped."""
    if not wanted or not others:
        return set()
    # One source for each side: what a judge says twice would be held apart, and is compared here.
    notes = [note_of(finding)._replace(source="first", family="") for finding in wanted]
    notes += [note_of(finding)._replace(source="second", family="") for finding in others]
    return {
        wanted[number]
        for same in group(notes)
        if max(same.members) >= len(wanted)
        for number in same.members
        if number < len(wanted)
    }
