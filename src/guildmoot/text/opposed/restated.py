"""What a reviewer states, as the instruction that it means: "a 403 is the honest answer" is "return 403"."""

from __future__ import annotations

import re

_LONG = 400
"""Characters of a sentence that is restated; a longer one is left as it is."""
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_RIGHT = r" (?:is|are|would be|seems?|looks?) (?:the|a) (?:right|better|best|correct|honest|proper|clearer|safer) "
_THING = r"(?P<what>[^\s,;:]+(?: [^\s,;:]+){0,4}?)"
_RESTATED = tuple(
    (re.compile(pattern, re.IGNORECASE), meant)
    for pattern, meant in (
        # "there is no reason to encrypt it"
        (r"(?:there(?:'s| is) )?no (?:reason|point|sense|cause|use) (?:to|in) ", r"do not "),
        # "a 403 is the honest answer", "`load_all` is the better name", "HS256 is the right algorithm for the token"
        (
            rf"(?:an? |the )?{_THING}{_RIGHT}(?:answer|response|reply|status|code)\b",
            r"return \g<what>",
        ),
        (rf"{_THING}{_RIGHT}name\b", r"name it \g<what>"),
        (rf"(?:an? )?{_THING}{_RIGHT}[\w-]+ (?=(?:for|here)\b)", r"use \g<what> "),
        # "sessions belong in Redis"
        (
            rf"{_THING} (?:should |must )?(?:belongs?|lives?|resides?|sits?)(?= (?:in|on|with|under|at|inside) )",
            r"keep \g<what>",
        ),
        # "deploys must be possible on Friday", "3.8 must keep working"
        (rf"{_THING} (?:must|should) (?:stay |remain |be )(?:possible|allowed)\b(?! to)", r"allow \g<what>"),
        (
            rf"{_THING} (?:must|should|has to|have to) (?:keep|go on|continue|still) (?:to )?work(?:ing)?\b",
            r"keep support for \g<what>",
        ),
        # "it cannot be final", "it doesn't have to be virtual"
        (rf"{_THING} (?:can't|cannot|can not|needn't|need not) be ", r"\g<what> must not be "),
        (
            rf"{_THING} (?:doesn't|don't|does not|do not) (?:have|need) to be ",
            r"\g<what> should not be ",
        ),
        # "give the channel a buffer"
        (rf"give {_THING} (?=an? )(?P<more>[^.;]+)", r"add \g<more> to \g<what>"),
        # "only one worker may run it"
        (r"(?P<what>only [^\s,;:.]+(?: [^\s,;:.]+){0,3}?) (?:may|can) ", r"\g<what> must "),
        (r"(?P<what>[^\s,;:.]+(?: [^\s,;:.]+){0,3}?) may not ", r"\g<what> must not "),
    )
)  # fmt: skip


def restated(text: str) -> str:
    """The text with its statements of what is right as instructions."""
    return " ".join(_sentence(each) for each in _SENTENCE.split(text) if each)


def _sentence(sentence: str) -> str:
    if len(sentence) > _LONG:
        return sentence
    for pattern, meant in _RESTATED:
        if found := pattern.match(sentence):
            return found.expand(meant) + sentence[found.end() :]
    return sentence
