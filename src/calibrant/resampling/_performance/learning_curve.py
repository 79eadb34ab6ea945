"""Learning curves: performance by the number of training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._fit_warnings import one_warning_a_fit
from calibrant._optional import optional_import
from calibrant._random import SeedLike
from calibrant._repr import aligned_lines, number_text
from calibrant.exceptions import ParameterError
from calibrant.resampling._performance.estimate import run_plan
from calibrant.resampling._performance.performance import METRIC_PARAMETERS, Performance
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.derived_plans import SmallerTraining
from calibrant.resampling._trials.experiment import Experiment

_SIZES = (0.1, 0.2, 0.4, 0.7, 1.0)  # about twice the one before: learning curves are nearly straight in the log of rows


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """The performance at each size of the training sets, returned by `learning_curve`.

    Parameters
    ----------
    performances : tuple of Performance
        One for each size, the smallest first.
    sizes : tuple of float
        Number of training rows, averaged over splits.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> X, y = [[i] for i in range(60)], [0] * 30 + [1] * 30
    >>> curve = learning_curve(ProbabilityTreeClassifier(), X, y, 3, ["error"], sizes=[0.5, 1.0])
    >>> curve.sizes
    (20.0, 40.0)
    """

    performances: tuple[Performance, ...]
    sizes: tuple[float, ...]

    @fill_docstring(metric_parameters=METRIC_PARAMETERS)
    def means(self, metric: str, method: str | None = None) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the mean of a metric at each size.

        %(metric_parameters)s

        Returns
        -------
        array of shape (n_sizes,)
            The means.
        """
        return np.array([each.mean(metric, method) for each in self.performances])

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each size, method and metric.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> X, y = [[i] for i in range(60)], [0] * 30 + [1] * 30
        >>> curve = learning_curve(ProbabilityTreeClassifier(), X, y, 3, ["error"], sizes=[0.5, 1.0])
        >>> curve.to_frame()[["n_train", "metric", "mean"]]
           n_train metric      mean
        0     20.0  error  0.016667
        1     40.0  error  0.016667
        """
        pandas = optional_import("pandas", extra="data", purpose="return a learning curve as a frame")
        parts = [each.to_frame().assign(n_train=size) for size, each in zip(self.sizes, self.performances, strict=True)]
        frame = pandas.concat(parts, ignore_index=True)
        return frame[["n_train", *(name for name in frame if name != "n_train")]]

    def __repr__(self) -> str:
        first = self.performances[0]
        lines = [["rows", *(f"{method} {metric}" for method in first.methods for metric in first.metrics)]]
        for size, found in zip(self.sizes, self.performances, strict=True):
            cells = [number_text(found.mean(metric, method)) for method in found.methods for metric in found.metrics]
            lines.append([f"{size:,.0f}", *cells])
        title = f"Learning curve by {first.plan.partition(', learning from')[0]}"
        return "\n".join([title, *aligned_lines(lines, left=())])


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    plan: Any = None,
    metrics: Any = None,
    *,
    sizes: Sequence[float] = _SIZES,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    metric_params: Mapping[str, Mapping[str, Any]] | None = None,
    confidence: float = 0.95,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Estimate performance by the number of training rows, on the same test rows for all sizes.

    The rows of a smaller size are among those of a larger one.

    Parameters
    ----------
    estimator, X, y, plan, metrics, groups, sample_weight, pos_label, metric_params, confidence, n_jobs
        As in `estimate_performance`.
    sizes : sequence of float or int
        Shares of the training rows, up to 1.0, or numbers of them.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the choice of the training rows.

    Returns
    -------
    LearningCurve
        A performance for each size.

    Notes
    -----
    When it misleads: the curve ends where the data end. A curve that still falls shows that more rows would help; one
    that is flat shows that they would not, with these columns and this learner. Every size has the same test rows, so
    that the points are correlated.

    Examples
    --------
    >>> from calibrant.data import load
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> donors = load("appeal")
    >>> tree = ProbabilityTreeClassifier(estimate="m")
    >>> learning_curve(tree, donors.X, donors.y, 5, ["auc"], sizes=[0.25, 0.5, 1.0]).sizes
    (300.0, 600.0, 1200.0)
    """
    base = splitters.read_plan(plan)
    are_numbers = all(isinstance(size, Real) and size > 0 for size in sizes)
    ordered = sorted(sizes, key=lambda size: (isinstance(size, int), size)) if are_numbers else []
    if not ordered or any(isinstance(size, float) and size > 1.0 for size in ordered):
        raise ParameterError(f"sizes must be shares above 0 and up to 1.0, or numbers of rows; got {sizes!r}.")
    experiment = Experiment.read(
        estimator, X, y, metrics, groups, sample_weight, pos_label, metric_params, confidence, n_jobs
    )
    plans = (
        base if size == 1.0 and isinstance(size, float) else SmallerTraining(base, size, random_state=random_state)
        for size in ordered
    )
    with one_warning_a_fit():
        by_size = sorted((run_plan(experiment, each) for each in plans), key=lambda each: float(each.n_train.mean()))
    return LearningCurve(tuple(by_size), tuple(float(each.n_train.mean()) for each in by_size))
