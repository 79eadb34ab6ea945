"""Any classifier with scikit-learn's interface as a member, cross-validated on the rows as passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from calibrant._random import stream_seed
from calibrant.blending._members.cross_validation import cross_validate
from calibrant.blending._members.member import BlendRows, FittedMember, OneReading
from calibrant.calibration._internal import take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["EstimatorLearner", "EstimatorModel"]

_THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")  # as scikit-learn, CatBoost, XGBoost, LightGBM name it


@dataclass(frozen=True, eq=False)
class EstimatorModel(OneReading):
    """A fitted classifier of another library; classes that it has not seen have probability 0."""

    estimator: Any
    classes: NDArray[Any]

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:  # noqa: ARG002
        """Return the class probabilities of rows, or a softmax of margins, which the pool scales."""
        return [self.proba(new.X)]

    def proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of rows as passed."""
        proba = np.zeros((len(X), len(self.classes)))
        seen = np.searchsorted(self.classes, self.estimator.classes_)
        with threadpool_limits(1):
            proba[:, seen] = self._scores(X)
        return proba

    def _scores(self, X: Any) -> NDArray[np.float64]:
        if hasattr(self.estimator, "predict_proba"):
            return np.asarray(self.estimator.predict_proba(X), dtype=np.float64)
        margins = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        if margins.ndim == 1:
            margins = np.stack([-margins, margins], axis=1) / 2.0
        return np.asarray(softmax(margins, axis=1))


@dataclass(frozen=True, eq=False)
class EstimatorLearner:
    """A classifier that is cloned and fitted to each fold's training rows, on one thread."""

    family: str
    estimator: Any
    stream: int

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the classifier to the sample, and to the rows outside each fold."""
        base = self._seeded(table)
        positions = np.arange(table.n_rows) if table.kept is None else table.kept

        def fit_rows(weights: NDArray[np.float64]) -> EstimatorModel:
            rows = np.flatnonzero(weights)
            is_weighted = has_fit_parameter(base, "sample_weight") and (weights[rows] != 1.0).any()
            arguments = {"sample_weight": weights[rows]} if is_weighted else {}
            y = table.examples.classes[table.codes[rows]]
            with threadpool_limits(1):
                return EstimatorModel(
                    clone(base).fit(take_rows(table.X, positions[rows]), y, **arguments), table.examples.classes
                )

        def score(model: EstimatorModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return model.proba(take_rows(table.X, positions[rows]))

        try:
            model, held_out = cross_validate(fit_rows, score, table)
        except Exception as error:
            error.add_note(f"Raised by the member {self.family!r}, which gets the rows as they were passed.")
            raise
        return FittedMember(self.family, (self.family,), (held_out,), model)

    def _seeded(self, table: BlendTable) -> Any:
        """Return the classifier with one thread, and a seed where it has none."""
        base = clone(self.estimator)
        params = base.get_params()
        changed: dict[str, Any] = {name: 1 for name in _THREADS if name in params}
        changed |= {
            name: stream_seed(table.seed, self.stream, i) % 2**31
            for i, (name, value) in enumerate(sorted(params.items()))
            if value is None and name.rpartition("__")[2] in ("random_state", "random_seed")
        }
        return base.set_params(**changed)
