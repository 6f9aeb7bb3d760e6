"""What the files of a repository say of PHP's names, beyond the one that is changed. Pure.

Git tells which files hold a word; these alone are read, and where they are many the name counts as known.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.parsing.walk import walk
from guildmoot.agents.php import known
from guildmoot.agents.php.classes import KINDS, PhpClass, read_class
from guildmoot.agents.php.reading import (
    classes_of,
    code_of,
    functions_of,
    read_head,
    sets_constant,
    spaces_of,
)
from guildmoot.text.patterns import lazy

_MOST = 60
_TEST = lazy(r"(?i)tests?\b|spec")
_CALLED = lazy(r"(?<![\w$>:\\])(?<!new )(?<!\[)([a-z_]\w*)\(")
_WORDS_WORDS = """
if while for foreach switch match catch function fn array list isset empty unset echo print return and or xor use
declare exit die eval include include_once require require_once clone new static elseif throw yield
"""
_WORDS = frozenset(_WORDS_WORDS.split())
_HOSTS = ("add_action", "ABSPATH", "Drupal", "MOODLE_INTERNAL", "_JEXEC")
"""Words of programs that bring functions of their own to what runs inside of them."""
_HOSTED = lazy(
    r"(?i)drupal|wordpress|wpackagist|joomla|moodle|magento|codeigniter|prestashop|phpbb|october|topthink|hyperf"
    r"|typecho|concrete|craftcms|silverstripe|dokuwiki|roots/|bitrix|backdrop|mybb|vanilla"
)


IS_DATA = lazy(
    r"(?i)fixture|stub|(?:^|/)(?:_files?|mocks?|data|assets|dummy|resources/templates)/|\.tpl|skeleton"
)
"""Where files may be broken on purpose, or are made into others."""


class PhpRepository:
    """The other files, as they are after the change."""

    def __init__(self, around: Around, own: str) -> None:
        self._around, self.own = around, own
        self._classes: dict[str, PhpClass | None] = {}

    def texts(self, word: str, *kinds: str) -> list[str] | None:
        """All files of PHP that hold a word, the changed one first; None where they are many.

        Then those are looked at that hold it after one of ``kinds``, where there are any.
        """
        found = self._paths(word)
        if len(found) > _MOST and kinds:
            found = list(dict.fromkeys(p for kind in kinds for p in self._paths(f"{kind} {word}")))
        if len(found) > _MOST:
            return None
        return [self.own, *map(self._around.text, found)]

    def _paths(self, words: str) -> list[str]:
        return [path for path in self._around.paths(words) if path.endswith(".php")]

    def has_class(self, whole: str) -> bool:
        """Whether a file declares the class, gives it that name or uses it without declaring it, too."""
        space, _, name = whole.rpartition("\\")
        texts = self.texts(name, "class", "interface", "trait", "enum")
        if texts is None:
            return True
        alias = rf"\bclass_alias\b[^;]*\b{name}\b"
        for text in texts:
            spaces = {each.lower() for each in spaces_of(text)}
            if space.lower() in spaces and name.lower() in classes_of(text):
                return True
            if re.search(alias, text):
                return True
        return False

    def uses_class(self, whole: str) -> bool:
        """Whether a file that the change leaves alone means the same class."""
        space, _, name = whole.rpartition("\\")
        named = re.compile(rf"(?i)(?<![\w\\])\\?{re.escape(whole)}(?![\w\\])")
        taken = re.compile(rf"(?im)^\s*use\s[^;]*(?<!\w){name}\s*[;,}}]")
        paths = self._paths(name)
        if len(paths) > _MOST:
            here = set(self._paths(f"namespace {space}") if space else paths)
            paths = [path for path in paths if path in here or name in path][:_MOST]
        for text in map(self._around.text, paths):
            if (space and named.search(text)) or (
                re.search(rf"(?<![\w\\])\\{name}\b", text) and not space
            ):
                return True
            if space in spaces_of(text) and not taken.search(text) and _stands(text, name):
                return True
        return False

    def has_space(self, space: str) -> bool:
        """Whether code of the repository itself lies in just this namespace."""
        declares = re.compile(
            rf"(?m)^[ \t]*(?:<\?php[ \t]+)?namespace[ \t]+{re.escape(space)}[ \t]*[;{{]"
        )
        if declares.search(self.own):
            return True
        paths = self._paths(f"namespace {space}")
        if not _TEST.search(space):
            paths = [path for path in paths if not _TEST.search(path)]
        return any(declares.search(self._around.text(path)) for path in paths[:_MOST])

    def find_class(self, whole: str) -> PhpClass | None:
        """The class, where just one file declares it."""
        key = whole.lower()
        if key not in self._classes:
            self._classes[key] = self._read_class(whole)
        return self._classes[key]

    def _read_class(self, whole: str) -> PhpClass | None:
        space, _, name = whole.rpartition("\\")
        found = list[PhpClass]()
        for text in self.texts(name, "class", "interface", "trait", "enum") or ():
            if name.lower() in classes_of(text) and space.lower() in map(
                str.lower, spaces_of(text)
            ):
                root = parser("PHP").parse(text.encode("utf-8", "surrogatepass")).root_node
                head = read_head(root)
                nodes = (node for node in walk(root) if node.type in KINDS)
                found += [
                    each for each in (read_class(n, head) for n in nodes) if each.name == whole
                ]
        return found[0] if len(found) == 1 else None

    def holds(self, word: str) -> bool:
        """Whether another file of PHP holds a word."""
        return bool(self._paths(word))

    def declares_member(self, name: str) -> bool:
        """Whether a class may declare, or code set, a member of that name."""
        texts = self.texts(name)
        made = re.compile(
            rf"(?:function\s+&?|const\s+(?:\w+\s+)?|case\s+|\$){name}\b|->{name}\s*(?:=(?![=>])|\[)|['\"]{name}['\"]"
            rf"|@(?:method|property)[^\n]*\b{name}\b"
        )
        return texts is None or any(map(made.search, texts))

    def gives_member(self, name: str) -> bool:
        """Whether a class that the file names declares a member of that name."""
        declares = re.compile(rf"(?:function\s+&?|const\s+(?:\w+\s+)?|case\s+){name}\b")
        for text in self.texts(name) or ():
            if declares.search(text) and any(
                re.search(rf"\b{each}\b", self.own, re.IGNORECASE) for each in classes_of(text)
            ):
                return True
        return False

    def has_function(self, name: str) -> bool:
        """Whether a file declares a function of that name, or calls it by its name alone."""
        texts = self.texts(name)
        if texts is None:
            return True
        calls = re.compile(rf"(?<![\w$>:])(?<!function )(?<!new ){name}\s*\(|['\"\\]{name}['\";]")
        return any(name.lower() in functions_of(text) for text in texts) or any(
            map(calls.search, texts[1:])
        )

    def declares_in(self, name: str, spaces: Sequence[str]) -> bool:
        """Whether a file of one of the namespaces declares a function or a constant of that name."""
        texts = self.texts(name, "function", "const")
        return texts is None or any(
            name.lower() in functions_of(text) or sets_constant(text, name)
            for text in texts
            if set(spaces) & set(spaces_of(text))
        )

    def declares_function(self, name: str) -> bool:
        """Whether a file declares a function or method of that name."""
        texts = self.texts(name, "function", "function &")
        return texts is None or any(name.lower() in functions_of(text) for text in texts)

    def has_constant(self, name: str) -> bool:
        """Whether a file makes the constant, or another uses it."""
        texts = self.texts(name)
        if texts is None:
            return True
        used = re.compile(rf"(?<![\w$>:]){name}(?![\w(:])")
        return any(sets_constant(text, name) for text in texts) or any(map(used.search, texts[1:]))

    def is_hosted(self, then: str) -> bool:
        """Whether functions may come from a program around it: its packages say so, or calls that nobody answers."""
        composer = self._around.text("composer.json")
        if _HOSTED.search(composer) or any(map(self._is_host, _HOSTS)):
            return True
        called = dict.fromkeys(_CALLED.findall(code_of(then)))
        own = functions_of(then)
        asked = [
            name
            for name in called
            if name.lower() not in own | _WORDS and not known.is_function(name)
        ]
        return any(not self.declares_function(name) for name in asked[:8])

    def _is_host(self, word: str) -> bool:
        """Whether code beside the tests uses a word of another program, and none declares it."""
        paths = [path for path in self._paths(word) if not _TEST.search(path)]
        declares = re.compile(rf"function\s+{word}\b")
        return bool(paths) and not any(
            declares.search(self._around.text(path)) for path in paths[:_MOST]
        )

    def owns(self, space: str) -> bool:
        """Whether ``composer.json`` gives the namespace to a folder here, and no package of its house is required."""
        roots, alone = autoloads(self._around.text("composer.json"))
        return alone and any(f"{space}\\".startswith(root) for root, _ in roots)

    def places(self, whole: str) -> list[str]:
        """Where ``composer.json`` looks for the class."""
        path = self._around.path
        folder = posixpath.dirname(path)
        while True:
            roots, _ = autoloads(self._around.text(posixpath.join(folder, "composer.json")))
            if roots or not folder:
                break
            folder = posixpath.dirname(folder)
        return [
            posixpath.normpath(posixpath.join(folder, place, whole[len(root) :].replace("\\", "/") + ".php"))
            for root, place in roots
            if whole.startswith(root)
        ]  # fmt: skip


def _stands(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w\\$>]){name}(?![\w\\])", code_of(text)) is not None


@lru_cache(maxsize=8)
def autoloads(text: str) -> tuple[tuple[tuple[str, str], ...], bool]:
    """Namespaces with their folders, and whether no required package may share them."""
    try:
        told = json.loads(text)
        rows = [
            row
            for part in ("autoload", "autoload-dev")
            for row in told.get(part, {}).get("psr-4", {}).items()
        ]
        found = tuple(
            (space, folder)
            for space, folders in rows
            for folder in ([folders] if isinstance(folders, str) else folders)
            if space
        )
        house = str(told.get("name", "")).partition("/")[0].lower()
        required = [*told.get("require", {}), *told.get("require-dev", {})]
        return found, not any(house and name.lower().startswith(f"{house}/") for name in required)
    except (ValueError, AttributeError, TypeError):
        return (), False
