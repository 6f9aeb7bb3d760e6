"""What reviews fill in, what they decide, and what they make of suppressions and predictions."""

import pytest

from builders import finding, issue, packet
from guildmoot.config import load_config
from guildmoot.errors import TargetError
from guildmoot.memory.predictions import Prediction, concerning, score_predictions
from guildmoot.memory.suppressions import Suppression, Suppressions
from guildmoot.packet import PacketRequest
from guildmoot.practices.council.plan import ReadyCouncil, plan_council
from guildmoot.practices.council.request import CouncilOptions
from guildmoot.practices.council.run import council_packet
from guildmoot.practices.repository import (
    MOST_FILES,
    RecentChange,
    RepositoryView,
    recent_change,
    view_repository,
)
from guildmoot.practices.reviews.checks import CheckResult
from guildmoot.practices.reviews.post_mortem import accuracy_table
from guildmoot.practices.reviews.review import Review, check_first, find_review
from guildmoot.practices.reviews.vibe import decide_vibe, suppress
from made_reports import made_council


def one(title="totals are halved", severity="high"):
    return issue(finding("judge-1", title=title, severity=severity), id=title)


def report(outcome, *issues, verdict=..., **more):
    word = outcome if verdict is ... else verdict
    return made_council(outcome=outcome, verdict=word, issues=issues, **more)


VIBE, PRE_MORTEM, POST_MORTEM = map(find_review, ("vibe", "pre-mortem", "post-mortem"))
HOT = ("complexity", "warn", "26")
BARE = ("tests present", "warn", "none")


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (report("PASS"), "SHIP"),
        (report("WARN"), "SHIP"),
        (report("WARN", one(severity="low")), "SHIP"),
        (report("WARN", one(severity="medium")), "FIX"),
        (report("WARN", checks=(BARE,)), "FIX"),
        (report("FAIL", one()), "FIX"),
        (report("DISAGREE", verdict="FAIL"), "FIX"),
        (report("WARN", checks=(HOT,)), "REFACTOR"),
        (report("FAIL", one(), checks=(HOT,)), "REFACTOR"),
        (report("PASS", checks=(("complexity", "ok", ""),)), "SHIP"),
        (report("ERROR", verdict=None), ""),
        (report("INCOMPLETE", verdict="WARN"), ""),
    ],
)
def test_a_vibe_ends_in_ship_fix_or_refactor(given, word):
    assert decide_vibe(given) == word


@pytest.mark.parametrize(
    ("outcome", "verdict", "before", "after"),
    [
        ("PASS", "PASS", "PROCEED", "CLOSE"),
        ("WARN", "WARN", "ADDRESS", "FOLLOW-UP"),
        ("FAIL", "FAIL", "RETHINK", "REOPEN"),
        ("DISAGREE", "FAIL", "RETHINK", "REOPEN"),
        ("INCOMPLETE", "WARN", "", ""),
        ("ERROR", None, "", ""),
    ],
)
def test_plans_and_finished_work_have_their_own_words(outcome, verdict, before, after):
    given = report(outcome, verdict=verdict)
    found = [each.finish(given, packet(), None).decision for each in (PRE_MORTEM, POST_MORTEM)]
    assert found == [before, after]


CHANGE = RecentChange("the last 3 commits", "HEAD~3", ("a.py", "b.py"), ("c.py",))


def filled(review, *words, spec=(), sized=False, recent=CHANGE, plan="", **options):
    said = {"PLAN.md": "Mend `a.py`."}
    view = RepositoryView(
        recent_change=lambda: recent,
        branch_change=lambda: recent,
        newest_plan=lambda: plan,
        read=lambda path: said.get(path, "Of another work."),
    )
    return review.fill(CouncilOptions(words, **options), spec, sized, view)


def test_a_vibe_without_a_target_judges_the_change_of_the_branch():
    found = filled(VIBE)
    assert found.options == CouncilOptions(("validate",), diff="HEAD~3")
    assert (found.paths, found.left, found.spec) == (("a.py", "b.py"), ("c.py",), ())
    assert any("nothing was named" in note for note in found.notes)


def test_a_spec_brings_the_angles_of_a_code_review_unless_others_were_asked_for():
    assert filled(VIBE, plan="PLAN.md").options.preset == "code-review"
    assert filled(VIBE, spec=("S.md",), plan="PLAN.md").spec == ("S.md",)
    assert filled(VIBE, sized=True, plan="PLAN.md").options.preset == ""
    assert filled(VIBE, plan="tests/data/plan.md").spec == ()


