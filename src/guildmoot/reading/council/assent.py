"""Whether the words beside a PASS speak for the work: a sentence must say something good of it, and nothing else.

What can be wrong with software no list knows, so a sentence that praises nothing is as doubtful as one that names a
harm. Whoever writes one is asked once, with a form, whether the PASS stands: a wrong suspicion costs one question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.reading.words.lexicon import folded, phrases, spelled, words_of
from guildmoot.reading.words.wording import tells

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|;\s*|\n+")
_LEAST = 3
"""Letters of what says anything."""
_TURN = re.compile(r"\b(?:but|however|although|though|yet|while|whereas|and will|and it also)\b")
_LONGEST = 1_000
"""Characters of a sentence that is weighed at all."""
_CONCEDED = re.compile(
    r"^\W*(?:although|(?:even )?though|while|despite)\b[^,;]{1,120},\s*", re.IGNORECASE
)
"""What a sentence grants before it says what counts."""
_FAULTS = (
    r"(?:issues?|problems?|concerns?|blockers?|defects?|bugs?|findings?|objections?|reasons?|need|"
    r"changes?|actions?|work|"
    r"risks?|regressions?|reservations?|remarks?|complaints?|surprises?|leftovers?|harm|danger)"
)
_DENIALS = re.compile(
    rf"\b(?:no|not any|without|zero|any|never|nor|neither|free of) (?:\w+ ){{0,5}}?{_FAULTS}\b|"
    rf"\bno \w+ (?:is|are|was|were)\b"
    r"|\b(?:nothing|nobody|no one|none|neither|no longer|any ?more|instead of|unlike|impossible|"
    r"unaffected|unchanged)\b"
    r"|\b(?:not|never) \w+ (?:again|twice|any ?more)\b|\bnot (?:an? |any |be )?(?:\w+ )?(?:problem|issue|"
    r"bug|concern|blocker|blocking|risk|possible|happen|reach\w*|affected|"
    r"needed|required|important|logged)\b|\bcan not (?:happen|occur|be|fail|reach)\b|\bnever reach\w*"
    r"|\b(?:could|can|did|do|does|was|were|have|had) (?:not|never) (?:(?:be )?able to )?"
    r"(?:find|found|see any|spot|break|broken|construct|detect|identify|think of|provoke|produce|name|"
    r"trigger)\b"
    r"|\band (?:\w+ )?(?:could|can|did|does|is|was|were|do) not$"
)
"""That nothing is wrong, or could be found: an approval, though it says no."""
_PRAISE = (
    r"correct(?:ly|ness|ed)?|right(?:ly)?|sound|clean(?:ly|er)?|clear(?:ly|er)?|safe(?:ly|r)?|good|nice|"
    r"great|fine|solid|"
    r"well|works?|working|complete(?:ly)?|careful(?:ly)?|thorough(?:ly)?|straightforward|simpler?|"
    r"simplif\w+|small(?:er)?|"
    r"minimal|short|ready|lgtm|tested|exercised|unit tests?|regression tests?|cover(?:s|ed|age)?|"
    r"identical\w*|compatible|"
    r"readable|improv\w+|adequate\w*|sufficient\w*|fast(?:er)?|reversible|idempotent|consistent\w*|"
    r"robust|precise\w*|"
    r"accurate\w*|valid|validated|validates|verified|proves?|proven|guard(?:s|ed)|handl(?:es?|ed)|"
    r"bounded|bound|"
    r"enforc(?:es|ed)|guarante\w+|honou?rs?|respects?|respected|match(?:es)?|satisf(?:y|ies|ied)|meets?|"
    r"fulfil\w*|follows|"
    r"achieves|resolve[sd]?|fix(?:es|ed)?|close[sd]?|prevent(?:s|ed)?|avoid(?:s|ed)?|repairs?|mends?|"
    r"mended|gone|disappears|"
    r"rejects?|rejected|refuse[sd]?|blocks?|green|pass(?:es|ed)?|passing|agrees?|useful|helpful|"
    r"exact(?:ly)?|fully|low|"
    r"equivalent\w*|its own|their own|stable|preserv(?:es|ing|ed)|escap(?:es|ed)|parameteri[sz]ed|"
    r"bind parameters|masked|"
    r"encrypted|hashed|signed|locked|logged|authenticated|limited|checked|keyed|pinned|sorted|typed|"
    r"strict|capped|caps|"
    r"pure|mechanical\w*|cosmetic|optional|nits?|minor|trivial|harmless|reasonable|sensible|elegant|tidy|"
    r"neat|additive|"
    r"rolled back|off by default|dead code|denied|denies|answer(?:s|ed)|survives?|copes?|"
    r"deterministic\w*|constant|atomic\w*|"
    r"one transaction|redundant|unused|resum(?:es|ed)|restor(?:es|ed)|up to date|"
    r"as (?:\w+ ){0,2}(?:asks?|asked|intended|expected|"
    r"specified|planned|required|designed|promised|documented|says|demands)|what it (?:says|should|"
    r"promises)|as before|holds|there (?:is|are) (?:a )?tests?|tokeni[sz]ed|stored in|everything is|"
    r"happy|confident|"
    r"approv\w+|taste|easy|quiet|spans?|stays? (?:on|off|flat|small|closed)|"
    r"tests? (?:\w+ ){0,3}(?:proves?|shows?|covers?|pass|"
    r"checks?|asserts?|agrees?|confirms?)|(?:i|we|ive|weve) (?:have )?(?:\w+ )?(?:reviewed|examined|"
    r"traced|followed|"
    r"gone through|went through)|let me know|(?:here is|here are|heres|below is) (?:my|the)|"
    r"my (?:verdict|review|assessment)|"
    r"thanks?|thank you|fails? (?:closed|fast)|"
    r"korrekt\w*|richtig\w*|sauber\w*|vollständig\w*|getestet\w*|aucune? (?:défaut|problème|erreur)\w*|"
    r"correcte?s?|"
    r"sin (?:errores|problemas|defectos)|keine? (?:\w+ )?(?:fehler|mängel|probleme|einwände)|"
    r"mängel \w+ ich keine"
)
_GOOD = re.compile(rf"\b(?:{_PRAISE})\b|没有(?:发现)?(?:严重)?问题|正确")
_NOT_GOOD = re.compile(
    rf"\b(?:no longer|not|never|hardly|barely|nor|without|only|is no|has no|supposed to|meant to|claims?|"
    rf"claim to) (?:be |been |a |an |"
    rf"the |any |very |upper )?(?:{_PRAISE}|bound|restart\w*|clos\w+|escap\w+|verif\w+|check\w+|"
    rf"validat\w+|encrypt\w+|evict\w+|"
    r"releas\w+|assert\w*|limit)\b"
)
_FINE = re.compile(
    r"\bnot (?:be )?(?:blocked?|rejected?|logged|limited|optional|blocking|fixed here|constant)\b|"
    r"\bnot only\b|\bonly (?:the )?(?:nits?|minor)\b|"
    r"\bno longer (?:needed|fails?|blocks?)\b"
)
"""A denial of what is no praise where it is denied."""
_HARMS = phrases("""
    fail|fails|failed|failing|wrong|wrongly|badly|skipped|skips|ignored|ignores|loses|lost|is missing
    are missing|lacks
    forgets|forgotten|drops|dropped|disabl*|pretend*|dies|stale|twice|silently|forbid*|violat*|opposite
    whoever|guess*
    assum*|half|unimplemented|nowhere|not compile|not fit|not for|each others|someone elses|leaves the
    leaves out|exposes
    prints the|bypass*|anyone|anybody|instructed|told to|asked to give|in front of|wiped|wipes|empties
    not what|reverses|reversed
    without check*|without auth*|without lock*|still|switched off|turned off|regression*|overwrit*|crashes
    accumulate*
    will lock|locks the|hammer*|clear text|committed|removed|removing|unquoted|without quot*|unauthenticated
    predictable
    unfinished|shifts all|unable|overflows|truncated|deletes|sends the|go negative|needs|cannot work|can not work""")
"""What an approval names only to deny it."""
_MENDED = re.compile(
    r"\b(?:fix(?:ed|es)|gone|resolved|no longer|any ?more|now (?:\w+ ){0,2}(?:pass\w*|works?|fixed|"
    r"masked|checked|handled)|used to|"
    r"old|previous(?:ly)?|former(?:ly)?|before this change|without this change|unlike|instead of|"
    r"would have|expected|"
    r"suspected|worried|rejects?|rejected|refuse[sd]?|denied|guard(?:s|ed)?|fails? (?:closed|fast)|"
    r"[45]\d\d|unused|"
    r"can not|could not|none|nobody|neither|nor|tests? (?:\w+ ){0,4}(?:prove|show|cover|check|pin)s?|"
    r"corrected|closes)\b"
)
"""What a sentence says of a harm that is not there, or no more."""
_LIMITS = re.compile(
    r"\b(?:apart from|aside from|except|save for|but for|other than|as long as|as written|as it stands|"
    r"good enough|in itself|"
    r"on (?:the|my|his|her|its) (?:author's |authors )?machine|provisional\w*|on condition|"
    r"conditional\w*|pending|subject to|"
    r"on the surface|in theory|on paper|would be (?:ready|fine|good|correct|ok|okay)|would have said|"
    r"technically|at a glance|"
    r"which is all|(?:correct|fine|good|right|safe|works|ok|ready|draft) (?:for|on|in) (?!production|"
    r"review|all|every|both)|"
    r"in the part|the (?:part|parts|files?|lines?) (?:that )?(?:i|we) (?:could|can|had|have)|first draft|"
    r"fixes \w+ (?:\w+ ){0,3}by|"
    r"(?:i|we) (?:could|can) see|had time for|in style|in substance|asked to give|limited context|"
    r"generally|mostly fine)\b"
)
_BEGINS = re.compile(
    r"\s*(?:apart|aside) from (?:that|this|the (?:nit|naming|name|typo|style|remark)s?)\b"
)
_TELLS_OF = re.compile(
    r"(?:(?:the|this) (?:\w+ ){0,2}(?:change|diff|patch|pr|commit|code|refactoring|version) |it |just |only |"
    r"(?:both|these|all) (?:changes )?|a )?"
    r"(?:adds?|replaces?|moves?|renames?|extracts?|touches|introduces|makes|uses|splits|bumps?|updates?|"
    r"refactors?|"
    r"switches|turns|converts|deletes|removes|wraps|inlines|cleans|reduces|lets|gives|extends|caches|"
    r"rewrites|reworks|"
    r"documentation|dependency|refactoring|rename|cleanup|version|type hints|docs only)\b"
    r"(?!.*\b(?:which|that|by|whoever|with it|limits?|checks?|guards?|verif\w+|validat\w+|protect\w+|md5|"
    r"sha1)\b)"
)
"""A sentence that only tells what the change does, and takes nothing away that protects."""
_OWN = re.compile(r"\b(?:i|my|me|we|our)\b")
_UNDONE = re.compile(
    r"\b(?:not|never|without|unless|until|before (?:i|we|it|this|anybody|anyone|merg\w+|ship\w*|"
    r"releas\w*|deploy\w*)|"
    r"only|once|should|must|needs?|unable|hardly|barely|assum\w+|guess\w*|trust\w*|instead|skipped|"
    r"overlooked|missed|"
    r"would (?:need|like|want|prefer|hold|veto|block|reject|not|have)|(?:was|were|been) (?:told|asked|"
    r"instructed)|doubt|"
    r"unsure|nobody|if)\b"
)
_LOOKED = re.compile(
    r"\b(?:(?:the|my) )?(?:only|one) (?:other |real )?(?:thing|nit|remark|comment|suggestion|point|"
    r"change|complaint)\w*"
    r"(?: (?:i|we) (?:would|have|had|found|could))?|\bwould change\b"
    r"|\b(?:i|we) (?:\w+ ){0,2}(?:expected|suspected|wondered|feared|worried|tried|looked|searched|"
    r"hunted|probed|"
    r"attempted|checked|traced|followed|verified|confirmed|walked|went|compared)\b"
)
"""How somebody tells of a search that brought nothing."""


def doubts_in(text: str, least: int = _LEAST) -> Iterator[str]:
    """The sentences of a judge's words that are no plain approval, as they were written."""
    for sentence in sentences_of(text, least):
        if len(sentence) > _LONGEST or not _speaks_for(
            " ".join(spelled(_words(_CONCEDED.sub("", sentence))))
        ):
            yield sentence


