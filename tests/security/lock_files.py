"""Changes to lock files, one a row: the file, before, after, and the code of what is found; empty when it is sane.

``None`` for the code means that the new text is no lock file, so that it is judged like any other.
"""

from __future__ import annotations

import json

_A, _B = "a" * 86 + "==", "b" * 86 + "=="
_HEX, _HEX2 = "ab" * 32, "cd" * 32


def npm(version: str, digest: str = _A, url: str = "", name: str = "lodash", **more: object) -> str:
    """A package-lock.json with one package."""
    resolved = url or f"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz"
    entry = {"version": version, "resolved": resolved, "integrity": f"sha512-{digest}", **more}
    return json.dumps({"lockfileVersion": 3, "packages": {"node_modules/lodash": entry}})


def npm_1(version: str, digest: str, name: str = "lodash", inside: str = "") -> str:
    """A package-lock.json of npm 5 and 6, with one package, perhaps inside another."""
    url = f"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz"
    entry: object = {"version": version, "resolved": url, "integrity": f"sha512-{digest}"}
    packages = {"lodash": entry}
    if inside:
        packages = {inside: {"version": "1.0.0", "dependencies": packages}}
    return json.dumps({"lockfileVersion": 1, "dependencies": packages})


def yarn(version: str, digest: str = _A, host: str = "registry.yarnpkg.com") -> str:
    """A yarn.lock with one package."""
    url = f"https://{host}/lodash/-/lodash-{version}.tgz#{'0' * 40}"
    lines = (f'version "{version}"', f'resolved "{url}"', f"integrity sha512-{digest}")
    return "# yarn lockfile v1\n\n\nlodash@^4.17.20:\n" + "".join(f"  {line}\n" for line in lines)


def pnpm(version: str, digest: str = _A, more: str = "") -> str:
    """A pnpm-lock.yaml with one package."""
    inner = f"{{integrity: sha512-{digest}{more}}}"
    return f"lockfileVersion: '9.0'\n\npackages:\n\n  lodash@{version}:\n    resolution: {inner}\n"


def toml(version: str, digest: str = _HEX, source: str = "") -> str:
    """A poetry.lock, uv.lock or Cargo.lock with one package."""
    head = f'version = 1\n[[package]]\nname = "rack"\nversion = "{version}"\n{source}'
    return f'{head}checksum = "{digest}"\n'


def uv(
    version: str, digest: str = _HEX, source: str = 'registry = "https://pypi.org/simple"'
) -> str:
    """A uv.lock with one package."""
    url = f"https://files.pythonhosted.org/packages/aa/bb/{digest}/six-{version}.tar.gz"
    head = (
        f'version = 1\n[[package]]\nname = "six"\nversion = "{version}"\nsource = {{ {source} }}\n'
    )
    return f'{head}sdist = {{ url = "{url}", hash = "sha256:{digest}" }}\n'


def go(version: str, digest: str = "A" * 43 + "=") -> str:
    """A go.sum with one module."""
    return f"example.com/m {version} h1:{digest}\nexample.com/m {version}/go.mod h1:{'C' * 43}=\n"


def gems(version: str, remote: str = "https://rubygems.org/") -> str:
    """A Gemfile.lock with one gem."""
    return f"GEM\n  remote: {remote}\n  specs:\n    rack ({version})\n\nDEPENDENCIES\n  rack\n"


def composer(version: str, repository: str = "symfony/yaml", digest: str = "ab" * 20) -> str:
    """A composer.lock with one package."""
    dist = {"type": "zip", "url": f"https://api.github.com/repos/{repository}/zipball/{digest}"}
    package = {
        "name": "symfony/yaml",
        "version": version,
        "dist": dist,
        "homepage": f"https://{version}.example",
    }
    return json.dumps({"packages": [package], "content-hash": digest[:32]})


_BERRY = (
    '__metadata:\n  version: 8\n\n"lodash@npm:^4.17.20":\n  version: {0}\n  resolution: "{1}"\n'
    "  checksum: {2}\n  languageName: node\n  linkType: hard\n"
)
_PIPFILE = (
    '{"_meta": {"hash": {"sha256": "x"}, "pipfile-spec": 6, "requires": {}, "sources": [{"name": "pypi",'
    ' "url": "https://pypi.org/simple", "verify_ssl": true}]}, "default": {"six": {"hashes": ["sha256:%s"],'
    ' "version": "==1.%s"}}, "develop": {}}'
)
_CRATE = 'source = "registry+https://github.com/rust-lang/crates.io-index"\n'


