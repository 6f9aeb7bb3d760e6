"""Lock files of uv: what it writes of its own options is no doubt."""

from guildmoot.packet.locks.compare import check_lock

LOCK = 'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n{}\n[[package]]\nname = "a"\nversion = "1"\nsource = {{ virtual = "." }}\n'
OPTIONS = """
[options]
resolution-mode = "lowest-direct"
prerelease-mode = "allow"
fork-strategy = "fewest"
exclude-newer = "2025-01-01T00:00:00Z"
exclude-newer-span = "P7D"

[options.exclude-newer-package]
torch = "2025-02-01T00:00:00Z"
setuptools = false

[manifest]
members = ["a", "b"]
constraints = [{ name = "idna", specifier = "<4" }]
overrides = [{ name = "idna", specifier = "==3.10" }]

[[manifest.dependency-metadata]]
name = "x"
version = "1"
requires-dist = ["y"]
"""


def _doubt(options: str) -> str:
    told = check_lock("uv.lock", LOCK.format(""), LOCK.format(options), asked=True)
    assert told is not None
    assert told.findings == ()
    return told.doubt


def test_the_options_of_uv_are_known_and_no_others():
    assert _doubt(OPTIONS) == ""
    assert "'resolution-modes'" in _doubt(OPTIONS.replace("resolution-mode", "resolution-modes"))
