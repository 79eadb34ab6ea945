"""Any classifier made to mind costs, when it predicts or when it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calibrant._params import Choice, HasMethods, InstanceOf, Int, Nothing, Seed, check_params
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.bayes import ConstantClassifier
from calibrant.calibration._internal import Given, read_given
from calibrant.decisions._classifiers.importance import class_costs, copies_of, in_proportion, is_accepted
from calibrant.decisions._classifiers.wrapping import WrappingClassifier, check_gives_proba
from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.either_costs import AnyCosts, as_costs
from calibrant.decisions._costs.example_costs import ExampleCosts
from calibrant.decisions._money.decide import named
from calibrant.exceptions import DataError, DataTypeError, ParameterError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["COSTS", "CostSensitiveClassifier", "bound_costs", "cheapest_class"]

COSTS = (
    InstanceOf(CostMatrix)
    | InstanceOf(ExampleCosts)
    | InstanceOf(Mapping, words="a dict of dicts")
    | InstanceOf(np.ndarray, words="a table of costs")
    | InstanceOf(list, words="a table of costs")
    | HasMethods("to_numpy", words="a frame of costs")
    | Nothing()
)
_RULES = {
    "estimator": HasMethods("fit", words="a classifier"),
    "costs": COSTS,
    "when": Choice("predict", "train"),
    "how": Choice("weights", "resample", "reject"),
    "n_models": Int(1),
    "random_state": Seed(),
}
_TRIES = 20
_UNWEIGHTED, _DRAWN = "weights do not count", "they count in the rows that are drawn"


class CostSensitiveClassifier(WrappingClassifier):
    """Any classifier that minds what decisions cost.

    With ``when="predict"`` it is trained as ever, and decides for the least expected cost: right wherever probabilities
    are right, so calibrate them first. With ``when="train"`` it is trained as if dear errors were frequent, and decides
    for the likeliest class: the way for classifiers without probabilities; its probabilities are then not those of
    the classes, but of classes weighted by costs.

    Parameters
    ----------
    estimator : classifier
        Any classifier of scikit-learn's kind.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions), optional
        What decisions cost; by default every error costs 1. Benefits that `ExampleCosts` leave to a regressor are
        learnt in `fit` from the ``amount=`` of the positive rows.
    when : {"predict", "train"}
        Whether costs count when it predicts or when it is trained.
    how : {"weights", "resample", "reject"}
        How it is trained: with rows weighted by what errors on them cost; with rows drawn so that they are there as
        often, for classifiers that take no weights; or by costing (Zadrozny, Langford & Abe 2003), several models,
        each trained on rows accepted with that probability, none of them twice. A class of several counts the sum of
        what its errors cost (Ting 2002).
    n_models : int
        How many models ``how="reject"`` makes.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the draws.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    costs_ : CostMatrix or ExampleCosts
        The costs, for these classes, benefits learnt.
    estimators_ : list
        The fitted models, one unless ``how="reject"``; ``estimator_`` is the first.
    n_features_in_, feature_names_in_
        Those of the base model, where it has any.

    Notes
    -----
    With ``when="train"`` and `ExampleCosts` a row is taken for the class whose action is best in hindsight, with what
    the other action would lose as its weight: a donor who gave less than the letter cost counts as one to leave alone.
    Where one action is best for all rows, the model is a constant.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = CostMatrix([[0, 50], [1, 0]])  # to miss a malignant tumour (class 0) is 50 times as bad
    >>> models = [CostSensitiveClassifier(GaussianNB(), each).fit(X, y) for each in (None, costs)]
    >>> [int((model.predict(X)[y == 0] == 1).sum()) for model in models]
    [23, 17]
    """

    costs_: AnyCosts

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        *,
        when: Literal["predict", "train"] = "predict",
        how: Literal["weights", "resample", "reject"] = "weights",
        n_models: int = 10,
        random_state: SeedLike = 0,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.when = when
        self.how = how
        self.n_models = n_models
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, amount: Any = None, **fit_params: Any) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            How often each row counts.
        amount : sequence of length n_rows, optional
            With `ExampleCosts`: what each positive row brought.
        **fit_params : Any
            Parameters of the estimator's `fit`.

        Returns
        -------
        CostSensitiveClassifier
            The classifier itself.
        """
        check_params(self, _RULES)
        if self.when == "predict":
            check_gives_proba(self.estimator, "where costs count when it predicts")
        unweighted = _UNWEIGHTED if self.when == "predict" or self.how == "weights" else _DRAWN
        given, kept = read_given(self, X, y, sample_weight, fit_params, otherwise=unweighted)
        amounts = _amounts(amount, X, kept)
        cut = isinstance(self.costs, ExampleCosts) and kept is not None
        self.costs_ = bound_costs(self.costs.only(kept) if cut else self.costs, given, amounts)
        models = [given.fitted(self.estimator)] if self.when == "predict" else self._trained(given, amounts)
        self._store(np.unique(given.y), models)
        self.estimator_ = models[0]
        return self

    def _trained(self, given: Given, amounts: NDArray[np.float64] | None) -> list[Any]:
        given, importance = _weighed(given, self.costs_, amounts)
        if len(np.unique(given.y)) == 1:
            return [ConstantClassifier().fit(given.X, given.y)]
        seed = seed_sequence(self.random_state)
        by_draws = 1.0 if given.weight is None or "sample_weight" in given.to_fit else given.weight
        if self.how == "weights":
            _check_takes_weights(self.estimator)
            return [_with_weights(given, in_proportion(importance, given.weight)).fitted(self.estimator)]
        if self.how == "resample":
            rows = copies_of(in_proportion(importance, given.weight) * by_draws, stream(seed, 0))
            return [given.fitted(self.estimator, rows)]
        return [
            given.fitted(self.estimator, _accepted(given, importance * by_draws, seed, model))
            for model in range(self.n_models)
        ]

    def decide(self, X: Any) -> NDArray[Any]:
        """Give what to do with each row, actions that are no classes among them.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows,)
            The action of least expected cost by the probabilities of the rows. Those of a classifier whose training
            minded costs have them in already: its likeliest class is the action, or stands for it.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> costs = CostMatrix.errors(["a", "b"]).with_action("ask", 0.1)
        >>> model = CostSensitiveClassifier(GaussianNB(), costs).fit([[0.0], [1.0], [3.0], [4.0]], list("aabb"))
        >>> model.decide([[0.0], [2.0], [4.0]])
        array(['a', 'ask', 'b'], dtype='<U3')
        """
        if self.when == "train":
            said = self.predict(X)
            is_second = (said == self.classes_[1]).astype(np.intp)
            return named(self.costs_, is_second) if isinstance(self.costs_, ExampleCosts) else said
        costs, proba = self._costs_of(X), self.predict_proba(X)
        return named(costs, costs.expected(proba).argmin(axis=1))

    def predict(self, X: Any) -> NDArray[Any]:
        """Give a class for each row: that of least expected cost, or the likeliest where training minded costs.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``; for other actions see `decide`.
        """
        check_is_fitted(self, "estimators_")
        if self.when == "predict":
            return cheapest_class(self._costs_of(X), self.predict_proba(X), self.classes_)
        if len(self.estimators_) == 1:
            return np.asarray(self.estimators_[0].predict(X))
        table = self.predict_proba(X) if hasattr(self.estimator, "predict_proba") else self._votes(X)
        return np.asarray(self.classes_[table.argmax(axis=1)])

    def _votes(self, X: Any) -> NDArray[np.float64]:
        said = np.stack([np.asarray(model.predict(X)) for model in self.estimators_])
        return np.asarray((said[:, :, None] == self.classes_).mean(axis=0))

    def _costs_of(self, X: Any) -> AnyCosts:
        check_is_fitted(self, "estimators_")
        return self.costs_.for_rows(X) if isinstance(self.costs_, ExampleCosts) else self.costs_


