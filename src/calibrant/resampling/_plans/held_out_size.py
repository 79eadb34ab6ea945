"""The parameter `test_size`: a share of the rows, or their number."""

from __future__ import annotations

from calibrant._params import Int, Real
from calibrant.exceptions import DataError

__all__ = ["SIZE", "n_test_rows", "size_text"]

SIZE = Real(0, 1, closed="neither") | Int(1)


def n_test_rows(test_size: float, n_rows: int) -> int:
    """Return the number of test rows: a share of all rows, or the number itself.

    Examples
    --------
    >>> n_test_rows(1 / 3, 300), n_test_rows(25, 300)
    (100, 25)
    """
    if test_size >= n_rows:
        raise DataError(f"test_size={test_size} leaves no training row of {n_rows} rows; pass a smaller one.")
    n_test = round(test_size * n_rows) if test_size < 1 else int(test_size)
    return min(max(1, n_test), n_rows - 1)


def size_text(size: float, digits: str = ".0f") -> str:
    """Return a share of the rows in percent, or a number of rows, as text.

    Examples
    --------
    >>> size_text(1 / 3), size_text(1500)
    ('33 % of the rows', '1,500 rows')
    """
    return f"{100 * size:{digits}} % of the rows" if size < 1 else f"{size:,} rows"
