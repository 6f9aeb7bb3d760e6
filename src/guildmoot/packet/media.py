"""Whether bytes are an image, a font, sound or a film and nothing else: data that cannot be run.

By content: the format's own structure is walked from the first byte to the last, so what is hung on behind
an image is no image. By name too: an image that is called a program may be run as one. SVG and PDF can
carry code and are not data here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from guildmoot.named import NamedTuple

# Short marks stand in packed data by chance: only with text behind them do they say something.
_SCRIPT = rb"(?i)<\?php|<script|javascript:|<(?:\?=|%[@=]?)[\t\n\r\x20-\x7e]{12}"
_IMAGES = ("png", "apng", "gif", "jpg", "jpeg", "jfif", "webp", "ico", "bmp")
_JPEG_BARE = frozenset((0x01, *range(0xD0, 0xD8)))


class MediaFormat(NamedTuple):
    """One kind of data."""

    name: str
    magic: bytes
    at: int
    ends: Callable[[bytes], int]
    """Where its structure ends; below zero when it is broken."""
    suffixes: tuple[str, ...]


def media_name(path: str, data: bytes) -> str:
    """``a PNG image`` and the like for a whole, clean one under a fitting name; else empty."""
    suffix = path.lower().rpartition(".")[2]
    for kind in _FORMATS:
        if suffix in kind.suffixes and data.startswith(kind.magic, kind.at):
            try:
                whole = kind.ends(data) == len(data)
            except (IndexError, ValueError):
                return ""
            return kind.name if whole and not re.search(_SCRIPT, data) else ""
    return ""


def _number(data: bytes, at: int, size: int, order: str = "big") -> int:
    piece = data[at : at + size]
    if len(piece) < size:
        raise ValueError("it is cut off")
    return int.from_bytes(piece, "little" if order == "little" else "big")


def _png(data: bytes) -> int:
    at, kind = 8, b""
    while kind != b"IEND":
        size, kind = _number(data, at, 4), data[at + 4 : at + 8]
        at += 12 + size
    return at


def _gif(data: bytes) -> int:
    def skip_blocks(at: int) -> int:
        while data[at]:
            at += 1 + data[at]
        return at + 1

    def table(flags: int) -> int:
        return 3 << ((flags & 7) + 1) if flags & 0x80 else 0

    at = 13 + table(data[10])
    while data[at] != 0x3B:
        if data[at] == 0x21:
            at = skip_blocks(at + 2)
        elif data[at] == 0x2C:
            at = skip_blocks(at + 11 + table(data[at + 9]))
        else:
            return -1
    return at + 1


def _jpeg(data: bytes) -> int:
    at = 0
    while at < len(data):  # a camera may put a second, smaller picture behind the first
        if data[at : at + 2] != b"\xff\xd8":
            return -1
        at = _one_jpeg(data, at + 2)
    return at


def _one_jpeg(data: bytes, at: int) -> int:
    while True:
        if data[at] != 0xFF:
            return -1
        mark = data[at + 1]
        if mark == 0xD9:
            return at + 2
        at += 2 if mark in _JPEG_BARE else 2 + _number(data, at + 2, 2) * (mark != 0xFF)
        if mark == 0xFF:
            at -= 1  # filler
        elif mark == 0xDA:  # picture data, up to the next mark that is none of its own
            found = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]").search(data, at)
            if found is None:
                return -1
            at = found.start()


def _riff(data: bytes) -> int:
    return 8 + _number(data, 4, 4, "little") if data.startswith(b"RIFF") else -1


def _sized(at: int, order: str) -> Callable[[bytes], int]:
    return lambda data: _number(data, at, 4, order)


def _icon(data: bytes) -> int:
    entries = range(6, 6 + 16 * _number(data, 4, 2, "little"), 16)
    return max(
        _number(data, e + 12, 4, "little") + _number(data, e + 8, 4, "little") for e in entries
    )


def _font(data: bytes) -> int:
    entries = range(12, 12 + 16 * _number(data, 4, 2), 16)
    end = max(_number(data, e + 8, 4) + _number(data, e + 12, 4) for e in entries)
    return len(data) if end <= len(data) <= (end + 3) // 4 * 4 else end


def _boxes(data: bytes) -> int:
    at = 0
    while 0 <= at < len(data):
        size = _number(data, at, 4)
        at += size if size >= 8 else _number(data, at + 8, 8) if size == 1 else -1 - at
    return at


def _ogg(data: bytes) -> int:
    at = 0
    while at < len(data):
        if data[at : at + 4] != b"OggS":
            return -1
        segments = data[at + 26]
        at += 27 + segments + sum(data[at + 27 : at + 27 + segments])
    return at


_FORMATS = (
    MediaFormat("a PNG image", b"\x89PNG\r\n\x1a\n", 0, _png, _IMAGES),
    MediaFormat("a GIF image", b"GIF8", 0, _gif, _IMAGES),
    MediaFormat("a JPEG image", b"\xff\xd8\xff", 0, _jpeg, _IMAGES),
    MediaFormat("a WebP image", b"WEBP", 8, _riff, _IMAGES),
    MediaFormat("an icon", b"\0\0\1\0", 0, _icon, _IMAGES),
    MediaFormat("a bitmap image", b"BM", 0, _sized(2, "little"), _IMAGES),
    MediaFormat("a font", b"\0\1\0\0", 0, _font, ("ttf", "otf")),
    MediaFormat("a font", b"OTTO", 0, _font, ("otf", "ttf")),
    MediaFormat("a font", b"wOF", 0, _sized(8, "big"), ("woff", "woff2")),
    MediaFormat("sound", b"WAVE", 8, _riff, ("wav",)),
    MediaFormat("sound", b"OggS", 0, _ogg, ("ogg", "oga", "opus", "ogv")),
    MediaFormat(
        "a film or picture", b"ftyp", 4, _boxes, ("mp4", "m4a", "m4v", "mov", "avif", "heic")
    ),
)

_RUNS = (
    *(b"\x7fELF", b"MZ", b"#!", b"\0asm", b"\xca\xfe\xba\xbe", b"dex\n", b"!<arch>", b"BC\xc0\xde"),
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
)
"""How programs and libraries begin."""
_SAMPLES = {
    "sound": "wv wvc flac m4a aac ac3 aif aiff au caf dff dsf ape mka mid midi xm s3m pcm",
    "film": "m4v mov avi mkv mpg mpeg flv wmv",
    "image": "icns tif tiff tga dds psd xcf kra heic avif jxl jp2 exr hdr ktx pcx pgm ppm qoi",
    "font": "eot pcf",
    "model": "onnx tflite safetensors gguf npy stl glb fbx ply",
    "data": "pcap pcapng sqlite db parquet avro arrow bson msgpack",
}
"""Kinds that are not walked; what may hold a program (archives, bin, dat, obj, pickles, jar) is none of them."""
_SAMPLE_OF = {suffix: kind for kind, names in _SAMPLES.items() for suffix in names.split()}


def sample_name(path: str, data: bytes) -> str:
    """What kind of data a name tells of that nobody reads, where its bytes are no program; else empty."""
    kind = _SAMPLE_OF.get(path.lower().rpartition(".")[2], "")
    return "" if data.startswith(_RUNS) else kind
