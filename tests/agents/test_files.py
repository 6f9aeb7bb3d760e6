"""An agent file becomes an agent, or every problem is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.agents.files import KEYS, Origin, read_agent
from guildmoot.model.agent import Agent

DATA = Path(__file__).parent.parent / "data" / "agents"
HEAD = "name: judge\ndescription: Judges.\n"
TOOL = HEAD + "backend: tool\ncommand: [lint]\n"


def read(front: str, origin: Origin = "user") -> Agent:
    agent, problems = read_agent(f"---\n{front}\n---\nBody", Path("judge.md"), origin)
    assert problems == []
    assert agent is not None
    return agent


def problems_of(front: str, origin: Origin = "user") -> list[tuple[int, str]]:
    agent, problems = read_agent(f"---\n{front}\n---\nBody", Path("judge.md"), origin)
    assert agent is None
    return [(problem.line, problem.reason) for problem in problems]


def test_every_key_is_read() -> None:
    agent = read(
        TOOL
        + "role: evaluator\nfamily: linters\nmodel: m\ntier: mid\nperspective: p\ntools: [Read]\n"
        "files: ['*.a']\nskip: ['*.b']\nrun_in: checkout\nformat: lines\npattern: (?P<message>.+)\n"
        "exit_codes: {0: clean, 3: findings}\nseverities: {X: low, '*': critical}\n"
        "blocks_at: never\ntimeout: 2.5\ncapability_scope: {write_scope: none, network: no}\noptional: yes\n"
        "depth: parsed\n"
    )
    assert agent.exit_codes == ((0, "clean"), (3, "findings"))
    assert agent.severities == (("X", "low"), ("*", "critical"))
    assert (agent.timeout, agent.optional, agent.blocks_at) == (2.5, True, "never")
    defaults = Agent("", "", "", "")
    same = {key for key in KEYS if getattr(agent, key) == getattr(defaults, key)}
    assert same == {"role", "format", "replies", "reply"}


def test_a_claude_code_file_is_accepted_as_it_is() -> None:
    text = (DATA / "claude-code-style.md").read_text(encoding="utf-8")
    agent, problems = read_agent(text, Path("migration-reviewer.md"), "claude")
    assert problems == []
    assert agent is not None
    assert agent.description.startswith("Use this agent when: (1) a schema migration")
    assert agent.tools == (
        *("Read", "Grep", "Glob", "Bash(git diff:*, git log:*)", "mcp__db__explain"),
    )
    assert (agent.role, agent.model, agent.family) == ("evaluator", "sonnet", "anthropic")
    assert agent.body.startswith("You review database migrations.")


def test_a_file_without_a_role_that_may_write_is_no_judge() -> None:
    assert read(HEAD + "tools: Read, Write, Edit").role == "implementer"
    assert read(HEAD + "tools: Read, Bash").role == "implementer"
    assert read(HEAD + "tools: Read, Bash(git log:*)").role == "evaluator"


@pytest.mark.parametrize("tool", ["Write", "Edit(src/*)", "NotebookEdit", "Bash", "Bash(*)"])
def test_a_judge_cannot_write(tool: str) -> None:
    found = problems_of(HEAD + f"role: evaluator\ntools: [Read, '{tool}']")
    assert found == [(5, f"tools: {tool} can write, and a judge cannot")]


def test_a_command_is_words_or_a_shell_like_line() -> None:
    line = HEAD + "backend: tool\nformat: sarif\ncommand: lint --name 'a b' {files}"
    assert read(line).command == ("lint", "--name", "a b", "{files}")
    words = HEAD + "backend: tool\nformat: sarif\ncommand: [lint, 'a b', '{files}']"
    assert read(words).command == ("lint", "a b", "{files}")


def test_lists_may_be_written_with_commas() -> None:
    agent = read(HEAD + "files: '*.py, *.{a,b}'\nskip: vendor/")
    assert agent.files == ("*.py", "*.{a,b}")
    assert agent.skip == ("vendor/",)


@pytest.mark.parametrize(
    ("front", "line", "reason"),
    [
        ("description: x", 1, "name is missing"),
        ("name: x", 1, "description is missing"),
        ("name: [a]\ndescription: x", 2, "name must be text, not a list"),
        ("name: a b\ndescription: x", 2, "name 'a b' must be up to 64 letters"),
        ("name: ../../x\ndescription: x", 2, "name '../../x' must be"),
        (HEAD + "comand: x", 4, "'comand' is no key of an agent file; did you mean command?"),
        (HEAD + "zzz: x", 4, "'zzz' is no key of an agent file"),
        (HEAD + "backend: tools", 4, "backend must be tool, command"),
        (HEAD + "role: evaluater", 4, "role 'evaluater' is not known; did you mean evaluator?"),
        (HEAD + "tier: huge", 4, "tier must be cheap, mid or powerful, not 'huge'"),
        (HEAD + "optional: perhaps", 4, "optional must be true or false"),
        (HEAD + "timeout: soon", 4, "timeout must be a number of seconds"),
        (HEAD + "timeout: -1", 4, "timeout must be a number of seconds"),
        (HEAD + "timeout: inf", 4, "timeout must be a number of seconds"),
        (HEAD + "tools: {a: b}", 4, "tools must be a list, not a map"),
        (HEAD + "files: ['*.py', [x]]", 4, "files must hold only texts"),
        (HEAD + "files: ../other/*.py", 4, "files: ../other/*.py leaves the work"),
        (HEAD + "format: sarif", 4, "format is only for `backend: tool`"),
        (HEAD + "replies: x.json", 4, "replies: there is no file x.json"),
        (HEAD + "backend: scripted", 1, "`backend: scripted` and `replies` belong together"),
        (HEAD + "backend: command", 4, "`backend: command` needs a command"),
        (HEAD + "command: ''", 4, "command is empty"),
        (HEAD + "command: lint 'x", 4, "command cannot be split into words: no closing quotation"),
        (HEAD + "command: lint {file}", 4, "{file} is not known; did you mean {files}?"),
        (HEAD + "command: lint --in={files}", 4, "{files} must be an argument of its own"),
        (HEAD + "backend: tool\nformat: sarif", 4, "`backend: tool` needs a command"),
        (TOOL + "format: json", 6, "format must be lines, sarif"),
        (TOOL, 1, "`format: lines` needs a pattern"),
        (TOOL + "pattern: '('", 6, "pattern is no regular expression"),
        (TOOL + "pattern: (?P<line>.)", 6, "pattern needs a group (?P<message>...)"),
        (TOOL + "pattern: (?P<message>.)(?P<lien>.)", 6, "the group lien; did you mean line?"),
        (TOOL + "format: sarif\npattern: (?P<message>.)", 7, "pattern is only for `format: lines`"),
        (TOOL + "format: sarif\nexit_codes: {x: clean}", 7, "exit_codes: 'x' is no exit code"),
        (TOOL + "format: sarif\nexit_codes: {256: clean}", 7, "exit_codes: '256' is no exit code"),
        (TOOL + "format: sarif\nexit_codes:\n  0: clean\n  1: bad", 9, "exit_codes: 1 must mean"),
        (TOOL + "format: sarif\nexit_codes: [0]", 7, "exit_codes must be a map, not a list"),
        (TOOL + "format: sarif\nseverities:\n  X: awful", 8, "severities: X must be critical"),
        (TOOL + "format: sarif\nblocks_at: sometimes", 7, "blocks_at must be critical"),
        (TOOL + "format: sarif\nrun_in: home", 7, "run_in must be packet or checkout"),
    ],
)
def test_a_problem_is_named_with_its_line(front: str, line: int, reason: str) -> None:
    found = problems_of(front)
    assert any(at == line and reason in said for at, said in found), found


def test_all_problems_are_named_at_once() -> None:
    found = problems_of("name: a b\nrole: evaluater\nbackend: tools\nxyzzy: 1")
    assert [line for line, _ in found] == [1, 2, 3, 4, 5]


def test_keys_of_other_programs_are_refused_except_beside_claude_code() -> None:
    assert problems_of(HEAD + "version: 1.0") == [(4, "'version' is no key of an agent file")]
    assert read(HEAD + "version: 1.0", "claude").name == "judge"
    assert problems_of(HEAD + "comand: x", "claude")


def test_replies_are_found_beside_the_agent_file_and_a_repository_brings_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "said.json").write_text("[]", encoding="utf-8")
    text = f"---\n{HEAD}backend: scripted\nreplies: said.json\n---\n"
    agent, _ = read_agent(text, tmp_path / "judge.md", "user")
    assert agent is not None
    assert agent.replies == str((tmp_path / "said.json").resolve())
    agent, problems = read_agent(text, tmp_path / "judge.md", "project")
    assert agent is None
    assert "cannot bring its own" in problems[0].reason


_words = st.sampled_from([*KEYS, "color", "true", "[a, b]", "{0: clean}", "{x: high}", "tool", "'"])
_lines = st.builds("{}: {}".format, _words, st.one_of(_words, st.text(max_size=12)))


@settings(deadline=None)  # the first example may import what the others find there
@given(st.one_of(st.text(), st.lists(_lines, max_size=8).map("\n".join)))
def test_any_text_is_an_agent_or_a_list_of_problems(front: str) -> None:
    for text in (front, f"---\n{front}\n---\n", f"---\n{TOOL}{front}\n---\n"):
        agent, problems = read_agent(text, Path("x.md"), "project")
        assert (agent is None) == bool(problems)
        assert all(problem.line >= 1 and problem.reason for problem in problems)
