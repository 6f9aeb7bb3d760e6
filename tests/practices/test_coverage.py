"""What the judges' silence is worth: whoever knows the language, whoever only parses, whoever only scans."""

from __future__ import annotations

from builders import agent, judgement, packet
from guildmoot.consensus.coverage import coverage_words, unjudged_floor
from guildmoot.model.packet import Omission, PacketFile
from guildmoot.model.report import header_of, with_coverage
from guildmoot.practices.coverage import file_coverage
from judges import add_council_judge, verdict

FILES = [
    PacketFile("a.py", "x = 1\n", ""),
    PacketFile("m.go", "package main\n", ""),
    PacketFile("bin/run", "#!/usr/bin/env python3\nx = 1\n", ""),
    PacketFile("README.md", "hello\n", ""),
]
RUFF = agent("ruff", backend="tool", files=("*.py",))
SECRETS = agent("secrets", backend="tool", depth="scanned")
SYNTAX = agent("syntax", backend="tool", files=("*.go",), depth="parsed")
MODEL = agent("model", backend="scripted")


def depths(*seats):
    judged = [(who, judgement(who.name)._replace(outcome=outcome)) for who, outcome in seats]
    return {each.path: each.depth for each in covered(judged)}


def covered(judged):
    return file_coverage(packet(FILES), judged)


def test_a_file_has_the_best_that_somebody_did_with_it():
    seats = [(RUFF, "approved"), (SECRETS, "flagged"), (SYNTAX, "approved")]
    assert depths(*seats) == {
        "a.py": "checked", "m.go": "parsed", "bin/run": "checked", "README.md": "scanned",
    }  # fmt: skip


def test_a_model_reads_all_that_it_is_shown():
    assert set(depths((MODEL, "approved")).values()) == {"checked"}


def test_who_did_not_answer_read_nothing():
    outcomes = ("absent", "recused", "unreadable")
    assert set(depths(*((RUFF, each) for each in outcomes)).values()) == {"unread"}


def test_code_that_nobody_checked_is_undecided_unless_that_is_accepted():
    scanned = covered([(SECRETS, judgement("secrets"))])
    [floor] = unjudged_floor(scanned, accepted=False)
    assert floor.at_least == "undecided"
    assert "secrets and conflicts only for 2 Python files, 1 Go file" in floor.why
    assert "--model claude" in floor.why
    assert unjudged_floor(scanned, accepted=True) == []
    assert unjudged_floor([each for each in scanned if not each.is_code], accepted=False) == []


def test_the_words_name_what_was_not_checked():
    seats = [(RUFF, judgement("ruff")), (SYNTAX, judgement("syntax"))]
    assert coverage_words(covered(seats)) == "syntax and secrets only for 1 Go file"


def test_only_what_was_read_counts_as_reviewed():
    made = packet(FILES)
    seats = [(RUFF, judgement("ruff")), (SECRETS, judgement("secrets"))]
    header = with_coverage(header_of(made), covered(seats))
    assert (header.files_reviewed, header.lines_reviewed) == (2, 3)
    assert header.files_scanned == 2  # for secrets alone, which is no review


def test_what_only_tools_looked_at_is_not_told_as_reviewed_by_a_council(shop):
    shop.write("README.md", "# Shop\n\nIt sells.\n")
    shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    shop.commit()
    text = shop.guild("council", "validate", "README.md").out
    assert "No file was reviewed." in text
    code = " ".join(
        shop.guild("council", "--preset=plan-review", "validate", "prices.py").out.split()
    )
    assert "Reviewed 1 file, 2 lines, with tools alone, each by its own rules." in code
    add_council_judge(shop, "ann", verdict("PASS"))
    read = shop.guild("council", "validate", "README.md", "--agents", "ann", "--count=1").out
    assert "Reviewed 1 file, 3 lines." in read


def test_a_brainstorm_of_which_no_answer_could_be_read_reviewed_nothing(shop):
    shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    shop.commit()
    add_council_judge(shop, "ann", {"fail": "overloaded"})
    ran = shop.guild("council", "brainstorm", "totals of items", "--agents", "ann", "--count=1")
    assert "No file was reviewed." in ran.out


def test_what_did_not_fit_was_read_by_nobody_and_the_words_name_it():
    reasons = {
        "big.go": "over-budget",
        "b.go": "too-large",
        "c.go": "generated",
        "a.py": "not-utf8",
    }
    omitted = [Omission(path, reason) for path, reason in reasons.items()]
    checked = covered([(MODEL, judgement("model"))])
    assert coverage_words(checked, omitted) == "nobody read 2 Go files"
    assert coverage_words(checked) == ""


def test_a_repository_that_does_not_fit_is_not_approved(shop):
    for name in ("a.py", "b.py"):
        shop.write(name, "x = 1\n" * 100)
    shop.commit()
    ran = shop.guild("validate", ".")
    assert (ran.code, "nobody read" in ran.out) == (0, False)
    short = shop.guild("validate", ".", env={"GUILD_PACKET_MAX_BYTES": "900"})
    assert short.code == 3
    assert "UNDECIDED  nobody read 1 Python file" in short.out
    assert "1 file was not judged: b.py" in short.out
