"""What programs do that cannot be taken back: a table of known ones, and the verbs that tell it of any other.

A row names a program, words that all have to stand among its own, and the ruling. A program that no rule knows is
judged by its verb: ``delete``, ``destroy``, ``purge`` say the same everywhere.
"""

from __future__ import annotations

from itertools import pairwise

from guildmoot.guard.commands.invocation import Invocation
from guildmoot.guard.commands.words import names
from guildmoot.guard.rules.rulings import ruling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision
    from guildmoot.guard.site import Site

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_TABLE = """
railway down : destroys
k3s-uninstall.sh : destroys
etcdctl del --prefix : destroys
kops delete cluster : destroys
flux uninstall : destroys
istioctl uninstall : destroys
kind delete clusters : destroys
restic forget --prune : destroys
virsh undefine : destroys
rabbitmqctl reset : destroys
rabbitmqctl force_reset : destroys
dotnet ef database drop : destroys
wp db reset : destroys
hasura migrate --down : destroys
pg_restore --clean : destroys
pg_restore -c : destroys
mongorestore --drop : destroys
journalctl --rotate --vacuum-time : destroys
journalctl --vacuum-time : destroys
journalctl --vacuum-size : destroys
journalctl --vacuum-files : destroys
gio trash --empty : destroys
trash-empty : destroys
rclone sync : destroys
rclone move : destroys
rclone purge : destroys
rclone delete : destroys
rclone deletefile : destroys
rclone cleanup : destroys
pulumi stack rm : destroys
simctl erase all : destroys
xcrun simctl erase all : destroys
emulator -wipe-data : destroys
fastboot erase : destroys
fastboot flash : destroys
fastboot -w : destroys
adb uninstall : destroys
adb shell pm clear : destroys
gpg --delete-secret-keys : delete-keys
gpg --delete-secret-key : delete-keys
gpg --export-secret-keys : secrets
gpg --export-secret-subkeys : secrets
security find-generic-password -w : secrets
security find-internet-password -w : secrets
security dump-keychain : secrets
secret-tool lookup : secrets
keyring get : secrets
pass show : secrets
gopass show : secrets
op read : secrets
op item get : secrets
bw get : secrets
lpass show : secrets
sops -d : secrets
sops --decrypt : secrets
sops decrypt : secrets
ansible-vault view : secrets
ansible-vault decrypt : secrets
vault kv get : secrets
vault read : secrets
vault token create : grants
doppler secrets : secrets-likely
infisical secrets : secrets-likely
heroku auth:token : secrets
heroku config : secrets-likely
railway variables : secrets-likely
flyctl auth token : secrets
fly auth token : secrets
git credential fill : secrets
kubectl get secret -o : secrets-likely
kubectl get secrets -o : secrets-likely
oc whoami -t : secrets
aws configure get aws_secret_access_key : secrets
aws configure export-credentials : secrets
aws sts get-session-token : secrets-likely
aws ssm get-parameter --with-decryption : secrets
aws iam create-access-key : grants
aws iam create-login-profile : grants
aws iam update-login-profile : grants
aws iam attach-user-policy : grants
aws iam attach-role-policy : grants
aws iam attach-group-policy : grants
aws iam put-user-policy : grants
aws iam put-role-policy : grants
aws iam add-user-to-group : grants
aws iam create-user : grants
aws iam update-assume-role-policy : grants
aws ec2 authorize-security-group-ingress : grants
gcloud add-iam-policy-binding : grants
gcloud service-accounts keys create : grants
az role assignment create : grants
az ad sp create-for-rbac : grants
kubectl create clusterrolebinding : grants
oc adm policy : grants
gh ssh-key add : grants
gh repo deploy-key add : grants
gh api --method PUT collaborators : grants
npm token create : grants
npm owner add : grants
npm access grant : grants
heroku access:add : grants
brew uninstall --ignore-dependencies : machine-change
docker swarm leave --force : destroys
podman system reset : destroys
podman machine rm : destroys
ansible-playbook : infrastructure-change
ansible-pull : infrastructure-change
salt : infrastructure-change
npm config set registry : runs-later
npm set registry : runs-later
pnpm config set registry : runs-later
yarn config set npmRegistryServer : runs-later
yarn config set registry : runs-later
pip config set global.index-url : runs-later
pip config set global.extra-index-url : runs-later
pip config set global.trusted-host : runs-later
gem sources --add : runs-later
gem sources -a : runs-later
update-alternatives --set : machine-change
hash -p : unknown-program
ldconfig : machine-change
ssh-copy-id : keys
""".strip()
_HARMLESS = [
    "--dry-run",
    "--dryrun",
    "--help",
    "-h",
    "--check",
    "--syntax-check",
    "--list-hosts",
    "--list-tasks",
    "--list-tags",
    "--version",
    "--generate-cli-skeleton",
    "--no-execute-changeset",
    "--whatif",
]
_rows: dict[str, list[tuple[frozenset[str], str]]] = {}


def dry(run: Invocation) -> bool:
    """The program only shows what it would do."""
    return any(
        word.partition("=")[0].lower() in _HARMLESS and not word.endswith(("=none", "=false"))
        for word in run.words[1:]
    )


