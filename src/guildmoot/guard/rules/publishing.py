"""Rules for what reaches other people: packages, repositories, public ports, messages."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import names
from guildmoot.guard.rules.network import is_local
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]


def tunnel(_run: Invocation, _site: Site) -> Iterator[Decision]:
    """ngrok and others make a local port public."""
    yield ruling("expose")


_PUBLISH = {
    "npm": ("publish", "deprecate", "dist-tag"), "pnpm": ("publish",), "yarn": ("publish", "npm"), "cargo": ("publish", "yank"),
    "twine": ("upload",), "poetry": ("publish",), "uv": ("publish",), "flit": ("publish",), "hatch": ("publish",),
    "gem": ("push", "yank"), "docker": ("push",), "podman": ("push",), **dict.fromkeys(("mvn", "mvnw"), ("deploy", "release:perform")), **dict.fromkeys(("gradle", "gradlew"), ("publish", "uploadArchives", "publishToMavenCentral")), "vsce": ("publish",),
    "ovsx": ("publish",), "helm": ("push",), "dart": ("pub",), "bun": ("publish",), "pdm": ("publish",), "lerna": ("publish",),
    "semantic-release": (), "goreleaser": ("release",), "changeset": ("publish",), "jsr": ("publish",), "nuget": ("push",), "dotnet": ("nuget",),
}  # fmt: skip


def publish(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Package registries."""
    found = Arguments(
        run.words[1:], ("--registry", "--tag", "--access", "-r", "--repository", "-C", "--prefix")
    )
    verb = "".join(found.operands[:1])
    if found.has("--dry-run", "--help", "-h", "--snapshot"):
        return
    if run.name in ("npm", "pnpm", "yarn") and "unpublish" in found.operands[:2]:
        yield ruling("publish-gone")
    elif verb in _PUBLISH.get(run.name, ()) and verb:
        if run.name == "yarn" and verb == "npm" and found.operands[1:2] != ["publish"]:
            return
        if verb == "dist-tag" and found.operands[1:2] == ["ls"]:
            return
        if run.name == "dart" and found.operands[1:2] != ["publish"]:
            return
        if run.name == "dotnet" and found.operands[1:2] not in (["push"], ["delete"]):
            return
        if run.name == "docker" and any(is_local(word) for word in found.operands[1:]):
            return
        yield ruling("publish")


_GH_GONE = names("delete archive disable transfer revoke remove unlock")
_GH_RIGHTS = ("protection", "collaborators", "hooks", "/keys", "rulesets", "secrets", "invitations")


def github(run: Invocation, _site: Site) -> Iterator[Decision]:
    """gh and glab: what cannot be taken back."""
    if run.words[1:3] == ["alias", "set"] and any(word[:1] == "!" for word in run.words[3:]):
        yield ruling("runs-later", "gh alias")
    found = Arguments(
        run.words[1:],
        (
            "-R",
            "--repo",
            "-f",
            "-F",
            "-X",
            "--method",
            "-H",
            "-q",
            "--jq",
            "-t",
            "--title",
            "-b",
            "--body",
        ),
    )
    two = tuple(found.operands[:2])
    if two in (("repo", "delete"), ("repo", "archive")) or (
        two == ("repo", "edit") and "public" in run.words
    ):
        yield ruling("repository")
    elif two == ("auth", "token") and not run.via:
        yield ruling("secrets", "gh auth token")
    elif two == ("gist", "create"):
        yield ruling("send-file", "gist")
    elif two in (
        ("release", "create"),
        ("release", "upload"),
        ("release", "delete"),
        ("repo", "rename"),
        ("repo", "create"),
    ):
        yield ruling("publish")
    elif two in (("pr", "merge"), ("secret", "set")) or (
        two[1:] and two[1] in _GH_GONE and two[0] not in ("extension", "alias", "cache")
    ):
        yield ruling("repository-change", " ".join(two))
    elif two[:1] == ("api",):
        method = (found.options.get("-X") or found.options.get("--method") or "").upper()
        path = "".join(found.operands[1:2])
        if method in ("PUT", "PATCH", "POST") and any(word in path for word in _GH_RIGHTS):
            yield ruling("repository-change", path)
        if method == "DELETE":
            yield ruling(
                "repository" if path.strip("/").count("/") <= 2 else "repository-change", path
            )


def serves(run: Invocation, site: Site) -> Iterator[Decision]:
    """A web server for files: what it shows must not be a home or the whole machine."""
    found = Arguments(run.words[1:], ("-d", "--directory", "-p", "--port", "-b", "--bind", "-a"))
    shown = found.options.get("-d") or found.options.get("--directory")
    for folder in (shown,) if shown else found.operands:
        if not folder.isdigit() and kind_of(folder, run.cwd, site) in _WHOLE:
            yield ruling("expose", folder)


_WHOLE = names("system home above keys")


def mail(_run: Invocation, _site: Site) -> Iterator[Decision]:
    """Messages to people."""
    yield ruling("send-mail")


RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(names("ngrok cloudflared localtunnel lt bore"), (tunnel,)),
    **dict.fromkeys(_PUBLISH, (publish,)), "gh": (github,), "glab": (github,), "hub": (github,),
    **dict.fromkeys(names("http.server http-server serve"), (serves,)),
    **dict.fromkeys(names("mail mailx sendmail mutt swaks"), (mail,)),
}  # fmt: skip
