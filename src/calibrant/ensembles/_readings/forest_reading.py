"""The readings of one grown forest: bagged trees, trees that count out-of-bag rows, MOB-ESP."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._saved import Array, Inline, Integer, Maybe, Number, Object, Text, Value, need, saved
from calibrant._threads import n_threads
from calibrant.data._internal import Rows, warn_of_number
from calibrant.ensembles._bagging.forest import Forest, OutOfBag
from calibrant.ensembles._readings.eb_pets import EBPets, TablesByTree, honest_oob_proba, read_eb_pets, split_by_tree
from calibrant.ensembles._readings.forest_members import (
    Members,
    Tally,
    WalkedPaths,
    count_votes,
    out_of_bag_average,
    out_of_bag_votes,
    score_sums,
    vote_tables,
)
from calibrant.ensembles._readings.mob_esp import MobEsp, check_local, n_voting, read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling
from calibrant.estimates import (
    ChosenByCV,
    CountedTree,
    Estimate,
    FittedHeldOut,
    Resolvable,
    RowEstimate,
    as_estimate,
)
from calibrant.estimates._internal import ESTIMATE, check_estimate, with_classes
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees._internal import GrownTree, TreeReading

_MAX_KEPT_BYTES = 2**28  # of the rows of all bags kept between predictions; larger ones are decoded again


class RowReading:
    """A forest read by the rows of each tree's bag, with a row drawn twice counted twice.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> from calibrant.estimates import KernelDensity
    >>> model = BaggedTreesClassifier(n_trees=3, bootstrap=None).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> RowReading(model._forest, KernelDensity()).predict_proba((1, np.array([[2.4]]))).round(3)
    array([[0.569, 0.431]])
    """

    def __init__(self, forest: Forest, estimate: RowEstimate) -> None:
        self._forest, self._estimate = forest, estimate
        self._kept: dict[int, TreeReading] = {}
        n_cells = len(forest.trees) * forest.examples.n_rows * forest.examples.table.n_columns
        self._can_keep = 8 * n_cells <= _MAX_KEPT_BYTES

    def predict_by_tree(self, tree: int, rows: Rows) -> NDArray[np.float64]:
        """Return the probabilities of rows by one tree."""
        return self._reading(tree).predict_proba(rows, self._forest.params.n_jobs)

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """Return the mean of the trees' probabilities."""
        sums = np.zeros((rows[0], len(self._forest.examples.classes)))
        for tree in range(len(self._forest.trees)):
            sums += self.predict_by_tree(tree, rows)
        return np.divide(sums, len(self._forest.trees), out=sums)

    def oob_proba(self) -> NDArray[np.float64]:
        """Return the mean over the trees without the row in their bags; NaN where there is none."""
        examples, bags = self._forest.examples, self._forest.bags
        sums = np.zeros((examples.n_rows, len(examples.classes)))
        for tree in range(len(self._forest.trees)):
            out = np.flatnonzero(bags.count(tree) == 0)
            if len(out):
                columns = [examples.column(j, out) for j in range(examples.table.n_columns)]
                sums[out] += self.predict_by_tree(tree, (len(out), columns))
        n_trees = bags.n_out_of_bag(len(self._forest.trees))
        return np.asarray(sums / np.where(n_trees > 0, n_trees, np.nan)[:, np.newaxis])

    def _reading(self, tree: int) -> TreeReading:
        if tree in self._kept:
            return self._kept[tree]
        reading = TreeReading.of(self._forest.grown_tree(tree), self._estimate, self._forest.params)
        if self._can_keep:
            self._kept[tree] = reading
        return reading

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_kept": {}}  # read again when needed


Kind: TypeAlias = Literal["b_pets", "eb_pets", "mob_esp"]

_BLOCK = 2**16  # rows

# What a reading keeps where the rows of its forest are dropped.
_OF_PREDICTIONS = ("estimate", "tables", "eb_pets", "mob_esp", "n_voters", "oob_proba", "oob_score")

READINGS: dict[str, OutOfBag] = {"b_pets": "ignore", "eb_pets": "count", "mob_esp": "condition"}


@saved(
    inline=True,
    estimate=Value(),
    out_of_bag=Text("ignore", "count", "only", "condition"),
    out_of_bag_weight=Number(0, finite=False) | Text("auto", "leaf"),
    vote_trees=Number(0, 1) | Text("out_of_bag"),
)
@dataclass(frozen=True)
class ReadingOptions:
    """The options of a reading: the estimate at the leaves, and the role of out-of-bag rows there."""

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


