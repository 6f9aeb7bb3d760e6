"""Reads a council judge's reply: the JSON verdict in it, mended or salvaged if need be. Pure.

The rules that matter, each on the safe side:

- JSON outranks prose; prose is read only when no JSON states a verdict.
- Every verdict that the reply states must be the same; several that differ are a failure. What
  stands in block quotes, code spans and fences of other languages does not count at all. A block
  that the reply says it only shows cannot decide, nor soften; one that is worse contradicts.
- A reply that was cut off before its findings ended can only FAIL.
- No verdict is made up: an unknown word, a refusal, an echo of the prompt's template, a notice that
  the verdict is in a file, and an empty reply are failures that say what they are.

The mapping to the panel's words is left to ``judgement``, the gate to ``consensus``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from guildmoot.model.council_verdict import (
    CouncilReading,
    CouncilVerdict,
    CouncilWord,
    Failure,
    How,
)
from guildmoot.reading.blocks import OWN, Parts, cut, lay_out
from guildmoot.reading.clerk.normal import normal_form
from guildmoot.reading.council.documents import find_documents, findings_of
from guildmoot.reading.council.opposing import what_opposes
from guildmoot.reading.council.statements import (
    ROOT_KEYS,
    Statement,
    find_statements,
    gather,
    list_findings,
    state,
    stated,
)
from guildmoot.reading.council.verdict_object import read_object
from guildmoot.reading.grammar import contradiction
from guildmoot.reading.json_repair import ParsedJson
from guildmoot.reading.refusal import find_refusal
from guildmoot.reading.reply_json import BLANK, as_text, kind_of, parse_whole
from guildmoot.reading.sections import Scan
from guildmoot.reading.words.tags import GAP, split_tags

_NEITHER = "neither a JSON verdict nor a line with the verdict was found"
_MESSY = ("no-verdict", "unknown-verdict", "quoted")
"""Failures behind which a verdict in other words may stand."""
_RANK = {"PASS": 0, "WARN": 1, "FAIL": 2}


def stated_pass(text: str) -> CouncilReading:
    """The PASS that the JSON of a reply states, whatever its words say against it; a failure where it states none.

    To be counted where ``confirm`` finds nothing to ask about, or the judge stands by it.
    """
    text = text.strip(BLANK)
    own = text if parse_whole(text) else split_tags(text, at_lines=True)[0]
    reading = _read(own.strip(BLANK + GAP), "", believing=True)
    passes = reading.verdict and reading.verdict.verdict == "PASS" and reading.how != "salvaged"
    return reading if passes else _failed("no-verdict", _NEITHER)


def prose_beside(text: str) -> str:
    """The judge's own lines around the object of its reply; empty when it is JSON from end to end."""
    text = text.strip(BLANK)
    if parse_whole(text):
        return ""
    own = split_tags(text, at_lines=True)[0]
    rows = (row for kind, row in cut(own.strip(BLANK + GAP)).prose if kind == OWN)
    return _without_objects("\n".join(rows))


@lru_cache(maxsize=4)
def read_council(text: str) -> CouncilReading:
    """The verdict in a reply and how it was read, or why there is none; never raises."""
    text = text.strip(BLANK)
    own, inside = (text, "") if parse_whole(text) else split_tags(text, at_lines=True)
    said = own.strip(BLANK + GAP)
    reading = _read(said, inside) if said or not inside else _failed("no-verdict", _NEITHER)
    if own is not text and reading.failure:  # a tag takes no FAIL away
        whole = _read(text, "")
        reading = whole if whole.verdict and whole.verdict.verdict == "FAIL" else reading
    return _messy(text) or reading if reading.failure in _MESSY else reading


def restate(text: str, word: CouncilWord) -> CouncilVerdict:
    """What a reply says beside its verdict, whichever it states, as the verdict that was given for it later."""
    text = text.strip(BLANK)
    parsed = parse_whole(text)
    if parsed is None or isinstance(parsed.value, str):
        return _Reader(cut(text)).restate(word)
    return _Reader(Parts([(OWN, text)], False), "", list(findings_of(parsed.value))).restate(word)


