"""The language of a file, by its name and its first line."""

import pytest

from guildmoot.text.languages import language_of


@pytest.mark.parametrize(
    ("path", "first", "name", "kind"),
    [
        ("cmd/main.go", "", "Go", "code"),
        ("web/App.tsx", "", "TSX", "code"),
        ("Dockerfile", "", "Dockerfile", "code"),
        ("deploy/Dockerfile.dev", "", "Dockerfile", "code"),
        ("Makefile", "", "Makefile", "data"),
        ("CMakeLists.txt", "", "CMake", "data"),
        (".github/workflows/ci.yml", "", "GitHub workflow", "code"),
        (".github/dependabot.yml", "", "YAML", "data"),
        ("chart/templates/service.yaml", "", "Template", "data"),
        ("tsconfig.build.json", "", "JSON with comments", "data"),
        (".vscode/settings.json", "", "JSON with comments", "data"),
        ("package.json", "", "JSON", "data"),
        ("README.MD", "", "Markdown", "prose"),
        ("LICENSE", "", "Text", "prose"),
        ("bin/run", "#!/usr/bin/env -S python3.12 -u", "Python", "code"),
        ("bin/run", "#!/bin/bash -e", "Shell", "code"),
        ("bin/run", "#!/usr/bin/env DEBUG=1 node", "JavaScript", "code"),
        ("bin/run", "#!/opt/own/interpreter", "Script", "code"),
        ("bin/run", "\ufeff#!/usr/bin/perl", "Perl", "code"),
        ("bin/run", " #!/bin/sh", "Shell", "code"),
        ("notes.txt", "#!/usr/bin/perl -w", "Perl", "code"),
        ("run.in", "#!/bin/sh", "Shell", "code"),
        ("run.in", "#!@PERL@", "Template", "data"),
        ("notes.md", "#! not a program", "Markdown", "prose"),
        ("i18n/de.ts", '<?xml version="1.0"?>', "XML", "data"),
        ("man/tool.1", ".TH TOOL 1", "Man page", "prose"),
        ("src/parse.y", "", "Yacc", "code"),
        ("configure.ac", "", "M4", "code"),
        ("phpunit.xml.dist", "", "XML", "data"),
        ("config.php.dist", "", "Template", "code"),
        ("src/types.tera.rs", "", "Template", "code"),
        ("src/types.hbs.rs", "", "Template", "code"),
        ("values.j2.yaml", "", "Template", "data"),
        ("mustache.js", "", "JavaScript", "code"),
        ("data.1", "", "", "other"),
        ("logo.png", "", "", "other"),
        ("unknown", "", "", "other"),
    ],
)
def test_a_file_is_known_by_its_name_and_its_first_line(path, first, name, kind):
    assert tuple(language_of(path, first)) == (name, kind)
