"""One program that a command would start: its words, where it runs and what flows into it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container


class Invocation:
    """A simple command after expansion. ``words`` is empty for a redirect or an assignment alone."""

    __slots__ = (
        *(
            "appends",
            "assigns",
            "cwd",
            "feeds",
            "inputs",
            "local",
            "name",
            "opened",
            "outputs",
            "parent",
            "remote",
            "source",
            "stdin",
            "text",
            "via",
        ),
        "words",
    )

    def __init__(self, words: list[str], cwd: str, text: str) -> None:
        first = words[0] if words else ""
        self.name = first.replace("\\", "/").rpartition("/")[2]
        """The program without its folder."""
        valued = _VALUED.get(self.name)
        self.words = _parted(words, *valued) if valued else words
        """Options and their values as words of their own, where a rule looks for a value."""
        self.cwd = cwd
        self.text = text
        """The words as they were written, without assignments before them and redirects."""
        self.source = text
        """All of it as it was written."""
        self.assigns: tuple[tuple[str, str], ...] = ()
        """Variables set for this command alone."""
        self.outputs: tuple[str, ...] = ()
        """Files that redirects would write."""
        self.appends = False
        """Redirects add to their files."""
        self.inputs: tuple[str, ...] = ()
        """Files that redirects would read."""
        self.stdin: str | None = None
        """Standard input where it is known."""
        self.feeds: tuple[Invocation, ...] = ()
        """Programs whose output this one gets: by a pipe, a substitution in its words, a process file."""
        self.via: tuple[str, ...] = ()
        """The wrappers that start it, outermost first."""
        self.opened = False
        """What it starts was looked into as commands of their own."""
        self.local = False
        """A function or an alias that this same command defines."""
        self.parent: Invocation | None = None
        """The wrapper whose words it stands among."""
        self.remote = ""
        """``ssh`` or ``container`` where it does not run on this machine's files."""

    def like(self, words: list[str]) -> Invocation:
        """Another command in the same surroundings."""
        made = Invocation(words, self.cwd, self.text)
        made.source, made.assigns, made.stdin = self.source, self.assigns, self.stdin
        made.feeds, made.via, made.remote = self.feeds, self.via, self.remote
        made.inputs, made.outputs, made.appends = self.inputs, self.outputs, self.appends
        return made


_SQL, _WEB = ("cdfhUvo", "p"), ("XdFTHuoAebcCDEKmPQrtUwxyYz", "")
_VALUED = {
    # the letters that take a value, and those behind which a value may only stand in the same word
    **dict.fromkeys(("sed", "gsed"), ("ef", "il")), **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), ("eFfvi", "")),
    "psql": _SQL, "mysql": ("ehuPDS", "p"), "mariadb": ("ehuPDS", "p"), "curl": _WEB, "su": ("csgG", ""),
    "runuser": ("csgGu", ""), "script": ("cEIOBTmo", ""), "gh": ("X", ""), "glab": ("X", ""), "flock": ("cwE", ""),
    "duckdb": ("cs", ""), "sqlcmd": ("QqSUPdi", ""), "cqlsh": ("efku", ""), "wget": ("OPUoaieBQTt", ""),
}  # fmt: skip


def _parted(words: list[str], valued: str, attached: str) -> list[str]:
    """``-sXDELETE`` as ``-s -X DELETE``: a value in the word of its option, which getopt takes apart."""
    parted: list[str] = words[:1]
    ended = False
    for word in words[1:]:
        ended = ended or word == "--"
        at = 0
        if word[:1] == "-" != word[1:2] and len(word) > 2 and not ended:
            letters = enumerate(word[1:], 1)
            at = next((at for at, each in letters if each in valued or each in attached), 0)
        if at and word[at] in valued and word[at + 1 :]:
            parted += [word[:at], f"-{word[at]}"] if at > 1 else [f"-{word[at]}"]
            parted.append(word[at + 1 :])
        else:
            parted.append(word)
    return parted


class Arguments:
    """The words after a program: options and operands, as getopt would part them."""

    __slots__ = ("operands", "options", "rest")

    def __init__(
        self, words: list[str], valued: Container[str] = (), *, stop: bool = False
    ) -> None:
        """``valued`` names options that take the next word; ``stop`` ends at the first operand."""
        self.options: dict[str, str] = {}
        """Each option with its value; clusters like ``-rf`` are taken apart."""
        self.operands: list[str] = []
        self.rest: list[str] = []
        """With ``stop``: the first operand and all behind it."""
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--":
                self.operands += words[at:]
                self.rest = words[at:]
                return
            if len(word) < 2 or word[0] != "-":
                if stop:
                    self.rest = words[at - 1 :]
                    return
                self.operands.append(word)
                continue
            if word in valued:
                self.options[word] = words[at] if at < len(words) else ""
                at += 1
            elif word.startswith("--"):
                name, _, value = word.partition("=")
                self.options[name] = value
            else:
                at += self._cluster(word, valued, words[at] if at < len(words) else "")

    def _cluster(self, word: str, valued: Container[str], following: str) -> int:
        """``-rf``, ``-n5``; 1 when the next word was its value."""
        self.options[word] = ""
        for index, letter in enumerate(word[1:], 1):
            option = f"-{letter}"
            if option in valued:
                rest = word[index + 1 :]
                self.options[option] = rest or following
                return 0 if rest else 1
            self.options[option] = ""
        return 0

    def has(self, *names: str) -> bool:
        """Whether any of these options is given."""
        return any(name in self.options for name in names)
