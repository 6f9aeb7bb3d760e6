"""Words of a request that are no revision: how much is meant, whether something is asked, whether it is about a plan.

And the branch that a question about a merge names: ``is hotfix safe to merge?``, ``can we ship hotfix to main?``.
And two sides that are held against each other: ``main and this branch``, ``HEAD against v1``. What lies between them
is one change, from the side that the other one left. The branch that is checked out has many names in words; it is
never taken for the default one because that stands beside it.
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
_QUALITY = re.compile(
    r"\b(?:approach|architecture|clarity|complexity|correctness|design|efficiency|maintainability|performance|quality"
    r"|readability|reliability|robustness|safety|scalability|security|speed|strategy|structure|style|usability)"
    r"(?= of\b|\W*$)",
    re.IGNORECASE,
)
"""What is asked of a work, whatever it is: no rule of a tool answers it."""
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
    if _QUALITY.search(plain):
        return True
    asked = _ASKS.search(plain) if named else _ASKS_OF_CHANGE.search(plain)
    telling = {plain_word(word) for word in rest} - STOP_WORDS - VAGUE
    return bool(asked and telling)


def concerns_plan(text: str, targets: Sequence[str]) -> bool:
    """Whether a plan, spec or contract is judged: by the words, or by the names of the files."""
    from guildmoot.practices.repository import is_plan

    return bool(PLAN.search(text)) or any(map(is_plan, targets))


_PRESENT = re.compile(
    r"(?:(?:the|this|my|our) )?(?:current |present |checked[- ]out )?branch(?:'s)?|(?:the|this|my|our) (?:current )?pr",
    re.IGNORECASE,
)
"""How people call the branch that is checked out, as whole words."""
_LINKS = word_set(
    "and with to vs vs. versus against than from into onto on or between of compare compared relative diff differ"
    " differs difference"
)
_AGAINST = re.compile(r"^(?!.*\bfrom\b).*\b(?:against|than|to|into|onto|with)\b", re.IGNORECASE)
_LONGEST = 3
"""Words that the present branch is called with, at most."""


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


# --- two sides ---


class Sides(NamedTuple):
    """One change between two sides, and what the words say beside it."""

    diff: str
    rest: tuple[str, ...]
    note: str


class _Named(NamedTuple):
    name: str
    start: int
    stop: int
    sure: bool


def two_sides(words: Sequence[str], repository: RepositoryView) -> Sides | None:
    """The change between the two revisions that the words name; None where they do not name just two.

    One at least is a branch; a plain word that is also a branch's name counts where it stands by itself.
    """
    text = " ".join(words)
    if said.COUNTED.search(text) or said.NEWEST.search(text) or said.ABSENT.search(text):
        return None
    named = _named(words, repository)
    if (
        len({each.name for each in named}) == 1
        and len(named) == 2
        and named[0].sure != named[1].sure
    ):
        raise TargetError(
            f"{named[0].name!r} is the branch that is checked out, so there is nothing between the two",
            "Name another branch, a range (main...HEAD), or 'the last 3 commits'.",
        )
    rest = tuple(w for at, w in enumerate(words) if not any(n.start <= at < n.stop for n in named))
    telling = {_plain(word).casefold() for word in rest} - said.SMALL - _LINKS - {*said.KINDS, ""}
    if len(named) != 2 or (telling and not any(each.sure for each in named)):
        return None
    left, right = (each.name for each in named)
    if not any(map(repository.is_branch, (left, right))):
        return None
    left, right = _ordered(left, right, text, repository)
    note = f"target: what {right} changes since it left {left} is judged"
    return Sides(f"{left}...{right}", rest, note)


def _named(words: Sequence[str], repository: RepositoryView) -> list[_Named]:
    """Every revision that the words name, in order."""
    found: list[_Named] = []
    at = 0
    while at < len(words):
        size = next((n for n in range(_LONGEST, 0, -1) if _is_present(words, at, n, repository)), 0)
        if size and (name := repository.current_branch()):
            found.append(_Named(name, at, at + size, True))
        elif not size and _is_revision(words, at, repository):
            plain = _plain(words[at])
            found.append(_Named(plain, at, at + 1, said.SURE.fullmatch(plain) is not None))
        at += size or 1
    return found


def _is_present(words: Sequence[str], at: int, size: int, repository: RepositoryView) -> bool:
    """Whether these words call the present branch; ``the branch x`` and ``the x branch`` name another."""
    spoken = " ".join(map(_plain, words[at : at + size]))
    after = _plain(words[at + size]) if at + size < len(words) else ""
    label = spoken.casefold() in ("the branch", "branch")
    if at + size > len(words) or _PRESENT.fullmatch(spoken) is None:
        return False
    return not label or (size > 1 and not repository.commit(after))


def _is_revision(words: Sequence[str], at: int, repository: RepositoryView) -> bool:
    plain = _plain(words[at])
    if not plain or repository.exists(plain) or not repository.commit(plain):
        return False
    if said.SURE.fullmatch(plain) or said.HASH.fullmatch(plain):
        return True
    before, after = (_plain(each).casefold() for each in _around(words, at))
    known = repository.is_branch(plain) or re.search(r"\d", plain)
    beside = _LINKS | {*said.KINDS, ""}
    closed = after in beside | said.SMALL or said.SURE.fullmatch(_around(words, at)[1])
    return bool(known and closed) and before in beside | {"the"}


def _around(words: Sequence[str], at: int) -> tuple[str, str]:
    return words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""


def _ordered(left: str, right: str, text: str, repository: RepositoryView) -> tuple[str, str]:
    """The side that was left, then the one with the change.

    Where both have commits of their own, the default branch was left, else the one that the other is held
    against; ``from`` and ``to`` say it themselves, and else the present branch has the change.
    """
    if not repository.ahead(left, right):
        return right, left
    if not repository.ahead(right, left):
        return left, right
    for base, other in ((left, right), (right, left)):
        if repository.is_branch(base) and not repository.base_branch(base):
            return base, other
    against = _AGAINST.search(text) is not None
    spoken = against or re.search(r"\bfrom\b", text, re.IGNORECASE) is not None
    turned = against if spoken else left == repository.current_branch()
    return (right, left) if turned else (left, right)


def _plain(word: str) -> str:
    return word.strip(said.PUNCTUATION).rstrip(".")
