"""The words in which reviewers say what to do: which verbs and states pull in opposite directions.

Data only. Each axis has two sides; a negated word counts for the other side. What is not listed here
still opposes its own negation ("trap focus" / "do not trap focus"), so the list need not be complete.
"""

from __future__ import annotations

import functools
import re

from guildmoot.text.english import stem, word_set

VERB_AXES = """
presence: add include introduce insert put annotate append attach use restore reintroduce reinstate
    adopt employ declare define install configure acquire | remove delete drop strip omit cut
    eliminate discard erase avoid exclude ditch scrap purge unset uninstall
structure: extract factor pull hoist modularise modularize | inline embed
unity: split separate decouple divide | merge combine unify consolidate squash fold collapse
permission: allow permit accept grant enable open activate unblock support | forbid block deny reject
    restrict prohibit disallow ban close refuse disable deactivate
breadth: widen broaden loosen relax expand generalise generalize | narrow tighten restrict pin
quantity: increase raise bump lengthen extend double grow enlarge | decrease reduce lower shorten
    halve shrink trim
failure: raise throw rethrow reraise propagate abort crash fail reject bubble terminate
    panic exit | swallow catch ignore suppress skip recover tolerate continue carry
    clamp coerce fallback truncate
notice: warn report complain | ignore silence suppress mute
care: check handle heed | ignore skip disregard
visibility: expose export publish | unexport encapsulate
display: show display reveal | hide conceal mask
caching: cache memoise memoize | recompute uncache
ownership: borrow reference | clone copy
sharing: reuse share | recreate instantiate
flow: stream | buffer
waiting: wait await delay postpone | rush proceed
deriving: compute derive calculate | store persist
attempt: retry reattempt | giveup
version: upgrade bump | downgrade rollback revert
nesting: nest | flatten
folding: collapse | expand
holding: hold | release
trust: trust assume | validate verify sanitise sanitize
vendoring: bundle vendor embed | externalise externalize install download
fixing: hardcode | parametrise parametrize parameterize configure
overwriting: overwrite truncate | append preserve
duplication: duplicate | share deduplicate dedupe
asking: poll | subscribe listen
recursing: recurse | iterate loop
extending: inherit subclass | compose delegate wrap
requeue: requeue redeliver | discard drop deadletter
scaling: centralise centralize | distribute
future: upgrade extend wire improve expand | remove delete drop
"""

STATE_AXES = """
permission: on true enabled open allowed | off false disabled closed forbidden
unity: separate apart | together merged combined
"""
"""States that a verb brings about as well; all others are in ``classes``."""

PHRASES = {
    "get rid of": "remove", "take out": "remove", "come off": "be removed from", "comes off": "is removed from",
    "do away with": "remove", "turn on": "enable", "switch on": "enable", "turn off": "disable",
    "turn back on": "enable", "switch off": "disable", "factor out": "extract",
    "pull out": "extract", "split out": "extract", "break up": "split", "bring back": "restore",
    "fail fast": "giveup", "give up": "giveup", "fold into": "inline", "go down": "decrease",
    "go up": "increase", "stick with": "keep", "stay with": "keep", "stick to": "keep", "stay on": "keep",
    "one at a time": "one-at-a-time", "one by one": "one-by-one", "on demand": "on-demand",
    "at startup": "eagerly", "at start-up": "eagerly", "up front": "upfront",
    "on first use": "lazily", "once at": "at", "once per": "per",
    "more often": "more-often", "less often": "less-often",
    "more frequently": "more-often", "less frequently": "less-often", "not null": "not-null",
    "at once": "at-once", "in parallel": "concurrently", "in sequence": "sequentially",
    "eager-load": "load eagerly", "lazy-load": "load lazily", "no longer": "not",
    "can go": "should go", "can be removed": "should be removed",
    "can be dropped": "should be dropped", "can be deleted": "should be deleted",
    "not public": "private", "instead of": "insteadof", "rather than": "insteadof",
    "in place of": "insteadof", "in favour of": "infavourof", "in favor of": "infavourof",
    "so that": "sothat", "so we": "sothat", "in order to": "sothat", "at least": "atleast",
    "at most": "atmost", "no more than": "atmost", "up to": "atmost", "has to": "must",
    "have to": "must", "needs to": "must", "need to": "must", "ought to": "should",
    "all at once": "at-once", "on the fly": "on-demand", "in order": "in-order",
    "in any order": "concurrently", "back into": "into", "plain text": "plaintext",
    "clear text": "plaintext", "first in, first out": "fifo", "last in, first out": "lifo",
    "for good": "hard", "soft-delete": "mark soft-deleted",
    "do not": "not", "does not": "not", "don't": "not", "doesn't": "not", "mustn't": "must not",
    "shouldn't": "should not", "no need to": "not", "let us": "", "let's": "", "i'd rather": "",
    "i'd": "", "i think": "", "i would": "", "i'm for": "", "how about": "", "why not": "",
    "now that": "sothat", "so the": "sothat", "where it is": "", "as it is": "untouched", "as is": "untouched",
    "alone": "untouched", "unchanged": "untouched", "at all": "", "in this pr": "", "in this change": "", "for now": "",
    "one after another": "one-by-one", "one after the other": "one-by-one",
    "line by line": "streaming", "newest first": "newest-first", "oldest first": "oldest-first",
    "opt in": "opt-in", "opt out": "opt-out", "in place": "in-place", "bubble up": "bubble",
    "blow up": "fail", "back out": "rollback", "roll back": "rollback", "hold off": "not",
    "use more": "increase", "use fewer": "reduce", "allow null": "make nullable",
    "permit null": "make nullable", "accept null": "make nullable", "disallow null": "make not-null",
    "forbid null": "make not-null", "reject null": "make not-null", "fall back": "fallback",
    "depend on": "use", "rely on": "use", "make do without": "remove", "go with": "use", "go for": "use",
    "as they are": "untouched",
    "by default": "", "hard-code": "hardcode", "for real": "hard",
    "refuse to": "not", "decline to": "not", "do nothing": "ignore", "case insensitive": "case-insensitive",
    "case sensitive": "case-sensitive", "fail open": "continue", "fail closed": "abort",
    "could be": "should be", "might be": "should be", "in one": "together in",
    "to on": "to enabled", "to off": "to disabled", "we want": "use", "we need": "use",
    "there's no need to": "not", "there is no need to": "not", "isn't needed": "is unneeded",
    "create a new": "recreate", "make a new": "recreate",
}  # fmt: skip

