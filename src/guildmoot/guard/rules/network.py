"""Rules for what leaves the machine or comes to it: uploads, back doors, and code from an address."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import names
from guildmoot.guard.rules.files import shown_files
from guildmoot.guard.rules.protected import protected, secret_level
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]", "host.docker.internal", ".local", "[::]")  # noqa: S104
_METADATA = ("169.254.169.254", "metadata.google.internal", "100.100.100.200")
_ALWAYS = names(
    """curl wget http https httpie xh nc ncat netcat socat ssh scp sftp ftp telnet ping dig nslookup host gh glab aws
    gcloud gsutil az kubectl helm doctl heroku fly flyctl vercel netlify railway supabase firebase ngrok cloudflared
    apt apt-get yum dnf brew apk pacman npx bunx rclone s3cmd mail sendmail mutt lftp aria2c whois traceroute"""
)
_VERBS = {
    "git": names("clone fetch pull push ls-remote remote-update"), "docker": names("pull push login run build search"),
    "npm": names("install i ci add update publish audit view outdated exec create"), "uv": names("pip add sync tool"),
    "yarn": names("install add upgrade publish dlx create"), "pnpm": names("install i add update publish dlx create"),
    "pip": names("install download index search"), "pip3": names("install download index search"),
    "poetry": names("install add update publish"), "cargo": names("install fetch publish search add update"),
    "go": names("get install mod"), "gem": names("install push fetch"), "bundle": names("install update"),
    "composer": names("install require update"), "conda": names("install create update"), "twine": names("upload"),
    "podman": names("pull push login run build"), "terraform": names("init apply destroy plan"), "bun": names("install add"),
}  # fmt: skip


def uses_network(run: Invocation) -> bool:
    """Whether the program talks to other machines, as far as its name and first words say."""
    if run.name in _ALWAYS or any("/dev/tcp/" in path for path in (*run.outputs, *run.inputs)):
        return True
    rest = Arguments(run.words[1:], ("-C", "-c", "--prefix", "-C"), stop=True).rest[:1]
    if run.name == "rsync":
        return any(":" in word for word in run.words[1:])
    return bool(rest) and rest[0] in _VERBS.get(run.name, ())


def carries_secrets(run: Invocation, site: Site) -> bool:
    """Whether what flows into a program holds keys: a key file, or all variables."""
    for feed in run.feeds:
        if feed.name in ("env", "printenv", "history") and len(feed.words) == 1:
            return True
        if feed.name in ("set", "export", "declare") and feed.words[1:] in ([], ["-p"], ["-x"]):
            return True
        if feed.name == "gh" and feed.words[1:3] == ["auth", "token"]:
            return True
        for path in (*shown_files(feed), *feed.inputs):
            if secret_level(absolute(path, feed.cwd), site):
                return True
    return any(secret_level(absolute(path, run.cwd), site) for path in run.inputs)


def _carries_tree(run: Invocation, site: Site) -> bool:
    """Whether an archive of a folder, or a dump of a database, flows into a program."""
    for feed in run.feeds:
        if feed.name in ("zip", "7z", "mysqldump", "pg_dump", "pg_dumpall", "mongodump", "cpio"):
            return True
        if feed.name == "tar" and any("c" in word for word in feed.words[1:3]):
            return True
        if feed.name == "git" and {"archive", "bundle", "-p", "--patch"} & {*feed.words[1:5]}:
            return True
        if _carries_tree(feed, site):
            return True
        if feed.name in ("find", "cat") and any(
            kind_of(w, feed.cwd, site) in ("home", "all", "project") for w in feed.words[1:2]
        ):
            return feed.name == "cat" or "-exec" in feed.words
    return False


def is_local(address: str) -> bool:
    host = address.partition("://")[2] or address
    host = host.partition("/")[0].rpartition("@")[2]
    return (
        host.rpartition(":")[0].endswith(_LOCAL)
        or host.endswith(_LOCAL)
        or host.startswith(("192.168.", "10.", "172.17."))
    )


_CURL_VALUED = (
    *(
        "-d",
        "--data",
        "--data-binary",
        "--data-raw",
        "--data-urlencode",
        "--json",
        "-F",
        "--form",
        "-T",
    ),
    *(
        "--upload-file",
        "-o",
        "--output",
        "-H",
        "--header",
        "-u",
        "--user",
        "-X",
        "--request",
        "-A",
        "-b",
        "-c",
    ),
    *(
        "-e",
        "-x",
        "--proxy",
        "-m",
        "--max-time",
        "-w",
        "--write-out",
        "--retry",
        "--connect-timeout",
        "-K",
    ),
    *(
        "--output-dir",
        "--cacert",
        "--cert",
        "--key",
        "-D",
        "--url",
        "--resolve",
        "-r",
        "--retry-delay",
        "--unix-socket",
    ),
)


def curl(run: Invocation, site: Site) -> Iterator[Decision]:
    """curl and its like: where to, and what of ours goes along."""
    words = run.words[1:]
    found = Arguments(words, _CURL_VALUED)
    addresses = [*found.operands, found.options.get("--url", "")]
    if any(host in address for address in addresses for host in _METADATA):
        yield ruling("cloud-metadata")
    if _moves_money(words):
        yield ruling("money")
    target = found.options.get("-o") or found.options.get("--output") or ""
    yield from _lands(target, found.options.get("--output-dir", ""), run, site)
    uploads = [(word, words[at + 1]) for at, word in enumerate(words[:-1]) if word in _UPLOADS]
    if run.name != "curl":  # http POST URL field@FILE other=@FILE
        uploads += [("-F", word) for word in words if "@" in word and "://" not in word]
    given = [found for upload in uploads for found in _upload(*upload, run, site)]
    if all(is_local(address) for address in addresses if address) and any(addresses):
        yield from (ruling("secrets-likely") for one in given if one.code == "send-secrets")
        return
    if carries_secrets(run, site) or _names_secret(run, ("-H", "-u", "--header", "--user", "-b")):
        yield ruling("send-secrets")
    elif _carries_tree(run, site):
        yield ruling("send-tree")
    yield from given


_UPLOADS = names("-d --data --data-binary -F --form -T --upload-file --data-urlencode --json")
_ARCHIVES = (
    ".tar",
    ".tgz",
    ".tar.gz",
    ".zip",
    ".7z",
    ".sql",
    ".dump",
    ".bundle",
    ".tar.bz2",
    ".db",
    ".sqlite",
    ".tar.xz",
)


def _moves_money(words: list[str]) -> bool:
    """A call that gives something to one of the services that move money."""
    hosts = (
        "api.stripe.com",
        "api.paypal.com",
        "api-m.paypal.com",
        "connect.squareup.com",
        "api.coinbase.com",
    )
    gives = {"POST", "-XPOST", "PUT", "DELETE", "-XDELETE", "-d", "--data", "--json"} & {*words}
    return bool(gives) and any(host in word for word in words for host in hosts)


def _lands(target: str, folder: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """Where a download is written, under the name that it is given or has there."""
    fetched = [target] if target else downloads(run) if folder else []
    for name in fetched if not run.remote else ():
        wrong = protected(absolute(f"{folder}/{name}" if folder else name, run.cwd), site)
        if wrong:
            yield wrong


def _upload(option: str, value: str, run: Invocation, site: Site) -> Iterator[Decision]:
    path = (
        value
        if option in ("-T", "--upload-file")
        else value.rpartition("@")[2]
        if "@" in value
        else ""
    )
    path = path.partition(";")[0]
    if option in ("-F", "--form") and "=@" not in value and "=<" not in value:
        return
    if (
        not path
        or path == "-"
        or (option.startswith(("-d", "--data", "--json")) and not value.startswith("@"))
    ):
        return
    if secret_level(absolute(path, run.cwd), site):
        yield ruling("send-secrets", path)
    elif path.lower().endswith(_ARCHIVES):
        yield ruling("send-tree", path)
    elif not path.lower().endswith((".json", ".xml", ".graphql", ".yaml", ".yml", ".xml")):
        yield ruling("send-file", path)


def _names_secret(run: Invocation, harmless: tuple[str, ...]) -> bool:
    """A variable that is named like a key, outside the headers where it belongs."""
    text = run.text
    for option in harmless:
        while (start := text.find(f"{option} ")) >= 0:
            rest = text[start + len(option) + 1 :].lstrip()
            quote = rest[:1] if rest[:1] in "\"'" else " "
            end = rest.find(quote, 1)
            text = text[:start] + (rest[end + 1 :] if end >= 0 else "")
    upper = text.upper()
    return any(f"${brace}{name}" in upper for brace in ("", "{") for name in _KEY_NAMES) or any(
        piece.split("}")[0].split(" ")[0].split('"')[0].rstrip("'").endswith(_KEY_ENDS)
        for piece in upper.split("$")[1:]
    )


_KEY_NAMES = (
    "AWS_SECRET",
    "AWS_SESSION",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NPM_TOKEN",
)
_KEY_ENDS = ("_SECRET", "_SECRET_KEY", "_PASSWORD", "_PRIVATE_KEY", "_API_KEY", "_ACCESS_KEY")


def wget(run: Invocation, site: Site) -> Iterator[Decision]:
    """wget: the same by other names."""
    found = Arguments(
        run.words[1:],
        (
            "-O",
            "-o",
            "-P",
            "--post-file",
            "--post-data",
            "--header",
            "--body-file",
            "--directory-prefix",
        ),
    )
    folder = found.options.get("-P") or found.options.get("--directory-prefix") or ""
    yield from _lands(found.options.get("-O", ""), folder, run, site)
    sent = found.options.get("--post-file") or found.options.get("--body-file") or ""
    if sent:
        yield ruling(
            "send-secrets" if secret_level(absolute(sent, run.cwd), site) else "send-file", sent
        )
    if any(host in word for word in found.operands for host in _METADATA):
        yield ruling("cloud-metadata")
    if carries_secrets(run, site) or _names_secret(run, ("--header",)):
        yield ruling("send-secrets")


def pipe(run: Invocation, site: Site) -> Iterator[Decision]:
    """nc, socat, telnet, dig and other programs that carry what they are given."""
    found = Arguments(run.words[1:], ("-p", "-w", "-s", "-q", "-i"))
    text = " ".join(run.words)
    if (
        run.name in ("nc", "ncat", "netcat")
        and (found.has("-e", "-c", "--exec", "--sh-exec") or "/bin/sh" in text)
    ) or (run.name == "socat" and ("exec:" in text.lower() or "system:" in text.lower())):
        yield ruling("backdoor")
    elif carries_secrets(run, site):
        yield ruling("send-secrets")
    elif _carries_tree(run, site):
        yield ruling("send-tree")
    elif (
        run.name in ("nc", "ncat", "netcat", "telnet", "socat")
        and run.inputs
        and not any(is_local(w) for w in found.operands)
    ):
        yield ruling("send-file", run.inputs[0])


def remote_copy(run: Invocation, site: Site) -> Iterator[Decision]:
    """scp, rsync, sftp, rclone: files to another machine."""
    found = Arguments(
        run.words[1:], ("-e", "-i", "-P", "-o", "--exclude", "--include", "-F", "-l", "--rsh")
    )
    if found.has("--dry-run", "-n", "--list-only"):
        return
    operands = found.operands[1:] if run.name == "rclone" else found.operands
    target = "".join(operands[-1:])
    for line in (run.stdin or "").split("\n") if run.name == "sftp" else ():
        verb, _, path = line.strip().partition(" ")
        if verb in ("put", "mput", "reput"):
            secret = secret_level(absolute(path.split(" ")[-1], run.cwd), site)
            yield ruling("send-secrets" if secret else "send-file", path)
    if ":" not in target or target.startswith(("/", "./")) or is_local(target.partition(":")[0]):
        return
    recursive = found.has("-r", "-R", "-a", "--recursive", "--archive") or run.name == "rclone"
    for path in operands[:-1]:
        full = absolute(path, run.cwd)
        kind = kind_of(path, run.cwd, site)
        if secret_level(full, site) or kind == "keys":
            yield ruling("send-secrets", path)
        elif kind == "made" and not target.partition(":")[0].rpartition("@")[2][:1].isdigit():
            continue  # what a build made, to a machine that has a name
        elif (
            recursive and kind in ("project", "all", "home", "system", "above", "outside")
        ) or path.endswith(_ARCHIVES):
            yield ruling("send-tree", path)
        else:
            yield ruling("send-file", path)


def ssh(run: Invocation, site: Site) -> Iterator[Decision]:
    """ssh itself; what it runs over there is judged as a part of its own."""
    found = Arguments(
        run.words[1:], ("-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-W", "-b"), stop=True
    )
    if found.has("-R"):
        yield ruling("expose")
    if carries_secrets(run, site):
        yield ruling("send-secrets")
    elif _carries_tree(run, site):
        yield ruling("send-tree")


def downloads(run: Invocation) -> list[str]:
    """The files that a fetch leaves behind, by name."""
    if run.name not in ("curl", "wget", "aria2c", "fetch"):
        return []
    found = Arguments(run.words[1:], (*_CURL_VALUED, "-O") if run.name == "wget" else _CURL_VALUED)
    named = (
        found.options.get("-o")
        or found.options.get("--output")
        or (found.options.get("-O") if run.name == "wget" else "")
    )
    if named:
        return [named.rpartition("/")[2]]
    kept = run.name != "curl" or found.has("-O", "--remote-name")
    fetched = [word.partition("?")[0].rpartition("/")[2] for word in found.operands] if kept else []
    return [*fetched, *(path.rpartition("/")[2] for path in run.outputs)]


def is_socket(path: str) -> bool:
    """A connection that bash itself opens, to another machine."""
    return path.startswith(("/dev/tcp/", "/dev/udp/")) and not any(
        local in path for local in ("/localhost/", "/127.0.0.1/")
    )


RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(names("curl http https httpie xh"), (curl,)), "wget": (wget,),
    **dict.fromkeys(names("nc ncat netcat socat telnet dig nslookup host ping ftp openssl mosquitto_pub"), (pipe,)),
    **dict.fromkeys(names("scp rsync sftp rclone"), (remote_copy,)), "ssh": (ssh,),
}  # fmt: skip
