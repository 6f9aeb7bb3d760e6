"""Locks that a way out keeps, in Go, C, C++, Java and Ruby."""

from __future__ import annotations

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    above,
    below,
    child,
    field,
    flat,
    following,
    function_of,
    parts,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def unlocked_too_late(node: Node) -> Node | None:
    """A ``return`` between taking a lock and giving it back, on a path that does not give it back."""
    call = child(node)
    key = _lock_key(call, _TAKES)
    function = function_of(node)
    if call is None or key is None or function is None:
        return None
    statements = []
    for after in following(node):
        if _releases(after, key):
            break
        if flat(after) == flat(node):  # taken again: it was no lock of this kind
            return None
        statements.append(after)
    else:
        return None
    if any(
        "defer" in each.type and key in flat(each) for each in below(function, "defer_statement")
    ):
        return None
    for each in statements:
        for leave in below(each, "return_statement"):
            head = (each.text or b"")[: leave.start_byte - each.start_byte].decode(
                "utf-8", "replace"
            )
            if not any(word in "".join(head.split()) for word in _gives(key)) and key not in flat(
                leave
            ):
                return leave
    return None


_TAKES = {
    "Lock": "Unlock",
    "RLock": "RUnlock",
    "pthread_mutex_lock": "pthread_mutex_unlock",
    "lock": "unlock",
}


def _lock_key(call: Node | None, taking: dict[str, str]) -> str | None:
    """What is locked, by the name of the call: ``s.mu`` or the argument in C."""
    if call is None or "call" not in call.type:
        return None
    function = field(call, "function")
    name = (
        text(field(function, "field"))
        if function is not None and function.type != "identifier"
        else text(function)
    )
    if name not in taking:
        return None
    if name.startswith("pthread"):
        return f"{taking[name]}{flat(field(call, 'arguments'))}"
    if parts(field(call, "arguments")):
        return None
    return f"{flat(field(function, 'operand') or field(function, 'argument'))}.{taking[name]}()"


def _gives(key: str) -> tuple[str, ...]:
    return (key, key.replace(".", "->", 1)) if "->" not in key else (key, key.replace("->", ".", 1))


def _releases(node: Node, key: str) -> bool:
    return node.type in ("expression_statement", "defer_statement") and any(
        w in flat(node) for w in _gives(key)
    )


def unlocked_outside(node: Node) -> Node | None:
    """``mutex.lock`` in Ruby or Java whose unlock stands in no ``ensure`` or ``finally``."""
    name = field(node, "method") or field(node, "name")
    receiver = field(node, "receiver") or field(node, "object")
    function = function_of(node)
    if (
        text(name) != "lock"
        or receiver is None
        or function is None
        or parts(field(node, "arguments"))
    ):
        return None
    if node.parent is None or node.parent.type not in (
        "expression_statement",
        "body_statement",
        "program",
        "then",
    ):
        return None
    wanted = f"{flat(receiver)}.unlock"
    freed = [
        each
        for each in below(function, "call", "method_invocation")
        if flat(each).startswith(wanted)
    ]
    safe = [
        each for each in freed if any(up.type in ("ensure", "finally_clause") for up in above(each))
    ]
    if (
        not freed
        or safe
        or ("mutex" not in flat(receiver).lower() and "lock" not in flat(receiver).lower())
    ):
        return None
    start, end = node.end_byte, freed[0].start_byte
    busy = [
        each
        for each in below(function, "call", "method_invocation")
        if start < each.start_byte < end
    ]
    return node if busy else None


_LOCK = (
    "this way out keeps the lock, so everybody waits for ever; release it before, or with `defer`"
)
RULES = (
    tree_rule("Go|C|C++", "lock-kept", "(expression_statement) @x", unlocked_too_late, _LOCK),
    tree_rule("Ruby", "lock-kept", "(call) @x", unlocked_outside, "an error on the way keeps the lock; use `synchronize`, or unlock in `ensure`"),
    tree_rule("Java", "lock-kept", "(method_invocation) @x", unlocked_outside, "an exception on the way keeps the lock; unlock in `finally`"),
)  # fmt: skip
