"""Trees of all splits grown on one coded table, and read by every estimate that asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant import _core
from calibrant._params import check_params
from calibrant._random import seed_sequence, stream_seed
from calibrant._threads import n_threads
from calibrant.data._internal import is_float_matrix
from calibrant.estimates import Estimate, FittedHeldOut, Resolvable, RowEstimate, as_estimate
from calibrant.trees._internal import (
    RULES,
    TIE_STREAM,
    Among,
    Examples,
    Growth,
    Parts,
    Reading,
    Tree,
    answers,
    enough_memory,
    grow,
    grow_options,
    probability_table,
    read_training,
    read_tree,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import Split
    from calibrant.resampling._trials.methods import Family
    from calibrant.resampling._trials.trial_data import Case

__all__ = ["TreeRuns", "times_of"]


@dataclass(frozen=True, eq=False)
class TreeRuns:
    """A family of trees on a coded table; the rows of a split are weights on it, so that nothing is coded again.

    A tree grown so is the very tree that `fit` would grow on the rows themselves, because rows of weight 0 are absent
    to the core. Where that does not hold (a class or a category that was not declared is missing from the training
    rows, rows are set aside by number, classes are weighed by their frequency, an estimate is chosen by folds) the
    split is left to an ordinary `fit`.
    """

    family: Family
    case: Case
    examples: Examples
    arrays: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, family: Family, case: Case) -> TreeRuns | None:
        """Code the table, if all members can do with that."""
        if not family.is_tree or not all(_is_plain(member) for member in family.members):
            return None
        for member in family.members:
            check_params(member, RULES)
        head = family.head
        training = read_training(case.X, case.y, case.weight, nominal=head.nominal, class_weight=head.class_weight)
        return cls(family, case, Examples.code(training, n_jobs=head.n_jobs), training.columns.arrays)

    def covers(self, times: NDArray[np.uint16]) -> bool:
        """Say whether a tree grown on rows so often is the one that `fit` would grow on them."""
        head, has_doubles = self.family.head, int(times.max()) > 1
        if has_doubles and head.weight_kind == "probability":  # rows are counted, and a row twice is two
            return False
        if has_doubles and self.examples.weights is not None and head.dialect == "j48":  # half a row twice is two cases
            return False
        is_there = times > 0
        n_classes = len(self.examples.classes)
        if np.count_nonzero(np.bincount(self.examples.labels[is_there], minlength=n_classes)) < n_classes:
            return False
        return all(_has_all(self.examples, column, is_there) for column in self._collected)

    @cached_property
    def _collected(self) -> list[int]:
        """The nominal columns whose categories were collected from the rows."""
        features = self.examples.table.schema.features
        return [place for place, each in enumerate(features) if each.kind == "nominal" and not each.declared]

    def grow(self, times: NDArray[np.uint16], n_jobs: int | None) -> list[Growth]:
        """Grow a tree for each line of how often each row is learnt from."""
        head = self.family.head
        seeds = [seed_sequence(head.random_state) for _ in times]
        if head.prune is None and not head.collapse:
            trees = self._grow_in_core(times, seeds, n_jobs)
            return [self._growth(*each) for each in zip(trees, times, seeds, strict=True)]
        grown = []
        for each, seed in zip(times, seeds, strict=True):
            examples, parts = self._rows_of(each)
            grown.append(Growth(grow(examples, parts, head, seed), examples, parts, head, seed))
        return grown

    def _grow_in_core(
        self, times: NDArray[np.uint16], seeds: Sequence[np.random.SeedSequence], n_jobs: int | None
    ) -> list[Tree]:
        examples, head = self.examples, self.family.head
        options = grow_options(head, examples.n_declared)
        options.n_threads = n_threads(n_jobs)
        ties = [stream_seed(seed, TIE_STREAM) for seed in seeds]
        with enough_memory(examples, options, Among(len(times))):
            cores = _core.grow_forest(
                examples.table.core, examples.labels, examples.weights, times, ties, len(examples.classes), options
            )
        return [Tree(core, examples.order, examples.classes, examples.table.schema) for core in cores]

    def _growth(self, tree: Tree, times: NDArray[np.uint16], seed: np.random.SeedSequence) -> Growth:
        examples, parts = self._rows_of(times)
        return Growth(tree, examples, parts, self.family.head, seed)

    def _rows_of(self, times: NDArray[np.uint16]) -> tuple[Examples, Parts]:
        """Give the rows that a tree is grown from: parts of the table, weighed where some count several times."""
        examples = self.examples
        if int(times.max()) > 1:
            weight = times.astype(np.float64) * (1.0 if examples.weights is None else examples.weights)
            examples = replace(examples, weights=weight)
        return examples, Parts(grow=times > 0)

    def answers(self, growth: Growth, asked: list[NDArray[np.intp]]) -> list[list[NDArray[np.float64]]]:
        """Give the probabilities of rows by every member, for each set of rows."""
        readings = [how(growth) for how in self._readings]
        return [answers(growth.tree, self._columns(rows), readings, 1) for rows in asked]

    @cached_property
    def _readings(self) -> list[Callable[[Growth], Reading]]:
        """How each member reads a grown tree; what kind of estimate it has is asked once, which takes time."""
        return [_reading_by(member) for member in self.family.members]

    def _columns(self, rows: NDArray[np.intp]) -> tuple[int, Any]:
        X, schema = self.case.X, self.examples.table.schema
        if is_float_matrix(X, schema):
            return len(rows), X[rows]
        return len(rows), [array[rows] for array in self.arrays]


def _reading_by(member: Any) -> Callable[[Growth], Reading]:
    given = as_estimate("estimate", member.estimate)
    if isinstance(given, RowEstimate):
        return lambda growth: read_tree(growth, given, member)
    is_resolvable = isinstance(given, Resolvable)

    def read(growth: Growth) -> Reading:
        tree, estimate = growth.tree, given
        if is_resolvable:
            estimate = cast("Resolvable", given).resolve(tree.counts[0], tree.counts[tree.is_leaf])
        return Reading(estimate, probability_table(tree, estimate, member))

    return read


def times_of(splits: Sequence[Split], n_rows: int) -> NDArray[np.uint16]:
    """Give how often each row (columns) is learnt from in each split (rows).

    Examples
    --------
    >>> times_of([(np.array([0, 0, 2]), np.array([1]))], 3)
    array([[2, 0, 1]], dtype=uint16)
    """
    return np.stack([np.bincount(train, minlength=n_rows).astype(np.uint16) for train, _ in splits])


def _is_plain(member: Any) -> bool:
    """Say whether growing a member draws no rows by number, and reading it needs nothing but the tree."""
    if member.honest or member.prune == "reduced_error" or isinstance(member.class_weight, str):
        return False
    try:
        estimate = as_estimate("estimate", member.estimate)
    except (TypeError, ValueError):
        return False  # its `fit` will say what is wrong
    return not _is_open(estimate)


def _is_open(estimate: Any) -> bool:
    """Say whether an estimate is chosen or fitted by folds, which are drawn among the training rows by number."""
    if isinstance(estimate, FittedHeldOut) and estimate.needs_held_out:
        return True
    values = [getattr(estimate, field.name) for field in fields(estimate)] if is_dataclass(estimate) else ["cv"]
    return any(isinstance(each, Estimate) and _is_open(each) for each in values) or "cv" in map(str, values)


def _has_all(examples: Examples, column: int, is_there: NDArray[np.bool_]) -> bool:
    """Say whether each category of a column occurs in some rows."""
    n_categories = len(examples.table.categories(column))
    codes = examples.table.codes(column)[is_there]
    return bool(np.count_nonzero(np.bincount(codes[codes < n_categories], minlength=n_categories)) == n_categories)
