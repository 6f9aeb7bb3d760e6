"""What programs do that cannot be taken back, and no verb tells: a table of known ones.

A row names a program, words that all have to stand among its own, and the ruling. What no row tells is judged by its
verb.
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
istioctl uninstall : destroys
kind delete clusters : destroys
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
brew uninstall --zap : machine-change
borg compact : destroys
nomad system gc : destroys
kubectl rollout undo : cluster-one
celery purge : destroys
crictl rm -fa : destroys
docker swarm leave --force : destroys
podman system reset : destroys
podman machine rm : destroys
ansible-playbook : infrastructure-change
ansible-pull : infrastructure-change
salt : infrastructure-change
npm config set script-shell : runs-later
npm config set node-options : runs-later
pnpm config set script-shell : runs-later
npm config set registry : runs-later
npm set registry : runs-later
pnpm config set script-shell : runs-later
npm config set node-options : runs-later
pnpm config set script-shell : runs-later
npm config set registry : runs-later
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
k3d cluster delete --all : destroys
gh auth login --with-token : grants
gh auth logout : machine-change
wsl --unregister : destroys
rclone dedupe : destroys
nginx -s stop : machine-change
nginx -s quit : machine-change
ip link set down : machine-change
ip route del : machine-change
ip route flush : machine-change
route del : machine-change
heroku ps:kill : cloud-change
heroku ps:stop : cloud-change
heroku maintenance:on : cloud-change
ip addr flush : machine-change
ifconfig down : machine-change
nmcli down : machine-change
nmcli delete : machine-change
networksetup off : machine-change
nix-collect-garbage -d : machine-change
stripe refunds create : money
stripe payouts create : money
stripe transfers create : money
stripe charges create : money
netsh advfirewall off : machine
svn revert -R : delete-unversioned
svn revert --recursive : delete-unversioned
svn cleanup --remove-unversioned : delete-unversioned
hg strip : delete-unversioned
hg purge : delete-unversioned
hg revert --all : delete-unversioned
hg update --clean : delete-unversioned
hg update -C : delete-unversioned
icacls /grant : permissions-open
""".strip()
_HARMLESS = [
    "--dry-run",
    "--dryrun",
    "--help",
    "--check",
    "--syntax-check",
    "--list-hosts",
    "--list-tasks",
    "--list-tags",
    "--generate-cli-skeleton",
    "--no-execute-changeset",
    "--whatif",
]
_rows: dict[str, list[tuple[frozenset[str], str]]] = {}


def dry(run: Invocation) -> bool:
    """The program only shows what it would do."""
    asks = run.words[1:2] in (["--version"], ["-V"], ["help"]) or run.words[-1:] == ["-h"]
    asks = asks or (run.name == "ansible-playbook" and "-C" in run.words)
    return asks or any(
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
