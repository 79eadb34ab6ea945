"""Support vector machines with the kernels of SVM-Light (s = r = 1, Joachims 1999), one or one for each class."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from calibrant._saved import Array, Integer, Number, need, saved

if TYPE_CHECKING:
    from calibrant.data._internal import MergedRows

_MOST_OF_MATRIX = 8192  # rows: their kernel matrix is 512 MiB; with it a fit takes a half to an eighth of the time
_CACHE_MEGABYTES = 512
_LARGE = 1e150  # products of two such numbers are finite
_FARTHEST = 1e6  # of a standardised term, so that powers of products are finite
_BLOCK_CELLS = 2_000_000  # kernel values of a block of rows, 16 MB


@saved(
    inline=True,
    support=Array("f8", ndim=2, finite=True, low=-_LARGE, high=_LARGE),
    coef=Array("f8", ndim=2, finite=True, low=-1e100, high=1e100),
    intercept=Array("f8", finite=True, low=-_LARGE, high=_LARGE),
    low=Number(-1e300, 1e300),
    high=Number(-1e300, 1e300),
)
@dataclass(frozen=True, eq=False)
class Machines:
    """Machines on shared support vectors; of a linear kernel each has one, the weights of the terms."""

    kernel: KernelFunction
    support: NDArray[np.float64]  # vectors x terms
    coef: NDArray[np.float64]  # machines x vectors
    intercept: NDArray[np.float64]
    low: float  # the least and the greatest margin of training rows, by whichever machine
    high: float

    def _check_saved(self) -> None:
        need(self.coef.shape[1] == len(self.support), "has other coefficients than support vectors")
        is_near = self.kernel.name == "linear" or bool((np.abs(self.support) <= _FARTHEST).all())
        need(is_near, "has support vectors beyond all rows")
        need(self.low <= self.high, "has a least margin above the greatest")

    def margins(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the margin of each row by each machine."""
        size = max(1, _BLOCK_CELLS // max(1, len(self.support)))
        parts = [
            self.kernel.matrix(terms[first : first + size], self.support) @ self.coef.T
            for first in range(0, len(terms), size)
        ]
        return np.vstack([*parts, np.empty((0, len(self.coef)))]) + self.intercept

    def scaled(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return margins relative to those of the training rows: 0 at the least, 1 at the greatest, none beyond."""
        span = self.high - self.low
        return np.clip((margins - self.low) / span, 0.0, 1.0) if span > 0 else np.full_like(margins, 0.5)


def fit_machines(
    kernel: KernelFunction,
    terms: NDArray[np.float64],
    rows: MergedRows,
    n_classes: int,
    *,
    C: float,
    max_iter: int | None,
) -> tuple[Machines, NDArray[np.intp], bool]:
    """Return the machines of training rows, the iterations of each, and whether all have converged."""
    # the same matrix for every class and every C, so that a fit does not depend on what it is shared with
    matrix = kernel.matrix(terms, terms) if len(terms) <= _MOST_OF_MATRIX else None
    options: dict[str, Any] = {"kernel": "precomputed"}
    if matrix is None:  # the same kernel by the names of libsvm
        names = {"linear": "linear", "polynomial": "poly", "radial": "rbf"}
        gamma = kernel.gamma if kernel.name == "radial" else 1.0
        options = {"kernel": names[kernel.name], "degree": kernel.degree, "gamma": gamma, "coef0": 1.0}
    options |= {"C": C, "max_iter": -1 if max_iter is None else max_iter, "cache_size": _CACHE_MEGABYTES}
    X, weights = terms if matrix is None else matrix, None if (rows.weights == 1).all() else rows.weights
    classes = range(n_classes) if n_classes > 2 else range(1, n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = [SVC(**options).fit(X, rows.codes == label, weights) for label in classes]
    coef, intercept = np.zeros((len(fitted), len(terms))), np.array([each.intercept_[0] for each in fitted])
    for row, each in zip(coef, fitted, strict=True):
        row[each.support_] = each.dual_coef_[0]
    is_used = coef.any(axis=0)
    support, of_support = terms[is_used], coef[:, is_used]
    if kernel.name == "linear":  # the weights of the terms say the same, and hold no training row
        support, of_support = of_support @ support, np.eye(len(coef))
    machines = Machines(kernel, support, of_support, intercept, 0.0, 0.0)
    margins = machines.margins(terms) if matrix is None else matrix @ coef.T + intercept
    low, high = (float(margins.min()), float(margins.max())) if fitted else (0.0, 0.0)
    n_iter = np.array([each.n_iter_[0] for each in fitted], dtype=np.intp)
    return replace(machines, low=low, high=high), n_iter, not any(each.fit_status_ for each in fitted)


KernelName = Literal["linear", "polynomial", "radial"]


@saved(inline=True, degree=Integer(1, 10), gamma=Number(0, 1e6))
@dataclass(frozen=True)
class KernelFunction:
    """A kernel: x.z, (x.z + 1)^degree or exp(-gamma |x - z|^2)."""

    name: KernelName
    degree: int
    gamma: float

    def matrix(self, rows: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the kernel of each row with each of the others.

        Examples
        --------
        >>> KernelFunction("polynomial", 3, 1.0).matrix(np.array([[1.0, 2.0]]), np.array([[0.5, 0.5]]))
        array([[15.625]])
        """
        products = rows @ others.T
        if self.name == "linear":
            return products
        if self.name == "polynomial":
            return _power(products, self.degree)
        products *= 2
        products -= np.square(rows).sum(axis=1)[:, np.newaxis]
        products -= np.square(others).sum(axis=1)
        products *= self.gamma
        return np.exp(np.minimum(products, 0.0, out=products), out=products)  # equal rows may be 1e-16 above 0


def _power(products: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """Return (products + 1)^degree, by multiplications: NumPy's power takes ten times as long."""
    products += 1
    power = products.copy()
    for _ in range(degree - 1):
        power *= products
    return power
