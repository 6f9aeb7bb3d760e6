"""Runs our tools that read by grammars: what they load is loaded once, while the packet is still being made.

``system.starter`` begins it as it begins ``system.keeper``, whose work it does. Each tool still has a process of
its own, which a parser may take down, and nothing of one is seen by the next.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from importlib import import_module

from guildmoot.agents.tools import code_changes, languages
from guildmoot.agents.tools.rdjsonl import run
from guildmoot.system import keeper
from guildmoot.text.languages import language_of

_TOOLS: dict[bytes, Callable[[list[str]], int]] = {
    b"guildmoot.agents.tools.languages": languages.main,
    b"guildmoot.agents.tools.code_changes": partial(run, code_changes.find),
}
_LATE = (
    *("parsing.plain_names", "parsing.script_names", "parsing.syntax", "parsing.names"),
    *("parsing.changed_names", "pages.tags", "rules.across", "rules.judge"),
    *("rules.dockerfiles", "references.compare", "references.scripts", "references.texts"),
)
"""What they import where it is used."""


def inside(argv: list[bytes], env: dict[bytes, bytes], wake: int) -> None:
    """Run one of the tools in this process and end it; whatever else it is, is left alone."""
    tool = _TOOLS.get(argv[3]) if argv[1:3] == [b"-P", b"-m"] and len(argv) > 3 else None
    if tool is None:
        return
    os.close(wake)  # it has started
    code = 1
    try:
        os.environ.clear()
        os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in env.items()})
        code = tool([os.fsdecode(word) for word in argv[4:]])
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - as the interpreter would
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    for name in _LATE:
        import_module(f"guildmoot.agents.{name}")
    language_of("main.go")
    gc.freeze()
    keeper.main(int(sys.argv[1]), inside)
