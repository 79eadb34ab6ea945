"""Gradient boosting of the log-loss, with a model for each fold that is stopped early by another fold.

Friedman (2001) with the second-order gain of Chen & Guestrin (2016), histograms and best-first trees of Ke et al.
(2017):

- The coded table is put into at most 255 bins a column, once for all folds: numeric columns by weighted quantiles of
  their ranks, nominal ones by their most frequent categories. Missing values have a bin of their own.
- Model k grows on all folds but k and k + 1, and stops when the log-loss of fold k + 1 has not fallen for some rounds.
  It predicts the rows of fold k, whose classes it has seen neither in growing nor in stopping.
- Each round adds one tree for two classes, or one a class, to the scores; softmax makes them probabilities. A leaf is a
  Newton step with an L2 penalty, times the learning rate. The leaf with the most gain is split first.
- A numeric test has a cut, and sends missing values to the branch that gains most. A nominal test has a set of
  categories, a prefix of them in the order of their smoothed gradients (Fisher 1958); missing values are a category.
- Gradients and hessians are rounded to integers and packed into one, so that sums do not depend on their order: a
  weight of 2 is the row twice, and any number of threads gives the same bits.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._random import stream_seed
from calibrant._saved import Array, Field, Integer, Maybe, Number, need, saved
from calibrant._source_limits import missing_rows
from calibrant._threads import n_threads
from calibrant.data._internal import Rows, Schema
from calibrant.exceptions import ModelFileError
from calibrant.trees._internal import TrainingSet, check_order

# At 10,000 rows of three tables 8 leaves and 64 bins have a loss of 45.0, 16 leaves and 255 bins 44.2, 31 leaves 44.2,
# with min_leaf=20 44.0; the larger trees need fewer rounds, so many rows take them.
_FEW, _MANY = 4000.0, 50_000.0
_HUGE = 200_000.0  # a round of a fold takes 0.1 s for a million rows of 20 columns: bounds the time to 160 s
# On the 200 columns of indian_pines 60 of them a tree have a loss of 42.9 in half the time of all, which have 44.1. A
# lower share misses the informative columns where they are few: of 5,000 a tenth had 0.455, all of them 0.388.
_COLUMNS_OF_A_TREE, _LEAST_SHARE = 60.0, 0.3
_LEAST_FOLDS = 3  # one to grow on, one to stop by, one to predict


def gradient_options(**options: float) -> _core.GradientOptions:
    """Return options of gradient boosting; those that are not named are those of a few thousand rows.

    ``min_leaf`` and ``category_support`` are weights of rows, estimated by the share of the node's hessian. The shares
    are those of the columns of a tree and of a node, and of the rows of a round, that are drawn at random. Chosen on
    half of the data sets of ``benchmarks/gradient_boosting.py``: from a loss of 36.8 at 64 bins, 16 leaves and all
    columns to 35.9 by columns drawn for each node and to 35.7 by 8 leaves; other rates, penalties and patience, or
    drawn rows, changed that by 0.2 at most.
    """
    found = _core.GradientOptions()
    of_few_rows = {"max_rounds": 1000, "max_leaves": 8, "node_share": 0.3, "max_bins": 64}
    for name, value in {**of_few_rows, **options}.items():
        setattr(found, name, value)
    return found


def options_for_table(weight: float, n_columns: int) -> _core.GradientOptions:
    """Return the options for rows of this weight: more of them bear larger trees and finer bins.

    Examples
    --------
    >>> options_for_table(2000, 9).max_leaves, options_for_table(10_000, 9).max_leaves
    (8, 16)
    >>> options_for_table(2000, 200).column_share
    0.3
    """
    share = min(1.0, max(_LEAST_SHARE, _COLUMNS_OF_A_TREE / max(1, n_columns)))
    if weight < _FEW:
        return gradient_options(column_share=share)
    if weight < _MANY:
        return gradient_options(column_share=share, max_leaves=16, max_bins=255)
    rate, max_rounds = (0.1, 500) if weight < _HUGE else (0.2, 200)
    rounds = {"rate": rate, "max_rounds": max_rounds}
    return gradient_options(**rounds, column_share=share, max_leaves=31, max_bins=255, min_leaf=20.0)


_RULES_ARRAYS = {
    "is_nominal": "u1",
    "n_bins": "u2",
    "first_cut": "u4",
    "cuts": "f8",
    "first_category": "u4",
    "bin_of_category": "u1",
}
_TREES_ARRAYS = {
    "first_node": "u4",
    "first_leaf": "u4",
    "score": "u2",
    "column": "u4",
    "cut": "u1",
    "also": "u1",
    "set_index": "i4",
    "kept_leaves": "u8",
    "values": "f8",
    "sets": "u8",
}
_MODEL_ARRAYS = {"first_tree": "u4", "start": "f8", "n_rounds": "u4"}


def _core_arrays() -> dict[str, Field]:
    """Return the fields of the core's arrays in files."""
    named = {**_RULES_ARRAYS, **{f"tree_{name}": kind for name, kind in _TREES_ARRAYS.items()}, **_MODEL_ARRAYS}
    return {name: Array(kind, ndim=2 if name == "tree_sets" else 1) for name, kind in named.items()}


