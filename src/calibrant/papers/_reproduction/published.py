"""A figure as a paper prints it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibrant.exceptions import ParameterError

__all__ = ["Published"]

_INFINITE = "∞"


@dataclass(frozen=True)
class Published:
    """A figure as a paper prints it.

    Parameters
    ----------
    text : str
        The printed text: digits, perhaps with a sign, ``$`` or commas, or ``∞``.

    Examples
    --------
    >>> from calibrant.papers import Published
    >>> Published("$14,741").value, Published("0.09481").decimals, Published("0.05").rounding, Published("∞").value
    (14741.0, 5, 0.005, inf)
    """

    text: str

    def __post_init__(self) -> None:
        try:
            float(self._digits)
        except ValueError:
            raise ParameterError(
                f"text must be a number as a paper prints it, or {_INFINITE}; got {self.text!r}."
            ) from None

    @property
    def value(self) -> float:
        """The number."""
        return float(self._digits)

    @property
    def decimals(self) -> int:
        """Number of digits after the point."""
        return len(self._digits.partition(".")[2])

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit; 0 if the figure is infinite."""
        return 0.0 if math.isinf(self.value) else 0.5 * 10.0**-self.decimals

    @property
    def _digits(self) -> str:
        return self.text.replace("$", "").replace(",", "").replace("−", "-").replace(_INFINITE, "inf").strip()
