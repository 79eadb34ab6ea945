"""The systems of Zadrozny & Elkan (2001), with the settings that the paper states."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.calibration import Binning, CalibratedClassifier, PriorShift
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import Curtailment, Frequency, Laplace, MEstimate
from calibrant.papers._reproduction.paper import C45
from calibrant.trees import ProbabilityTreeClassifier

SWEPT_VALUES: Final = (25, 35, 50, 71, 100, 141, 200, 283, 400, 566, 800)
SWEPT: Final = {"Smoothing": "m", "Curtailment": "v", "Smoothed curtailment": "m = v"}
_BAYES_KINDS: Final = ("gaussian", "kernel", "equal_width")


def paper_methods(size: float, *, n_bags: int = 100, **params: Any) -> dict[str, Any]:
    """Return the thirteen methods of the tables, and variants where the paper leaves a choice.

    Parameters
    ----------
    size : float
        m of smoothing and v of curtailment: 200 on KDD'98, 170 on CoIL. Beside them stands the paper's heuristic of
        ``10 / b``, b being the base rate.
    n_bags : int
        Number of bagged trees.
    **params
        Further parameters of trees.
    """
    estimates = _estimates(size)
    bagged: dict[str, Any] = {
        "Bagged Laplace": Laplace(),
        "Bagged curtailment": Curtailment(v=size),
        "Bagged curtailment, 10/b": Curtailment(),
    }
    raw, forest = Frequency(), {"n_trees": n_bags, "n_jobs": 1, **C45, **params}
    return {
        **{name: ProbabilityTreeClassifier(estimate=each, **params) for name, each in estimates.items()},
        **{name: BaggedTreesClassifier(estimate=each, **forest) for name, each in bagged.items()},
        "Kearns-Mansour": ProbabilityTreeClassifier(criterion="dkm", estimate=raw, **params),
        "Kearns-Mansour, gain ratio": ProbabilityTreeClassifier(criterion="dkm_ratio", estimate=raw, **params),
        "C4.5 without pruning or penalty": ProbabilityTreeClassifier(mdl_penalty=False, estimate=raw, **params),
        "C4.5 with pruning": ProbabilityTreeClassifier(prune="pessimistic", collapse=True, estimate=raw, **params),
        "Naive Bayes": NaiveBayesClassifier(),
        "Binned naive Bayes": _binned(NaiveBayesClassifier()),
        "All base rate": ConstantClassifier(),
        "All zero (C4.5 with pruning)": ConstantClassifier(strategy="zero"),
        "All one": ConstantClassifier(strategy="one"),
    }


def _estimates(size: float) -> dict[str, Any]:
    return {
        "C4.5 without pruning": Frequency(),
        "Laplace (C4.4)": Laplace(),
        "Smoothing": MEstimate(m=size),
        "Curtailment": Curtailment(v=size),
        "Smoothed curtailment": Curtailment(v=size, then=MEstimate(m=size)),
        "Smoothing, 10/b": MEstimate(),
        "Curtailment, 10/b": Curtailment(),
        "Smoothed curtailment, 10/b": Curtailment(then=MEstimate()),
    }


def _binned(bayes: NaiveBayesClassifier) -> CalibratedClassifier:
    """Return naive Bayes with ten bins, fitted to its scores of its own training rows as in section 2.5."""
    return CalibratedClassifier(bayes, Binning(n_bins=10), cv="train")


def coil_variants(size: float, n_bags: int) -> dict[str, Any]:
    """Return the learned methods, with larger leaves and other kinds of naive Bayes beside them.

    On few columns and on all they show which choices that the paper leaves open explain its figures on CoIL.
    """
    constant = ("All", "C4.5 with pruning")
    methods = {
        name: each
        for name, each in paper_methods(size, n_bags=n_bags).items()
        if not name.endswith(("10/b", "penalty")) and not name.startswith(constant)
    }
    for name in ("C4.5 without pruning", "Laplace (C4.4)", "Smoothing", "Curtailment", "Smoothed curtailment"):
        estimate = _estimates(size)[name]
        methods[f"{name}, min_leaf=25"] = ProbabilityTreeClassifier(estimate=estimate, min_leaf=25)
    for kind in _BAYES_KINDS:
        methods[f"Naive Bayes, {kind}"] = NaiveBayesClassifier(numeric=kind)
        methods[f"Binned naive Bayes, {kind}"] = _binned(NaiveBayesClassifier(numeric=kind))
    return methods


def sweep_methods(**params: Any) -> dict[str, Any]:
    """Return smoothing and curtailment for every swept value of m and v, and what they are compared with."""
    swept: dict[str, Any] = {"C4.5 without pruning": Frequency(), "Laplace (C4.4)": Laplace()}
    for value in SWEPT_VALUES:
        estimates = _estimates(value)
        swept |= {sweep_name(name, value): estimates[name] for name in SWEPT}
    trees = {name: ProbabilityTreeClassifier(estimate=each, **params) for name, each in swept.items()}
    return trees | {"All base rate": ConstantClassifier()}


def sweep_name(method: str, value: float) -> str:
    """Return the name of a method for a swept value.

    Examples
    --------
    >>> sweep_name("Smoothing", 200)
    'Smoothing, m = 200'
    """
    return f"{method}, {SWEPT[method]} = {value}"


def score_methods(size: float, **params: Any) -> dict[str, Any]:
    """Return the trees of Figures 1 and 3."""
    names = ("C4.5 without pruning", "Smoothing", "Curtailment")
    return {name: ProbabilityTreeClassifier(estimate=_estimates(size)[name], **params) for name in names}


# Methods with m and v of 10 / b, which follows the base rate of the sample
SHIFTED = (
    "C4.5 without pruning",
    "Laplace (C4.4)",
    "Smoothing, 10/b",
    "Curtailment, 10/b",
    "Smoothed curtailment, 10/b",
    "Bagged Laplace",
    "Bagged curtailment, 10/b",
    "Kearns-Mansour",
    "Naive Bayes",
    "Binned naive Bayes",
)


class ShiftedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes that is fitted without weights, its probabilities shifted to the weighted base rate.

    Parameters
    ----------
    estimator : classifier
        The classifier.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ShiftedClassifier:
        """Fit the classifier to the rows as they are; the weights count for the base rate alone."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        positive = np.asarray(y) == self.classes_[1]
        shift = PriorShift(
            train_prior=float(positive.mean()), new_prior=float(np.average(positive, weights=sample_weight))
        )
        self.shift_ = shift.fit(np.array([0.25, 0.75]), np.array([0, 1]))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the shifted probabilities."""
        shifted = np.asarray(self.shift_.predict(self.estimator_.predict_proba(X)[:, 1]), dtype=np.float64)
        return np.column_stack([1 - shifted, shifted])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more likely class of each row."""
        predicted: NDArray[Any] = np.asarray(self.classes_)[self.predict_proba(X).argmax(axis=1)]
        return predicted


def shifted_methods(n_bags: int) -> dict[str, Any]:
    """Return the methods that are fitted without weights."""
    methods = paper_methods(200.0, n_bags=n_bags)
    return {name: ShiftedClassifier(methods[name]) for name in SHIFTED}
