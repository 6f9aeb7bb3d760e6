"""Names that a change takes away while files which it leaves alone still use them."""

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

# Who declares a name, who uses it, the word that goes, and what it becomes.
ROWS = {
    "Go": (
        {
            "go.mod": "module ex.org/shop/v2\n",
            "fees/fees.go": "package fees\n\nfunc Total(n int) int { return n }\n",
            "web/web.go": 'package web\n\nimport "ex.org/shop/v2/fees"\n\nfunc Show() int { return fees.Total(2) }\n',
        },
        ("fees/fees.go", "Total", "Sum"),
    ),
    "Go under another name": (
        {
            "go.mod": "module ex.org/shop\n",
            "fees/fees.go": "package fees\n\ntype Total struct{}\n",
            "web/web.go": 'package web\n\nimport f "ex.org/shop/fees"\n\nvar t = f.Total{}\n\nvar u = f.Total.String\n',
        },
        ("fees/fees.go", "Total", "Sum"),
    ),
    "Java": (
        {
            "a/Fees.java": "package a;\n\nclass Fees {}\n",
            "b/Web.java": "package b;\n\nimport a.Fees;\n\nclass Web { Fees fees; }\n",
        },
        ("a/Fees.java", "class Fees", "class Costs"),
    ),
    "Java in one package": (
        {
            "a/Fees.java": "package a;\n\nclass Fees {}\n",
            "a/Web.java": "package a;\n\nclass Web { Object o = new Fees(); }\n",
        },
        ("a/Fees.java", "class Fees", "class Costs"),
    ),
    "Kotlin": (
        {
            "Fees.kt": "package a\n\nclass Fees(val n: Int)\n",
            "Web.kt": "package b\n\nimport a.Fees\n\nfun show() = Fees(2)\n",
        },
        ("Fees.kt", "class Fees", "class Costs"),
    ),
    "C#": (
        {
            "Fees.cs": "namespace Shop.Billing;\n\nclass Fees {}\n",
            "Web.cs": "using Shop.Billing;\n\nnamespace Shop.Web;\n\nclass Page { object o = new Fees(); }\n",
        },
        ("Fees.cs", "class Fees", "class Costs"),
    ),
    "PHP": (
        {
            "Fees.php": "<?php\nnamespace Shop;\n\nclass Fees {}\n",
            "Web.php": "<?php\nnamespace Web;\n\nuse Shop\\Fees;\n\n$f = new Fees();\n",
        },
        ("Fees.php", "class Fees", "class Costs"),
    ),
    "Ruby": (
        {
            "fees.rb": "module Shop\n  class Fees\n  end\nend\n",
            "web.rb": "module Shop\n  class Web\n    def show\n      Fees.new\n    end\n  end\nend\n",
        },
        ("fees.rb", "class Fees", "class Costs"),
    ),
    "C": (
        {
            "fees.c": '#include "fees.h"\n\nint fees_total(int n) { return n; }\n',
            "web.c": '#include "fees.h"\n\nint show(void) { return fees_total(2); }\n',
        },
        ("fees.c", "fees_total", "fees_sum"),
    ),
}


def told(files: dict[str, str], path: str, after: str, **more: str) -> list[str]:
    change = ChangedCode(
        {path: files[path]},
        {path: after, **more},
        lambda name: files.get(name, ""),
        lambda word: [name for name, text in files.items() if word in text],
    )
    found = (each for each in lost_names(change) if each.code == "name-gone")
    return [f"{each.path}:{each.line} {each.message}" for each in found]


@pytest.mark.parametrize("row", ROWS)
def test_a_name_that_is_gone_and_used_elsewhere_is_told_with_the_place(row):
    files, (path, old, new) = ROWS[row]
    [message] = told(files, path, files[path].replace(old, new))
    user = next(name for name in files if name not in (path, "go.mod"))
    assert message.startswith(f"{user}:")
    assert f"is gone from {path}" in message


@pytest.mark.parametrize("row", ROWS)
def test_what_another_file_of_the_change_declares_is_there(row):
    files, (path, old, new) = ROWS[row]
    moved = path.replace("ees.", "ees_moved.").replace("Fees_moved.java", "FeesMoved.java")
    assert told(files, path, files[path].replace(old, new), **{moved: files[path]}) == []


@pytest.mark.parametrize(
    ("row", "user", "text"),
    [
        ("Java", "b/Web.java", "package b;\n\nimport x.Fees;\n\nclass Web { Fees fees; }\n"),
        ("Java", "b/Web.java", "package b;\n\n// Fees are told here\nclass Web {}\n"),
        ("Kotlin", "Web.kt", "package a.inner\n\nimport x.Fees\n\nfun show() = Fees(2)\n"),
        ("C#", "Web.cs", "namespace Other;\n\nclass Page { object o = new Fees(); }\n"),
        ("C", "web.c", "#define fees_total(n) (n)\n\nint show(void) { return fees_total(2); }\n"),
        ("C", "web.c", "static int fees_total(int n) { return n; }\n"),
        ("Go", "web/web.go", 'package web\n\nimport "other.org/fees"\n\nvar x = fees.Total(1)\n'),
    ],
)
def test_a_name_from_elsewhere_is_none_of_ours(row, user, text):
    files, (path, old, new) = ROWS[row]
    files = {**files, user: text}
    assert told(files, path, files[path].replace(old, new)) == []


