"""The readings of one grown forest: bagged trees, trees that count out-of-bag rows, and MOB-ESP."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads
from calibrant.data._internal import warn_of_number
from calibrant.ensembles._bagging.few_rows import FewRows
from calibrant.ensembles._readings.averages import out_of_bag_average, score_sums
from calibrant.ensembles._readings.eb_pets import EBPets, read_eb_pets
from calibrant.ensembles._readings.forest_members import Members, vote_tables
from calibrant.ensembles._readings.honest_out_of_bag import honest_oob_proba
from calibrant.ensembles._readings.leaf_paths import WalkedPaths
from calibrant.ensembles._readings.mob_esp import MobEsp, check_local, n_voting, read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling
from calibrant.ensembles._readings.row_reading import RowReading
from calibrant.ensembles._readings.votes import Tally, count_votes, out_of_bag_votes
from calibrant.estimates import CountedTree, Estimate, Resolvable, RowEstimate, as_estimate
from calibrant.estimates._internal import with_classes
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees._internal import GrownTree, probability_table, resolve_estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.ensembles._bagging.forest import Forest

__all__ = ["READINGS", "ForestReader", "Kind", "OutOfBag", "ReadingOptions", "needs_all_rows"]

OutOfBag: TypeAlias = Literal["ignore", "count", "only", "condition"]
Kind: TypeAlias = Literal["b_pets", "eb_pets", "mob_esp"]

_BLOCK = 2**16  # rows

# What a reading keeps where the rows of its forest are dropped.
_OF_PREDICTIONS = ("estimate", "tables", "eb_pets", "mob_esp", "n_voters", "oob_proba", "oob_score")

READINGS: dict[str, OutOfBag] = {"b_pets": "ignore", "eb_pets": "count", "mob_esp": "condition"}


@dataclass(frozen=True)
class ReadingOptions:
    """How a forest is read: the estimate at the leaves, and the role of out-of-bag rows there."""

    estimate: str | Estimate
    out_of_bag: OutOfBag
    out_of_bag_weight: float | Literal["auto", "leaf"]
    in_bag_counts: Literal["unique", "multiplicity"]
    combine: Literal["average", "vote"]
    smooth_votes: bool
    vote_trees: float | Literal["out_of_bag"]

    def check(self) -> None:
        """Raise if the reading cannot use the estimate; called before growing."""
        estimate = as_estimate("estimate", self.estimate)
        if self.combine == "vote" or self.out_of_bag == "ignore":
            return
        if isinstance(estimate, RowEstimate):
            raise ParameterError(
                f"estimate must be read from counts where out_of_bag={self.out_of_bag!r} counts rows at the leaves; "
                f"got {estimate!r}, which looks at the rows themselves. Set out_of_bag='ignore' for it."
            )
        if self.out_of_bag == "condition":
            check_local(estimate)


@dataclass(frozen=True, eq=False)
class ForestReader:
    """A forest and how to read it; what the reading needs is computed at its first use."""

    forest: Forest
    options: ReadingOptions
    why_not: str | None = None  # out-of-bag probabilities cannot be computed

    @cached_property
    def members(self) -> Members:
        """The forest with the paths of its training rows."""
        forest, examples = self.forest, self.forest.examples
        paths, labels = WalkedPaths.of_training(forest), examples.sorted_labels
        return Members(
            forest.trees,
            paths,
            forest.bags,
            labels,
            len(examples.classes),
            examples.weights,
            groups=examples.groups,
        )

    @cached_property
    def frequencies(self) -> list[NDArray[np.float64]]:
        """The class frequencies by which the trees vote."""
        return self.members.frequencies if "members" in self.__dict__ else vote_tables(self.forest.trees)

    @cached_property
    def estimate(self) -> Estimate:
        """The estimate with all its numbers; base rates, m and v are those of the whole training set."""
        named = with_classes(as_estimate("estimate", self.options.estimate), self.forest.examples.classes)
        estimate = _choose_by_cv(named, self.forest)
        if isinstance(estimate, Resolvable):
            leaves = np.concatenate([tree.counts[tree.is_leaf] for tree in self.forest.trees])
            estimate = estimate.resolve(self.forest.examples.class_weights, leaves)
        return estimate

    @cached_property
    def tables(self) -> list[NDArray[np.float64]]:
        """The probabilities at the nodes of each tree, from its own counts."""
        empty_leaf, dialect = self.forest.params.empty_leaf, self.forest.params.dialect
        return [
            probability_table(tree, self.estimate, empty_leaf=empty_leaf, dialect=dialect) for tree in self.forest.trees
        ]

    @cached_property
    def by_rows(self) -> RowReading | None:
        """The reading that replaces the tables where the estimate looks at the rows themselves."""
        return RowReading(self.forest, self.estimate) if isinstance(self.estimate, RowEstimate) else None

    @cached_property
    def eb_pets(self) -> EBPets:
        """The reading that counts out-of-bag rows."""
        return read_eb_pets(self.members, self.pooling)

    @cached_property
    def mob_esp(self) -> MobEsp:
        """The reading by leaf and label."""
        return read_mob_esp(self.members, self.pooling)

    @property
    def pooling(self) -> Pooling:
        """How out-of-bag rows count."""
        options = self.options
        return Pooling(
            out_of_bag="only" if options.out_of_bag == "only" else "count",
            in_bag_counts=options.in_bag_counts,
            weight=options.out_of_bag_weight,
            estimate=self.estimate,
            empty_leaf=self.forest.params.empty_leaf or "parent",
        )

    def __getstate__(self) -> dict[str, Any]:
        derived = ("members", "frequencies")  # computed again when needed
        return {name: value for name, value in self.__dict__.items() if name not in derived}

    def prepare(self) -> None:
        """Compute what predictions need."""
        if self.options.combine == "vote":
            _ = self._voters
        elif self.options.out_of_bag == "ignore":
            _ = self.by_rows or self.tables
        elif self.options.out_of_bag == "condition":
            _ = self.mob_esp, self.frequencies
        else:
            _ = self.eb_pets

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """Return the probabilities of rows."""
        options = self.options
        if options.combine == "vote":
            return self.tally(rows).shares(smooth=options.smooth_votes)
        if options.out_of_bag == "ignore" and self.by_rows is not None:
            return self.by_rows.predict_proba(rows)
        if options.out_of_bag == "condition":
            return self.mob_esp.predict_proba(self._paths(rows), self._voters)
        if options.out_of_bag == "only":
            return self.eb_pets.predict_proba(self._paths(rows))
        found = self.few_rows.mean(rows)
        return average_tables(self.forest, rows, self.few_rows.tables) if found is None else found

    @cached_property
    def few_rows(self) -> FewRows:
        """The tables that are averaged, packed for few rows."""
        return FewRows(self.forest.trees, self.tables if self.options.out_of_bag == "ignore" else self.eb_pets.tables)

    def tally(self, rows: Rows) -> Tally:
        """Count the votes of the trees on rows: with ``"condition"``, of those that label them."""
        return count_votes(self._voters, self._paths(rows))

    @property
    def _voters(self) -> list[NDArray[np.float64]]:
        if self.options.out_of_bag != "condition":
            return self.frequencies
        return self.frequencies[: self.n_voters]

    @cached_property
    def n_voters(self) -> int:
        """The number of trees, the first ones, that label a new row."""
        return n_voting(self.options.vote_trees, self.forest.bags, len(self.forest.trees))

    def _paths(self, rows: Rows) -> WalkedPaths:
        return WalkedPaths.of_rows(self.forest.trees, rows, n_threads(self.forest.params.n_jobs))

    @cached_property
    def oob_proba(self) -> NDArray[np.float64]:
        """Honest out-of-bag probabilities of the training rows, NaN for a row that is in every bag."""
        if self.why_not is not None:
            raise DataError(self.why_not)
        if self.forest.examples.groups is None:
            warn_of_number(self.forest.examples.n_copies, self.forest.examples.n_rows)
        if self.options.combine == "vote":
            return out_of_bag_votes(self.members).shares(smooth=self.options.smooth_votes)
        if self.options.out_of_bag == "ignore":
            return self.by_rows.oob_proba() if self.by_rows else out_of_bag_average(self.tables, self.members)
        if self.options.out_of_bag == "condition":
            return strict_oob_proba(self.members, self.pooling, self.mob_esp)
        return honest_oob_proba(self.members, self.pooling, self.eb_pets.alpha)

    @cached_property
    def oob_score(self) -> float:
        """The weighted accuracy of the most probable classes out of the bag, over the rows that have one."""
        right = total = 0.0
        for first in range(0, len(self.oob_proba), _BLOCK):  # sources have more rows than copies of them have memory
            rows = slice(first, first + _BLOCK)
            proba, weights = self.oob_proba[rows], self.forest.examples.weights_of_block(rows)
            sums = score_sums(proba, self.members.labels[rows], weights)
            right, total = right + sums[0], total + sums[1]
        return right / total if total > 0 else float("nan")

    def without_rows(self) -> ForestReader:
        """Return the reading of a forest without its rows; what is computed from them is computed before.

        That are the tables of the reading, which count out-of-bag rows, and the out-of-bag probabilities.
        """
        self.prepare()
        if self.forest.params.bootstrap is not None:
            _ = self.oob_score
        forest = copy.copy(self.forest)
        vars(forest).update(examples=self.forest.examples.without_rows())
        for name in ("in_bag", "bags"):
            vars(forest).pop(name, None)
        other = ForestReader(forest, self.options)
        vars(other).update({name: value for name, value in vars(self).items() if name in _OF_PREDICTIONS})
        if "mob_esp" in vars(self):
            no_rows = np.empty(0, dtype=np.int32)
            vars(other).update(n_voters=self.n_voters, mob_esp=replace(self.mob_esp, oob_label=no_rows))
        return other


def average_tables(forest: Forest, rows: Rows, tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Average the tables of all trees where rows end, in one pass of the core."""
    n_rows, columns = rows
    sums = np.empty((n_rows, tables[0].shape[1]))
    cores = [tree.core for tree in forest.trees]
    _core.predict_forest(cores, n_rows, columns, list(tables), sums, n_threads(forest.params.n_jobs))
    return np.divide(sums, len(cores), out=sums)


def _choose_by_cv(estimate: Estimate, forest: Forest) -> Estimate:
    """Choose what is left to cross-validation once for all trees, on a tree grown from all rows."""
    if not needs_all_rows(estimate, forest.trees[0]):
        return estimate
    return resolve_estimate(estimate, GrownTree.grow(forest.examples, forest.params, forest.seed), forest.params)


def needs_all_rows(estimate: Estimate, tree: CountedTree) -> bool:
    """Return whether an estimate is chosen for a forest on a tree that is grown from all rows."""
    from calibrant.estimates import ChosenByCV, FittedHeldOut

    is_open = isinstance(estimate, ChosenByCV) and len(estimate.candidates(tree)) > 1
    return is_open or (isinstance(estimate, FittedHeldOut) and estimate.needs_held_out)