KEEPERS = word_set("hold keep leave maintain preserve remain retain stay stick")
"""Verbs that ask for a thing to be left as it is."""
CHANGERS = word_set("""
borrow bump cast change convert cut decrease delete downgrade drop extract factor hoist increase inline
lengthen lower merge migrate move pull raise reduce remove rename replace return rewrite shorten
split swap switch turn upgrade
""")
"""Verbs after which a thing is no longer what or where it was."""
SETTERS = word_set("""
bump call cap cast change convert cut decrease default downgrade expire extend increase keep lengthen
limit lower make migrate move persist pin raise read reduce rename replace restrict return say
set shorten stay store swap switch turn upgrade use
""")
"""Verbs that give a thing a value, a name or a place."""
PLACERS = word_set("fetch get hold keep load move persist put read save store take write")
"""Verbs that say where a thing is kept or comes from."""
WRAPPERS = word_set("annotate decorate guard mark surround wrap")
"""Verbs that put one thing around another."""
OTHER_VERBS = word_set("""
accumulate acknowledge adjust align animate apply ask assert assign await batch bind bound break
bring build bypass call cancel cast clean clear collapse commit compare compile compress confirm
connect consider construct convert count create debounce declare decode dedupe define delegate
depend deprecate derive describe destroy detect dispatch dispose do document download emit
encode encrypt ensure escape evaluate execute exempt exit expire explain fetch fill filter fix
flag flatten flip flush follow force format freeze gate generate get give grant guard hash hold
implement import include index infer inherit initialise initialize inject insert invalidate last live
invert invoke iterate join label let link list load lock log lowercase map mark match memoise
memoize mention migrate mock mount name nest normalise normalize notify overload override
overwrite paginate parallelise parallelize parametrise parse pass pick place point poll populate
preallocate prefer prefix preload print process promote provide push put query quote read
rebuild record redirect refactor register release render reorder report request require reserve
reset resolve rework rewrite rotate round run sanitise sanitize save scope select send serialise
serialize serve show sign simplify sort spawn specify spell squash start state stop stream stub
subscribe substitute surface sync synchronise synchronize tag take test throttle track translate
trap treat trigger truncate try turn type unify unskip unwrap update upload use validate verify
version virtualise virtualize wait warn wire wrap write
""")
"""Verbs that often begin an instruction, and say nothing about a side."""
DESCRIBING = word_set("""
allows are becomes breaks builds calls causes contains creates does fails gets got has have is
lacks leads logs makes means misses passes records returns stores use uses was were
""")
"""Verb forms that tell what the code does now."""
JUDGED = {
    **dict.fromkeys(("enough", "fine", "ok", "plenty"), "keep"),
    **dict.fromkeys(("needed", "required", "necessary"), "add"),
    **dict.fromkeys(("redundant", "unnecessary", "unneeded", "overkill", "superfluous"), "remove"),
    **dict.fromkeys(("better", "right", "preferable"), "use"),
}
"""What a judgement on a thing asks for: "X is fine", "X is needed", "X is redundant", "X would be better"."""
THERE = word_set("there there's there is")
"""What may stand before "no need for"."""
AMOUNTS = {"fewer": "reduce", "less": "reduce", "more": "increase"}
"""What a judgement on a thing asks for: "X is fine", "X is needed", "X is redundant"."""
MODALS = word_set("belongs must need needs shall should")
NEGATIONS = word_set("avoid can't cannot never not refrain stop without won't")
LEADS = word_set("""
also always and better but can consider could i instead it's just maybe might must perhaps please
should simply so then to want we would you
""")
"""What may stand before an instruction."""
CONDITIONS = word_set("if once unless when whenever where while")
PURPOSES = word_set("although because otherwise since sothat though until which who whose")
"""Words after which a reason follows, no instruction."""
MANIFOLD = word_set("""
add annotate append apply assert attach avoid be call catch check close copy count create declare define
delete derive document drop emit ensure escape exclude explain extend extract fix guard handle ignore import
include increase insert join list lock make map mark mention mock notify note pass permit pin print protect
prove push raise reduce reject remove replace report require restrict retry return rewrite say set show skip split
strip test throw track translate use validate verify wait warn wrap
""")
"""Verbs that do a thing in several ways and places at once; any other does it in one."""
FAMILIES = (
    word_set("keep store hold save persist put place carry retain stay"),
    word_set("run execute start"),
    word_set("send deliver dispatch route"),
    word_set("sort order"),
    word_set("be become make mark set use turn"),
    word_set("read load fetch take get"),
    word_set("limit cap restrict"),
    word_set("show display render"),
    word_set("compute calculate derive"),
)
"""Verbs that say one act."""
PAIRED = word_set("""
lock mount subscribe register load wrap escape do zip mute fold block compress code serialize tect
""")
"""Verbs that are done and undone in turn, so that asking for both is no conflict."""
NO_VERBS = word_set("""
after also although any as at because before both but by each either every few for from half however if
in into like many most much near no none not of on once one only or other over per since so some such
than that then this though three to two under unless until what when where whether which while who why
with within without yet and all see note cf compare refer remember thanks nit
""")
"""What may stand before an article and is no verb."""
PHASES = (
    word_set("accept parse read receive"),
    word_set("keep persist save store"),
    word_set("display format print render show"),
)
"""Verbs of what is done with a thing one after the other: it may be another thing in each."""
LIGHT = word_set("ask do emit make need perform require take")
"""Verbs that only say that there is to be what they name: "take a lock", "ask for a confirmation"."""
GENERIC = word_set("""
argument block branch call case change check class code column comment constant data default
entry error field file flag function import index item key limit line list log message method
name number object option param parameter query request response result rule section size state
test thing timeout type user value variable version
""")
"""Nouns of which a file has many: they alone do not say which one is meant."""
PARTICLES = {
    ("take", "out"): "remove",
    ("take", "off"): "remove",
    ("leave", "out"): "remove",
    ("leave", "in"): "keep",
    ("leave", "on"): "keep",
    ("turn", "on"): "enable",
    ("turn", "off"): "disable",
    ("switch", "on"): "enable",
    ("switch", "off"): "disable",
}
"""Verbs whose particle stands apart: "turn the rules off"."""
HARMLESS = word_set("""
check comment count cover describe document explain list log measure mention name note print read report
see show state test track use validate verify watch
""")
"""Verbs after which a thing is still what it was."""
ACT_NOUNS = word_set("log logs cache index backup backfill migration validation")
"""Nouns that say an act, and where its result is: "write the log to X", "not in the log"."""


