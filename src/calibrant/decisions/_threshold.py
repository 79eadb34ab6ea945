"""A classifier whose decision threshold is tuned on held-out rows, by cost or by a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._fit_warnings import one_warning_a_fit
from calibrant._params import Choice, HasMethods, Real, Rule, Seed, check_params
from calibrant._random import SeedLike
from calibrant._saved import Inline, Number, RowsOnly, need, saved
from calibrant._threads import N_JOBS
from calibrant.calibration import HeldOut
from calibrant.calibration._internal import CV, Scoring, Source, make_splits, read_fit_data
from calibrant.curves import ThresholdTable, threshold_table
from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._cost_sensitive import COSTS, WrappingClassifier, check_has_predict_proba
from calibrant.decisions._expected_cost import as_costs
from calibrant.exceptions import DataError, ParameterError


def _kappa(table: ThresholdTable) -> NDArray[np.float64]:
    total = table.tp + table.fp + table.fn + table.tn
    chance = (table.tp + table.fp) * (table.tp + table.fn) + (table.fn + table.tn) * (table.fp + table.tn)
    expected = chance / total
    return np.asarray((table.tp + table.tn - expected) / (total - expected))


def _g_mean(table: ThresholdTable) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(table.tpr * (1.0 - table.fpr)))


_GOALS: dict[str, Callable[[ThresholdTable], NDArray[np.float64]]] = {
    "accuracy": lambda table: table.accuracy,
    "f1": lambda table: table.f1,
    "kappa": _kappa,
    "g_mean": _g_mean,
}


class _Folds(Rule):
    """Accept folds of any kind, but none of the names that `CalibratedClassifier` accepts for `cv`."""

    def __contains__(self, value: object) -> bool:
        return value in CV and not isinstance(value, str)

    def _words(self) -> tuple[str, ...]:
        return ("an int >= 2", "a splitter", "an iterable of (train, test) pairs")

    def _hint(self, value: object, /) -> str:
        return CV._hint(value)


_TIE = 1e-12  # values that differ by rounding only are equally good


@saved(
    threshold_=Number(-1, 2),
    value_=Number(finite=False),
    held_out_=RowsOnly(Inline(HeldOut)),
    table_=RowsOnly(Inline(ThresholdTable)),
)
class ThresholdClassifier(WrappingClassifier):
    """A binary classifier whose threshold was best on held-out rows.

    Every threshold is tried on the pooled held-out scores of the folds, so probabilities need not be calibrated.
    Where they are, `CostSensitiveClassifier` needs no search: the costs imply the threshold.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn compatible classifier with `predict_proba`.
    costs : CostMatrix, dict of dicts or array of shape (2, 2), optional
        The costs of decisions; by default every error costs 1.
    goal : {"cost", "accuracy", "f1", "kappa", "g_mean"}
        What the threshold minimizes (cost) or maximizes (all others).
    evidence : float
        With ``goal="cost"``: by how many standard errors of the paired difference the best threshold must be cheaper
        than the one that the costs imply, which is kept otherwise. 0 always takes the best and so follows the noise.
    cv : int, splitter or iterable of (train, test) pairs
        How held-out scores are made; a number stands for stratified folds of shuffled rows.
    n_jobs : int, optional
        Number of folds fitted in parallel.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seed of the shuffle.

    Attributes
    ----------
    threshold_ : float
        Rows with at least this probability of the second class are assigned to it. The best threshold is known to lie
        between two scores only: it is the implied threshold if that lies between them, else their midpoint; of equally
        good thresholds the one nearest to the implied threshold.
    classes_ : array of shape (2,)
        The classes, sorted.
    estimator_ : classifier
        The base model, fitted to all rows; ``estimators_`` is a list with it.
    held_out_ : HeldOut
        The scores that the threshold was tuned on.
    table_, value_ : ThresholdTable, float
        The counts at every threshold, and the value of the goal at the chosen one: the mean cost of a row, or the
        metric. Chosen as the best of many, it is optimistic.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ThresholdClassifier(GaussianNB(), [[0, 50], [1, 0]]).fit(X, y)
    >>> bool(model.threshold_ > 0.9)
    True
    """

    threshold_: float
    held_out_: HeldOut
    table_: ThresholdTable

    _rules: ClassVar[Mapping[str, Rule]] = {
        "estimator": HasMethods("fit", words="a classifier"),
        "costs": COSTS,
        "goal": Choice("cost", *_GOALS),
        "evidence": Real(0),
        "cv": _Folds(),
        "n_jobs": N_JOBS,
        "random_state": Seed(),
    }

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        *,
        goal: str = "cost",
        evidence: float = 1.0,
        cv: Source = 5,
        n_jobs: int | None = None,
        random_state: SeedLike = 0,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.goal = goal
        self.evidence = evidence
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **fit_params: Any) -> Self:
        """Fit the classifier and choose the threshold.

        Parameters
        ----------
        %(X_wrapped)s
        y : sequence of length n_rows
            The class of each row, one of two.
        sample_weight : sequence of length n_rows, optional
            The weight of each row, in tuning the threshold and, if it takes weights, in fitting the estimator.
        groups : sequence of length n_rows, optional
            The group of each row, such as the patient of several rows: folds keep groups whole, and the evidence for a
            threshold is that of groups. A splitter gets them, and so does the estimator's `fit` where it takes them.
        %(fit_params)s

        Returns
        -------
        %(fitted_self)s
        """
        check_params(self)
        check_has_predict_proba(self.estimator, "to have a threshold")
        otherwise = "the weights are used in tuning the threshold only"
        data, kept = read_fit_data(self, X, y, sample_weight, fit_params, groups=groups, otherwise=otherwise)
        classes = data.classes
        if len(classes) != 2:
            raise DataError(
                f"Only binary classification is supported. The type of the target is multiclass: y has {len(classes)} "
                "classes. Use CostSensitiveClassifier."
            )
        goal = _Goal.of(self.goal, self.costs, classes)
        splits = make_splits(self.cv, data, kept, self.random_state)
        scoring = Scoring(self.estimator, "predict_proba", classes)
        with one_warning_a_fit():
            self.held_out_ = scoring.held_out(data, splits, self.n_jobs)
            self._choose_threshold(goal, classes)
            self._store_models(classes, [data.fit_clone(self.estimator)])
        self.estimator_ = self.estimators_[0]
        return self

    def _choose_threshold(self, goal: _Goal, classes: NDArray[Any]) -> None:
        held = self.held_out_
        self.table_ = threshold_table(held.y, held.scores[:, 0], sample_weight=held.weight, labels=classes)
        values = np.nan_to_num(goal.values(self.table_), nan=-np.inf)
        best, value = _best_threshold(self.table_.threshold, values, goal.implied()), float(values.max())
        if self.goal == "cost" and not goal.is_cheaper(held, best, self.evidence):
            best = goal.implied()
            value = float(values[np.count_nonzero(self.table_.threshold >= best) - 1])
        self.threshold_, self.value_ = best, -value if self.goal == "cost" else value

    @fill_docstring(X_predict="%(X_wrapped)s")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the second class where its probability reaches the threshold.

        %(predict_sections)s
        """
        check_is_fitted(self, "threshold_")
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] >= self.threshold_).astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_saved(self) -> None:
        self._check_models("predict_proba")
        need(len(self.classes_) == 2 and len(self.estimators_) == 1, "must have one model of two classes")


