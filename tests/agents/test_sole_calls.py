"""Calls of what a repository declares just once, in PHP, Ruby and Kotlin: too few arguments, or another function."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "tool.php": """<?php
namespace App;
class Tool {
    public function __construct(private int $size, private string $name = "") {}
    public function readWhole(string $path, bool $strict) { return $this->openAll($path); }
    private function openAll($path) { return $path; }
    public function takesAny($a) { return func_get_args(); }
}
function joinUp($a, $b = 1) { return $a . $b; }
""",
    "user.php": """<?php
namespace App;
$tool = new Tool(1, "a");
$tool->readWhole("x", true);
$tool->takesAny(1);
joinUp(1);
""",
    "tool.rb": """class Tool
  def initialize(size, name: nil)
    @size = size
    @name = name
  end

  def read_whole(path, strict, mode:, deep: false)
    open_all(path, 1)
  end

  def open_all(path, depth = 0)
    path
  end

  def take_hash(path, options)
    options
  end

  def self.delegated_one(a)
    a
  end
end
""",
    "user.rb": """tool = Tool.new(1, name: "x")
tool.read_whole("x", true, mode: 1)
tool.take_hash("x", a: 1, b: 2)
Tool.delegated_one(1)
other.delegated_one(1)
""",
    "Tool.kt": """package app
class Tool(val size: Int, val name: String = "") {
  fun readWhole(path: String, strict: Boolean = false, then: (Int) -> Unit) = openAll(path, strict)
  private fun openAll(path: String, strict: Boolean): String { return path }
  fun manyOnes(vararg all: Int) = all
}
""",
    "User.kt": """package app
fun go(tool: Tool) {
  Tool(1)
  tool.readWhole("x", true) { it }
  tool.readWhole("x", then = { it })
  tool.manyOnes(1)
}
""",
}


def told(path: str, old: str, new: str, **more: str) -> list[str]:
    base = {**BASE, **{f"more.{ending}": text for ending, text in more.items()}}
    assert old in base[path]
    change = ChangedCode(
        {path: base[path]},
        {path: base[path].replace(old, new)},
        lambda other: base.get(other, ""),
        lambda word: [other for other, text in base.items() if word in text],
    )
    found = (each for each in lost_names(change) if each.code == "call-does-not-fit")
    return [f"{each.path}:{each.line} {each.message.split('`')[1]}" for each in found]


@pytest.mark.parametrize(
    ("path", "old", "new", "where"),
    [
        ("user.php", 'readWhole("x", true)', 'readWhole("x")', "user.php:4 readWhole"),
        ("user.php", 'new Tool(1, "a")', "new Tool()", "user.php:3 Tool"),
        ("user.php", "joinUp(1)", "joinUp()", "user.php:6 joinUp"),
        ("tool.php", "openAll($path);", "openAll();", "tool.php:5 openAll"),
        ("tool.php", "bool $strict)", "bool $strict, $more)", "user.php:4 readWhole"),
        ("tool.php", "joinUp($a, $b = 1)", "joinUp($a, $b)", "user.php:6 joinUp"),
        ("tool.rb", "open_all(path, 1)", "open_all()", "tool.rb:8 open_all"),
        ("tool.rb", "open_all(path, 1)", "open_all(path, 1, 2)", "tool.rb:8 open_all"),
        ("user.rb", '"x", true, mode: 1', '"x", true', "user.rb:2 read_whole"),
        ("user.rb", '"x", true, mode: 1', '"x", mode: 1', "user.rb:2 read_whole"),
        ("user.rb", "mode: 1", "mode: 1, wide: 2", "user.rb:2 read_whole"),
        ("user.rb", 'Tool.new(1, name: "x")', "Tool.new(1, 2)", "user.rb:1 Tool"),
        ("user.rb", '"x", a: 1, b: 2', "a: 1, b: 2", "user.rb:3 take_hash"),
        ("tool.rb", "strict, mode:", "strict, more, mode:", "user.rb:2 read_whole"),
        ("Tool.kt", "openAll(path, strict)", "openAll(path)", "Tool.kt:3 openAll"),
        ("Tool.kt", "val size: Int,", "val size: Int, val wide: Int,", "User.kt:3 Tool"),
        ("User.kt", "then = { it }", "last = { it }", "User.kt:5 readWhole"),
        ("User.kt", "Tool(1)", "Tool()", "User.kt:3 Tool"),
    ],
)
def test_a_call_that_fitted_and_fits_no_longer_is_told(
    path: str, old: str, new: str, where: str
) -> None:
    assert told(path, old, new) == [where]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("user.php", "joinUp(1)", "joinUp(1, 2, 3)"),  # PHP takes more than a function has
        ("user.php", "joinUp(1)", "joinUp(...$all)"),
        ("user.php", "takesAny(1)", "takesAny()"),
        ("user.php", '1, "a"', "size: 1"),
        ("user.rb", '"x", true, mode: 1', "*all, mode: 1"),
        ("user.rb", '"x", true, mode: 1', '"x", true, **all'),
        ("user.rb", '"x", true, mode: 1', '"x", true, mode: 1, deep: 2'),
        ("User.kt", "manyOnes(1)", "manyOnes(1, 2)"),
        ("User.kt", "then = { it })", "strict = true, then = { it })"),
        ("User.kt", 'readWhole("x", true) { it }', 'readWhole("x") { it }'),
        ("Tool.kt", "size: Int, val name", "size: Int, val wide: Int = 1, val name"),
    ],
)
def test_what_still_fits_is_not_told(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "ending", "other"),
    [
        ("user.php", '"x", true', '"x"', "php", "<?php class B { function readWhole($a) {} }"),
        ("user.php", '"x", true', '"x"', "php", "<?php $far->readWhole();"),
        (
            "user.rb",
            "one(1)\no",
            "one\no",
            "rb",
            "class B\n  delegate :delegated_one, to: :b\nend\n",
        ),
        (
            "Tool.kt",
            "openAll(path, strict)",
            "openAll(path)",
            "kt",
            "val openAll: (String) -> Unit = {}",
        ),
    ],
)
def test_a_name_that_another_may_have_is_left_alone(
    path: str, old: str, new: str, ending: str, other: str
) -> None:
    assert told(path, old, new, **{ending: other}) == []
