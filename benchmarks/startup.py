"""Start-up: ``guild --version`` and the compatible verbs against a bare interpreter, the least of one run each."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

BOUND = 2.5
ROUNDS = 40
BIN = Path(sys.executable).parent


def once(argv: list[str], stdin: bytes) -> float:
    """Processor seconds of one run, which a busy machine changes little."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, input=stdin, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print the ratios; 1 when a bound is missed."""
    panel = b'[{"agent": "a", "output": "VERDICT: flagged\\n\\nReasons:\\n- bad: it is\\n"}]'
    commands = {
        "guild --version": ([str(BIN / "guild"), "--version"], b""),
        "guild parse-and-aggregate": ([str(BIN / "guild"), "parse-and-aggregate"], panel),
    }
    source = Path(__file__).parents[1] / "src"
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(source)], check=False)
    bare = [sys.executable, "-c", "pass"]
    times: dict[str, list[float]] = {"bare": [], **{name: [] for name in commands}}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment hits all of them alike
        times["bare"].append(once(bare, b""))
        for name, (argv, stdin) in commands.items():
            times[name].append(once(argv, stdin))
    base = min(times["bare"])
    print(f"bare python -c pass: {base * 1000:.1f} ms")
    missed = 0
    for name in commands:
        least = min(times[name])
        ratio = least / base
        missed += ratio > BOUND
        print(f"{name}: {least * 1000:.1f} ms, {ratio:.2f} times bare (bound {BOUND})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
