"""Any classifier made cost-sensitive, at prediction or in training (Elkan 2001; Zadrozny, Langford & Abe 2003).

The importance of training rows follows Ting (2002) and Zadrozny, Langford & Abe (2003).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._fit_warnings import one_warning_a_fit
from calibrant._numbers import as_floats
from calibrant._params import Choice, HasMethods, InstanceOf, Int, Nothing, Rule, Seed, check_params
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._saved import Object, need, saved
from calibrant.bayes import ConstantClassifier
from calibrant.calibration._internal import FitData, WrapperMixin, read_fit_data
from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._example_costs import ExampleCosts
from calibrant.decisions._expected_cost import AnyCosts, action_names, as_costs
from calibrant.exceptions import DataError, DataTypeError, ParameterError


def _has_proba(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba")


class WrappingClassifier(WrapperMixin, ClassifierMixin, MetaEstimatorMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that wraps models fitted to classes of ``classes_``."""

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, averaged over the models where there are several.

        %(wrapped_predict_proba_sections)s
        """
        check_is_fitted(self, "estimators_")
        tables = [class_probabilities(model, X, self.classes_) for model in self.estimators_]
        return tables[0] if len(tables) == 1 else np.asarray(np.mean(tables, axis=0))


def check_has_predict_proba(estimator: Any, why: str) -> None:
    """Raise if a classifier has no `predict_proba`."""
    if not hasattr(estimator, "predict_proba"):
        raise ParameterError(
            f"estimator must be a classifier with predict_proba {why}; got {type(estimator).__name__}. Wrap it in "
            "calibrant.calibration.CalibratedClassifier."
        )


def class_probabilities(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return a fitted model's probabilities of all classes; a class that it was not fitted to has probability 0.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> model = ConstantClassifier().fit([[1], [2]], ["a", "c"])
    >>> class_probabilities(model, [[3]], np.array(["a", "b", "c"]))
    array([[0.5, 0. , 0.5]])
    """
    table = np.asarray(model.predict_proba(X), dtype=np.float64)
    own, wanted = np.asarray(model.classes_).tolist(), classes.tolist()
    if any(label not in wanted for label in own) or table.shape[1] != len(own):
        raise DataError(f"{type(model).__name__} must be fitted to classes of {wanted}; got {own}.")
    if own == wanted:
        return table
    full = np.zeros((len(table), len(classes)))
    full[:, [wanted.index(label) for label in own]] = table
    return full


def class_costs(costs: CostMatrix) -> NDArray[np.float64]:
    """Return the cost of errors on each class: summed over the other classes, net of the correct decision (Ting).

    For two classes these are the costs of the two kinds of error. Actions that are not classes are ignored.

    Examples
    --------
    >>> class_costs(CostMatrix([[0, 1, 2], [3, 0, 4], [5, 5, 0]], labels="abc"))
    array([ 3.,  7., 10.])
    """
    actions, labels = list(costs.actions or ()), list(costs.labels or ())
    missing = [label for label in labels if label not in actions]
    if missing:
        raise ParameterError(f"costs: training by costs needs an action for every class; {missing[0]!r} has none.")
    square = costs.matrix[:, [actions.index(label) for label in labels]]
    net = square - np.diag(square)[:, None]
    total = np.asarray(net.sum(axis=1))
    if (net < 0).any() or not (total > 0).all():
        raise ParameterError(
            "costs: for training, no error may cost less than the correct decision, and some error on each class must "
            f"cost more; got {costs.matrix.tolist()}."
        )
    return total


