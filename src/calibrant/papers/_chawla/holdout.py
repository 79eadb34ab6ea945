"""The paper's protocol as a study, with the values of its splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics import nce
from calibrant.metrics._internal import read_predictions
from calibrant.resampling import RepeatedHoldout
from calibrant.studies import Study, StudyResults


def zero_share(y_true: Any, y_proba: Any) -> float:
    """Return the share of rows whose actual class has probability 0, each of which makes the NCE infinite.

    Examples
    --------
    >>> zero_share([0, 1, 1, 0], [0.2, 0.0, 0.5, 0.0])
    0.25
    """
    return float(np.mean(read_predictions(y_true, y_proba).true_class_proba() == 0.0))


def finite_nce(y_true: Any, y_proba: Any) -> float:
    """Return the NCE in base 10 with 0 for the rows whose actual class has probability 0.

    Examples
    --------
    >>> finite_nce([0, 1, 1, 0], [0.9, 0.0, 0.1, 0.0])
    0.5
    """
    proba = read_predictions(y_true, y_proba).true_class_proba()
    return float(-np.log10(proba, out=np.zeros_like(proba), where=proba > 0.0).mean())


COIL: Final = {"CoIL": "zadrozny.coil"}  # of Zadrozny & Elkan (2001), whose finding on bagging is the contrary
CLIPS: Final = (3, 6, 15)  # digits of 0.001, 0.000001 and scikit-learn's former 1e-15
# The metrics of Figure 3. The NCE needs a least probability: without one nearly every split of a tree's raw
# frequencies and of their average over bags has an infinite one.
METRICS: Final = {"NCE": "nce_clip_6", "QL": "ql", "01L": "error", "AUC": "auc"}

_TEST_SHARE = 0.3
_PARAMS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nce": {"base": 10},
    "error": {"threshold": 0.5},
    **{f"nce_clip_{digits}": {"base": 10, "clip": 10.0**-digits} for digits in CLIPS},
}


def holdout_study(
    name: str,
    datasets: Mapping[str, str],
    methods: Mapping[str, Any],
    n_splits: int,
    store: str,
    *,
    keep_predictions: bool = False,
) -> Study:
    """Return the study of 70 % training rows and 30 % test rows, drawn so often, with every metric."""
    clipped = dict.fromkeys((f"nce_clip_{digits}" for digits in CLIPS), nce)
    return Study(
        name,
        datasets=dict(datasets),
        methods=methods,
        plan=RepeatedHoldout(n_splits, _TEST_SHARE, stratified=False, random_state=2006),
        metrics={
            **dict.fromkeys(("nce", "ql", "error", "auc")),
            **clipped,
            "finite_nce": finite_nce,
            "zero_share": zero_share,
        },
        metric_params=_PARAMS,
        seed=2006,
        store=store,
        keep_predictions=keep_predictions,
    )


@dataclass(frozen=True)
class SplitValues:
    """The metrics of every split of a study, and what they say of a single one like the paper's."""

    results: StudyResults

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets."""
        return tuple(self.results.datasets)

    def values(self, dataset: str, method: str, metric: str) -> NDArray[np.float64]:
        """Return a metric of a method, by split; the metric by its name in the paper or in the study."""
        row = self.results.methods.index(method)
        found: NDArray[np.float64] = self.results.split_values(METRICS.get(metric, metric), dataset)[row]
        return found


def single_split_error(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of the mean of the values less one more value of the same kind.

    Examples
    --------
    >>> round(single_split_error(np.array([1.0, 2.0, 3.0])), 4)  # 1 times the root of 4 / 3
    1.1547
    """
    return float(values.std(ddof=1) * np.sqrt(1.0 + 1.0 / len(values)))
