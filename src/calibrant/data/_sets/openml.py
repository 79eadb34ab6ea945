"""Data sets of OpenML: described, fetched, checked, and kept in a cache that answers the next time."""

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

from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.source import decode
from calibrant.data._sets.download import Bounds, RefusedError, fetch_bytes, fetch_file, write_whole
from calibrant.data._tables.assemble import assemble
from calibrant.exceptions import DataError, ParameterError, ReadError

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._readers.parsed import Parsed
    from calibrant.data._tables.table import Table

__all__ = ["base_url", "is_cached", "load_openml"]

_ANSWER = Bounds(size=1 << 24, seconds=60)
_FILE = Bounds(size=1 << 31, seconds=3600)
_STRANGE = "Is this an OpenML server?"
_DATA, _DESCRIPTION = "data.arff", "description.json"
# What OpenML itself allows in the name of a data set; no slash can reach a path or an address.
_NAME = re.compile(r"[A-Za-z0-9_\-.(),+]{1,128}")


def load_openml(which: int | str, *, name: str | None = None) -> Table:
    """Load a data set of OpenML by id or by name, from the cache where it has been before.

    Parameters
    ----------
    which : int or str
        The id, or a name; of several active versions of a name the first is taken.
    name : str, optional
        The name of the table; ``"openml:61"`` and the like by default.

    Returns
    -------
    Table
        Its class is the default target, its ``extra`` the row id and what OpenML says to ignore.
    """
    number = int(which) if str(which).isdecimal() else _find(str(which))
    description, content = _cached(number) or _fetched(number)
    path = _folder() / str(number) / _DATA
    return _table(read_arff(path, _decoded(path, content)), description, name or f"openml:{which}")


def base_url() -> str:
    """Give the address of the server: ``CALIBRANT_OPENML_URL``, by default https://www.openml.org."""
    url = os.environ.get("CALIBRANT_OPENML_URL") or "https://www.openml.org"
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParameterError(f"CALIBRANT_OPENML_URL must be an http or https address; got {url!r}.")
    return url.rstrip("/")


def is_cached(number: int) -> bool:
    """Tell whether the file of a data set has been fetched before; False where nobody can tell."""
    try:
        return (_folder() / str(number) / _DATA).is_file()
    except (ParameterError, OSError):
        return False


def _folder() -> Path:
    return _cache_folder() / "openml" / quote(base_url().partition("://")[2], safe="")


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:  # an IPv6 address without end
        return None


def _cache_folder() -> Path:
    try:
        return _cache_place()
    except RuntimeError as error:
        hint = "set CALIBRANT_CACHE to the path of a folder that you may write to"
        raise ParameterError(f"no folder for the cache is known ({error}): {hint}.") from error


def _cache_place() -> Path:
    if given := os.environ.get("CALIBRANT_CACHE"):
        return Path(given).expanduser()
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "calibrant"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "calibrant"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "calibrant"


def _find(name: str) -> int:
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"openml: must be followed by an id or by a name of letters, digits and _-.(),+; got {name!r}."
        )
    path = _folder() / "names" / f"{quote(name, safe='')}.json"
    known = _first_version(path.read_bytes()) if path.is_file() else None
    if known is not None:
        return known
    url = f"{base_url()}/api/v1/json/data/list/data_name/{quote(name)}/status/active/limit/100"
    content = _ask(url, name)
    number = _first_version(content)
    if number is None:
        raise ReadError.at(url, "the answer lists no data set", hint=_STRANGE)
    write_whole(path, [content])
    return number


def _first_version(content: bytes) -> int | None:
    try:
        entries = json.loads(content)["data"]["dataset"]
        return int(min(entries, key=lambda entry: int(entry["version"]))["did"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _cached(number: int) -> tuple[Mapping[str, Any], bytes] | None:
    folder = _folder() / str(number)
    try:
        description = _described((folder / _DESCRIPTION).read_bytes())
        content = (folder / _DATA).read_bytes()
    except OSError:
        return None
    return (description, content) if description is not None and _is_right(content, description) else None


def _fetched(number: int) -> tuple[Mapping[str, Any], bytes]:
    folder, url = _folder() / str(number), f"{base_url()}/api/v1/json/data/{number}"
    answer = _ask(url, str(number))
    description = _described(answer)
    if description is None:
        raise ReadError.at(url, "the answer describes no data set", hint=_STRANGE)
    _check_format(description)
    write_whole(folder / _DESCRIPTION, [answer])
    _download(description, folder / _DATA)
    return description, (folder / _DATA).read_bytes()


def _ask(url: str, which: str) -> bytes:
    try:
        return fetch_bytes(url, _ANSWER)
    except RefusedError as refused:
        raise _refusal(refused, which) from refused


def _described(content: bytes) -> Mapping[str, Any] | None:
    description = _within(content, "data_set_description")
    return description if isinstance(description, dict) and "id" in description else None


def _within(content: bytes, *keys: str) -> Any:
    try:
        value = json.loads(content)
        for key in keys:
            value = value[key]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return value


def _refusal(refused: RefusedError, which: str) -> Exception:
    # OpenML says "unknown" with 412 (Precondition Failed) and a reason in JSON.
    if refused.status in (404, 412):
        reason = _within(refused.body, "error", "message") or "not found"
        return DataError(f"OpenML has no active data set {which!r} ({reason}). Search on {base_url()}.")
    return ReadError(f"{refused}.")


def _is_right(content: bytes, description: Mapping[str, Any]) -> bool:
    md5 = str(description.get("md5_checksum") or "").lower()
    return not md5 or hashlib.md5(content, usedforsecurity=False).hexdigest() == md5


def _check_format(description: Mapping[str, Any]) -> None:
    kind = str(description.get("format", "ARFF"))
    if kind.lower() not in ("arff", "sparse_arff"):
        raise DataError(f"OpenML {description['id']} must be an ARFF file; its format is {kind!r}.")


def _download(description: Mapping[str, Any], path: Path) -> None:
    title, md5 = f"Fetching {description.get('name')}", str(description.get("md5_checksum") or "")
    try:
        fetch_file(_address(description), path, _FILE, md5=md5, description=title)
    except RefusedError as refused:
        raise ReadError(f"{refused}. OpenML describes the file, but does not hand it out.") from refused


def _address(description: Mapping[str, Any]) -> str:
    url = str(description.get("url") or f"/data/v1/download/{description.get('file_id')}")
    parts = _split(url)
    if parts is None:
        raise ReadError.at(url, "is no address, but OpenML says that the file is there")
    # A mirror passes descriptions on as they are; what they say lies on openml.org lies on the mirror too.
    if not parts.netloc or re.fullmatch(r"(.+\.)?openml\.org", parts.hostname or ""):
        path = SplitResult("", "", "/" + parts.path.lstrip("/"), parts.query, "")
        return base_url() + path.geturl()
    return url


def _decoded(path: Path, content: bytes) -> str:
    try:
        return decode(path, content)
    except ReadError:
        # Older files of OpenML are in Latin-1 and do not say so.
        return decode(path, content, "latin-1")


def _table(parsed: Parsed, description: Mapping[str, Any], name: str) -> Table:
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
        f"Take another version of {description.get('name')!r}."
    )


def _columns(names: Any, frame: pd.DataFrame) -> Iterator[str]:
    """Read OpenML's ways to name columns: a list, a name, or names joined by commas."""
    for name in names if isinstance(names, list) else [names]:
        parts = [name] if name in frame.columns else [part.strip() for part in str(name or "").split(",")]
        yield from (part for part in parts if part in frame.columns)