def normalized_importance(importance: NDArray[np.float64], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the importance of rows scaled so that the sum of all weights stays the same.

    Examples
    --------
    >>> normalized_importance(np.array([1.0, 1.0, 4.0]), None)
    array([0.5, 0.5, 2. ])
    """
    share = np.ones(len(importance)) if weight is None else weight
    if (importance == importance[0]).all():
        return np.ones(len(importance))
    return np.asarray(importance * (share.sum() / (share * importance).sum()))


def resample_by_weight(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw rows so that each occurs as often as its weight, rounded up or down at random, in their order.

    Examples
    --------
    >>> resample_by_weight(np.array([1.0, 1.0, 2.0, 0.0]), np.random.default_rng(0))
    array([0, 1, 2, 2])
    """
    # One random offset on the cumulative weights (systematic sampling) keeps the total within 1 of its expectation.
    order = rng.permutation(len(weight))
    ends = np.floor(np.cumsum(weight[order]) + rng.random())
    times = np.empty(len(weight), dtype=np.intp)
    times[order] = np.diff(ends, prepend=0.0)
    return np.repeat(np.arange(len(weight)), times)


def accepted_rows(importance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Accept each row with probability importance / greatest importance: costing by rejection sampling.

    Examples
    --------
    >>> accepted_rows(np.array([3.0, 0.0, 3.0]), np.random.default_rng(0))
    array([0, 2])
    """
    return np.flatnonzero(rng.random(len(importance)) * importance.max() < importance)


COSTS = (
    InstanceOf(CostMatrix)
    | InstanceOf(ExampleCosts)
    | InstanceOf(Mapping, words="a dict of dicts")
    | InstanceOf(np.ndarray, words="a table of costs")
    | InstanceOf(list, words="a table of costs")
    | HasMethods("to_numpy", words="a frame of costs")
    | Nothing()
)
_MAX_ATTEMPTS = 20  # draws of a rejection sample before giving up on getting both classes
_WEIGHTS_IGNORED, _WEIGHTS_SAMPLED = "the weights are ignored", "the weights are used in sampling the rows"


@saved(costs_=Object(CostMatrix, ExampleCosts))
@fill_docstring()
class CostSensitiveClassifier(WrappingClassifier):
    """A classifier that takes the costs of decisions into account.

    With ``when="predict"`` the estimator is trained as usual and the class of least expected cost is predicted: the
    right choice where probabilities are calibrated, so calibrate them first. With ``when="train"`` the estimator is
    trained as if rows with expensive errors were more frequent, and the most likely class is predicted: the choice for
    classifiers without probabilities. Its probabilities are then those of classes reweighted by cost.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn compatible classifier.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions), optional
        The costs of decisions; by default every error costs 1. Where the benefit of `ExampleCosts` is a regressor,
        `fit` fits it to the ``amount=`` of the positive rows.
    when : {"predict", "train"}
        Whether costs are used at prediction or in training.
    how : {"weights", "resample", "reject"}
        How costs are used in training: rows are weighted by the cost of errors on them; or resampled in that
        proportion, for classifiers without sample weights; or costing (Zadrozny, Langford & Abe 2003): several models,
        each trained on rows accepted with a probability in that proportion, none of them twice. With more than two
        classes, the cost of a class is the sum over its errors (Ting 2002).
    n_models : int
        Number of models that ``how="reject"`` fits.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seed of the sampling.

    Attributes
    ----------
    %(classes_)s
    costs_ : CostMatrix or ExampleCosts
        The costs for these classes, with benefits fitted.
    estimators_ : list
        The fitted models, one unless ``how="reject"``; ``estimator_`` is the first.
    n_features_in_, feature_names_in_
        Those of the base model, where it has them.

    Notes
    -----
    With ``when="train"`` and `ExampleCosts` each row is relabelled with the class whose action was best in hindsight,
    and weighted by what the other action would have lost: a donor who gave less than the letter cost counts as one to
    leave alone. Where one action is best for all rows, the model is a constant.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = CostMatrix([[0, 50], [1, 0]])  # missing a malignant tumour (class 0) is 50 times as bad
    >>> models = [CostSensitiveClassifier(GaussianNB(), matrix).fit(X, y) for matrix in (None, costs)]
    >>> [int((model.predict(X)[y == 0] == 1).sum()) for model in models]
    [23, 17]
    """

    costs_: AnyCosts

    _rules: ClassVar[Mapping[str, Rule]] = {
        "estimator": HasMethods("fit", words="a classifier"),
        "costs": COSTS,
        "when": Choice("predict", "train"),
        "how": Choice("weights", "resample", "reject"),
        "n_models": Int(1),
        "random_state": Seed(),
    }

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

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, amount: Any = None, **fit_params: Any) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        %(X_wrapped)s
        %(y)s
        %(row_weight)s
        amount : sequence of length n_rows, optional
            With `ExampleCosts`: the amount that each positive row brought in.
        %(fit_params)s

        Returns
        -------
        %(fitted_self)s
        """
        check_params(self)
        if self.when == "predict":
            check_has_predict_proba(self.estimator, "for when='predict'")
        without = _WEIGHTS_IGNORED if self.when == "predict" or self.how == "weights" else _WEIGHTS_SAMPLED
        data, kept = read_fit_data(self, X, y, sample_weight, fit_params, otherwise=without)
        amounts = _amounts(amount, X, kept)
        costs = self.costs.only(kept) if isinstance(self.costs, ExampleCosts) and kept is not None else self.costs
        self.costs_ = costs_for_training(costs, data, amounts)
        with one_warning_a_fit():
            models = [data.fit_clone(self.estimator)] if self.when == "predict" else self._fit_by_costs(data, amounts)
        self._store_models(data.classes, models)
        self.estimator_ = models[0]
        return self

    def _fit_by_costs(self, data: FitData, amounts: NDArray[np.float64] | None) -> list[Any]:
        data, importance = _with_importance(data, self.costs_, amounts)
        if len(np.unique(data.codes)) == 1:
            return [ConstantClassifier().fit(data.X, data.y)]
        seed = seed_sequence(self.random_state)
        if self.how == "weights":
            if not has_fit_parameter(self.estimator, "sample_weight"):
                raise ParameterError(
                    "how='weights' needs an estimator whose fit takes sample_weight; "
                    f"{type(self.estimator).__name__} does not. Use how='resample' or how='reject'."
                )
            factor = normalized_importance(importance, data.weight)
            weight = factor if data.weight is None else factor * data.weight
            return [replace(data, to_fit={**data.to_fit, "sample_weight": weight}).fit_clone(self.estimator)]
        # Weights that the estimator does not take must act through the sampling instead.
        sampled_weight = 1.0 if data.weight is None or "sample_weight" in data.to_fit else data.weight
        if self.how == "resample":
            scaled = normalized_importance(importance, data.weight) * sampled_weight
            return [data.fit_clone(self.estimator, resample_by_weight(scaled, stream(seed, 0)))]
        return [
            data.fit_clone(self.estimator, _rows_of_both_classes(data, importance * sampled_weight, seed, model))
            for model in range(self.n_models)
        ]

    @fill_docstring()
    def decide(self, X: Any) -> NDArray[Any]:
        """Return the action for each row, including actions that are not classes.

        Parameters
        ----------
        %(X_wrapped)s

        Returns
        -------
        array of shape (n_rows,)
            The action of least expected cost. With ``when="train"`` the probabilities include the costs already: the
            action is that of the most likely class.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> costs = CostMatrix.errors(["a", "b"]).with_action("ask", 0.1)
        >>> model = CostSensitiveClassifier(GaussianNB(), costs).fit([[0.0], [1.0], [3.0], [4.0]], list("aabb"))
        >>> model.decide([[0.0], [2.0], [4.0]])
        array(['a', 'ask', 'b'], dtype='<U3')
        """
        if self.when == "train":
            predicted = self.predict(X)
            is_second = (predicted == self.classes_[1]).astype(np.intp)
            return action_names(self.costs_, is_second) if isinstance(self.costs_, ExampleCosts) else predicted
        costs, proba = self._costs_for(X), self.predict_proba(X)
        return action_names(costs, costs.expected(proba).argmin(axis=1))

    @fill_docstring()
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of least expected cost of each row, or with ``when="train"`` the most likely class.

        Parameters
        ----------
        %(X_wrapped)s

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``; for other actions see `decide`.
        """
        check_is_fitted(self, "estimators_")
        if self.when == "predict":
            return cheapest_class(self._costs_for(X), self.predict_proba(X), self.classes_)
        if len(self.estimators_) == 1:
            return np.asarray(self.estimators_[0].predict(X))
        if hasattr(self.estimator, "predict_proba"):
            table = self.predict_proba(X)
        else:
            votes = np.stack([np.asarray(model.predict(X)) for model in self.estimators_])
            table = (votes[:, :, None] == self.classes_).mean(axis=0)
        return np.asarray(self.classes_[table.argmax(axis=1)])

    def _costs_for(self, X: Any) -> AnyCosts:
        check_is_fitted(self, "estimators_")
        return self.costs_.for_rows(X) if isinstance(self.costs_, ExampleCosts) else self.costs_

    def _check_saved(self) -> None:
        self._check_models("predict")
        costs, classes = self.costs_, self.classes_.tolist()
        if isinstance(costs, CostMatrix):
            need(list(costs.labels or ()) == classes, "has costs of other classes")
        else:
            need(len(classes) == 2, "has costs of two classes for other classes")


def costs_for_training(costs: Any, data: FitData, amounts: NDArray[np.float64] | None) -> AnyCosts:
    """Return the costs for the classes of the training rows, with a regressor of benefits fitted."""
    classes = data.classes
    known = CostMatrix.errors(classes.tolist()) if costs is None else as_costs(costs)
    if isinstance(known, CostMatrix):
        return known.for_classes(classes)
    if len(classes) != 2:
        raise DataError(f"y must have two classes with ExampleCosts; got {len(classes)}: {classes.tolist()}.")
    if not hasattr(known.benefit, "predict"):
        return known
    if amounts is None:
        raise ParameterError(
            "the benefit of costs is a regressor: pass amount= to fit, the amount that each positive row brought in."
        )
    return known.learn(data.X, data.y, amounts, sample_weight=data.weight)


def cheapest_class(costs: AnyCosts, proba: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    """Return the class of least expected cost for each row; ties are broken in favour of the first class."""
    expected = costs.expected(proba)
    if isinstance(costs, ExampleCosts):
        return np.asarray(classes[expected.argmin(axis=1)])
    actions = list(costs.actions or ())
    columns = [column for column, label in enumerate(classes.tolist()) if label in actions]
    if not columns:
        raise ParameterError(
            f"costs must have a class among its actions to predict one; got the actions {actions}. Use "
            "CostSensitiveClassifier.decide to get actions."
        )
    own = classes[columns]
    return np.asarray(own[expected[:, [actions.index(label) for label in own.tolist()]].argmin(axis=1)])


def _amounts(amount: Any, X: Any, kept: NDArray[np.intp] | None) -> NDArray[np.float64] | None:
    if amount is None:
        return None
    try:
        values = as_floats(amount)
    except (TypeError, ValueError) as error:
        raise DataTypeError("amount must hold numbers: the amount that each positive row brought in.") from error
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if values.shape != (n_rows,):
        raise DataError(f"amount must have one value for each of {n_rows} rows; got shape {values.shape}.")
    return values if kept is None else values[kept]


def _with_importance(
    data: FitData, costs: AnyCosts, amounts: NDArray[np.float64] | None
) -> tuple[FitData, NDArray[np.float64]]:
    """Return the rows, with `ExampleCosts` relabelled as best in hindsight, and the cost of an error on each."""
    codes = data.codes
    if isinstance(costs, CostMatrix):
        return data, class_costs(costs)[codes]
    cost, benefit = costs.for_rows(data.X).numbers(data.n_rows)
    revenue = np.where(codes == 1, benefit if amounts is None else amounts, 0.0)
    if not np.isfinite(revenue).all():
        raise DataError(
            f"amount of positive rows must be finite; got NaN or infinity (first at row {np.isnan(revenue).argmax()})."
        )
    best_class = (revenue > cost).astype(np.int32)
    return replace(data, codes=best_class), np.abs(revenue - cost)


def _rows_of_both_classes(
    data: FitData, importance: NDArray[np.float64], seed: np.random.SeedSequence, model: int
) -> NDArray[np.intp]:
    """Draw rejection samples until one has rows of more than one class."""
    for attempt in range(_MAX_ATTEMPTS):
        rows = accepted_rows(importance, stream(seed, model, attempt))
        if len(np.unique(data.codes[rows])) > 1:
            return rows
    raise DataError(
        f"costs differ so much that {_MAX_ATTEMPTS} rejection samples held rows of one class only; use how='weights' "
        "or how='resample'."
    )
