"""Base class of curves: arrays that convert to a pandas frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from calibrant._optional import optional_import

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Curve", "count"]


class Curve:
    """Arrays of equal length, named in `_columns`."""

    _columns: ClassVar[tuple[str, ...]]

    def to_frame(self) -> pd.DataFrame:
        """Return the arrays as the columns of a pandas frame.

        Examples
        --------
        >>> from calibrant.curves import roc
        >>> roc([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).to_frame()
           fpr  tpr  threshold
        0  0.0  0.0        inf
        1  0.0  0.5        0.9
        2  0.5  1.0        0.4
        3  1.0  1.0        0.2
        """
        pandas = optional_import("pandas", extra="data", purpose="convert a curve to a frame")
        frame: pd.DataFrame = pandas.DataFrame({name: getattr(self, name) for name in self._columns})
        return frame


def count(number: float) -> str:
    """Return a number of rows, whole or weighted, as text.

    Examples
    --------
    >>> count(1_000_000.0), count(0.4)
    ('1,000,000', '0.4')
    """
    return f"{number:,.0f}" if number >= 1000 or number == round(number) else f"{number:.4g}"
