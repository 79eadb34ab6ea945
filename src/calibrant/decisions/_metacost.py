"""MetaCost (Domingos 1999): a model fitted to training rows that are relabelled with their cheapest class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calibrant._docstrings import fill_docstring
from calibrant._fit_warnings import one_warning_a_fit
from calibrant._params import Bool, HasMethods, Int, Nothing, Real, Rule, Seed, check_params
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._saved import LabelArray, Object, RowsOnly, need, saved
from calibrant.bayes import ConstantClassifier
from calibrant.calibration._internal import FitData, read_fit_data, take_rows
from calibrant.data._internal import fit_columns
from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._cost_sensitive import (
    COSTS,
    WrappingClassifier,
    cheapest_class,
    class_probabilities,
    costs_for_training,
)
from calibrant.exceptions import CalibrantError, DataError, ParameterError

_MAX_DRAWS = 2**28  # 2 GB of random numbers


@saved(costs_=Object(CostMatrix), relabelled_=RowsOnly(LabelArray()))
@fill_docstring()
class MetaCostClassifier(WrappingClassifier):
    """A single cost-sensitive model of any kind, as interpretable as the estimator.

    Bagged models estimate the class probabilities of the training rows, each row is relabelled with its class of least
    expected cost, and one model is fitted to the new labels. Use its class predictions only: its probabilities are
    those of the new labels.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn compatible classifier; one without `predict_proba` votes.
    costs : CostMatrix, dict of dicts or array of shape (n_classes, n_classes), optional
        The costs of decisions; by default every error costs 1.
    n_bags : int
        Number of bagged models; 50 in the paper.
    bag_size : float, optional
        Size of a bag as a fraction of the rows; by default 1.
    use_all : bool
        Whether all models estimate the probabilities of a row, or only those for which it is out-of-bag.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seed of the bags.

    Attributes
    ----------
    %(classes_)s
    costs_ : CostMatrix
        The costs for these classes.
    relabelled_ : array of shape (n_rows,)
        The new label of each row of positive weight.
    estimator_ : classifier
        The model fitted to these labels; ``estimators_`` is a list with it. A constant where all labels are equal.

    Notes
    -----
    Bags are drawn from the rows sorted by content, so that a weight of 2 and the row twice give the same bags.

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
    relabelled_: NDArray[Any]

    _rules: ClassVar[Mapping[str, Rule]] = {
        "estimator": HasMethods("fit", words="a classifier"),
        "costs": COSTS,
        "n_bags": Int(1),
        "bag_size": Real(0, 1, closed="right") | Nothing(),
        "use_all": Bool(),
        "random_state": Seed(),
    }

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

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the bagged models, relabel the rows and fit the final model.

        %(wrapped_fit_sections)s
        """
        check_params(self)
        data, _ = read_fit_data(
            self, X, y, sample_weight, fit_params, otherwise="the weights are used in the bags only"
        )
        classes, costs = data.classes, costs_for_training(self.costs, data, None)
        if not isinstance(costs, CostMatrix):
            raise ParameterError(
                "costs of MetaCost must be a CostMatrix; use CostSensitiveClassifier for ExampleCosts."
            )
        self.costs_ = costs
        with one_warning_a_fit():
            self.relabelled_ = cheapest_class(costs, self._bagged_probabilities(data, classes), classes)
            if len(np.unique(self.relabelled_)) == 1:
                model = ConstantClassifier().fit(data.X, self.relabelled_)
            else:
                model = clone(self.estimator).fit(data.X, self.relabelled_, **data.to_fit)
        self._store_models(classes, [model])
        self.estimator_ = model
        return self

    def _bagged_probabilities(self, data: FitData, classes: NDArray[Any]) -> NDArray[np.float64]:
        """Return the class probabilities of the rows, averaged over the bagged models."""
        seed, order = seed_sequence(self.random_state), _content_order(data)
        total, n_models = np.zeros((data.n_rows, len(classes))), np.zeros(data.n_rows)
        for bag in range(self.n_bags):
            times = _bag_counts(data, order, 1.0 if self.bag_size is None else self.bag_size, stream(seed, bag))
            model = _fit_bag(self.estimator, data, times)
            if hasattr(model, "predict_proba"):
                proba = class_probabilities(model, data.X, classes)
            else:  # a vote for its class
                proba = np.asarray(np.asarray(model.predict(data.X))[:, None] == classes, dtype=np.float64)
            is_used = np.ones(data.n_rows) if self.use_all else (times == 0).astype(np.float64)
            total, n_models = total + proba * is_used[:, None], n_models + is_used
            if not self.use_all and bag == self.n_bags - 1 and (n_models == 0).any():
                # A row that is in every bag has no out-of-bag model; the last model's probabilities stand in.
                total, n_models = np.where((n_models == 0)[:, None], proba, total), np.maximum(n_models, 1.0)
        return total / n_models[:, None]

    @fill_docstring(X_predict="%(X_wrapped)s")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the final model predicts.

        %(predict_sections)s
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict(X))

    def _check_saved(self) -> None:
        self._check_models("predict")
        need(list(self.costs_.labels or ()) == self.classes_.tolist(), "has costs of other classes")
        need(len(self.estimators_) == 1 and hasattr(self, "estimator_"), "must have one model")


def _content_order(data: FitData) -> NDArray[np.intp]:
    """Return the order of the rows sorted by content, or their own order where X cannot be read as columns."""
    try:
        columns = [np.asarray(column, dtype=np.float64) for column in fit_columns(data.X).arrays]
    except CalibrantError:
        return np.arange(data.n_rows)
    return np.lexsort([*columns, data.codes.astype(np.float64)])


def _bag_counts(data: FitData, order: NDArray[np.intp], size: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw units of weight with replacement, and return how often each row is drawn."""
    weight = (np.ones(data.n_rows) if data.weight is None else data.weight)[order]
    ends = np.cumsum(weight)
    if size * ends[-1] > _MAX_DRAWS:
        raise DataError(
            f"sample_weight must sum to at most {_MAX_DRAWS:,}, because a bag draws as many rows; the sum is "
            f"{ends[-1]:g}. Divide the weights, or pass a smaller bag_size."
        )
    # A bag needs two rows to hold two classes, however small `bag_size` is.
    draws = rng.random(max(2, round(size * ends[-1]))) * ends[-1]
    times = np.zeros(data.n_rows)
    times[order] = np.bincount(np.searchsorted(ends, draws, side="right").clip(max=len(ends) - 1), minlength=len(ends))
    return times


def _fit_bag(estimator: Any, data: FitData, times: NDArray[np.float64]) -> Any:
    """Fit a model to a bag, its rows weighted by their number of draws or repeated; a constant if of one class."""
    rows = np.flatnonzero(times)
    if len(np.unique(data.codes[rows])) == 1:
        return ConstantClassifier().fit(take_rows(data.X, rows), data.y[rows])
    if has_fit_parameter(estimator, "sample_weight"):
        return replace(data, to_fit={**data.to_fit, "sample_weight": times}).fit_clone(estimator, rows)
    return data.fit_clone(estimator, np.repeat(rows, times[rows].astype(np.intp)))
