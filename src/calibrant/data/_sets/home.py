"""A folder of data sets: ``MANIFEST.json`` and the Parquet files that it vouches for."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.data._readers.arrow import read_parquet
from calibrant.data._sets.roles import Roles, cast
from calibrant.exceptions import MissingFileError, ReadError

if TYPE_CHECKING:
    from calibrant.data._table import Table

__all__ = ["Home"]

_VARIABLE = "CALIBRANT_DATA"
_MANIFEST = "MANIFEST.json"
_REMEDY = f"Give a folder that holds {_MANIFEST} and the Parquet files it lists."


@dataclass(frozen=True)
class Home:
    """The data sets of one folder, by name.

    Parameters
    ----------
    folder : Path
        Where ``MANIFEST.json`` and the files are.
    entries : mapping of str to mapping
        What the manifest says of each set.
    """

    folder: Path
    entries: Mapping[str, Mapping[str, Any]]

    @classmethod
    def open(cls, home: str | os.PathLike[str] | None) -> Home | None:
        """Open ``home``, else the folder that ``CALIBRANT_DATA`` names; None where neither is given."""
        given = os.environ.get(_VARIABLE) if home is None else home
        if not given:
            return None
        folder = Path(given).expanduser()
        if not folder.is_dir():
            said_by = _VARIABLE if home is None else "home"
            raise MissingFileError.at(folder, f"the folder that {said_by} names does not exist", hint=_REMEDY)
        return cls(folder, _entries(folder / _MANIFEST))

    def load(self, name: str) -> Table:
        """Read one set, once its checksum has been found right."""
        entry = self.entries[name]
        positive = entry.get("positive_class")
        roles = Roles(
            target=entry.get("target"),
            other=tuple(entry.get("other_columns", ())),
            positive=None if positive is None else str(positive),
        )
        path = self.folder / str(entry["file"])
        return cast(read_parquet(path, _verified(path, entry.get("sha256"))), roles, name)


def _entries(path: Path) -> dict[str, Mapping[str, Any]]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise MissingFileError.at(path, "does not exist", hint=_REMEDY) from error
    except ValueError as error:
        raise ReadError.at(path, f"is not JSON ({error})", hint="Put the file there again.") from error
    if not isinstance(manifest, list):
        raise ReadError.at(path, "must be a list of data sets", hint="Put the file there again.")
    return {_name(entry, path, number): entry for number, entry in enumerate(manifest, start=1)}


def _name(entry: Any, path: Path, number: int) -> str:
    if isinstance(entry, dict) and isinstance(entry.get("name"), str) and isinstance(entry.get("file"), str):
        return str(entry["name"])
    raise ReadError.at(path, f"entry {number} must have a name and a file, both strings", hint="Mend it.")


def _verified(path: Path, sha256: str | None) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        hint = f"Put the file there, or take its entry out of {_MANIFEST}."
        raise MissingFileError.at(path, f"does not exist, but {_MANIFEST} lists it", hint=hint) from error
    except OSError as error:
        hint = "Check its permissions."
        raise ReadError.at(path, f"cannot be read ({error.strerror})", hint=hint) from error
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and found != sha256:
        hint = f"The file is not the one that {_MANIFEST} describes; put the right one there."
        raise ReadError.at(path, f"has the SHA-256 {found} where {sha256} is expected", hint=hint)
    return content
