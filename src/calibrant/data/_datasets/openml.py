"""Data sets of OpenML: downloaded, verified by checksum and cached.

Written here because `sklearn.datasets.fetch_openml` has a fixed server, no time-out and no limit on the size, reads no
row weights and drops the columns that OpenML says to ignore.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, quote, urlsplit

from calibrant.data._datasets.download import Limits, RequestRefusedError, fetch_bytes, fetch_file, write_atomically
from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._readers.source import decode
from calibrant.data._tables.assemble import assemble
from calibrant.data._tables.table import Table
from calibrant.exceptions import DataError, ParameterError, ReadError

if TYPE_CHECKING:
    import pandas as pd

# Ample for any description, and for any table that fits in memory as text; a faulty server cannot fill the disk.
_DESCRIPTION_LIMITS = Limits(size=1 << 24, seconds=60)
_FILE_LIMITS = Limits(size=1 << 31, seconds=3600)
_SERVER_HINT = "Is this an OpenML server?"
_DATA, _DESCRIPTION = "data.arff", "description.json"
# The characters that OpenML allows in names; without a slash, none can change a path or an address.
_NAME = re.compile(r"[A-Za-z0-9_\-.(),+]{1,128}")


def load_openml(which: int | str, *, name: str | None = None) -> Table:
    """Load a data set of OpenML by id or by name, from the cache if it was downloaded before.

    Parameters
    ----------
    which : int or str
        The id, or a name, of which the first active version is loaded.
    name : str, optional
        The name of the table; ``"openml:61"`` and the like by default.

    Returns
    -------
    Table
        The class is the default target; ``extra`` holds the row id and the columns that OpenML says to ignore.
    """
    number = int(which) if str(which).isdecimal() else _find_id(str(which))
    description, content = _cached(number) or _download(number)
    path = _server_folder() / str(number) / _DATA
    return _table(read_arff(path, _decoded(path, content)), description, name or f"openml:{which}")


def base_url() -> str:
    """Return the address of the server: ``CALIBRANT_OPENML_URL``, or https://www.openml.org."""
    url = os.environ.get("CALIBRANT_OPENML_URL") or "https://www.openml.org"
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParameterError(f"CALIBRANT_OPENML_URL must be an http or https address; got {url!r}.")
    return url.rstrip("/")


def is_cached(number: int) -> bool:
    """Return whether the file of a data set is in the cache."""
    try:
        return (_server_folder() / str(number) / _DATA).is_file()
    except (ParameterError, OSError):
        return False


def _server_folder() -> Path:
    return _cache_folder() / "openml" / quote(base_url().partition("://")[2], safe="")


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:  # an IPv6 address without a closing bracket
        return None


def _cache_folder() -> Path:
    try:
        return _cache_path()
    except RuntimeError as error:
        hint = "set CALIBRANT_CACHE to the path of a writable folder"
        raise ParameterError(f"the cache folder is unknown ({error}): {hint}.") from error


def _cache_path() -> Path:
    # As platformdirs, except that XDG_CACHE_HOME is used on Windows too: four lines in place of a dependency.
    if path := os.environ.get("CALIBRANT_CACHE"):
        return Path(path).expanduser()
    if path := os.environ.get("XDG_CACHE_HOME"):
        return Path(path) / "calibrant"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "calibrant"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "calibrant"


def _find_id(name: str) -> int:
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"openml: must be followed by an id or by a name of letters, digits and _-.(),+; got {name!r}."
        )
    path = _server_folder() / "names" / f"{quote(name, safe='')}.json"
    known = _first_version(path.read_bytes()) if path.is_file() else None
    if known is not None:
        return known
    url = f"{base_url()}/api/v1/json/data/list/data_name/{quote(name)}/status/active/limit/100"
    content = _request(url, name)
    number = _first_version(content)
    if number is None:
        raise ReadError.at(url, "the response lists no data set", hint=_SERVER_HINT)
    write_atomically(path, [content])
    return number


