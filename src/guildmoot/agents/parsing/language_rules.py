"""Rules on names by the language of a file. Those of one language alone are loaded when a change holds it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from guildmoot.agents.members.fields import unknown_fields
from guildmoot.agents.members.own import lost_duties, lost_members
from guildmoot.agents.members.replaced import replaced_members
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.lost_locals import lost_locals
from guildmoot.agents.parsing.own_names import Around, Lost, own_losses
from guildmoot.agents.scopes.losses import scope_losses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from guildmoot.agents.parsing.gone_names import Loss

    Look = Callable[[str, Node, Node, Around], Iterator[Lost]]

_SHARED = (own_losses, scope_losses, lost_members, lost_duties, unknown_fields)


def looks_for(language: str) -> tuple[Look, ...]:
    """What looks for names without a declaration in a file of that language."""
    if language == "PHP":
        from guildmoot.agents.php.losses import php_losses
        from guildmoot.agents.php.members import php_members

        return (*_SHARED, php_losses, php_members, replaced_members)
    if language == "Ruby":
        from guildmoot.agents.ruby.losses import ruby_losses

        return (*_SHARED, ruby_losses, replaced_members)
    if language == "C#":
        from guildmoot.agents.scopes.csharp_usings import lost_usings

        return (*_SHARED, lost_usings, replaced_members)
    return (*_SHARED, replaced_members)


def gone_locals(
    language: str, before: Node, after: Node, around: Around
) -> Iterator[tuple[str, int]]:
    """Names of functions that lost their declaration; in PHP a call may set what it is given."""
    found = lost_locals(language, before, after, lambda argument: language == "PHP")
    if language != "PHP":
        return found
    from guildmoot.agents.php.variables import may_be_set

    return ((name, line) for name, line in found if not may_be_set(name, after, around.held))


def unset_names(
    language: str, before: Node, after: Node, around: Around
) -> Iterator[tuple[str, int]]:
    """Variables that nothing sets, where a language needs no declaration."""
    if language == "PHP":
        from guildmoot.agents.php.variables import unset_locals

        yield from unset_locals(before, after, around.held)


def gone_declarations(
    change: ChangedCode, around_of: Callable[[str], Around]
) -> Iterator[tuple[str, Loss]]:
    """What PHP files no longer declare and others still use, with the path that did."""
    if any(path.endswith(".php") for path in change.before):
        from guildmoot.agents.php.gone import gone_php

        yield from gone_php(change.before, change.after, around_of)


def lost_requires(change: ChangedCode) -> Iterator[tuple[str, int, str]]:
    """Files that Ruby no longer loads and still needs."""
    if any(path.endswith(".rb") for path in change.after):
        from guildmoot.agents.ruby import requires

        yield from requires.lost_requires(*change[:4])
