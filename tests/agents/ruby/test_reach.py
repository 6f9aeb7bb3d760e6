"""Words of Ruby that stand in other files and took the place of another: who can know them there."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "lib/shop.rb": """class Shop
  def sell(price)
    total_price = price * rate_of_day
    lines = [price].map { |each_one| each_one + total_price }
    lines
  end

  def rate_of_day
    2
  end
end
""",
    "lib/shelf.rb": """class Shelf < Board
  def fill(amount)
    wanted_count = amount
    wanted_count
  end
end
""",
    "lib/crate.rb": """class Crate
  attr_reader :nail_count

  def pry_open(force_used)
    far_strength = force_used
    far_strength
  end
end

def everywhere_known
  1
end

far_away.asked_of_others
asked_of_others = 1
""",
    "lib/more.rb": """class Shop
  def added_later
    1
  end
end
""",
}


def told(path: str, old: str, new: str) -> list[str]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda other: BASE.get(other, ""),
        lambda word: [other for other, text in BASE.items() if word in text],
    )
    found = (each for each in lost_names(change) if each.code == "undefined-name")
    return [each.message.split("`")[1] for each in found]


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("lib/shop.rb", "each_one + total_price", "each_one + far_strength", "far_strength"),
        ("lib/shop.rb", "total_price = price", "total_price = nail_count", "nail_count"),
        ("lib/shop.rb", "price * rate_of_day", "price * pry_open", "pry_open"),
        ("lib/shelf.rb", "wanted_count = amount", "wanted_count = far_strength", "far_strength"),
    ],
)
def test_what_only_another_has_for_itself_is_told(path: str, old: str, new: str, name: str) -> None:
    assert told(path, old, new) == [name]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("lib/shop.rb", "price * rate_of_day", "price * added_later"),  # its class is opened again
        ("lib/shop.rb", "price * rate_of_day", "price * everywhere_known"),
        ("lib/shelf.rb", "wanted_count = amount", "wanted_count = pry_open"),  # what is above may
        ("lib/shelf.rb", "wanted_count = amount", "wanted_count = asked_of_others"),
    ],
)
def test_what_may_be_known_there_is_not_told(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []


def test_a_comment_needs_no_library() -> None:
    before = "require 'base64'\n\ndef pack(text)\n  Base64.encode64(text)\nend\n"
    for text, wanted in (
        ("[text].pack('m') # Base64 encoding", []),
        ("Base64.encode64(text, 1)", ["base64"]),
    ):
        after = before.replace("require 'base64'\n", "").replace("Base64.encode64(text)", text)
        change = ChangedCode(
            {"lib/a.rb": before}, {"lib/a.rb": after}, lambda path: "", lambda word: []
        )
        assert [each.message.split("`")[1] for each in lost_names(change)] == wanted