def _first_version(content: bytes) -> int | None:
    try:
        entries = json.loads(content)["data"]["dataset"]
        return int(min(entries, key=lambda entry: int(entry["version"]))["did"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _cached(number: int) -> tuple[Mapping[str, Any], bytes] | None:
    folder = _server_folder() / str(number)
    try:
        description = _parse_description((folder / _DESCRIPTION).read_bytes())
        content = (folder / _DATA).read_bytes()
    except OSError:
        return None
    return (description, content) if description is not None and _has_checksum(content, description) else None


def _download(number: int) -> tuple[Mapping[str, Any], bytes]:
    folder, url = _server_folder() / str(number), f"{base_url()}/api/v1/json/data/{number}"
    response = _request(url, str(number))
    description = _parse_description(response)
    if description is None:
        raise ReadError.at(url, "the response describes no data set", hint=_SERVER_HINT)
    _check_format(description)
    write_atomically(folder / _DESCRIPTION, [response])
    _download_file(description, folder / _DATA)
    return description, (folder / _DATA).read_bytes()


def _request(url: str, which: str) -> bytes:
    try:
        return fetch_bytes(url, _DESCRIPTION_LIMITS)
    except RequestRefusedError as error:
        raise _request_error(error, which) from error


def _parse_description(content: bytes) -> Mapping[str, Any] | None:
    description = _json_value(content, "data_set_description")
    return description if isinstance(description, dict) and "id" in description else None


def _json_value(content: bytes, *keys: str) -> Any:
    try:
        value = json.loads(content)
        for key in keys:
            value = value[key]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return value


def _request_error(refused: RequestRefusedError, which: str) -> Exception:
    # OpenML reports an unknown data set with 412 (Precondition Failed) and a reason in JSON.
    if refused.status in (404, 412):
        reason = _json_value(refused.body, "error", "message") or "not found"
        return DataError(f"OpenML has no active data set {which!r} ({reason}). Search on {base_url()}.")
    return ReadError(f"{refused}.")


def _has_checksum(content: bytes, description: Mapping[str, Any]) -> bool:
    md5 = str(description.get("md5_checksum") or "").lower()
    return not md5 or hashlib.md5(content, usedforsecurity=False).hexdigest() == md5


def _check_format(description: Mapping[str, Any]) -> None:
    kind = str(description.get("format", "ARFF"))
    if kind.lower() not in ("arff", "sparse_arff"):
        raise DataError(f"OpenML {description['id']} must be an ARFF file; its format is {kind!r}.")


def _download_file(description: Mapping[str, Any], path: Path) -> None:
    title, md5 = f"Fetching {description.get('name')}", str(description.get("md5_checksum") or "")
    try:
        fetch_file(_address(description), path, _FILE_LIMITS, md5=md5, description=title)
    except RequestRefusedError as error:
        raise ReadError(f"{error}. OpenML describes the file, but does not provide it.") from error


def _address(description: Mapping[str, Any]) -> str:
    url = str(description.get("url") or f"/data/v1/download/{description.get('file_id')}")
    parts = _split(url)
    if parts is None:
        raise ReadError.at(url, "is not a valid address, but OpenML names it for the file")
    # A mirror returns the descriptions unchanged; files that they locate on openml.org are on the mirror too.
    if not parts.netloc or re.fullmatch(r"(.+\.)?openml\.org", parts.hostname or ""):
        path = SplitResult("", "", "/" + parts.path.lstrip("/"), parts.query, "")
        return base_url() + path.geturl()
    return url


def _decoded(path: Path, content: bytes) -> str:
    try:
        return decode(path, content)
    except ReadError:
        # Older files of OpenML are in Latin-1 without declaring it.
        return decode(path, content, "latin-1")


def _table(parsed: ParsedFile, description: Mapping[str, Any], name: str) -> Table:
    roles = ("row_id_attribute", "ignore_attribute")
    extra = {column: None for role in roles for column in _columns(description.get(role), parsed.frame)}
    title = f"OpenML {description['id']}: {description.get('name')}, version {description.get('version')}."
    target = _target(description, parsed.frame)
    parsed = replace(parsed, extra=tuple(extra), notes=(*parsed.notes, title))
    return assemble(parsed, name=name, target=target)


def _target(description: Mapping[str, Any], frame: pd.DataFrame) -> str | None:
    named = description.get("default_target_attribute")
    targets = list(_columns(named, frame))
    if len(targets) == 1 or not named:
        return targets[0] if targets else None
    raise DataError(
        f"OpenML {description['id']} must have one target among its columns; it names {named!r}. "
        f"Load another version of {description.get('name')!r}."
    )


def _columns(names: Any, frame: pd.DataFrame) -> Iterator[str]:
    """Yield the columns that OpenML names by a list, by a name, or by names joined by commas."""
    for name in names if isinstance(names, list) else [names]:
        parts = [name] if name in frame.columns else [part.strip() for part in str(name or "").split(",")]
        yield from (part for part in parts if part in frame.columns)
