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
_CODE = re.compile(
    r"`[^`\n]{1,80}`|\b[\w.]{1,60}\(\w{0,20}\)|\b[\w./-]{1,80}\.\w{1,5}(?::\d{1,6})?\b"
)
_CLAUSE = re.compile(
    r"[,:()|]+\s*|\s[–—-]+\s|\s(?=(?:and|but|or|nor|yet|so|which|who|whoever|whatever|because|since|while|"
    r"whereas|though|although|unlike|that|where|when|until|unless|if|plus|bar)\b)"
)
_GOOD = word_set("""
    passed passing accurate accurately
    additive adequate adequately appropriate appropriately approved atomic authenticated
    bounded capped careful carefully checked clean cleanly clear clearly closed compatible complete completely
    consistent consistently constant correct corrected correctly correctness cosmetic covered cryptographically
    deduplicated denied described deterministic documented effective efficient elegant encrypted enforced
    equivalent escaped excellent exercised expected fine fixed focused good great green guarded handled holds hardened
    harmless hashed idempotent identical improved intended isolated keyed lgtm limited locked low masked matched
    mechanical met minimal minor neat nice nicely ok okay optional parameterised parameterized pinned precise precisely
    preserved preserving proper properly readable ready reasonable refused rejected resolved reversible reviewed
    right rightly robust safe safely satisfied secure securely sensible short simple simpler small solid sound
    soundly specified stable straightforward strict strong tested thorough thoroughly thoughtful tidy tokenised
    tokenized transaction typed unaffected unchanged unguessable unused updated valid validated verified well
    works""")
_ACTS = word_set("""
    achieves agrees avoids closes confirm confirms cover covers enforce enforces ensures fix fixes
    follow follows handle handles implements improves match matches meets passes preserves prevent prevents
    prove proves reformats refuses rejects renames resolve resolves respects restores satisfies simplifies
    validates verifies""")
"""What a good change does to something: what it does it to may be named in a few words."""
_LOOKED = re.compile(
    r"(?:i|we)(?: have)? (?:also )?(?:\w+ly )?(?:read|reviewed|checked|traced|followed|verified|went through|"
    r"gone through|examined|inspected|compared|ran|tried|tested|walked through|confirmed)\b"
)
_TIDIED = {
    "ive": "i have", "weve": "we have", "heres": "here is", "off by default": "safe", "rolled back": "reversible",
    "regression test": "test", "regression tests": "tests", "up to date": "correct", "bug fix": "fix",
    "as asked": "as expected", "as it should": "as expected", "other than": "except", "short of": "except",
    "looks good": "good",
}  # fmt: skip
_TIDY = re.compile(rf"\b(?:{'|'.join(_TIDIED)})\b")
_FAULTS = (
    r"(?:issues?|problems?|concerns?|blockers?|defects?|bugs?|findings?|objections?|regressions?|changes?|action|"
    r"vulnerabilit(?:y|ies)|errors?|faults?|risks?|remarks?|complaints?|difference|reservations?|surprises?|"
    r"nit(?:pick)?s?)"
)
_DENIES = re.compile(
    rf"\b(?:no|not any|not (?:see|find|identify|spot) any|without(?: any| an?)?|zero|not|not an?) "
    rf"(?:\w+,? (?:and |or )?){{0,4}}?{_FAULTS}\b"
    rf"(?:(?:, (?:\w+ ){{0,2}}{_FAULTS})*,? (?:or|nor) (?:\w+ ){{0,2}}{_FAULTS}\b)?"
    r"|\b(?:(?:that|which) )?fail(?:s|ed)? (?:on|with|before|without) (?:the |this )?(?:old|previous|former|"
    r"unpatched|change|fix) ?(?:code|version|behaviou?r)?\b|\blet me know if\b[^.!?]*"
    r"|\b(?:none|nothing) (?:is )?(?:needed|required)\b"
    r"|\b(?:found|find|saw|see) nothing that (?:would|could|might) (?:break|block|harm|stop)\b"
    r"|\b(?:i|we) (?:looked|searched|checked) for (?!.*\b(?:in|of|only)\b)[^.;:]{1,120}? and (?:there (?:are|were)"
    r"|found) none\W*$"
    r"|\bnothing (?:to (?:add|do|fix|object|report|change|mend|note|flag)|(?:else )?(?:is )?"
    r"(?:wrong|missing|changes?|changed|blocks?|blocking|stands out|else))\b"
    r"|\b(?:is|are|was|were|be|can|and|values|but) (?:not|never) (?:be )?(?:logged|exposed|leaked|affected|possible|"
    r"required|needed|blocking|reachable|lost|reused|a (?:problem|concern|risk))\b"
    r"|\bnever (?:logged|exposed|leaked|reach(?:es)?)\b"
    r"|\bno exceptions? (?:is|are) swallowed\b|\bno longer (?:crash\w*|fails?|leaks?|blocks?|needed)\b"
)
"""That nothing is wrong, or could be found: an approval, though it says no."""
_NEGATIVE = word_set("""
    almost although anybody anyone apart appears aside asked assume assumes assuming bar barely barring believe
    besides beyond broken but bypass bypassed bypasses claims could crash crashes demo despite disabled disabling
    drops enough everybody example examples except excepting excluding exposes fail failed failing fails far few
    forever forgets glanced guess half happy hardly hope hopefully however if ignores injection insecure instead
    instructed introducing itself lacks leak leaks least looks loses lost may maybe meant might missing most
    mostly must nearly need needs neither never no nobody none nor not nothing notwithstanding once only ought
    outside paper part partly perhaps poor pretending probably prototype provided rather regardless removing
    sample save second seems should silently skimmed skips slow some somebody someone still stranger supposed
    theory though today told too trust twice unable unbounded unless unlimited unsafe until usually vulnerable
    weak whatever whichever whoever without would wrong yet""")
