"""What running words say against an approval: it is taken back, refused, bound to a condition, or a grave
defect is told and not denied.

Tables of words and plain searches, and one pattern for quotations: the time is that of reading the text once for
each row.
"""

from __future__ import annotations

from itertools import pairwise

from guildmoot.reading.words.foreign import FOREIGN_RETRACTIONS, HAN_RETRACTIONS
from guildmoot.reading.words.lexicon import (
    NONE,
    REFUSED,
    folded,
    phrases,
    spelled,
    word_set,
    words_of,
)
from guildmoot.reading.words.unread import says_unread
from guildmoot.text.patterns import lazy

TAKEN_BACK = "it is taken back"
CONDITIONAL = "it holds only under a condition"
DEFECT = "a grave defect is told"

_RETRACTIONS = phrases("""
    nor merge*|unapprove*|disapprov*|not my verdict*|unacceptable|unsafe to|not let this|can not let
    not pass this|not go in|needs work|needs rework|needs more work|needs changes|needs revision
    needs fixing|needs a fix|needs to change*|changes requested|changes are requested|changes are required
    request changes|requesting changes|requires changes*|i reject|i am rejecting|rejecting this|reject this
    reject it|reject the change|would reject*|rejected by me|am going to reject|rejecting it|must reject
    have to reject|reject for*|as flagged|i flag|i am flagging|flag this|flag it|must flag|have to flag*
    change my verdict|change this to flagged|changing my verdict|revise my verdict|revised verdict
    updated verdict*|verdict is wrong|verdict was wrong|verdict above|approval above|above verdict
    above approval|line above*|the above is wrong|stand by the above|stand by that|stand by my approval
    no longer approve|no longer hold*|take it back|take that back|take this back|take back|taking it back
    taking that back|scratch that|strike that*|i retract|i withdraw|i revoke|i rescind|retract my
    withdraw my|withdraw that|revoke my|rescind my|retracting*|approval is withdrawn|approval is revoked
    approval withdrawn|approval revoked|null and void*|ignore the above|ignore the line|ignore that|ignore my
    ignore what i|ignore the verdict|ignore this line*|changed my mind|change my mind|second thought
    was wrong there|was wrong to approve*|i misspoke|spoke too soon|was premature*|be premature|just kidding
    my mistake|my bad|by mistake|never mind|nevermind|not so fast*|my real|real verdict|real opinion
    real answer|true verdict|actual verdict|correct verdict|in truth*|must be fixed|must be resolved
    must be addressed|must be corrected|must be rewritten|must be reverted|must be rejected|must fix
    has to be fixed|has to be resolved|has to be addressed|has to be corrected|has to be rejected
    has to be reverted|have to be fixed|needs to be fixed|needs to be resolved|needs to be addressed
    needs to be corrected*|need to be fixed|need to be addressed|need to be resolved|needs to be rewritten
    needs to be removed|needs to be reverted*|should be fixed before|should be reverted|fix before*
    before merging|before merge|before it is merged|before this is merged|before it can be*|before this can
    before it goes|before it ships|before shipping|before approval|before approving*|before it is approved
    until it is fixed|until this is fixed|until that is fixed|until they are fixed*|blocked on|blocked until
    am blocking|i block|block this|block the*|blocks the merge|blocks merg*|blocks the release|blocks this
    blocks it|dealbreaker|deal breaker|i veto|a veto|no go|sent back|send it back|send this back
    goes back to|return it to the author*|i object*|disagree with the above|disagree with it
    disagree with that|do not agree|see it differently|do not follow it*|not follow it|can not follow the
    is manipulation|is planted|speak for me|it was planted|planted by|prompt injection*|sample answer
    example answer|only an example|just an example|was an example|merely an example*|is the format
    the expected format|format only|is only the template|told me to|instructed to|asks me to*|asked me to
    wants me to|forced to|have to say|supposed to say|would have written|would have said*|would be wrong
    would be a mistake|would be irresponsible|over my dead|in my dreams|sarcas*|not really|of course not*
    does not pass|did not pass|not passing|flunk*|is a placeholder|a placeholder verdict|just a placeholder
    only a placeholder|fails review|fails my review|fails this review|answer is no|not let it|not done yet
    would have been flagged|would have been rejected|hard no|strong no|firm no|clear no|thumbs down
    voting against|vote against|roll this back|roll it back|another round|second round|come back when
    come back once|on hold|rejected it|only because|told to|demands|recommend rejecting|recommend against
    absolutely not|definitely not|no from*|a nack|nack from|nacked|nacking|nack this|is nack|voted to reject
    vote to reject|voting to reject|voted against|only permitted|not mergeable|outvoted|overruled
    still think it fails|still fails|as instructed by|instructs me|against my judg*|against my better
""")

