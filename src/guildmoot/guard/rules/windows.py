"""Windows commands that reach a Unix guard through cmd, PowerShell or a shell of Windows."""

from __future__ import annotations

from guildmoot.guard.commands.words import names
from guildmoot.guard.rules.rulings import ruling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.decision import Decision
    from guildmoot.guard.site import Site

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_REMOVES = names("remove-item ri rm del erase rd rmdir deltree")
_DEEP = names("-recurse -r -rec /s -force -recurse:$true")
_DISKS = names("format format-volume clear-disk diskpart initialize-disk remove-partition cipher")
_GRAVE = names("vssadmin wbadmin bcdedit reg sc net schtasks set-executionpolicy set-mppreference")
_FETCHES = (
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "downloadstring",
    "downloadfile",
    "frombase64string",
)
_RUNS = ("iex", "invoke-expression", "start-process", "&")
_WIDE = (
    "c",
    "d",
    "~",
    "$home",
    "",
    "$env:userprofile",
    "$env:systemroot",
    "%userprofile%",
    "c:/windows",
    "c:/users",
)


def remove(run: Invocation, _site: Site) -> Iterator[Decision]:
    """``rd /s /q``, ``del /s``, ``Remove-Item -Recurse``."""
    low = [word.lower() for word in run.words]
    if low[0] == "rmdir" and "/s" not in low:
        return  # the one of Unix removes empty folders alone
    if _DEEP & {*low}:
        wide = any(_bare(word) in _WIDE for word in low[1:] if word[:1] not in "/-" or word == "/")
        yield ruling("delete-system" if wide else "delete-unknown")


def _bare(word: str) -> str:
    return word.strip("\"'").replace("\\", "/").rstrip("*/").rstrip(":")


def disk(_run: Invocation, _site: Site) -> Iterator[Decision]:
    yield ruling("disk")


def system(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Shadow copies, boot records, the registry, services, accounts: asking what is there is fine."""
    low = {word.lower().strip("/") for word in run.words[1:4]}
    if low & names(
        "delete add create change config stop disable unrestricted bypass user localgroup import"
    ):
        yield ruling("machine-change", run.name)


def judge_powershell(text: str, judge: Callable[[str], Decision]) -> Iterator[Decision]:
    """Its commands are words as in a shell; what is fetched or decoded and then run cannot be known."""
    low = text.lower()
    words = low.replace("(", " ").replace(")", " ").replace("|", " ").replace(";", " ").split()
    if any(each in low for each in _FETCHES) and any(each in words for each in _RUNS):
        yield ruling("remote-code")
    for part in text.replace("|", ";").replace("\n", ";").split(";"):
        if part.strip(" {}()"):
            yield judge(part.strip(" {}()").replace("\\", "/"))


RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(_REMOVES - {"rm"}, (remove,)), **dict.fromkeys(_DISKS - {"cipher"}, (disk,)), **dict.fromkeys(_GRAVE, (system,)),
}  # fmt: skip
