"""MetaCost (Domingos 1999): training rows relabelled with their cheapest class, then learnt anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calibrant._params import Bool, HasMethods, Int, Nothing, Real, Seed, check_params
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.bayes import ConstantClassifier
from calibrant.calibration._internal import Given, read_given, take_rows
from calibrant.data._internal import fit_columns
from calibrant.decisions._classifiers.cost_sensitive import COSTS, bound_costs, cheapest_class
from calibrant.decisions._classifiers.wrapping import WrappingClassifier, proba_of
from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.exceptions import CalibrantError, ParameterError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["MetaCostClassifier"]

_RULES = {
    "estimator": HasMethods("fit", words="a classifier"),
    "costs": COSTS,
    "n_bags": Int(1),
    "bag_size": Real(0, 1, closed="right") | Nothing(),
    "use_all": Bool(),
    "random_state": Seed(),
}


class MetaCostClassifier(WrappingClassifier):
    """One model of any kind that minds costs, as readable as the learner makes it.

    Bagged models tell the probabilities of the training rows, each row gets the class of least expected cost, and one
    model is learnt from those classes. It answers with classes alone: its probabilities are of the new labels.

    Parameters
    ----------
    estimator : classifier
        Any classifier of scikit-learn's kind; one without `predict_proba` votes.
    costs : CostMatrix, dict of dicts or array of shape (n_classes, n_classes), optional
        What decisions cost; by default every error costs 1.
    n_bags : int
        How many models are bagged; the paper has 50.
    bag_size : float, optional
        The size of a bag as a part of all rows; by default as many.
    use_all : bool
        Whether all models tell of a row, or only those whose bag it is not in.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the bags.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    costs_ : CostMatrix
        The costs for these classes.
    relabelled_ : array of shape (n_rows,)
        The class that each row of weight above 0 was learnt with.
    estimator_ : classifier
        The model learnt from these; ``estimators_`` is a list with it. Where all rows got one class, a constant.

    Notes
    -----
    Bags are drawn from the rows in the order of their contents, so that a weight of 2 is the row twice, seed by seed.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = MetaCostClassifier(tree, [[0, 50], [1, 0]], n_bags=10).fit(X, y)
    >>> int((model.relabelled_ == 0).sum()) > int((y == 0).sum())
    True
    """

    costs_: CostMatrix

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        *,
        n_bags: int = 50,
        bag_size: float | None = None,
        use_all: bool = True,
        random_state: SeedLike = 0,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.n_bags = n_bags
        self.bag_size = bag_size
        self.use_all = use_all
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Bag models, relabel the rows and learn from them.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            How often each row counts.
        **fit_params : Any
            Parameters of the estimator's `fit`.

        Returns
        -------
        MetaCostClassifier
            The classifier itself.
        """
        check_params(self, _RULES)
        given, _ = read_given(self, X, y, sample_weight, fit_params, otherwise="they count in the bags only")
        classes, costs = np.unique(given.y), bound_costs(self.costs, given, None)
        if not isinstance(costs, CostMatrix):
            raise ParameterError(
                "costs of MetaCost must be a CostMatrix; use CostSensitiveClassifier for ExampleCosts."
            )
        self.costs_ = costs
        self.relabelled_ = cheapest_class(costs, self._bagged(given, classes), classes)
        learnt = replace(given, y=self.relabelled_)
        is_one = len(np.unique(self.relabelled_)) == 1
        base = ConstantClassifier() if is_one else self.estimator
        model = base.fit(given.X, self.relabelled_) if is_one else learnt.fitted(base)
        self._store(classes, [model])
        self.estimator_ = model
        return self

    def _bagged(self, given: Given, classes: NDArray[Any]) -> NDArray[np.float64]:
        """Give the probabilities of the rows by bagged models."""
        seed, order = seed_sequence(self.random_state), _content_order(given)
        total, seen = np.zeros((given.n_rows, len(classes))), np.zeros(given.n_rows)
        for bag in range(self.n_bags):
            times = _drawn(given, order, 1.0 if self.bag_size is None else self.bag_size, stream(seed, bag))
            told = _said(_fitted(self.estimator, given, times), given.X, classes)
            asked = np.ones(given.n_rows) if self.use_all else (times == 0).astype(np.float64)
            total, seen = total + told * asked[:, None], seen + asked
            if not self.use_all and bag == self.n_bags - 1 and (seen == 0).any():
                total, seen = np.where((seen == 0)[:, None], told, total), np.maximum(seen, 1.0)
        return total / seen[:, None]

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class that the one model says.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict(X))


def _content_order(given: Given) -> NDArray[np.intp]:
    """Order rows by what they hold, where that can be read; else as they were given."""
    try:
        columns = [np.asarray(column, dtype=np.float64) for column in fit_columns(given.X).arrays]
    except CalibrantError:
        return np.arange(given.n_rows)
    return np.lexsort([*columns, np.unique(given.y, return_inverse=True)[1]])


def _drawn(given: Given, order: NDArray[np.intp], size: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw units of weight with replacement, and count how often each row is hit."""
    weight = (np.ones(given.n_rows) if given.weight is None else given.weight)[order]
    ends = np.cumsum(weight)
    hits = rng.random(max(2, round(size * ends[-1]))) * ends[-1]
    times = np.zeros(given.n_rows)
    times[order] = np.bincount(np.searchsorted(ends, hits, side="right").clip(max=len(ends) - 1), minlength=len(ends))
    return times


def _fitted(estimator: Any, given: Given, times: NDArray[np.float64]) -> Any:
    """Fit a model to a bag: rows weighted by how often they were drawn, or repeated; a bag of one class is constant."""
    rows = np.flatnonzero(times)
    if len(np.unique(given.y[rows])) == 1:
        return ConstantClassifier().fit(take_rows(given.X, rows), given.y[rows])
    if has_fit_parameter(estimator, "sample_weight"):
        return replace(given, to_fit={**given.to_fit, "sample_weight": times}).fitted(estimator, rows)
    return given.fitted(estimator, np.repeat(rows, times[rows].astype(np.intp)))


def _said(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    if hasattr(model, "predict_proba"):
        return proba_of(model, X, classes)
    return np.asarray(np.asarray(model.predict(X))[:, None] == classes, dtype=np.float64)
