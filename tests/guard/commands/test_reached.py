"""Git's history and the guard's own files, reached by wildcards, find, links, packers and unknown programs."""

import os

import pytest

from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.facts import site_at

DENIED = """
rm -rf .git*
rm -rf .g*
rm -rf .[a-z]*
rm -rf .??*
rm -rf ..?* .[!.]*
rm -rf .*
mv .g* /tmp/x
find . -delete
find . -type f -delete
find . -mtime +7 -delete
find . ! -name src -delete
find . -type f ! -name 'README*' -delete
find . -name x -o -delete
find . -path '*settings*' -delete
find . -name 'sett[i]ngs.json' -delete
find . -regex '.*\\.json' -delete
find . -type f -exec chmod 000 {} +
find . -name '*' -exec rm -rf {} +
find . -mindepth 1 -maxdepth 1 ! -name src -exec rm -rf {} +
find . -maxdepth 1 -name '.*' -exec rm -rf {} +
find . -type f -print0 | xargs -0 rm -f
find . -name .git | xargs rm -rf
find .. -name .git -type d -exec rm -rf {} +
gzip -r .git
zip -mr x.zip .git
zip -mr x.zip .
tar --remove-files -cf /tmp/x.tar .git
7z a -sdel /tmp/x.7z .git
ed -s .claude/settings.json
vim -es -c wq .claude/settings.local.json
sort -o .claude/settings.json x
some-tool .claude/settings.json
git mv .claude/settings.json x
git rm .claude/settings.json
cp a .cl*/settings.json
ln .claude/settings.json b
find . -name settings.json -exec sed -i d {} +
find .claude -type f -exec truncate -s0 {} +
find . -name 'settings*.json' | xargs sed -i s/a/b/
chmod 000 .claude/settings.json
echo x > twin.json
echo x > bridge/settings.json
ln -s .claude cc; echo x > cc/settings.json
"""
PASSES = """
cat .claude/settings.json
git add .claude/settings.json
jq . .claude/settings.json
find . -name '*.pyc' -delete
find . -name __pycache__ -exec rm -rf {} +
find . -name '*.py[co]' -delete
find . -type f -name '*.py[co]' -exec rm -f {} +
find . -type d -empty -delete
find . -type l -delete
find . -regex '.*\\.pyc' -delete
find . -path './build/*' -delete
find . -path '*/migrations/*.pyc' -delete
find . -type f -exec chmod 644 {} +
find . -name '*.orig' -delete
find . -type f -name '*.log' -mtime +7 -delete
find . -not -path './.git/*' -name '*.bak' -delete
find . -path ./.git -prune -o -name '*.tmp' -exec rm {} +
find src -type f -exec rm {} +
gzip -9 dist/x.js
tar czf x.tgz .claude
rm -f .eslintcache
rm -rf .next* .cache
python3 -m json.tool .claude/settings.json
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    project = home / "code" / "project"
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / ".claude").mkdir()
    (project / "src").mkdir()
    settings = project / ".claude" / "settings.json"
    settings.write_text("{}")
    (project / ".claude" / "settings.local.json").write_text("{}")
    os.link(settings, project / "twin.json")
    (project / "bridge").symlink_to(".claude")
    return site_at(str(project), str(project), {"HOME": str(home)}, (str(settings),))


@pytest.mark.parametrize("command", DENIED.strip().splitlines())
def test_what_nothing_brings_back_is_denied(site, command):
    assert judge_command(command, site).action == "deny"


@pytest.mark.parametrize("command", PASSES.strip().splitlines())
def test_reading_and_narrow_removal_pass(site, command):
    assert judge_command(command, site).action in ("allow", "snapshot")
