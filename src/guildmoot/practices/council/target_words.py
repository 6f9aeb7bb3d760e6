"""Words of a request that are no revision: how much is meant, whether something is asked, whether it is about a plan.

And the branch that a question about a merge names: ``is hotfix safe to merge?``, ``can we ship hotfix to main?``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import TargetError
from guildmoot.practices.council import revision_words as said
from guildmoot.practices.council.tasks import LEAD_IN, plain_word
from guildmoot.text.english import ALL_STOP_WORDS, word_set

if TYPE_CHECKING:
    from guildmoot.practices.repository import RepositoryView

STOP_WORDS = LEAD_IN | ALL_STOP_WORDS | {"my"}
VAGUE = word_set(
    "app approach change changes code codebase commit commits design diff feature file files fix"
    " implementation issue plan plans pr project proposal repo repository security spec strategy"
    " system systems target test tests work"
)
ALL_WORDS = word_set(
    "everything all anything things recent latest now today uncommitted unstaged staged"
)
JUDGING = word_set(
    "actually any anything bad best better break breaks broken bug bugs buggy clean clear complete correct correctly"
    " done enough error-free fine good handle handled handles handling hold holds lgtm logic look looks make makes"
    " mergeable missing okay opinion problem problems proper properly quality ready really reasonable right robust"
    " safe sane sense sensible solid something sound still thoughts well worthwhile wrong"
)
"""Words of a question that say how something is to be judged, and not what."""
MERGE = re.compile(
    r"\b(?:(?:to|can (?:we|i)|should (?:we|i)|before (?:we|i|you)|could (?:we|i)) (?:be )?|(?:for|before) )"
    r"(?:merg(?:e|ed|ing)|ship(?:ped|ping)?|land(?:ed|ing)?)\b|\bmerge[- ]?(?:able|ready)\b"
    r"|\b(?:can|could|should|may) (?:the )?\S+ be (?:merged|shipped|landed)\b",
    re.IGNORECASE,
)
"""A question about what a branch brings."""
POINTS = re.compile(
    r"\b(?:is|are|does|do|did|will|would|can|could|should|has|have) (?:this|it|these|that|they)\b"
    r"(?! (?:[\w-]+ ){0,2}(?:code|logic|module|class|function|file|method|handling|system)\b)",
    re.IGNORECASE,
)
"""A question whose subject is what was just done."""
WHOLE = re.compile(
    r"\b(?:whole|entire|full|complete) (?:repo(?:sitory)?|project|code ?base|tree|code)\b"
    r"|\b(?:all|every)(?: of)?(?: the)? (?:files?|code)\b",
    re.IGNORECASE,
)
_STAGED = re.compile(r"\b(?P<what>(?:un)?staged)\b", re.IGNORECASE)
_ASKS_OF_CHANGE = re.compile(r"\?|\bwhether\b|\bfor \w", re.IGNORECASE)
_ASKS = re.compile(
    r"\?|\b(?:whether|is|are|does|do|did|can|could|should|will|would|how|why|if|for|against|about)\b",
    re.IGNORECASE,
)
PLAN = re.compile(
    r"\b(?:plan|spec|specification|contract|rfc|proposal|design doc(?:ument)?)\b", re.IGNORECASE
)
_INTO = ("into", "onto", "to", "with", "against")
_OTHER_SPANS = ("between", "since", "after", "versus", "vs")
_ARTICLES = ("the", "this", "that", "my", "our", "a")
_NEVER = STOP_WORDS | JUDGING | ALL_WORDS | said.SMALL | {"merge", "merged", "merging", "ship"}
_NAME = re.compile(r"[\w./#+-]+")
TRAILING = ",;:!?\"')"


def refuse_staged(text: str) -> None:
    """TargetError where a part of what is not committed is named: all of it is another thing."""
    found = _STAGED.search(text)
    if found and "uncommitted" not in text.casefold():
        raise TargetError(
            f"{found['what']!r} is a part of what is not committed, and words name all of it",
            "--staged judges what the next commit holds, 'the uncommitted changes' both.",
        )


def asks_something(text: str, targets: Sequence[str], *, named: bool) -> bool:
    """Whether words beside the target ask for more than what tools look for; a change is itself named in words."""
    rest = [word for word in text.split() if word.strip(TRAILING) not in targets]
    plain = " ".join(rest)
    asked = _ASKS.search(plain) if named else _ASKS_OF_CHANGE.search(plain)
    telling = {plain_word(word) for word in rest} - STOP_WORDS - VAGUE
    return bool(asked and telling)


def concerns_plan(text: str, targets: Sequence[str]) -> bool:
    """Whether a plan, spec or contract is judged: by the words, or by the names of the files."""
    from guildmoot.practices.repository import is_plan

    return bool(PLAN.search(text)) or any(map(is_plan, targets))


class MergedBranch(NamedTuple):
    """A branch whose merge is asked about."""

    name: str
    into: str
    """Where it is to go; empty when that is not said."""
    rest: tuple[str, ...]
    """The words that name neither."""


def merged_branch(words: Sequence[str], repository: RepositoryView) -> MergedBranch | None:
    """The branch that is to be merged; None where the words ask of no merge, or name no branch for it."""
    text = " ".join(words)
    if not MERGE.search(text) or said.COUNTED.search(text) or said.NEWEST.search(text):
        return None
    plain = [word.strip(said.PUNCTUATION + "`.").removesuffix("'s") for word in words]
    before = ["", *(word.casefold() for word in plain)]
    places = [at for at, word in enumerate(plain) if _is_named(word, before[at], repository)]
    if any(before[at] in _OTHER_SPANS for at in places):
        return None
    into = next((plain[at] for at in places if before[at] in _INTO), "")
    names = {plain[at] for at in places if before[at] not in _INTO}
    if not into:
        names.discard(repository.base_branch(repository.current_branch()))
    if len(names) > 1:
        raise TargetError(
            f"{' and '.join(sorted(names))} are branches, and one change is judged at a time",
            "Name one of them.",
        )
    rest = tuple(word for at, word in enumerate(words) if at not in places)
    return MergedBranch(names.pop(), into, rest) if names else None


def _is_named(word: str, before: str, repository: RepositoryView) -> bool:
    """Whether a word is the name of a branch here, and nothing else that one would say in a question."""
    if not _NAME.fullmatch(word) or word.casefold() in _NEVER or repository.exists(word):
        return False
    if not repository.is_branch(word) or not repository.commit(word):
        return False
    vague, thing = word.casefold() in VAGUE, _is_thing(word, repository)
    return not (vague and thing) and not ((vague or thing) and before in _ARTICLES)


def _is_thing(word: str, repository: RepositoryView) -> bool:
    """Whether a file is called so, or defines it."""
    called = any(PurePosixPath(path).stem == word for path in repository.files())
    return called or any(each.named for each in repository.recall(word))