def _messy(text: str) -> CouncilReading | None:
    """A FAIL or a WARN in other words, in tags, backticks or a fence; never a PASS."""
    plain = normal_form(text, council=True)
    found = _read(plain, "") if plain != text else None
    if not found or not found.verdict or found.verdict.verdict == "PASS":
        return None
    note = "the verdict was not in the form; it was read from other words"
    return found._replace(how="salvaged", warnings=(note, *found.warnings))


def _read(text: str, inside: str, believing: bool = False) -> CouncilReading:
    if not text:
        return _failed("empty", "the reply is empty")
    parsed = parse_whole(text)
    if parsed is None:
        return _Reader(cut(text), inside, believing=believing).read()
    if isinstance(parsed.value, str):  # JSON inside JSON, as some tools print it
        return _unwrapped(parsed.value)
    reader = _Reader(cut(""), inside, list(findings_of(parsed.value)), believing)
    return reader.decide(state(parsed, whole=True), parsed)


def _unwrapped(text: str) -> CouncilReading:
    """What a text that was itself encoded as JSON says; it is not unwrapped twice."""
    parts = cut(text.strip(BLANK))
    reading = _Reader(parts).read()
    note = "the reply was JSON text inside JSON"
    return reading._replace(warnings=(note, *reading.warnings)) if reading.verdict else reading


