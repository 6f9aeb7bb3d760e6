"""Files that an agent may not write, and files whose content it may not see. The one place that says which."""

from __future__ import annotations

from guildmoot.guard.commands.words import has_marks, may_be, names
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from guildmoot.guard.decision import Decision

_STARTUP = names(
    """.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
    .cshrc .tcshrc .config/fish/config.fish .inputrc .xprofile .xinitrc .pam_environment .bash_aliases
    .config/nushell/config.nu .config/powershell/profile.ps1"""
)
_SETTINGS = (
    *(".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".codex/hooks.json"),
    *(
        ".codex/config.toml",
        ".codex/hooks",
        ".gemini/settings.json",
        ".gemini/hooks",
        ".gemini/policies",
    ),
    *(".claude.json", ".cursor/hooks.json"),
)
"""What tells a coding agent's host which guard to call and what to allow."""
_KEYS = (
    *(".ssh", ".gnupg", ".aws", ".kube", ".password-store", ".docker/config.json", ".netrc"),
    *(
        ".git-credentials",
        ".pgpass",
        ".config/gh/hosts.yml",
        ".config/gcloud",
        ".pypirc",
        ".vault-token",
    ),
)
_KEPT_KEYS = names(
    """.npmrc .yarnrc.yml .cargo/credentials .cargo/credentials.toml .m2/settings.xml .gem/credentials .boto .s3cfg
    .azure .oci .databrickscfg .composer/auth.json .config/composer/auth.json .terraform.d .config/hub .config/op
    .huggingface .cache/huggingface/token .config/rclone .local/share/keyrings .electrum .bitcoin .mozilla .config/doctl
    .config/google-chrome .config/chromium library/keychains .claude/.credentials.json .codex/auth.json .config/heroku
    .gemini/oauth_creds.json .config/configstore .netlify .fly/config.yml .config/sops .config/age .age .my.cnf
    .config/github-copilot .local/share/fish/fish_history .python_history .psql_history .mysql_history .node_repl_history"""
)
"""Below the home folder: programs keep what they log in with there; they may write it, nobody may see it."""
_OPEN_KEYS = names(".ssh .kube .aws .gnupg .ssh/config .ssh/known_hosts .aws/config .config/gcloud")
"""Below the home folder: they hold no key themselves."""
_PERSISTENT = (
    *(
        "/etc/cron",
        "/var/spool/cron",
        "/etc/systemd",
        "/lib/systemd",
        "/etc/init",
        "/etc/rc",
        "/etc/ld.so",
    ),
    *("/etc/sudoers", "/etc/pam.d", "/library/launchdaemons", "/library/launchagents"),
)
_PERSISTENT_HOME = (
    "library/launchagents",
    ".config/systemd",
    ".config/autostart",
    ".local/share/systemd",
)
_STARTUP_SYSTEM = ("/etc/profile", "/etc/bash", "/etc/zsh", "/etc/environment")
_SYSTEM = (
    *(
        "/usr/bin",
        "/usr/lib",
        "/usr/sbin",
        "/bin/",
        "/sbin/",
        "/boot/",
        "/lib/",
        "/system/",
        "/etc/passwd",
    ),
    *(
        "/etc/shadow",
        "/etc/hosts",
        "/etc/ssh",
        "/etc/ssl",
        "/etc/fstab",
        "/etc/resolv.conf",
        "/proc/sysrq",
    ),
)
_RUNS_LATER = ("/pyvenv.cfg", "/sitecustomize.py", "/usercustomize.py", ".pth", "/.mcp.json")
_RUNS_LATER_HOME = names(
    ".gitconfig .npmrc .pypirc .config/git/config .config/pip/pip.conf .cargo/config.toml"
)
_SAFE_DEVICES = names("null stdout stderr stdin tty zero full random urandom fd shm pts tcp udp")


def protected(full: str, site: Site) -> Decision | None:
    """What writing to a file means; None for an ordinary one. Links are followed."""
    found = _protected(full, site)
    if has_marks(full) and (found is None or found.action != "deny"):
        near = (path for path in kept_files(site) if may_be(full, path) in ("same", "inside"))
        return next((_protected(path, site) for path in near), found)
    if found:
        return found
    real = site.real(full)
    if real != full:
        return _protected(real, site)
    if site.links(full) > 1:  # another name of the same file
        twins = (path for path in kept_files(site) if site.same(full, path))
        return next((_protected(path, site) for path in twins), None)
    return None


def kept_files(site: Site) -> Iterator[str]:
    """The files and folders that may neither be written nor removed, as far as their places are known."""
    yield from site.guarded
    for folder in dict.fromkeys((site.project, site.home)):
        yield from (f"{folder}/{name}" for name in _SETTINGS)
    yield from (f"{site.home}/{name}" for name in _STARTUP)
    yield f"{site.top(site.cwd) or site.project}/.git/hooks"


def holds_guard(full: str, site: Site) -> Decision | None:
    """What removing or moving a folder means that holds the guard's own files, or is one of them."""
    if has_marks(full):
        near = (path for path in site.guarded if may_be(full, path))
        return next((ruling("guard-files", path) for path in near), None)
    low = {full.lower(), site.real(full).lower()}
    for path in site.guarded:
        if any(inside(path.lower(), each) or inside(path.lower(), site.real(each)) for each in low):
            return ruling("guard-files", path)
    return None


def holds_git(full: str, run_cwd: str, site: Site) -> Decision | None:
    """What removing or moving means where wildcards reach git's history, or the project that holds it."""
    if site.git is False or not has_marks(full):
        return None
    for root in dict.fromkeys((site.project, site.top(run_cwd) or site.project)):
        lies = may_be(full, f"{root}/.git")
        if lies == "holds":
            return ruling("delete-project", full)
        if lies and not full.lower().endswith(".lock"):
            return ruling("delete-git", full)
    return None


def _protected(full: str, site: Site) -> Decision | None:
    low = full.lower()
    below = _below_home(low, site.home.lower())
    if low.startswith("/dev/"):
        return None if low[5:].partition("/")[0] in _SAFE_DEVICES else ruling("disk", full)
    if any(inside(low, path.lower()) for path in site.guarded) or _ends(low, _SETTINGS):
        return ruling("guard-files", full)
    if below in _STARTUP or low.startswith(_STARTUP_SYSTEM):
        return ruling("shell-startup", full)
    if "/.git/hooks/" in f"{low}/":
        return ruling("git-hooks", full)
    if below and any(inside(below, key) for key in _KEYS):
        return ruling("keys", full)
    if low.startswith(_PERSISTENT) or below.startswith(_PERSISTENT_HOME):
        return ruling("persistence", full)
    if low == "/" or low.startswith(_SYSTEM) or (low.count("/") == 2 and low.startswith("/usr/")):
        return ruling("system-files", full)
    if low.startswith(("/etc/", "/proc/", "/sys/", "/opt/", "/var/lib/")):
        return ruling("system-config", full)
    if "/.git/" in f"{low}/" and not low.endswith("/.git/info/exclude"):
        return ruling("git-files", full)
    if "/.claude/" in low or low.endswith(_RUNS_LATER) or below in _RUNS_LATER_HOME:
        return ruling("runs-later", full)
    return None


def _below_home(low: str, home: str) -> str:
    """The path below the user's home, or anybody else's; empty where it lies elsewhere."""
    if inside(low, home):
        return low[len(home) + 1 :]
    if low.startswith("/root/"):
        return low[6:]
    return low.split("/", 3)[-1] if low.startswith(("/home/", "/users/")) else ""


def _ends(low: str, tails: tuple[str, ...]) -> bool:
    return any(f"/{tail}/" in f"{low}/" for tail in tails)


_HINTS = (
    *(part.rpartition("/")[2] for part in _KEPT_KEYS),
    ".dev.vars",
    *(
        ".env",
        "key",
        "pem",
        "secret",
        "cred",
        "id_",
        ".ssh",
        "gnupg",
        ".aws",
        "kube",
        "netrc",
        "pgpass",
    ),
    *(
        "token",
        "tfstate",
        "p12",
        "pfx",
        "_history",
        "shadow",
        "hosts.yml",
        "pypirc",
        ".docker",
        "gcloud",
    ),
    *("environ", "password", "cookies", "login data"),
)
_NO_SECRETS = (
    *(
        ".pub",
        ".example",
        ".sample",
        ".template",
        ".dist",
        ".md",
        ".py",
        ".ts",
        ".js",
        ".go",
        ".rs",
        ".rb",
    ),
    *(
        ".java",
        ".tsx",
        ".jsx",
        ".c",
        ".h",
        ".cpp",
        ".cs",
        ".php",
        ".sh",
        ".css",
        ".html",
        ".test",
        ".defaults",
    ),
    *(".yml", ".yaml", ".tf", ".swift", ".kt", ".scala", ".sql", ".rst", ".txt", ".schema"),
)


def secret_level(full: str, site: Site) -> str:
    """``secrets`` for files whose purpose is to hold keys, ``secrets-likely`` where it may be, else empty."""
    level = _level(full.lower(), site)
    if level or has_marks(full):
        return level
    real = site.real(full)
    return _level(real.lower(), site) if real != full else ""


def _level(low: str, site: Site) -> str:
    if not any(hint in low for hint in _HINTS):
        return ""
    name = low.rpartition("/")[2]
    home = site.home.lower()
    below = low[len(home) + 1 :] if inside(low, home) else ""
    if low in ("/etc/shadow", "/etc/gshadow", "/etc/sudoers") or name in (
        ".bash_history",
        ".zsh_history",
    ):
        return "secrets"
    if low.startswith("/proc/") and name == "environ":
        return "secrets"
    if below and any(inside(below, key) for key in _KEYS):
        return "" if below in _OPEN_KEYS or name.endswith(".pub") else "secrets"
    if below and any(inside(below, key) for key in _KEPT_KEYS):
        return "secrets"
    if name.endswith(_NO_SECRETS):
        return ""
    if "/.ssh/" in low or name in ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"):
        return "" if name in ("config", "known_hosts") else "secrets"
    if name in (".env", ".dev.vars") or name.startswith(".env."):
        return "secrets"
    from guildmoot.guard.egress import admit

    likely = admit(low.lstrip("/")) and "/.git/" not in low
    return (
        "secrets-likely"
        if likely and not name.endswith((".npmrc", ".pem", ".tfvars", ".envrc"))
        else ""
    )
