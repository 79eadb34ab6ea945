"""A trained net: the weights of a hidden layer and of the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.neural_network import MLPClassifier

__all__ = ["Net"]

_BLOCK_CELLS = 2_000_000  # numbers of the hidden units of a block of rows, 16 MB


@dataclass(frozen=True, eq=False)
class Net:
    """Weights and biases of hidden units, logistic functions of the terms, and of the outputs.

    There is one output for two classes, its log-odds, and one for each class where there are more.
    """

    epoch: int  # after which they were copied
    hidden: NDArray[np.float64]  # terms x units
    hidden_bias: NDArray[np.float64]
    output: NDArray[np.float64]  # units x outputs
    output_bias: NDArray[np.float64]

    @classmethod
    def of(cls, trained: MLPClassifier, epoch: int) -> Net:
        """Return a copy of the present weights of a net of scikit-learn's."""
        (hidden, output), (hidden_bias, output_bias) = trained.coefs_, trained.intercepts_
        return cls(epoch, hidden.copy(), hidden_bias.copy(), output.copy(), output_bias.copy())

    def proba(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class probabilities of rows."""
        size = max(1, _BLOCK_CELLS // self.hidden.shape[1])
        parts = [self._outputs(terms[first : first + size]) for first in range(0, len(terms), size)]
        outputs = np.vstack([*parts, np.empty((0, self.output.shape[1]))])
        if outputs.shape[1] > 1:
            return np.asarray(softmax(outputs, axis=1))
        return np.hstack([expit(-outputs), expit(outputs)])

    def _outputs(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        units = terms @ self.hidden
        units += self.hidden_bias
        return np.asarray(expit(units, out=units) @ self.output + self.output_bias)
