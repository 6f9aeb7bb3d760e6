"""Rules that look at the files beside, through the judge as it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from guildmoot.agents.tools.languages import judge

AUTH = "export async function who(t: string): Promise<string | null> { return t }\n"
STORE = "package a\n\ntype Store struct{}\n\nfunc (s *Store) Put(k string) error { return nil }\n\nfunc save(k string) error { return nil }\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "auth.ts").write_text(AUTH)
    (tmp_path / "store.go").write_text(STORE)


def codes(path: str, text: str) -> list[str]:
    Path(path).write_text(text)
    return [each.code for each in judge(path, names=True) if each.code != "unbound-name"]


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("const u = who('a'); if (u === null) { return 1 }", "const u = await who('a'); if (u === null) { return 1 }"),
        ("if (!who('a')) { return 1 }", "if (!(await who('a'))) { return 1 }"),
        ("const u = who('a'); console.log(u.name)", "const u = who('a'); console.log(await u)"),
        ("who('a').length", "who('a').then(console.log)"),
    ],
)  # fmt: skip
def test_a_promise_of_another_file_is_not_its_value(bad: str, good: str) -> None:
    whole = "import {{ who }} from './auth'\nexport async function f() {{ {} }}\n"
    assert codes("a.ts", whole.format(bad)) == ["promise-as-answer"]
    assert codes("a.ts", whole.format(good)) == []


def test_a_promise_that_nobody_awaits() -> None:
    whole = "import {{ who as w }} from './auth.js'\nexport async function f() {{ {} }}\n"
    assert codes("a.ts", whole.format("w('a')")) == ["promise-dropped"]
    assert codes("a.ts", whole.format("void w('a'); await w('b')")) == []
    assert codes("a.ts", whole.format("const w = console.log; w('a')")) == []


@pytest.mark.parametrize("call", ["s.Put(k)", "save(k)"])
def test_an_error_of_another_file_of_the_package_is_not_dropped(call: str) -> None:
    whole = "package a\n\nfunc f(s *Store, k string) error {{\n\t{}\n\treturn nil\n}}\n"
    assert codes("a.go", whole.format(call)) == ["error-dropped"]
    assert codes("a.go", whole.format(f"_ = {call}")) == []
    assert codes("a.go", whole.format(f"if err := {call}; err != nil {{ return err }}")) == []
    Path("other.go").write_text(
        "package a\n\nfunc save(k string) {}\n\nfunc (o O) Put(k string) {}\n"
    )
    assert codes("a.go", whole.format(call)) == []


def test_a_file_that_a_method_of_the_package_opens_is_closed() -> None:
    Path("open.go").write_text(
        'package a\n\nimport "os"\n\nfunc (s *Store) Open(k string) (*os.File, error) { return os.Open(k) }\n'
    )
    whole = (
        'package a\n\nimport "io"\n\nfunc f(s *Store, w io.Writer) error {{\n\tx, err := s.Open("a")\n'
        "\tif err != nil {{\n\t\treturn err\n\t}}\n\t{}\n\t_, err = io.Copy(w, x)\n\treturn err\n}}\n"
    )
    assert codes("a.go", whole.format("")) == ["left-open"]
    assert codes("a.go", whole.format("defer x.Close()")) == []