_REFUSALS = phrases("""
    can not review|can not help|can not assist|can not evaluate*|can not judge|can not see the
    can not comply*|can not assess|can not verify|can not read*|will not be able|could not look
    could not open|could not access|could not review*|could not see|could not verify|could not check
    could not judge|could not evaluate|could not assess|could not read*|must decline|i decline
    have to decline*|as an ai|as a language model|as an assistant|no opinion|am not comfortable
    i am not comfortable*|not actually reviewed|nothing was reviewed|nothing was actually|not been reviewed
    not reviewed*|have not read|not judged|have not looked|have not finished*|not finished|did not review
    did not read|did not look|without reviewing*|without reading|without looking|against my guidelines
    no diff was|no code was|no files were|no file was|no changes were provided|no packet|nothing to review
    nothing was attached*|nothing was provided|was not attached|context ran out|ran out of context|i refuse
    refuse to|i will not|no verdict|can not give|can not decide|could not decide*|not sure whether
    not sure if|i am not sure|i do not know|needs a human|ask a human|human should*|length exceeded
    was cut off|review not done|review is incomplete|only looked at|only read|skipped most|not be loaded
    not be read|not be opened|request timed out|too many requests|server error|limit reached|reset by peer
    overloaded
    truncated|not be retrieved|service unavailable|without having*|tool call failed|packet was empty|packet is empty
    diff was empty|diff is empty|not seen the|have not seen|was shown nothing|read nothing|only skimmed|real reviewer
""")

_OF_THE_WORK = phrases("""
    not release|not accept*|be rejected|is rejected|be flagged|is flagged|is void|disregard|in error
    hold on|must be closed|must be removed|must be blocked|must not|must never|must be changed
    has to be removed|should be blocked|should not be
    should never|before release|before deploy*|blocked by|is blocked|block it|is an example|as an example
    fails the|should have been|can not open|can not access|can not provide|can not complete|unable to
    not able to|no access to|was not able|were not able|not allowed to|against policy*|was not provided
    were not provided|ran out of|timed out*|rate limit exceeded|undecided
""")
"""Against an approval where the work or the judge is spoken of; of users and data it may be praise."""
_SUBJECTS = word_set("""
    i we me my this that these it change changes patch pr mr diff commit work code merge review reviewer author
    judge verdict approval packet reply""")

_AGAINST = word_set("""
    not never against reject rejecting refuse refuses oppose opposed hate withhold withholding withheld stop veto
    revert far""")
_PASSING = word_set("""
    merge merged merging mergeable ship shipped shipping land landed landing deploy deployed approve approved
    approving approval production main ready sign recommend recommended release released acceptable accepted fit
    go good lgtm yes""")
_NEAR = 5
_NOBODY = word_set("nothing none no nobody neither")
_NEEDED = word_set("needed required necessary")

_BOUND = phrases("""
    only if|only once|only after|only holds|provided that|provided the|on condition|on the condition
    subject to|contingent on*|conditional on|conditional approval|approve once|approve if|approved once
    approved if|approval once|approval pending|pending fix*|pending the fix*|pending changes|pass once
    pass if|merge once|merge after|mergeable once|remove the secret first|first then merge|fix first
    fix this first*|fix that first|fix it first|fix these first|fix those first|fine after|fine once
    ok once|okay once|ok after|good once|acceptable once|acceptable if*
""")

