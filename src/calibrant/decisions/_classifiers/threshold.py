"""A classifier whose threshold is chosen by what held-out rows would have cost or scored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from calibrant._params import Choice, HasMethods, Int, Nothing, Real, Rule, Seed, check_params
from calibrant._random import SeedLike
from calibrant.calibration._internal import CV, HeldOut, Scoring, Source, fit_folds, pooled, read_given, splits_of
from calibrant.curves import ThresholdTable, threshold_table
from calibrant.decisions._classifiers.cost_sensitive import COSTS
from calibrant.decisions._classifiers.wrapping import WrappingClassifier, check_gives_proba
from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.either_costs import as_costs
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["ThresholdClassifier"]


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
    """Folds of any kind: held-out scores cannot come from elsewhere."""

    def __contains__(self, value: object) -> bool:
        return value in CV and not isinstance(value, str)

    def _words(self) -> tuple[str, ...]:
        return ("an int >= 2", "a splitter", "an iterable of (train, test) pairs")


_TIE = 1e-12
_RULES = {
    "estimator": HasMethods("fit", words="a classifier"),
    "costs": COSTS,
    "goal": Choice("cost", *_GOALS),
    "evidence": Real(0),
    "cv": _Folds(),
    "n_jobs": Int() | Nothing(),
    "random_state": Seed(),
}


class ThresholdClassifier(WrappingClassifier):
    """A classifier of two classes whose threshold was best on rows that it was not fitted to.

    Every threshold is tried on the pooled scores of the folds, so that it serves probabilities that are not calibrated,
    too. Where they are, `CostSensitiveClassifier` needs no search: the costs give the threshold.

    Parameters
    ----------
    estimator : classifier
        Any classifier of scikit-learn's kind with `predict_proba`.
    costs : CostMatrix, dict of dicts or array of shape (2, 2), optional
        What decisions cost; by default every error costs 1.
    goal : {"cost", "accuracy", "f1", "kappa", "g_mean"}
        What the threshold is to make least (cost) or greatest (all others).
    evidence : float
        By how many standard errors of the paired difference the best threshold must be cheaper, for ``goal="cost"``,
        than the one that the costs imply, which is kept otherwise; 0 takes the best, and follows the noise.
    cv : int, splitter or iterable of (train, test) pairs
        Where held-out scores come from; a number: stratified folds of shuffled rows.
    n_jobs : int, optional
        Folds fitted at once.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the shuffle.

    Attributes
    ----------
    threshold_ : float
        Rows with at least this probability of the second class get it. Between two scores that the best cut parts it is
        the threshold that costs imply, where that lies there, else halfway; of cuts that are equally good the nearest.
    classes_ : array of shape (2,)
        The classes, sorted.
    estimator_ : classifier
        The base model, fitted to all rows; ``estimators_`` is a list with it.
    held_out_ : HeldOut
        The scores that the threshold was chosen by.
    table_, value_ : ThresholdTable, float
        What every threshold does to them, and what the chosen one attains of the goal: a mean cost of a row, or a
        measure. It was chosen as the best, and so flatters.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the classifier and choose the threshold.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.
        y : sequence of length n_rows
            The class of each row, one of two.
        sample_weight : sequence of length n_rows, optional
            How often each row counts, in the choice and, where it takes weights, in the estimator.
        **fit_params : Any
            Parameters of the estimator's `fit`.

        Returns
        -------
        ThresholdClassifier
            The classifier itself.
        """
        check_params(self, _RULES)
        check_gives_proba(self.estimator, "to have a threshold")
        given, kept = read_given(
            self, X, y, sample_weight, fit_params, otherwise="the weights count in the choice of the threshold only"
        )
        classes = np.unique(given.y)
        if len(classes) != 2:
            raise DataError(
                f"Only binary classification is supported. The type of the target is multiclass: y has {len(classes)} "
                "classes. Use CostSensitiveClassifier."
            )
        goal = _Goal.of(self.goal, self.costs, classes)
        splits = splits_of(self.cv, given, kept, self.random_state)
        scoring = Scoring(self.estimator, "predict_proba", classes)
        _, scores = zip(*fit_folds(scoring, given, splits, self.n_jobs), strict=True)
        self.held_out_ = pooled(given, splits, list(scores))
        self._choose(goal, classes)
        self._store(classes, [given.fitted(self.estimator)])
        self.estimator_ = self.estimators_[0]
        return self

    def _choose(self, goal: _Goal, classes: NDArray[Any]) -> None:
        held = self.held_out_
        self.table_ = threshold_table(held.y, held.scores[:, 0], sample_weight=held.weight, labels=classes)
        values = np.nan_to_num(goal.values(self.table_), nan=-np.inf)
        best, value = _settled(self.table_.threshold, values, goal.implied()), float(values.max())
        if self.goal == "cost" and not goal.is_shown(held, best, self.evidence):
            best = goal.implied()
            value = float(values[np.count_nonzero(self.table_.threshold >= best) - 1])
        self.threshold_, self.value_ = best, -value if self.goal == "cost" else value

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the second class where its probability reaches the threshold.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``.
        """
        check_is_fitted(self, "threshold_")
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] >= self.threshold_).astype(np.intp)])

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what `fit` passes on, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            To the estimator's `fit` and the splitter's `split`.
        """
        mapping = MethodMapping().add(caller="fit", callee="split")
        return super().get_metadata_routing().add(splitter=self.cv, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _settled(scores: NDArray[np.float64], values: NDArray[np.float64], implied: float) -> float:
    """Choose among the best cuts, each just above the scores from its own downwards, infinity being no row."""
    above = np.minimum(scores, np.nextafter(1.0, 2.0))
    below = np.append(scores[1:], 0.0)
    best = np.flatnonzero(values >= values.max() - _TIE)
    inside = np.clip(implied, np.nextafter(below[best], 2.0), above[best])
    middle = np.where(inside == implied, implied, (above[best] + below[best]) / 2.0)
    return float(middle[np.abs(middle - implied).argmin()])


class _Goal:
    """What is to be greatest, of a table of thresholds."""

    def __init__(self, name: str, costs: CostMatrix) -> None:
        self.name, self.costs = name, costs

    @classmethod
    def of(cls, name: str, costs: Any, classes: NDArray[Any]) -> _Goal:
        read = CostMatrix.errors(classes.tolist()) if costs is None else as_costs(costs)
        if not isinstance(read, CostMatrix):
            raise ParameterError(
                "costs of a threshold must be a CostMatrix; with ExampleCosts each row has its own one."
            )
        matrix = read.for_classes(classes)
        if set(matrix.actions or ()) != set(classes.tolist()):
            raise ParameterError(f"costs must have the two classes as actions; got {list(matrix.actions or ())}.")
        return cls(name, matrix)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The costs, both ways in the order of the classes."""
        return self.costs.matrix[:, [list(self.costs.actions or ()).index(label) for label in self.costs.labels or ()]]

    def implied(self) -> float:
        """Give the threshold that would be right for calibrated probabilities; one half for measures."""
        try:
            return CostMatrix(self.matrix).threshold() if self.name == "cost" else 0.5
        except ParameterError:
            return 0.5

    def is_shown(self, held: HeldOut, best: float, evidence: float) -> bool:
        """Say whether a threshold is cheaper than the implied one by so many standard errors."""
        actual = (held.y == (self.costs.labels or ())[1]).astype(np.intp)
        told = [self.matrix[actual, (held.scores[:, 0] >= cut).astype(np.intp)] for cut in (self.implied(), best)]
        weight = np.ones(len(actual)) if held.weight is None else held.weight
        saved = told[0] - told[1]
        gain = float((weight * saved).sum())
        spread = float((weight * saved**2).sum()) - gain**2 / float(weight.sum())
        return bool(gain > evidence * np.sqrt(max(spread, 0.0)))

    def values(self, table: ThresholdTable) -> NDArray[np.float64]:
        if self.name != "cost":
            return _GOALS[self.name](table)
        (tn, fp), (fn, tp) = self.matrix
        total = table.tp + table.fp + table.fn + table.tn
        return np.asarray(0.0 - (tn * table.tn + fp * table.fp + fn * table.fn + tp * table.tp) / total)
