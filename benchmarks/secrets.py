"""How well secrets are told from ordinary work, and how fast.

    python benchmarks/secrets.py [FOLDER ...]

Recall is counted on the tables of tests/security (masked, and nothing of the secret left); false alarms
on the folders given, or this environment's packages; speed on base64, prose and minified code. With
detect-secrets installed its figures stand beside. Nothing in the folders is run.
"""

from __future__ import annotations

import base64
import importlib.util
import random
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from guildmoot.agents.tools.secrets import secrets  # noqa: E402
from guildmoot.guard.secrets import mask  # noqa: E402
from security.secret_words import LEAKS, ORDINARY, TOKENS, made  # noqa: E402

Finder = Callable[[str, str], int]
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
    texts = list(_texts(folders or [sysconfig.get_path("purelib")]))
    print(f"real source   {len(texts)} files, {sum(len(text) for _, text in texts) / 1e6:.1f} MB")
    _alarms("guildmoot", texts)
    plain = _detect_secrets()
    if plain:
        found = sum(plain(text, path) > 0 for path, text, *_ in rows)
        alarms = [plain(text, path) for path, text in texts]
        print(
            f"  detect-secrets: {found} of {len(rows)} secrets noticed; findings per 1,000 files: {_rate(sum(alarms), texts)}"
        )
    for name, text in _samples():
        began = time.process_time()
        mask(text, "a.txt")
        print(f"speed         {len(text) / 1e6 / (time.process_time() - began):.1f} MB/s on {name}")
    return 0


def _texts(folders: list[str]) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.stat().st_size <= _LARGEST and ".git/" not in f"{path}/":
                try:
                    yield str(path.relative_to(folder)), path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue


def _alarms(name: str, texts: list[tuple[str, str]]) -> None:
    masked = [item for path, text in texts for item in mask(text, path)[1]]
    manifest = {
        "files": [{"path": path} for path, _ in texts],
        "masked": [item._asdict() for item in masked],
        "omitted": [],
    }
    told = [finding.code for finding in secrets(manifest)]
    print(
        f"  {name}, per 1,000 files: {_rate(len(masked), texts)} masked, {_rate(told.count('possible-secret'), texts)} advisories,"
        f" {_rate(told.count('secret'), texts)} blocking"
    )


def _rate(count: int, texts: list[tuple[str, str]]) -> str:
    return f"{1000 * count / max(1, len(texts)):.1f}"


def _detect_secrets() -> Finder | None:
    if not importlib.util.find_spec("detect_secrets"):
        return None
    import detect_secrets  # type: ignore[import-not-found,unused-ignore]  # noqa: F401
    from detect_secrets.core.scan import scan_line  # type: ignore[import-not-found,unused-ignore]
    from detect_secrets.settings import default_settings  # type: ignore[import-not-found,unused-ignore]

    def find(text: str, _: str) -> int:
        with default_settings():
            return sum(1 for line in text.splitlines() if len(line) < 2000 for _ in scan_line(line))

    return find


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
