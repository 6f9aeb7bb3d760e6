"""Verbs that tell the same everywhere: ``delete``, ``destroy``, ``purge``, whichever program is given them.

Classes, not cases: what a program keeps (servers, backups and clouds keep what others need), the verb among its first
words or options, and whether it would ask by itself.
"""

from __future__ import annotations

from itertools import pairwise

from guildmoot.guard.commands.invocation import Invocation
from guildmoot.guard.commands.words import names
from guildmoot.guard.rules.effects import dry
from guildmoot.guard.rules.rulings import ruling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guildmoot.guard.decision import Decision

GONE = names(
    """delete destroy purge drop dropall dropdb wipe erase terminate truncate obliterate nuke deprovision teardown
    flushall flushdb deletion deleteall destroyall wipeout deregister rmtree zap dropcluster dropuser"""
)
"""What they name is gone, and no program has the verb for anything else."""
TAKEN = names(
    """rm rb del remove reset clear prune uninstall undefine forget unregister flush revoke disable detach undeploy expire
    decommission rmi erase-all"""
)
"""The same where a program keeps what others need; elsewhere with an option that leaves the question out."""
_ALONE = names("remove unregister revoke disable archive decommission undeploy untag unsubscribe")
_AGAIN = names("cache caches plugin plugins extension extensions addon theme package packages hook")
"""What can be had again."""
_BUILDS = names(
    """deploy create describe list ls get show logs log tail read view inspect status info add new init dev start up
    plan preview diff build push pull set login whoami exec ssh open link help search version export generate"""
)
"""Verbs behind which a word is a name: ``deploy delete-user``."""
_NO_QUESTION = names(
    """-f --force -y --yes --confirm --noinput --no-input --no-confirm --assume-yes --skip-confirmation --execute
    --non-interactive --no-prompt --auto-approve -auto-approve --force-yes --no-interaction --all --no-dry-run"""
)
_SERVERS = names(
    """restic borg borgmatic kopia duplicity duplicati velero pgbackrest barman wal-g snapper timeshift btrbk bup
    rdiff-backup rabbitmqctl rabbitmqadmin nats nsqadmin pulsar-admin virsh qm pct lxc incus multipass limactl lima colima
    vboxmanage vmrun prlctl gluster ceph rbd rados influx b2 argocd flux helmfile kubeadm k3s rke rancher kops juju maas
    openstack crictl ctr databricks turso minikube convex snapraid mongocli atlas planetscale temporal airflow celery
    rclone etcdctl zkcli solr curator elasticdump minio-mc radosgw-admin proxmox-backup-client"""
)
"""Programs that keep backups, queues, machines and what else others need."""
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
    osascript defaults plutil sips crontab at tput stty clear reset history bg fg jobs wait ipcrm dvc just task"""
)
"""Programs whose verbs concern packages, caches, tests or text on this machine, or that have rules of their own."""
_DISKS = ("sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "nbd")
_LOOKS = names(
    "lsblk blkid smartctl findmnt udevadm df file mount umount hdparm test [ ls stat swapon e2label"
)
_SCALES = ("count", "capacity", "replicas", "instances", "desired", "scale")


def verbs_of(words: Iterable[str], most: int = 3) -> set[str]:
    """The verbs among the first words: whole words, and what such a word begins or ends with."""
    found: set[str] = set()
    seen = 0
    for word in words:
        if word[:1] == "-" or not word or "::" in word:
            continue
        low = word.lower()
        if low in _BUILDS or seen >= most:
            break
        seen += 1
        plain = low.replace("_", "-").replace(":", "-")
        if plain.replace("-", "").isalnum() and not plain[:1].isdigit():
            parts = plain.split("-")
            found.update((low, parts[0], parts[-1]))
    return found


def options_of(words: Iterable[str]) -> set[str]:
    """Options without values, and the verbs that long ones begin with: ``--delete-after``, ``-purge``."""
    options = {word.partition("=")[0] for word in words if word[:1] == "-"}
    verbs = {option.lstrip("-").partition("-")[0] for option in options if len(option) > 4}
    return options | verbs


def by_verb(run: Invocation) -> Iterator[Decision]:
    """A program whose words say that it destroys something: a person says yes."""
    name, words = run.name.lower().removesuffix(".sh"), run.words[1:]
    if name in _LOCAL or not words or run.words[0][:1] == "." or run.opened or dry(run):
        return
    if name not in _LOOKS and any(is_disk(word) for word in words):
        yield ruling("disk")
    options = options_of(words)
    verbs = verbs_of(words)
    if words[0] in ("test", "telemetry", "analytics"):  # tests have a --teardown of their own
        verbs -= {"disable"}
    else:
        verbs |= {option for option in options if option[:1] != "-"}
    keeps = name in _SERVERS or name.startswith("kafka-")
    sure = keeps or options & _NO_QUESTION or any(each.startswith("--yes") for each in options)
    named = {*name.replace("_", "-").split("-")} - {name}
    bare = verbs & _ALONE and not _AGAIN & {*words}
    if (verbs | named) & GONE or bare or (verbs & TAKEN and sure) or "--replace-all" in options:
        yield ruling("destroys", run.name)


def scaled_to_nothing(words: list[str]) -> bool:
    """``--desired-count 0``, ``--replicas=0``, ``ps:scale web=0``: nothing of it runs any longer."""
    if any(word.endswith("=0") for word in words):
        return any(each in word.lower() for word in words for each in _SCALES)
    return any(
        word == "0" and any(each in before.lower() for each in _SCALES)
        for before, word in pairwise(words)
    )


def is_disk(word: str) -> bool:
    """Whether a word names a disk or a part of one."""
    return word.startswith("/dev/") and word[5:].startswith(_DISKS)
