"""How well secrets are told from ordinary work, and how fast.

    python benchmarks/secrets.py [FOLDER ...]

Recall is counted on the tables of tests/security (masked, and nothing of the secret left); false alarms
on the folders given, or this environment's packages; speed on base64, prose, minified code and the hostile texts. Nothing in the folders is run.
"""

from __future__ import annotations

import base64
import random
import re
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from guildmoot.agents.tools.secrets import secrets  # noqa: E402
from guildmoot.guard.scrub import Scrubber  # noqa: E402
from guildmoot.guard.secrets import mask  # noqa: E402
from security import log_corpus  # noqa: E402
from security.secret_words import HOSTILE, LEAKS, ORDINARY, TOKENS, made  # noqa: E402

_LARGEST = 1_000_000


def main(folders: list[str]) -> int:
    """Prints the figures."""
    shapes = [
        ("a.txt", f'x = "{made(shape)}"', made(shape)[-12:].rstrip("=")) for shape in TOKENS.split()
    ]
    rows = [*LEAKS, *shapes]
    held = sum(
        not any(secret in mask(text, path)[0] for secret in gone) for path, text, *gone in rows
    )
    clean = sum(mask(text, path)[0] == text for path, text in ORDINARY)
    print(f"recall        {held} of {len(rows)} secrets masked")
    print(f"ordinary      {clean} of {len(ORDINARY)} snippets untouched")
    _logs()
    for folder in folders or [sysconfig.get_path("purelib")]:
        _alarms(folder, list(_texts(folder)))
    for name, text in _samples():
        print(f"speed         {_speed(text):.1f} MB/s on {name}")
    speeds = sorted(
        (
            _speed(piece * (1_000_000 // len(piece))),
            _speed(piece * (2_000_000 // len(piece))),
            piece,
        )
        for piece in HOSTILE
    )
    slow, twice, piece = speeds[0]
    print(
        f"hostile       {len(speeds)} texts, slowest {slow:.1f} MB/s ({twice:.1f} at twice the size): {piece[:20]!r}"
    )
    return 0


def _logs() -> None:
    """The corpus of what agents log, through the door that everything below .guild goes through."""
    scrubber = Scrubber()
    found = Counter[str]()
    every = Counter[str]()
    for family, text, left in log_corpus.secrets():
        every[family] += 1
        found[family] += left not in scrubber.text(text).text
    missed = {name: f"{found[name]}/{every[name]}" for name in every if found[name] < every[name]}
    held, total = found.total(), every.total()
    alike = list(log_corpus.lookalikes())
    alarms = [(kind, text) for kind, text in alike if scrubber.text(text).text != text]
    print(
        f"logs          {held} of {total} secrets in {len(every)} families masked ({held / total:.1%}); short: {missed or 'none'}"
    )
    print(
        f"lookalikes    {len(alarms)} of {len(alike)} masked; precision {held / (held + len(alarms)):.1%}"
    )
    for kind, text in alarms[:5]:
        print(f"              {kind}: {text[:70]!r}")


def _speed(text: str) -> float:
    """Megabytes a second of processor time."""
    began = time.process_time()
    mask(text, "a.txt")
    return len(text) / 1e6 / (time.process_time() - began)


def _texts(folder: str) -> Iterator[tuple[str, str]]:
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.stat().st_size <= _LARGEST and ".git/" not in f"{path}/":
            try:
                yield str(path.relative_to(folder)), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def _alarms(folder: str, texts: list[tuple[str, str]]) -> None:
    masked = [item for path, text in texts for item in mask(text, path)[1]]
    manifest = {
        "files": [{"path": path} for path, _ in texts],
        "masked": [item._asdict() for item in masked],
        "omitted": [],
    }
    told = [finding.code for finding in secrets(manifest)]
    size = sum(len(text) for _, text in texts) / 1e6
    print(
        f"real source   {Path(folder).name}: {len(texts)} files, {size:.1f} MB; per 1,000 files {_rate(len(masked), texts)} masked,"
        f" {_rate(told.count('possible-secret'), texts)} advisories, {_rate(told.count('secret'), texts)} blocking"
    )


def _rate(count: int, texts: list[tuple[str, str]]) -> str:
    return f"{1000 * count / max(1, len(texts)):.1f}"


def _samples() -> Iterator[tuple[str, str]]:
    rng = random.Random(1)
    yield "base64, one line", base64.b64encode(rng.randbytes(3_000_000)).decode()
    prose = "\n".join(
        (ROOT / "docs").joinpath(name).read_text()
        for name in ("reviews.md", "council.md", "models.md")
    )
    yield "prose", prose * (2_000_000 // len(prose))
    code = re.sub(r"\s+", " ", (ROOT / "src/guildmoot/config.py").read_text())
    yield "minified code", code * (2_000_000 // len(code))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
