"""What a reader understood of a file, before features and class are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["Parsed"]


@dataclass(frozen=True)
class Parsed:
    """Every column of a file, typed, and what the format itself says about them.

    Parameters
    ----------
    frame : pandas.DataFrame
        All columns in file order, the class among them, with a fresh RangeIndex. Numbers are integers or floats, dates
        datetime64, truth values bool, free strings ``str``; a nominal column whose values the file *declares* is
        categorical with the declared values in declared order, seen or not. A hole is NaN / NaT / None.
    target : str, optional
        The class column where the format names it (C4.5); None leaves the choice to the caller.
    sample_weight : ndarray of float64, optional
        Instance weights where the format has them.
    extra : tuple of str
        Columns that the format declares to be no features (``ignore`` in C4.5).
    notes : tuple of str
        What the reader decided that a person may want to know, one short sentence each.
    """

    frame: pd.DataFrame
    target: str | None = None
    sample_weight: NDArray[np.float64] | None = None
    extra: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