@saved(
    forest=Object("ensembles.Forest"),
    options=Inline(ReadingOptions),
    estimate=Maybe(ESTIMATE),
    n_voters=Maybe(Integer(1)),
    eb_pets=Maybe(Object(EBPets)),
    mob_esp=Maybe(Object(MobEsp)),
    oob_label=Maybe(Array("i4")),
    tables=Maybe(TablesByTree()),
)
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
            # Base rates of the whole training set, not of each bag (ALGORITHMS.md 10.3).
            estimate = estimate.resolve(self.forest.examples.class_weights, leaves)
        return estimate

    @cached_property
    def tables(self) -> list[NDArray[np.float64]]:
        """The probabilities at the nodes of each tree, from its own counts."""
        empty_leaf, dialect = self.forest.params.empty_leaf, self.forest.params.dialect
        return [TreeReading(tree, self.estimate, empty_leaf, dialect).table for tree in self.forest.trees]

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
        """The rule by which out-of-bag rows count."""
        options = self.options
        return Pooling(
            out_of_bag="only" if options.out_of_bag == "only" else "count",
            in_bag_counts=options.in_bag_counts,
            weight=options.out_of_bag_weight,
            estimate=self.estimate,
            empty_leaf=self.forest.params.empty_leaf or "parent",
        )

    def __getstate__(self) -> dict[str, Any]:
        derived = ("members", "frequencies", "_packed")  # computed again when needed
        return {name: value for name, value in self.__dict__.items() if name not in derived}

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        values: dict[str, Any] = {"forest": self.forest, "options": self.options}
        if self.options.combine == "vote":
            return values | ({"n_voters": self.n_voters} if self.options.out_of_bag == "condition" else {})
        values["estimate"] = self.estimate
        if self.options.out_of_bag == "condition":
            values |= {"n_voters": self.n_voters, "mob_esp": self.mob_esp}
            if training_rows:
                values["oob_label"] = self.mob_esp.oob_label
        elif self.options.out_of_bag != "ignore":
            values["eb_pets"] = self.eb_pets
        elif not isinstance(self.estimate, RowEstimate):
            # Tables that have the same bits on any machine are made again
            values |= {} if TreeReading.is_recomputed(self.estimate) else {"tables": self.tables}
        return values

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> ForestReader:
        trees, options = values["forest"].trees, values["options"]
        needed = {"mob_esp": "condition", "eb_pets": "count only"}
        for name, modes in needed.items():
            is_needed = options.combine == "average" and options.out_of_bag in modes.split()
            need(is_needed == (name in values), "must hold what its reading of out-of-bag rows needs, and nothing else")
        found = {name: value for name, value in values.items() if name not in ("forest", "options", "oob_label")}
        if "tables" in found:
            found["tables"] = split_by_tree(found["tables"], trees)
        if "eb_pets" in found:
            found["eb_pets"] = found["eb_pets"].split(trees)
        if "mob_esp" in found:
            found["mob_esp"] = found["mob_esp"].split(values.get("oob_label"), trees)
        reader = cls(values["forest"], options)
        vars(reader).update(found)
        return reader

    def _check_saved(self) -> None:
        n_classes, found = len(self.forest.examples.classes), vars(self)
        need("estimate" in found or self.options.combine == "vote", "lacks its estimate")
        if "estimate" in found:
            check_estimate(self.estimate, n_classes)
        is_known = "n_voters" not in found or 0 < self.n_voters <= len(self.forest.trees)
        need(is_known, "has votes of more trees than there are")
        for table in found.get("tables") or (found["eb_pets"].tables if "eb_pets" in found else []):
            is_proba = table.shape[1] == n_classes and np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-6)
            need(is_proba, "has probabilities that do not sum to 1")

    @property
    def predicts_from_rows(self) -> bool:
        """Whether predictions read the training rows."""
        is_by_table = self.options.combine == "vote" or self.options.out_of_bag != "ignore"
        return not is_by_table and isinstance(self.estimate, RowEstimate)

    def prepare(self) -> None:
        """Compute the tables that predictions read."""
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
        n_rows, columns = rows
        found = np.empty((n_rows, len(self.forest.examples.classes)))
        self._packed.sum(n_rows, columns, found, n_threads(self.forest.params.n_jobs))
        # In place, as the sums of many rows are the largest array here.
        return np.divide(found, len(self.forest.trees), out=found)

    @property
    def averaged_tables(self) -> list[NDArray[np.float64]]:
        """The tables of the trees whose mean is the prediction."""
        return self.tables if self.options.out_of_bag == "ignore" else self.eb_pets.tables

    @cached_property
    def _packed(self) -> _core.PackedForest:
        return _core.PackedForest([tree.core for tree in self.forest.trees], list(self.averaged_tables))

    def tally(self, rows: Rows) -> Tally:
        """Count the votes of the trees on rows: with ``"condition"``, of those that label them."""
        return count_votes(self._voters, self._paths(rows))

    @property
    def _voters(self) -> list[NDArray[np.float64]]:
        # Only MOB-ESP conditions on votes, for which new rows need as many voters as out-of-bag rows had.
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
            weights, proba = self.forest.examples.weights, self.oob_proba[rows]
            of_rows = np.ones(len(proba)) if weights is None else weights[rows]
            sums = score_sums(proba, self.members.labels[rows], of_rows)
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


def _choose_by_cv(estimate: Estimate, forest: Forest) -> Estimate:
    """Choose what is left to cross-validation once for all trees, on a tree grown from all rows."""
    if not needs_all_rows(estimate, forest.trees[0]):
        return estimate
    # Chosen for one tree of all rows: copies of a row would be on both sides of the folds of a bag.
    grown = GrownTree.grow(forest.examples, forest.params, forest.seed)
    return TreeReading.of(grown, estimate, forest.params).estimate


def needs_all_rows(estimate: Estimate, tree: CountedTree) -> bool:
    """Return whether an estimate is chosen for a forest on a tree that is grown from all rows."""
    is_open = isinstance(estimate, ChosenByCV) and len(estimate.candidates(tree)) > 1
    return is_open or (isinstance(estimate, FittedHeldOut) and estimate.needs_held_out)
