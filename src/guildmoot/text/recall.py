"""Which texts speak of a question: one scorer over paths, names and words (BM25), pure and bounded by its caller.

A word counts the more the rarer it is; in a path, a definition or a heading it counts more than in a text.
``cacheSize`` and ``cache_size`` hold the words cache and size.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from guildmoot.text.definitions import defined_names, headings
from guildmoot.text.english import ALL_STOP_WORDS, stem, word_set
from guildmoot.text.globs import matches

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIER = re.compile(
    r"(?<![\w/])(?:\w+\.)*(?P<name>\w*(?:[a-z][A-Z]|[A-Z]{2,}[a-z]|\w_\w)\w*|\w+(?=\(\)))"
)
"""A name of code in a question, by its shape: ``res.sendFile``, ``WSGITransport``, ``iter_bytes``, ``retry()``."""
_SATURATION, _LENGTH = 1.2, 0.75
_IN_PATH = 3.0
_IN_NAMES = 2.0
_DEFINED = 12.0
"""What a file gains that defines a name which the question writes as code does, or is called so."""
_ON_TOPIC = 6.0
_MOST_TOLD = 3
"""Names by which a file was found that are told."""
_LEAST = 0.35
"""Share of the best score that a text must reach to be shown beside it."""
_NOUNS = ("ion", "ment", "or", "er", "at")
_SHORTEST_ROOT = 5
_VAGUE = word_set("""
approach best better bottleneck code codebase current good idea improve make option pattern problem project question
repo repository strategy system thing way work
""")
_TOPICS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "ci cd pipeline workflow action release deploy build",
        (
            ".github/workflows/", ".gitlab-ci.yml", ".circleci/", "azure-pipelines.yml", "Jenkinsfile", ".ci/",
            ".travis.yml", "bitbucket-pipelines.yml", ".buildkite/", "Makefile", "noxfile.py", "tox.ini",
        ),
    ),
    (
        "container docker image kubernetes k8s helm cluster infrastructure terraform",
        (
            "Dockerfile*", "docker-compose*", "compose.y*ml", "k8s/", "kubernetes/", "charts/", "helm/",
            "deploy/", "*.tf",
        ),
    ),
    (
        "dependency upgrade package version",
        (
            "pyproject.toml", "package.json", "go.mod", "Cargo.toml", "requirements*.txt", "pom.xml",
            "build.gradle*", "Gemfile", "composer.json",
        ),
    ),
    (
        "lint linter linting format formatter style eslint prettier ruff flake8 pylint mypy clippy phpstan psalm",
        (
            ".eslintrc*", "eslint.config.*", ".prettierrc*", "biome.json", "pyproject.toml", "setup.cfg", "ruff.toml",
            ".flake8", ".pylintrc", "mypy.ini", ".pre-commit-config.yaml", ".golangci.y*ml", "clippy.toml",
            "rustfmt.toml", ".rubocop.yml", ".editorconfig", "phpstan*", "psalm.xml", ".php-cs-fixer*",
        ),
    ),
    (
        "configuration config setting environment",
        ("*.toml", "*.ini", "*.cfg", ".env.example", "config/", "settings/", "*settings*", "*config*"),
    ),
)  # fmt: skip
"""Words of a question, and the files that it is then about whatever their words are."""


def words_of(text: str) -> list[str]:
    """The stems of a text's words, names taken apart; words that say nothing are left out."""
    plain = (match[0].lower() for match in _WORD.finditer(text))
    return [_root(word) for word in plain if len(word) > 1 and word not in ALL_STOP_WORDS]


@lru_cache(maxsize=4096)
def _root(word: str) -> str:
    """The stem without what makes a noun of a verb: "eviction" and "evict" are one word here."""
    short = stem(word)
    for ending in _NOUNS:
        if short.endswith(ending) and len(short) - len(ending) >= _SHORTEST_ROOT:
            short = short.removesuffix(ending)
    return short


def telling_words(question: str) -> frozenset[str]:
    """The stems that tell what a question is about."""
    return frozenset(words_of(question)) - set(map(_root, _VAGUE))


def identifiers(question: str) -> frozenset[str]:
    """The names in a question that are written as code writes them."""
    return frozenset(found["name"] for found in _IDENTIFIER.finditer(question))


def on_topic(path: str, asked: Iterable[str]) -> bool:
    """Whether the question's words are about such a file, e.g. a workflow where it speaks of CI."""
    words = frozenset(asked)
    return any(
        words & set(map(_root, about.split())) and matches(path, globs) for about, globs in _TOPICS
    )