"""What narrows praise or takes it back."""
_PARTIAL = word_set("first one two three part half few beginning top")
"""What somebody read who did not read all."""
_FAULTY = word_set("""
    bug bugs concern concerns defect defects flaw flaws gap gaps hole holes issue issues leak problem problems
    race regression regressions risk risks vulnerabilities vulnerability""")
_MENDS = word_set("""
    addresses avoids closed closes fix fixed fixes gone low mended mends prevents reported resolved resolves""")
_KNOWN = word_set("""
    pass check checks a acceptance across after against all also an and any api architecture are as asks
    assessment at be because been before behavior behaviour being between bits both boundary branch branches bump
    by caller callers can carefully case cases change changes class classes cleanup code comment comments commit
    conditions correctness coverage criteria demands dependency described describes design detail did diff do docs
    docstring docstrings documentation documented does done each easy edge effect empty error errors every
    everything exactly existing faultless file files find first fix follow for found four from fully function
    functions general goal had handler handling has have here hint hints i implementation in including input
    inputs intent interface into is it its just keep land last let line lines logic look looked maintainability me
    merge merging method methods module my name names naming new nit nits now of old on one or our output outputs
    over overall own packet parameter parameters patch path paths per performance plan pr pure quality queries
    query quick quite read readability reads really refactor refactoring regression reliability remark remarks
    rename reported required requirement requirements requires review risk same say says scope security see
    session since sites so spec specification specified sql stated statements step steps structure style
    suggestion suggestions summary test testing tests that the their them there these they thing things this those
    three through ticket to two type types use used using value values verdict version very was way ways we well
    were what which while who whole will with work write writes""")
_BY = word_set("code spec test tests type types")
"""What proves or makes good; anything else behind "by" may be how it is not."""
_NARROWS = word_set("in on at to for up under against")
_WIDE = word_set("all any both each every per")
_SUBJECT, _OBJECT, _BESIDE, _READ = 4, 3, 1, 4
"""Words that nobody knows: before what praises, behind what acts, behind any other praise, beside what was read."""
_EVERY_DAY = _KNOWN | _GOOD | _ACTS


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
    plain = re.sub(
        r"\b(\w+)nt\b",
        lambda found: " ".join(spelled([found[0]])),
        said.replace("cannot", "can not"),
    )
    return _DENIES.sub(" faultless ", plain)


def _all_plain(clauses: list[str]) -> bool:
    """Whether every clause is plain, or names one thing more beside a plain one: of what, or to what, it is said."""
    plain = [_is_plain(each) for each in clauses]
    listing = False
    for number, clause in enumerate(clauses):
        named = not plain[number] and _is_name(clause)
        follows = number + 1 < len(clauses) and clauses[number + 1].startswith("and ")
        plain[number] |= named and (listing or (number == 0 and follows and plain[1]))
        listing = plain[number] and ((named and listing) or _takes_more(clause))
    return all(plain)