def known(run: Invocation, _site: Site) -> Iterator[Decision]:
    """The table above."""
    if not _rows:
        for line in _TABLE.splitlines():
            words, _, code = line.rpartition(" : ")
            name, *rest = words.split()
            _rows.setdefault(name, []).append((frozenset(rest), code))
    given = {word.partition("=")[0] if word[:1] == "-" else word for word in run.words[1:]}
    for wanted, code in _rows.get(run.name, ()):
        if wanted <= given and not dry(run):
            yield ruling(code, run.name)
            return


# programs that nobody knows

_VERBS = names(
    """delete destroy purge drop dropall dropdb wipe erase terminate truncate obliterate nuke deprovision teardown
    flushall flushdb deletion deleteall destroyall wipeout force-reset drop-all delete-all"""
)
_FORCED_VERBS = names(
    "reset rm remove clear prune uninstall undefine forget unregister flush revoke"
)
_NO_QUESTION = names(
    """-f --force -y --yes --confirm --noinput --no-input --no-confirm --assume-yes --skip-confirmation
    --non-interactive --no-prompt --auto-approve --force-yes --no-interaction --all"""
)
_LOCAL = names(
    """echo printf print test [ [[ : true false ls dir cat head tail less more cp mv mkdir touch ln tr sort uniq wc tee
    grep egrep fgrep rg ag ack sed awk gawk jq yq cut diff comm find fd stat file basename dirname realpath readlink
    seq date sleep which type whereis man info help tldr apropos vim vi nvim nano emacs code open xdg-open
    npm pnpm yarn bun npx pip pip3 pipx uv poetry pdm hatch conda mamba micromamba pixi cargo rustup go mvn mvnw gradle
    gradlew ant sbt make gmake cmake ninja meson bazel buck brew port gem bundle composer mix rebar3 flutter dart pod
    swift xcodebuild dotnet nuget nx turbo lerna rush moon nvm fnm volta asdf mise pyenv rbenv sdk jenv choco scoop
    winget snap flatpak code-server pre-commit husky lefthook prettier eslint jest vitest mocha pytest phpunit rspec
    tox nox ctest cypress playwright jupyter git hg svn jj sl gh glab hub curl wget http https xh tmux screen kind k3d
    set unset export alias unalias read local declare eval exec source trap return exit shift getopts let
    session say logger notify-send ccache sccache ruff black mypy tsc webpack vite rollup esbuild storybook ng vue
    changeset semantic-release guild loom griot claude codex gemini cursor aider ffmpeg convert magick sqlite3
    osascript defaults plutil sips crontab at tput stty clear reset history bg fg jobs wait ipcrm dvc"""
)
"""Programs whose verbs concern packages, caches, tests or text on this machine, or that have rules of their own."""


def by_verb(run: Invocation) -> Iterator[Decision]:
    """A program without rules whose words say that it destroys something: a person says yes."""
    name, words = run.name.lower(), run.words[1:]
    if name in _LOCAL or not words or run.words[0][:1] == "." or dry(run):
        return
    options = {word.partition("=")[0] for word in words if word[:1] == "-"}
    verbs = {option[2:].partition("-")[0] for option in options if option[:2] == "--"}
    for word in [word.lower() for word in words if word[:1] != "-"][:3]:
        if word.replace("-", "").replace(":", "").replace("_", "").isalpha():
            parts = word.replace("_", "-").replace(":", "-").split("-")
            verbs.update((word, parts[0], parts[-1]))
    if verbs & _VERBS or (verbs & _FORCED_VERBS and options & _NO_QUESTION):
        yield ruling("destroys", run.name)


_HOSTS = (
    *(
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "githubusercontent.com",
        "npmjs.org",
        "pypi.org",
    ),
    *(
        "pythonhosted.org",
        "pytorch.org",
        "rubygems.org",
        "crates.io",
        "yarnpkg.com",
        "jsr.io",
        "anaconda.org",
        "pr.new",
    ),
)
"""Where packages come from."""


def foreign_source(run: Invocation, _site: Site) -> Iterator[Decision]:
    """A package from an address that nobody vouches for: without encryption, by number, or trusted by a flag."""
    if not {"install", "i", "add", "ci", "download", "sync", "pip"} & {*run.words[1:4]}:
        return
    from guildmoot.guard.rules.network import is_local

    for before, word in pairwise(run.words):
        address = word.rpartition("=")[2] if word.startswith("--") else word
        host = address.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
        by_number = host.replace(".", "").isdigit()
        direct = (
            word[:1] != "-"
            and not before.startswith("-")
            and address.startswith("https://")
            and not host.endswith(_HOSTS)
        )
        if word.startswith("--trusted-host") or (
            host
            and (by_number or direct or address.startswith("http://"))
            and not is_local(address)
        ):
            yield ruling("foreign-source", host)


RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys({line.split(" ")[0] for line in _TABLE.splitlines()}, (known,)),
}
for _name in names("pip pip3 uv npm pnpm yarn bun gem cargo poetry pdm conda"):
    RULES[_name] = (*RULES.get(_name, ()), foreign_source)
