"""Rules for clusters, clouds, containers and infrastructure as code."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, STAR, names
from guildmoot.guard.rules.effects import dry
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.rules.verbs import GONE, TAKEN, options_of, scaled_to_nothing, verbs_of
from guildmoot.guard.site import Site, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_CLUSTER_WIDE = names(
    """project projects ns namespace namespaces node nodes no pv persistentvolume persistentvolumes crd crds pvc persistentvolumeclaim
    customresourcedefinition customresourcedefinitions all clusterrole clusterrolebinding sc storageclass pvcs"""
)


_OWN_CLUSTERS = (
    *("kind-", "k3d-", "minikube", "docker-desktop", "docker-for-desktop"),
    *("rancher-desktop", "orbstack", "colima", "microk8s"),
)
"""Contexts of clusters that run on a developer's own machine."""


def kubectl(run: Invocation, _site: Site) -> Iterator[Decision]:
    """kubectl and oc."""
    found = Arguments(
        run.words[1:],
        (
            "-n",
            "--namespace",
            "--context",
            "-f",
            "--filename",
            "-l",
            "--selector",
            "-k",
            "-o",
            "--kubeconfig",
        ),
    )
    verb = "".join(found.operands[:1])
    if dry(run):
        return
    if verb == "delete":
        kind = "".join(found.operands[1:2]).lower().partition("/")[0]
        kinds = {*kind.split(",")}
        whole = (
            found.has("--all", "-A", "--all-namespaces")
            or bool(kinds & _CLUSTER_WIDE)
            or ANY in kind
        )
        grave = whole or found.has("--force")
        own = found.options.get("--context", "").startswith(_OWN_CLUSTERS)
        if grave or not own:
            yield ruling("cluster" if grave and not own else "cluster-one")
    elif (
        (verb in ("drain", "replace") and found.has("--force"))
        or verb in ("drain", "cordon", "taint")
        or (verb == "scale" and scaled_to_nothing(run.words))
        or (verb == "apply" and found.has("--prune", "--force"))
        or (verb == "patch" and ("finalizers" in run.text or '"Delete"' in run.text))
    ):
        yield ruling("cluster-one")


def helm(run: Invocation, _site: Site) -> Iterator[Decision]:
    """helm uninstall; an upgrade by force removes and makes again."""
    verb = "".join(Arguments(run.words[1:], ("-n", "--namespace")).operands[:1])
    gone = verb in ("uninstall", "delete", "del", "un", "rollback")
    if (gone or (verb == "upgrade" and "--force" in run.words)) and not dry(run):
        yield ruling("cluster-one")


def terraform(run: Invocation, _site: Site) -> Iterator[Decision]:
    """terraform, tofu, terragrunt, pulumi, cdk, serverless, sam, vagrant."""
    found = Arguments(
        run.words[1:], ("-var", "-var-file", "-target", "-s", "--stack", "-chdir", "--cwd", "-C")
    )
    operands = found.operands
    verb = "".join(operands[:1])
    approved = any(
        word.lstrip("-") in ("auto-approve", "yes", "y", "auto-approve=true") for word in run.words
    )
    approved = approved or found.has("--force", "--require-approval=never") or "never" in run.words
    gone = (
        verb in ("down", "remove")
        or "-destroy" in run.words
        or bool(verbs_of(operands, 2) & GONE and operands[:1] not in (["state"], ["workspace"]))
    )
    if verb in ("plan", "preview", "diff", "show", "validate", "init", "synth", "fmt", "output"):
        return
    if (
        (verb == "rm" and run.name == "pulumi")
        or (
            verb == "state"
            and operands[1:2] in (["rm"], ["delete"], ["push"], ["mv"], ["replace-provider"])
        )
        or (verb == "workspace" and operands[1:2] == ["delete"])
    ):
        yield ruling("infrastructure-change")
    elif gone:
        yield ruling("infrastructure")
    elif verb in ("apply", "up", "deploy", "run-all", "taint", "force-unlock") and (
        approved or verb in ("taint", "force-unlock")
    ):
        yield ruling("infrastructure-change")


