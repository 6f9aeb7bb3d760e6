"""``guild parse-and-aggregate``: closed where the seeds' program was open, and complete."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from guildmoot.cli.main import guild; sys.exit(guild())",
]
COMMAND.append("parse-and-aggregate")


def ask(guild: Any, *outputs: str) -> dict[str, Any]:
    entries = [{"agent": f"judge-{n}", "output": text} for n, text in enumerate(outputs)]
    ran = guild("parse-and-aggregate", stdin=json.dumps(entries).encode())
    assert ran.code == 0, ran.err
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


@pytest.mark.parametrize(
    "outputs",
    [
        (),
        ("VERDICT: recused\nReason: not mine",),
        ("VERDICT: recused", "VERDICT: recused"),
    ],
    ids=["empty", "one-recused", "all-recused"],
)
def test_a_panel_in_which_nobody_judged_goes_to_the_operator(
    guild: Any, outputs: tuple[str, ...]
) -> None:
    assert ask(guild, *outputs)["verdict"] == "operator-judgment-required"


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("VERDICT: flagged", "flagged-without-reasons"),
        ("```\nVERDICT: approved\n```", "parse-failure"),
        ("The file says:\n> VERDICT: approved\n", "parse-failure"),
        ("VERDICT: approved\nVERDICT: flagged", "parse-failure"),
        ("VERDICT: flagged\n\n## Reasons\n1. lost-row: the last one", "lost-row"),
        ("VERDICT: flagged\n**Reasons:** lost-row: the last one", "lost-row"),
        ("no verdict", "parse-failure"),
        ("", "parse-failure"),
    ],
)
def test_what_used_to_slip_through_blocks(guild: Any, output: str, code: str) -> None:
    answer = ask(guild, "VERDICT: approved", output)
    assert answer["verdict"] == "flagged"
    assert [finding["code"] for finding in answer["blocking_findings"]] == [code]


def test_an_escalation_of_none_is_none(guild: Any) -> None:
    assert ask(guild, "VERDICT: approved\nEscalation: none")["verdict"] == "approved"


def test_commands_that_a_judge_ran_are_listed(guild: Any) -> None:
    answer = ask(guild, "VERDICT: approved\n\n## CLI runs\n- `make test`: passed\n")
    assert answer["cli_runs"] == [{"evaluator": "judge-0", "command": "make test", "passed": True}]


@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b" \n",
        b"{}",
        b"[",
        b"[1]",
        b"[NaN]",
        b'"x"',
        b"null",
        b'[{"agent": 1, "output": ""}]',
        b'[{"agent": "a"}]',
        b'\xef\xbb\xbf[{"agent": "a", "output": "VERDICT: approved"}]',
        b"\xff\xfe[",
        b"[" * 100_000,
    ],
)
def test_input_that_is_no_list_of_outputs_is_an_error(guild: Any, stdin: bytes) -> None:
    ran = guild("parse-and-aggregate", stdin=stdin)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("parse-and-aggregate-error: ")


def test_the_error_names_the_entry(guild: Any) -> None:
    entries = b'[{"agent": "a", "output": ""}, {"agent": "b"}]'
    assert "entry 1" in guild("parse-and-aggregate", stdin=entries).err


def test_half_a_surrogate_pair_and_control_characters_come_out_as_json(guild: Any) -> None:
    answer = ask(guild, 'VERDICT: flagged\n\nReasons:\n- odd-text: \ud83d "\\ \u0001 \u007f é\n')
    assert answer["blocking_findings"][0]["evidence"] == '\ud83d "\\ \u0001 \u007f é'


def test_the_result_looks_as_the_seeds_program_prints_it(guild: Any) -> None:
    entries = [{"agent": "é", "output": 'VERDICT: flagged\n\nReasons:\n- aa-bb: ✓ "q"'}]
    out = guild("parse-and-aggregate", stdin=json.dumps(entries).encode()).out
    assert out == json.dumps(json.loads(out), indent=2, ensure_ascii=False) + "\n"


def test_a_large_panel_goes_through_pipes_whole() -> None:
    reasons = "\n".join(f"- code-{n}: the loop in net{n}.py:{n} has no cap" for n in range(5))
    output = f"VERDICT: flagged\n\nReasons:\n{reasons}\n"
    entries = [{"agent": f"judge-{n}", "output": output} for n in range(1000)]
    done = subprocess.run(COMMAND, input=json.dumps(entries).encode(), capture_output=True)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["blocking_findings"]) == 5000


def test_a_reader_that_hangs_up_leaves_no_stack_trace() -> None:
    entries = [{"agent": "a", "output": "VERDICT: flagged\n\nReasons:\n" + "- aa-bb: x\n" * 5_000}]
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(json.dumps(entries).encode())
        process.stdin.close()
        process.stdout.read(10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_it_imports_nothing_that_makes_it_slow_to_start() -> None:
    program = (
        "import sys; from guildmoot.cli.guild.parse_and_aggregate import main; main([]); "
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {_source()!r}; {program}"],
        input=b'[{"agent": "a", "output": "VERDICT: flagged\\n\\nReasons:\\n- aa-bb: x"}]',
        capture_output=True,
        check=True,
    )
    dear = {"typing", "dataclasses", "argparse", "pathlib", "asyncio", "inspect", "yaml", "rich"}
    assert dear.isdisjoint(done.stderr.decode().split())


def _source() -> list[str]:
    import guildmoot

    assert guildmoot.__file__
    return [os.path.dirname(os.path.dirname(guildmoot.__file__))]


def flagged(fix: str) -> str:
    return f"VERDICT: flagged\n\nReasons:\n- api.py:40 the status is wrong\n\nSuggested remedies:\n- {fix}\n"


def test_remedies_that_cannot_both_be_applied_are_a_conflict(guild: Any) -> None:
    one, other = "Return 404 when it is missing", "Return 403 when it is missing"
    told = [{"agent": "a", "output": flagged(one)}, {"agent": "b", "output": flagged(other)}]
    result = json.loads(guild("parse-and-aggregate", stdin=json.dumps(told).encode()).out)
    assert result["verdict"] == "flagged-conflict"
    [conflict] = result["conflicts"]
    assert (conflict["scope"], conflict["evaluators"]) == ("api.py:40", ["a", "b"])
    assert [each["remedy"] for each in conflict["findings"]] == [one, other]


@pytest.mark.parametrize(
    ("reasons", "remedies", "want"),
    [
        ("1. one\n2. two\n", "2. mend two\n1. mend one\n", ["mend one", "mend two"]),
        ("- leak: one\n- race: two\n", "- race: mend two\n- leak: mend one\n", ["mend one", "mend two"]),
        ("- one\n- two\n", "- mend one\n- mend two\n", ["mend one", "mend two"]),
    ],
)  # fmt: skip
def test_remedies_go_by_number_by_code_or_by_order(
    guild: Any, reasons: str, remedies: str, want: list[str]
) -> None:
    output = f"VERDICT: flagged\n\nReasons:\n{reasons}\nSuggested remedies:\n{remedies}"
    told = json.dumps([{"agent": "a", "output": output}]).encode()
    result = json.loads(guild("parse-and-aggregate", stdin=told).out)
    assert [each["remedy"] for each in result["blocking_findings"]] == want


@pytest.mark.parametrize(
    "said", ["`VERDICT: flagged`", "VERDICT: rejected", "VERDICT: not approved"]
)
def test_a_flag_in_other_words_keeps_its_reasons(guild: Any, said: str) -> None:
    told = json.dumps(
        [{"agent": "a", "output": f"{said}\n\nReasons:\n- no test at all\n"}]
    ).encode()
    result = json.loads(guild("parse-and-aggregate", stdin=told).out)
    assert [each["evidence"] for each in result["blocking_findings"]] == ["no test at all"]
