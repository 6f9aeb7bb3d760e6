"""Variables of PHP that a function newly reads and nothing in it sets. Pure.

What is handed to a call may be set by it: PHP's own functions are known, those of the repository say so by a ``&``, and
of others it is believed where the variable is read elsewhere, too: nobody asks for what is never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from guildmoot.agents.parsing.lost_locals import changed_functions
from guildmoot.agents.parsing.plain_names import called_by
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.php import known
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_DYNAMIC = lazy(
    r"\b(?:extract|parse_str|eval|get_defined_vars)\s*\(|\b(?:include|require)(?:_once)?[\s(]+['\"$_(A-Z\\]"
    r"|\$\$|(?<!\")\$\{"
)
_GIVEN_WORDS = """
$this $GLOBALS $_SERVER $_GET $_POST $_FILES $_COOKIE $_SESSION $_REQUEST $_ENV $argv $argc $php_errormsg
$http_response_header
"""
_GIVEN = frozenset(_GIVEN_WORDS.split())
_MAY_SET = lazy(
    r"(?i)bind|define_by|^(?:sodium|openssl|oci|ldap|socket|mysqli|dns|curl|pcntl|stream|xml|collator|intl|numfmt)_"
    r"|^(?:match|matchall|ismatch|replacecallback|preg\w+|xml_set_object|assign_?by_?ref|[hsz]?scan)$"
)


def unset_locals(
    before: Node, after: Node, held: Callable[[str], list[str]]
) -> Iterator[tuple[str, int]]:
    """Each such name once a function, with the line that reads it."""
    then, now = changed_functions("PHP", before, after, lambda argument: True)
    for key, function in now.items():
        past = then.get(key)
        old = past.declared | {name for name, _ in past.used} if past else set()
        told = old | function.declared | function.around | _GIVEN
        fresh = [
            (name, line) for name, line in function.used if name[:1] == "$" and name not in told
        ]
        text = text_of(function.node) if key and fresh else ""
        if not text or _DYNAMIC.search(text):
            continue
        for name, line in fresh:
            if name in told or _is_asked(name, text):
                continue
            told.add(name)
            alone = len(re.findall(rf"{re.escape(name)}\b", text)) == 1
            if not may_be_set(name, function.node, held, alone=alone):
                yield name, line


def _is_asked(name: str, text: str) -> bool:
    """Whether the code itself asks if it is set, or takes it from outside."""
    bare = re.escape(name)
    asks = rf"(?:isset|empty|unset)\s*\((?:[^();]|\([^();]*\))*{bare}\b|{bare}\b[^;,()=]*\?\?|global[^;]*{bare}\b"
    return re.search(asks, text) is not None


def may_be_set(
    name: str, root: Node, held: Callable[[str], list[str]], *, alone: bool = True
) -> bool:
    """Whether a call that is given the name may set it; asked of few names, for others' texts are read."""
    whole = root
    while whole.parent is not None:
        whole = whole.parent
    own = text_of(whole)
    for argument in _arguments(root, name):
        called, is_function = called_by(argument)
        if called == "__construct" or _is_made(argument) or (alone and not called.isidentifier()):
            continue
        if not called.isidentifier() or known.is_setter(called) or _MAY_SET.search(called):
            return True
        if is_function and known.is_own_function(called):
            continue
        texts = (own, *held(called))
        sets = re.compile(rf"(?i)\bfunction\s+&?\s*{called}\s*\([^)]*&")
        declares = re.compile(rf"(?i)\bfunction\s+&?\s*{called}\s*\(")
        if any(map(sets.search, texts)) or not (alone or any(map(declares.search, texts))):
            return True
    return False


def _is_made(argument: Node) -> bool:
    """Whether an object is made with it: a constructor that sets what it is given is hardly ever written."""
    call = argument.parent.parent if argument.parent is not None else None
    return call is not None and call.type == "object_creation_expression"


def _arguments(root: Node, name: str) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if each.type == "argument" and name in map(text_of, each.children):
            yield each
        waiting += each.children
