"""One bench for all tests of a session, and a yard for the shops that they strike at."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from durability.harness import Bench, build


def pytest_collection_modifyitems(items):
    """The bench needs a C compiler, which the quick tests must not."""
    for item in items:
        if "bench" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    made = Bench(build(tmp_path_factory.mktemp("fault")))
    yield made
    made.close()


@pytest.fixture
def yard():
    """A folder in memory where there is one: what a killed process leaves is the same there."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="guildmoot-", dir=memory) as folder:
        yield Path(folder).resolve()
