"""What a judge said in all of its replies, the one too that it was asked about once more: nothing of it is lost.

Where neither the grammars nor a clerk found what a FAIL or a WARN rests on, each sentence of its own lines that names
a place in the work is a finding, letter by letter. Who gives no place at all is still quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.model.call import Reply
from guildmoot.model.council_verdict import CouncilFinding, CouncilVerdict
from guildmoot.model.verdict import Judgement
from guildmoot.reading.blocks import OWN, lay_out
from guildmoot.reading.council.beside import said_beside
from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.grammar import READER_CODES
from guildmoot.reading.places import find_anchor
from guildmoot.reading.reply_json import BLANK, parse_whole
from guildmoot.reading.verdict_line import COUNCIL_WORDS, read_vote
from guildmoot.text.patterns import lazy
from guildmoot.text.told import LEAST_WORDS, sentences

_OPENS = lazy(
    r"(?i)\W*(?:(?:as i said|this|it|that|my verdict|verdict|so)\W+(?:is\W+)?)*fail(?:s|ed)?\b"
)
_WORDS = lazy(r"\b(?:PASS|WARN|FAIL)\b")


def with_reasons(judgement: Judgement, said: Sequence[str]) -> Judgement:
    """The judgement of a FAIL or a WARN without a finding, with the sentences that name a place as its findings."""
    reading = judgement.council
    verdict = reading.verdict if reading else None
    if not reading or not verdict or verdict.verdict == "PASS" or verdict.findings:
        return judgement
    if any(each.code not in READER_CODES for each in judgement.findings):
        return judgement
    found = tuple(dict.fromkeys(each for text in said for each in _placed(text)))
    if not found:
        return judgement
    told = reading._replace(verdict=verdict._replace(findings=found))
    return read_judgement(told, judgement.seat, judgement.family)._replace(
        confidence=judgement.confidence
    )


def says_fail(text: str) -> bool:
    """Whether a reply without a vote says FAIL all the same: it opens so, or has no other word of a verdict."""
    return bool(_OPENS.match(text)) or {*_WORDS.findall(text)} == {"FAIL"}


def _placed(text: str) -> Iterator[CouncilFinding]:
    if parse_whole(text.strip(BLANK)):
        return
    own = "\n".join(row if kind == OWN else "" for kind, row in lay_out(text)[0])
    for block in own.split("\n\n"):
        for sentence in sentences(" ".join(block.split())):
            path, first, last = find_anchor(sentence)
            if path and first:
                place = f"{path}:{first}-{last}" if last > first else f"{path}:{first}"
                yield CouncilFinding("significant", description=sentence, location=place)


def all_beside(said: Sequence[Reply], verdict: CouncilVerdict | None) -> str:
    """What all replies of a judge say that its verdict does not carry, each paragraph once; no line that votes.

    Who was asked once more had said it in a form of its own: there no sentence is too short to be missed.
    """
    told, least = verdict or CouncilVerdict("FAIL"), 1 if len(said) > 1 else LEAST_WORDS
    texts = (said_beside(_unvoted(each), told, least) for each in said)
    return "\n\n".join(dict.fromkeys(part for text in texts for part in text.split("\n\n") if part))


def _unvoted(reply: Reply) -> str:
    vote = read_vote(reply.text, reply.nonce, COUNCIL_WORDS) if reply.nonce else None
    return reply.text if not vote or vote.problem else vote.rest
