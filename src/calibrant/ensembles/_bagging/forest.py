"""A grown forest with the rows, bags and parameters it was grown from: all that its readings need later."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._estimator import with_parameters
from calibrant._memory import FLOAT_BYTES
from calibrant._params import Bool, Choice, Int, Nothing, Real, Rule
from calibrant._progress import progress
from calibrant._random import stream_seed
from calibrant._saved import Object, Snapshot, saved
from calibrant._stop import StopRequest
from calibrant._threads import n_threads
from calibrant.ensembles._bagging.bags import Bootstrap, ForestBags
from calibrant.ensembles._tree_style import STYLE_RULE
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier, Tree
from calibrant.trees._internal import GrownTree, TrainingSet, Trees

if TYPE_CHECKING:
    from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier

MaxFeatures: TypeAlias = int | float | Literal["sqrt", "ceil_sqrt", "log2"] | None
OutOfBag: TypeAlias = Literal["ignore", "count", "only", "condition"]


@with_parameters
class ForestParamsMixin:
    """The parameters that growing and reading a forest use besides those of its trees, before which they come."""

    n_trees: int = 100
    bootstrap: Bootstrap | None = "uniform"
    max_samples: float = 0.632
    max_features: MaxFeatures = None
    redraw: bool = True
    combine: Literal["average", "vote"] = "average"
    smooth_votes: bool = False
    out_of_bag: OutOfBag = "ignore"
    out_of_bag_weight: float | Literal["auto", "leaf"] = 1.0
    in_bag_counts: Literal["unique", "multiplicity"] = "unique"
    vote_trees: float | Literal["out_of_bag"] = 1.0
    warm_start: bool = False
    style: str | None = None

    def _n_drawn(self, n_columns: int) -> int:
        return n_drawn(self.max_features, n_columns)


# Copies of a row would be on both sides of folds of a bag, so that alpha is no choice of cross-validation
TREE_RULES: dict[str, Rule] = {**ProbabilityTreeClassifier._rules, "ccp_alpha": Real(0)}
RULES: dict[str, Rule] = TREE_RULES | {
    "n_trees": Int(1),
    "bootstrap": Choice("uniform", "by_class", "by_group", "subsample") | Nothing(),
    "max_samples": Real(0, 1, closed="right"),
    "max_features": Choice("sqrt", "ceil_sqrt", "log2") | Int(1) | Real(0, 1, closed="right") | Nothing(),
    "redraw": Bool(),
    "combine": Choice("average", "vote"),
    "smooth_votes": Bool(),
    "out_of_bag": Choice("ignore", "count", "only", "condition"),
    "out_of_bag_weight": Choice("auto", "leaf") | Real(0),
    "in_bag_counts": Choice("unique", "multiplicity"),
    "vote_trees": Choice("out_of_bag") | Real(0, 1, closed="right"),
    "warm_start": Bool(),
}

BAGGED_RULES: dict[str, Rule] = {**RULES, "style": STYLE_RULE}  # a grown forest has the parameters, not the style


def n_drawn(max_features: MaxFeatures, n_columns: int) -> int:
    """Return the number of columns drawn at each node; 0 for all of them.

    Examples
    --------
    >>> [n_drawn(m, 20) for m in (None, "sqrt", "ceil_sqrt", "log2", 0.3, 7)]
    [0, 4, 5, 4, 6, 7]
    """
    if max_features is None:
        return 0
    if isinstance(max_features, str):
        n = {"sqrt": math.sqrt, "ceil_sqrt": lambda d: math.ceil(math.sqrt(d)), "log2": math.log2}[max_features](
            n_columns
        )
    else:
        n = max_features * n_columns if isinstance(max_features, float) else max_features
    if n > n_columns:
        raise ParameterError(
            f"max_features must be at most {n_columns}, the number of columns of X; got {max_features}."
        )
    return 0 if n == n_columns else max(1, int(n))


def snapshot(params: Any, **others: Any) -> BaggedTreesClassifier:
    """Return a copy of the parameters of a forest, some of them replaced; `set_params` may change the estimator's."""
    values = {name: getattr(params, name) for name in RULES}
    return cast("BaggedTreesClassifier", SimpleNamespace(**values | others))


def tree_sizes(trees: Iterable[Tree]) -> str:
    """Return the number of trees and their sizes as text."""
    sizes = [tree.n_nodes for tree in trees]
    low, high = min(sizes), max(sizes)
    of = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{len(sizes):,}, of {of} {'node' if high == 1 else 'nodes'} each"


GROWING_STREAM = 1  # key of the random stream of a tree
_TREES_PER_THREAD = 8  # between two steps of the progress bar: enough to keep all threads busy


