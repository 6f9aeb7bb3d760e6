"""Names of PHP that a change leaves without a declaration: classes, functions, constants, variables and members."""

from __future__ import annotations

import re

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
from guildmoot.agents.php import known

ORDER = """<?php
namespace Shop\\Sale;

use Shop\\Till\\Drawer;
use Vendor\\Log\\Writer;
use Vendor\\Log\\Level;
use function Shop\\rounded;
use const Shop\\SCALE;

final class Order extends Base implements \\Countable
{
    use Counts;

    const LIMIT = 3;
    private array $rows = [];

    public function __construct(private Drawer $drawer, private Writer $log)
    {
        $this->note = new Note();
    }

    public function sum(Line $line, array $fees): int
    {
        if ($line instanceof Level) {
            throw new \\RuntimeException('level');
        }
        $this->drawer->open(strlen($line->name));
        $total = Tax::of($line) + rounded(SCALE) + self::LIMIT + $this->counted();
        $this->log->write($total, PHP_EOL);

        return helped($fees) + Note::start()->size();
    }

    public function count(): int
    {
        return count($this->rows) + parent::count();
    }
}
"""
FILES = {
    "src/Sale/Order.php": ORDER,
    "src/Sale/Base.php": "<?php\nnamespace Shop\\Sale;\nclass Base { protected $note; function count(): int { return 1; } }\n",
    "src/Sale/Counts.php": "<?php\nnamespace Shop\\Sale;\ntrait Counts { function counted() { return 1; } }\n",
    "src/Sale/Note.php": "<?php\nnamespace Shop\\Sale;\nfinal class Note { static function start(): self { return new self; }\n function size() { return 1; } }\n",
    "src/Sale/Line.php": "<?php\nnamespace Shop\\Sale;\nclass Line { public $name; }\n",
    "src/Sale/Tax.php": "<?php\nnamespace Shop\\Sale;\nclass Tax { const RATE = 1; static function of($line) { return 1; } }\n",
    "src/Till/Drawer.php": "<?php\nnamespace Shop\\Till;\nclass Drawer { function open($size) {} function shut() {} }\n",
    "src/functions.php": "<?php\nnamespace Shop;\nconst SCALE = 2;\nfunction rounded($v) { return $v; }\n",
    "src/help.php": "<?php\nfunction helped($v) { return $v; }\nfunction filled(&$v) { $v = 1; }\n",
    "src/Use.php": "<?php\nnamespace Shop;\nuse Shop\\Till\\Drawer;\nfunction shutting(Drawer $d) { $d->shut(); return helped(1); }\n",
    "composer.json": '{"name": "shop/shop", "autoload": {"psr-4": {"Shop\\\\": "src/"}}, "require": {"vendor/log": "1"}}',
}  # fmt: skip


def told(path, old, new, **more):
    """What is said of a change of one file among the others."""
    files = {**FILES, **more}
    assert old in files[path]
    after = {path: files[path].replace(old, new, 1)}

    def users(words):
        holds = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        return [each for each, text in files.items() if holds.search(text)]

    change = ChangedCode({path: files[path]}, after, lambda each: files.get(each, ""), users)
    return [each.message for each in lost_names(change)]


