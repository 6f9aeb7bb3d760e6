"""What a change does to a lock file, told by comparing it with the base's: nobody reads those line by line.

For every entry all that tells where a package comes from and what it runs is compared. What changed and is
understood to be harmless passes; another source, a lost hash, a patch is flagged; what is not understood is
left to a person. A file that has the name of a lock file but not its form is judged like any other text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from guildmoot.model.packet import FileCheck
from guildmoot.packet.locks.forms import HASH, LOCKS, Groups
from guildmoot.packet.locks.words import ASIDE, KNOWN, PUBLIC, RUNS, SOURCES, TABLES

_URL = re.compile(
    r"(?:[a-z][a-z0-9.-]*\+)?[a-z][a-z0-9.]*://[^\s\"'<>,)\]}]+|git@[\w.-]+:[^\s\"',]+",
    re.IGNORECASE,
)
_LOCAL = re.compile(r"(?:file|link|portal|path|exec):", re.IGNORECASE)
_SHORT = re.compile(r"(?:github|gitlab|bitbucket|gist):\w", re.IGNORECASE)
_CRATES = "github.com/rust-lang/crates.io-index"
_PATCH = re.compile(r"@patch:(?!.*#(?:optional!|~)?builtin<)|patch_hash=", re.IGNORECASE)
_NAMED = re.compile(r"\"?(?:npm:)?(@?[A-Za-z0-9][\w./-]*)@(?:npm:|patch:)?v?\d")
_VERSION = re.compile(r"[\"'=v]*(\d+(?:\.\d+)*)")
_COMMITS = ("reference", "resolved_reference", "revision", "rev", "commit")
_NEEDS = frozenset(("dependencies", "optional-dependencies", "dev-dependencies", "requires-dist"))
_ARTEFACT = ("resolved", "url", "file", "tarball")

Found = tuple[str, str, str]
"""Code, ERROR, WARNING or INFO, and the sentence."""


def check_lock(path: str, before: str | None, after: str, *, asked: bool) -> FileCheck | None:
    """What speaks against the new state of a lock file; None when it is none.

    ``asked`` tells that the file in which people name their dependencies changed too.
    """
    kind = LOCKS[path.rpartition("/")[2]]
    new = kind.read(after)
    old = kind.read(before) if before is not None else {}
    if new is None or old is None:
        return None
    found = [*_sources(old, new, asked), *_hashes(old, new), *_runs(old, new)]
    if old:
        found += [*_moved(old, new, asked), *_downgrades(old, new), *_renumbered(old, new)]
    hosts = sorted({host for _, _, url in _urls(new) if (host := _host(url))})
    told = f"{len(new)} entries"
    if hosts or _CRATES in after:
        told += f"; packages come from {', '.join(hosts[:6]) or 'crates.io'}"
    if before is not None and not asked:  # as every update by a machine does
        told += f"; {kind.manifest} did not change"
    strange = [] if before is not None else [host for host in hosts if host not in PUBLIC]
    doubts = [*_unknown(old, new, kind.keyed)]
    if strange:
        doubts.append(
            f"it is new, and whether {', '.join(strange[:6])} may be used nobody can tell"
        )
    if kind.keyed is None and not asked:
        doubts += _exchanged(old, new)
    doubts += [
        f"{words}: nobody read it" for code, _, words in found if code == "lock-source" and asked
    ]
    return FileCheck(path, told, tuple(dict.fromkeys(found)), "; ".join(doubts[:6]))


def _sources(old: Groups, new: Groups, asked: bool) -> Iterator[Found]:
    """Addresses that the base did not have: another host, another place, git, plain http, a folder."""
    known = {url for _, _, url in _urls(old)}
    hosts = {_host(url) for url in known}
    places = defaultdict(set)
    for group, key, url in _urls(old):
        places[_unversioned(group), key].add(_shape(url))
    for group, key, url in _urls(new):
        if url in known:
            continue
        host, who, place = _host(url), _short(group), (_unversioned(group), key)
        code, level, words = _doubt(url, host, key, "WARNING" if asked else "ERROR")
        if not code and old and host not in hosts | PUBLIC:
            code, level, words = "lock-host", "ERROR", f"from {host}, which the base does not use"
        if not code and _shape(url) not in places.get(place, {_shape(url)}):
            code, level, words = "lock-moved", "ERROR", f"from another place at {host} than before"
        if not code and not _is_own_address(group, key, url, new):
            code, level, words = "lock-alias", "ERROR", f"under another name from {host}"
        if code:
            yield code, level, f"{who} comes {words}"
        if code in ("lock-git", "lock-local") and _shape(url) not in places.get(
            place, {_shape(url)}
        ):
            yield "lock-source", level, f"{who} has another kind of source than before"


def _doubt(url: str, host: str, key: str, level: str) -> Found:
    """What is wrong with an address by itself."""
    if _LOCAL.match(url):
        return "lock-local", level, "from a folder or file, not from a registry"
    if key == "git" or url.startswith(("git", "ssh")) or _SHORT.match(url) or "+ssh:" in url:
        return "lock-git", level, f"from a git repository at {host or 'a hosting service'}"
    if not url.startswith(("https:", "registry+https:", "sparse+https:")):
        return "lock-insecure", "ERROR", f"from {host} without encryption"
    return "", "", ""


def _moved(old: Groups, new: Groups, asked: bool) -> Iterator[Found]:
    """Packages of the base with another kind of source, under another name, or patched."""
    was, now = _facts(old), _facts(new)
    level = "WARNING" if asked else "ERROR"
    for place, kinds in now.items():
        before = was.get(place)
        if before is None:
            continue
        if strange := sorted(kinds["name"] - before["name"]) if before["name"] else []:
            yield "lock-alias", "ERROR", f"{_short(place)} is another package now: {strange[0]}"
        if kinds["source"] - before["source"] - {"registry"} or (
            before["source"] and not kinds["source"]
        ):
            told = ", ".join(sorted(kinds["source"])) or "none"
            past = ", ".join(sorted(before["source"])) or "none"
            yield (
                "lock-source",
                level,
                f"{_short(place)} has another kind of source: {told}, not {past}",
            )


def _facts(groups: Groups) -> dict[str, dict[str, set[str]]]:
    """Of each place what kinds of source it has, and under which name."""
    found: dict[str, dict[str, set[str]]] = {}
    for group, leaves in groups.items():
        if not group or (ASIDE | _NEEDS) & {*group.split(" > ")}:
            continue
        place, _, last = _unversioned(group).rpartition(" > ")
        place = place if last == "source" and place else _unversioned(group)
        fact = found.setdefault(place, {"source": set(), "name": set()})
        for key, value in leaves:
            if key in SOURCES and value not in ("", '""', "False", "false"):
                is_word = key == "type" or (key == "source" and value.isalpha())
                fact["source"].add(f"{key} {value}" if is_word else key)
            named = _NAMED.match(value)
            if named and key in ("resolution", "version"):
                fact["name"].add(named[1])
            elif named and group == "packages":  # bun: a list by its name
                one = found.setdefault(f"packages > {key}", {"source": set(), "name": set()})
                one["name"].add(named[1])
    return found


def _hashes(old: Groups, new: Groups) -> Iterator[Found]:
    """Another hash for the same version, or none where there was one."""
    was, now = _hashed(old), _hashed(new)
    for place, after in now.items():
        before = was.get(place)
        if before and not place[1] and len(after) > 1 and after - before:
            yield "lock-hash", "ERROR", f"{_short(place[0])} has a second hash for one version"
        weak = before and all(h.startswith(("sha1", "md5")) for h in before)
        if (
            before
            and not (before <= after or after <= before)
            and not (weak and not before & after)
        ):
            yield (
                "lock-hash",
                "ERROR",
                f"the hash of {_short(place[0])} changed, its version did not",
            )
    kept = _unhashed(old)
    for (key, group), bare in _unhashed(new).items():
        if bare and kept.get((key, group), True) is False:
            yield "lock-unhashed", "ERROR", f"{_short(group)} has no hash any more"
    usual = {key for (key, _), bare in (kept or _unhashed(new)).items() if not bare}
    for (key, group), bare in _unhashed(new).items():
        if bare and key in usual and (key, group) not in kept:
            yield "lock-unhashed", "WARNING", f"{_short(group)} has no hash"


def _hashed(groups: Groups) -> dict[tuple[str, str, str], set[str]]:
    """The hashes by where they stand, together with the version that stands beside them."""
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for group, leaves in groups.items():
        version = " ".join(
            value
            for key, value in leaves
            if key == "version" or (key == "resolved" and value[:1].isdigit())
        )
        if group in ("", "metadata", "_meta > hash") or "branch" in dict(leaves) or "dev-" in group:
            continue
        for key, value in leaves:
            rest = HASH.sub("#", value)
            if (
                rest == value
                or key in _COMMITS
                or not re.search(r"\d", version + group + rest + (key if "://" in key else ""))
            ):
                continue
            place = (
                HASH.sub("#", group),
                key,
                f"{version} {_shape(rest) if '://' in rest else rest}",
            )
            found[place] |= {*HASH.findall(value)}
    return found


def _unhashed(groups: Groups) -> dict[tuple[str, str], bool]:
    """Entries that name what is fetched, or a hash: whether they have none; by key and entry."""
    found: dict[tuple[str, str], bool] = {}
    for group, leaves in groups.items():
        if not group or ASIDE & {*group.split(" > ")}:
            continue
        keys = {key for key, value in leaves}
        # Yarn writes no hash for what only another kind of machine gets.
        is_hashed = {"conditions", "linkType"} <= keys or any(
            key not in _ARTEFACT and HASH.search(value) for key, value in leaves
        )
        for key in keys & {*_ARTEFACT, "integrity", "checksum", "hash", "hashes", "resolution"}:
            place = (key, _unversioned(group))
            found[place] = found.get(place, False) or not is_hashed
        if "version" in keys and not keys & {"link", "inBundle", "bundled"}:
            place = ("version", _unversioned(group))
            found[place] = found.get(place, False) or not is_hashed
    return found


def _runs(old: Groups, new: Groups) -> Iterator[Found]:
    """What runs when a package is installed or loaded, patches, and switches that open a way."""
    before = {(_unversioned(g), *leaf) for g, leaves in old.items() for leaf in leaves}
    for group, leaves in new.items():
        parts = {*group.split(" > ")}
        for key, value in leaves:
            if (_unversioned(group), key, value) in before:
                continue
            who, plain = _short(group), value.strip("\"'").lower()
            if key.lower().replace("-", "_") in ("verify_ssl", "strict_ssl") and plain == "false":
                yield "lock-insecure", "ERROR", f"{who} is fetched without checking the certificate"
            if "patchedDependencies" in parts or _PATCH.search(unquote(value)):
                yield "lock-patch", "ERROR", f"{who} is patched: {key} {value}".strip()[:160]
            if (key in RUNS and plain not in ("false", "library", "metapackage")) or parts & RUNS:
                same = key not in ("hasInstallScript", "requiresBuild") and _package(group) in old
                outside = re.search(r"(?:^|/)\.\.(?:/|$)", value)
                level = "ERROR" if same or outside else "WARNING"
                yield "lock-script", level, f"{who} runs a program when it is installed or loaded"


def _package(group: str) -> str:
    """The entry that a table of what runs is a part of."""
    parts = group.split(" > ")
    return " > ".join(parts[: next((n for n, part in enumerate(parts) if part in RUNS), None)])


def _downgrades(old: Groups, new: Groups) -> Iterator[Found]:
    """A version below all that were there; where several were, one of them may just be gone."""
    was, now = _versions(old), _versions(new)
    for name, versions in now.items():
        if name in was and max(versions) < min(was[name]):
            shown = (".".join(map(str, max(each))) for each in (was[name], versions))
            yield "lock-downgrade", "WARNING", f"{name} goes back from {' to '.join(shown)}"


def _renumbered(old: Groups, new: Groups) -> Iterator[Found]:
    """Another version of the same file: what is fetched is not what is named."""
    for group, leaves in new.items():
        was, now = dict(old.get(group, ())), dict(leaves)
        version, url = was.get("version", ""), was.get("resolved", "")
        if not version or not url or now.get("resolved") != url:
            continue
        if now.get("version", version) != version and f"-{version}." in url:
            told = f"{_short(group)} is called {now['version']}, and {version} is what is fetched"
            yield "lock-version", "ERROR", told


def _versions(groups: Groups) -> dict[str, list[tuple[int, ...]]]:
    found: dict[str, list[tuple[int, ...]]] = {}
    for group, leaves in groups.items():
        for key, value in leaves:
            if key == "version" and group and (number := _VERSION.match(value)):
                version = tuple(int(part[:9]) for part in number[1].split("."))
                found.setdefault(_short(_unversioned(group)), []).append(version)
    return found


def _unknown(old: Groups, new: Groups, keyed: bool | None) -> Iterator[str]:
    """Keys that neither the base nor any tool that we know of writes."""
    if not keyed:
        return
    known = KNOWN | {key for leaves in old.values() for key, _ in leaves}
    for group, leaves in new.items():
        parts = group.split(" > ")
        if not group or TABLES & {parts[-1]} or ASIDE & {*parts}:
            continue  # the uppermost keys are told by the form
        for key, _value in leaves:
            if key not in known:
                yield f"what {key!r} means in {_short(group) or 'it'} is not known"


def _exchanged(old: Groups, new: Groups) -> Iterator[str]:
    """Modules that vanished for others though nobody asked for them."""
    was, now = ({group.split(" ")[0] for group in groups} for groups in (old, new))
    if was and was - now and now - was:
        yield f"{min(was - now)} gave way to {min(now - was)}, which nobody asked for"


def _unversioned(group: str) -> str:
    return " > ".join(map(_bare_name, group.split(" > ")))


def _bare_name(part: str) -> str:
    if "://" in part or "node_modules/" in part:
        return part
    named = re.match(r"\"?/?(@?[^@\s\"]+)(?:@| \(?v?\d|/\d+\.)", part)
    return named[1] if named else part


def _urls(groups: Groups) -> Iterator[tuple[str, str, str]]:
    for group, leaves in groups.items():
        if ASIDE & {*group.split(" > ")}:
            continue
        for key, value in leaves:
            if key in ASIDE:
                continue
            plain = unquote(value) if "%3A" in value or "%3a" in value else value
            found = _URL.findall(plain) if ":" in plain else []
            if not found and (_LOCAL.match(plain) or _SHORT.match(plain)):
                found = [plain]
            elif (
                not found
                and plain not in ("", ".")
                and (key in ("url", "tarball") or (key == "remote" and group == "PATH"))
            ):
                found = [f"path:{plain}"]
            elif key in ("path", "owner", "repo", "editable", "directory") and group.endswith(
                ("source", "locked")
            ):
                local = key not in ("owner", "repo")
                found = (
                    []
                    if plain == "."
                    else [f"path:{plain}" if local else f"https://{plain}.{key}/"]
                )
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
    bare = (
        url.partition("#")[0]
        .partition("?")[0]
        .replace("registry.yarnpkg.com", "registry.npmjs.org")
    )
    if "files.pythonhosted.org/" in bare:
        return "https://files.pythonhosted.org/"
    return re.sub(r"[0-9a-f]{8,}|(?<=/)[0-9a-f]{2}(?=/)|v?\d[\w.+-]*", "#", bare)


def _is_own_address(group: str, key: str, url: str, groups: Groups) -> bool:
    """Whether a registry's address names the package that it is for, where it does name one."""
    if "/-/" in url and key == "resolved":
        facts = dict(groups[group])
        last = group.rpartition("node_modules/")[2].rpartition(" > ")[2]
        named = facts.get("name") or last
        alias = re.match(r"\"?@?[^@]+@npm:(@?[^@]+)", named) or re.match(
            r"npm:(@?[^@]+)", facts.get("version", "")
        )
        named = alias[1] if alias else _bare_name(named)
        return f"/{named}/-/" in url.replace("%2f", "/").replace("%2F", "/")
    if "files.pythonhosted.org/" in url and group.startswith("package > "):
        names = _bare_name(group.split(" > ")[1]), url.rpartition("/")[2]
        name, file = (re.sub(r"[-_.]+", "-", each).lower() for each in names)
        return file.startswith(f"{name}-")
    return True


def _short(group: str) -> str:
    parts = [
        part for part in group.split(" > ") if part not in ("source", "dist", "sdist", "autoload")
    ]
    return (parts[-1].rpartition("node_modules/")[2] or parts[-1])[:80] if parts else group[:80]
