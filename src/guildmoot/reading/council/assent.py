"""Whether the words beside a PASS plainly speak for the work; whatever does not is quoted back to the judge.

What can be wrong with software no list knows. So every clause must say of itself that something is good, that nothing
is wrong, or what was read, in a small vocabulary and with few words beside it. A wrong suspicion costs one question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.reading.words.lexicon import folded, spelled, word_set, words_of

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|;\s*|\n+")
_LEAST = 3
"""Letters of what says anything."""
_LONGEST = 1_000
"""Characters of a sentence that is weighed at all."""
_CODE = re.compile(r"`[^`\n]{1,80}`|\b[\w.]{1,60}\(\w{0,20}\)|\b[\w./-]{1,80}\.\w{1,5}(?::\d{1,6})?\b")
_CLAUSE = re.compile(
    r"[,:()|]+\s*|\s[–—-]+\s|\s(?=(?:and|but|or|nor|yet|so|which|who|whoever|whatever|because|since|while|"
    r"whereas|though|although|unlike|that|where|when|until|unless|if|plus|bar)\b)"
)
_GOOD = word_set("""
    correct correctly correctness right rightly sound soundly clean cleanly clear clearly safe safely good nice nicely
    great fine solid well works complete completely careful carefully thorough thoroughly straightforward simple
    simpler small minimal short focused ready lgtm tested exercised covered readable robust precise precisely accurate
    accurately valid consistent consistently compatible reversible additive idempotent deterministic bounded unguessable
    validated parameterized parameterised escaped hashed encrypted authenticated verified guarded enforced preserved
    unchanged unaffected fixed resolved met satisfied pinned masked capped locked strong cryptographically identical
    equivalent sensible reasonable elegant tidy neat stable documented green handled described intended expected
    mechanical cosmetic optional low strict atomic tokenised tokenized typed hardened deduplicated keyed specified unused dead transaction harmless preserving approved checked corrected constant closed thoughtful
    excellent appropriate appropriately proper properly adequate adequately secure securely reviewed improved
    effective efficient isolated limited denied rejected refused updated matched minor positive""")
_ACTS = word_set("""
    matches match follows follow handles handle covers cover fixes fix validates prevents prevent enforces
    enforce preserves preserve keeps rejects refuses resolves closes achieves meets satisfies proves
    prove respects guards improves confirm confirms agrees simplifies requires checks verifies renames
    reformats restores avoids address addresses uses use updates resolve blocks ensures supports pass passes implements""")
"""What a good change does to something: what it does it to may be named in a few words."""
_LOOKED = re.compile(
    r"(?:i|we)(?: have)? (?:also )?(?:\w+ly )?(?:read|reviewed|checked|traced|followed|verified|went through|gone through|"
    r"examined|inspected|compared|ran|tried|tested|walked through|confirmed)\b"
)
_TIDIED = {
    "ive": "i have", "weve": "we have", "heres": "here is", "off by default": "safe", "rolled back": "reversible",
    "regression test": "test", "regression tests": "tests", "up to date": "correct", "bug fix": "fix",
}  # fmt: skip
_TIDY = re.compile(rf"\b(?:{'|'.join(_TIDIED)})\b")
_FAULTS = (
    r"(?:issues?|problems?|concerns?|blockers?|defects?|bugs?|findings?|objections?|regressions?|changes?|action|"
    r"vulnerabilit(?:y|ies)|errors?|faults?|risks?|remarks?|complaints?|difference|reservations?)"
)
_DENIES = re.compile(
    rf"\b(?:no|not any|not (?:see|find|identify|spot) any|without(?: any| an?)?|zero|not|not an?) "
    rf"(?:\w+,? (?:and |or )?){{0,4}}?{_FAULTS}\b"
    r"|\b(?:(?:that|which) )?fail(?:s|ed)? (?:on|with|before|without) (?:the |this )?(?:old|previous|former|unpatched|change|fix) ?"
    r"(?:code|version|behaviou?r)?\b|\blet me know if\b[^.!?]*"
    r"|\bnothing (?:to (?:add|fix|object|report|change|mend|note|flag)|(?:else )?(?:is )?"
    r"(?:wrong|missing|changes?|changed|blocks?|blocking|stands out|else))\b"
    r"|\b(?:is|are|was|were|be|can|and|values|but) (?:not|never) (?:be )?(?:logged|exposed|leaked|affected|possible|required|needed|"
    r"blocking|reachable|lost|reused|a (?:problem|concern|risk))\b|\bnever (?:logged|exposed|leaked|reach(?:es)?)\b"
    r"|\bno exceptions? (?:is|are) swallowed\b|\bno longer (?:crash\w*|fails?|leaks?|blocks?|needed)\b"
)
"""That nothing is wrong, or could be found: an approval, though it says no."""
_NEGATIVE = word_set("""
    no not never nor neither none nobody nothing without hardly barely lacks missing fails fail failed failing
    wrong loses lost broken unsafe insecure vulnerable leaks leak crash crashes instead too
    silently bypass bypassed bypasses injection exposes skips ignores drops forgets disabled unable half
    forever weak poor slow unlimited unbounded except apart aside bar until unless if once only most
    mostly some several almost nearly usually today still yet otherwise prototype demo happy
    sample examples example whoever whichever whatever anyone anybody somebody someone stranger itself
    everybody enough hope hopefully probably maybe perhaps assuming assume assumes trust believe guess supposed
    meant claims seems looks appears theory paper skimmed glanced partly part second twice instructed told asked regardless introducing disabling removing pretending
    should would could must needs need might may however but though although symptom despite eyes name
    rather long past provided least far almost should ought time afternoon restart restarts weekend machine""")
"""What narrows praise or takes it back."""
_PARTIAL = word_set("first one two three part half few several beginning top")
"""What somebody read who did not read all."""
_FAULTY = word_set("""regression regressions bug bugs issue issues problem problems flaw flaws defect defects hole holes
    gap gaps concern concerns vulnerability vulnerabilities risk risks race leak""")
_MENDS = word_set("""fix fixes fixed closes closed resolves resolved prevents avoids mends mended addresses low reported
    gone""")
_KNOWN = word_set("""
    faultless nit nits remark remarks suggestion suggestions specified few first pure merging required sites parameters
    parameter sql statements conditions bits detail
    a an the this that these those it its they them their there here i we my our is are was were be been being has have
    had do does did can will to of in on at by for from with as and or so all each every both any across per before
    after over into through also now very quite really fully exactly well which who because since what while between
    change changes diff patch pr commit code module file files function functions class classes method methods
    implementation refactoring refactor test tests testing coverage case cases edge path paths error errors input
    inputs output outputs behaviour behavior logic design structure plan spec specification ticket requirement
    requirements acceptance criteria goal intent documentation docs docstring docstrings comment comments name
    names naming style type types hint hints api interface caller callers existing line lines handling handler
    review verdict packet work fix session branch branches value values boundary query queries correctness security
    performance reliability maintainability readability quality architecture scope risk regression step steps
    everything overall in general new old stated described reported documented two three four one several whole
    thing things says read reads write writes use used using keep merge land same own easy follow do done
    looked look see found find against me quick summary assessment carefully say just exactly code describes says asks demands requires let look also last empty one both now version bump dependency rename cleanup effect way ways including""")
_SUBJECT, _OBJECT, _BESIDE = 5, 4, 3
"""Words that nobody knows: before what praises, behind what acts, and behind any other praise."""
_LAST = _KNOWN | _GOOD | _ACTS


def doubts_in(text: str, least: int = _LEAST) -> Iterator[str]:
    """The sentences of a judge's words that are no plain approval, as they were written."""
    for sentence in sentences_of(text, least):
        if len(sentence) > _LONGEST or not _all_plain(_clauses(sentence)):
            yield sentence


