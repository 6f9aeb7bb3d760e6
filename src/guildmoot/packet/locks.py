"""What a change does to a lock file, told by comparing it with the base's: nobody reads those line by line.

Where packages come from, and whether a hash changed under the same version. A file that has the name of a
lock file but not its form is no lock file: it is judged like any other text.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from guildmoot.model.packet import FileCheck
from guildmoot.text.globs import matches

Groups = dict[str, list[tuple[str, str]]]
"""Each package, or part of one, with its keys and values."""

PUBLIC = frozenset(
    (
        *("registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io", "jsr.io", "deno.land"),
        *("pypi.org", "files.pythonhosted.org", "conda.anaconda.org", "rubygems.org", "hex.pm"),
        *("index.crates.io", "static.crates.io", "crates.io", "pub.dev", "pub.dartlang.org"),
        *("packagist.org", "repo.packagist.org", "proxy.golang.org", "sum.golang.org"),
        *("registry.terraform.io", "registry.opentofu.org", "api.nuget.org", "repo.hex.pm"),
        *("cdn.cocoapods.org", "trunk.cocoapods.org"),
    )
)
"""The registries that everybody uses."""

_URL = re.compile(
    r"(?:[a-z][a-z0-9.-]*\+)?[a-z][a-z0-9.]*://[^\s\"'<>,)\]}]+|git@[\w.-]+:[^\s\"',]+",
    re.IGNORECASE,
)
_LOCAL = re.compile(r"(?:file|link|portal|path|exec):", re.IGNORECASE)
_SHORT = re.compile(r"(?:github|gitlab|bitbucket|gist):\w", re.IGNORECASE)
_HASH = re.compile(
    r"(?:sha\d+[-:]|h1:|zh:|md5:)[A-Za-z0-9+/=_-]{16,}|\b[0-9a-f]{32,128}\b"
    r"|(?<![\w/.+])[A-Za-z0-9+/]{40,}={1,2}"
)
_ASIDE = frozenset(
    (
        *("homepage", "funding", "support", "docs", "issues", "email", "chat", "forum", "wiki"),
        *("rss", "notification-url", "license", "_readme", "deprecated", "description", "authors"),
        *("security", "url-template", "info"),
    )
)
_CRATES = "github.com/rust-lang/crates.io-index"


class LockKind(NamedTuple):
    """One kind of lock file."""

    manifest: str
    read: Callable[[str], Groups | None]
    """None for a text that has not the form."""


def check_lock(path: str, before: str | None, after: str, *, asked: bool) -> FileCheck | None:
    """What speaks against the new state of a lock file; None when it is none.

    ``asked`` tells that the file in which people name their dependencies changed too.
    """
    kind = LOCKS[path.rpartition("/")[2]]
    new = kind.read(after)
    old = kind.read(before) if before is not None else {}
    if new is None or old is None:
        return None
    found = [*_sources(old, new, asked), *_hashes(old, new), *_scripts(old, new)]
    if before is not None and not asked:
        found.append(("lock-alone", "INFO", f"it changed, and {kind.manifest} did not"))
    hosts = sorted({host for _, _, url in _urls(new) if (host := _host(url))})
    strange = [] if before is not None else [host for host in hosts if host not in PUBLIC]
    told = f"{len(new)} entries; packages come from {', '.join(hosts[:6]) or 'no address'}"
    doubt = f"it is new, and whether {', '.join(strange[:6])} may be used nobody can tell from it"
    return FileCheck(path, told, tuple(dict.fromkeys(found)), doubt if strange else "")


Found = tuple[str, str, str]
"""Code, ERROR, WARNING or INFO, and the sentence."""


def _sources(old: Groups, new: Groups, asked: bool) -> Iterator[Found]:
    """Addresses that the base did not have: another host, another place, git, plain http, a folder."""
    known = {url for _, _, url in _urls(old)}
    hosts = {_host(url) for url in known}
    places = {(_unversioned(group), key): _shape(url) for group, key, url in _urls(old)}
    for group, key, url in _urls(new):
        if url in known:
            continue
        host, who = _host(url), _short(group)
        code, level, words = _doubt(url, host, key, "WARNING" if asked else "ERROR")
        if not code and old and host not in hosts | PUBLIC:
            code, level, words = "lock-host", "ERROR", f"from {host}, which the base does not use"
        if not code and places.get((_unversioned(group), key), _shape(url)) != _shape(url):
            code, level, words = "lock-moved", "ERROR", f"from another place at {host} than before"
        if not code and not _is_own_address(group, key, url, new):
            code, level, words = "lock-alias", "ERROR", f"under another name from {host}"
        if code:
            yield code, level, f"{who} comes {words}"


def _doubt(url: str, host: str, key: str, level: str) -> Found:
    """What is wrong with an address by itself."""
    if _LOCAL.match(url):
        return "lock-local", level, "from a folder or file, not from a registry"
    if key == "git" or url.startswith(("git", "ssh")) or _SHORT.match(url) or "+ssh:" in url:
        return "lock-git", level, f"from a git repository at {host or 'a hosting service'}"
    if not url.startswith(("https:", "registry+https:", "sparse+https:")):
        return "lock-insecure", "ERROR", f"from {host} without encryption"
    return "", "", ""


def _hashes(old: Groups, new: Groups) -> Iterator[Found]:
    """The same package in the same version, with another hash."""
    for group, leaves in new.items():
        before = old.get(group) if group and not group.startswith(("metadata", "_meta")) else None
        if (
            before is None
            or "branch" in dict(leaves)
            or [_plain(leaf) for leaf in before] != [_plain(leaf) for leaf in leaves]
        ):
            continue
        was, now = ({h for _, v in side for h in _HASH.findall(v)} for side in (before, leaves))
        if was != now and not (was and was < now):
            yield "lock-hash", "ERROR", f"the hash of {_short(group)} changed, its version did not"


def _scripts(old: Groups, new: Groups) -> Iterator[Found]:
    for group, leaves in new.items():
        runs = ("hasInstallScript", "True") in leaves or ("requiresBuild", "true") in leaves
        if runs and not {("hasInstallScript", "True"), ("requiresBuild", "true")} & {
            *old.get(group, ())
        }:
            yield "lock-script", "WARNING", f"{_short(group)} runs a program when it is installed"


def _unversioned(group: str) -> str:
    return re.sub(r"[ @]v?\d[\w.+-]*(?= > |$)", "", group)


def _plain(leaf: tuple[str, str]) -> tuple[str, str]:
    return leaf[0], "#" if _HASH.search(leaf[1]) else leaf[1]


def _urls(groups: Groups) -> Iterator[tuple[str, str, str]]:
    for group, leaves in groups.items():
        if _ASIDE & {*group.split(" > ")}:
            continue
        for key, value in leaves:
            if key in _ASIDE:
                continue
            found = _URL.findall(value)
            if not found and (_LOCAL.match(value) or _SHORT.match(value)):
                found = [value]
            elif key in ("path", "owner", "repo") and group.endswith(("source", "locked")):
                found = [f"{key}:{value}" if key == "path" else f"https://{value}.{key}/"]
            yield from ((group, key, url) for url in found if _CRATES not in url)


def _host(url: str) -> str:
    if url.lower().startswith("git@"):
        return url[4:].partition(":")[0].lower()
    try:
        return (urlsplit(url.rpartition("+")[2] if "+" in url[:12] else url).hostname or "").lower()
    except ValueError:
        return "an address that cannot be read"


def _shape(url: str) -> str:
    """The address without what a new version changes."""
    bare = url.partition("#")[0].partition("?")[0]
    return re.sub(r"[0-9a-f]{8,}|(?<=/)[0-9a-f]{2}(?=/)|v?\d[\w.+-]*", "#", bare)


def _is_own_address(group: str, key: str, url: str, groups: Groups) -> bool:
    """Whether the registry's address names the package that it is for; only npm's is clear enough."""
    if key != "resolved" or "/-/" not in url or "node_modules/" not in group:
        return True
    named = dict(groups[group]).get("name") or group.rpartition("node_modules/")[2]
    return f"/{named}/-/" in url.replace("%2f", "/").replace("%2F", "/")


def _short(group: str) -> str:
    return (group.rpartition("node_modules/")[2] or group).rpartition(" > ")[2][:80]


# --- forms ----------------------------------------------------------------------------------------


def _tree(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Every table of a JSON or TOML document with its own values; tables in a list go by their name."""
    if isinstance(value, dict):
        leaves = [(str(k), str(v)) for k, v in value.items() if not isinstance(v, dict | list)]
        lists = [
            (str(k), str(each))
            for k, v in value.items()
            if isinstance(v, list)
            for each in v
            if not isinstance(each, dict | list)
        ]
        if leaves or lists:
            yield " > ".join(path), [*leaves, *lists]
        for key, inner in value.items():
            yield from _tree(inner, (*path, str(key)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            if isinstance(inner, dict | list):
                yield from _tree(inner, (*path, _name(inner, number)))


def _name(item: object, number: int) -> str:
    if isinstance(item, dict):
        for key in ("name", "file", "url", "identity", "package"):
            if isinstance(item.get(key), str):
                return f"{item[key]} {item.get('version', '')}".strip()
    if isinstance(item, list) and item and isinstance(item[0], str):
        return item[0]
    return str(number)


def _document(load: Callable[[str], Any], keys: str) -> Callable[[str], Groups | None]:
    """A reader for documents of which all uppermost keys are known; ``*`` knows any table."""
    known = {*keys.split()}

    def read(text: str) -> Groups | None:
        try:
            found = load(text)
            if not isinstance(found, dict) or not found:
                return None
            tables = {key for key, value in found.items() if isinstance(value, dict)}
            strange = found.keys() - known - (tables if "*" in known else set())
            return None if strange else dict(_tree(found))
        except (ValueError, RecursionError):
            return None

    return read


def _lines(*shapes: str) -> Callable[[str], Groups | None]:
    """A reader for files of one entry a line."""
    line = re.compile("|".join(f"(?:{shape})" for shape in shapes))

    def read(text: str) -> Groups | None:
        groups: Groups = {}
        for each in filter(str.strip, text.splitlines()):
            if not line.fullmatch(each):
                return None
            groups.setdefault(_HASH.sub("#", each).strip(), []).append(("", each))
        return groups or None

    return read


def _indented(heads: str, inner: str = r"\s+\S.*|[-}\])].*") -> Callable[[str], Groups | None]:
    """A reader for files whose entries are indented below their heads, which have a form of their own."""
    head, below = re.compile(heads), re.compile(inner)

    def read(text: str) -> Groups | None:
        groups: Groups = {}
        stack: list[tuple[int, str]] = []
        for each in text.splitlines():
            bare = each.strip()
            if not bare or bare.startswith("#") or bare in ("---", "{", "}", "]"):
                continue
            if not (below if each[0] in " \t-}])" else head).fullmatch(each):
                return None
            depth = len(each) - len(each.lstrip())
            while stack and stack[-1][0] >= depth:
                stack.pop()
            key, _, value = bare.lstrip("- ").partition(" ")
            groups.setdefault(" > ".join(name for _, name in stack), []).append(
                (key.strip(":\"'"), value)
            )
            stack.append((depth, bare.rstrip(":{ ").strip("\"'")))
        return groups or None

    return read


def _loose_json(text: str) -> object:
    """JSON with commas before closing brackets, as bun writes it."""
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))


