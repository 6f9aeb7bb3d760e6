"""A process that has everything imported, and runs each command line it is given in a forked child.

Started by :mod:`harness` with the fault library preloaded. A line of JSON on standard input is one
job, a line of JSON on standard output says how it ended. Whatever a killed child had started is
adopted and waited for, so that nothing of a job is left when its end is told.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import shutil
import sys
from contextlib import suppress

_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Serve until standard input ends."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        job = json.loads(line)
        statuses = _crowd(job) if job["crowd"] else [_serve(job)]
        answers.write(json.dumps([os.waitstatus_to_exitcode(each) for each in statuses]) + "\n")
        answers.flush()


def _serve(job: dict) -> int:
    changes, log = os.pipe()
    go_on, seen = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(changes)
        os.close(seen)
        _work(job, log, go_on)
    os.close(log)
    os.close(go_on)
    _look_on(job, changes, seen)
    _, status = os.waitpid(child, 0)
    _wait_for_orphans()
    if job["learn"]:
        _learn(job["out"] + ".modules")
    return status


def _crowd(job: dict) -> list[int]:
    """The same command line in many children at once, each with an output of its own."""
    gate, opener = os.pipe()
    children = []
    for number in range(job["crowd"]):
        children.append(os.fork())
        if children[-1] == 0:
            os.close(opener)
            os.read(gate, 1)
            _work({**job, "out": f"{job['out']}-{number}"}, -1, -1)
    os.close(gate)
    os.close(opener)
    return [os.waitpid(child, 0)[1] for child in children]


def _look_on(job: dict, changes: int, seen: int) -> None:
    """Write down each change; before it is made, copy what lies there when that is asked for."""
    with open(job["out"] + ".changes", "w") as file, os.fdopen(changes) as lines:
        for line in lines:
            file.write(line)
            if job["copies"]:
                _copy(job, line.split(" ", 1)[0])
                os.write(seen, b".")
    os.close(seen)


def _copy(job: dict, number: str) -> None:
    for source in job["keep"]:
        target = os.path.join(job["copies"], number, os.path.relpath(source, job["base"]))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, target)
        elif os.path.exists(source):
            shutil.copy(source, target)


def _wait_for_orphans() -> None:
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _learn(file: str) -> None:
    """Import what the child had to, so that the next ones need not."""
    with open(file) as lines:
        for name in lines.read().split():
            with suppress(ImportError):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()  # the children need not look at, and so copy, what was imported here


def _work(job: dict, log: int, go_on: int) -> None:
    """One command line, as the program itself would run it; never returns."""
    code = 70
    try:
        os.environ.clear()
        os.environ.update(job["env"])
        os.chdir(job["cwd"])
        _redirect(job["out"])
        sys.argv = ["guild", *job["argv"]]
        watched = "\n".join(job["watch"]).encode()
        arm = ctypes.CDLL(None).fault_arm
        from guildmoot.cli.main import GUILD_VERBS, run

        arm(watched, job["mode"], ctypes.c_long(job["at"]), job["errno"], log, go_on)
        code = run("guild", GUILD_VERBS, job["argv"])  # `guild` itself would end the process
        arm(b"", 0, ctypes.c_long(0), 0, -1, -1)
        if job["learn"]:
            with open(job["out"] + ".modules", "w") as lines:
                lines.write("\n".join(sys.modules))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _redirect(out: str) -> None:
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(f"{out}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8")


if __name__ == "__main__":
    main()
