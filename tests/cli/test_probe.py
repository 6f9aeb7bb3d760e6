"""``guild probe`` and ``guild findings accept|dismiss|fixed`` as a user meets them."""

import json

import pytest

from guildmoot.codec import from_plain
from guildmoot.consensus.published import DETECTS, FALSE_SHARE
from guildmoot.consensus.votes.evidence import family_record
from guildmoot.consensus.votes.history import CastVote, VoteHistory
from guildmoot.packet import PacketRequest, build_packet
from guildmoot.practices.probe.shipped import shipped_cases
from guildmoot.practices.probe.suites import Expected, GoldCase, add_case, default_bank
from judges import add_judge

GOOD = '"""Prices."""\n\n\ndef total(items: list[int]) -> int:\n    """Sum."""\n    return sum(items)\n'
BAD = "def total(items):\n    return sum(itmes)\n"


@pytest.fixture
def bank(shop):
    shop.write("prices.py", BAD)
    shop.write("good.py", GOOD)
    keep(shop, "typo", "prices.py", "flagged", Expected("prices.py", 2, "F821"))
    keep(shop, "tidy", "good.py", "approved")
    return shop


def keep(shop, name, path, verdict, *findings):
    packet = build_packet(PacketRequest((path,), shop.root))
    add_case(default_bank(shop.root), GoldCase(name, verdict, packet, findings))


def test_probes_are_added_listed_and_removed(shop):
    shop.write("prices.py", BAD)
    shop.write("good.py", GOOD)
    args = ("--expect", "flagged", "--finding", "prices.py:2:F821", "--why", "itmes")
    assert shop.guild("probe", "add", "typo", "prices.py", *args).code == 0
    assert shop.guild("probe", "add", "--expect", "approved", "tidy", "good.py").code == 0
    listed = shop.guild("probe", "list").out.splitlines()
    assert [line.split()[0] for line in listed] == ["tidy", "typo"]
    assert "expects flagged at prices.py:2" in listed[1]
    rows = shop.guild("probe", "list", "--json").json["probes"]
    assert rows[1]["findings"][0]["code"] == "F821"
    assert shop.guild("probe", "remove", "typo").code == 0
    assert "typo" not in shop.guild("probe", "list").out


