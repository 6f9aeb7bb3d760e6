"""One short question to git, with nothing loaded but ``os``: it is asked before calls of a coding agent.

Nothing of the repository is run for it: no hooks, no file-system monitor, no fetch.
"""

from __future__ import annotations

import os

_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--literal-pathspecs")
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
_MOST_GIVEN = 16 * 1024
"""Less than a pipe holds, so that writing never waits."""


def quick_git(
    top: str, words: tuple[str, ...], given: bytes = b"", most: int = 0
) -> tuple[int, bytes]:
    """How git ended, and up to ``most`` bytes of what it printed; 1 where it could not be asked."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    folders = [one for one in env.get("PATH", "").split(os.pathsep) if os.path.isabs(one)]
    programs = (os.path.join(one, "git") for one in folders)  # never one of the project's own
    program = next((one for one in programs if os.access(one, os.X_OK)), "")
    if not program or len(given) > _MOST_GIVEN:
        return 1, b""
    ours, its = os.pipe()
    reads, writes = os.pipe()
    os.write(writes, given)
    os.close(writes)
    actions = [
        (os.POSIX_SPAWN_DUP2, reads, 0),
        (os.POSIX_SPAWN_DUP2, its, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        child = os.posix_spawn(
            program, ["git", "-C", top, *_SAFE, *words], env | _QUIET, file_actions=actions
        )
    except OSError:
        os.close(ours)
        return 1, b""
    finally:
        os.close(its)
        os.close(reads)
    answer = b""
    while len(answer) < most and (more := os.read(ours, most - len(answer))):
        answer += more
    os.close(ours)  # what it still has to say goes nowhere
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), answer
