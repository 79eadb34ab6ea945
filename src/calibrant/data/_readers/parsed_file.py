"""The result of a reader: all columns of a file, before features and class are separated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import NDArray

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True)
class ParsedFile:
    """All columns of a file with their types, and what the format declares about them.

    Parameters
    ----------
    frame : pandas.DataFrame
        All columns in file order, the class among them, with a fresh RangeIndex. Numbers are integers or floats, dates
        datetime64, booleans bool, free strings ``str``; a nominal column whose values the file *declares* is
        categorical with the declared values in declared order, seen or not. A missing value is NaN / NaT / None.
    target : str, optional
        The class column if the format declares it (C4.5).
    sample_weight : ndarray of float64, optional
        Weights of the rows if the format has them.
    extra : tuple of str
        Columns that are declared not to be features (``ignore`` in C4.5).
    notes : tuple of str
        Decisions of the reader that the user may want to know, one short sentence each.
    """

    frame: pd.DataFrame
    target: str | None = None
    sample_weight: NDArray[np.float64] | None = None
    extra: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
