"""Defects that a line shows: each with a twin that is right."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.defects import defects

INJECTED = "on: issues\njobs:\n  a:\n    steps:\n      - run: |\n          echo ${{ github.event.issue.title }}\n"
SAFE = "on: issues\njobs:\n  a:\n    steps:\n      - run: echo\n        env:\n          T: ${{ github.event.issue.title }}\n"


@pytest.mark.parametrize(
    ("language", "bad", "good", "code"),
    [
        ("JavaScript", "db.query(`SELECT ${req.query.a}`)", "db.query('SELECT ?', [req.query.a])", "sql-from-input"),
        ("JavaScript", "exec('ls ' + req.body.a)", "execFile('ls', [req.body.a])", "shell-from-input"),
        ("TypeScript", "if (a = 1) {}", "if (a === 1) {}", "assigned-condition"),
        ("TypeScript", "a === NaN", "Number.isNaN(a)", "compared-with-nan"),
        ("PHP", "<?php system('ls ' . $_GET['a']);", "<?php system('ls');", "shell-from-input"),
        ("PHP", '<?php $d->query("SELECT " . $_GET["a"]);', '<?php $d->query($d->prepare("UPDATE {$d->t} SET a = %s", $_POST["a"]));', "sql-from-input"),
        ("Ruby", 'system("ls #{params[:a]}")', 'system("ls", params[:a])', "shell-from-input"),
        ("Go", "&tls.Config{InsecureSkipVerify: true}", "&tls.Config{}", "tls-off"),
        ("Java", 'if (a == "b") {}', 'if (a.equals("b")) {}', "string-identity"),
        ("Java", "try {} catch (E e) {}", "try {} catch (E e) { log(e); }", "empty-catch"),
        ("Java", "try {} catch (E e) {}", "try {} catch (E expected) {}", "empty-catch"),
        ("C", "if (a = 1) {}", "if (a == 1) {}", "assigned-condition"),
        ("SQL", "DELETE FROM a;", "DELETE FROM a WHERE b = 1;", "without-where"),
        ("SQL", "UPDATE a SET b = 1;", "UPDATE a SET b = 1 WHERE c = 2;", "without-where"),
        ("Dockerfile", "ENV API_KEY=abcdefgh", "ENV API_KEY=$KEY", "secret-in-image"),
        ("GitHub workflow", INJECTED, SAFE, "script-injection"),
    ],
)  # fmt: skip
def test_a_defect_is_told_and_its_twin_is_not(
    language: str, bad: str, good: str, code: str
) -> None:
    assert [each.code for each in defects(language, bad)] == [code]
    assert not list(defects(language, good))