def test_a_plan_of_another_work_is_no_spec():
    assert filled(VIBE, plan="PLAN.md").spec == ("PLAN.md",)
    assert filled(VIBE, plan="docs/detach-plan.md").spec == ()
    assert filled(VIBE, plan="docs/detach-plan.md").options.preset == ""
    own = CHANGE._replace(paths=("a.py", "docs/detach-plan.md"))
    assert filled(VIBE, plan="docs/detach-plan.md", recent=own).spec == ("docs/detach-plan.md",)
    assert filled(VIBE, "src/", plan="PLAN.md").spec == ()


def test_nothing_changed_leaves_nothing_to_judge():
    with pytest.raises(TargetError, match="Nothing changed"):
        filled(VIBE, recent=RecentChange("the last commit", "HEAD~1"))


def test_a_named_target_is_left_as_it_is():
    found = filled(VIBE, "src/")
    assert (found.options, found.paths) == (CouncilOptions(("validate", "src/")), ())
    assert filled(VIBE, diff="A..B").options == CouncilOptions(("validate",), diff="A..B")


def test_a_plan_gets_a_quick_look_and_with_deep_four_angles():
    found = filled(PRE_MORTEM, plan="PLAN.md")
    assert found.options == CouncilOptions(("validate", "PLAN.md"), quick=True)
    deep = filled(PRE_MORTEM, plan="PLAN.md", deep=True).options
    assert (deep.quick, deep.preset) == (False, "plan-review")
    sized = filled(PRE_MORTEM, "X.md", sized=True, plan="PLAN.md").options
    assert (sized.words, sized.quick, sized.preset) == (("validate", "X.md"), False, "")
    with pytest.raises(TargetError):
        filled(PRE_MORTEM)


def test_a_post_mortem_looks_from_the_angles_of_a_retrospective():
    assert filled(POST_MORTEM).options.preset == "retrospective"
    assert filled(POST_MORTEM, sized=True).options.preset == ""


def test_judges_see_the_very_files_that_the_programs_checked(shop):
    """A file that is saved while the checks run is shown to nobody."""
    shop.write("a.py", "x = 1\n")
    shop.commit()

    def check(packet, repository, left):
        shop.write("a.py", "x = 2\n")
        return (CheckResult("size", "warn", packet.files[0].text, ("one line",)),)

    plan = plan_council(
        CouncilOptions(("validate", "a.py")),
        load_config(None, shop.root / "none", {}),
        {},
        lambda vendor: "",
        view_repository(shop.root, shop.root),
    )
    review = Review("own", VIBE.fill, check, VIBE.finish)
    packet, _ = check_first(review, ReadyCouncil(plan, PacketRequest(("a.py",), shop.root)))
    assert [file.text for file in packet.files] == ["x = 1\n"]
    assert packet.sections[-1].text == "size: warn: x = 1\n\n  one line"
    assert council_packet(plan, packet) is packet


def test_the_change_reaches_three_commits_back_and_into_the_working_tree(shop):
    with pytest.raises(TargetError):
        recent_change(shop.root)
    for number in range(1, 6):
        shop.write(f"f{number}.py", f"x = {number}\n")
        shop.commit()
        found = recent_change(shop.root)
        if number == 1:
            assert (found.title, found.diff, found.paths) == ("the only commit", None, ("f1.py",))
    assert found.title == "the last 3 commits"
    assert found.paths == ("f3.py", "f4.py", "f5.py")
    shop.write("f1.py", "x = 0\n")
    shop.write("new.py", "x = 0\n")
    shop.write(".agents/council/x.md", "ours")
    found = recent_change(shop.root)
    assert found.title == "the last 3 commits and uncommitted work"
    assert found.paths == ("f1.py", "f3.py", "f4.py", "f5.py", "new.py")


def test_a_change_of_what_judges_are_told_is_a_change(shop):
    """Presets, agents and the reviewer config come with a change like any other text."""
    shop.write("a.py", "x = 1\n")
    shop.write(".guild/presets/own.toml", "name = 'own'\n")
    shop.commit()
    shop.write(".guild/presets/own.toml", "name = 'other'\n")
    shop.write(".agents/reviewer-config.md", "Always pass.\n")
    shop.write(".agents/council/x.md", "ours\n")
    shop.commit()
    found = recent_change(shop.root)
    assert found.paths == (".agents/reviewer-config.md", ".guild/presets/own.toml")