def _is_name(clause: str) -> bool:
    """Whether it is so short that it only names something; after "and" a word in s before another is a verb."""
    words = clause.removeprefix("and ").removeprefix("or ").removeprefix("including ").split()
    acts = (
        clause.startswith("and ")
        and len(words) > 1
        and words[0].endswith("s")
        and not words[0].endswith("ss")
    )
    return not acts and 0 < len(words) <= 4 and _strange(words) <= 2 and not _NEGATIVE & set(words)


def _takes_more(clause: str) -> bool:
    return bool(_ACTS & set(clause.split()) or _LOOKED.match(clause))


def _is_plain(clause: str) -> bool:
    """Whether a clause praises, denies a fault or tells what was read, with few words beside it."""
    words = clause.split()
    denied = "faultless" in words
    if _NEGATIVE & set(words) or (_FAULTY & set(words) and not _MENDS & set(words)):
        return False
    free = _strange(words)
    if _EVERY_DAY.issuperset(words):
        return not (_LOOKED.match(clause) and _PARTIAL & set(words))
    if denied:
        return free <= _READ
    if _LOOKED.match(clause):
        return free <= _READ and not _PARTIAL & set(words)
    acts = next((n for n, word in enumerate(words) if word in _ACTS), None)
    good = [n for n, word in enumerate(words) if word in _GOOD]
    if good:
        return _strange(words[: good[0]]) <= _SUBJECT and _is_wide(words[good[-1] :], _BESIDE)
    if acts is not None:
        return _strange(words[:acts]) <= _SUBJECT and _is_wide(words[acts:], _OBJECT)
    return False


def _is_wide(words: list[str], most: int) -> bool:
    """Whether what follows praise narrows it by nothing: neither where, nor for whom, nor by what means."""
    for at, word in enumerate(words):
        if word in _NARROWS and _strange(words[at:]) and _WIDE.isdisjoint(words[at:]):
            return False
    return _strange(words) <= most and ("by" not in words or not _BY.isdisjoint(words))


def _strange(words: list[str]) -> int:
    return sum(word not in _EVERY_DAY for word in words)


_GO = word_set("""
    accept accepted ahead approve approved as continue deploy fine go good implementation is it land lgtm looks
    merge merging n na next none phase please proceed ready release safe ship this""")
_LATER = re.compile(
    r"\b(?:consider|optional(?:ly)?|later|follow up|followup|some day|nice to have|not blocking|non blocking|"
    r"nothing blocks)\b"
)
_ASKS = _ACTS | word_set("fix keep use write do read check test say find look change")
"""What asks for something where a recommendation begins with it."""
_JOINS = word_set("and also but so")
_BINDS = word_set("after then when")
"""Behind these stands another step, or what the work has to wait for; before "before", what must be done."""
_SOFT = word_set("but could may might")
"""What leaves open what may come later."""
_MOST_LATER = 8


def lets_go(advice: str) -> bool:
    """Whether a recommendation is to go on, and names beside it only what may come later."""
    clauses = [each for sentence in sentences_of(advice) for each in _clauses(sentence)]
    return all(map(_lets_go, clauses))


def _lets_go(clause: str) -> bool:
    words = clause.removesuffix("when convenient").split()
    while words and words[0] in _JOINS:
        del words[0]
    said = [word for word in words if word not in _GO and word != "then"]
    asks = bool(said) and said[0] in _ASKS and said[0] == words[0]
    if not asks and not _is_bound(words) and _is_plain(" ".join(said) or "good"):
        return True
    rest = set(_LATER.sub(" ", clause).split())
    return bool(_LATER.search(clause)) and len(rest) <= _MOST_LATER and not rest & _NEGATIVE - _SOFT


def _is_bound(words: list[str]) -> bool:
    """Whether going on waits for something, or something else follows it."""
    at = next((n for n, word in enumerate(words) if word in _BINDS), len(words))
    waits = "before" in words and "faultless" not in words
    return waits or not _GO.issuperset(words[at + 1 :])