_CHANGES = names(
    "stop cancel release suspend disassociate unassign reboot modify change reset close"
)
_OPENS = (
    *("put-bucket-acl", "put-bucket-policy", "put-public", "attach-user-policy"),
    *("put-secret", "update-secret", "unsubscribe", "untag"),
    *("put-bucket-lifecycle", "put-retention", "put-lifecycle"),
)


def aws(run: Invocation, site: Site) -> Iterator[Decision]:
    """aws: its verbs say what they do."""
    found = Arguments(
        run.words[1:], ("--profile", "--region", "--output", "--query", "--endpoint-url")
    )
    if dry(run) or "localhost" in found.options.get("--endpoint-url", ""):
        return
    service, verb = "".join(found.operands[:1]), "".join(found.operands[1:2])
    rest = found.operands[2:]
    if service == "s3":
        if (
            verb == "rb"
            or (verb == "rm" and found.has("--recursive"))
            or (verb == "sync" and found.has("--delete"))
        ):
            yield ruling("cloud")
        elif verb in ("rm", "mv"):
            yield ruling("cloud-change")
        elif (
            verb in ("cp", "sync")
            and rest[1:2]
            and rest[1].startswith("s3://")
            and not rest[0].startswith("s3://")
        ):
            kind = kind_of(rest[0], run.cwd, site)
            if kind in ("project", "home", "above", "system", "all"):
                yield ruling("send-tree", rest[0])
            elif kind != "made":  # what a build made goes where the project puts it
                yield ruling("cloud-change", rest[0])
        return
    parts = {*verb.split("-")}
    if verb.startswith(("describe-", "list-")):
        return
    if parts & (GONE | TAKEN):
        message = service in ("sqs", "logs") or verb.startswith(
            ("delete-message", "remove-tags", "revoke-", "detach-")
        )
        yield ruling("cloud-change" if message else "cloud")
    elif service == "secretsmanager" and verb.startswith("get-secret"):
        yield ruling("secrets", "aws secretsmanager")
    elif parts & _CHANGES or verb.startswith(_OPENS) or scaled_to_nothing(run.words):
        yield ruling("cloud-change")


def cloud(run: Invocation, _site: Site) -> Iterator[Decision]:
    """gcloud, az, doctl and the rest: a word that destroys stands among the first ones."""
    if dry(run):
        return
    words = run.words[1:]
    low = [word.lower() for word in words[:6] if word[:1] != "-"]
    verbs, options = verbs_of(words, 5), options_of(words)
    mirrors = (options & (GONE | TAKEN)) - {"force"} or (
        run.name == "gsutil" and "rsync" in low and "-d" in words
    )
    if verbs & (GONE | TAKEN | {"unset"}) or mirrors:
        local = (run.name in ("vercel", "netlify") and "env" in low) or "disable" in verbs
        local = local or ("unset" in verbs and not verbs & GONE)
        yield ruling("cloud-change" if local else "cloud")
    elif scaled_to_nothing(words):
        yield ruling("cloud-change")
    elif (
        run.name in ("gcloud", "az")
        and {"access", "print-access-token", "get-access-token"} & {*low}
        and not run.via
    ):
        yield ruling("secrets-likely", run.name)


def docker(run: Invocation, site: Site) -> Iterator[Decision]:
    """docker and podman: volumes hold data, and a mount gives the machine away."""
    words = run.words[1:]
    found = Arguments(words, ("-f", "--file", "-p", "--project-name", "--context", "-H"), stop=True)
    rest = found.rest
    if run.name == "docker-compose":
        rest = ["compose", *rest]
    two = rest[:2]
    options = Arguments(
        rest[1:], ("-f", "--file", "-p", "--project-name", "--profile", "--env-file")
    )
    if two[:1] == ["compose"]:
        verb = "".join(options.operands[:1])
        if (verb == "down" and options.has("-v", "--volumes")) or (
            verb == "rm" and Arguments(rest[rest.index("rm") :]).has("-v", "--volumes")
        ):
            yield ruling("containers")
        elif verb == "run":
            yield from _mounts(rest[1:], run, site)
    elif two[:1] in (["stack"], ["service"], ["secret"], ["config"], ["node"], ["swarm"]):
        if two[1:] in (["rm"], ["remove"], ["leave"]):
            yield ruling("containers")
    elif two in (["volume", "rm"], ["volume", "prune"], ["system", "prune"], ["volume", "remove"]):
        if two[0] == "volume" or Arguments(rest[1:]).has("--volumes", "-a", "--all"):
            yield ruling("containers")
    elif two[:1] == ["rm"]:
        options = Arguments(rest[1:])
        forced = options.has("-f", "--force") and any(ANY in word for word in options.operands)
        if forced or options.has("-v", "--volumes"):
            yield ruling("containers")
    elif two[:1] == ["rmi"] or two == ["image", "rm"]:
        if any(ANY in word for word in rest):
            yield ruling("containers")
    elif two[:1] in (["run"], ["create"]):
        yield from _mounts(rest[1:], run, site)
    elif two[:1] == ["push"]:
        return


