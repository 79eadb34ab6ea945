"""The `store` parameter: the path of an SQLite file, or the URL of an SQLite file or a PostgreSQL database."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl

from calibrant._repr import short_repr
from calibrant.exceptions import ParameterError, nearest

DEFAULT_STORE = "sqlite:///calibrant.db"

_DIALECTS: dict[str, Literal["sqlite", "postgresql"]] = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql",
    "postgresql": "postgresql",
    "postgresql+psycopg": "postgresql",
}
_EXPECTED = (
    "store must be the path of a file, 'sqlite:///results.db' or 'postgresql://user@host/database'; got {}. "
    "The databases there are: sqlite, postgresql."
)
_NUMBERS = ("timeout", "max_pages")
_PASSWORD = re.compile(r"(?<=://)([^:/?#]*):(.*)@"), re.compile(r"((?:^|[?&\s])(?:ssl)?password=)[^&\s]*")


@dataclass(frozen=True)
class StoreAddress:
    """The address of a store.

    Parameters
    ----------
    dialect : {"sqlite", "postgresql"}
        The kind of database.
    url : str
        What SQLAlchemy connects to, with the password if there is one; not in the representation.
    shown : str
        The same for messages, without the password.
    path : Path or None
        The file of an SQLite database, absolute.
    timeout : float
        Seconds to wait for a locked SQLite file.
    max_pages : int or None
        The largest number of pages of an SQLite file; beyond it the disk counts as full.
    """

    dialect: Literal["sqlite", "postgresql"]
    url: str = field(repr=False)
    shown: str
    path: Path | None = None
    timeout: float = 30.0
    max_pages: int | None = None


def read_store_url(store: str | os.PathLike[str] | StoreAddress) -> StoreAddress:
    """Return the address that a `store` parameter means; raise if it means none.

    Examples
    --------
    >>> read_store_url("sqlite:////tmp/results.db").path.name
    'results.db'
    >>> read_store_url("postgresql://ada:secret@localhost/studies")
    StoreAddress(dialect='postgresql', shown='postgresql://ada:***@localhost/studies', path=None, timeout=30.0,
    max_pages=None)
    >>> read_store_url("mysql://localhost/studies")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: store must be the path of a file, 'sqlite:///results.db' or
    'postgresql://user@host/database'; got 'mysql://localhost/studies'. The databases there are: sqlite, postgresql.
    """
    if isinstance(store, StoreAddress):
        return store
    if isinstance(store, os.PathLike):
        return _file_address(os.fspath(store))
    if not isinstance(store, str) or not store.strip():
        raise ParameterError(_EXPECTED.format(short_repr(store)))
    scheme, separator, rest = store.partition("://")
    if not separator:
        return _file_address(store)
    if scheme not in _DIALECTS:
        raise ParameterError(_EXPECTED.format(repr(hide_password(store))) + nearest(scheme, ("sqlite", "postgresql")))
    if _DIALECTS[scheme] == "postgresql":
        return StoreAddress("postgresql", f"postgresql+psycopg://{rest}", hide_password(store))
    path, _, query = rest.partition("?")
    if not path.startswith("/"):
        raise ParameterError(
            f"store: an SQLite URL has three slashes before a relative path and four before an absolute one, such as "
            f"'sqlite:///results.db'; got {store!r}."
        )
    return _file_address(path[1:], **_read_options(query))


def hide_password(url: str) -> str:
    """Return a URL with ``***`` for its password.

    Examples
    --------
    >>> hide_password("postgresql://ada:se:cr@t@localhost/studies?password=x")
    'postgresql://ada:***@localhost/studies?password=***'
    """
    return _PASSWORD[1].sub(r"\1***", _PASSWORD[0].sub(r"\1:***@", url))


def _file_address(path: str, *, timeout: float = 30.0, max_pages: float | None = None) -> StoreAddress:
    if path in ("", ":memory:"):
        raise ParameterError("store must be a file that outlives the process; got an SQLite database in memory.")
    if "\0" in path:
        raise ParameterError(f"store must be the path of a file; got {path!r}, which has a NUL character.")
    file = Path(path).expanduser().absolute()
    url = f"sqlite:///{file}"
    return StoreAddress("sqlite", url, url, file, timeout, None if max_pages is None else int(max_pages))


def _read_options(query: str) -> dict[str, float]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name in options:
        if name not in _NUMBERS:
            raise ParameterError(
                f"store: an SQLite URL has the options timeout and max_pages; got {name!r}." + nearest(name, _NUMBERS)
            )
        if not re.fullmatch(r"\d+(\.\d+)?", options[name]):
            raise ParameterError(f"store: {name} in an SQLite URL must be a number >= 0; got {options[name]!r}.")
    return {name: float(text) for name, text in options.items()}