class _Reader:
    """The parts of one reply, what stood in its tags, and what its documents and its prose state."""

    def __init__(
        self,
        parts: Parts,
        inside: str = "",
        documents: list[dict[str, object]] | None = None,
        believing: bool = False,
    ) -> None:
        self.parts = parts
        self.believing = believing
        self.inside = inside
        self.documents = find_documents(parts.counting) if documents is None else documents
        self.said = stated(parts.prose)
        self.doubtful = stated(parts.doubtful)

    def read(self) -> CouncilReading:
        return self.decide(
            [found for part in self.parts.counting for found in find_statements(part)]
        )

    def decide(self, found: Sequence[Statement], whole: ParsedJson | None = None) -> CouncilReading:
        """The reading of a reply in which these objects were found."""
        answers = [item for item in found if not item.is_echo and not item.is_signal]
        standing = [item for item in answers if not item.cited and not item.broken]
        votes = [item for item in standing if item.word]
        unknown = [item for item in standing if not item.word and (not votes or _is_full(item))]
        if unknown:
            return _unknown(unknown[0])
        if votes:
            return self._voted(votes, found)
        broken = [item for item in answers if item.broken and not item.cited]
        if broken:
            reason = f"the JSON is broken beyond mending: {broken[0].broken}"
            return _failed("unreadable", reason)
        if any(not said.template for said in self.said):
            return self._salvaged(found)
        return self._nothing(found, whole)

    def _voted(self, votes: Sequence[Statement], found: Sequence[Statement]) -> CouncilReading:
        first = votes[0]
        others = self._words(found)
        if others - {first.word}:
            return _contradiction(others)
        if not all(map(_is_complete, votes)):
            reason = (
                f"the reply was cut off before its findings ended, so {first.word} cannot count"
            )
            return _failed("cut-off", reason)
        reads = [read_object(vote.value, vote.word) for vote in votes if vote.word]
        warnings = [*_repairs(votes), *self._remarks(votes, found), *reads[0][1]]
        verdict = _together([read for read, _ in reads])
        verdict = self._beside(verdict)
        if any(vote.parsed.cut_in is not None for vote in votes):
            verdict = _without_stub(verdict)
        against = _is_clean_pass(verdict) and (
            self._found_beside() or (not self.believing and self._words_against(votes))
        )
        if against:
            return _failed("contradiction", against)
        return CouncilReading(verdict, _how(votes), tuple(dict.fromkeys(warnings)))

    def _words_against(self, votes: Sequence[Statement]) -> str:
        return self._against(votes) or what_opposes([vote.value for vote in votes])

    def _found_beside(self) -> str:
        """What other documents say against a PASS: whatever is not minor in them, or told as grave."""
        beside = {"findings": self.documents}
        found = read_object(beside, "PASS")[0].findings if self.documents else ()
        grave = next((each.description for each in found if each.severity != "minor"), "")
        told = f"the verdict is PASS, yet a document beside it finds {grave!r}" if grave else ""
        return told or what_opposes([beside])

    def _beside(self, verdict: CouncilVerdict) -> CouncilVerdict:
        """The verdict with what other documents find; where no JSON does, with what the prose lists."""
        rows: list[object] = [*self.documents]
        if not rows and not verdict.findings and verdict.verdict != "PASS":
            rows = list_findings(lay_out(_without_objects(_text(self.parts)))[0])
        if not rows:
            return verdict
        more, _ = read_object({"findings": rows}, verdict.verdict)
        return _together([verdict, more])

    def restate(self, word: CouncilWord) -> CouncilVerdict:
        """What the reply says beside its verdict, with the word that its judge gave when asked once more."""
        found = [each for part in self.parts.counting for each in find_statements(part)]
        own = [each for each in found if not (each.is_echo or each.is_signal or each.cited)]
        own.sort(key=lambda each: each.word != word)  # the part that it stands by speaks first
        reads = [read_object(each.value, word)[0] for each in own if not each.broken]
        return self._beside(_together([*reads, CouncilVerdict(word)]))

    def _words(self, found: Sequence[Statement]) -> set[str]:
        """The words of all verdicts that count here; a quoted one counts if it is the worst."""
        counting = [item for item in found if item.word and not item.is_echo]
        words = {str(item.word) for item in counting if not item.cited}
        words |= {said.word for said in (*self.said, *self.doubtful) if said.word}
        worst = max((_RANK[word] for word in words), default=-1)
        return words | {str(item.word) for item in counting if _RANK[str(item.word)] > worst}

    def _remarks(self, votes: Sequence[Statement], found: Sequence[Statement]) -> list[str]:
        remarks = []
        if len(votes) > 1:
            remarks.append(f"{len(votes)} verdicts agree; their findings were taken together")
        if any(item.cited and item.word != votes[0].word for item in found if item.word):
            remarks.append("another verdict, which the reply only quotes, was left aside")
        return remarks

    def _salvaged(self, found: Sequence[Statement]) -> CouncilReading:
        """The verdict that the prose states in so many words."""
        plain = [said for said in self.said if not said.template]
        word = plain[0].word
        unread = [said.line for said in plain if not said.word]
        if unread or not word:
            reason = f"this line states neither PASS, WARN nor FAIL plainly: {unread[0][:120]}"
            return _failed("unknown-verdict", reason)
        words = self._words(found)
        if len(words) > 1:
            return _contradiction(words)
        verdict, warnings = read_object(gather(self.parts.prose, plain[0]), word)
        note = "there is no JSON verdict; it was read from the prose"
        verdict = self._beside(verdict._replace(schema_version=0))
        reading = CouncilReading(verdict, "salvaged", (note, *warnings))
        return self._distrusted(verdict) or reading

    def _against(self, votes: Sequence[Statement] = ()) -> str:
        """What the prose says against a PASS, and the comments in its JSON."""
        rows = [(OWN, row) for row in _without_objects(_text(self.parts)).split("\n")]
        comments = "\n".join(said for vote in votes for said in ("", *vote.parsed.comments))
        beside = [(OWN, row.strip()) for row in f"{self.inside}\n{comments}".split("\n")]
        return contradiction(Scan(rows), [*beside, *self.parts.doubtful])

    def _distrusted(self, verdict: CouncilVerdict) -> CouncilReading | None:
        """A failure when the prose around the verdict takes it back."""
        word = verdict.verdict
        declined = find_refusal(_text(self.parts))
        if declined and word != "FAIL":
            return _failed("refusal", f"the judge declined: {declined}")
        if word == "PASS" and any(row.lstrip().startswith("{") for _, row in self.parts.prose):
            return _failed("unreadable", "beside the verdict stands JSON that could not be read")
        against = _is_clean_pass(verdict) and (self._against() or self._found_beside())
        if against:
            return _failed("contradiction", against)
        if self.parts.wrapped and word == "PASS":
            return _failed("quoted", "PASS stands only inside a code fence, where it cannot vote")
        return None

    def _nothing(self, found: Sequence[Statement], whole: ParsedJson | None) -> CouncilReading:
        """Why a reply without a verdict has none."""
        signal = next((item for item in found if item.is_signal), None)
        if signal:
            file = as_text(signal.get("file"))
            return _failed("signal", f"the reply only says that the verdict is in {file}")
        if any(item.is_echo for item in found) or self.said:
            return _failed(
                "echo", "the reply repeats the prompt's template instead of filling it in"
            )
        if any(item.cited for item in found):
            reason = "the only verdict stands in a block that the reply quotes, so it cannot vote"
            return _failed("quoted", reason)
        if whole:
            return _no_verdict_in(whole.value)
        declined = find_refusal(_text(self.parts))
        if declined:
            return _failed("refusal", f"the judge declined: {declined}")
        if "verdict" in self.parts.quoted.lower():
            return _failed("quoted", "a verdict stands only in quotations, where it cannot vote")
        return _failed("no-verdict", _NEITHER)