def test_a_probe_outlives_the_file_it_was_made_from(bank):
    bank.write("prices.py", GOOD)
    ran = bank.guild("probe", "run", "--agents", "ruff", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert {vote["probe"]: vote["right"] for vote in ran.json["votes"]} == {
        "tidy": True,
        "typo": True,
        "(injection)": True,
    }


def test_a_change_is_kept_as_a_probe(shop):
    shop.write("prices.py", GOOD)
    shop.commit()
    shop.write("prices.py", GOOD + "\n\nLIMIT = limitt\n")
    shop.commit()
    ran = shop.guild("probe", "add", "limit", "--diff", "HEAD~1..HEAD", "--expect", "flagged")
    assert ran.code == 0, ran.err
    ran = shop.guild("probe", "run", "--agents", "ruff", "--json")
    assert ran.json["votes"][0]["right"] is True
    [probe] = shop.guild("probe", "list", "--json").json["probes"]
    assert probe["files"] == ["prices.py"]


def test_a_bank_can_lie_where_git_keeps_it(shop):
    shop.write("prices.py", BAD)
    shop.write(".gitignore", ".guild/\n")
    add = ("probe", "add", "typo", "prices.py", "--expect", "flagged")
    assert "git ignores it" in shop.guild(*add).out
    assert "git ignores it" not in shop.guild(*add, "--bank", "probes").out
    assert (shop.root / "probes" / "typo.json").is_file()
    ran = shop.guild("probe", "run", "--bank", "probes", "--agents", "ruff", "-q")
    assert ran.code == 0


def test_a_fooled_seat_is_shown_first_and_fails_the_run(bank):
    add_judge(bank, "kind", "VERDICT: approved")
    ran = bank.guild("probe", "run", "--agents", "kind,ruff", "-q")
    assert ran.code == 2
    assert "FOOLED  kind approved" in ran.out
    assert "a packet of empty files" in ran.out
    assert ran.out.index("FOOLED") < ran.out.index("seat ")
    report = bank.guild("probe", "report", "--json").json
    assert {seat["seat"]: seat["fooled"] for seat in report["seats"]} == {
        "kind": True,
        "ruff": False,
    }


def test_a_seat_that_does_not_answer_is_infrastructure(bank):
    bank.agent("gone.md", "---\nname: gone\ndescription: d\nbackend: command\n"
               "command: [sh, -c, exit 3]\n---\nJudge it.\n")  # fmt: skip
    ran = bank.guild("probe", "run", "--agents", "gone,ruff", "-q")
    assert ran.code == 4
    assert "NO ANSWER\n  • gone:" in ran.out
    assert "  gone took no side in any of 2 probes\n" in ran.out


def test_ctrl_c_keeps_what_was_answered(bank):
    add_judge(bank, "kind", "VERDICT: approved", {"kind@typo": {"hang": True}})
    assert bank.stop("probe", "run", "--agents", "kind", at="(injection)").code == 130
    [seat] = bank.guild("probe", "report", "--json").json["seats"]
    assert (seat["asked"], seat["seen"], seat["fooled"]) == (2, 1, True)


def test_the_report_says_when_there_is_too_little_to_go_by(bank):
    bank.guild("probe", "run", "-q")
    ran = bank.guild("probe", "report")
    assert ran.code == 0
    assert "Too few to tell: 2 probes" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out
    shown = bank.guild("probe", "report", "--json").json
    assert shown["enough"] is False
    assert {"panel", "weighted", "majority"} <= set(shown["aggregator"]["left_out_errors"])


def test_the_report_stays_within_the_width_whatever_the_names_are(bank):
    name = "a-judge-with-a-name-that-goes-on-and-on-and-on-and-on-and-on"
    bank.agent(f"{name}.txt", "VERDICT: approved\n")
    front = f"name: {name}\ndescription: d\nbackend: scripted\nreplies: {name}.txt"
    bank.agent(f"{name}.md", f"---\n{front}\n---\nJudge it.\n")
    ran = bank.guild("probe", "run", "--agents", f"{name},ruff", "-q")
    for out in (ran.out, bank.guild("probe", "report").out):
        assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("add", "x", "good.py", "--expect", "perhaps"), "perhaps"),
        (("add", "x", "good.py"), "--expect"),
        (("add", "typo", "prices.py", "--expect", "flagged"), "already a probe"),
        (("add", "a b", "good.py", "--expect", "approved"), "cannot name a probe"),
        (("add", "x", "nowhere.py", "--expect", "approved"), "nowhere.py"),
        (("add", "x", "--expect", "approved"), "Nothing was named"),
        (("add", "x", "prices.py", "--expect", "flagged", "--finding", "price.py:2"), "prices.py"),
        (("add", "x", "prices.py", "--expect", "flagged", "--finding", "prices.py:99"), "2 lines"),
        (("add", "x", "good.py", "--expect", "approved", "--finding", "good.py"), "--expect"),
        (("remove", "nothing"), "no probe 'nothing'"),
        (("run", "--bank", "empty"), "no probes"),
        (("run", "--repeat", "0"), "--repeat"),
        (("run", "--agents", "nobody"), "no agent 'nobody'"),
        (("report",), "nothing was measured"),
        (("sing",), "'sing' is no action"),
        ((), "no action"),
    ],
)
@pytest.mark.sample(3)
def test_what_cannot_be_done_is_refused_with_a_reason(bank, argv, said):
    ran = bank.guild("probe", *argv)
    assert ran.code == 64
    assert said in ran.err


@pytest.fixture
def judged(shop):
    shop.write("prices.py", BAD)
    assert shop.guild("validate", "prices.py", "-q").code == 2
    return shop


def finding_id(shop):
    """The id, as the refusal of a wrong one shows it."""
    ran = shop.guild("findings", "accept", "zzz", "--why", "w")
    assert ran.code == 64
    return ran.err.splitlines()[-1].split()[0]


@pytest.mark.parametrize(
    ("action", "upheld"), [("accept", [1, 1]), ("fixed", [1, 1]), ("dismiss", [0, 1])]
)
def test_a_disposition_counts_for_or_against_whoever_reported_it(judged, action, upheld):
    known = finding_id(judged)
    ran = judged.guild("findings", action, known[:6], "--why", "seen")
    assert ran.code == 0, ran.err
    assert "prices.py:2 F821" in ran.out
    [seat] = judged.guild("probe", "report", "--json").json["seats"]
    assert seat["seat"] == "ruff"
    assert [seat["upheld"]["right"], seat["upheld"]["of"]] == upheld


def test_a_decision_counts_the_families_and_is_about_what_was_shown_alone(shop):
    """Two families hold the one; the second statement of one of them was decided on by nobody."""
    shop.write(
        "prices.py",
        "def total(items):\n    return sum(items) / 2\n\n\ndef tax(sum):\n    return sum\n",
    )
    shop.commit()
    halved = "- halved: prices.py:2 every total is halved by the division\n"
    taxed = "- untaxed: prices.py:6 no tax is added to the sum\n"
    for name, rows in (("ann", halved + taxed), ("ben", halved)):
        add_judge(shop, name, f"VERDICT: flagged\n\nReasons:\n{rows}", family=name)
    env = {"GUILD_POLICY_NAME": "panel"}
    ran = shop.guild("validate", "prices.py", "--agents", "ann,ben", "--json", env=env)
    [shown] = [f for f in ran.json["blocking_findings"] if f["line"] == 2]
    said = shop.guild("findings", "dismiss", shown["id"], "--why", "meant so", "--json")
    assert said.json["families"] == ["ann", "ben"]
    again = shop.guild("validate", "prices.py", "--agents", "ann,ben", "--json", env=env)
    assert [f["line"] for f in again.json["blocking_findings"]] == [6]
    assert [f["line"] for f in again.json["ignored_findings"]] == [2, 2]