_DEFECTS = phrases("""
    showstopper|show stopper|lets anyone|lets anybody|lets any|lets everyone|allows any|injection*
    injectable*|vulnerab*|exploit*|code execution*|xss|csrf|ssrf|traversal|data loss*|race condition*
    deadlock*|memory leak*|overflow*|use after free*|backdoor*|privilege escalation*|denial of service*
    infinite loop*|endless loop*|never terminates|never ends|never closed|never released*|never returns
    never expires|never checked|never taken|not compile*|broken|breaks|regression|off by one*
    double charge*|charges twice*|charged twice*|wrong result*|critical|severe|catastroph*|fatal|disastrous
    security hole*|security flaw*|security bug*|security issue*|security problem*|security risk*|timing hole*
    dangerous*|malicious*|attacker can|anyone can|anybody can|any user can|everyone can*|an attacker
    allows anyone|insecure*|bypass*|hard coded|hardcoded|plain text*|plaintext|cleartext|clear text
    unencrypted*|unauthenticated|no rate limit|not validated|not checked|not verified|not escaped
    not sanitized|not sanitised|not encrypted|not authenticated*|not atomic|not reversible|not closed
    not released|unescaped|unsanitized|unsanitised|unvalidated|deletes the wrong|deletes the production*
    deletes user*|drops the table*|drops messages*|open redirect*|private key is|private key in
    credentials in*|build fails|tests fail*|test fails|tests are failing|removes the only|verify false
    open to everyone*|high severity|severity high|inverted|unbounded*|double unlock*|released twice*
    freed twice*|twice when|reaches the shell|into eval|pipes curl|accepts unsigned*|blocker*|serious|grave
    major concern*|major problem*|major issue*|major bug*|crash*|hangs|will hang
    code is wrong|change is wrong|this is wrong|logic is wrong|result is wrong|it is wrong
    results are wrong|numbers are wrong
    incorrect*|malware*
    is red|are red|not build|not fix|inject sql*|inject code*|inject command*|objection*|disaster*
    opposite|phones home|unknown host*|exfiltrat*|steal*|blocking issue*|blocking problem*|is blocking
    leaks credential*|leaks secret*|leaks token*|leaks password*|leaks key*|leaks personal*|leaks user*
    is flawed|are flawed|corrupts|leaks the credential*|leaks the secret*|leaks the token*|leaks the password*
""")
_NEVER_MINOR = phrases("""
    blocker*|showstopper|show stopper|deal breaker|dealbreaker|code execution*|sql injection*|command injection*
    data loss*|backdoor*|privilege escalation*|leaks credential*|leaks password*|leaks secret*
""")
"""What is no small matter, whatever severity a finding gives to it."""
_QUOTED = lazy(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{1,200}'(?!\w)")
_NOT_LET = phrases(
    "do not merge|do not ship|must not ship|must not be merged|not be merged|blocks the release"
)
_DENIED_BEFORE = word_set("""
    no not none never without nothing nobody theoretical theoretically hypothetical dismissed worried wondered
    considered suspected neither nor free zero 0 fix fixes fixed fixing prevent prevents prevented preventing avoid
    avoids avoided avoiding guard guards guarded guarding protect protects protected against handle handles handled
    handling mitigate mitigates mitigated remove removes removed removing close closes closed resolve resolves
    resolved reject rejects rejected refuses escape escapes covered covers cover checked checking tested testing
    looked looking look searched searching hunted probed tried eliminate eliminates eliminated former formerly
    previously previous earlier old longer instead stop stops stopped rule ruled rules detect detects detected
    catches catch caught survive survives recovers ticket replaces replaced replacing reproduces reproduced
    addresses addressed addressing safe repair repairs repaired""")
_DENIED_AFTER = phrases("""
    none|impossible|ruled out|prevented|is fixed|are fixed|was fixed|were fixed|fixed|handled|is covered
    are covered|covered|resolved*|addressed|closed by|gone|absent|not possible|not found|not present
    cannot happen|cannot occur|not an issue|not apply|no longer|avoided|eliminated|mitigated*
    not affected|were not|is safe|0|zero|cannot|cant|could not|free|path|paths|section|sections
    checked and|all pass*|unlikely|rejected|masked|bound|parameter*|only called|only show*|encrypted
    hashed|signed|validated|checked|verified|escaped|expected|rotated|stored hashed*|read from|kept in
    compared in constant*|moved|not used|unused|capped|bounded|limited|clamped|parameteri*|dismissed
""")
_WINDOW = 8
_MISHAPS = word_set("""
    break breaks broken fail fails crash crashes leak leaks happen happens occur occurs matter matters wrong bug
    problem issue risk differ differs""")
"""What "only if" may be said of without binding an approval."""
_HARDEST = 2_000
"""Occurrences that are looked at; a text with more of them is no approval."""

_TURNS = (
    *[". ", "! ", "? ", "; ", "。", "！", "？", "；"],
    " but ",
    " however ",
    " yet ",
    " although ",
)


def sentences(text: str) -> list[str]:
    """Cut at full stops that end a word, at question and exclamation marks, and where the thought turns."""
    for mark in _TURNS:
        text = text.replace(mark, "\n") if mark in text else text
    return text.split("\n")


def objection(text: str, defects: bool = True) -> str:
    """Why running words are no part of an approval, or nothing; without ``defects`` those may be told: it is advice."""
    small = folded(text)
    said = _flat(small)
    parts = sentences(small)
    if any(row in said for row in FOREIGN_RETRACTIONS) or any(
        row in said and not _denies_all(said, row) for row in _RETRACTIONS
    ):
        return TAKEN_BACK
    if any(_says_no(part) for part in parts):
        return TAKEN_BACK
    if any(row in said for row in _REFUSALS) or says_unread(said):
        return REFUSED
    of_work = [row for row in _OF_THE_WORK if row in said]
    if of_work and any(_speaks_of_work(part, of_work) for part in parts):
        return TAKEN_BACK
    if any(_binds(said, row) for row in _BOUND):
        return CONDITIONAL
    if not small.isascii() and any(row in small for row in HAN_RETRACTIONS):
        return TAKEN_BACK
    told = [row for row in _DEFECTS if row in said] if defects else []
    return DEFECT if told and any(tells(part, told) for part in parts) else ""


def told_grave(text: str) -> bool:
    """Whether a remark that is rated as minor tells of what is not, or says that the work must not pass."""
    return any(
        tells(part, list(_NEVER_MINOR)) or any(row in _flat(part) for row in _NOT_LET)
        for part in sentences(folded(_QUOTED.sub(" ", text)))
    )


def _binds(said: str, row: str) -> bool:
    """``Good only if``, but not ``it would break only if``: that binds the harm."""
    return any(_MISHAPS.isdisjoint(before.split()[-3:]) for before in said.split(row)[:-1])


def _flat(small: str) -> str:
    said = f" {' '.join(spelled(words_of(small)))} "
    return said.replace(" regression test", " test")


def _says_no(sentence: str) -> bool:
    """``Cannot go to production``, ``I advise against merging``, ``merge? no``."""
    words = spelled(words_of(sentence))
    for at, word in enumerate(words):
        near = words[at + 1 : at + 1 + _NEAR] if word in _AGAINST else []
        if not _PASSING.isdisjoint(near) and _NOBODY.isdisjoint(words[:at]):
            return True
    return False


def _denies_all(said: str, row: str) -> bool:
    """``Nothing here must be fixed``, ``no action required before merging``: the clause begins with its denial."""
    parts = said.split(row)
    for before, after in pairwise(parts):
        near = before.split()[-5:]
        last = max((at for at, word in enumerate(near) if word in _NOBODY), default=-1)
        if near[-2:] in (["reason", "to"], ["reasons", "to"]):
            if last < 0 and " not find " not in f" {' '.join(after.split()[:6])} ":
                return False
        elif last < 0 or (near[last] == "no" and near[-1] not in _NEEDED):
            return False
    return True


def _speaks_of_work(sentence: str, rows: list[str]) -> bool:
    said = _flat(sentence)
    return not _SUBJECTS.isdisjoint(said.split()) and any(
        row in said and not _denies_all(said, row) for row in rows
    )


def tells(sentence: str, defects: list[str]) -> bool:
    """Whether a defect is told that nothing near it denies."""
    said = _flat(sentence)
    seen = 0
    for row in defects:
        at = said.find(row)
        while at >= 0:
            seen += 1
            before = said[max(0, at - 120) : at].split()[-_WINDOW:]
            after = " " + " ".join(said[at + 1 : at + 160].split()[1 : _WINDOW + 1]) + " "
            follows = after.split()[:1]
            denied = (
                not (_DENIED_BEFORE | NONE).isdisjoint(before)
                or not NONE.isdisjoint(follows)
                or any(no in after for no in _DENIED_AFTER)
            )
            if not denied or seen > _HARDEST:
                return True
            at = said.find(row, at + 1)
    return False
