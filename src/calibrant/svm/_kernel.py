"""The kernels of SVM-Light with s = r = 1 (Joachims 1999): linear, polynomial and radial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KernelFunction", "KernelName"]

KernelName = Literal["linear", "polynomial", "radial"]


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

    def libsvm_params(self) -> dict[str, Any]:
        """Return the parameters of scikit-learn's SVC for the same kernel."""
        names = {"linear": "linear", "polynomial": "poly", "radial": "rbf"}
        gamma = self.gamma if self.name == "radial" else 1.0
        return {"kernel": names[self.name], "degree": self.degree, "gamma": gamma, "coef0": 1.0}


def _power(products: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """Return (products + 1)^degree, by multiplications: NumPy's power takes ten times as long."""
    products += 1
    power = products.copy()
    for _ in range(degree - 1):
        power *= products
    return power
