"""Pinned source archives of real packages, by name from the registries; kept in a cache, never run.

``CHOICE`` is what rules and limits may be chosen by. ``HELD`` is only measured: nobody reads its cases.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tarfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.mutations import RISKS, Mutation, mutators_of

from guildmoot.text.languages import language_of

CHOICE = (
    *("pypi:click==8.1.7", "pypi:flask==3.0.3", "pypi:httpx==0.27.0", "pypi:pyyaml==6.0.1"),
    *(
        "npm:express@4.19.2",
        "npm:commander@12.1.0",
        "npm:axios@1.7.2",
        "npm:react-native-svg@15.3.0",
    ),
    *("pypi:pygments==2.18.0", "pypi:pydantic_core==2.20.1", "pypi:pythonnet==3.0.3"),
    *("npm:react-native-vision-camera@4.0.5", "npm:bootstrap@5.3.3"),
)
HELD = (
    *(
        "pypi:requests==2.32.3",
        "pypi:tornado==6.4.1",
        "pypi:jinja2==3.1.4",
        "pypi:marshmallow==3.21.3",
    ),
    *(
        "npm:koa@2.15.3",
        "npm:yargs@17.7.2",
        "npm:winston@3.13.0",
        "npm:react-native-screens@3.31.1",
    ),
    *("pypi:virtualenv==20.26.3", "pypi:cryptography==42.0.8", "pypi:jpype1==1.5.0"),
    *("pypi:werkzeug==3.0.3", "pypi:attrs==23.2.0", "pypi:psutil==6.0.0", "pypi:orjson==3.10.6"),
    *("npm:fastify@4.28.1", "npm:zod@3.23.8", "npm:react-native-reanimated@3.14.0"),
    *("npm:react-native-maps@1.15.6", "npm:react-native-gesture-handler@2.17.1"),
    *(
        "npm:@wordpress/block-library@9.3.0",
        "pypi:rpds_py==0.19.0",
        "npm:react-native-webview@13.10.4",
    ),
)
CACHE = Path(os.environ.get("GUILD_PACKAGES") or Path.home() / ".cache" / "guildmoot" / "packages")
LEAST_BYTES, MOST_BYTES, MOST_LINES = 80, 60_000, 1500
_SIMPLE = "https://pypi.org/simple/{}/"
_NPM = "https://registry.npmjs.org/{}/-/{}-{}.tgz"
_GENERATED = re.compile(
    r"(^|/)(dist|build|examplefiles|lib/esm|min|vendor|node_modules|\.[^/]*)(/|\.)|\.min\.|-lock\.|\.lock$"
)


_EXAMPLE = re.compile(
    r"(^|/)(tests?|docs?|examples?|benchmarks?|spec|__tests__|setup\.py)(/|$)|test_|\.test\."
)
"""Where careless code is no risk."""


class SourcePackage(NamedTuple):
    """An unpacked archive."""

    name: str
    root: Path

    def files(self) -> Iterator[tuple[str, str]]:
        """What can be changed: path and language of each text that people write."""
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            plain = path.is_file() and not path.is_symlink() and not _GENERATED.search(name)
            if plain and LEAST_BYTES < path.stat().st_size < MOST_BYTES:
                yield name, language_of(name).name


def fetch_package(name: str) -> SourcePackage:
    """The package ``pypi:NAME==VERSION``, ``npm:NAME@VERSION`` or ``folder:PATH``."""
    registry, _, rest = name.partition(":")
    if registry == "folder":
        return SourcePackage(name, Path(rest))
    root = CACHE / re.sub(r"[^\w.@=-]", "_", name)
    if not root.is_dir():
        archive = _from_npm(rest) if registry == "npm" else _from_pypi(rest)
        _unpack(archive, root)
    return SourcePackage(name, root)


def _from_pypi(pin: str) -> bytes:
    name, _, version = pin.partition("==")
    plain = re.sub(r"[-_.]+", "-", name).lower()
    page = _read(_SIMPLE.format(plain)).decode()
    wanted = rf'href="([^"#]*/{re.sub("[-_.]", "[-_.]", name)}-{re.escape(version)}\.tar\.gz)#sha256=(\w+)"'
    found = re.search(wanted, page, re.IGNORECASE)
    if not found:
        raise LookupError(f"the index has no source archive of {pin}")
    data = _read(found[1])
    if hashlib.sha256(data).hexdigest() != found[2]:
        raise LookupError(f"{pin} is not what the index says it is")
    return data


def _from_npm(pin: str) -> bytes:
    name, _, version = pin.rpartition("@")
    return _read(_NPM.format(name, name.rpartition("/")[2], version))


def _read(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as answer:
        data: bytes = answer.read()
    return data


def _unpack(data: bytes, root: Path) -> None:
    """Without the archive's top folder; links and whatever leads outside are refused or left out."""
    part = root.with_name(f"{root.name}.part{os.getpid()}")
    part.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive.getmembers():
            if member.isfile() and "/" in member.name:
                member.name = member.name.partition("/")[2]
                archive.extract(member, part, filter="data")
    part.rename(root)


def mutations_of(
    package: SourcePackage, kinds: dict[tuple[str, str], int], rng: Random
) -> Iterator[Mutation]:
    """Changes of the package until as many of each language and kind are there as ``kinds`` still wants."""
    files = list(package.files())
    rng.shuffle(files)
    for path, language in files:
        open_kinds = [
            kind
            for kind in mutators_of(language)
            if kinds.get((language, kind), 0) > 0
            if kind not in RISKS or not _EXAMPLE.search(path)
        ]
        text = _text(package.root / path) if open_kinds else ""
        if not text:
            continue
        for kind in rng.sample(open_kinds, min(2, len(open_kinds))):
            after = _mutated(language, kind, text, rng)
            if after and after != text:
                kinds[language, kind] -= 1
                yield Mutation(package.name, path, language, kind, text, after)
    yield from _bumps(package, kinds, rng)


def _text(path: Path) -> str:
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if "\0" in text or "\r" in text or text.count("\n") > MOST_LINES else text


def _mutated(language: str, kind: str, text: str, rng: Random) -> str | None:
    try:
        return mutators_of(language)[kind](text, rng)
    except (SyntaxError, ValueError, IndexError, RecursionError):
        return None  # a file that is odd to begin with


def _bumps(
    package: SourcePackage, kinds: dict[tuple[str, str], int], rng: Random
) -> Iterator[Mutation]:
    """A requirement moves to a later version."""
    kind = "dependency bump"
    for name, pattern in (
        ("package.json", r'("[^"]+": "[\^~]\d+\.)(\d+)'),
        ("pyproject.toml", r"((?<=[\"'])[\w.-]+(?:\[\w+\])? ?>= ?\d+\.)(\d+)"),
        ("setup.cfg", r"(^\s+[\w.-]+ ?>= ?\d+\.)(\d+)"),
    ):
        text = _text(package.root / name) if (package.root / name).is_file() else ""
        places = list(re.finditer(pattern, text, re.MULTILINE))
        if places and kinds.get(("", kind), 0) > 0:
            found = rng.choice(places)
            after = f"{text[: found.start()]}{found[1]}{int(found[2]) + 1}{text[found.end() :]}"
            kinds["", kind] -= 1
            yield Mutation(package.name, name, language_of(name).name, kind, text, after)
