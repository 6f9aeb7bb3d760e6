"""``--url`` against a real https server on loopback: size, time, redirects, kinds; and the rule about addresses."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import guildmoot
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.memory.wiki import sources
from guildmoot.memory.wiki.ingest import IngestOptions
from guildmoot.memory.wiki.sources import check_redirect, fetch_source
from wikis import repository

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes certificates")
PAGE = "# Caching\n\nThe product cache is cleared every night by the janitor job.\n"


class Pages(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    leave = threading.Event()

    def do_GET(self):
        getattr(self, f"_{self.path.strip('/').partition('?')[0].replace('.', '_')}")()

    def log_message(self, *_):
        return

    def _send(self, data, kind="text/markdown; charset=utf-8"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(data)

    def _page_md(self):
        self._send(PAGE.encode())

    def _page_html(self):
        self._send(
            b"<html><script>steal()</script><h1>Caching</h1><p>It is cleared at night.</p></html>",
            "text/html",
        )

    def _latin(self):
        self._send(
            "# Café\n\nDer Zwischenspeicher heißt Café.\n".encode("latin-1"),
            "text/plain; charset=latin-1",
        )

    def _odd(self):
        self._send(PAGE.encode(), "text/plain; charset=no-such-charset")

    def _binary(self):
        self._send(b"\x7fELF", "application/octet-stream")

    def _large(self):
        self._send(b"x" * (5 * 1024 * 1024 + 1), "text/plain")

    def _missing(self):
        self.send_error(404)

    def _redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.end_headers()

    def _moved(self):
        self._redirect("/page.md")

    def _to_http(self):
        self._redirect("http://localhost/page.md")

    def _to_file(self):
        self._redirect("file:///etc/passwd")

    def _round(self):
        self._redirect("/round")

    def _drip_body(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self._drip(b"a slow word. ")

    def _drip_head(self):
        self.wfile.write(b"HTTP/1.0 200 OK\r\n")
        self._drip(b"X-A: b\r\n")

    def _drip(self, data):
        while not self.leave.wait(0.1):
            self.wfile.write(data)
            self.wfile.flush()


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *_):
        return  # whoever hung up


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", made],
        check=True, capture_output=True,
    )  # fmt: skip
    return made, key


@pytest.fixture
def url(certificate, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    monkeypatch.setenv("NO_PROXY", "localhost")
    server = Quiet(("127.0.0.1", 0), Pages)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    Pages.leave.clear()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_port}"
    Pages.leave.set()
    server.shutdown()
    server.server_close()


def test_a_page_is_put_in_with_its_address_and_checksum(url, tmp_path):
    root = repository(tmp_path / "r")
    request = guildmoot.IngestRequest(IngestOptions("source"), url=f"{url}/moved", cwd=root)
    [done] = asyncio.run(guildmoot.wiki_ingest(request)).done
    assert (done.status, done.path) == ("written", "sources/caching.md")
    assert f"{url}/moved" in (root / ".guild/raw/sources/caching/metadata.json").read_text()
    assert "janitor job" in (root / ".guild/wiki/sources/caching.md").read_text()


def test_html_becomes_text_without_its_scripts_and_other_charsets_are_read(url):
    text = fetch_source(f"{url}/page.html").data.decode()
    assert "# Caching" in text
    assert "steal" not in text
    assert "heißt Café" in fetch_source(f"{url}/latin").data.decode()
    assert fetch_source(f"{url}/odd").data == PAGE.encode()


@pytest.mark.parametrize(
    ("path", "error", "why"),
    [
        ("binary", UsageError, "only text"),
        ("large", UsageError, "larger than 5 MB"),
        ("missing", InfrastructureError, "HTTP 404"),
        ("to_http", UsageError, "no https address"),
        ("to_file", InfrastructureError, "HTTP 302"),
        ("round", InfrastructureError, "HTTP 302"),
    ],
)
def test_what_cannot_be_a_source_is_told(url, path, error, why):
    with pytest.raises(error, match=why):
        fetch_source(f"{url}/{path}")


@pytest.mark.parametrize("path", ["drip_body", "drip_head"])
def test_a_server_that_drips_is_left_when_the_time_is_over(url, path, monkeypatch):
    monkeypatch.setattr(sources, "_SECONDS", 0.5)
    with pytest.raises(InfrastructureError, match=r"longer than 0\.5 seconds"):
        fetch_source(f"{url}/{path}")


def test_a_certificate_that_nobody_vouches_for_and_a_closed_port_are_refused(
    url, monkeypatch, tmp_path
):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(InfrastructureError, match="certificate"):
        fetch_source(f"{url}/page.md")
    with pytest.raises(InfrastructureError, match="could not be fetched"):
        fetch_source("https://localhost:1/page.md")


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        (["93.184.216.34"], ["127.0.0.1"], True),
        (["93.184.216.34"], ["169.254.169.254"], True),
        (["93.184.216.34"], ["93.184.216.34", "10.0.0.1"], True),
        (["93.184.216.34"], ["::1"], True),
        (["93.184.216.34"], ["::ffff:127.0.0.1"], True),
        (["93.184.216.34"], ["fe80::1%eth0"], True),
        (["93.184.216.34"], ["1.1.1.1"], False),
        (["127.0.0.1"], ["127.0.0.1"], False),
        (["10.0.0.1"], ["93.184.216.34"], False),
    ],
)
def test_a_redirect_leads_from_outside_to_nowhere_inside(before, after, refused):
    if refused:
        with pytest.raises(UsageError, match="on this machine or network"):
            check_redirect(before, after, "https://x/")
    else:
        check_redirect(before, after, "https://x/")