def sentences_of(text: str, least: int = _LEAST) -> list[str]:
    """The sentences that say anything."""
    return [each for each in _SENTENCE.split(text) if sum(map(str.isalpha, each)) >= least]


def _clauses(sentence: str) -> list[str]:
    """Its clauses in small letters; what stands in code is one word."""
    if sentence.rstrip(" \"'*_)").endswith("?"):
        return ["unless"]  # a question approves nothing
    whole = _TIDY.sub(lambda found: _TIDIED[found[0]], folded(_CODE.sub("code", sentence)))
    said = (" ".join(spelled(words_of(each))) for each in _CLAUSE.split(_denied(whole)))
    return [each for each in said if each]


def _denied(said: str) -> str:
    """With every fault that is denied as one word, so that a list of them is not taken apart."""
    plain = re.sub(r"\b(\w+)nt\b", lambda found: " ".join(spelled([found[0]])), said.replace("cannot", "can not"))
    return _DENIES.sub(" faultless ", plain)


def _all_plain(clauses: list[str]) -> bool:
    """Whether every clause is plain, or names one thing more beside a plain one: of what, or to what, it is said."""
    plain = [_is_plain(each) for each in clauses]
    for number, clause in enumerate(clauses):
        if plain[number] or not _is_name(clause):
            continue
        above = number > 0 and plain[number - 1] and _takes_more(clauses[number - 1])
        below = number + 1 < len(clauses) and clauses[number + 1].startswith("and ") and plain[number + 1]
        plain[number] = above or (number == 0 and below)
    return all(plain)


