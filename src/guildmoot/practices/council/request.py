"""What is asked of one council, what of it cannot be asked together, and what its words mean.

How many judges sit, who they are and how long they may take are settings (``[council]`` and
``panel.degrade``); a command line's flags for them are a layer of :class:`~guildmoot.config.Config`.
Natural language works: a word that is a path becomes a target, a known verb chooses the task, and
the rest is the question. What was guessed is said in notes, so that a wrong guess is seen at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.config import FLAG, Config
from guildmoot.errors import TargetError, UsageError, did_you_mean
from guildmoot.memory.codebase.graph import is_test
from guildmoot.model.council import Task
from guildmoot.practices.council.found_files import (
    about,
    called_after,
    named_paths,
    refuse_absent,
    refuse_lone,
    refuse_unfound,
    said_of,
    tell_files,
)
from guildmoot.practices.council.revision_refusals import refuse_span, refuse_unknown
from guildmoot.practices.council.revisions import SpokenChange, change_of_branch, find_change
from guildmoot.practices.council.target_words import (
    MERGE,
    PLAN,
    POINTS,
    VAGUE,
    WHOLE,
    refuse_staged,
)
from guildmoot.practices.council.tasks import TASKS, Meaning, infer_task

if TYPE_CHECKING:  # the command line's parser needs the options alone
    from guildmoot.practices.repository import RepositoryView

TECHNIQUES = ("scamper", "six-hats", "reverse")

# The first two sentences are those that users of the council know; scripts look for them.
_QUICK_DEBATE = "Error: --quick and --debate are incompatible."
_DEBATE_TASK = "Error: --debate is only supported with validate mode."
_TECHNIQUE_TASK = "Error: --technique is only supported with brainstorm mode."


class CouncilOptions(NamedTuple):
    """One request; empty or None where nothing was said."""

    words: tuple[str, ...] = ()
    """A task, paths and plain words, in any order."""
    mode: str = ""
    """The task, where the words are not to choose it."""
    focus: str = ""
    """The subject to look at most."""
    quick: bool = False
    """One judge, asked once."""
    deep: bool = False
    mixed: bool = False
    """Judges of two vendors."""
    preset: str = ""
    perspectives: tuple[str, ...] = ()
    perspectives_file: str = ""
    add_perspective: tuple[str, ...] = ()
    pairing: str = ""
    """With two vendors: ``paired`` or ``split``."""
    technique: str = ""
    hats: str = ""
    """``all`` or ``split``, for six hats."""
    evidence: bool = False
    """Every finding must bring two checks that run."""
    commit_ready: bool = False
    given: bool = False
    """What is judged was handed over whole, so nothing of it is looked for."""
    diff: str | None = None
    """A change to judge, as ``packet.PacketRequest.diff``."""
    staged: bool = False


def refuse_conflicts(options: CouncilOptions, config: Config, task: Task) -> None:
    """UsageError for the first thing that contradicts another, before anything is looked up."""
    debate, quick, technique = asks_debate(config), options.quick, options.technique.casefold()
    count, explorers = (config.given(f"council.{name}", FLAG) for name in ("judges", "explorers"))
    not_quick = {
        "--deep": options.deep,
        "--mixed": options.mixed,
        "--explorers": explorers and explorers.value,
        "--count": count and count.value != 1,
    }
    conflicts: tuple[tuple[object, str, str], ...] = (
        (
            quick and debate,
            _QUICK_DEBATE,
            "Use --quick for a fast check, or --debate for two rounds.",
        ),
        (
            debate and task != "validate",
            _DEBATE_TASK,
            f"A {task} gives no verdicts to debate. Drop --debate, or ask to validate.",
        ),
        (
            technique and task != "brainstorm",
            _TECHNIQUE_TASK,
            f"This is a {task}. Drop --technique, or ask to brainstorm.",
        ),
        *(
            (
                quick and given,
                f"--quick and {name} are incompatible: --quick asks one judge, once",
                f"Drop --quick, or {name}.",
            )
            for name, given in not_quick.items()
        ),
        (
            options.pairing and not options.mixed,
            "--pairing says how two vendors share the perspectives, and only one judges",
            "Add --mixed, or drop --pairing.",
        ),
        (
            options.hats and technique != "six-hats",
            "--hats belongs to --technique=six-hats",
            "Add the technique, or drop --hats.",
        ),
    )
    for wrong, message, hint in conflicts:
        if wrong:
            raise UsageError(message, hint)
    if technique:
        one_of(options.technique, TECHNIQUES, "technique")


def asks_debate(config: Config) -> bool:
    """Whether this very request asks for a second round."""
    debate = config.given("council.debate", FLAG)
    return debate is not None and debate.value in ("on", "auto")


def one_of(value: str, known: Iterable[str], what: str, source: str = "") -> str:
    """The value, when it is one of the known ones, upper and lower case alike."""
    names, word = tuple(known), value.casefold()
    if word in names:
        return word
    where = f"{source}: " if source and not source.startswith("--") else ""
    hint = f"{did_you_mean(word, names)} It is one of: {', '.join(names)}."
    raise UsageError(f"{where}unknown {what} {value!r}", hint.lstrip())


_RECENT = re.compile(
    r"(?:the |my |our )?(?:most )?recent(?: (?:commits?|changes?|work|diff))?", re.IGNORECASE
)
_UNCOMMITTED = re.compile(
    r"\b(?:uncommitted|(?:un)?staged|not (?:yet )?committed)\b", re.IGNORECASE
)
_CHANGED_IN = re.compile(
    r"\bwhat (?:\w+ ){0,2}chang\w+ (?:in|to|under)\b|\bchanges (?:in|to|under)\b", re.IGNORECASE
)


class Targets(NamedTuple):
    """What is to be judged."""

    targets: tuple[str, ...] = ()
    diff: str | None = None
    words: str = ""
    """The target for people, where the user gave no words of their own."""
    notes: tuple[str, ...] = ()
    recent: int = 0
    """How many commits ``recent`` means here; 0 is as the settings say."""
    instead: bool = False
    """What the words ask about is not here: the report is called after what is judged."""
    subject: bool = False
    """A subject was named in words, and no path and no change: that is a question about these files."""


_QUESTIONS = {
    "brainstorm": "brainstorm caching approaches",
    "research": "research upgrade patterns",
    "debate": "debate monorepo or one repository a service",
}


def read_words(options: CouncilOptions, repository: RepositoryView) -> Meaning:
    """The task and the words that are left of the request."""
    words = tuple(
        part
        for word in options.words
        for part in ([word] if repository.exists(word) else word.split() or [word])
    )
    meaning = infer_task(words)
    if options.mode:
        mode = one_of(options.mode, TASKS, "mode")
        spoken = words and words[0].casefold() in TASKS
        meaning = Meaning(TASKS[mode], meaning.words if spoken else words)
    if meaning.task == "brainstorm" and options.focus.casefold() == "research":
        return meaning._replace(task="research")
    return meaning


def choose_targets(
    options: CouncilOptions, meaning: Meaning, repository: RepositoryView
) -> Targets:
    """What is judged; a change that was named with a flag leaves nothing to guess."""
    if options.diff is not None or options.staged:
        from guildmoot.practices.repository import NOWHERE

        bare = NOWHERE._replace(exists=repository.exists)
        return find_targets(meaning, bare)._replace(words="the change")
    if options.given:
        return Targets()
    found = find_targets(meaning, repository)
    if meaning.task != "validate" and not meaning.words:
        raise UsageError(
            f"a {meaning.task} needs a question",
            f"For example: guild council {_QUESTIONS[meaning.task]}",
        )
    if "recent" in meaning.words and found.targets and found.targets != ("recent",):
        raise UsageError(
            f"'recent' and {found.targets[0]!r} cannot be judged together",
            f"Name the commits: --diff HEAD~1..HEAD {found.targets[0]}",
        )
    if meaning.task == "validate" and not found.targets and found.diff is None:
        raise TargetError(
            "there is nothing to judge: no path was named, and nothing was changed or committed",
            "Name files or folders, e.g. 'guild council validate src/'.",
        )
    return found


def find_targets(meaning: Meaning, repository: RepositoryView) -> Targets:
    """What the words name; a verdict always needs something to judge, the other tasks do not."""
    text = " ".join(meaning.words)
    if _RECENT.fullmatch(text):
        return Targets(("recent",))
    strict = meaning.task == "validate"
    spoken = find_change(meaning.words, repository, strict=strict) if meaning.words else None
    if spoken and meaning.task != "debate":
        return _of_change(spoken, meaning, repository)
    named = named_paths(meaning, repository.exists)
    if named and strict and _CHANGED_IN.search(text) and repository.has_commits():
        diff = "" if repository.changed() else "HEAD~1..HEAD"
        what = "is not committed" if repository.changed() else "the last commit changed"
        note = f"target: what {what} in {', '.join(named)} is judged, and not the files whole"
        return Targets(named, diff, notes=(note,))
    if named and (found := _within(named, meaning.words, repository)):
        return found
    if named:
        return Targets(named, notes=said_of(named, meaning.words, repository.exists))
    if meaning.task == "research":  # nobody can look into the auth system without seeing it
        return _by_words(meaning.words, repository) or _by_recall(text, repository)
    if meaning.task == "brainstorm":
        return _by_recall(text, repository)
    if not strict:
        return Targets()
    refuse_span(meaning.words)
    if WHOLE.search(text):
        return Targets((".",), notes=("target: the whole repository is judged",))
    if repository.changed():
        refuse_staged(text)
    found = _the_plan(text, repository) or _pointed_at(text, repository)
    if not found and (found := _by_words(meaning.words, repository)):
        refuse_absent(meaning.words, repository)
    if not found:
        refuse_unknown(meaning.words, repository)
        refuse_lone(meaning.words, repository)
        refuse_unfound(meaning.words, repository)
    return found or _without_plan(_the_change(text, repository), text) or Targets()


def _of_change(spoken: SpokenChange, meaning: Meaning, repository: RepositoryView) -> Targets:
    """The change that was named, as far as it touches the paths that were named beside it."""
    named = named_paths(meaning._replace(words=spoken.rest), repository.exists)
    notes: tuple[str, ...] = (spoken.note,) if spoken.note else ()
    if named:
        kept = f"target: only what these commits changed in {', '.join(named)} is judged"
        notes += (f"{kept}; name the path alone to have it judged whole",)
    if spoken.diff is not None:
        return Targets(named, spoken.diff, notes=notes)
    if not named:
        return Targets(("recent",), notes=notes, recent=spoken.recent)
    return Targets(named, f"HEAD~{spoken.recent}..HEAD", notes=notes)


def _the_plan(text: str, repository: RepositoryView) -> Targets | None:
    newest = repository.newest_plan() if PLAN.search(text) else ""
    note = f"target: no file was named; {newest} is the newest plan here"
    return Targets((newest,), notes=(note,)) if newest else None


def _within(
    named: Sequence[str], words: Sequence[str], repository: RepositoryView
) -> Targets | None:
    """``the tests of the parser``: what is called after the parser, where only a word such as ``tests`` is a folder."""
    vague = all(each.casefold() in VAGUE for each in named)
    return _by_words(words, repository) if vague and called_after(words, repository).files else None


def _without_plan(change: Targets | None, text: str) -> Targets | None:
    """A change that is judged where a plan was asked for and none is here: it is not called a plan."""
    if change is None or not PLAN.search(text):
        return change
    note = f"target: {text!r} was asked for, and no plan is here; what is judged is {change.words}"
    return change._replace(instead=True, notes=(note,))


def _by_words(words: Sequence[str], repository: RepositoryView) -> Targets | None:
    """The files that are called after a word, and those whose code or headings say it."""
    after, called = called_after(words, repository)
    others = [each for each in about(words, repository) if each.path not in called]
    notes = []
    if called:
        number = f"{len(called)} files are" if len(called) > 1 else "1 file is"
        named, listed = " and ".join(map(repr, after)), ", ".join(called)
        notes.append(f"target: no path was named; {number} called after {named}: {listed}")
    if others:
        notes.append(tell_files(others))
    files = tuple(sorted((*called, *(each.path for each in others)), key=is_test))
    return Targets(files, notes=tuple(notes), subject=True) if files else None


def _by_recall(text: str, repository: RepositoryView) -> Targets:
    """The files that speak of the question, by its words; who answers may look further."""
    found = repository.recall(text) if text else ()
    files = tuple(each.path for each in found)
    return Targets(files, notes=(tell_files(found),), subject=True) if files else Targets()


def _pointed_at(text: str, repository: RepositoryView) -> Targets | None:
    """``is this safe to merge?`` is about the branch, ``does it scale?`` about the work at hand."""
    if MERGE.search(text):
        return _the_branch("it is about a merge", repository)
    if not POINTS.search(text):
        return None
    return _the_change(text, repository) if repository.changed() else _the_branch("", repository)


def _the_branch(why: str, repository: RepositoryView) -> Targets | None:
    """What the checked out branch changes since it left its base; None where it has no commits of its own."""
    change = change_of_branch(repository)
    told = f"target: {why or 'no path was named and nothing is uncommitted'}; "
    notes = (change.note.replace("target: ", told, 1),) if change else ()
    return Targets((), change.diff, words="this branch", notes=notes) if change else None


def _the_change(text: str, repository: RepositoryView) -> Targets | None:
    why = "no path was named" if text else "nothing was named"
    if repository.changed():
        note = f"target: {why}; the uncommitted changes are judged"
        return Targets((), diff="", words="uncommitted changes", notes=(note,))
    if _UNCOMMITTED.search(text):
        raise TargetError(
            "nothing is uncommitted here", "'the last commit' judges what was committed last."
        )
    if branch := _the_branch(f"{why} and nothing is uncommitted", repository):
        return branch
    if repository.has_commits():
        note = f"target: {why} and nothing is uncommitted; what was committed last is judged"
        return Targets(("recent",), words="recent commits", notes=(note,))
    return None