def test_an_alias_in_its_place_gives_the_type():
    files, (path, _, _) = ROWS["Kotlin"]
    assert told(files, path, "package a\n\ntypealias Fees = x.y.Fees\n") == []


def test_an_inner_type_of_another_one_is_not_meant_by_its_name():
    files = {
        "Fees.kt": "package a\n\nclass Fees {\n    class Wrong\n}\n",
        "Web.kt": "package a\n\nfun show(x: Any) = x is Bill.Wrong.Late\n",
    }
    assert told(files, "Fees.kt", "package a\n\nclass Fees\n") == []
    used = {**files, "Web.kt": "package a\n\nfun show(x: Any) = x is Wrong\n"}
    assert len(told(used, "Fees.kt", "package a\n\nclass Fees\n")) == 1


@pytest.mark.parametrize("row", ["Java", "Java in one package", "Kotlin", "PHP"])
def test_a_type_that_moved_to_another_package_is_gone_from_its_old_one(row):
    files, (path, _, _) = ROWS[row]
    moved = files[path].replace("package a", "package z").replace("namespace Shop", "namespace Zoo")
    [message] = told(files, path, moved)
    assert "Fees` is gone" in message
    there = moved.split("\n")[0 if row != "PHP" else 1].split()[1].strip(";")
    joint = "\\" if row == "PHP" else "."
    adapted = {
        name: text.replace(f"a{joint}Fees", f"{there}{joint}Fees").replace(
            "Shop\\Fees", "Zoo\\Fees"
        )
        for name, text in files.items()
    }
    if row != "Java in one package":
        assert told({**adapted, path: files[path]}, path, moved) == []


@pytest.mark.parametrize(
    ("row", "members"),
    [
        ("Java in one package", "enum Kind { Fees, Other } Kind k = Kind.Fees;"),
        ("Java in one package", "int Fees() { return 1; } int n = this.Fees();"),
        ("Java in one package", "Other.Fees inner;"),
        ("C#", "enum Kind { Fees, Other } Kind k = Kind.Fees;"),
        ("C#", "public IFees Fees { get; set; } int Count() => Fees.Count;"),
        ("C#", "int Show(Map map) => map.Fees<int>(2) + Fees<int>(1) + this.Fees(3);"),
        ("C#", "[Fees(1)] int n;"),
    ],
)
def test_what_is_called_as_a_type_is_no_use_of_it(row, members):
    files, (path, old, new) = ROWS[row]
    user = next(name for name in files if name != path)
    head = files[user].partition("class ")[0]
    assert (
        told(
            {**files, user: f"{head}class Page {{ {members} }}\n"},
            path,
            files[path].replace(old, new),
        )
        == []
    )


@pytest.mark.parametrize(
    ("row", "members"),
    [
        ("Java in one package", "int n = Fees.total();"),
        ("Java in one package", "java.util.List<Fees> all;"),
        ("C#", "int n = Fees.Total();"),
        ("C#", "Dictionary<string, Fees> all;"),
        ("C#", "Fees<int> all;"),
        ("C#", "bool Is(object o) => o is Fees;"),
        ("C#", "public Fees Fees { get; set; }"),
    ],
)
def test_a_type_is_used_wherever_a_type_can_stand(row, members):
    files, (path, old, new) = ROWS[row]
    user = next(name for name in files if name != path)
    head = files[user].partition("class ")[0]
    text = f"{head}class Page {{ {members} }}\n"
    assert told({**files, user: text}, path, files[path].replace(old, new))


def test_a_property_that_a_class_inherits_is_no_use_of_a_type_of_its_name():
    files, (path, old, new) = ROWS["C#"]
    more = {
        "Base.cs": "namespace Shop.Billing;\n\nclass Base { protected int[] Fees { get; } }\n",
        "Web.cs": "namespace Shop.Billing;\n\nclass Page : Base { int n() => Fees.Length; }\n",
    }
    assert told({**files, **more}, path, files[path].replace(old, new)) == []


def test_a_type_of_java_may_become_a_file_of_kotlin() -> None:
    base = {
        "a/Fees.java": "package a;\n\npublic class Fees {}\n",
        "b/Web.java": "package b;\n\nimport a.Fees;\n\nclass Web { Object o = Fees.of(); }\n",
    }
    for name, wanted in (("Fees", []), ("Costs", ["b/Web.java"])):
        kotlin = f'@file:JvmName("{name}")\n\npackage a\n\nfun of() = 1\n'
        change = ChangedCode(
            {"a/Fees.java": base["a/Fees.java"]},
            {"a/Fees.kt": kotlin},
            lambda path: base.get(path, ""),
            lambda word: [path for path, text in base.items() if word in text],
        )
        assert [each.path for each in lost_names(change)] == wanted