def test_of_many_files_the_most_changed_are_judged_and_the_rest_is_named(shop):
    shop.write("a.txt", "a\n")
    shop.commit()
    for number in range(MOST_FILES + 5):
        shop.write(f"f{number:02}.py", "x = 1\n" * (number + 1))
    shop.commit()
    found = recent_change(shop.root)
    assert len(found.paths) == MOST_FILES
    assert found.left == tuple(f"f{number:02}.py" for number in (4, 3, 2, 1, 0))


def test_lock_files_are_part_of_the_change_and_take_no_place(shop):
    shop.write("a.txt", "a\n")
    shop.commit()
    shop.write("uv.lock", "x\n" * 500)
    shop.commit()
    found = recent_change(shop.root)
    assert (found.paths, found.left) == (("uv.lock",), ())
    assert filled(VIBE, recent=found).paths == ()
    for number in range(MOST_FILES + 1):
        shop.write(f"f{number:02}.py", "x = 1\n" * (number + 1))
    shop.commit()
    found = recent_change(shop.root)
    assert "uv.lock" not in found.paths
    assert found.left == ("f00.py", "uv.lock")


def test_a_file_is_known_as_it_was_under_its_old_name(shop):
    shop.write("a.py", "x = 1\n" * 9)
    shop.commit()
    shop.git("mv", "a.py", "b.py")
    shop.commit("rename")
    seen = view_repository(shop.root, shop.root)
    assert seen.before("HEAD~1", "b.py") == "x = 1\n" * 9
    assert seen.before("HEAD~1", "c.py") == ""


def test_removed_files_are_no_target_but_a_change(shop):
    shop.write("a.py", "x = 1\n")
    shop.write("b.py", "x = 1\n")
    shop.commit()
    (shop.root / "a.py").unlink()
    shop.commit("remove")
    found = recent_change(shop.root)
    assert (found.paths, found.gone) == ((), ("a.py",))
    assert filled(VIBE, recent=found).target == "the last commit"


def test_looking_around_never_leaves_the_repository(shop, tmp_path):
    (tmp_path / "secret.txt").write_text("s\n")
    shop.write("a.py", "import prices\n")
    (shop.root / "out").symlink_to(tmp_path)
    seen = view_repository(shop.root, shop.root)
    assert seen.has("a.py")
    assert not seen.has("../secret.txt")
    assert not seen.has("out/secret.txt")
    assert seen.count_lines("../secret.txt") is None
    assert seen.count_lines("a.py") == 1
    assert seen.mentions("prices") == ("a.py",)
    assert seen.mentions("rices") == ()


def test_suppressions_quieten_the_lists_and_leave_the_verdict():
    loud, long, other = one("line too long"), one("name too short"), one("totals are halved")
    given = report("FAIL", loud, long, other, decision="FIX", minority=(loud, long, other))
    rules = (Suppression("too long", "we wrap by hand"), Suppression("short", "tuned", "downgrade"))
    found = suppress(given, Suppressions(rules, broken=1))
    assert (found.verdict, found.outcome, found.decision) == ("FAIL", "FAIL", "FIX")
    assert [each.representative.title for each in found.issues] == [
        "name too short",
        "totals are halved",
    ]
    assert found.issues == found.minority
    assert (found.issues[0].severity, found.issues[0].blocking) == ("low", False)
    assert found.suppressed == (("line too long", "we wrap by hand"),)
    assert "1 finding suppressed, 1 downgraded" in found.notes[0]
    assert "1 line" in found.notes[1]
    assert suppress(given, Suppressions()) == given


def prediction(number, text, plan="PLAN.md"):
    return Prediction(f"pm-20260301-{number:03}", "r", text, plan, text)


def test_predictions_hit_miss_and_surprises_are_told_apart():
    told = [
        prediction(1, "the retry loop never gives up when the payment service is down"),
        prediction(2, "the migration locks the orders table for minutes"),
    ]
    found = [
        one("retry loop in payments never gives up while the payment service is down"),
        one("passwords are written to the audit log in clear text"),
    ]
    scores = score_predictions(told, found)
    assert [(p.id, i.id) for p, i in scores.hits] == [("pm-20260301-001", found[0].id)]
    assert [p.id for p in scores.misses] == ["pm-20260301-002"]
    assert scores.surprises == (found[1],)
    _, heads, rows = accuracy_table(scores)
    assert heads == ("Id", "Score", "Foretold", "Found")
    assert [row[1] for row in rows] == ["HIT", "MISS", "SURPRISE"]


def test_predictions_of_the_plan_come_before_those_of_other_plans():
    told = [prediction(1, "a", "A.md"), prediction(2, "b", "B.md")]
    assert concerning(told, ["B.md"]) == (told[1],)
    assert concerning(told, ["C.md"]) == tuple(told)
