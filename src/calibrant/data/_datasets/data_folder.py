"""A folder of data sets: ``MANIFEST.json`` and the Parquet files that it lists."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibrant._params import Bool, InstanceOf, Int, Nothing, Real, Rule, check_param
from calibrant.data._datasets.catalog import Roles, assign_roles
from calibrant.data._readers.arrow import read_parquet
from calibrant.data._tables.table import Table
from calibrant.exceptions import MissingFileError, ReadError

_VARIABLE = "CALIBRANT_DATA"
_MANIFEST = "MANIFEST.json"
_FOLDER_HINT = f"Pass a folder with {_MANIFEST} and the Parquet files it lists."
_ENTRY_HINT = "Correct the entry, or copy the file again."
_COPY_HINT = "Copy the file again."


class _Strings(Rule):
    """A list of strings."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)

    def _words(self) -> tuple[str, ...]:
        return ("a list of strings",)


_STRING = InstanceOf(str, words="a string")
_FOLDER = _STRING | InstanceOf(os.PathLike, words="a path") | Nothing()
_REQUIRED: Mapping[str, Rule] = {"name": _STRING, "file": _STRING}
_OPTIONAL: Mapping[str, Rule] = {
    "target": _STRING | Nothing(),
    "other_columns": _Strings(),
    "positive_class": _STRING | Real() | Bool() | Nothing(),
    "class_counts": InstanceOf(dict, words="an object of labels and rows"),
    "rows": Int(0) | Nothing(),
    "feature_columns": Int(0) | Nothing(),
    "sha256": _STRING | Nothing(),
}


@dataclass(frozen=True)
class DataFolder:
    """The data sets of one folder, by name.

    Parameters
    ----------
    folder : Path
        The folder of ``MANIFEST.json`` and the files.
    entries : mapping of str to mapping
        The entry of each data set in the manifest.
    """

    folder: Path
    entries: Mapping[str, Mapping[str, Any]]

    @classmethod
    def open(cls, home: str | os.PathLike[str] | None) -> DataFolder | None:
        """Open ``home``, or the folder that ``CALIBRANT_DATA`` names; return None if neither is set."""
        check_param("home", home, _FOLDER)
        path = os.environ.get(_VARIABLE) if home is None else home
        if not path:
            return None
        folder = Path(path)
        with contextlib.suppress(RuntimeError):  # ~nobody
            folder = folder.expanduser()
        if not folder.is_dir():
            source = _VARIABLE if home is None else "home"
            raise MissingFileError.at(folder, f"the folder that {source} names does not exist", hint=_FOLDER_HINT)
        return cls(folder, _entries(folder / _MANIFEST))

    def load(self, name: str) -> Table:
        """Read a data set; raise if its checksum is wrong."""
        entry = self.entries[name]
        others = tuple(entry.get("other_columns", ()))
        roles = Roles(target=entry.get("target"), other=others, positive=entry.get("positive_class"))
        path = self.folder / entry["file"]
        return assign_roles(read_parquet(path, _read_verified(path, entry.get("sha256"))), roles, name)


def _entries(path: Path) -> dict[str, Mapping[str, Any]]:
    content = _content(path, "does not exist", hint=_FOLDER_HINT)
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ReadError.at(path, f"is not JSON ({error})", hint=_COPY_HINT) from error
    if not isinstance(manifest, list):
        raise ReadError.at(path, "must be a list of data sets", hint=_COPY_HINT)
    for number, entry in enumerate(manifest, start=1):
        _check_entry(entry, path, number)
    return {entry["name"]: entry for entry in manifest}


def _check_entry(entry: Any, path: Path, number: int) -> None:
    if not isinstance(entry, dict) or any(entry.get(key) not in rule for key, rule in _REQUIRED.items()):
        raise ReadError.at(path, f"entry {number} must have a name and a file, both strings", hint=_ENTRY_HINT)
    if not _is_inside(path.parent, entry["file"]):
        problem = f"file must be inside the folder of {_MANIFEST}; got {json.dumps(entry['file']):.60}"
        raise ReadError.at(path, f"entry {number}, {entry['name']!r}: {problem}", hint="Copy the file into the folder.")
    for key, rule in _OPTIONAL.items():
        if key in entry and entry[key] not in rule:
            problem = f"{key} must be {rule}; got {json.dumps(entry[key]):.60}"
            raise ReadError.at(path, f"entry {number}, {entry['name']!r}: {problem}", hint=_ENTRY_HINT)


def _is_inside(folder: Path, file: str) -> bool:
    """Return whether a path, its symbolic links followed, is in a folder or a folder of it."""
    try:
        inside = (folder / file).resolve()
        return folder.resolve() in inside.parents
    except (OSError, ValueError, RuntimeError):  # a zero byte, a name too long or links in a circle
        return False


def _content(path: Path, absent: str, *, hint: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError.at(path, absent, hint=hint) from error
    except OSError as error:
        raise ReadError.at(path, f"cannot be read ({error.strerror})", hint="Check its permissions.") from error


def _read_verified(path: Path, sha256: str | None) -> bytes:
    hint = f"Copy the file there, or remove its entry from {_MANIFEST}."
    content = _content(path, f"does not exist, but {_MANIFEST} lists it", hint=hint)
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and found != sha256:
        hint = f"The file is not the one that {_MANIFEST} describes; replace it."
        raise ReadError.at(path, f"has the SHA-256 {found}; expected {sha256}", hint=hint)
    return content
