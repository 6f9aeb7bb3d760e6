"""Rules for Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.rules.model import Defect
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near


class DockerLine(NamedTuple):
    """An instruction with what it says, its continued lines joined."""

    line: int
    word: str
    rest: str


_SECRET = lazy(
    r"(?i)\b\w*(?:PASSWORD|SECRET|API_?KEY|ACCESS_KEY|AUTH_TOKEN|_TOKEN)\w*[= ]\s*[\"']?(?!\$)(?!.*(?:change|example|placeholder|xxx|your))[^\s\"'$]{6,}"
)
_FROM = lazy(r"(?:--from=|--mount=\S*\bfrom=)([\w-]+)(?=[\s,]|$)")
_STEM = 4
_NO_STAGE = "no stage is called `{name}`, so nothing can be copied from it"
_HEREDOC = lazy(r"<<-?\s*[\"']?(\w+)[\"']?")


def instructions(text: str) -> list[DockerLine]:
    """The instructions of a file; what stands in a here-document is none."""
    found: list[DockerLine] = []
    said: list[str] = []
    begun, end = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        if end:
            end = "" if line.strip() == end else end
            continue
        if line.lstrip().startswith("#") or (not line.strip() and said):
            continue
        begun = begun if said else number
        said.append(line.rstrip().removesuffix("\\"))
        if line.rstrip().endswith("\\"):
            continue
        word, _, rest = " ".join(said).strip().partition(" ")
        if word:
            found.append(DockerLine(begun, word.upper(), rest.strip()))
        heredoc = _HEREDOC.search(rest) if word.upper() in ("RUN", "COPY", "ADD") else None
        end = heredoc[1] if heredoc else ""
        said = []
    return found


def search_text(text: str) -> Iterator[Defect]:
    """What is wrong with a Dockerfile."""
    stages: set[str] = set()
    own = instructions(text)
    last: DockerLine | None = None
    once: dict[str, int] = {}
    for step in own:
        if step.word == "FROM":
            yield from _image(step, stages)
            stages |= stages_of([step])
            last, once = step, {}
        elif step.word in ("CMD", "ENTRYPOINT"):
            if step.word in once:
                message = f"only the last {step.word} of a stage counts; remove the other"
                yield Defect(once[step.word], "overwritten", message, "WARNING")
            once[step.word] = step.line
            if re.match(r"\[\s*'", step.rest):
                message = "a list in single quotes is no JSON, so a shell takes it as a word; use double quotes"
                yield Defect(step.line, "quotes", message, "ERROR")
        elif step.word == "RUN":
            yield from _run(step)
        elif step.word in ("ENV", "ARG") and _SECRET.search(step.rest):
            message = "a secret stays in the image for everybody who has it; mount it with --mount=type=secret"
            yield Defect(step.line, "secret-in-image", message, "WARNING")
    if last is not None:
        yield from _root(own[own.index(last) :], last)
    for name, line in sources(own):
        if name not in stages and any(_resembles(name, stage) for stage in stages):
            yield Defect(line, "unknown-stage", _NO_STAGE.format(name=name), "ERROR")


def gone_stages(before: str, after: str) -> Iterator[Defect]:
    """Stages that are copied from and that the file had before a change."""
    (then, _), (now, own) = (
        (stages_of(steps), steps) for steps in map(instructions, (before, after))
    )
    for name, line in sources(own):
        if name in then - now and not any(_resembles(name, stage) for stage in now):
            yield Defect(line, "unknown-stage", _NO_STAGE.format(name=name), "ERROR")


def stages_of(own: list[DockerLine]) -> set[str]:
    """The names of the stages."""
    named = (re.search(r"(?i)\sAS\s+(\S+)", step.rest) for step in own if step.word == "FROM")
    return {each[1].lower() for each in named if each}


def sources(own: list[DockerLine]) -> Iterator[tuple[str, int]]:
    """Stages that are copied from, with their lines; what may be an address of an image or a number is none."""
    for step in own:
        for name in _FROM.findall(step.rest) if step.word in ("COPY", "RUN") else ():
            if not name.isdigit():
                yield name.lower(), step.line


def _resembles(name: str, stage: str) -> bool:
    """Whether one of the two is a slip of the other, or the beginning of it: ``build`` and ``builder``."""
    return is_near(name, stage) or (
        min(len(name), len(stage)) >= _STEM and (name.startswith(stage) or stage.startswith(name))
    )


def _image(step: DockerLine, stages: set[str]) -> Iterator[Defect]:
    words = [word for word in step.rest.split() if not word.startswith("--")]
    image = words[0].strip("\"'") if words else ""
    if (
        not image
        or image.lower() in stages
        or image == "scratch"
        or "$" in image
        or "@" in image
        or "{{" in image
    ):
        return
    tag = image.rpartition("/")[2].partition(":")[2]
    if tag in ("", "latest"):
        message = "the image may be another one tomorrow; name a version or a digest"
        yield Defect(step.line, "floating-image", message, "INFO")


def _run(step: DockerLine) -> Iterator[Defect]:
    if re.fullmatch(r"cd\s+[^\s;&|]+", step.rest):
        message = "each RUN begins in the WORKDIR again, so this does nothing; use WORKDIR"
        yield Defect(step.line, "no-effect", message, "WARNING")
    if re.fullmatch(r"export\s+\w+=[^;&|]*", step.rest):
        message = "each RUN has a shell of its own, so this is forgotten; use ENV"
        yield Defect(step.line, "no-effect", message, "WARNING")
    for asked in re.finditer(r"\bapt-get\s+((?:-\S+\s+)*)install\b([^;&|]*)", step.rest):
        flags = f"{asked[1]} {asked[2]}"
        quiet = re.search(r"(?:^|\s)(?:-\w*y\w*|-qq\w*|--yes|--assume-yes|-\w*q=2)(?=\s|$)", flags)
        preset = "$" in flags or re.search(r"(?i)assume.?yes|\byes\s*\|", step.rest)
        if not quiet and not preset:
            message = "apt-get asks and nobody answers, so the build stops; add -y"
            yield Defect(step.line, "asks-nobody", message, "WARNING")
    if re.search(
        r"\b(?:curl|wget)\b[^|;&]*\shttp://(?!localhost|127\.)[^|;&]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b",
        step.rest,
    ):
        yield Defect(
            step.line, "piped-to-shell", "what comes over plain HTTP is run; use https", "WARNING"
        )
    if re.search(r"\bchmod\s+(?:-\w+\s+)*0?777\b", step.rest):
        message = "every user may change it; give fewer rights"
        yield Defect(step.line, "open-to-all", message, "WARNING")


def _root(stage: list[DockerLine], first: DockerLine) -> Iterator[Defect]:
    """The last stage runs as root when nobody says otherwise."""
    users = [step for step in stage if step.word == "USER"]
    starts = any(step.word in ("CMD", "ENTRYPOINT") for step in stage)
    nonroot = "nonroot" in first.rest or "unprivileged" in first.rest
    who = users[-1].rest.partition(":")[0] if users else "root"
    if starts and who in ("root", "0") and not nonroot:
        line = users[-1].line if users else stage[-1].line
        yield Defect(line, "runs-as-root", "the service runs as root; add USER", "INFO")
