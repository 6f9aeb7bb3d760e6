"""Ctrl-C while modules are loaded is heard, and never inside the loader."""

import subprocess
import sys

PROGRAM = """
import signal, time
from guildmoot.system.interrupts import interrupt_between_imports
signal.signal(signal.SIGINT, signal.default_int_handler)
interrupt_between_imports()
place = {place!r}
try:
    exec(compile("signal.raise_signal(signal.SIGINT); print('on')", place, "exec"))
    time.sleep(30)
except KeyboardInterrupt:
    print("stopped")
"""


def said(place):
    argv = [sys.executable, "-c", PROGRAM.format(place=place)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=25, check=True).stdout


def test_the_loader_ends_what_it_does_first():
    assert said("<frozen importlib._bootstrap>") == "on\nstopped\n"


def test_elsewhere_it_is_heard_at_once():
    assert said("module.py") == "stopped\n"


def test_a_program_that_ignores_it_goes_on_doing_so():
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from guildmoot.system.interrupts import interrupt_between_imports as late\n"
        "late(); signal.raise_signal(signal.SIGINT); print('on')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=25
    )
    assert done.stdout == "on\n"
