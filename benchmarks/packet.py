"""Builds a packet of 5,000 files in a fresh process, and fails when it costs too much.

    python benchmarks/packet.py [number of files]

The bound is on processor time, so that a busy machine does not fail it; the time on the wall is
shown beside it.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from yardstick import slowness

FILES = 5000
RUNS = 3
SECONDS = 2.0
MEGABYTES = 150.0

WORDS = """
    account address amount balance batch buffer cache client column config context counter cursor
    customer database default delta device document duration element endpoint entry event field
    filter folder format frame gateway group handler header height history image index invoice item
    journal label layer length limit listener locale manager mapping message method metric module
    network number object offset option order owner package parent parser payload period policy
    position price process profile project property provider query queue range reader record
    region report request resource response result retry route rule schema scope segment server
    service session setting signal source status storage stream string table target template
    thread timeout token total transfer tree update upload user value version view window worker
""".split()  # noqa: SIM905

METHOD = '''
    def {verb}_{a}_{b}(self, {a}: str, {b}: int = {n}) -> dict[str, object]:
        """Return the {c} of a {a}, counted from {n}."""
        if not {a} or {b} < {m}:
            raise ValueError(f"{a} {{{a}!r}} has no {c} below {{{b}}}")
        {c}_by_{d} = {{item.{d}: item for item in self._{c}s if item.{a} == {a}}}
        logger.debug("%s {c}s for %s", len({c}_by_{d}), {a})
        return {{"{c}": {c}_by_{d}.get({b}), "{d}": self.{d}, "total": len({c}_by_{d})}}
'''

CLASS = '''"""Keeps the {c} of each {a}; see https://example.com/docs/{a}/{c} for the format."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)


@dataclass
class {A}{C}Service:
    """One {a} and what belongs to its {c}."""

    {a}: str
    {d}: int = {n}
    api_token: str | None = None
    _{c}s: list[{A}] = field(default_factory=list)
'''


def write_file(path: Path, pick: random.Random) -> None:
    """One ordinary module of 3 to 4 kilobytes."""
    words = {name: pick.choice(WORDS) for name in "acd"}
    text = CLASS.format(
        **words, A=words["a"].title(), C=words["c"].title(), n=pick.randrange(1, 500)
    )
    size = pick.randrange(3000, 3800)
    while len(text) < size:
        names = {name: pick.choice(WORDS) for name in "abcd"}
        verb = pick.choice(("load", "find", "count", "update", "remove", "check"))
        text += METHOD.format(**names, verb=verb, n=pick.randrange(500), m=pick.randrange(9))
    if pick.random() < 0.02:  # a constant that deserves a closer look
        text += f'\nCHECKSUM = "{pick.randbytes(20).hex()}"\nKEY = "{pick.randbytes(16).hex()}"\n'
    path.write_text(text, encoding="utf-8")


def make_repository(root: Path, count: int) -> None:
    """A repository with so many tracked files, fifty a folder, and a few that are untracked."""
    pick = random.Random(20240501)
    git = ("git", "-C", str(root), "-c", "user.name=b", "-c", "user.email=b@example.com")
    subprocess.run((*git, "init", "-q"), check=True)
    for number in range(count):
        folder = root / "src" / f"package_{number // 50:03}"
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / f"{pick.choice(WORDS)}_{number:04}.py", pick)
    subprocess.run((*git, "add", "."), check=True)
    subprocess.run((*git, "commit", "-q", "-m", "all"), check=True)


def build(root: Path) -> None:
    """Build the packet and print what it cost this process and the git processes it started."""
    before = time.perf_counter()
    from guildmoot.packet import PacketRequest, build_packet

    packet = build_packet(PacketRequest(targets=(".",), cwd=root))
    wall = time.perf_counter() - before
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    # Kilobytes on Linux, bytes on macOS.
    peak = max(own.ru_maxrss, children.ru_maxrss) / (1e6 if sys.platform == "darwin" else 1e3)
    print(len(packet.files), len(packet.masked), wall, cpu, peak)


def measure(folder: str) -> tuple[float, ...]:
    """What one build in a process of its own costs."""
    command = (sys.executable, __file__, "--build", folder)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return tuple(map(float, done.stdout.split()))


def main() -> int:
    """Make the repository, build in a fresh process, compare with the bounds."""
    if sys.argv[1:2] == ["--build"]:
        build(Path(sys.argv[2]))
        return 0
    count = int(sys.argv[1]) if sys.argv[1:] else FILES
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_repository(root, count)
        runs = [measure(folder) for _ in range(RUNS)]
    files, masked, wall, cpu, peak = min(runs, key=lambda run: run[3])
    if files != count:
        print(f"packet holds {files:.0f} files instead of {count}")
        return 1
    bound = SECONDS * slowness()
    print(
        f"packet of {count} files: {cpu:.2f} s ({cpu / bound:.2f} of the {bound:.1f} s bound; "
        f"{wall:.2f} s on the wall), {peak:.0f} MB ({peak / MEGABYTES:.2f} of "
        f"{MEGABYTES:.0f} MB), {masked:.0f} maskings; best of {RUNS}"
    )
    return 0 if cpu < bound and peak < MEGABYTES else 1


if __name__ == "__main__":
    raise SystemExit(main())
