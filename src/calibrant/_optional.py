"""Imports of optional packages; the error for a missing one is the command that installs it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from calibrant.exceptions import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def optional_import(module: str, *, extra: str, purpose: str) -> Any:
    """Return an optional module; raise with the command that installs it if it is missing.

    Parameters
    ----------
    module : str
        Dotted name of the module.
    extra : str
        The extra of calibrant that installs it.
    purpose : str
        What it is needed for: the end of "... is needed to".

    Returns
    -------
    module
        The imported module.

    Examples
    --------
    >>> optional_import("json", extra="data", purpose="read JSON").loads("[1]")
    [1]
    >>> optional_import("no_such_package", extra="data", purpose="read Parquet")
    Traceback (most recent call last):
    calibrant.exceptions.MissingExtraError: no_such_package is needed to read Parquet: pip install "calibrant[data]"
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(f'{package} is needed to {purpose}: pip install "calibrant[{extra}]"') from error


def pandas_frame(data: Any, purpose: str, *, index: Any = None, columns: Any = None) -> pd.DataFrame:
    """Return a pandas frame; raise with the command that installs pandas if it is missing.

    Examples
    --------
    >>> pandas_frame([[1, 2]], "convert rows to a frame", columns=["a", "b"])
       a  b
    0  1  2
    """
    pandas = optional_import("pandas", extra="data", purpose=purpose)
    frame: pd.DataFrame = pandas.DataFrame(data, index=index, columns=columns)
    return frame
