"""What a change brought is told from what was there, wherever it stands now."""

from __future__ import annotations

import ast
import time

import pytest

from guildmoot.agents.python.modules import source_of
from guildmoot.grounding.lost_names import misspelt
from guildmoot.grounding.novelty import old_among, whole
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import Finding

USE = Finding(
    seat="ruff", code="F821", title="Undefined name `os`", path="a.py", line=5, proven=True,
    quote="    return os.getcwd()",
)  # fmt: skip


def test_what_moved_was_there() -> None:
    assert old_among([USE._replace(line=90, quote="return  os.getcwd()")], [USE], {}) == [True]


def test_one_more_of_the_same_is_new() -> None:
    assert old_among([USE, USE], [USE], {}) == [True, False]


def test_another_line_rule_or_name_is_new() -> None:
    others = [
        USE._replace(quote="print(os.name)"),
        USE._replace(code="F401"),
        USE._replace(title="Undefined name `sys`"),
        USE._replace(path="b.py"),
    ]
    assert old_among(others, [USE], {}) == [False] * 4


def test_a_renamed_file_takes_its_findings_along() -> None:
    assert old_among([USE._replace(path="b.py")], [USE], {"a.py": "b.py"}) == [True]


def test_an_edited_line_keeps_its_finding_once() -> None:
    comment = USE._replace(quote="    return os.getcwd()  # here")
    assert old_among([comment], [USE], {}) == [True]
    assert old_among([comment, comment], [USE], {}) == [True, False]


def test_a_line_that_was_broken_in_two_keeps_its_finding() -> None:
    whole = USE._replace(quote="call(first, os.getcwd())")
    assert old_among([USE._replace(quote="    os.getcwd(),")], [whole], {}) == [True]


def test_numbers_in_words_do_not_make_it_new() -> None:
    seen = USE._replace(code="F811", title="Redefinition of `f` from line 3", quote="def f():")
    assert fingerprint(seen) == fingerprint(seen._replace(title="Redefinition of `f` from line 7"))


def test_a_grave_call_is_known_by_all_of_its_lines() -> None:
    text = "run(\n    cmd,  # noqa\n    shell=True,\n)\n"
    call = USE._replace(code="S602", title="shell", line=1, end_line=1, quote="run(")
    old = whole(call, text)
    assert old_among([whole(call, text.replace("cmd", "args['q']"))], [old], {}) == [False]
    flat = call._replace(quote="run(cmd, shell=True)")
    assert old_among([whole(flat, "run(cmd, shell=True)\n")], [old], {}) == [True]
    assert old_among([whole(call._replace(line=2), "\n" + text)], [old], {}) == [True]
    name = USE._replace(line=1, end_line=1, quote="run(")
    assert whole(name, text) == name


SHELL = USE._replace(code="shell-by-string", title="values become part", blocking=False)
AROUND = [
    ("exec('ls ' + a);", "const out = exec('ls ' + a);"),
    ("exec('ls ' + a);", "if (ok(a)) exec('ls ' + a);"),
    ("exec('ls ' + a);", "return wrap(exec('ls ' + a));"),
    ("exec('ls ' + a);", "exec('ls -l ' + a);"),
    ("exec(`ls ${a}`);", "await exec(`ls -l ${a}`);"),
    ("_ = exec.Command(\"sh\", \"-c\", \"ls \"+a).Run()", "err = exec.Command(\"sh\", \"-c\", \"ls \"+a).Run()"),
    ("system \"ls #{a}\"", "ok = system \"ls #{a}\""),
    ("exec('ls ' + a, (e, out) => { done(out); });", "exec('ls ' + a, (e, out) => { if (e) throw e; done(out); });"),
]  # fmt: skip
ELSE = [
    ("exec('ls ' + a);", "exec('ls ' + b);"),
    ("exec('ls ' + a);", "exec('ls ' + a + b);"),
    ("exec('ls ' + quote(a));", "exec('ls ' + a);"),
    ("exec(\"ls '\" + a + \"'\");", "exec(\"ls -l \" + a);"),
    ("exec('ls ' + a);", "exec('ls ' + a); exec('rm ' + b);"),
    ("exec('ls ' + a);", "exec('ls ' + a); spawn('rm ' + b);"),
    ("exec(`ls ${a}`);", "exec(`ls ${a} ${b}`);"),
    ("exec(c);", "exec(d);"),
    ("system 'ls ' + a", "system 'ls ' + b"),
    ("system 'ls ' + a", "system 'ls ' + a + b"),
    ("system(\"ls \" . $a);", "system(\"ls \" . $b);"),
    ("exec('ls', {shell: a});", "exec('ls', {shell: b});"),
    ("exec('ls ' + a, (e, out) => { done(out); });", "exec('ls ' + a, (e, out) => { exec('rm ' + out); });"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), AROUND)
def test_an_edit_around_a_call_leaves_what_it_hands_over_as_it_was(before: str, after: str) -> None:
    was, now = SHELL._replace(quote=before), SHELL._replace(quote=after)
    assert old_among([now], [was], {}) == [True]
    assert old_among([now, now], [was], {}) == [True, False]


@pytest.mark.parametrize(("before", "after"), ELSE)
def test_another_thing_that_is_handed_over_is_new(before: str, after: str) -> None:
    was, now = SHELL._replace(quote=before), SHELL._replace(quote=after)
    assert old_among([now], [was], {}) == [False]


def test_the_words_of_a_command_count_where_it_is_given_whole() -> None:
    risk = SHELL._replace(code="S602", blocking=True, quote="run('ls', shell=True)")
    assert old_among([risk._replace(quote="x = run('ls', shell=True)")], [risk], {}) == [True]
    assert old_among([risk._replace(quote="run('rm', shell=True)")], [risk], {}) == [False]


def test_an_edited_secret_is_new() -> None:
    secret = SHELL._replace(code="likely-secret", quote="key = 'a1'")
    assert old_among([secret._replace(quote="key = 'b1'")], [secret], {}) == [False]


def test_time_grows_no_faster_than_what_was_found():
    """Thousands of findings on one line that the change made longer."""
    line = " | ".join(f"{{a{n}: B{n}<C>}}" for n in range(3_000))
    before = [USE._replace(title=f"`B{n}` is unknown", quote=line) for n in range(3_000)]
    after = [each._replace(quote=f"{line} | D") for each in before]
    started = time.process_time()
    assert old_among(after, before, {}) == [True] * 3_000
    assert time.process_time() - started < 6
    assert misspelt(f"x = {line}\n", f"x = {line} | D1\n", 1, "D1") == ""


def test_a_call_is_quoted_as_it_stands():
    text = "a = 1\r\nß = f(\n  'ü',\n  g(2))\n"
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    assert [source_of(text, call) for call in calls] == [
        ast.get_source_segment(text, call) for call in calls
    ]
    many = "f(\n1)\n" * 20_000
    started = time.process_time()
    for call in (node.value for node in ast.parse(many).body):
        assert source_of(many, call) == "f(\n1)"
    assert time.process_time() - started < 6
