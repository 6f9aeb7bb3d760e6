"""The mechanical checks: what a program can be sure of, and nothing more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import packet
from guildmoot.model.packet import Omission, PacketFile, Section
from guildmoot.practices.repository import RepositoryView
from guildmoot.practices.reviews.checks import (
    check_changed,
    check_links,
    check_spec,
    check_tests,
    is_test,
    links,
    resolve,
    some,
)
from guildmoot.practices.reviews.claims import (
    check_claims,
    check_delivered,
    check_verified,
    claims,
)
from guildmoot.practices.reviews.complexity import check_complexity, functions


def branchy(number):
    """A function with so many branches."""
    return "def f(a):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(number))


def file(path, text=""):
    return PacketFile(path, text, "")


def look(*paths, mentions=(), lines=None):
    folders = {path.rpartition("/")[0] for path in paths}
    return RepositoryView(
        files=lambda: paths,
        has=lambda path: path in paths or path in folders,
        count_lines=lambda path: (lines or {}).get(path),
        mentions=lambda word: mentions,
    )


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("return 1", 1),
        ("if a:\n        return 1\n    elif b:\n        return 2", 3),
        ("for x in a:\n        while b:\n            pass", 3),
        ("return a and b or c", 3),
        ("return [x for x in a if x if b]", 4),
        ("try:\n        pass\n    except OSError:\n        pass", 2),
        ("match a:\n        case 1:\n            pass\n        case _:\n            pass", 3),
        ("assert a\n    return 1 if b else 2", 3),
        ("def g():\n        if b:\n            pass\n    return g", 1),
    ],
)
def test_a_function_is_one_and_one_for_each_branch(body, number):
    found = functions(file("a.py", f"def f(a, b=0, c=0):\n    {body}\n"))
    assert found[0].complexity == number


def test_hot_functions_are_shown_and_too_hot_ones_warn():
    mild = check_complexity([file("a.py", branchy(12))], {})
    assert (mild.result, mild.table[2][0][2]) == ("ok", "13")
    hot = check_complexity([file("a.py", branchy(25))], {})
    assert (hot.result, hot.table[1][0]) == ("warn", "Function")
    assert hot.table[2] == (("f", "a.py:1", "26", "D"),)


def test_of_a_change_only_the_touched_functions_count():
    text = branchy(25) + "\n\ndef calm():\n    return 1\n"
    last = text.count("\n")
    assert check_complexity([file("a.py", text)], {"a.py": ((last, last),)}).result == "ok"
    assert check_complexity([file("a.py", text)], {"a.py": ((3, 3),)}).result == "warn"


@pytest.mark.parametrize(
    ("before", "result"), [(26, "ok"), (25, "ok"), (24, "warn"), (3, "warn"), (0, "warn")]
)
def test_a_change_answers_for_what_it_made_more_branched(before, result):
    past = branchy(before) if before else "x = 1\n"
    found = check_complexity([file("a.py", branchy(25))], {"a.py": ((3, 3),)}, lambda path: past)
    assert found.result == result
    was = str(before + 1) if before else "new"
    assert found.table[1:] == (
        ("Function", "Place", "Complexity", "Before", "Grade"),
        (("f", "a.py:1", "26", was, "D"),),
    )


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("httpx/_auth.py", "tests/test_auth.py"),
        ("lib/router.js", "test/router.js"),
        ("src/user-list.ts", "src/user_list.spec.ts"),
        ("src/Prices.java", "src/PricesTest.java"),
        ("app/prices.rb", "spec/prices_spec.rb"),
    ],
)
def test_tests_are_found_by_the_names_that_people_give_them(path, test):
    assert check_tests([file(path)], look(path, test)).result == "ok"
    assert check_tests([file(path)], look(path, "tests/test_other.py")).result == "warn"


@pytest.mark.parametrize("text", ["def f(:", "x = '\\d'\n", "(" * 5000, "\0", "x\ud800"])
def test_a_file_that_does_not_parse_has_no_functions(text):
    assert functions(file("a.py", text)) == []


def test_other_languages_are_left_to_the_judges():
    assert check_complexity([file("a.go", "func f() {}")], {}).result == "skipped"


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/helper.py", True),
        ("src/test_prices.py", True),
        ("web/cart.spec.ts", True),
        ("pkg/cart_test.go", True),
        ("src/PriceTest.java", True),
        ("src/prices.py", False),
        ("src/contest.py", False),
        ("latest/prices.py", False),
    ],
)
def test_tests_are_known_by_their_names_and_folders(path, test):
    assert is_test(path) is test


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("src/prices.py", "tests/test_prices.py"),
        ("web/cart.ts", "web/cart.spec.ts"),
        ("pkg/cart.go", "pkg/cart_test.go"),
        ("src/Price.java", "test/PriceTest.java"),
    ],
)
def test_code_with_a_test_of_its_name_passes(path, test):
    assert check_tests([file(path)], look(path, test)).result == "ok"


def test_a_test_that_mentions_the_module_is_enough():
    seen = look("src/prices.py", "tests/test_shop.py", mentions=("tests/test_shop.py",))
    assert check_tests([file("src/prices.py")], seen).result == "ok"
    other = look("src/prices.py", mentions=("src/shop.py",))
    assert check_tests([file("src/prices.py")], other).result == "warn"


def test_tests_within_the_file_count_too():
    rust = file("src/lib.rs", "#[cfg(test)]\nmod tests {}\n")
    assert check_tests([rust], look("src/lib.rs")).result == "ok"


def test_code_without_any_test_is_named():
    found = check_tests([file("src/prices.py"), file("src/__init__.py")], look("src/prices.py"))
    assert (found.result, found.more) == ("warn", ("no test for src/prices.py",))


def test_where_no_code_changed_no_tests_are_asked_for():
    files = [file("README.md"), file("tests/test_a.py"), file("src/__init__.py")]
    assert check_tests(files, look()).result == "skipped"


def test_dead_links_are_named_with_their_line():
    text = "# Hi\n[good](guide.md#top) [folder](../src) [bad](gone.md)\n[web](https://x.example)\n"
    found = check_links([file("docs/a.md", text)], look("docs/guide.md", "src/a.py"))
    assert found.result == "warn"
    assert found.more == ("dead link at docs/a.md:2 gone.md",)
    assert found.detail.startswith("1 of 3")


def test_links_in_code_are_no_links():
    text = "```md\n[a](b.md)\n```\n`[c](d.md)` <!-- [e](f.md) -->\n\n[ref]: there.md\n"
    assert list(links(text)) == [(6, "there.md")]


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("b.md", "docs/b.md"),
        ("./b.md#part", "docs/b.md"),
        ("../x%20y.md", "x y.md"),
        ("/README.md", "README.md"),
        ("../../issues", None),
        ("#part", None),
        ("mailto:a@b.c", None),
        ("//cdn.example/x", None),
        ("{{ url }}", None),
    ],
)
def test_a_link_names_a_path_of_the_repository_or_nothing(link, path):
    assert resolve("docs/a.md", link) == path


@given(st.text())
def test_any_text_can_be_searched_for_links_and_claims(text):
    for _, link in links(text):
        resolve("docs/a.md", link)
    list(claims(text))


PLAN = """# Plan
Change `src/prices.py` (12 lines) and `prices.py:9`; see `gone.py`.
Create `src/cache.py` with the cache; `json.dumps` and `text/html` are no files.
## New files
- `src/more.py`
"""


def test_what_a_plan_takes_for_given_must_be_there():
    seen = look("src/prices.py", lines={"src/prices.py": 10, "prices.py": 10})
    found = check_claims(PLAN, seen)
    assert found.result == "warn"
    assert found.more == (
        "line 2: src/prices.py has 10 lines, not 12",
        "line 2: gone.py is not there",
    )


def test_a_line_beyond_the_file_is_a_wrong_claim():
    seen = look("a.py", lines={"a.py": 3})
    assert check_claims("Mend `a.py:2`.", seen).result == "ok"
    assert check_claims("Mend `a.py:2-4`.", seen).more == ("line 1: a.py has 3 lines, not 4",)
    assert check_claims("`a.py`, about 40 lines", seen).result == "ok"


def test_when_the_work_is_done_every_file_must_be_there():
    assert check_delivered("Create `src/cache.py`.", look("src/a.py")).result == "warn"
    assert check_delivered("Create `src/cache.py`.", look("src/cache.py")).result == "ok"
    assert check_delivered("Be faster.", look()).result == "skipped"


def test_a_plan_must_say_how_it_is_checked():
    assert check_verified("Move it to Redis.").result == "warn"
    assert check_verified("Move it to Redis; the tests pass.").result == "ok"


def test_files_that_are_left_out_are_named():
    assert check_changed(packet([file("a.py")])).detail == "1 file judged"
    found = check_changed(packet([file("a.py")]), ["b.py"])
    assert (found.result, found.more) == ("undecided", ("not judged: b.py",))
    binary = packet([file("a.py")], omitted=(Omission("x.png", "binary"),))
    assert "x.png" in check_changed(binary).detail


def test_the_spec_is_named_or_said_to_be_missing():
    spec = packet(sections=(Section("spec", "PLAN.md", "text"),))
    assert (check_spec(spec).result, check_spec(spec).detail) == ("ok", "PLAN.md")
    assert check_spec(packet()).result == "skipped"


def test_long_lists_are_shortened_and_counted():
    assert some(["a", "b", "c"], 2) == "a, b and 1 more"