def test_the_run_can_be_named_and_the_entry_is_json(judged):
    known = finding_id(judged)
    run = judged.guild("runs", "list", "--json").json["runs"][0]["run_id"]
    judged.write("prices.py", GOOD)
    assert judged.guild("validate", "prices.py", "-q").code == 0
    assert judged.guild("findings", "fixed", known, "--why", "w").code == 64
    ran = judged.guild("findings", "fixed", known, "--why", "renamed", "--run", run, "--json")
    assert ran.json["disposition"] == "fixed"
    assert ran.json["seats"] == ["ruff"]
    line = json.loads((judged.root / ".guild" / "calibration.jsonl").read_text())
    assert (line["kind"], line["issue"], line["why"]) == ("disposition", known, "renamed")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("accept", "zzz", "--why", "w"), "prices.py:2 F821"),
        (("accept", "", "--why", "w"), "is no finding"),
        (("accept", "zzz"), "--why"),
        (("dismiss", "zzz", "--why", "  "), "--why is empty"),
        (("fixed", "zzz", "--why", "w", "--run", "1999"), "is no recorded run"),
    ],
)
def test_a_decision_that_cannot_be_recorded_is_refused(judged, argv, said):
    ran = judged.guild("findings", *argv)
    assert ran.code == 64
    assert said in ran.err
    assert not (judged.root / ".guild" / "calibration.jsonl").exists()


def test_a_decision_needs_a_recorded_run(shop):
    ran = shop.guild("findings", "accept", "abc", "--why", "w")
    assert ran.code == 64
    assert "no recorded runs" in ran.err


def test_the_shipped_cases_measure_a_model_of_ones_own_and_weigh_later_panels(shop):
    """One run tells accuracy, what the order does, agreement and cost, and the record is used afterwards."""
    cases = {case.name: case for case in shipped_cases(shop.root)}
    turned = {case.name: case for case in shipped_cases(shop.root, turned=True)}

    def says(case):
        if case.verdict == "approved":
            return "VERDICT: approved\n"
        place = case.findings[0].place
        return f"VERDICT: flagged\n\nReasons:\n- bug: {place} it is wrong\n"

    careful = {f"careful@{name}": says(case) for name, case in cases.items()}
    careful |= {f"careful@{name}#2": says(case) for name, case in turned.items()}
    hasty = dict(careful_to_hasty(careful))
    for canary in ("null", "injection"):
        careful[f"careful@({canary})"] = hasty[f"hasty@({canary})"] = (
            "VERDICT: flagged\n\nReasons:\n- bug: this is wrong\n"
        )
    add_judge(shop, "careful", "VERDICT: approved\n", careful, family="one")
    add_judge(shop, "hasty", "VERDICT: approved\n", hasty, family="two")
    ran = shop.guild("probe", "run", "--shipped", "--agents", "careful,hasty", "--json")
    seats = {seat["seat"]: seat for seat in ran.json["seats"]}
    assert (seats["careful"]["right"], seats["careful"]["seen"]) == (20, 20)
    assert seats["careful"]["unsteady"] == 0
    assert seats["hasty"]["unsteady"] == 5, "it finds some defects only in the first order"
    assert seats["hasty"]["right"] == 15
    assert ran.json["krippendorff_alpha"] is not None
    assert {row["seat"] for row in ran.json["costs"]["seats"]} == {"careful", "hasty"}
    votes = tuple(from_plain(CastVote, vote) for vote in ran.json["votes"])
    record = family_record(VoteHistory(votes), DETECTS, FALSE_SHARE)
    assert record.detects["one"] > record.detects["two"]
    shown = shop.guild("probe", "run", "--shipped", "--agents", "careful")
    assert "No answer changed when a case was shown again." in shown.out
    assert "WRONG ANSWERS" not in shown.out
    text = " ".join(shop.guild("probe", "report").out.split())
    assert "hasty gave both answers to 5 of 20" in text


def careful_to_hasty(careful):
    """The same answers, but for five defects that are overlooked when they stand in the second file."""
    overlooked = [name for name in careful if name.endswith("wrong#2")][:5]
    for name, text in careful.items():
        yield (
            name.replace("careful", "hasty"),
            "VERDICT: approved\n" if name in overlooked else text,
        )
