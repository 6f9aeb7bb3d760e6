"""A page of the wiki: Markdown below front matter. Reads and writes its text; touches no file.

Front matter is read quickly where it is written plainly, and by the careful reader of agent files where not.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from guildmoot.errors import UsageError, did_you_mean
from guildmoot.text.patterns import lazy

FOLDERS = {
    "context": "context",
    "standard": "standards",
    "product": "products",
    "entity": "entities",
    "concept": "concepts",
    "decision": "decisions",
    "source": "sources",
}
"""The seven categories and their folders."""
KINDS = {folder: kind for kind, folder in FOLDERS.items()}
REQUIRED = ("type", "owner", "confidence", "source_refs", "created_at", "updated_at", "sensitivity")
CONFIDENCES = ("low", "medium", "high")
SENSITIVITIES = ("public", "internal", "confidential", "secret")

Fact = str | None | list[str]
_PLAIN_LINE = lazy(r"([A-Za-z][\w-]*):(?:[ \t]+(\S.*?))?[ \t]*")
_PLAIN_VALUE = lazy(r"[\w(/.+@-][\w ()/.,+@=;'’-]*(?::[\w/.-][\w ()/.,+@=:-]*)*")
_PLAIN_LIST = lazy(r"\[([\w /.,@+-]*)\]")
_HEADING = lazy(r" {0,3}#{1,2}[ \t]+(.+?)[ \t]*#*")
_UNDERLINE = lazy(r"(?:={3,}|-{3,})[ \t]*")
_PICTURE = lazy(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?")
_LINK = lazy(r"\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_TAG = lazy(r"</?[A-Za-z][^<>\n]{0,400}>|<!--[^\n]*?-->")
_ATTRIBUTES = lazy(r"[ \t]*\{:?[ \t]*[#.][^{}\n]{0,200}\}[ \t]*$")
"""What some kinds of Markdown write behind a heading: ``{ #anchor .class }``."""
_TITLE_TAG = lazy(r"(?is)<h[12]\b[^<>]{0,200}>(.{1,400}?)</h[12]>")
_OUR_ENDING = "\n## Source\n\n- capture: .guild/raw/"
_OUR_WORDS = lazy(
    r"(?m)^(?:## (?:Summary|Key points|Text(?: \(the first [\d,]+ characters\))?)"
    r"|_Sentences of the source, chosen by their words(?:; no model was asked|, not by a model)\._"
    r"|_Written by [^\n]{1,120}; nobody checked it against the source\._)\n+"
)
_CITED = lazy(r"(?m)^(- [^\n]+) \[[a-z0-9-]{2,60}\]$")
_NAMED = 60
_SLUG = lazy(r"[a-z0-9][a-z0-9-]{0,58}[a-z0-9]")


class WikiPage(NamedTuple):
    """A page as its text tells it."""

    path: str
    """Below the wiki: ``concepts/cache.md``."""
    facts: Mapping[str, Fact]
    body: str
    problem: str = ""
    """Why its front matter cannot be read; such a page is listed and not recalled."""

    @property
    def category(self) -> str:
        """The category by its folder."""
        return KINDS.get(self.path.partition("/")[0], "")

    @property
    def slug(self) -> str:
        """Its name without folder and ending."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def title(self) -> str:
        """Its first heading in plain words, else what the front matter says, else its name in words."""
        told = self.facts.get("title")
        heading = first_heading(self.body[:20_000])
        if heading:
            return heading
        return told if isinstance(told, str) and told else self.slug.replace("-", " ")

    @property
    def said(self) -> str:
        """Its body without what we put around a source: that is found by nobody, and shown to nobody."""
        end = self.body.rfind(_OUR_ENDING)
        if end < 0:
            return self.body
        head, mark, text = self.body[:end].partition("\n## Text")
        return _OUR_WORDS.sub("", _CITED.sub(r"\1", head) + mark + text)

    @property
    def quoted(self) -> str:
        """The source's own text where the page was made of one, else its body: what an answer shows."""
        end = self.body.rfind(_OUR_ENDING)
        text = self.body[:end].partition("\n## Text")[2].partition("\n")[2] if end >= 0 else ""
        return text.strip() or self.said

    def fact(self, name: str) -> str:
        """One fact as text; empty when it is not told."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""

    def several(self, name: str) -> list[str]:
        """A fact that is a list; a single text is a list of one."""
        value = self.facts.get(name)
        if isinstance(value, str):
            return [value] if value else []
        return list(value) if value else []


def plain_title(text: str) -> str:
    """A heading without pictures, badges, links, tags, anchors and marks of code."""
    words = _TAG.sub("", _LINK.sub(r"\1", _PICTURE.sub("", _ATTRIBUTES.sub("", text))))
    return " ".join(words.replace("`", "").split()).strip("#*=|: \t")


def first_heading(body: str) -> str:
    """The first heading that has words: of Markdown, underlined, or a tag; what stands in code is none."""
    fenced, before = False, ""
    tag = _TITLE_TAG.search(body) if "<h" in body or "<H" in body else None
    place = 0
    for line in body.split("\n"):
        if tag and place >= tag.start() and (title := plain_title(tag[1].replace("\n", " "))):
            return title
        place += len(line) + 1
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            found = _HEADING.fullmatch(line)
            if found and (title := plain_title(found[1])):
                return title
            if line[:1] in "=-" and before and _UNDERLINE.fullmatch(line):
                return before
        before = plain_title(line) if not fenced and line[:1] not in "#-=*>|`" else ""
    return ""


def category_folder(word: str) -> str:
    """The folder of a category, named in the singular or the plural; UsageError for any other word."""
    low = word.strip().casefold().rstrip("/")
    folder = FOLDERS.get(low) or (low if low in KINDS else "")
    if not folder:
        known = ", ".join(FOLDERS)
        hint = did_you_mean(low, [*FOLDERS, *KINDS], f"There are: {known}.")
        raise UsageError(f"there is no category {word!r}", hint)
    return folder


def check_slug(slug: str) -> str:
    """The slug, when it is one: small letters, digits and hyphens, two to sixty."""
    if not _SLUG.fullmatch(slug):
        raise UsageError(
            f"{slug!r} is no name of a page",
            "Use small letters, digits and hyphens, 2 to 60 of them: --slug cache-policy",
        )
    return slug


def make_slug(title: str) -> str:
    """A name made of a title's words."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
    return slug if len(slug) >= 2 else ""


def name_of(title: str, file: str) -> str:
    """A title's words, where most of it can be written in plain letters; else the file's name, else a mark of it."""
    made = make_slug(title)
    if 2 * sum(map(str.isalnum, made)) < min(sum(map(str.isalnum, title)), _NAMED):
        made = make_slug(file.rpartition("/")[2].rpartition(".")[0]) or made
    return made or f"page-{hashlib.sha256(title.encode()).hexdigest()[:8]}"


def read_page(path: str, text: str) -> WikiPage:
    """A page from its text. One without front matter has no facts; one whose front matter is broken says why."""
    text = text.removeprefix("\ufeff")
    if not text.lstrip("\r\n ").startswith("---"):
        return WikiPage(path, {}, text)
    quick = _quick(text)
    if quick is not None:
        return WikiPage(path, *quick)
    from guildmoot.agents.frontmatter import parse
    from guildmoot.agents.plainyaml import FrontMatterError

    try:
        front = parse(text)
    except FrontMatterError as wrong:
        return WikiPage(path, {}, text, str(wrong))
    facts: dict[str, Fact] = {}
    for key, value in front.data.items():
        if isinstance(value, list):
            facts[key] = [each for each in value if isinstance(each, str)]
        elif not isinstance(value, dict):
            facts[key] = value
    return WikiPage(path, facts, front.body)


def _quick(text: str) -> tuple[dict[str, Fact], str] | None:
    """Facts and body where every line is ``key: plain value``, as we write them; None where it is not."""
    if not text.startswith("---\n"):
        return None
    end = text.find("\n---\n", 3)
    if end < 0 or end > 64_000:
        return None
    facts: dict[str, Fact] = {}
    for line in text[4:end].split("\n"):
        entry = _PLAIN_LINE.fullmatch(line)
        if not entry or entry[1] in facts:
            return None
        value = entry[2] or ""
        if value in ("", "null", "~"):
            facts[entry[1]] = None
        elif value.startswith("["):
            listed = _PLAIN_LIST.fullmatch(value)
            if not listed:
                return None
            facts[entry[1]] = [each.strip() for each in listed[1].split(",") if each.strip()]
        elif value.startswith('"'):
            try:
                told = json.loads(value)
            except ValueError:
                return None
            if not isinstance(told, str):
                return None
            facts[entry[1]] = told
        elif _PLAIN_VALUE.fullmatch(value):
            facts[entry[1]] = value
        else:
            return None
    return facts, text[end + 5 :].strip("\n")


def write_page(facts: Mapping[str, Fact], body: str) -> str:
    """The text of a page."""
    lines = [f"{key}: {_written(value)}".rstrip() for key, value in facts.items()]
    return "\n".join(["---", *lines, "---", "", body.strip("\n"), ""])


def _written(value: Fact) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        plain = _PLAIN_VALUE.fullmatch(value) and value not in ("null", "~", "yes", "no")
        return value if plain and value == value.strip() else json.dumps(value, ensure_ascii=False)
    return _listed(value)


def _listed(values: Sequence[str]) -> str:
    text = ", ".join(values)
    plain = _PLAIN_LIST.fullmatch(f"[{text}]") and not any("," in each for each in values)
    return f"[{text}]" if plain else json.dumps(list(values), ensure_ascii=False)


def is_date(text: str) -> bool:
    """Whether it is a day such as 2026-11-17, perhaps with a time."""
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return len(text) == 10 or text[10:11] in ("T", " ")