ORDER_PATH = "src/Sale/Order.php"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("use Shop\\Till\\Drawer;\n", "", "Drawer"),
        ("use Vendor\\Log\\Level;\n", "", "Level"),
        ("use Shop\\Till\\Drawer;", "use Shop\\Till\\Drawers;", "Drawer"),
        ("use Shop\\Till\\Drawer;", "use Shop\\Tills\\Drawer;", "Shop\\Tills\\Drawer"),
        ("use Vendor\\Log\\Writer;", "use Vedor\\Log\\Writer;", "Vedor\\Log\\Writer"),
        ("use function Shop\\rounded;\n", "", "rounded"),
        ("use function Shop\\rounded;", "use function Shop\\rounds;", "rounded"),
        ("use const Shop\\SCALE;\n", "", "SCALE"),
        ("new Note()", "new Notes()", "Notes"),
        ("new \\RuntimeException", "new \\RuntimeExcption", "RuntimeExcption"),
        ("new \\RuntimeException", "new RuntimeException", "RuntimeException"),
        ("instanceof Level", "instanceof Depth", "Depth"),
        ("Line $line", "Lines $line", "Lines"),
        ("extends Base", "extends Bases", "Bases"),
        ("use Counts;", "use Counting;", "Counting"),
        ("Tax::of", "Taxes::of", "Taxes"),
        ("strlen(", "strlength(", "strlength"),
        ("helped(", "helpedBy(", "helpedBy"),
        ("SCALE)", "GAUGE_OF)", "GAUGE_OF"),
        ("PHP_EOL", "ROW_END", "ROW_END"),
        ("helped($fees)", "helped($charges)", "$charges"),
        ("write($total", "write($totals", "$totals"),
        ("new Note()", "new Note($spare)", "$spare"),
        ("array $fees", "array $costs", "$fees"),
        ("$total = ", "$sum = ", "$total"),
        ("$this->counted()", "$this->tallied()", "tallied"),
        ("count($this->rows)", "count($this->lines)", "lines"),
        ("self::LIMIT", "self::BOUND", "BOUND"),
        ("$rows = []", "$lines = []", "rows"),
        ("->open(", "->opened(", "opened"),
        ("Tax::of(", "Tax::from(", "from"),
        ("start()->size", "start()->sized", "sized"),
        ("parent::count", "parent::counting", "counting"),
        ("namespace Shop\\Sale", "namespace Shop\\Sales", "Shop\\Sales\\Order"),
        ("class Order", "class Orders", "orders"),
    ],
)  # fmt: skip
def test_what_nothing_declares_is_told(old, new, name):
    assert any(f"`{name}`" in each for each in told(ORDER_PATH, old, new)), told(
        ORDER_PATH, old, new
    )


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("src/help.php", "function helped", "function aided", "helped"),
        ("src/Till/Drawer.php", "function shut", "function close", "shut"),
        ("src/Sale/Counts.php", "function counted", "function tallied", "counted"),
    ],
)
def test_what_is_gone_while_others_ask_for_it_is_told(path, old, new, name):
    assert any(f"`{name}`" in each for each in told(path, old, new))


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("strlen(", "mb_strwidth(", {}),
        ("use const Shop\\SCALE;", "use const Shop\\SCALE;\nuse function strlen;\nuse const PHP_EOL;", {}),
        ("strlen(", "collect(", {}),  # a helper of a framework
        ("strlen(", "wp_parse(", {"src/wp.php": "<?php add_action('init', 'f');\n"}),
        ("strlen(", "odd_length(", {"src/odd.php": "<?php\nif (true) {\n  function odd_length($v) {}\n}\n"}),
        ("strlen(", "function_exists('odd_length') && odd_length(", {}),
        ("PHP_EOL", "CURLOPT_NEW_ONE", {}),
        ("PHP_EOL", "ROW_END", {"src/c.php": "<?php define('ROW_END', 1);\n"}),
        ("Tax::of($line)", "Tax::RATE + Tax::class", {}),
        ("new Note()", "new \\ArrayObject(new static($this->drawer, $this->log))", {}),
        ("new Note()", "new \\Vendor\\Log\\Other()", {}),  # a package's own
        ("use Vendor\\Log\\Level;", "use Other\\Log\\Level;", {}),
        ("use Vendor\\Log\\Level;", "use Vendor\\Log\\{Level, Shape};", {}),
        ("use Vendor\\Log\\Level;", "use Vendor\\Log\\Level;\nuse Shop\\Till\\Unused;", {}),
        ("new Note()", "new Aliased()", {"src/a.php": "<?php class_alias('A', 'Shop\\Sale\\Aliased');\n"}),
        ("instanceof Level", "instanceof \\Closure", {}),
        ("Line $line", "self $line", {}),
        ("helped($fees)", "helped($fees ?? $spare ?? 1)", {}),
        ("helped($fees)", "preg_match('/a/', 'b', $found) + count($found)", {}),
        ("helped($fees)", "filled($found) + $found", {}),
        ("helped($fees)", "$this->log->read($found) + $found", {}),  # nobody knows the package's method
        ("helped($fees)", "array_sum(array_map(fn ($fee) => $fee + 1, $fees))", {}),
        ("->write(", "->writeAll(", {}),  # of a package
        ("->open(", "->widen(", {"src/Big.php": "<?php\nclass Big extends Till\\Drawer { function widen($v) {} }\n"}),
        ("$this->counted()", "$this->tallied()", {"src/Sale/Counts.php": "<?php\nnamespace Shop\\Sale;\ntrait Counts { use \\Vendor\\Tally; }\n"}),
        ("count($this->rows)", "$this->count() + count($this->rows)", {}),
        ("$rows = []", "$rows = [], $lines = []", {}),
        ("extends Base implements", "extends \\Vendor\\Base implements", {}),
    ],
)  # fmt: skip
def test_what_something_declares_or_may_is_not_told(old, new, more):
    assert told(ORDER_PATH, old, new, **more) == []


def test_files_that_are_broken_on_purpose_are_left_alone():
    path = "tests/fixtures/Order.php"
    assert (
        told(path, "strlen(", "strlength(", **{path: ORDER.replace("Shop\\Sale", "Shop\\Odd")})
        == []
    )


def test_functions_of_php_are_known_by_name_and_by_what_they_set():
    assert known.is_function("Array_Map")
    assert known.is_function("preg_match")
    assert not known.is_function("array_maps")
    assert known.is_setter("preg_match")
    assert not known.is_setter("strlen")
    assert known.is_class("ArrayObject")
    assert not known.is_class("ArrayObjects")