def sentences_of(text: str, least: int = _LEAST) -> list[str]:
    """The sentences that say anything."""
    return [each for each in _SENTENCE.split(text) if sum(map(str.isalpha, each)) >= least]


def _speaks_for(said: str) -> bool:
    """Whether it praises the work, denies a fault or only tells what is done, without a limit and without a harm."""
    if _LIMITS.search(said) and not _BEGINS.match(said):
        return False
    if tells(said, list(_HARMS)) and not _MENDED.search(said):
        return False
    last = _TURN.split(said)[-1].strip()
    if _OWN.search(last) and _UNDONE.search(_LOOKED.sub(" ", _DENIALS.sub(" ", last))):
        return False
    if _NOT_GOOD.search(_FINE.sub(" ", last)):
        return False
    if last == said and _TELLS_OF.match(said):
        return True
    return bool(_GOOD.search(last) or _DENIALS.search(last))


def _words(sentence: str) -> list[str]:
    return words_of(folded(sentence))


_GO = re.compile(
    r"(?:please |you can |you may |i would |i |we |(?:it |this )?(?:is |should be )?(?:safe|good|ready|"
    r"fine|ok|okay) to |"
    r"(?:this |it )?can be |(?:this |it )?can |to )?"
    r"(?:approved?|accept(?:ed|able)?|merged?|merging|ship(?:ped)?|released?|deploy(?:ed)?|land(?:ed)?|"
    r"proceed|go(?: ahead)?|"
    r"keep|take|run it|continue|lgtm|looks good|(?:good|fine|ready)(?: as| to go|$)|leave (?:it|as)|none|"
    r"nothing|na|n a|no\b|"
    r"kann so|optional(?:ly)?|consider|add (?:\w+ ){0,8}(?:tests?|docs?|comments?|changelog|notes?)|"
    r"document|track|"
    r"monitor|watch|revisit)\b"
)
"""To go on, or what is no condition of it."""
_BINDS = re.compile(
    r"\b(?:but|however|except|unless|until|before|once|first|only|must|needs?|provided|hold|not yet|"
    r"condition\w*|then (?:merge|ship)|"
    r"required|(?:do|does|did|should|would|could|is|are|can|will) not(?! block)|never|reject|revert)\b"
)
_BINDS_GO = re.compile(
    r"\b(?:after|if|when|as soon as|assuming|as long as|from|without (?!further|chang|reserv|delay|"
    r"concern|hesit|more)|part|half|partly|pending)\b"
)
"""What makes going on wait, where it stands in the same clause or begins the next one."""
_LATER = re.compile(
    r"\b(?:later|follow ups?|can wait|some ?day|optional|not blocking|non blocking|nice to have|separate|"
    r"next|future|as is|"
    r"as it is)\b"
)
_CLAUSE = re.compile(r"[,:()]\s*|\s[–—-]+\s")


def lets_go(advice: str) -> bool:
    """Whether a recommendation is to go on and binds that to nothing; one without words is none."""
    said = [_clauses(sentence) for sentence in sentences_of(advice)]
    if not said:
        return True
    free = all(not _BINDS.search(_unbound(each)) for sentence in said for each in sentence)
    going = [each for each in said if each and _GO.match(each[0])]
    later = any(_LATER.search(each) for sentence in said for each in sentence)
    waits = any(
        _BINDS_GO.search(_unbound(each[0])) or any(_BINDS_GO.match(more) for more in each[1:])
        for each in going
    )
    return free and not waits and bool(going or later)


def _clauses(sentence: str) -> list[str]:
    clauses = (" ".join(spelled(_words(each))) for each in _CLAUSE.split(sentence))
    return [each for each in clauses if each]


def _unbound(clause: str) -> str:
    """Without what denies that anything is to be done: "no changes required before merging"."""
    return re.sub(
        r"^(?:no|nothing|none|not)\b.*$|\bnot (?:blocking|needed|required|important)\b", "", clause
    )
