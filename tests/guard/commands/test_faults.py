"""Whatever arrives, an answer comes in time: size and depth are looked at first, and nothing loops."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.scopes.rules import parse_scope
from guildmoot.guard.site import Site
from guildmoot.guard.tools import judge_tool

SITE = Site("/home/u/proj", "/home/u/proj", "/home/u", git=True)
BOUND = 0.1  # 58 ms for the slowest on a slow machine
"""Seconds for one decision. Processor time, so that a busy machine fails nothing."""
judge_command("true && true", SITE)  # the parser is loaded once

LARGE = {
    "2 MiB of words": "echo " + "a " * (1 << 20),
    "2 MiB of one word": "echo " + "a" * (2 << 20),
    "200 nested substitutions": "echo " + "$(echo " * 200 + "x" + ")" * 200,
    "200 nested backticks": "echo " + "`" * 200,
    "5,000 nested substitutions": "echo " + "$(" * 5_000 + ")" * 5_000,
    "5,000 open brackets": "(" * 5_000,
    "5,000 open braces": "{ " * 5_000,
    "5,000 quotes": "'\"" * 5_000,
    "braces": "echo " + "{a,b}" * 60,
    "nested braces": "echo " + "{a," * 200 + "}" * 200,
    "a long sequence": "rm -rf {1..99999999}",
    "a chain": "true && " * 5_000 + "true",
    "many commands": "ls a\n" * 40_000,
    "many assignments": "".join(f"A{n}=$A{n - 1}$A{n - 1}; " for n in range(60)) + "rm -rf $A59",
    "doubling": "A=aaaaaaaaaa; " + "A=$A$A$A$A; " * 30 + "echo $A",
    "eval chain": "eval " * 300 + "ls",
    "sudo chain": "sudo " * 300 + "rm -rf /",
    "bash -c chain": "bash -c '" * 40 + "ls" + "'" * 40,
    "loops": "for a in 1 2 3 4 5 6 7 8; do " * 12 + "rm -rf $a" + "; done" * 12,
    "functions": "f() { g; g; g; g; }; g() { h; h; h; h; }; h() { i; i; i; i; }; i() { j; j; j; j; }; "
    "j() { k; k; k; k; }; k() { l; l; l; l; }; l() { ls; ls; ls; ls; }; f",
    "recursion": "f() { g; }; g() { f; }; f",
    "heredocs": "".join(f"cat <<E{n}\nx\nE{n}\n" for n in range(3_000)),
    "open heredoc": "cat <<EOF\n" + "$(x)" * 10_000,
    "stars": "rm " + "*" * 100_000,
    "dots": "rm -rf " + "../" * 60_000,
    "base64": "echo " + "A" * 200_000 + " | base64 -d | sh",
    "python": "python3 -c '" + "(" * 2_000 + ")" * 2_000 + "'",
    "python text": "python3 - <<'E'\n" + "x = 1\n" * 30_000 + "E",
    "js": 'node -e "' + "unlink(" * 10_000 + '"',
    "sql": 'psql -c "' + "DROP " * 20_000 + '"',
    "xargs": "echo " + "a " * 50_000 + "| xargs rm -rf",
    "zero": "ls \0 /",
    "marks": "rm -rf \uf8f0\uf8f1\uf8f3\uf8f5\uf8f6",
    "surrogates": "rm \udce9\udcff",
}


def took(work):
    """The best of three: the collector and other processes are no part of it."""
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        made = work()
        best = min(best, time.process_time() - start)
    return made, best


@pytest.mark.parametrize("name", LARGE)
def test_large_and_deep_commands_are_decided_in_time(name):
    decision, seconds = took(lambda: judge_command(LARGE[name], SITE))
    assert decision.action in ("allow", "snapshot", "ask", "deny")
    assert seconds < BOUND, f"{seconds * 1e3:.0f} ms"


@pytest.mark.parametrize(
    "name",
    [
        "2 MiB of words",
        "2 MiB of one word",
        "200 nested substitutions",
        "zero",
        "sudo chain",
        "functions",
    ],
)
def test_what_is_too_large_or_deep_is_denied(name):
    assert judge_command(LARGE[name], SITE).action == "deny"


def test_bytes_that_are_no_text_are_denied():
    assert judge_command(b"rm \xff\xfe", SITE).code == "not-text"


_SCRAPS = """rm -rf / ~ $HOME "$X" $( ) ` ' " \\ { } ( ) | & ; && || > >> < << <<< EOF * ? [ ] $' $" ${ } eval sudo
    bash -c find -exec {} + \\; xargs for in do done if then fi case esac while f() = A= A=$A python3 -c git reset --hard
    # ! ~+ .. 2>&1 <( >( [[ ]] (( )) :- %% ## @ $@ $* $1 export alias trap cd"""
_WORDS = st.sampled_from([*_SCRAPS.split(), "\n", "\t"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_WORDS, max_size=40).map(" ".join))
@example("$( ' <<E")
def test_scraps_of_shell_end_in_a_decision(text):
    decision, seconds = took(lambda: judge_command(text, SITE))
    assert decision.action in ("allow", "snapshot", "ask", "deny")
    assert seconds < BOUND
    scoped = judge_command(text, SITE, parse_scope(["Bash(ls)"]))
    assert (
        scoped.action == "deny" or not text.strip() or scoped.action == decision.action == "allow"
    )


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
@example("\\${\U000dc3fe")
@example("\\${\U00080000; rm -rf /")
def test_any_text_ends_in_a_decision(text):
    assert judge_command(text, SITE).action in ("allow", "snapshot", "ask", "deny")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_decision(data):
    assert judge_command(data, SITE).action in ("allow", "snapshot", "ask", "deny")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=8,
)
_KEYS = st.sampled_from(["command", "file_path", "path", "url", "input", "paths", "pattern"])


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["Bash", "Write", "Read", "apply_patch", "WebFetch", "mcp__a__b", "Task", ""]),
    st.dictionaries(_KEYS, _JSON, max_size=4),
)
def test_any_input_of_a_tool_ends_in_a_decision(tool, given_input):
    assert judge_tool(tool, given_input, SITE).action in ("allow", "snapshot", "ask", "deny")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["sudo", "env A=1", "timeout 5", "nice -n 3", "nohup", "command", "time", "bash -c '{}'",
       "eval '{}'", "true && {}", "( {} )", "{{ {}; }}", "if true; then {}; fi", "echo $( {} )", "for i in 1; do {}; done",
       "stdbuf -oL", "X=1; {}", "f() {{ {}; }}; f"]), max_size=4))  # fmt: skip
def test_no_wrapper_hides_a_command(wrappers):
    text = "rm -rf /"
    for wrapper in wrappers:
        plain = text.split(" ")[0] not in (
            "true",
            "(",
            "{",
            "if",
            "echo",
            "for",
            "X=1;",
            "f()",
            "xargs",
        )
        if "{}" in wrapper and not ("'" in wrapper and "'" in text):
            text = wrapper.format(text)
        elif "{}" not in wrapper and plain:
            text = f"{wrapper} {text}"
    assert judge_command(text, SITE).action == "deny", text
