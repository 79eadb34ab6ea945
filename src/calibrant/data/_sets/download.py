"""One file over HTTP: bounded in time and size, tried again when the line breaks, and whole on the disk."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from calibrant._progress import progress
from calibrant.exceptions import ReadError

__all__ = ["Bounds", "RefusedError", "fetch_bytes", "fetch_file", "write_whole"]

T = TypeVar("T")

_BLOCK = 1 << 16
_PAUSES = (0.5, 2.0)
_OFFLINE = "Without a network, set CALIBRANT_DATA to a folder with MANIFEST.json and the files it lists."


@dataclass(frozen=True)
class Bounds:
    """How much a server may ask of us.

    Parameters
    ----------
    size : int
        Bytes of the answer, unpacked.
    seconds : float
        For one whole answer, however steadily it drips.
    silence : float
        Seconds without a byte.
    """

    size: int
    seconds: float
    silence: float = 30.0


class RefusedError(Exception):
    """The server answered, and the answer is no; asking again would not help."""

    def __init__(self, url: str, status: int, body: bytes) -> None:
        super().__init__(f"{url} answered HTTP {status}")
        self.status, self.body = status, body


class _BrokenLineError(Exception):
    """The server was out of reach, out of order, or fell silent: worth another try."""


def fetch_bytes(url: str, bounds: Bounds) -> bytes:
    """Get a short answer into memory."""
    return _persist(url, lambda: b"".join(_blocks(url, bounds)))


def fetch_file(url: str, path: Path, bounds: Bounds, *, md5: str | None, description: str) -> None:
    """Get a file onto the disk, where it appears whole and with the right checksum, or not at all."""
    _persist(url, lambda: write_whole(path, _checked(_blocks(url, bounds, description), url, md5)))


def write_whole(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file that nobody ever sees half written, whatever interrupts the writing."""
    with _cache_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            for block in blocks:
                with _cache_errors(path):
                    file.write(block)
        with _cache_errors(path):
            Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)


@contextlib.contextmanager
def _cache_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "Set CALIBRANT_CACHE to a folder that you may write to."
        raise ReadError.at(path, f"cannot be written ({error.strerror})", hint=hint) from error


def _persist(url: str, attempt: Callable[[], T]) -> T:
    for pause in _PAUSES:
        try:
            return attempt()
        except _BrokenLineError:
            time.sleep(pause)
    try:
        return attempt()
    except _BrokenLineError as error:
        problem = f"no whole answer in {len(_PAUSES) + 1} tries; at last: {error}"
        raise ReadError.at(url, problem, hint=_OFFLINE) from error


def _blocks(url: str, bounds: Bounds, description: str = "") -> Iterator[bytes]:
    """Give the unpacked answer block by block, and fail at the first sign that it is broken or endless."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ReadError.at(url, "only http and https addresses are fetched")
    try:
        with _opener().open(url, timeout=bounds.silence) as response:
            yield from _bounded(response, url, bounds, description)
    except urllib.error.HTTPError as error:
        with error:
            if error.code >= http.client.INTERNAL_SERVER_ERROR:
                raise _BrokenLineError(f"HTTP {error.code}") from error
            raise RefusedError(url, error.code, _reason(error.fp, url, bounds)) from error
    except ReadError:
        raise
    except ValueError as error:  # urllib's word for a host that cannot be, here or where a redirect leads
        raise ReadError.at(url, f"leads to no address ({error})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenLineError(str(getattr(error, "reason", error)) or type(error).__name__) from error


def _reason(response: Any, url: str, bounds: Bounds) -> bytes:
    try:
        return b"".join(_bounded(response, url, bounds))
    except (OSError, http.client.HTTPException, ReadError, _BrokenLineError):
        return b""


def _bounded(response: Any, url: str, bounds: Bounds, description: str = "") -> Iterator[bytes]:
    deadline = time.monotonic() + bounds.seconds
    size = 0
    for block in _unpacked(response, _raw_blocks(response, description)):
        size += len(block)
        if size > bounds.size:
            raise ReadError.at(url, f"is larger than {bounds.size:,} bytes", hint="Fetch it by hand.")
        if time.monotonic() > deadline:
            raise ReadError.at(url, f"took longer than {bounds.seconds:g} s", hint="Try again later.")
        yield block


def _opener() -> urllib.request.OpenerDirector:
    """Make an opener that cannot be led, by a redirect, to ftp or to a file on this machine."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    opener.addheaders = [("User-Agent", "calibrant"), ("Accept-Encoding", "gzip")]
    return opener


def _raw_blocks(response: Any, description: str) -> Iterator[bytes]:
    length = response.length
    received = 0
    shown = None if description else False
    with progress(total=length and length / 1024, description=f"{description} (kB)", enabled=shown) as bar:
        # `read1` hands over what has come; `read` would wait for a full block, past every deadline.
        while (length is None or received < length) and (block := response.read1(_BLOCK)):
            received += len(block)
            bar.advance(len(block) / 1024)
            yield block
    if length is not None and received != length:
        raise _BrokenLineError(f"{received:,} of {length:,} bytes came")


def _unpacked(response: Any, blocks: Iterable[bytes]) -> Iterator[bytes]:
    if response.headers.get("Content-Encoding", "identity").lower() != "gzip":
        yield from blocks
        return
    gzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        for block in blocks:
            yield from _expanded(gzip, block)
            if gzip.eof:
                return
        yield gzip.flush()
    except zlib.error as error:
        raise _BrokenLineError(f"broken gzip: {error}") from error
    if not gzip.eof:
        raise _BrokenLineError("the gzip stream stops early")


def _expanded(gzip: Any, block: bytes) -> Iterator[bytes]:
    # In pieces, because a few bytes may expand to more than the memory holds.
    while block:
        yield gzip.decompress(block, _BLOCK)
        block = gzip.unconsumed_tail


def _checked(blocks: Iterable[bytes], url: str, md5: str | None) -> Iterator[bytes]:
    digest = hashlib.md5(usedforsecurity=False)
    for block in blocks:
        digest.update(block)
        yield block
    if md5 and digest.hexdigest() != md5.lower():
        hint = "The file changed on the way or at the source; try again later."
        raise ReadError.at(url, f"has the MD5 {digest.hexdigest()} where {md5} is expected", hint=hint)
