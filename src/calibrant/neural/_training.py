"""One training run by scikit-learn's MLPClassifier, whose net is kept after chosen epochs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neural_network import MLPClassifier

from calibrant.exceptions import ParameterError
from calibrant.neural._net import Net

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import MergedRows

__all__ = ["Training"]


@dataclass(frozen=True)
class Training:
    """How nets are trained: gradient descent with momentum on batches of shuffled rows, at a constant rate."""

    n_hidden: int
    momentum: float
    learning_rate: float
    batch_size: int

    def run(
        self, terms: NDArray[np.float64], rows: MergedRows, n_classes: int, epochs: Iterable[int], seed: int
    ) -> tuple[Net, ...]:
        """Return the net after each of some epochs; a longer run passes through the same nets."""
        wanted, classes = set(epochs), np.arange(n_classes)
        net, weights = self._untrained(len(terms), seed), _weights(rows.weights)
        kept = []
        for epoch in range(1, max(wanted) + 1):
            self._train_epoch(net, terms, rows.codes, classes, weights)
            if epoch in wanted:
                kept.append(Net.of(net, epoch))
        return tuple(kept)

    def _untrained(self, n_rows: int, seed: int) -> MLPClassifier:
        return MLPClassifier(
            (self.n_hidden,),
            activation="logistic",
            solver="sgd",
            alpha=0.0,
            batch_size=min(self.batch_size, n_rows),
            learning_rate_init=self.learning_rate,
            momentum=self.momentum,
            nesterovs_momentum=False,
            # an object, since every epoch would shuffle rows alike by a number
            random_state=np.random.RandomState(seed),
        )

    def _train_epoch(self, net: MLPClassifier, *arrays: Any) -> None:
        terms, codes, classes, weights = arrays
        try:
            net.partial_fit(terms, codes, classes=classes, **weights)
        except ValueError as error:
            if "non-finite" not in str(error):
                raise
            raise ParameterError(
                f"learning_rate={self.learning_rate} is too great: the weights of the net became infinite. Decrease it."
            ) from error


def _weights(weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return the argument that passes weights, where they differ; their unit changes nothing."""
    if (weights == weights[0]).all():
        return {}
    if "sample_weight" not in inspect.signature(MLPClassifier.partial_fit).parameters:
        raise ParameterError("NeuralNetClassifier: weights, and rows that repeat, need scikit-learn 1.7 or later.")
    return {"sample_weight": weights / weights.mean()}