_NPM = _document(json.loads, "name version lockfileVersion requires packages dependencies")
_GO = _lines(r"\S+ v\S+ h1:[A-Za-z0-9+/=]+")
LOCKS: Mapping[str, LockKind] = {
    "package-lock.json": LockKind("package.json", _NPM),
    "npm-shrinkwrap.json": LockKind("package.json", _NPM),
    "yarn.lock": LockKind("package.json", _indented(r"\"?@?[\w./-]+@.+:|__metadata:")),
    "pnpm-lock.yaml": LockKind(
        "package.json",
        _indented(
            r"(?:lockfileVersion|settings|importers|packages|snapshots|overrides|patchedDependencies|catalogs"
            r"|(?:dev|optional)?[dD]ependencies|specifiers|packageExtensionsChecksum|pnpmfileChecksum"
            r"|ignoredOptionalDependencies|time|neverBuiltDependencies|onlyBuiltDependencies):.*"
        ),
    ),
    "bun.lock": LockKind(
        "package.json",
        _document(
            _loose_json,
            "lockfileVersion configVersion workspaces packages overrides patchedDependencies"
            " trustedDependencies catalog catalogs",
        ),
    ),
    "deno.lock": LockKind(
        "deno.json",
        _document(json.loads, "version specifiers jsr npm redirects remote workspace packages"),
    ),
    "poetry.lock": LockKind("pyproject.toml", _document(tomllib.loads, "package metadata extras")),
    "pdm.lock": LockKind("pyproject.toml", _document(tomllib.loads, "package metadata")),
    "uv.lock": LockKind(
        "pyproject.toml",
        _document(
            tomllib.loads,
            "version revision requires-python resolution-markers supported-markers"
            " required-markers conflicts options manifest package",
        ),
    ),
    "Pipfile.lock": LockKind("Pipfile", _document(json.loads, "_meta default develop *")),
    "conda-lock.yml": LockKind("environment.yml", _indented(r"(?:version|metadata|package):.*")),
    "Cargo.lock": LockKind(
        "Cargo.toml", _document(tomllib.loads, "version package metadata patch root")
    ),
    "composer.lock": LockKind(
        "composer.json",
        _document(
            json.loads,
            "_readme hash content-hash packages packages-dev aliases minimum-stability stability-flags"
            " prefer-stable prefer-lowest platform platform-dev platform-overrides plugin-api-version",
        ),
    ),
    "Gemfile.lock": LockKind(
        "Gemfile",
        _indented(
            r"GEM|GIT|PATH|PLATFORMS|DEPENDENCIES|CHECKSUMS|BUNDLED WITH|RUBY VERSION|PLUGIN SOURCE"
        ),
    ),
    "Podfile.lock": LockKind(
        "Podfile",
        _indented(
            r"(?:PODS|DEPENDENCIES|SPEC REPOS|SPEC CHECKSUMS|EXTERNAL SOURCES|CHECKOUT OPTIONS"
            r"|PODFILE CHECKSUM|COCOAPODS):.*"
        ),
    ),
    "Package.resolved": LockKind(
        "Package.swift", _document(json.loads, "pins version object originHash")
    ),
    "go.sum": LockKind("go.mod", _GO),
    "go.work.sum": LockKind("go.work", _GO),
    "mix.lock": LockKind("mix.exs", _lines(r"%\{|\}", r"\s+\"\w+\": \{:(?:hex|git|path),.*\},?")),
    "rebar.lock": LockKind(
        "rebar.config", _lines(r"[{\[(].{0,200}|[\]})].{0,20}|\s+\{.*", r"\{\"[\d.]+\",")
    ),
    "pubspec.lock": LockKind("pubspec.yaml", _indented(r"(?:packages|sdks):")),
    "flake.lock": LockKind("flake.nix", _document(json.loads, "nodes root version")),
    "packages.lock.json": LockKind("*.csproj", _document(json.loads, "version dependencies")),
    "gradle.lockfile": LockKind(
        "build.gradle", _lines(r"#.*", r"[\w.-]+:[\w.-]+:[\w.+-]+=[\w,]+", r"empty=[\w,]*")
    ),
    ".terraform.lock.hcl": LockKind("main.tf", _indented(r"provider \"[\w./-]+\" \{|\}")),
}
"""By name."""


def asks_for(path: str, changed: Iterable[str]) -> bool:
    """Whether the file that names a lock file's dependencies changed too, in its folder or below."""
    folder, manifest = path.rpartition("/")[0], LOCKS[path.rpartition("/")[2]].manifest
    prefix = f"{folder}/" if folder else ""
    return any(each.startswith(prefix) and matches(each, (manifest,)) for each in changed)
