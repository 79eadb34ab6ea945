"""A grown tree with the rows and parameters it was grown from, which clones of an estimator may share."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._memory import SizedCache
from calibrant._saved import Array, ListOf, Maybe, Object, Snapshot, TupleOf, need, saved
from calibrant.data._internal import TrainingRows
from calibrant.estimates import HeldOutLeaves
from calibrant.trees._growing.cost_complexity import choose_alpha
from calibrant.trees._growing.grow import RowSubsets, draw_row_subsets, grow, grow_unpruned, tie_seed
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._prediction.held_out_folds import held_out_folds
from calibrant.trees._tree import Tree, Trees
from calibrant.trees._tree_params import RULES, TreeParamsMixin


@saved(
    tree=Trees(only_one=True),
    examples=Object(TrainingSet),
    params=Snapshot(RULES),
    seed=Object("random.SeedSequence"),
    subsets=Maybe(TupleOf(Array("b") | None, least=3, most=3)),
    cut_values=Maybe(ListOf(Array("f8") | None)),
)
@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree, its coded rows and the subsets of them set aside, the parameters and the seed that it was grown with."""

    tree: Tree
    examples: TrainingSet
    subsets: RowSubsets
    params: TreeParamsMixin
    seed: np.random.SeedSequence

    @classmethod
    def fit(cls, examples: TrainingSet, params: TreeParamsMixin, seed: np.random.SeedSequence) -> GrownTree:
        """Grow a tree on coded rows, its alpha chosen by cross-validation where `params` request that.

        Examples
        --------
        >>> from calibrant.data._internal import read_training_rows
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> examples = TrainingSet.of(read_training_rows([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
        >>> GrownTree.fit(examples, ProbabilityTreeClassifier(), np.random.SeedSequence(0)).tree
        <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
        """
        params = _snapshot(params)
        if params.prune == "cost_complexity" and isinstance(params.ccp_alpha, str):
            params = choose_alpha(examples, draw_row_subsets(examples, params, seed), params, seed)
        return cls.grow(examples, params, seed)

    @classmethod
    def grow(
        cls,
        examples: TrainingSet,
        params: TreeParamsMixin,
        seed: np.random.SeedSequence,
        *,
        rows: NDArray[np.bool_] | None = None,
        max_features: int = 0,
        n_concurrent: int = 1,
        held_bytes: int = 0,
    ) -> GrownTree:
        """Grow a tree on coded rows, or on some of them, sharing the memory with concurrent and earlier trees."""
        subsets = _subsets(examples, params, seed, rows)
        tree = grow(examples, subsets, params, seed, max_features, n_concurrent, held_bytes)
        return cls(tree, examples, subsets, params, seed)

    @classmethod
    def grow_many(
        cls,
        examples: TrainingSet,
        row_counts: NDArray[np.uint16],
        params: TreeParamsMixin,
        seeds: Sequence[np.random.SeedSequence],
        *,
        n_jobs: int | None,
    ) -> list[GrownTree]:
        """Grow a tree for each line of row counts (trees x rows), each on the rows that occur so often."""
        each_tree = [
            (examples if int(counts.max()) <= 1 else examples.repeated(counts), counts > 0) for counts in row_counts
        ]
        # Pruning and honest counts work on one tree at a time; only plain growing shares one call of the core.
        if params.prune is not None or params.collapse or params.honest:
            return [
                cls.grow(repeated, params, seed, rows=rows)
                for (repeated, rows), seed in zip(each_tree, seeds, strict=True)
            ]
        bags = _core.bags_from_counts(row_counts)
        trees = grow_unpruned(examples, bags, params, [tie_seed(seed) for seed in seeds], n_jobs=n_jobs)
        return [
            cls.of(tree, repeated, params, seed, rows)
            for tree, (repeated, rows), seed in zip(trees, each_tree, seeds, strict=True)
        ]

    tie_seed = staticmethod(tie_seed)
    grow_unpruned = staticmethod(grow_unpruned)

    @classmethod
    def of(
        cls,
        tree: Tree,
        examples: TrainingSet,
        params: TreeParamsMixin,
        seed: np.random.SeedSequence,
        rows: NDArray[np.bool_] | None = None,
    ) -> GrownTree:
        """Put a tree that is already grown together with its rows."""
        return cls(tree, examples, _subsets(examples, params, seed, rows), params, seed)

    def with_tree(self, tree: Tree, params: TreeParamsMixin) -> GrownTree:
        """Return another tree of the same rows, with the parameters that produce it."""
        return replace(self, tree=tree, params=_snapshot(params))

    @cached_property
    def folds(self) -> tuple[HeldOutLeaves, ...]:
        """Trees of the same kind, each grown without a fifth of the rows, and the leaves that those rows reach."""
        return held_out_folds(self.examples, self.subsets, self.params, self.seed)

    @property
    def counted_rows(self) -> tuple[list[NDArray[Any]], NDArray[np.intp], NDArray[np.float64]]:
        """The rows counted in the tree: the columns that it tests, their classes and their weights."""
        subset = self.subsets.grow if self.subsets.count is None else self.subsets.count
        rows = np.arange(self.examples.n_rows) if subset is None else np.flatnonzero(subset)
        # Columns that no node tests stay empty: decoding them would take most of the memory of wide tables.
        is_tested = np.zeros(self.tree.n_features, dtype=np.bool_)
        is_tested[self.tree.feature[~self.tree.is_leaf]] = True
        columns = [self.examples.column(j, rows) if is_tested[j] else np.empty(0) for j in range(len(is_tested))]
        weights = np.ones(len(rows)) if self.examples.weights is None else self.examples.weights[rows]
        return columns, self.examples.sorted_labels[rows], weights

    @property
    def cut_values(self) -> tuple[NDArray[np.float64] | None, ...]:
        """The values of each column next to the cuts of the tree, by which cuts are written with few digits."""
        known = self.examples.known_values
        return tuple(_values_at_cuts(self.tree, j, known(j)) for j in range(self.tree.n_features))

    def without_rows(self) -> GrownTree:
        """Return the tree without the rows that it was grown from; what needs them raises `NotSavedError`."""
        return replace(self, examples=self.examples.without_rows(self.cut_values), subsets=RowSubsets())

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        values = {"tree": (self.tree,), "examples": self.examples, "params": self.params, "seed": self.seed}
        if not training_rows:
            return {**values, "cut_values": list(self.cut_values)}
        self.examples.check_has_rows()
        return {**values, "subsets": (self.subsets.grow, self.subsets.prune, self.subsets.count)}

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> GrownTree:
        examples: TrainingSet = values["examples"]
        (tree,), subsets, cut_values = examples.adopt(values["tree"]), values.get("subsets"), values.get("cut_values")
        if examples.has_rows:
            lengths = {len(each) for each in subsets or () if each is not None}
            need(subsets is not None and lengths <= {examples.n_rows}, "has a part of its training rows")
        elif cut_values is not None and len(cut_values) == tree.n_features:
            examples = copy.copy(examples)
            vars(examples)["kept_values"] = tuple(cut_values)
        of_rows = RowSubsets(*subsets) if subsets is not None and examples.has_rows else RowSubsets()
        return cls(tree, examples, of_rows, values["params"], values["seed"])

    @property
    def n_bytes(self) -> int:
        """Memory that rows and tree take."""
        arrays = cast("tuple[NDArray[Any], ...]", self.tree.core.state)
        return self.examples.n_bytes + sum(array.nbytes for array in arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "folds"}  # which can be grown again

    def __deepcopy__(self, memo: dict[int, Any]) -> GrownTree:
        return self  # it is immutable


