"""Where what is put in comes from: a file, a folder, standard input, an address on the web when one is given."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.memory.wiki.capture import WikiSource
from guildmoot.memory.wiki.ingest import MOST_SOURCE
from guildmoot.system.files import read_inside

if TYPE_CHECKING:  # loaded where something is fetched
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector, Request

_ENDINGS = (".md", ".txt", ".rst", ".adoc", ".org", ".html", ".htm")
_MOST_FETCHED = 5 * 1024 * 1024
_SECONDS = 20.0
_MOST_FILES = 10_000
_UNSAID = ("title", "script", "style", "noscript", "template")
"""Tags whose text a reader of the page does not see in it."""


def file_source(path: Path, inside: Path | None) -> WikiSource:
    """A file; UsageError when it cannot be read. Below ``inside`` no link is followed."""
    data, problem = read_inside(path, inside, MOST_SOURCE)
    if problem:
        raise UsageError(f"{path} cannot be put in: {problem}")
    if path.suffix.lower() in (".html", ".htm"):
        data = _html_text(_decoded(data, "utf-8"))
    return WikiSource(data, "file", os.fspath(path), path.name)


def folder_sources(folder: Path) -> Iterator[Path]:
    """The documents below a folder, by name; hidden files and links are passed over."""
    found = []
    for above, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if not name.startswith(".")]
        found += [
            Path(above, name)
            for name in names
            if name.lower().endswith(_ENDINGS) and not name.startswith(".")
        ]
    if not found:
        raise UsageError(f"{folder} holds no documents", f"Documents end in {', '.join(_ENDINGS)}.")
    if len(found) > _MOST_FILES:
        raise UsageError(f"{folder} holds {len(found):,} documents, more than {_MOST_FILES:,}")
    yield from sorted(path for path in found if not path.is_symlink())


def fetch_source(url: str) -> WikiSource:
    """What lies at an https address: text of at most 5 MB within 20 seconds; no other kind of address.

    Who names an address may name one of this machine or network. A redirect may not lead there from outside.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.parse import urlsplit
    from urllib.request import Request

    _check_address(url)
    late = threading.Event()
    request = Request(url, headers={"User-Agent": "guildmoot", "Accept": "text/*"})  # noqa: S310
    try:
        with _deadline(late) as opener, opener.open(request, timeout=_SECONDS) as reply:
            kind = reply.headers.get_content_type()
            charset = reply.headers.get_content_charset() or "utf-8"
            if not kind.startswith("text/") and kind not in ("application/json", "application/xml"):
                raise UsageError(f"{url} is {kind}, and only text is put in")
            data = reply.read(_MOST_FETCHED + 1)
    except HTTPError as wrong:
        raise InfrastructureError(f"{url} answers with HTTP {wrong.code}") from wrong
    except (URLError, HTTPException, OSError) as wrong:
        if late.is_set():
            raise _too_slow(url) from wrong
        reason = getattr(wrong, "reason", wrong)
        raise InfrastructureError(
            f"{url} could not be fetched: {reason}", "Save it and put the file in instead."
        ) from wrong
    if late.is_set():  # what was read until then may be half of it
        raise _too_slow(url)
    if len(data) > _MOST_FETCHED:
        raise UsageError(f"{url} is larger than {_MOST_FETCHED >> 20} MB")
    if kind == "text/html":
        data = _html_text(_decoded(data, charset))
    elif charset != "utf-8":
        data = _decoded(data, charset).encode("utf-8", "replace")
    return WikiSource(data, "url", url, Path(urlsplit(url).path).name or "page.txt")


def _too_slow(url: str) -> InfrastructureError:
    return InfrastructureError(f"{url} took longer than {_SECONDS:g} seconds")


def _decoded(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset, "replace")
    except LookupError:  # a name that no encoding has
        return data.decode("utf-8", "replace")


@contextmanager
def _deadline(late: threading.Event) -> Iterator[OpenerDirector]:
    """An opener whose connections are cut when the time is over, however slowly bytes still come."""
    import ssl
    from http.client import HTTPSConnection
    from urllib.request import HTTPRedirectHandler, HTTPSHandler, build_opener

    sockets: list[socket.socket] = []

    class Bounded(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Handler(HTTPSHandler):
        def https_open(self, req: Request) -> HTTPResponse:
            return self.do_open(Bounded, req, context=ssl.create_default_context())

    class Careful(HTTPRedirectHandler):
        max_redirections = 5

        def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            _check_address(newurl)
            check_redirect(_addresses(req.full_url), _addresses(newurl), newurl)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    def cut() -> None:
        late.set()
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(_SECONDS, cut)
    timer.daemon = True
    timer.start()
    try:
        yield build_opener(Handler, Careful)
    finally:
        timer.cancel()


def check_redirect(before: Sequence[str], after: Sequence[str], url: str) -> None:
    """UsageError when a redirect leads from a public address to one of this machine or network. Pure."""
    if any(_is_inside(each) for each in after) and not all(_is_inside(each) for each in before):
        raise UsageError(
            f"the address sends us to {url}, which is on this machine or network",
            "Name that address itself if you want what lies there.",
        )


def _is_inside(address: str) -> bool:
    import ipaddress

    return not ipaddress.ip_address(address.partition("%")[0]).is_global


def _addresses(url: str) -> list[str]:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


def _check_address(url: str) -> None:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.username or parts.password:
        raise UsageError(
            f"{url!r} is no https address without a password", "--url https://example.org/page"
        )


def _html_text(text: str) -> bytes:
    """The words of a page without its tags, scripts and styles."""
    from html.parser import HTMLParser

    pieces: list[str] = []

    class Reader(HTMLParser):
        quiet, title = 0, ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.quiet += tag in _UNSAID
            if tag in ("p", "br", "li", "div", "tr", "h1", "h2", "h3", "h4", "pre"):
                pieces.append(
                    "\n" + {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- "}.get(tag, "")
                )

        def handle_endtag(self, tag: str) -> None:
            if tag in _UNSAID:
                self.quiet = max(0, self.quiet - 1)

        def handle_data(self, data: str) -> None:
            if self.lasttag == "title" and self.quiet:
                self.title += data
            elif not self.quiet:
                pieces.append(data)

    reader = Reader()
    reader.feed(text)
    said = "".join(pieces)
    title = " ".join(reader.title.split())
    if title and "\n# " not in said:
        said = f"# {title}\n{said}"
    return said.encode("utf-8", "replace")