@saved(
    n_classes=Integer(2, 65_535),
    **_core_arrays(),  # type: ignore[arg-type]
    order=Array("i8"),
    seconds=Number(0),
    held_out_proba=Maybe(Array("f8", ndim=2, low=0, high=1)),
)
@dataclass(frozen=True, eq=False, repr=False)
class GradientBoostedFolds:
    """The models of all folds, and what each predicts for the rows of its own fold; classes are sorted.

    ``n_rounds`` is the number of rounds that each model kept, ``seconds`` the time of growing them all.
    """

    core: _core.GradientFolds
    order: NDArray[np.intp]
    held_out: NDArray[np.float64] | None  # None where a file left it out
    seconds: float

    @property
    def held_out_proba(self) -> NDArray[np.float64]:
        """The probabilities of each training row by the model of its fold."""
        if self.held_out is None:
            missing_rows()
        return self.held_out

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        n_classes, rules, trees, *model = cast("Any", self.core).__getstate__()
        values = {"n_classes": n_classes, "order": self.order, "seconds": self.seconds}
        values |= dict(zip(_core_arrays(), (*rules, *trees, *model), strict=True))
        return {**values, "held_out_proba": self.held_out_proba} if training_rows else values

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> GradientBoostedFolds:
        rules = tuple(np.ascontiguousarray(values[name]) for name in _RULES_ARRAYS)
        trees = tuple(np.ascontiguousarray(values[f"tree_{name}"]) for name in _TREES_ARRAYS)
        model = tuple(np.ascontiguousarray(values[name]) for name in _MODEL_ARRAYS)
        core: Any = _core.GradientFolds.__new__(_core.GradientFolds)
        try:
            core.__setstate__((values["n_classes"], rules, trees, *model))
        except (ValueError, TypeError) as error:
            raise ModelFileError(f"holds no models: {error}") from None
        check_order(values["order"], values["n_classes"])
        return cls(core, values["order"], values.get("held_out_proba"), values["seconds"])

    @property
    def n_rounds(self) -> NDArray[np.uint32]:
        """The number of rounds of each model."""
        return np.asarray(self.core.n_rounds)

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:
        """Raise unless loaded models are of these columns and classes."""
        _, (is_nominal, _, _, _, first_category, _), *_ = self.core.__getstate__()
        kinds = [feature.kind == "nominal" for feature in schema.features]
        is_same = len(self.order) == len(classes) and is_nominal.astype(bool).tolist() == kinds
        need(is_same, "has a member of other columns")
        sizes = zip(schema.features, np.diff(first_category).tolist(), strict=True)
        # The core keeps no categories of a column with a single bin, which it never splits
        is_known = all(size in (0, len(feature.categories)) for feature, size in sizes)
        need(is_known, "has a member of other categories")

    def predict_proba(self, rows: Rows, *, n_jobs: int | None = None, by_scores: bool = False) -> NDArray[np.float64]:
        """Return the class probabilities of validated rows: the mean of the models'.

        With ``by_scores=True`` it is the softmax of their mean scores, which had a loss higher by 0.3 on the benchmark.
        """
        n_rows, columns = rows
        found = np.empty((n_rows, len(self.order)))
        self.core.predict_proba(n_rows, columns, by_scores, found, n_threads(n_jobs))
        # The core numbers classes as they were declared, callers have them sorted.
        return np.ascontiguousarray(found[:, self.order])


def fit_gradient_boosting(
    examples: TrainingSet,
    fold_of_row: NDArray[np.integer[Any]],
    options: _core.GradientOptions | None = None,
    seed: np.random.SeedSequence | int = 0,
    n_jobs: int | None = None,
) -> GradientBoostedFolds:
    """Fit a model for each fold of coded rows; ``fold_of_row`` counts from 0, to 2 at least.

    Examples
    --------
    >>> from calibrant.data._internal import read_training_rows
    >>> from calibrant.trees._internal import TrainingSet
    >>> X = np.arange(400.0).reshape(-1, 1)
    >>> examples = TrainingSet.of(read_training_rows(X, X[:, 0] > 200))
    >>> model = fit_gradient_boosting(examples, np.arange(400) % 8)
    >>> model.held_out_proba[[0, 399]].argmax(axis=1)
    array([0, 1])
    >>> model.predict_proba((2, np.array([[3.0], [333.0]]))).argmax(axis=1)
    array([0, 1])
    """
    folds = np.ascontiguousarray(fold_of_row, dtype=np.uint16)
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    n_folds = max(_LEAST_FOLDS, int(folds.max()) + 1)
    # A seed for each fold, so that a fold's model does not depend on the number of the others.
    seeds = np.array([stream_seed(root, fold) for fold in range(n_folds)], dtype=np.uint64)
    if options is None:
        options = options_for_table(float(examples.weights_or_ones.sum()), examples.table.n_columns)
    held_out = np.empty((examples.n_rows, len(examples.classes)))
    started = time.perf_counter()
    core = _core.fit_gradient_folds(
        examples.table.core,
        np.ascontiguousarray(examples.labels),
        examples.weights,
        folds,
        len(examples.classes),
        options,
        seeds,
        held_out,
        n_threads(n_jobs),
    )
    seconds = time.perf_counter() - started
    return GradientBoostedFolds(core, examples.order, np.ascontiguousarray(held_out[:, examples.order]), seconds)