def _values_at_cuts(tree: Tree, column: int, values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    if values is None or len(values) == 0:
        return None
    cuts = np.unique(tree.threshold[tree.is_numeric & (tree.feature == column)])
    above = np.searchsorted(values, cuts, side="right")
    # The two values beside each cut are all that writing it with few digits needs, the ends tell whether it is inside.
    near = np.concatenate([above - 1, above, [0, len(values) - 1] if len(cuts) else []]).astype(np.intp)
    return values[np.unique(near[(near >= 0) & (near < len(values))])]


def _subsets(
    examples: TrainingSet, params: TreeParamsMixin, seed: np.random.SeedSequence, rows: NDArray[np.bool_] | None
) -> RowSubsets:
    subsets = draw_row_subsets(examples, params, seed)
    return subsets if rows is None else subsets.within(rows)


def _snapshot(params: TreeParamsMixin) -> TreeParamsMixin:
    """Copy the parameters, which `set_params` may change on their estimator later."""
    return cast("TreeParamsMixin", SimpleNamespace(**{name: getattr(params, name) for name in RULES}))


# An entry holds the coded rows of its fold beside the tree: the bytes bound a search on large data, the number one on
# small data. GridSearchCV fits all folds for one candidate after the other, so a tree is needed again only after
# those of all other folds: with fewer entries than folds the cache would never hit.
_MAX_TREES, _MAX_BYTES = 256, 2**30
# Not part of the key: these change how a tree is read, or have a key of their own.
_NOT_IN_KEY = {"estimate", "empty_leaf", "n_jobs", "class_weight", "random_state"}


class GrownTreeCache(SizedCache):
    """A cache of grown trees.

    It hangs on the clones of an estimator, not on a module: a search makes clones of a clone, and the cache is freed
    with the last of them.
    """

    def __init__(self) -> None:
        super().__init__(_MAX_BYTES, _MAX_TREES)
        self.is_shared = False  # a plain clone and fit shares with no other, so the digest would be wasted time


def inherit_cache(cache: GrownTreeCache | None) -> GrownTreeCache:
    """Return the cache of a clone: that of its original, or a new one to share with its own clones.

    Examples
    --------
    >>> first = inherit_cache(None)
    >>> inherit_cache(first) is first, first.is_shared
    (True, True)
    """
    if cache is None:
        return GrownTreeCache()
    cache.is_shared = True
    return cache


def grow_cached(
    cache: GrownTreeCache | None, rows: TrainingRows, params: Any, seed: np.random.SeedSequence
) -> GrownTree:
    """Grow a tree, unless another clone has grown the same one.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.data._internal import read_training_rows
    >>> cache, rows = GrownTreeCache(), read_training_rows([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> cache.is_shared = True
    >>> model, seed = ProbabilityTreeClassifier(), np.random.SeedSequence(0)
    >>> grow_cached(cache, rows, model, seed) is grow_cached(cache, rows, model, seed)
    True
    """
    grown = key = None
    if cache is not None and cache.is_shared:
        growing = tuple(getattr(params, name) for name in RULES if name not in _NOT_IN_KEY)
        weights = params.class_weight
        class_weight = repr(weights if weights is None or isinstance(weights, str) else dict(weights))
        key = (_digest(rows), growing, class_weight, _seed_key(params, seed))
        grown = cache.get(key)
    if grown is None:
        examples = TrainingSet.of(
            rows, class_weight=params.class_weight, n_jobs=params.n_jobs, max_bins=params.max_bins
        )
        grown = GrownTree.fit(examples, params, seed)
        if cache is not None and key is not None:
            cache.keep(key, grown)
    return grown


def _seed_key(params: Any, seed: np.random.SeedSequence) -> Hashable:
    """Return the identity of a seed; None where no seed was passed and nothing is drawn, so any seed will do."""
    draws = params.honest or params.prune == "reduced_error" or params.tie_break == "random"
    draws = draws or (params.prune == "cost_complexity" and isinstance(params.ccp_alpha, str))
    # Without a seed every fit has a new one; where it decides nothing, it must not keep equal trees apart.
    if params.random_state is None and not draws:
        return None
    return repr(seed.entropy), tuple(seed.spawn_key), seed.pool_size


def _digest(rows: TrainingRows) -> bytes:
    """Return a digest of the validated rows, their classes, weights and groups."""
    columns, labels = rows.columns, rows.labels
    classes = (labels.classes.dtype.str, labels.classes.tolist(), labels.declared, labels.n_declared)
    # Types and sizes enter the digest too, or arrays whose bytes run on alike would be taken for the same.
    header = (columns.schema, columns.feature_names, classes, columns.n_rows, rows.weights is None)
    digest = hashlib.blake2b(repr(header).encode("utf-8", "surrogatepass"))
    optional = [each for each in (rows.weights, rows.groups) if each is not None]
    for array in (*columns.arrays, labels.codes, *optional):
        digest.update(array.dtype.str.encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()
