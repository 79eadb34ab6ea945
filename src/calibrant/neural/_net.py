"""One training run by scikit-learn's MLPClassifier, whose net is kept after chosen epochs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.neural_network import MLPClassifier

from calibrant._saved import Array, Integer, need, saved
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from calibrant.data._internal import MergedRows

_WEIGHTS = Array("f8", ndim=2, finite=True, low=-1e150, high=1e150)  # products of two such numbers are finite
_BIASES = Array("f8", finite=True, low=-1e150, high=1e150)
_BLOCK_CELLS = 2_000_000  # numbers of the hidden units of a block of rows, 16 MB


@saved(
    inline=True,
    epoch=Integer(1, 10**9),
    hidden=_WEIGHTS,
    hidden_bias=_BIASES,
    output=_WEIGHTS,
    output_bias=_BIASES,
)
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
        outputs = np.empty((len(terms), self.output.shape[1]))
        for first in range(0, len(terms), size):
            units = terms[first : first + size] @ self.hidden
            units += self.hidden_bias
            outputs[first : first + size] = expit(units, out=units) @ self.output + self.output_bias
        if outputs.shape[1] > 1:
            return np.asarray(softmax(outputs, axis=1))
        return np.hstack([expit(-outputs), expit(outputs)])

    def check_loaded(self, n_terms: int, n_outputs: int) -> None:
        """Raise unless a loaded net has so many terms and outputs."""
        (n_inputs, n_hidden), n_biases = self.hidden.shape, (len(self.hidden_bias), len(self.output_bias))
        need(n_inputs == n_terms and n_hidden >= 1, "has a net of other columns")
        is_same = self.output.shape == (n_hidden, n_outputs) and n_biases == (n_hidden, n_outputs)
        need(is_same, "has a net of other units")


@dataclass(frozen=True)
class Training:
    """The training of nets: gradient descent with momentum on batches of shuffled rows, at a constant rate."""

    n_hidden: int
    momentum: float
    learning_rate: float
    batch_size: int

    def run(
        self, terms: NDArray[np.float64], rows: MergedRows, n_classes: int, epochs: Iterable[int], seed: int
    ) -> tuple[Net, ...]:
        """Return the net after each of some epochs; a longer run passes through the same nets."""
        net = MLPClassifier(
            (self.n_hidden,),
            activation="logistic",
            solver="sgd",
            alpha=0.0,
            batch_size=min(self.batch_size, len(terms)),
            learning_rate_init=self.learning_rate,
            momentum=self.momentum,
            nesterovs_momentum=False,  # plain momentum, as Rumelhart, Hinton and Williams have it
            # an object, since every epoch would shuffle rows alike by a number
            random_state=np.random.RandomState(seed),
        )
        wanted, kept, options = set(epochs), [], {"classes": np.arange(n_classes)}
        if (rows.weights != rows.weights[0]).any():  # where they do not differ, their unit changes nothing
            if "sample_weight" not in inspect.signature(MLPClassifier.partial_fit).parameters:
                raise ParameterError(
                    "NeuralNetClassifier: weights, and rows that repeat, need scikit-learn 1.7 or later."
                )
            options["sample_weight"] = rows.weights / rows.weights.mean()
        # An epoch a call: scikit-learn's own loop keeps no weights on the way
        for epoch in range(1, max(wanted) + 1):
            try:
                net.partial_fit(terms, rows.codes, **options)
            except ValueError as error:
                if "non-finite" not in str(error):
                    raise
                raise ParameterError(
                    f"learning_rate={self.learning_rate} is too great: the weights of the net became infinite. "
                    "Decrease it."
                ) from error
            if epoch in wanted:
                kept.append(Net.of(net, epoch))
        return tuple(kept)
