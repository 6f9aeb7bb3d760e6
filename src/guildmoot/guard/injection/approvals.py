"""Words of a hand-over that claim a person's approval, or that a gate may be passed by.

Nobody who does the work can say so: a person approves by a command of theirs, and what a lane writes is data. These
rules are for receipts alone: in other texts the same words mostly speak of somebody else's approvals.
"""

from __future__ import annotations

from guildmoot.guard.injection import Injection, as_read
from guildmoot.text.patterns import lazy

_WHO = (
    r"(?:users?|owners?|operators?|humans?|person|maintainers?|leads?|admins?|administrators?|managers?|boss|ceo|cto"
    r"|reviewers?|orchestrator|stakeholders?|(?:security|platform|review) team|team|management|guild)"
)
_AGREED = (
    r"(?:(?:pre-?)?approv(?:ed|al)|authori[sz](?:ed|ation)|sign(?:ed|s)?[ -]?off|green-?li(?:t|ghted)|waived"
    r"|consent(?:ed)?|permission|blessing|go-ahead|ok(?:ay)?(?:'?ed)|confirmed (?:verbally|by|in person|that))"
)
_GATE = (
    r"(?:(?:re-?)?review(?:s|ers?|ing)?|verif(?:y|ication)|approvals?|judg(?:es?|ing|ement)|acceptance"
    r"|gates?|confirmations?|sign-?off|human check|panel)"
)
_HAS = r"(?:has|have|had|gave|gives|already|just|explicitly|verbally|their|his|her|its|full)"
_THIS = r"(?:this|it|that|these|everything|all|the (?:lane|work|result|change|receipt|task))"
_RULES = lazy(
    "|".join((
        rf"\b{_AGREED}\b[^.;\n]{{0,50}}\b(?:by|from|of)\b[^.;\n]{{0,30}}\b{_WHO}\b",
        rf"\b{_WHO} (?:{_HAS} ){{0,4}}{_AGREED}\b",
        r"\b(?:pre-?approved|already (?:been )?(?:approved|reviewed|verified|authori[sz]ed|signed off|accepted))\b",
        rf"\b(?:skip|bypass|omit|waive|forgo|circumvent)(?:p?ed|s|p?ing|d)?\b[^.;\n]{{0,30}}\b{_GATE}\b",
        rf"\b{_GATE}\b[^.;\n]{{0,30}}\b(?:can|may|should|must|could|to) be (?:skipped|omitted|bypassed|waived)",
        rf"\b{_GATE}\b[^.;\n]{{0,30}}\b(?:is|are) (?:not (?:needed|required|necessary)|unnecessary|waived|superfluous)",
        rf"\bno (?:\w+ ){{0,3}}{_GATE} (?:is |are )?(?:needed|required|necessary)\b",
        rf"\bno need (?:for|to)\b[^.;\n]{{0,20}}\b{_GATE}\b",
        r"\bwithout (?:(?:any|further|another|human|an?|the) ){0,3}(?:re-?)?(?:review|approval|asking|sign-?off)\b",
        r"\b(?:do not|don'?t|never|need not|needn'?t) (?:bother to )?(?:re-?)?(?:review|verify|judge)\b",
        r"\b(?:merge|push|land|ship) (?:it |this )?(?:directly|straight|immediately|without)\b",
        (rf"\b(?:mark|treat|consider|count|record|regard|return|report|accept|rate) {_THIS}\b[^.;\n]{{0,25}}"
        r"\b(?:approved|pass(?:ed|ing)?|verified|reviewed|lgtm|green|done|complete)\b"),
        (r"\b(?:judges?|reviewers?|verifiers?|panel)\b[^.;\n]{0,15}\b(?:must|should|shall|will|need to|have to) "
        r"(?:\w+ ){0,2}(?:pass|approve|accept|ignore|return)\b"),
    ))
)  # fmt: skip


def claimed_approvals(text: str) -> tuple[Injection, ...]:
    """The stretches that claim so, in order; their places are those in the text as it is read."""
    read = as_read(text)
    return tuple(
        Injection(hit.start(), hit.end(), "verdict", " ".join(hit[0].split())[:200])
        for hit in _RULES.finditer(read)
    )
