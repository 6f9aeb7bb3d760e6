"""A change that leaves a name of Ruby without a declaration is told; what may be given is not."""

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

TILL = """require "json"
require_relative "rows"

module Shop
  class Till
    LIMIT = 3
    attr_reader :rows

    def initialize(rows)
      @rows = rows
      @seen = 0
    end

    def total(extra, most: LIMIT)
      sum = extra
      rows.each do |row|
        sum += price_of(row) if @seen < most
      end
      Rows.new(sum).shown
    end

    def price_of(row)
      label = row.fetch(:price)
      JSON.parse(label)
    end
  end
end
"""
SPEC = """require "spec_helper"

describe Shop::Till do
  let(:till) { described_class.new([]) }

  it "adds up" do
    result = till.total(2)
    expect(result).to eq(2)
  end
end
"""
BASE = {
    "lib/till.rb": TILL,
    "lib/rows.rb": "module Shop\n  class Rows\n    def initialize(sum)\n      @sum = sum\n    end\n\n    def shown\n      @sum\n    end\n  end\nend\n",
    "lib/shop.rb": 'module Shop\nend\nrequire_relative "till"\n',
    "lib/page.rb": "class Page < Vendor::Page\n  include Vendor::Links\n\n  def show\n    title = 1\n    title\n  end\nend\n",
    "spec/till_spec.rb": SPEC,
    "app/home.erb": "<%= shown_elsewhere %>\n",
}


def told(path: str, old: str, new: str, **more: str) -> str:
    assert old in BASE[path]
    base = BASE | {
        name.replace("__", "/").replace("_dot_", "."): text for name, text in more.items()
    }

    def users(word: str) -> list[str]:
        return [name for name, text in base.items() if word in text]

    after = {path: BASE[path].replace(old, new, 1)}
    change = ChangedCode({path: BASE[path]}, after, lambda name: base.get(name, ""), users)
    return "\n".join(each.message for each in lost_names(change))


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("lib/till.rb", "sum = extra", "sum = surplus", "surplus"),
        ("lib/till.rb", "sum = extra", "amount = extra", "sum"),
        ("lib/till.rb", "total(extra,", "total(surplus,", "extra"),
        ("lib/till.rb", "do |row|", "do |line|", "row"),
        ("lib/till.rb", "def price_of", "def cost_of", "price_of"),
        ("lib/till.rb", "attr_reader :rows", "attr_reader :lines", "rows"),
        ("lib/till.rb", "@seen = 0", "@known = 0", "@seen"),
        ("lib/till.rb", "@seen < most", "@knwon < most", "@knwon"),
        ("lib/till.rb", "LIMIT = 3", "BOUND = 3", "LIMIT"),
        ("lib/till.rb", "Rows.new", "FormerRows.new", "FormerRows"),
        (
            "lib/till.rb",
            "      sum = extra\n",
            "      sum = extra\n      spare_rows\n",
            "spare_rows",
        ),
        (
            "lib/till.rb",
            "      sum = extra\n",
            "      sum = extra\n      spare_rows(1, 2)\n",
            "spare_rows",
        ),
        (
            "lib/till.rb",
            "      sum = extra\n",
            "      sum = extra\n      self.spare_rows\n",
            "spare_rows",
        ),
        (
            "lib/till.rb",
            "      sum = extra\n",
            "      sum = extra\n      SpareRows.new\n",
            "SpareRows",
        ),
        ("lib/till.rb", "row.fetch(", "row.fetch_other(", "fetch_other"),
        ("lib/till.rb", ").shown", ").former_shown", "former_shown"),
        ("lib/page.rb", "title = 1", "heading = 1", "title"),
        ("spec/till_spec.rb", "result = till", "outcome = till", "result"),
        ("spec/till_spec.rb", "till.total", "tlil.total", "tlil"),
        ("spec/till_spec.rb", "let(:till)", "let(:desk)", "till"),
        ("spec/till_spec.rb", 'require "spec_helper"\n', "", "spec_helper"),
        ("lib/till.rb", 'require "json"\n', "", "json"),
        ("lib/till.rb", 'require_relative "rows"\n', "", "rows"),
    ],
)
def test_a_name_that_nothing_declares_is_told(path, old, new, name):
    assert f"`{name}`" in told(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        ("lib/till.rb", "sum = extra", "sum = surplus", {"lib__more_dot_rb": "def surplus; end\n"}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      shown_elsewhere\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      warn caller_locations\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      /(?<spare>.)/ =~ '' && spare\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      case {} in {spare:} then spare end\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      spare if defined?(spare)\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      Tempfile.new\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      Vendor::Spare.new\n", {}),
        ("lib/till.rb", "      sum = extra\n", "      sum = extra\n      rows.spare_members\n", {}),
        ("lib/till.rb", "row.fetch(", "row.dig(", {}),
        ("lib/page.rb", "    title = 1\n", "", {"lib__vendor_dot_rb": "attr_reader :title\n"}),
        ("lib/page.rb", "    title\n", "    redirect_back\n", {}),
        ("lib/page.rb", "    title\n", "    pages_path\n", {}),
        ("lib/page.rb", "    title\n", "    @layout\n", {}),
        ("spec/till_spec.rb", "eq(2)", "be_within(1).of(2)", {}),
        ("spec/till_spec.rb", "result = till", "answer = result = till", {}),
        ("lib/till.rb", 'require "json"\n', "", {"lib__more_dot_rb": 'require "json"\n'}),
        ("lib/till.rb", 'require_relative "rows"\n', "", {"lib__a_dot_rb": 'require_relative "rows"\n'}),
        ("lib/till.rb", 'require_relative "rows"\n', "", {"lib__a_dot_rb": 'Dir["lib/*.rb"].each { |f| require f }\n'}),
    ],
)  # fmt: skip
def test_what_may_be_given_is_not_told(path, old, new, more):
    assert told(path, old, new, **more) == ""


def test_a_helper_that_the_settings_load_is_not_missed():
    assert (
        told(
            "spec/till_spec.rb",
            'require "spec_helper"\n',
            "",
            **{".rspec": "--require spec_helper\n"},
        )
        == ""
    )


def test_a_local_that_is_renamed_throughout_is_a_rename():
    assert told("lib/page.rb", "    title = 1\n    title\n", "    heading = 1\n    heading\n") == ""