def berry(version: str, resolution: str = "lodash@npm:{}", digest: str = "ab" * 64) -> str:
    """A yarn.lock of yarn 2 and later with one package."""
    return _BERRY.format(version, resolution.format(version), digest)


def poetry(version: str, digest: str = _HEX, source: str = "") -> str:
    """A poetry.lock with one package."""
    files = f'files = [\n    {{file = "six-{version}.tar.gz", hash = "sha256:{digest}"}},\n]\n'
    head = f'[[package]]\nname = "six"\nversion = "{version}"\noptional = false\n{files}{source}'
    return f'{head}\n[metadata]\nlock-version = "2.0"\ncontent-hash = "{digest}"\n'


def pipfile(digest: str, minor: str, was: str = "", now: str = "") -> str:
    """A Pipfile.lock with one package, and one text exchanged."""
    return (_PIPFILE % (digest, minor)).replace(was, now)


def loading(version: str, digest: str, files: list[str]) -> str:
    """A composer.lock whose package loads files."""
    document = json.loads(composer(version, digest=digest))
    document["packages"][0]["autoload"] = {
        "psr-4": {"Yaml": ""},
        **({"files": files} if files else {}),
    }
    return json.dumps(document)


def terraform(
    version: str, name: str = "registry.terraform.io/hashicorp/aws", mark: str = "a"
) -> str:
    """A .terraform.lock.hcl with one provider."""
    hashes = f'  hashes = [\n    "h1:{mark * 43}=",\n    "zh:{_HEX}",\n  ]\n'
    head = '# This file is maintained automatically by "terraform init".\n\n'
    return f'{head}provider "{name}" {{\n  version     = "{version}"\n  constraints = ">= 4.0.0"\n{hashes}}}\n'


def nuget(version: str, digest: str = _A) -> str:
    """A packages.lock.json with one package."""
    entry = {
        "type": "Direct",
        "requested": "[13.0.1, )",
        "resolved": version,
        "contentHash": digest,
    }
    return json.dumps({"version": 1, "dependencies": {"net6.0": {"Newtonsoft.Json": entry}}})


def deno(digest: str, version: str = "0.1.0") -> str:
    """A deno.lock with one remote module."""
    return json.dumps(
        {"version": "4", "remote": {f"https://deno.land/x/a@{version}/mod.ts": digest}}
    )


_DEP = '{:dep, "~> 1.0 or >= 2.0", [hex: :dep, repo: "hexpm", optional: true]}'


def mix(version: str, inner: str = _DEP) -> str:
    """A mix.lock with one package."""
    return f'%{{\n  "jason": {{:hex, :jason, "{version}", "{_HEX}", [:mix], [{inner}], "hexpm", "{_HEX2}"}},\n}}\n'


def pub(version: str, source: str = "hosted") -> str:
    """A pubspec.lock with one package."""
    inner = f'    description:\n      name: path\n      sha256: "{_HEX}"\n      url: "https://pub.dev"\n'
    return f'packages:\n  path:\n    dependency: main\n{inner}    source: {source}\n    version: "{version}"\n'


def bun(version: str, name: str = "lodash", digest: str = _A) -> str:
    """A bun.lock with one package."""
    entry = [f"{name}@{version}", "", {}, f"sha512-{digest}"]
    return json.dumps({"lockfileVersion": 1, "packages": {"lodash": entry}})


