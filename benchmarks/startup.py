"""Start-up: ``guild --version``, the compatible verbs and the MCP server's first answer against a bare interpreter.

The least processor time of one run each; for the server also the clock, since its clients wait for that.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

BOUND = 2.5
MCP_BOUND = 5.0
MCP_SECONDS = 0.150
"""Within which the first answer comes, 19 times in 20."""
ROUNDS = 40
BIN = Path(sys.executable).parent


def once(argv: list[str], stdin: bytes) -> float:
    """Processor seconds of one run, which a busy machine changes little."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, input=stdin, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_answer(argv: list[str], hello: bytes) -> float:
    """Seconds by the clock until a server has answered."""
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(hello)
        server.stdin.flush()
        server.stdout.readline()
        took = time.perf_counter() - began
        server.stdin.close()
    return took


def main() -> int:
    """Print the ratios; 1 when a bound is missed."""
    panel = b'[{"agent": "a", "output": "VERDICT: flagged\\n\\nReasons:\\n- bad: it is\\n"}]'
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
    commands = {
        "guild mcp": ([str(BIN / "guild"), "mcp"], hello),
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
    answers = sorted(first_answer([str(BIN / "guild"), "mcp"], hello) for _ in range(ROUNDS))
    base = min(times["bare"])
    print(f"bare python -c pass: {base * 1000:.1f} ms")
    missed = 0
    for name in commands:
        least = min(times[name])
        ratio = least / base
        bound = MCP_BOUND if name == "guild mcp" else BOUND
        missed += ratio > bound
        print(f"{name}: {least * 1000:.1f} ms, {ratio:.2f} times bare (bound {bound})")
    middle, late = answers[len(answers) // 2], answers[int(len(answers) * 0.95)]
    told = f"{middle * 1000:.0f} ms by the clock in the middle, {late * 1000:.0f} ms 19 times in 20"
    print(
        f"guild mcp, from its start to its first answer: {told} (goal {MCP_SECONDS * 1000:.0f} ms)"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