def path_score(path: str, asked: frozenset[str]) -> float:
    """How much of the question a path alone holds; what is read first where not all can be."""
    return len(asked & set(words_of(path))) + (2.0 if on_topic(path, asked) else 0.0)


def rank_texts(question: str, texts: Mapping[str, str], others: int = 0) -> list[tuple[str, float]]:
    """The paths whose text or name speaks of the question, the best first; those far behind it are left out.

    ``others`` is how many more texts there are that hold none of its words.
    """
    asked = telling_words(question)
    counted = {path: Counter(words_of(text)) for path, text in texts.items()}
    named = {path: set(words_of(path)) for path in texts}
    given = {path: _given(path, text) for path, text in texts.items()}
    mean = sum(map(Counter.total, counted.values())) / max(len(texts), 1) or 1.0
    total = max(len(texts) + others, 1)
    weight = {}
    for word in asked:
        holders = sum(word in counted[path] or word in named[path] for path in texts)
        weight[word] = math.log(1 + (total - holders + 0.5) / (holders + 0.5)) if holders else 0.0
    names = identifiers(question)
    scores = []
    for path, words in counted.items():
        length = 1 - _LENGTH + _LENGTH * words.total() / mean
        score = _ON_TOPIC if on_topic(path, asked) else 0.0
        for word in asked:
            often = words[word]
            score += weight[word] * often * (_SATURATION + 1) / (often + _SATURATION * length)
            score += weight[word] * _IN_PATH * (word in named[path])
            score += weight[word] * _IN_NAMES * (word in given[path])
        score += _DEFINED * sum(_is_called(name, path, texts[path]) for name in names)
        scores.append((path, score))
    best = max((score for _, score in scores), default=0.0)
    kept = [each for each in scores if each[1] > 0 and each[1] >= _LEAST * best]
    return sorted(kept, key=lambda each: (-each[1], each[0]))


def _given(path: str, text: str) -> set[str]:
    """The stems of the names that a file gives."""
    return {
        word for name in (*defined_names(text), *headings(path, text)) for word in words_of(name)
    }


def _is_called(name: str, path: str, text: str) -> bool:
    """Whether a file defines a name, or is itself called so."""
    parts = re.split(r"[/.]", path.casefold())
    return name.casefold() in parts or (name in text and name in defined_names(text))


def is_named(question: str, path: str, text: str) -> bool:
    """Whether a name of the file holds a word of the question: its own, a definition, a heading, or its kind."""
    asked = telling_words(question)
    return (
        bool(asked & set(words_of(path)))
        or bool(asked & _given(path, text))
        or on_topic(path, asked)
        or any(_is_called(name, path, text) for name in identifiers(question))
    )


class Held(NamedTuple):
    """The stems of a question that a file holds."""

    names: frozenset[str] = frozenset()
    """In its path, a definition or a heading, or by its kind."""
    words: frozenset[str] = frozenset()
    """In its text, in the very word or its plural: "consumed" is no consumer."""

    def has(self, word: str, *, named: bool = False) -> bool:
        """Whether it holds all of a word, which may be a name of several."""
        stems = frozenset(words_of(word))
        return bool(stems) and stems <= (self.names if named else self.names | self.words)


def held_in(question: str, path: str, text: str) -> Held:
    """What of a question's words stands in a file."""
    asked = frozenset(words_of(question))
    names = asked & (set(words_of(path)) | _given(path, text))
    names |= {word for word in asked if on_topic(path, (word,))}
    spoken = {_singular(each[0].lower()) for each in _WORD.finditer(text)}
    plain = {each[0].lower() for each in _WORD.finditer(question)}
    words = {stem for each in plain if _singular(each) in spoken for stem in words_of(each)}
    return Held(frozenset(names), frozenset(words))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s").removesuffix("e")


def why_found(question: str, path: str, text: str) -> str:
    """By what of a file a question found it."""
    asked = telling_words(question)
    defined = _holding(defined_names(text), asked)
    if defined:
        return f"defines {', '.join(defined)}"
    if asked & set(words_of(path)):
        return "its path says so"
    titles = _holding(headings(path, text), asked)
    if titles:
        return f'has the heading "{titles[0]}"'
    if on_topic(path, asked):
        return "is a file of that kind"
    spoken = _holding((match[0] for match in _WORD.finditer(text)), asked)
    return f"speaks of {', '.join(spoken)}"


def _holding(names: Iterable[str], asked: frozenset[str]) -> list[str]:
    """The first of the names that hold a word of the question, each once."""
    found = (name for name in names if asked & set(words_of(name)))
    return list(islice(dict.fromkeys(found), _MOST_TOLD))
