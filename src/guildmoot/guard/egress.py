"""Which files never leave the machine, whatever was asked: those whose purpose is to hold keys.

The decision is by name alone, so it can be taken before anything is read. Secrets inside other
files are for ``guard.secrets``.
"""

from __future__ import annotations

from functools import lru_cache

from guildmoot.text.globs import matches

KEY_FILE = "key-file"

# Lower case: names are compared without regard to case, as some file systems do.
_KEY_FILES = (
    ".env", ".env.*", "*.env", ".envrc",
    "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.kdbx",
    "*.ppk", "*.gpg", "*.ovpn", "*.tfstate", "*.tfstate.*", "*.tfvars", "*.tfvars.json",
    ".netrc", "_netrc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".npmrc", ".pypirc", ".htpasswd",
    ".git-credentials", ".dockercfg", ".s3cfg", ".boto", ".vault-token", ".terraformrc",
    "kubeconfig", "kubeconfig.yml", "kubeconfig.yaml", "*.kubeconfig", "credentials.json",
    "application_default_credentials.json", "service-account*.json", "service_account*.json",
    "serviceaccount*.json", "client_secret*.json",
    "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.ini",
    "**/.aws/credentials", "**/.aws/config", "**/.kube/config", "**/.docker/config.json",
    "**/.azure/accesstokens.json", "**/.config/gcloud/", "**/.config/gh/hosts.yml",
    ".ssh/", ".gnupg/", ".git/",
)  # fmt: skip

_TEMPLATES = (
    ".env.example", ".env.*.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults",
    "example.env", "sample.env", "template.env", "*.tfvars.example",
)  # fmt: skip

_SSH_KEYS = ("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "identity")


@lru_cache(maxsize=65_536)
def admit(path: str) -> str | None:
    """None when the file may be shown to judges, else the reason why it never is.

    Templates such as ``.env.example`` are admitted; what they hold is still masked.
    """
    low = path.lower()
    if matches(low, _TEMPLATES):
        return None
    return KEY_FILE if matches(low, _KEY_FILES) or _is_ssh_key(low) else None


def _is_ssh_key(low: str) -> bool:
    """``id_rsa``, ``id_work``: no suffix. ``id_generator.py`` is code, ``id_rsa.pub`` is public."""
    name = low.rpartition("/")[2]
    if name.endswith(".pub"):
        return False
    return (matches(name, _SSH_KEYS) and not _is_code(name)) or (
        name.startswith("id_") and "." not in name
    )


def _is_code(name: str) -> bool:
    return name.endswith(
        (".py", ".js", ".ts", ".go", ".rs", ".rb", ".java", ".c", ".h", ".sh", ".md")
    )