def _is_clean_pass(verdict: CouncilVerdict) -> bool:
    """A PASS beside something critical blocks as it stands; nothing more need be sought against it."""
    critical = any(finding.severity == "critical" for finding in verdict.findings)
    return verdict.verdict == "PASS" and not critical


def _without_stub(verdict: CouncilVerdict) -> CouncilVerdict:
    """Without the finding that was cut off before it said anything, where others were whole."""
    said = tuple(each for each in verdict.findings if each.description or each.recommendation)
    return verdict._replace(findings=said) if said else verdict


def _without_objects(text: str) -> str:
    """The prose without what stands in braces: that is read as JSON."""
    kept: list[str] = []
    depth = 0
    for piece in text.replace("{", "\0{").replace("}", "}\0").split("\0"):
        depth += piece[:1] == "{"
        if not depth:
            kept.append(piece)
        depth -= piece[-1:] == "}" and depth > 0
    return "".join(kept)


def _text(parts: Parts) -> str:
    return "\n".join(row for _, row in parts.prose)


def _failed(failure: Failure, reason: str) -> CouncilReading:
    return CouncilReading(failure=failure, reasons=(reason,))


def _unknown(statement: Statement) -> CouncilReading:
    if statement.parsed.cut_in is not None and not statement.said:
        return _failed("cut-off", "the reply was cut off before its verdict was complete")
    said = as_text(statement.said)[:120]
    return _failed("unknown-verdict", f"the verdict is {said!r}, which is not PASS, WARN or FAIL")


def _contradiction(words: set[str]) -> CouncilReading:
    return _failed(
        "contradiction", f"the reply states several verdicts: {', '.join(sorted(words))}"
    )


def _no_verdict_in(value: object) -> CouncilReading:
    """What a reply says that is JSON from end to end, but no verdict."""
    if not value:
        return _failed("empty", f"the reply is {kind_of(value)} with nothing in it")
    if isinstance(value, dict) and value.get("refusal"):
        return _failed("refusal", f"the judge declined: {as_text(value['refusal'])[:200]}")
    if isinstance(value, dict) and value.get("error"):
        return _failed("no-verdict", f"the reply reports an error: {as_text(value['error'])[:200]}")
    return _failed("no-verdict", f"the reply is {kind_of(value)} without a verdict")


def _is_full(statement: Statement) -> bool:
    """Whether an object has enough of a verdict to count against others."""
    return len(statement.keys & ROOT_KEYS) > 1


def _is_complete(vote: Statement) -> bool:
    """Whether nothing that counts was cut off; what a FAIL lost would not soften it."""
    cut_in = vote.parsed.cut_in
    return cut_in is None or vote.word == "FAIL" or ("findings" in vote.keys - set(cut_in))


def _how(votes: Sequence[Statement]) -> How:
    if any(vote.parsed.mended for vote in votes):
        return "repaired"
    return "json" if votes[0].whole else "json-block"


def _repairs(votes: Sequence[Statement]) -> list[str]:
    return [f"the JSON was mended: {what}" for vote in votes for what in vote.parsed.repairs]


def _together(verdicts: Sequence[CouncilVerdict]) -> CouncilVerdict:
    """The first of several that agree, with the findings of all."""
    findings = dict.fromkeys(finding for read in verdicts for finding in read.findings)
    return verdicts[0]._replace(findings=tuple(findings)) if len(verdicts) > 1 else verdicts[0]