def _best_threshold(scores: NDArray[np.float64], values: NDArray[np.float64], implied: float) -> float:
    """Choose among the best thresholds, each known up to the gap between a score and the next lower one."""
    above = np.minimum(scores, np.nextafter(1.0, 2.0))  # the first score is infinite: no row is selected
    below = np.append(scores[1:], 0.0)
    best = np.flatnonzero(values >= values.max() - _TIE)
    inside = np.clip(implied, np.nextafter(below[best], 2.0), above[best])
    middle = np.where(inside == implied, implied, (above[best] + below[best]) / 2.0)
    return float(middle[np.abs(middle - implied).argmin()])


class _Goal:
    """The objective of the threshold: its value at every row of a threshold table, greater being better."""

    def __init__(self, name: str, costs: CostMatrix) -> None:
        self.name, self.costs = name, costs

    @classmethod
    def of(cls, name: str, costs: Any, classes: NDArray[Any]) -> _Goal:
        known = CostMatrix.errors(classes.tolist()) if costs is None else as_costs(costs)
        if not isinstance(known, CostMatrix):
            raise ParameterError(
                "costs of a threshold must be a CostMatrix; with ExampleCosts each row has its own threshold. Use "
                "CostSensitiveClassifier."
            )
        matrix = known.for_classes(classes)
        if set(matrix.actions or ()) != set(classes.tolist()):
            raise ParameterError(f"costs must have the two classes as actions; got {list(matrix.actions or ())}.")
        return cls(name, matrix)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The costs, rows and columns in the order of the classes."""
        return self.costs.matrix[:, [list(self.costs.actions or ()).index(label) for label in self.costs.labels or ()]]

    def implied(self) -> float:
        """Return the threshold that is best for calibrated probabilities; one half for goals other than cost."""
        try:
            return CostMatrix(self.matrix).threshold() if self.name == "cost" else 0.5
        except ParameterError:  # one action is cheaper for both classes: no threshold is implied
            return 0.5

    def is_cheaper(self, held: HeldOut, best: float, evidence: float) -> bool:
        """Return whether a threshold is cheaper than the implied one by more than `evidence` standard errors."""
        actual = (held.y == (self.costs.labels or ())[1]).astype(np.intp)
        before, after = (
            self.matrix[actual, (held.scores[:, 0] >= threshold).astype(np.intp)]
            for threshold in (self.implied(), best)
        )
        weight = np.ones(len(actual)) if held.weight is None else held.weight
        saved = before - after
        gain = float((weight * saved).sum())
        variance = float((weight * saved**2).sum()) - gain**2 / float(weight.sum())
        if held.groups is not None:  # the sums of groups are the observations
            sums = np.bincount(held.groups, weight * saved)
            variance = float(sums.var(ddof=1)) * len(sums) if len(sums) > 1 else np.inf
        return bool(gain > evidence * np.sqrt(max(variance, 0.0)))

    def values(self, table: ThresholdTable) -> NDArray[np.float64]:
        """Return the value of the goal at every threshold."""
        if self.name != "cost":
            return _GOALS[self.name](table)
        (tn, fp), (fn, tp) = self.matrix
        total = table.tp + table.fp + table.fn + table.tn
        return np.asarray(0.0 - (tn * table.tn + fp * table.fp + fn * table.fn + tp * table.tp) / total)
