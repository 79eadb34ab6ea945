"""The loss of each row, and the result of permuting columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibrant._optional import optional_import
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["LOSSES", "LossName", "PermutationImportances", "RowLosses"]

LossName: TypeAlias = Literal["avll", "log_loss", "mse"]

_MAX_EPSILON = 0.005  # Nielsen 2004, footnote 9
_MAX_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportances:
    """The importance of each column to a model; its repr lists the most important first.

    Parameters
    ----------
    names : tuple of str
        The columns.
    mean : array of shape (n_columns,)
        The increase of the loss when the column is permuted, averaged over repeats and rows. About 0 for a useless one,
        and sometimes a little below.
    standard_error : array of shape (n_columns,)
        Its standard error over the rows, for the model as it is.
    loss : float
        The loss of the rows as they are.
    metric : str
        The loss, a name in `calibrant.metrics.METRICS`.
    n_repeats : int
        Number of times that each column was permuted.
    rows : str
        What it was measured on: ``"out-of-bag"`` or ``"held-out"`` rows.

    Examples
    --------
    >>> PermutationImportances(("age", "x"), np.array([0.25, -0.01]), np.array([0.02, 0.01]), 0.5, "avll", 5)
    Increase of the out-of-bag avll (0.5) by permuting a column, 5 times each:
      age   0.25 +- 0.02
      x    -0.01 +- 0.01
    """

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    loss: float
    metric: str
    n_repeats: int
    rows: str = "out-of-bag"

    def to_frame(self) -> pd.DataFrame:
        """Return the importances as a pandas frame with a row for each column of the model, in their order.

        Returns
        -------
        pandas.DataFrame
            Indexed by the names of the columns.

        Examples
        --------
        >>> result = PermutationImportances(("age",), np.array([0.25]), np.array([0.02]), 0.5, "avll", 5)
        >>> result.to_frame()
                mean  standard_error
        column
        age     0.25            0.02
        """
        pandas = optional_import("pandas", extra="data", purpose="return importances as a frame")
        figures = {"mean": self.mean, "standard_error": self.standard_error}
        frame: pd.DataFrame = pandas.DataFrame(figures, index=pandas.Index(self.names, name="column"))
        return frame

    def __repr__(self) -> str:
        order = np.argsort(-self.mean, kind="stable")
        width = max(len(str(self.names[j])) for j in order[:_MAX_SHOWN])
        means = [f"{self.mean[j]:.3g}" for j in order[:_MAX_SHOWN]]
        digits = max(map(len, means))
        head = (
            f"Increase of the {self.rows} {self.metric} ({self.loss:.4g}) by permuting a column, {self.n_repeats} times"
        )
        lines = [
            f"  {self.names[j]!s:{width}} {mean:>{digits}} +- {self.standard_error[j]:.2g}"
            for j, mean in zip(order, means, strict=False)
        ]
        left = len(order) - len(lines)
        return "\n".join([f"{head} each:", *lines, *([f"  and {left} more"] if left else [])])


@dataclass(frozen=True, eq=False)
class RowLosses:
    """The loss of each row that is out of some bag.

    Examples
    --------
    >>> losses = RowLosses("mse", np.array([0, 1]), None, 2, np.array([True, True]))
    >>> losses.of(np.array([[0.5, 0.5], [0.0, 1.0]]))
    array([0.5, 0. ])
    """

    metric: LossName
    labels: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    n_classes: int
    has_prediction: NDArray[np.bool_]

    def of(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the loss of each row that has a prediction."""
        return LOSSES[self.metric](proba[self.has_prediction], self.labels[self.has_prediction], self._class_shares)

    @property
    def n_rows(self) -> int:
        """Number of rows that have a prediction."""
        return int(self.has_prediction.sum())

    @property
    def _class_shares(self) -> NDArray[np.float64]:
        counts = np.bincount(self.labels, self.weights, self.n_classes)
        return np.asarray(counts / counts.sum())

    def mean(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weighted means of the rows of values and their standard errors; a weight of 2 is the row twice.

        Examples
        --------
        >>> losses = RowLosses("mse", np.array([0, 1]), np.array([1.0, 2.0]), 2, np.array([True, True]))
        >>> losses.mean(np.array([[0.0, 3.0]]))
        (array([2.]), array([1.]))
        """
        weights = np.ones(len(self.labels)) if self.weights is None else self.weights
        weights = weights[self.has_prediction]
        total = weights.sum()
        means = values @ weights / total
        squares = ((values - means[:, np.newaxis]) ** 2) @ weights
        return means, np.sqrt(squares / total / max(total - 1.0, 1.0))


def _log_loss(
    proba: NDArray[np.float64], labels: NDArray[np.intp], _shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    own = proba[np.arange(len(labels)), labels]
    if not own.all():
        raise ParameterError(
            "metric='log_loss' must be finite; got a row whose actual class has out-of-bag probability 0. Use "
            "metric='avll' or 'mse', or a forest with estimate='laplace' or more trees."
        )
    return np.asarray(-np.log(own))


def _avll(proba: NDArray[np.float64], labels: NDArray[np.intp], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    own = proba[np.arange(len(labels)), labels]
    epsilon = min(_MAX_EPSILON, 0.5 * float(shares[shares > 0].min()))
    is_certain = (own <= 0.0) | (own >= 1.0)
    return np.asarray(-np.log2(np.where(is_certain, np.clip(own, epsilon, 1.0 - epsilon), own)))


def _mse(proba: NDArray[np.float64], labels: NDArray[np.intp], _shares: NDArray[np.float64]) -> NDArray[np.float64]:
    errors = proba.copy()
    errors[np.arange(len(labels)), labels] -= 1.0
    return np.asarray(np.einsum("ij,ij->i", errors, errors))


Loss: TypeAlias = Callable[["NDArray[np.float64]", "NDArray[np.intp]", "NDArray[np.float64]"], "NDArray[np.float64]"]

LOSSES: dict[str, Loss] = {"avll": _avll, "log_loss": _log_loss, "mse": _mse}