def bound_costs(costs: Any, given: Given, amounts: NDArray[np.float64] | None) -> AnyCosts:
    """Give costs for the classes of some rows, with benefits learnt from those that are positive."""
    classes = np.unique(given.y)
    read = CostMatrix.errors(classes.tolist()) if costs is None else as_costs(costs)
    if isinstance(read, CostMatrix):
        return read.for_classes(classes)
    if len(classes) != 2:
        raise DataError(f"ExampleCosts are for two classes; y has {len(classes)}: {classes.tolist()}.")
    if not hasattr(read.benefit, "predict"):
        return read
    if amounts is None:
        raise ParameterError(
            "costs leave the benefit to a regressor: pass amount= to fit, what each positive row brought."
        )
    return read.learn(given.X, given.y, amounts, sample_weight=given.weight)


def cheapest_class(costs: AnyCosts, proba: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    """Give the class of least expected cost for each row, of equal ones the lower."""
    expected = costs.expected(proba)
    if isinstance(costs, ExampleCosts):
        return np.asarray(classes[expected.argmin(axis=1)])
    actions = list(costs.actions or ())
    places = [place for place, label in enumerate(classes.tolist()) if label in actions]
    if not places:
        raise ParameterError(
            f"no action of costs is a class ({actions}), so that none can be predicted; CostSensitiveClassifier.decide "
            "gives actions."
        )
    own = classes[places]
    return np.asarray(own[expected[:, [actions.index(label) for label in own.tolist()]].argmin(axis=1)])


def _amounts(amount: Any, X: Any, kept: NDArray[np.intp] | None) -> NDArray[np.float64] | None:
    if amount is None:
        return None
    try:
        values = np.asarray(amount, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError("amount must hold numbers: what each positive row brought.") from error
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if values.shape != (n_rows,):
        raise DataError(f"amount has shape {values.shape}; pass one for each of {n_rows} rows.")
    return values if kept is None else values[kept]


def _weighed(given: Given, costs: AnyCosts, amounts: NDArray[np.float64] | None) -> tuple[Given, NDArray[np.float64]]:
    """Give the rows with what errors on each cost; by row, with the class that is best in hindsight."""
    classes, codes = np.unique(given.y, return_inverse=True)
    if isinstance(costs, CostMatrix):
        return given, class_costs(costs)[codes]
    cost, benefit = costs.for_rows(given.X).numbers(given.n_rows)
    brought = np.where(codes == 1, benefit if amounts is None else amounts, 0.0)
    if not np.isfinite(brought).all():
        raise DataError(
            f"amount has NaN or infinite values of positive rows (first at row {np.isnan(brought).argmax()})."
        )
    better = (brought > cost).astype(np.intp)
    return replace(given, y=classes[better]), np.abs(brought - cost)


def _check_takes_weights(estimator: Any) -> None:
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ParameterError(
            f"how='weights' needs an estimator whose fit takes sample_weight; {type(estimator).__name__} does not. Use "
            "how='resample' or how='reject'."
        )


def _with_weights(given: Given, factor: NDArray[np.float64]) -> Given:
    weight = factor if given.weight is None else factor * given.weight
    return replace(given, to_fit={**given.to_fit, "sample_weight": weight})


def _accepted(
    given: Given, importance: NDArray[np.float64], seed: np.random.SeedSequence, model: int
) -> NDArray[np.intp]:
    for attempt in range(_TRIES):
        rows = is_accepted(importance, stream(seed, model, attempt))
        if len(np.unique(given.y[rows])) > 1:
            return rows
    raise DataError(
        f"costs differ so much that {_TRIES} times only rows of one class were accepted; use "
        "how='weights' or 'resample'."
    )
