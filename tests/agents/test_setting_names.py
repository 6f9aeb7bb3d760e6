"""Names of Terraform, dependencies of Rust, tags of templates and stages of images that a change leaves alone."""

from __future__ import annotations

import pytest

from guildmoot.agents.pages.tags import unclosed_tag
from guildmoot.agents.parsing.setting_names import lost_settings
from guildmoot.agents.rules.dockerfiles import gone_stages

BASE = {
    "net/main.tf": 'locals {\n  zone = "a"\n}\nresource "x" "y" {\n  size = var.size\n  at = "${local.zone}-1"\n}\n',
    "net/inputs.tf": 'variable "size" {\n  default = 1\n}\nvariable "spare" {}\n',
    "net/out.tf": 'output "of" {\n  value = module.inner.id\n}\n',
    "net/parts.tf": 'module "inner" {\n  source = "./inner"\n}\n',
    "made/main.tf": 'variable "kind" {}\nresource "x" "y" {\n  size = var.generated\n}\n',
    "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nserde-json = "1"\nregex = "1"\nlog = "0.4"\n',
    "src/lib.rs": "use serde_json::Value;\n// regex::Regex was here\nmod log;\npub fn f(_: Value) { log::f() }\n",
}


def told(path: str, old: str, new: str, **more: str) -> list[str]:
    assert old in BASE[path]
    after = {path: BASE[path].replace(old, new), **more}
    before = {name: BASE[name] for name in after if name in BASE}

    def users(word: str) -> list[str]:
        return [name for name, text in BASE.items() if word in text]

    return [message for _, _, message in lost_settings(before, after, BASE.__getitem__, users)]


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("net/main.tf", "var.size", "var.sise", "`var.sise`"),
        ("net/main.tf", "zone =", "zones =", "`local.zone`"),
        ("net/main.tf", "local.zone", "local.region", "`local.region`"),
        ("net/inputs.tf", '"size"', '"amount"', "net/main.tf:5"),
        ("net/parts.tf", '"inner"', '"outer"', "net/out.tf:2"),
        ("Cargo.toml", 'serde-json = "1"\n', "", "`serde_json`"),
    ],
)
def test_what_is_used_and_declared_no_more_is_told(path, old, new, name):
    (message,) = told(path, old, new)
    assert name in message


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        ("net/inputs.tf", 'variable "spare" {}\n', "", {}),  # nobody uses it
        ("net/inputs.tf", 'variable "spare" {}\n', 'variable "other" {}\n', {}),
        ("net/main.tf", "var.size", "var.spare", {}),  # a file beside declares it
        ("net/main.tf", "var.size", "var.fresh", {"net/more.tf": 'variable "fresh" {}\n'}),
        ("net/main.tf", "var.size", "[for var in local.zone : var.name]", {}),
        ("net/main.tf", "var.size", '"$${var.text}"', {}),
        ("net/main.tf", "var.size", "var.fresh", {"net/more.tf": "../more.tf"}),  # a link
        ("net/main.tf", "var.size", "module.linked", {}),  # none of the kind was used here before
        ("made/main.tf", "var.generated", "var.elsewhere", {}),  # another program declares them
        ("net/parts.tf", '"inner"', '"outer"', {"net/out.tf": "# nothing\n"}),
        ("Cargo.toml", 'regex = "1"\n', "", {}),  # only a comment names it
        ("Cargo.toml", 'log = "0.4"\n', "", {}),  # a module has the same name
        ("Cargo.toml", "[dependencies]", "[dev-dependencies]", {}),
        ("Cargo.toml", 'serde-json = "1"\n', "", {"src/lib.rs": "pub fn f() {}\n"}),
    ],
)
def test_what_is_declared_where_it_can_be_seen_or_not_used_is_not_told(path, old, new, more):
    assert told(path, old, new, **more) == []


DJANGO = "{% extends 'b' %}\n{% block head %}a{% endblock head %}\n{% if a %}\n{% for b in c %}{{ b }}{% endfor %}\n{% endif %}\n"
GO = '{{ define "a" }}{{/* if */}}\n{{- if .B }}\n<p>{{ .C }}</p>\n{{- else if .D }}x{{ end }}\n{{ end }}\n'


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (DJANGO, "{% endblock head %}", ""),
        (DJANGO, "{% endif %}", ""),
        (DJANGO, "{% for b in c %}", ""),
        (GO, "x{{ end }}", "x"),
        (GO, "{{- if .B }}", ""),
    ],
)
def test_tags_of_templates_that_pair_up_no_longer_are_told(text, old, new):
    assert old in text
    assert unclosed_tag(text, text.replace(old, new)) is not None


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (DJANGO, "{{ b }}", "{% if b % 2 %}{{ b }}{% endif %}"),
        (DJANGO, "{{ b }}", "{# {% if %} #}{% raw %}{% if %}{% endraw %}"),
        (DJANGO, "{{ b }}", "{% block short 'x' %}"),
        (GO, "{{ .C }}", "{{ range .C }}{{ . }}{{ end }}"),
        (GO, "{{ .C }}", '{{ template "if" }}{{ .End }}'),
        ("<p>{{ name }}</p>", "name", "if x"),  # nothing says whose template it is
        ("{% if a %}half of a page", "half", "a half"),  # it did not pair up before
    ],
)
def test_tags_that_pair_up_are_not_told(text, old, new):
    assert old in text
    assert unclosed_tag(text, text.replace(old, new)) is None


def test_a_stage_that_is_gone_and_still_copied_from_is_told():
    image = "FROM a:1 AS gather\nFROM a:1\nCOPY --from=gather /b /b\nCOPY --from=memcached /c /c\n"
    (found,) = gone_stages(image, image.replace("AS gather", "AS compile"))
    assert (found.line, found.code, found.weight) == (3, "unknown-stage", "ERROR")
    assert not list(gone_stages(image, image.replace("gather", "compile")))