def _is_name(clause: str) -> bool:
    """Whether it is so short that it only names something; after "and" a word in s before another is a verb."""
    words = clause.removeprefix("and ").removeprefix("or ").removeprefix("including ").split()
    acts = clause.startswith("and ") and len(words) > 1 and words[0].endswith("s") and not words[0].endswith("ss")
    return not acts and 0 < len(words) <= 4 and _strange(words) <= 2 and not _NEGATIVE & set(words)


def _takes_more(clause: str) -> bool:
    return bool(_ACTS & set(clause.split()) or _LOOKED.match(clause) or _is_name(clause))


def _is_plain(clause: str) -> bool:
    """Whether a clause praises, denies a fault or tells what was read, with few words beside it."""
    words = clause.split()
    denied = "faultless" in words
    if _NEGATIVE & set(words) or (_FAULTY & set(words) and not _MENDS & set(words)):
        return False
    free = _strange(words)
    if not free:
        return not (_LOOKED.match(clause) and _PARTIAL & set(words))
    if denied:
        return free <= _BESIDE
    if _LOOKED.match(clause):
        return free <= _OBJECT and not _PARTIAL & set(words)
    acts = next((n for n, word in enumerate(words) if word in _ACTS), None)
    good = [n for n, word in enumerate(words) if word in _GOOD]
    if good:
        before, after = words[: good[0]], words[good[-1] :]
        return _strange(before) <= _SUBJECT and _strange(after) <= _BESIDE
    if acts is not None:
        return _strange(words[:acts]) <= _SUBJECT and _strange(words[acts:]) <= _OBJECT
    return False


def _strange(words: list[str]) -> int:
    return sum(word not in _LAST for word in words)


_GO = word_set("""approve approved accept accepted merge merging ship land proceed go ahead deploy release lgtm
    continue it as is ready safe fine good please next phase implementation none na n looks this""")
_LATER = re.compile(
    r"\b(?:consider|optional(?:ly)?|later|follow up|followup|some day|nice to have|not blocking|non blocking|"
    r"nothing blocks)\b"
)
_ASKS = _ACTS | word_set("fix keep use write do read check test say find look change")
"""What asks for something where a recommendation begins with it."""
_MOST_LATER = 8


def lets_go(advice: str) -> bool:
    """Whether a recommendation is to go on, and names beside it only what may come later."""
    clauses = [each for sentence in sentences_of(advice) for each in _clauses(sentence)]
    return all(map(_lets_go, clauses))


def _lets_go(clause: str) -> bool:
    said = [word for word in clause.split() if word not in _GO]
    asks = bool(said) and said[0] in _ASKS and said[0] == clause.split()[0]
    if not asks and _is_plain(" ".join(said) or "good"):
        return True
    words = set(_LATER.sub(" ", clause).split())
    return bool(_LATER.search(clause)) and len(words) <= _MOST_LATER and not words & _NEGATIVE
