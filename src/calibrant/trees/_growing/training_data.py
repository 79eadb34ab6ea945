"""The training set of a tree: validated rows, their weights, and classes numbered as the core needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._params import Real, check_param
from calibrant.data._internal import (
    Columns,
    Labels,
    Nominal,
    TrainingRows,
    WeightKind,
    check_weight_sizes,
    read_training_rows,
    warn_of_weights,
)
from calibrant.exceptions import DataError, ParameterError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "NumberedClasses",
    "TrainingData",
    "class_factors",
    "number_classes",
    "prepare_training",
    "read_training",
    "read_training_for",
]

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None

_MAX_CLASSES = 65_535  # the core keeps the class of a row in 16 bits


@dataclass(frozen=True, eq=False)
class NumberedClasses:
    """The classes of training rows and their weights; ``weights`` is None where every row counts once.

    The core numbers the classes in the order in which they were declared, because ties follow that order: ``labels``
    use the core's numbers, and ``order`` is the core's number of each sorted class. ``copies`` is the number of rows
    that a row stands for in folds, its weight without that of its class, None for one each; ``groups`` numbers rows
    that belong together.
    """

    classes: NDArray[Any]
    n_declared: int
    labels: NDArray[np.uint16]
    order: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    copies: NDArray[np.float64] | None = field(default=None, kw_only=True)
    groups: NDArray[np.intp] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class TrainingData(NumberedClasses):
    """Validated training rows."""

    columns: Columns


def read_training(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    nominal: Nominal = "auto",
    class_weight: ClassWeight = None,
    groups: Any = None,
    weight_kind: WeightKind = "frequency",
) -> TrainingData:
    """Validate a table, its classes, its weights and the groups of its rows; warn of weights that are no frequencies.

    Examples
    --------
    >>> training = read_training([[1.0], [2.0], [9.0]], ["b", "a", "c"], [1, 2, 0])
    >>> training.columns.n_rows, training.classes.tolist(), training.weights
    (2, ['a', 'b'], array([1., 2.]))
    """
    rows = read_training_rows(X, y, sample_weight, nominal=nominal, groups=groups)
    if weight_kind == "frequency":
        warn_of_weights(rows.weights)
    return prepare_training(rows, class_weight)


def read_training_for(classifier: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingData:
    """Validate the arguments of the `fit` of a tree or forest by its parameters.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(class_weight={"a": 3.0})
    >>> read_training_for(model, [[1.0], [2.0]], ["b", "a"], None, None).weights
    array([1., 3.])
    """
    return read_training(
        X,
        y,
        sample_weight,
        nominal=classifier.nominal,
        class_weight=classifier.class_weight,
        groups=groups,
        weight_kind=classifier.weight_kind,
    )


def prepare_training(rows: TrainingRows, class_weight: ClassWeight = None) -> TrainingData:
    """Weight validated rows by class and number their classes as the core needs them.

    Examples
    --------
    >>> rows = read_training_rows([[1.0], [2.0]], ["b", "a"])
    >>> prepare_training(rows, {"a": 3.0}).weights
    array([1., 3.])
    """
    numbered = number_classes(rows.labels, rows.weights, rows.groups, class_weight)
    return TrainingData(**vars(numbered), columns=rows.columns)


def number_classes(
    labels: Labels,
    weights: NDArray[np.float64] | None,
    groups: NDArray[np.intp] | None,
    class_weight: ClassWeight = None,
) -> NumberedClasses:
    """Return classes numbered as the core needs them, and rows weighted by class.

    Examples
    --------
    >>> rows = read_training_rows([[1.0], [2.0]], ["b", "a"])
    >>> number_classes(rows.labels, None, None, {"a": 3.0}).weights
    array([1., 3.])
    """
    _check_classes(labels)
    weighted = _weight_classes(labels, weights, class_weight)
    if weighted is not None and (weighted == 1).all():
        weighted = None
    order = np.argsort(labels.declared)
    numbered = order.astype(np.uint16)[labels.codes]
    return NumberedClasses(labels.classes, labels.n_declared, numbered, order, weighted, copies=weights, groups=groups)


def _check_classes(labels: Labels) -> None:
    if len(labels.classes) > _MAX_CLASSES:
        raise DataError(
            f"y has {len(labels.classes):,} classes; a tree takes at most {_MAX_CLASSES:,}. If y is "
            "numeric rather than a class, group its values first."
        )


def _weight_classes(
    labels: Labels, weights: NDArray[np.float64] | None, class_weight: ClassWeight
) -> NDArray[np.float64] | None:
    if class_weight is None:
        return weights
    weights = np.ones(len(labels.codes)) if weights is None else weights
    totals = np.bincount(labels.codes, weights, len(labels.classes))
    factors = class_factors(labels.classes, class_weight, totals.astype(np.float64))
    weighted = np.asarray(weights * factors[labels.codes])
    check_weight_sizes(weighted, "sample_weight times class_weight")
    return weighted


def class_factors(
    classes: NDArray[Any], class_weight: Mapping[Any, float] | Literal["balanced"], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the weights of the rows of each class, `totals` in all, are multiplied with."""
    if isinstance(class_weight, str):
        return np.asarray(totals.sum() / (len(totals) * totals))
    return _factors(classes, class_weight)


def _factors(classes: NDArray[Any], class_weight: Mapping[Any, float]) -> NDArray[np.float64]:
    """Return the weight of each class, 1 for one that is not named; raise if a name is not a class."""
    names = classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    if unknown and len(class_weight) - len(unknown) < len(names):
        raise ParameterError(f"class_weight names {unknown[0]!r}, which is not a class.{nearest(unknown[0], names)}")
    for name, weight in class_weight.items():
        check_param(f"class_weight[{name!r}]", weight, Real(0, closed="neither"))
    return np.array([float(class_weight.get(name, 1.0)) for name in names])