def _axes(text: str) -> dict[str, tuple[tuple[str, int], ...]]:
    table: dict[str, tuple[tuple[str, int], ...]] = {}
    for entry in re.split(r"\n(?=\w+:)", text.strip()):
        axis, _, words = entry.partition(":")
        for side, half in zip((1, -1), words.split("|"), strict=True):
            for word in half.split():
                key = stem(word)
                table[key] = (*table.get(key, ()), (axis, side))
    return table


@functools.cache
def verb_axes() -> dict[str, tuple[tuple[str, int], ...]]:
    """Stem of a verb to the axes that it pulls on, and which way."""
    return _axes(VERB_AXES)


def is_on(axis: str, verb: str) -> bool:
    """Whether a verb pulls on an axis."""
    return any(axis == each for each, _ in verb_axes().get(stem(verb), ()))


@functools.cache
def state_axes() -> dict[str, tuple[tuple[str, int], ...]]:
    """Stem of an adjective or adverb to the axes that it names, and which end."""
    return _axes(STATE_AXES)


@functools.cache
def stems(words: frozenset[str]) -> frozenset[str]:
    """The stems of a word list of this module."""
    return frozenset(map(stem, words))


@functools.cache
def phrase_starts() -> frozenset[str]:
    """First words of the fixed phrases."""
    return frozenset(phrase.split(" ", 1)[0] for phrase in PHRASES)


@functools.cache
def family(root: str) -> str:
    """One name for the stems of verbs that say one act."""
    same = next((words for words in FAMILIES if root in stems(words)), None)
    return min(same) if same else root


@functools.cache
def undone(verb: str) -> str:
    """The stem of what a verb undoes: "pin" for "unpin"; empty for other verbs."""
    for prefix in ("un", "de", "dis"):
        rest = verb.removeprefix(prefix)
        if rest != verb and len(rest) > 2 and rest not in PAIRED:
            root = stem(rest)
            if root in stems(OTHER_VERBS | SETTERS | CHANGERS) or root in verb_axes():
                return root
    return ""


@functools.cache
def phase(verb: str) -> int:
    """Which phase of a thing's life a verb is about, or -1."""
    root = stem(verb)
    return next((n for n, words in enumerate(PHASES) if root in stems(words)), -1)
