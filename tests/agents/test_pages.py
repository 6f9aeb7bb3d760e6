"""Pages with code between marks: that code is parsed; of the others the tags must pair up as they did."""

import pytest

from guildmoot.agents.pages.code import code_of_page
from guildmoot.agents.pages.tags import unclosed_tag
from guildmoot.agents.parsing.syntax import parse
from guildmoot.consensus.coverage import coverage_words
from guildmoot.model.report import FileCoverage
from guildmoot.text.languages import depth_of, language_of

ERB = """<h1><%# a title %><%= @title -%></h1>
<%= form_for @row, url: rows_path do |f| %>
  <% if f.new? then %><%= f.text :name %><% else %><%= yield :more %><% end %>
  <% case f.kind %>
  <% when 1 %> one <% end %>
  <% [1, 2].each do |n|
       total += n %>
    <%== { a: n }.to_json %> <%% no code %>
  <% end %>
<% end %>
"""
EJS = """<% include head %>
<% if (rows.length) { %>
  <% rows.forEach(function (row) { %><b><%= row.name; %></b><% }) %>
  <%- include('foot', {a: 1}) %> <%# said %>
<% } else { var a = 1 %><% var b = 2 %><%_ } _%>
"""


@pytest.mark.parametrize(("path", "text"), [("a.html.erb", ERB), ("a.ejs", EJS)])
def test_the_code_of_a_page_is_parsed_on_its_own_lines(path, text):
    name = language_of(path).name
    assert depth_of(language_of(path)) == "parsed"
    assert parse(name, path, text.encode()).fault is None
    assert code_of_page(name, text.encode()).count(b"\n") == text.count("\n")


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.html.erb", ERB, "  <% end %>\n<% end %>", "  <% end %>\n"),
        ("a.html.erb", ERB, "f.text :name", "f.text(:name"),
        ("a.ejs", EJS, "<% }) %>", ""),
        ("a.ejs", EJS, "row.name;", "row.name.."),
    ],
)
def test_a_page_whose_code_does_not_parse_is_told(path, text, old, new):
    assert old in text
    assert parse(language_of(path).name, path, text.replace(old, new, 1).encode()).fault is not None


TAGS = {
    "a.blade.php": ("@if(a)\n@foreach ($b as $c)\n{{ $c }}\n@endforeach\n@endif\n", "@endforeach\n"),
    "b.blade.php": ("@hasSection('a')\n@yield('a')\n@endif\nme@example.org\n", "@endif\n"),
    "a.hbs": ("{{#each rows as |row|}}\n{{#if row.a}}b{{else}}c{{/if}}\n{{/each}}\n", "{{/if}}"),
    "a.mustache": ("{{#rows}}\n{{name}}\n{{/rows}}{{^rows}}none{{/rows}}\n", "{{/rows}}\n"),
    "a.liquid": ("{% for a in b %}\n{% unless a %}{{ a }}{% endunless %}\n{% endfor %}\n", "{% endunless %}"),
    "a.svelte": ("{#if a}\n<p>{a}</p>\n{:else}\n{#each b as c}{c}{/each}\n{/if}\n", "{/if}\n"),
    "a.ftl": ("<#list rows as r>\n<#if r.a>${r}</#if>\n</#list>\n", "</#list>\n"),
    "a.twig": ("{% block a %}\n{% apply upper %}b{% endapply %}\n{% endblock %}\n", "{% endapply %}"),
}  # fmt: skip


@pytest.mark.parametrize("path", TAGS)
def test_a_tag_that_loses_its_partner_is_told(path):
    text, lost = TAGS[path]
    assert unclosed_tag(text, text + "more\n", path) is None
    assert unclosed_tag(text, text + text, path) is None
    assert unclosed_tag(text, text.replace(lost, "", 1), path) is not None
    assert unclosed_tag(text.replace(lost, "", 1), text, path) is None


def test_pages_that_nobody_parsed_are_named_in_the_headline():
    names = ("a.html.haml", "b.blade.php", "c.slim", "d.html.erb", "e.json")
    rows = [(name, language_of(name)) for name in names]
    said = coverage_words([FileCoverage(n, depth_of(of), of.name, of.kind) for n, of in rows])
    assert said == "secrets and conflicts only for 1 Haml file, 1 Blade file, 1 Slim file"
