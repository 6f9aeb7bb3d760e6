"""Lock files of Yarn from its second release on."""

from guildmoot.packet.locks.compare import check_lock

LOCK = """__metadata:
  version: 8
  cacheKey: 10c0

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0"
  dependencies:
    b: "npm:^2.0.0"
  languageName: node
  linkType: hard
"""


def test_what_a_package_says_of_its_dependencies_leaves_no_doubt_unless_it_may_run_code():
    said = '  dependenciesMeta:\n    b:\n      optional: true\n    "@c/d":\n      unplugged: true\n'
    told = check_lock("yarn.lock", LOCK, LOCK + said, asked=True)
    assert told is not None
    assert (told.findings, told.doubt) == ((), "")
    builds = check_lock("yarn.lock", LOCK, LOCK + said + "      built: true\n", asked=True)
    assert builds is not None
    assert "'built'" in builds.doubt