LOCKS: tuple[tuple[str, str | None, str, str | None], ...] = (
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", _B), ""),
    ("package-lock.json", npm_1("4.17.20", _A), npm_1("4.17.21", _B), ""),
    ("package-lock.json", npm_1("4.17.20", _A, inside="a"), npm_1("4.17.21", _B, inside="a"), ""),
    ("package-lock.json", npm_1("4.17.20", _A), npm_1("4.17.21", _B, "lodahs"), "lock-moved"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.20", _B), "lock-hash"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", url="https://evil.example/l.tgz"), "lock-host"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", url="http://registry.npmjs.org/l.tgz"), "lock-insecure"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", url="git+ssh://git@github.com/e/l.git#0"), "lock-git lock-source"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", url="git+https://github.com/e/l.git#0"), "lock-git lock-source"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", url="github:e/l#0"), "lock-git lock-source"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", url="file:../l.tgz"), "lock-local lock-source"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", name="lodahs"), "lock-moved"),
    ("package-lock.json", None, npm("4.17.21", name="lodahs"), "lock-alias"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", _B, hasInstallScript=True), "lock-script"),
    ("package-lock.json", npm("4.17.20"), "require('child_process').exec('x')\n", None),
    ("package-lock.json", npm("4.17.20"), '{"evil": "code", "packages": {}}', None),
    ("sub/npm-shrinkwrap.json", npm("4.17.20"), npm("4.17.21", _B), ""),
    ("yarn.lock", yarn("4.17.20"), yarn("4.17.21", _B), ""),
    ("yarn.lock", yarn("4.17.20"), yarn("4.17.20", _B), "lock-hash"),
    ("yarn.lock", yarn("4.17.20"), yarn("4.17.21", host="evil.example"), "lock-host"),
    ("yarn.lock", yarn("4.17.20"), "def allowed(user):\n    return True\n", None),
    ("pnpm-lock.yaml", pnpm("4.17.20"), pnpm("4.17.21", _B), ""),
    ("pnpm-lock.yaml", pnpm("4.17.20"), pnpm("4.17.20", _B), "lock-hash"),
    ("pnpm-lock.yaml", pnpm("4.17.20"), pnpm("4.17.21", _B, ", tarball: https://evil.example/l.tgz"), "lock-host"),
    ("Cargo.lock", toml("1.0.0"), toml("1.0.1", _HEX2), ""),
    ("Cargo.lock", toml("1.0.0"), toml("1.0.0", _HEX2), "lock-hash"),
    ("Cargo.lock", toml("1.0.0"), toml("1.0.1", source='source = "git+https://github.com/e/rack"\n'), "lock-git lock-source"),
    ("uv.lock", uv("1.16.0"), uv("1.17.0", _HEX2), ""),
    ("uv.lock", uv("1.16.0"), uv("1.16.0", _HEX2), "lock-hash"),
    ("uv.lock", uv("1.16.0"), uv("1.17.0", source='git = "https://github.com/e/six"'), "lock-git lock-source"),
    ("uv.lock", uv("1.16.0"), uv("1.17.0", source='registry = "https://evil.example/simple"'), "lock-host"),
    ("uv.lock", uv("1.16.0"), uv("1.17.0", source='path = "../six.whl"'), "lock-local lock-source"),
    ("go.sum", go("v1.0.0"), go("v1.0.0") + go("v1.1.0", "B" * 43 + "="), ""),
    ("go.sum", go("v1.0.0"), go("v1.0.0", "B" * 43 + "="), "lock-hash"),
    ("go.sum", go("v1.0.0"), "package main\n", None),
    ("Gemfile.lock", gems("2.2.3"), gems("2.2.4"), ""),
    ("Gemfile.lock", gems("2.2.3"), gems("2.2.4", "https://evil.example/"), "lock-host"),
    ("Gemfile.lock", gems("2.2.3"), "system('x')\n", None),
    ("composer.lock", composer("6.0"), composer("6.1", digest="cd" * 20), ""),
    ("composer.lock", composer("6.0"), composer("6.1", "evil/yaml"), "lock-moved"),
    ("composer.lock", loading("6.0", "ab" * 20, []), loading("6.0", "ab" * 20, ["x.php"]), "lock-script"),
    ("yarn.lock", berry("4.17.20"), berry("4.17.21", digest="cd" * 64), ""),
    ("yarn.lock", berry("4.17.20"), berry("4.17.20", digest="cd" * 64), "lock-hash"),
    ("yarn.lock", berry("4.17.20"), berry("4.17.21").replace("checksum: " + "ab" * 64, "conditions: os=darwin"), ""),
    ("yarn.lock", berry("4.17.20"), berry("4.17.20", "lodash@npm:{}::__archiveUrl=https%3A%2F%2Fevil.example%2Fl.tgz"), "lock-host"),
    ("yarn.lock", berry("4.17.20"), berry("4.17.20", "evil@npm:{}"), "lock-alias"),
    ("yarn.lock", berry("4.17.20"), berry("4.17.20", "lodash@patch:lodash@npm%3A{}#./x.patch"), "lock-patch"),
    ("pnpm-lock.yaml", pnpm("4.17.20"), pnpm("4.17.20") + "\npatchedDependencies:\n  lodash:\n    path: x.patch\n", "lock-patch"),
    ("poetry.lock", poetry("1.16.0"), poetry("1.17.0", _HEX2), ""),
    ("poetry.lock", poetry("1.16.0"), poetry("1.16.0", _HEX2), "lock-hash"),
    ("poetry.lock", poetry("1.16.0"), poetry("1.16.0", source='[package.source]\ntype = "directory"\nurl = "x"\n'), "lock-local lock-source"),
    ("uv.lock", uv("1.16.0"), uv("1.16.0", source='editable = "x"'), "lock-local lock-source"),
    ("Cargo.lock", toml("1.0.0", source=_CRATE), toml("1.0.1", _HEX2, _CRATE), ""),
    ("Cargo.lock", toml("1.0.0", source=_CRATE) + toml("1.4.0", _HEX2, _CRATE)[12:], toml("1.0.0", source=_CRATE), ""),  # one of two is gone
    ("Cargo.lock", toml("1.4.0", source=_CRATE), toml("1.0.0", _HEX2, _CRATE), "lock-downgrade"),
    ("Cargo.lock", toml("1.0.0", source=_CRATE), toml("1.0.0"), "lock-source"),
    ("Pipfile.lock", pipfile(_HEX, "16.0"), pipfile(_HEX2, "17.0"), ""),
    ("Pipfile.lock", pipfile(_HEX, "16.0"), pipfile(_HEX, "16.0", "true", "false"), "lock-insecure"),
    ("Pipfile.lock", pipfile(_HEX, "16.0"), pipfile(_HEX, "16.0", '"hashes"', '"editable": true, "path": "./x", "hashes"'), "lock-source"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.21", integrity=""), "lock-unhashed"),
    ("package-lock.json", npm("4.17.20"), npm("1.0.0", _B), "lock-downgrade"),
    ("package-lock.json", npm("4.17.20"), npm("4.17.20", _B, dev=True), "lock-hash"),
    (".terraform.lock.hcl", terraform("4.1.0"), terraform("4.2.0", mark="b"), ""),
    (".terraform.lock.hcl", terraform("4.1.0"), terraform("4.1.0", mark="b"), "lock-hash"),
    (".terraform.lock.hcl", terraform("4.1.0"), terraform("4.1.0", "evil.example/hashicorp/aws"), "lock-host"),
    ("packages.lock.json", nuget("13.0.1"), nuget("13.0.2", _B), ""),
    ("packages.lock.json", nuget("13.0.1"), nuget("13.0.1", _B), "lock-hash"),
    ("deno.lock", deno(_HEX), deno(_HEX2, "0.2.0"), ""),
    ("deno.lock", deno(_HEX), deno(_HEX2), "lock-hash"),
    ("mix.lock", mix("1.4.0"), mix("1.4.1"), ""),
    ("mix.lock", mix("1.4.0"), mix("1.4.1", 'System.cmd("sh", ["-c", "id"])'), None),
    ("mix.lock", mix("1.4.0"), mix("1.4.1", '"#{exit}"'), None),
    ("mix.lock", mix("1.4.0"), mix("1.4.1", "exit :x"), None),
    ("Gemfile.lock", gems("2.2.3"), gems("2.2.3") + "\nPATH\n  remote: .\n  specs:\n    mine (1.0)\n", ""),
    ("Gemfile.lock", gems("2.2.3"), gems("2.2.3") + "\nPATH\n  remote: x\n  specs:\n    rake (1.0)\n", "lock-local"),
    ("Gemfile.lock", gems("2.2.3"), gems("2.2.3") + "\nPLUGIN SOURCE\n  remote: https://rubygems.org/\n  type: x\n", "lock-script"),
    ("pubspec.lock", pub("1.8.0"), pub("1.8.1").replace(_HEX, _HEX2), ""),
    ("pubspec.lock", pub("1.8.0"), pub("1.8.0", "path"), "lock-source"),
    ("bun.lock", bun("4.17.20"), bun("4.17.21", digest=_B), ""),
    ("bun.lock", bun("4.17.20"), bun("4.17.20", "evil"), "lock-alias"),
    ("uv.lock", uv("1.16.0"), uv("1.16.0").replace("https://files.pythonhosted.org/packages/", "x/"), "lock-local lock-source"),
    ("Cargo.lock", toml("1.0.0"), toml("1.0.0").replace("checksum", "#"), "lock-unhashed"),
    ("go.sum", go("v1.0.0"), go("v1.0.0") + go("v1.0.0", "B" * 43 + "="), "lock-hash"),
)  # fmt: skip