@saved(trees=Trees(), examples=Object(TrainingSet), params=Snapshot(RULES), seed=Object("random.SeedSequence"))
@dataclass(frozen=True, eq=False)
class Forest:
    """Trees, the coded rows, the parameters and the seed, from which the bags follow."""

    trees: tuple[Tree, ...]
    examples: TrainingSet
    params: BaggedTreesClassifier
    seed: np.random.SeedSequence

    @classmethod
    def of(cls, examples: TrainingSet, params: BaggedTreesClassifier, seed: np.random.SeedSequence) -> Forest:
        """Grow a forest of ``params.n_trees`` trees.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> from calibrant.data._internal import read_training_rows
        >>> examples = TrainingSet.of(read_training_rows([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
        >>> Forest.of(examples, BaggedTreesClassifier(n_trees=3), np.random.SeedSequence(0)).in_bag.sum(axis=1)
        array([4, 4, 4], dtype=uint64)
        """
        return cls((), examples, snapshot(params), seed).grown_to(params.n_trees)

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        if training_rows:
            self.examples.check_has_rows()
        return {name: getattr(self, name) for name in ("trees", "examples", "params", "seed")}

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> Forest:
        return cls(**{**values, "trees": values["examples"].adopt(values["trees"])})

    def grown_to(self, n_trees: int) -> Forest:
        """Return the same forest with more trees; those already grown stay as they are.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> forest = BaggedTreesClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])._forest
        >>> more = forest.grown_to(3)
        >>> len(more.trees), more.trees[:2] == forest.trees
        (3, True)
        """
        return replace(self, trees=self.trees + tuple(self._grow(range(len(self.trees), n_trees))))

    @cached_property
    def bags(self) -> ForestBags:
        """The number of times each row is in the bag of each tree, drawn whenever it is needed."""
        return ForestBags.of(self.params.bootstrap, self.examples, self.params.max_samples, self.seed)

    @property
    def in_bag(self) -> NDArray[np.uint16]:
        """The same as a table, trees x rows."""
        return self.bags.matrix(len(self.trees))

    def continued_to(self, n_trees: int, examples: TrainingSet) -> Forest:
        """Return the forest with more trees; raise if it has more already, or was grown from other rows.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> forest = BaggedTreesClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])._forest
        >>> len(forest.continued_to(3, forest.examples).trees)
        3
        """
        # Trees of other rows would share bags by number and make out-of-bag rows that were trained on.
        if n_trees < len(self.trees) or self.examples.fingerprint() != examples.fingerprint():
            raise ParameterError(
                f"n_trees must be at least {len(self.trees)} with warm_start=True, and the rows those of the first "
                f"fit; got n_trees={n_trees}. Fit a clone to start over."
            )
        return self.grown_to(n_trees)

    def grown_tree(self, number: int) -> GrownTree:
        """Return a tree with the rows of its bag, each as often as it was drawn.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> model = BaggedTreesClassifier(n_trees=1, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model._forest.grown_tree(0).counted_rows[2]
        array([1., 2., 1.])
        """
        in_bag = self.bags.count(number)
        bag = self.examples.repeated(in_bag)
        return GrownTree.of(self.trees[number], bag, self.params, self._seed_of(number), rows=in_bag > 0)

    def _grow(self, new: range) -> Iterator[Tree]:
        batch_size = _TREES_PER_THREAD * n_threads(self.params.n_jobs)
        # Counts of finished trees stay in memory, so later batches have less of it.
        held_bytes = self._count_bytes(self.trees)
        with progress(total=len(new), description="Growing trees") as bar:
            for first in range(0, len(new), batch_size):
                batch = new[first : first + batch_size]
                grown = self.grow_batch(batch, held_bytes)
                yield from grown
                held_bytes += self._count_bytes(grown)
                bar.advance(len(grown))

    def _count_bytes(self, trees: Iterable[Tree]) -> int:
        return FLOAT_BYTES * len(self.examples.classes) * sum(tree.n_nodes for tree in trees)

    def grow_batch(self, batch: range, held_bytes: int = 0) -> list[Tree]:
        """Return the trees of these numbers, which depend on no others but for the memory that those hold."""
        # Only plain growing runs within one call of the core; pruning and honest counts take steps of Python between.
        if self.params.prune is None and not self.params.honest and not self.params.collapse:
            seeds = [stream_seed(self.seed, tree, GROWING_STREAM) for tree in batch]
            return GrownTree.grow_unpruned(
                self.examples,
                self.bags.core,
                self.params,
                seeds,
                first_tree=batch.start,
                n_jobs=self.params.n_jobs,
                max_features=self._max_features,
                held_bytes=held_bytes,
            )
        grow = partial(self._grow_one, n_concurrent=len(batch), held_bytes=held_bytes)
        return StopRequest().run(grow, batch, n_threads(self.params.n_jobs))

    def _grow_one(self, number: int, *, n_concurrent: int, held_bytes: int) -> Tree:
        """Grow a tree that is pruned or recounted."""
        # Trees run side by side here; threads within each would only compete with them.
        grown = GrownTree.grow(
            self.examples.repeated(self.bags.count(number)),
            snapshot(self.params, n_jobs=1),
            self._seed_of(number),
            max_features=self._max_features,
            n_concurrent=n_concurrent,
            held_bytes=held_bytes,
        )
        return grown.tree

    @property
    def _max_features(self) -> int:
        return n_drawn(self.params.max_features, self.examples.table.n_columns)

    def _seed_of(self, number: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(stream_seed(self.seed, number, GROWING_STREAM))
