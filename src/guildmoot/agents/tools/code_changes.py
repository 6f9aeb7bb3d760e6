"""Reports names and files that a change leaves without a declaration, in languages other than Python.

    python -m guildmoot.agents.tools.code_changes REPOSITORY

REPOSITORY is the JSON file that names the repository, the base and what changed. Nothing of the work is run.
"""

from __future__ import annotations

import os.path
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from guildmoot.agents.tools.limits import TimeLimits
from guildmoot.agents.tools.python_changes import is_python
from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run
from guildmoot.agents.tools.told_change import BaseFiles, ToldChange, find_broken, read_change
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.agents.references.compare import BrokenReference, ChangedTree
    from guildmoot.agents.references.tree import Finder

_SECONDS_EACH, _SECONDS = 15.0, 45.0
"""For one rule and for all: a seat has 120, and what is not compared must not take what was found along."""
_MOST_FILES = 300
"""Files of a change up to which it is looked at: more are a migration."""


def find(arguments: Sequence[str], folder: str) -> list[ToolFinding]:
    """What the change brings."""
    if len(arguments) != 1:
        raise NoJudgementError("usage: python -m guildmoot.agents.tools.code_changes REPOSITORY")
    place = Path(arguments[0])
    if not place.exists():
        return []
    change = read_change(place, folder)
    from guildmoot.agents.parsing.changed_names import ENDINGS

    with BaseFiles(change.root, change.base, ENDINGS) as others:
        limits = TimeLimits(_SECONDS_EACH, _SECONDS)
        files = list(limits.look("files that are named", _files(change, others)))
        told = {path for each in files if each.subject for path in (each.path, *each.also)}
        names = list(_names(change, others, limits))
        return [
            *(each for each in names if each.code != "name-gone" or each.path not in told),
            *(_told(each) for each in files),
            *_documents(change),
            *limits.look("what compilers refuse", _refused(change)),
            *_unfinished(change, limits),
        ]


def _unfinished(change: ToldChange, limits: TimeLimits) -> Iterator[ToolFinding]:
    if limits.unfinished:
        said = f"it took too long to look beyond the change for {', '.join(limits.unfinished)}: not all was compared"
        yield ToolFinding(said, "not-compared", "WARNING", [*change.changed, *change.gone][0])


def _told(each: BrokenReference) -> ToolFinding:
    weight = "ERROR" if each.grave else "WARNING"
    return ToolFinding(each.message, each.code, weight, each.path, each.line)


def _names(change: ToldChange, others: BaseFiles, limits: TimeLimits) -> Iterator[ToolFinding]:
    """Names that lost their declaration."""
    from guildmoot.agents.parsing.changed_code import ChangedCode
    from guildmoot.agents.parsing.changed_names import ENDINGS, lost_names

    paths = [path for path in change.changed if path.endswith(ENDINGS)]
    gone = [path for path in change.gone if path.endswith(ENDINGS)]
    if not (paths or gone) or len(paths) + len(gone) > _MOST_FILES:
        return
    old = sorted({*(old for old in change.renamed.values() if old.endswith(ENDINGS)), *paths})
    names = {old: new for new, old in change.renamed.items() if not _leaves_package(old, new)}
    before = {names.get(path, path): text for path, text in change.texts_then(old).items()}
    before |= {path: others.text(path) for path in gone}
    hidden = (
        (change.touched - {*gone, *change.lost}) if any(p.endswith(".tf") for p in paths) else ()
    )
    after = dict.fromkeys((path for path in hidden if path.endswith(".tf")), "")
    after |= change.texts_now([*paths, *_projects(change, paths)])
    moved = set(change.lost)  # those who use a name are the files of now

    def users(word: str) -> list[str]:
        return [path for path in others.users(word) if path not in moved]

    def holders(words: Sequence[str]) -> dict[str, list[str]]:
        found = others.holders(words)
        return {word: [p for p in paths if p not in moved] for word, paths in found.items()}

    def files() -> set[str]:
        return ({*others.paths()} | change.touched) - moved

    code = ChangedCode(before, after, others.text, users, holders, files)
    for each in lost_names(code, limits.look):
        yield ToolFinding(each.message, each.code, "ERROR", each.path, each.line)


def _projects(change: ToldChange, paths: Sequence[str]) -> list[str]:
    """Changed files that say which namespaces all files of C# take: only what they say now counts."""
    from guildmoot.agents.scopes.csharp_types import PROJECTS

    code = any(path.endswith(".cs") for path in paths)
    return [path for path in change.changed if code and path.endswith(PROJECTS)]


def _leaves_package(old: str, new: str) -> bool:
    """Whether a file of Go moved to another folder: to the files beside it, it is gone."""
    return old.endswith(".go") and os.path.dirname(old) != os.path.dirname(new)


def _documents(change: ToldChange) -> Iterator[ToolFinding]:
    """Templates whose tags no longer pair up, and stages of images that are gone."""
    from guildmoot.agents.pages.tags import ENDINGS, unclosed_tag
    from guildmoot.agents.rules.dockerfiles import gone_stages

    def is_image(path: str) -> bool:
        return language_of(path).name == "Dockerfile"

    paths = [path for path in change.changed if path.endswith(ENDINGS) or is_image(path)]
    for path, after in change.texts_now(paths[:_MOST_FILES]).items():
        old = change.renamed.get(path, "")
        before = change.texts_then([old]).get(old, "") if old else ""
        if is_image(path):
            for each in gone_stages(before, after):
                yield ToolFinding(each.message, each.code, each.weight, path, each.line)
        elif found := unclosed_tag(before, after, path):
            line, tag = found
            message = f"the tags of this template pair up no longer: look at `{tag}`"
            yield ToolFinding(message, "unclosed-tag", "ERROR", path, line)


def _refused(change: ToldChange) -> Iterator[ToolFinding]:
    """What no compiler takes, though a grammar may."""
    from guildmoot.agents.compiling.faults import JUDGED, new_faults

    paths = [path for path in change.changed if language_of(path).name in JUDGED]
    for path, after in change.texts_now(paths[:_MOST_FILES]).items():
        old = change.renamed.get(path, "")
        before = change.texts_then([old]).get(old) if old else None
        if old and before is None:
            continue  # too large to be read
        for line, message in new_faults(path, before, after):
            yield ToolFinding(message, "does-not-compile", "ERROR", path, line)


def _files(change: ToldChange, others: BaseFiles) -> Iterator[BrokenReference]:
    """Files that are named and not there; whoever lost one has lost its names."""
    if len(change.changed) <= _MOST_FILES:
        yield from find_broken(change, others, _finder_of, lambda path: not is_python(path), _types)


def _types(tree: ChangedTree, lost: Sequence[str]) -> Iterator[BrokenReference]:
    """What went with its file."""
    from guildmoot.agents.references.types import gone_types

    return gone_types(tree, lost)


def _finder_of(path: str) -> Finder | None:
    from guildmoot.agents.references.scripts import SCRIPTS, script_references
    from guildmoot.agents.references.texts import finder_of

    return script_references if path.endswith(SCRIPTS) else finder_of(path)


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
