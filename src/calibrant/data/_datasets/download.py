"""Download of one file over HTTP: limited in time and size, retried after connection errors, written atomically.

Written here because pooch and `sklearn.datasets.fetch_openml` have no limit on the size or the total time: a server
that sends a byte now and then keeps both waiting forever.
"""

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

T = TypeVar("T")

_BLOCK = 1 << 16
_RETRY_DELAYS = (0.5, 2.0)  # seconds; long enough for a dropped connection, short enough for a user who waits
_OFFLINE = "Without a network, set CALIBRANT_DATA to a folder with MANIFEST.json and the files it lists."


@dataclass(frozen=True)
class Limits:
    """Limits on the response of a server.

    Parameters
    ----------
    size : int
        Bytes of the response, decompressed.
    seconds : float
        Total seconds for one response.
    silence : float
        Seconds without receiving a byte.
    """

    size: int
    seconds: float
    silence: float = 30.0


class RequestRefusedError(Exception):
    """The server refused the request; trying again would not help."""

    def __init__(self, url: str, status: int, body: bytes) -> None:
        super().__init__(f"{url} returned HTTP {status}")
        self.status, self.body = status, body


class _ConnectionBrokenError(Exception):
    """The server could not be reached, failed or stopped sending: worth another try."""


def fetch_bytes(url: str, limits: Limits) -> bytes:
    """Return a short response."""
    return _retry(url, lambda: b"".join(_blocks(url, limits)))


def fetch_file(url: str, path: Path, limits: Limits, *, md5: str | None, description: str) -> None:
    """Download a file to ``path``, which is created only if it is complete and its checksum is correct."""
    _retry(url, lambda: write_atomically(path, _verify_md5(_blocks(url, limits, description), url, md5)))


def write_atomically(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file that exists only once it is complete, even if writing is interrupted."""
    with _cache_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            for block in blocks:
                with _cache_errors(path):
                    file.write(block)
        with _cache_errors(path):
            Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


@contextlib.contextmanager
def _cache_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "Set CALIBRANT_CACHE to a writable folder."
        raise ReadError.at(path, f"cannot be written ({error.strerror})", hint=hint) from error


def _retry(url: str, attempt: Callable[[], T]) -> T:
    for delay in _RETRY_DELAYS:
        try:
            return attempt()
        except _ConnectionBrokenError:
            time.sleep(delay)
    try:
        return attempt()
    except _ConnectionBrokenError as error:
        problem = f"no complete response in {len(_RETRY_DELAYS) + 1} attempts; the last error: {error}"
        raise ReadError.at(url, problem, hint=_OFFLINE) from error


def _blocks(url: str, limits: Limits, description: str = "") -> Iterator[bytes]:
    """Yield the decompressed response block by block; raise if it is incomplete or exceeds the limits."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ReadError.at(url, "only http and https addresses are supported")
    try:
        with _opener().open(url, timeout=limits.silence) as response:
            yield from _limited(response, url, limits, description)
    except urllib.error.HTTPError as error:
        with error:
            if error.code >= http.client.INTERNAL_SERVER_ERROR:
                raise _ConnectionBrokenError(f"HTTP {error.code}") from error
            raise RequestRefusedError(url, error.code, _error_body(error.fp, url, limits)) from error
    except ReadError:
        raise
    except ValueError as error:  # raised by urllib for an impossible host, here or after a redirect
        raise ReadError.at(url, f"is not a valid address ({error})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _ConnectionBrokenError(str(getattr(error, "reason", error)) or type(error).__name__) from error


def _error_body(response: Any, url: str, limits: Limits) -> bytes:
    try:
        return b"".join(_limited(response, url, limits))
    except (OSError, http.client.HTTPException, ReadError, _ConnectionBrokenError):
        return b""


def _limited(response: Any, url: str, limits: Limits, description: str = "") -> Iterator[bytes]:
    deadline = time.monotonic() + limits.seconds
    size = 0
    for block in _decompressed(response, _raw_blocks(response, description)):
        size += len(block)
        if size > limits.size:
            raise ReadError.at(url, f"is larger than {limits.size:,} bytes", hint="Download it by other means.")
        if time.monotonic() > deadline:
            raise ReadError.at(url, f"took longer than {limits.seconds:g} s", hint="Try again later.")
        yield block


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that follows no redirect to ftp or to a local file."""
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
    enabled = None if description else False
    with progress(total=length and length / 1024, description=f"{description} (kB)", enabled=enabled) as bar:
        # `read1` returns what has arrived; `read` would wait for a full block, beyond the deadline.
        while (length is None or received < length) and (block := response.read1(_BLOCK)):
            received += len(block)
            bar.advance(len(block) / 1024)
            yield block
    if length is not None and received != length:
        raise _ConnectionBrokenError(f"{received:,} of {length:,} bytes received")


def _decompressed(response: Any, blocks: Iterable[bytes]) -> Iterator[bytes]:
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
        raise _ConnectionBrokenError(f"damaged gzip: {error}") from error
    if not gzip.eof:
        raise _ConnectionBrokenError("the gzip stream is incomplete")


def _expanded(gzip: Any, block: bytes) -> Iterator[bytes]:
    # In blocks, because a few bytes may expand to more than the memory holds.
    while block:
        yield gzip.decompress(block, _BLOCK)
        block = gzip.unconsumed_tail


def _verify_md5(blocks: Iterable[bytes], url: str, md5: str | None) -> Iterator[bytes]:
    digest = hashlib.md5(usedforsecurity=False)
    for block in blocks:
        digest.update(block)
        yield block
    if md5 and digest.hexdigest() != md5.lower():
        hint = "The file changed in transit or at the source; try again later."
        raise ReadError.at(url, f"has the MD5 {digest.hexdigest()}; expected {md5}", hint=hint)