def _mounts(words: list[str], run: Invocation, site: Site) -> Iterator[Decision]:
    for at, word in enumerate(words):
        mount = (
            words[at + 1]
            if word in ("-v", "--volume", "--mount") and at + 1 < len(words)
            else word.partition("=")[2]
            if word.startswith(("--volume=", "-v=", "--mount="))
            else word[2:]
            if word.startswith(("-v/", "-v$", "-v~", "-v."))
            else ""
        )
        source = (
            mount.partition(":")[0]
            if "source=" not in mount and "src=" not in mount
            else mount.replace("src=", "source=").partition("source=")[2].partition(",")[0]
        )
        if (
            source.startswith("/")
            and kind_of(source, run.cwd, site) in ("system", "home")
            and "localtime" not in source
            and "docker.sock" not in source
        ):
            yield ruling("container-root" if source == "/" else "container-host", source)
    if "--privileged" in words or "--privileged=true" in words or "--pid=host" in words:
        yield ruling("container-host")


_CLOUDS = names(
    """gcloud gsutil bq az doctl heroku fly flyctl vercel netlify railway firebase eksctl linode-cli hcloud wrangler
    scw ibmcloud oci eb render neonctl pscale supabase mc s3cmd civo vultr-cli aliyun nomad consul vault"""
)


def deletes(run: Invocation, _site: Site) -> Iterator[Decision]:
    """curl -X DELETE, httpie DELETE, a GraphQL mutation that deletes, an address that says so."""
    words = run.words[1:]
    text = " ".join(words)
    local = ("localhost" in text or "127.0.0.1" in text) and not any(
        f":{port}" in text for port in _STORES
    )
    method = "-XDELETE" in words or "DELETE" in words or "--request=DELETE" in words
    mutation = "mutation" in text and ("elete" in text or "estroy" in text)
    everything = any(word.endswith(("/_all", "/*")) or f"/{STAR}" in word for word in words)
    gives = {"POST", "PUT", "PATCH", "-XPOST", "-XPUT", "-d", "--data", "--json"} & {*words}
    if (method or mutation or (gives and _says_gone(words))) and (everything or not local):
        yield ruling("destroys", run.name)


_STORES = names(
    """9200 9201 7700 8001 8444 9090 9093 5984 8500 2379 6333 8086 8123 15672 8983 2375 6443 16443 8108 19530"""
)
"""Ports where databases, search engines, queues and gateways listen, on this machine too."""


_IN_PATHS = ("delete", "destroy", "purge", "truncate", "wipe", "erase")


def _says_gone(words: list[str]) -> bool:
    """``https://x/users/_delete_by_query``, ``.../cache/purge``."""
    paths = [word.rpartition("://")[2].partition("?")[0] for word in words if "/" in word]
    parts = (part for path in paths for part in path.split("/")[1:])
    return any(verb in part.lower() for part in parts for verb in _IN_PATHS)


RULES: dict[str, tuple[Rule, ...]] = {
    "kubectl": (kubectl,), "oc": (kubectl,), "k": (kubectl,), "helm": (helm,), "aws": (aws,), "awslocal": (),
    **dict.fromkeys(names("terraform tofu terragrunt pulumi cdk serverless sls sam vagrant cdktf sst copilot"), (terraform,)),
    **dict.fromkeys(_CLOUDS, (cloud,)), **dict.fromkeys(names("docker podman nerdctl docker-compose"), (docker,)),
    **dict.fromkeys(names("curl http https xh wget"), (deletes,)),
}  # fmt: skip
