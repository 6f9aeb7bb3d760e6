"""Reports what a change of Python brings that cannot work, and what its functions no longer do.

    python -m guildmoot.agents.tools.python_changes REPOSITORY

REPOSITORY is a JSON file beside the packet's files that names the repository, the base and what changed; without it
there is no change to judge, and nothing is found. Nothing of the work is run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run
from guildmoot.agents.tools.told_change import BaseFiles, ToldChange, find_broken, read_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.agents.references.tree import Finder

_MOST_FILES = 300
"""Python files of a change up to which it is looked at: more are a migration."""


def find(arguments: Sequence[str], folder: str) -> list[ToolFinding]:
    """What the change brings."""
    if len(arguments) != 1:
        raise NoJudgementError("usage: python -m guildmoot.agents.tools.python_changes REPOSITORY")
    place = Path(arguments[0])
    if not place.exists():
        return []
    change = read_change(place, folder)
    paths = [path for path in change.changed if is_python(path)]
    if len(paths) > _MOST_FILES:
        said = f"{len(paths):,} Python files changed, and more than {_MOST_FILES} are not compared"
        return [_not_compared(paths[0], said)]
    with BaseFiles(change.root, change.base) as others:
        return [*_compared(change, paths, others), *_broken(change, others)]


def is_python(path: str) -> bool:
    """Whether this tool looks at changes of the file."""
    return path.endswith(".py")


def _not_compared(path: str, why: str) -> ToolFinding:
    said = f"{why}: calls and imports between files were not looked at"
    return ToolFinding(said, "not-compared", "WARNING", path)


def _broken(change: ToldChange, others: BaseFiles) -> Iterator[ToolFinding]:
    for each in find_broken(change, others, _finder_of, is_python):
        weight = "ERROR" if each.grave else "WARNING"
        yield ToolFinding(each.message, each.code, weight, each.path, each.line)


def _finder_of(path: str) -> Finder | None:
    from guildmoot.agents.references.python import python_references
    from guildmoot.agents.references.texts import finder_of

    return python_references if is_python(path) else finder_of(path)


def _compared(change: ToldChange, paths: list[str], others: BaseFiles) -> Iterator[ToolFinding]:
    from guildmoot.agents.python.changes import ChangedPython, compare
    from guildmoot.agents.python.modules import MOST_LETTERS

    earlier = sorted(path for path in set(change.renamed.values()) if is_python(path))
    compared = ChangedPython(
        before=change.texts_then(earlier),
        after=change.texts_now(paths),
        renamed=change.renamed,
        lines=change.changed,
        touched=change.touched,
        text=others.text,
        users=others.users,
    )
    for path, text in compared.after.items():
        if len(text) > MOST_LETTERS:
            yield _not_compared(path, f"more than {MOST_LETTERS:,} letters")
    for each in compare(compared):
        weight = "ERROR" if each.grave else "WARNING"
        yield ToolFinding(each.message, each.code, weight, each.path, each.line)


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
