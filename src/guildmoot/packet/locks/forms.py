"""The forms of lock files: each is read into its entries, or is no lock file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from guildmoot.text.globs import matches

Groups = dict[str, list[tuple[str, str]]]
"""Each package, or part of one, with its keys and values."""

HASH = re.compile(
    r"(?:sha\d+[-:]|h1:|zh:|md5:)[A-Za-z0-9+/=_-]{16,}|\b[0-9a-f]{32,128}\b"
    r"|(?<![\w/.+])[A-Za-z0-9+/]{40,}={1,2}"
)


class LockKind(NamedTuple):
    """One kind of lock file."""

    manifest: str
    read: Callable[[str], Groups | None]
    """None for a text that has not the form."""
    keyed: bool | None = False
    """Whether the keys of its entries are words of the tool, so that a new one is told; None for sums."""


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


def _merged(parts: Iterable[tuple[str, list[tuple[str, str]]]]) -> Groups:
    """Entries of one name together, so that none stands before another."""
    groups: Groups = {}
    for group, leaves in parts:
        groups.setdefault(group, []).extend(leaves)
    return groups


def _name(item: object, number: int) -> str:
    if isinstance(item, dict):
        for key in ("name", "file", "url", "identity", "package"):
            if isinstance(item.get(key), str):
                name = item[key].rpartition("/")[2] if key == "url" else item[key]
                return f"{name} {item.get('version', '')}".strip()
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
            return None if strange else _merged(_tree(found))
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
            groups.setdefault(HASH.sub("#", each).strip(), []).append(("", each))
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


_PROVIDER = re.compile(r'provider "([\w.-]+)/([\w./-]+)" \{')
_SETTING = re.compile(
    r'\s+(?:(version|constraints)\s*= "([^"]*)"|hashes = \[|"((?:h1|zh):\S+)",|\])'
)


def _providers(text: str) -> Groups | None:
    """Terraform's: each provider with the host that it comes from."""
    groups: Groups = {}
    leaves: list[tuple[str, str]] = []
    for each in text.splitlines():
        if head := _PROVIDER.fullmatch(each):
            leaves = groups.setdefault(f"{head[1]}/{head[2]}", [])
            leaves.append(("registry", f"https://{head[1]}/{head[2]}"))
        elif found := _SETTING.fullmatch(each):
            if found[2] or found[3]:
                leaves.append((found[1] or "hashes", found[2] or found[3]))
        elif each.strip() not in ("", "}") and not each.startswith("#"):
            return None
    return groups or None


_ELIXIR = re.compile(
    r'(?::[\w@]+[?!]?|:""|"":|\w+:(?=\s)|""|\b(?:true|false|nil|\d+)\b|[\s{}\[\],%])*'
)
_MIX_LINES = _lines(r"%\{|\}", r"\s+\"\w+\": \{:(?:hex|git|path),.*\},?")


def _mix(text: str) -> Groups | None:
    """Elixir's, which the tool evaluates: nothing but plain values may stand in it."""
    plain = re.sub(r'"(?:[^"\\#\n]|#(?!\{))*"', '""', text)
    return _MIX_LINES(text) if _ELIXIR.fullmatch(plain) else None


def _loose_json(text: str) -> object:
    """JSON with commas before closing brackets, as bun writes it."""
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))


_NPM = _document(json.loads, "name version lockfileVersion requires packages dependencies")
_GO = _lines(r"\S+ v\S+ h1:[A-Za-z0-9+/=]+")
LOCKS: Mapping[str, LockKind] = {
    "package-lock.json": LockKind("package.json", _NPM, keyed=True),
    "npm-shrinkwrap.json": LockKind("package.json", _NPM, keyed=True),
    "yarn.lock": LockKind("package.json", _indented(r"\"?@?[\w./-]+@.+:|__metadata:"), keyed=True),
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
    "poetry.lock": LockKind(
        "pyproject.toml", _document(tomllib.loads, "package metadata extras"), keyed=True
    ),
    "pdm.lock": LockKind(
        "pyproject.toml", _document(tomllib.loads, "package metadata"), keyed=True
    ),
    "uv.lock": LockKind(
        "pyproject.toml",
        _document(
            tomllib.loads,
            "version revision requires-python resolution-markers supported-markers"
            " required-markers conflicts options manifest package",
        ),
        keyed=True,
    ),
    "Pipfile.lock": LockKind(
        "Pipfile", _document(json.loads, "_meta default develop *"), keyed=True
    ),
    "conda-lock.yml": LockKind("environment.yml", _indented(r"(?:version|metadata|package):.*")),
    "Cargo.lock": LockKind(
        "Cargo.toml", _document(tomllib.loads, "version package metadata patch root"), keyed=True
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
    "go.sum": LockKind("go.mod", _GO, keyed=None),
    "go.work.sum": LockKind("go.work", _GO, keyed=None),
    "mix.lock": LockKind("mix.exs", _mix),
    "rebar.lock": LockKind(
        "rebar.config", _lines(r"[{\[(].{0,200}|[\]})].{0,20}|\s+\{.*", r"\{\"[\d.]+\",")
    ),
    "pubspec.lock": LockKind("pubspec.yaml", _indented(r"(?:packages|sdks):")),
    "flake.lock": LockKind("flake.nix", _document(json.loads, "nodes root version")),
    "packages.lock.json": LockKind("*.csproj", _document(json.loads, "version dependencies")),
    "gradle.lockfile": LockKind(
        "build.gradle", _lines(r"#.*", r"[\w.-]+:[\w.-]+:[\w.+-]+=[\w,]+", r"empty=[\w,]*")
    ),
    ".terraform.lock.hcl": LockKind("*.tf", _providers, keyed=None),
}
"""By name."""


def asks_for(path: str, changed: Iterable[str]) -> bool:
    """Whether the file that names a lock file's dependencies changed too, in its folder or below."""
    folder, manifest = path.rpartition("/")[0], LOCKS[path.rpartition("/")[2]].manifest
    prefix = f"{folder}/" if folder else ""
    return any(each.startswith(prefix) and matches(each, (manifest,)) for each in changed)
