"""Key files are known by name, whatever their case, and code that only sounds like one is not."""

from __future__ import annotations

import pytest

from guildmoot.guard.egress import admit


@pytest.mark.parametrize(
    "path",
    [
        ".env", "app/.env.production", "prod.env", "server.pem", "tls/Server.KEY", "a.p12", "a.pfx",
        "a.jks", "a.keystore", "vault.kdbx", "id_rsa", "keys/id_ed25519", "id_work", "id_rsa.bak",
        ".netrc", ".pgpass", ".npmrc", ".pypirc", ".aws/credentials", "home/.aws/config",
        ".docker/config.json", "x/.docker/config.json", "application_default_credentials.json",
        "service-account-prod.json", "kubeconfig", ".kube/config", "terraform.tfstate",
        "prod.tfvars", ".git-credentials", ".htpasswd", "secrets.yml", "config/secrets.yaml",
        ".ssh/config", ".git/config", "credentials.json", "ID_RSA", ".ENV",
    ],
)  # fmt: skip
def test_key_files_never_leave(path):
    assert admit(path) == "key-file"


@pytest.mark.parametrize(
    "path",
    [
        ".env.example", ".env.sample", ".env.template", "id_generator.py", "id_rsa.pub", "id_map.json",
        "keys.py", "environment.py", "env.py", "tokens/secret_manager.py", "monkey.key.md", "pem.py",
        "src/credentials.py", "secrets.py", "docs/kubeconfig.md", "id_rsa_test.go", "config.json",
        "main.tf", ".gitignore",
    ],
)  # fmt: skip
def test_other_files_are_admitted(path):
    assert admit(path) is None
