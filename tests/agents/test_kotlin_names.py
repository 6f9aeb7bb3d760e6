"""Names of Kotlin that a change leaves without a declaration: locals, members, imports and what took their place."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "app/Shop.kt": """package app

import app.far.Basket
import java.io.Closeable

class Shop(private val owner: String, size: Int = DEFAULT) : Store(owner), Closeable {
  private val shelf = mutableListOf<Basket>()
  val wide: Boolean get() = size > limit

  companion object {
    const val DEFAULT = 3
    fun make(): Shop = Shop("me")
  }

  fun sell(price: Int, basket: Basket): Int {
    val total = price * rate
    for (entry in shelf) {
      println(entry)
    }
    val (first, second) = pairUp(total)
    shelf.forEach { each -> println(each) }
    basket.apply { weigh() }
    try {
      check(total > 0) { "no $total" }
    } catch (problem: IllegalStateException) {
      throw problem
    }
    return when (val found = first + second) {
      0 -> total
      else -> found
    }
  }

  override fun close() {}
}

fun Basket.twice(times: Int): Int = times + heft

internal fun alone(amount: Int): Int = amount
""",
    "app/Store.kt": """package app

open class Store(val keeper: String) {
  val rate = 2
  val limit = 4
}

fun pairUp(total: Int): Pair<Int, Int> {
  val halved = total / 2
  return halved to halved
}
""",
    "app/far/Basket.kt": """package app.far

class Basket {
  val heft = 1
  fun weigh() = heft
}

class Crate { val nailed = 2 }

fun lift(basket: Basket): Int {
  val strength = 3
  return strength
}
""",
}
FILE = "app/Shop.kt"


def told(old: str, new: str, path: str = FILE, **more: str) -> list[str]:
    base = {**BASE, **{f"more/{name}.kt": text for name, text in more.items()}}
    assert old in base[path]
    change = ChangedCode(
        {path: base[path]},
        {path: base[path].replace(old, new, 1)},
        lambda other: base.get(other, ""),
        lambda word: [other for other, text in base.items() if word in text],
    )
    found = (each for each in lost_names(change) if each.code == "undefined-name")
    return [each.message.split("`")[1] for each in found]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("println(entry)", "println(halved)", "halved"),  # another function's local
        ("println(entry)", "println(entree)", "entree"),  # nobody's
        ("println(each)", "println(strength)", "strength"),
        ("throw problem", "throw basket1", "basket1"),
        ("0 -> total", "0 -> nailed", "nailed"),  # another class has it
        ("times + heft", "times + nailed", "nailed"),
        ("pairUp(total)", "lift(total)", "lift"),  # another package has it
        ("price: Int, basket: Basket", "price: Int, basket: Crate", "Crate"),
        ("import app.far.Basket\n", "", "Basket"),
        ("import java.io.Closeable\n", "", "Closeable"),
        ("    val total = price * rate\n", "", "total"),
        ("(val found = first + second)", "(first + second)", "found"),
        ("price: Int, basket", "cost: Int, basket", "price"),
        ("private val shelf", "private val board", "shelf"),
        ("amount: Int): Int = amount", "amount: Int): Int = nailed", "nailed"),
    ],
)
def test_a_name_that_nothing_gives_any_more_is_told(old: str, new: str, name: str) -> None:
    assert told(old, new)[:1] == [name]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("println(entry)", "println(keeper)"),  # the class above has it
        ("println(entry)", "println(DEFAULT)"),
        ("println(entry)", "print(entry)"),
        ("pairUp(total)", "alone(total)"),
        ("times + heft", "times + weigh()"),  # the receiver has it
        ("basket.apply { weigh() }", "basket.apply { heft }"),
        ("basket.apply { weigh() }", "build { heft }"),
        ("import app.far.Basket", "import app.far.*"),
        ("import app.far.Basket\n", "import app.far.Basket\nimport app.far.lift\n"),
        ("val total = price * rate", "val total = price * limit"),
        ("fun close() {}", "fun close() { label@ for (one in shelf) { continue@label } }"),
        (
            "private val shelf = mutableListOf<Basket>()",
            "private val shelf by lazy { mutableListOf<Basket>() }",
        ),
    ],
)
def test_what_something_gives_is_not_told(old: str, new: str) -> None:
    assert told(old, new) == []


def test_a_default_import_may_go() -> None:
    text = "package app\n\nimport kotlin.jvm.JvmField\n\nclass A {\n  @JvmField val a = 1\n}\n"
    assert told("import kotlin.jvm.JvmField\n", "", "more/A.kt", A=text) == []


def test_a_class_above_that_lies_elsewhere_may_give_what_others_ask_for() -> None:
    text = (
        "package app\n\nclass A : Far() {\n  fun go(one: Int) { print(one) }\n}\n"
        "fun ask(b: Far) = b.depth\n"
    )
    other = "package b\n\nfun go(c: Far) = c.height\n"
    assert told("print(one)", "print(height)", "more/A.kt", A=text, B=other) == []
    assert told("print(one)", "print(strength)", "more/A.kt", A=text, B=other) == ["strength"]


def test_an_import_that_goes_with_others_may_be_a_member_of_a_receiver_by_now() -> None:
    text = "package app\n\nimport a.b.Far\nimport a.b.depth\n\nfun go(f: Far) = f.apply { depth }\n"
    assert told("import a.b.depth\n", "", "more/A.kt", A=text) == ["depth"]
    gone = "import a.b.Far\nimport a.b.depth\n"
    assert told(gone, "import c.Far\n", "more/A.kt", A=text) == []


STAMP = """package app

import kotlin.wasm.WasmImport
import platform.posix.timespec

@OptIn(Unsafe::class)
internal val timespec.millis: Long
  get() = tv_sec * 1000L

@WasmImport("a", "b")
internal external fun write(): Int
"""


def test_what_a_receiver_from_elsewhere_or_a_platform_may_give_is_not_told():
    path = "more/Stamp.kt"
    assert told("tv_sec", "tv_nsec", path, Stamp=STAMP) == []
    assert told("import kotlin.wasm.WasmImport\n", "", path, Stamp=STAMP) == []
    assert told("import platform.posix.timespec\n", "", path, Stamp=STAMP) == ["timespec"]
