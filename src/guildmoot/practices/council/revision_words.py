"""The words in which people name commits, branches and spans of time."""

from __future__ import annotations

import re

from guildmoot.text.english import ALL_STOP_WORDS, word_set

NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
} | {"couple of": 2, "dozen": 12}
_MANY = r"\d{1,3}(?:,\d{3})+|\d{1,6}|" + "|".join(NUMBERS)
_LAST = r"(?:very )?(?:last|latest|past|previous|most recent|recent|newest|top)"
_WHAT = r"(?:commits?|changes|changesets?|revisions?)"
COUNTED = re.compile(
    rf"\b(?:the |my |our |these |a )?(?:{_LAST} (?P<many>{_MANY}|few|several)(?: {_LAST})?"
    rf"|(?P<first>{_MANY}|few|several) {_LAST}) {_WHAT}\b",
    re.IGNORECASE,
)
BARE_COUNT = re.compile(
    rf"(?P<many>{_MANY}) commits?|(?:the |my |our )?{_LAST} (?P<first>{_MANY})", re.IGNORECASE
)
NEWEST = re.compile(
    rf"\b(?:the |my |our )?(?!previous){_LAST} (?:commit|changeset)\b(?!s)", re.IGNORECASE
)
THIS_BRANCH = re.compile(
    r"(?:\b(?:the |this |my |our )(?:current )?|^(?:current )?|\bcurrent )"
    r"(?P<what>branch|pr|pull request|merge request)\b(?! ?[#!]?\d)",
    re.IGNORECASE,
)
SPAN = re.compile(
    r"\b(?:(?:last|past|previous|this) (?:\w+ )?(?:hours?|days?|weeks?|months?|sprint)"
    r"|since (?:yesterday|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?:today|yesterday)(?:'s)? (?:commits?|changes|work)"
    r"|(?:chang\w+|commit\w*|did|done|wrote|written|made|merged|pushed)(?: \w+){0,3} (?:today|yesterday))\b",
    re.IGNORECASE,
)
PLACED = re.compile(
    r"\b(?:(?:first|initial|oldest|earliest|second|third|fourth|fifth|penultimate|next)"
    r"(?:[ -]\w+){0,2} commits?|(?:commits?|ones?) (?:right )?(?:before|prior to|preceding)\b"
    r"|previous (?:commit|changeset|revision)|commits? #?\d{1,4} (?:of|to|through) #?\d{1,4}"
    r"|(?:last|latest|newest|previous|current) (?:\w+ )?(?:(?:release|tag)s?(?! ?notes?)|merges?)|commits? but \w+)\b",
    re.IGNORECASE,
)
DESCRIBED = re.compile(
    r"\b(?:the|that|my|our) (?!(?:this|last|latest|newest|top|current|whole|entire|same|very|most|recent|[0-9]+) )"
    r"(?P<about>[\w'-]+) commit\b(?! (?:message|hook|hash|log|id))"
    r"|\bcommit (?:about|for|that|which|with|where) (?:\w+ )*?(?P<topic>[\w'-]+)$",
    re.IGNORECASE,
)
"""A commit by what it is about."""
TITLED = re.compile(
    r"(?:the |that |my |our )?commit (?!(?:messages?|hooks?|hash(?:es)?|logs?|ids?|history|style|rules?)\b)"
    r"(?P<after>\S.*)|(?:the |that |my |our )(?P<before>\S.*) commit",
    re.IGNORECASE,
)
"""A commit by its subject."""
SOME_BRANCH = re.compile(
    r"\b(?:the|that) (?!(?:current|whole|entire|same|this|my) )(?P<before>[\w./-]+) branch\b"
    r"|(?:^|\bthe )branch (?P<after>[\w./-]+)"
    r"|\b(?:is|can|should|merge|ship|land) branch (?!(?:coverage|protection|prediction|nam\w+)\b)(?P<asked>[\w./-]+)"
    r"|\bchang\w+ (?:on|in|by|with) (?:the )?(?P<on>[\w./-]+)$",
    re.IGNORECASE,
)
VOCABULARY = re.compile(
    r"\b(?:commits|changesets|revisions)\b|\b(?:the|this|that|a|one|each|every|last) (?:commit|changeset|revision)\b"
    r"|\b(?:pr|mr|pull request|merge request) ?[#!]?\d+|\bbranch$|\bsince (?!(?:the|we|it|i|you|they|this|that)\b)\S+",
    re.IGNORECASE,
)
"""Words that name commits, whatever else is said of them."""
VERSION = re.compile(r"v?\d+(?:\.\d+)+\S*|\w+[-_/]v?\d+(?:\.\d+)*", re.IGNORECASE)
HEX = re.compile(r"[0-9a-f]{7,40}")
AFTER = ("after", "past", "beyond", "following")
ABSENT = re.compile(
    r"\b(?:on|in) (?P<there>\S+) (?:(?:that|which) (?:is|are) |but |and )?not (?:yet )?"
    r"(?:on|in|merged into|merged to) (?P<absent>\S+)",
    re.IGNORECASE,
)
PAIRS = (("between", "and"), ("from", "to"), ("from", "until"), ("from", "through"))
TO = ("to", "until", "till", "through")
_NAME = r"[\w@][\w./@{}^~+#-]*"
RANGE = re.compile(rf"(?P<left>{_NAME}?)(?P<dots>\.\.\.?)(?P<right>{_NAME})?")
SURE = re.compile(
    r"(?:HEAD|FETCH_HEAD|ORIG_HEAD|@)(?:[~^]\d*|@\{[^}]*\})*|\S+?(?:[~^]\d*)+|\S+@\{\S*\}"
)
HASH = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,40}")
EXCEPT = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|excluding|exclude|without|ignor(?:e|ing)|skip(?:ping)?|apart from|other than"
    r"|minus|leaving out|omitting|but(?: not)?|not) (?:the |for )?(?P<what>\S+)",
    re.IGNORECASE,
)
"""What is to be left out; it counts where the word names a path or a commit."""
ALL_BUT = re.compile(
    r"\b(?:everything|all|every|anything)\b.{0,40}?\b(?:except|excluding|but|apart from|other than|without)\b",
    re.IGNORECASE,
)
UNCOMMITTED = re.compile(r"\b(?:uncommitted|(?:un)?staged)\b", re.IGNORECASE)
STATE = re.compile(
    r"\b(?:at|as of|as (?:it|they) (?:was|were) (?:in|at|on|before)|state of|version of) "
    r"(?:the )?(?:(?:tag|commit|branch|release) )?(?P<name>\S+)",
    re.IGNORECASE,
)
IN_REVISION = re.compile(r"(?P<revision>[^:\s]+):(?P<path>[^:\s]+)")
BEFORE_NAMES = word_set("of on into onto from against versus vs diff checkout than merge")
"""Words before the name of a branch; "the main function" names none."""
KINDS = ("branch", "tag", "commit", "revision", "rev", "release")
SINCE = ("since", "against", "versus", "vs")
PUNCTUATION = ",;:!?\"'()"
SMALL = ALL_STOP_WORDS | word_set(
    "my our please code work changes change changed diff commits what did i we"
)
