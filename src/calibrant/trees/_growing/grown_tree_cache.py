"""Grown trees that clones of one estimator share, so that a search over estimates grows each tree once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._tree_params import RULES

if TYPE_CHECKING:
    from calibrant.trees._growing.training_data import TrainingData
    from calibrant.trees._tree_params import TreeParams

__all__ = ["GrownTreeCache", "grow_cached", "inherit_cache"]

# An entry holds the coded rows of its fold beside the tree: the bytes bound a search on large data, the number one on
# small data. GridSearchCV fits all folds for one candidate after the other, so a tree is needed again only after
# those of all other folds: with fewer entries than folds the cache would never hit.
_MAX_TREES, _MAX_BYTES = 256, 2**30
# Not part of the key: these change how a tree is read, or have already changed the rows, their weights or the seed.
_NOT_IN_KEY = {"estimate", "empty_leaf", "n_jobs", "class_weight", "random_state"}


class GrownTreeCache:
    """A cache of grown trees that drops the least recently used first and that threads may share.

    It hangs on the clones of an estimator, not on a module: a search makes clones of a clone, and the cache is freed
    with the last of them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> cache = GrownTreeCache(max_trees=1)
    >>> cache.add("a", SimpleNamespace(n_bytes=1))
    >>> cache.add("b", SimpleNamespace(n_bytes=1))
    >>> cache.get("a"), cache.get("b")
    (None, namespace(n_bytes=1))
    """

    def __init__(self, max_trees: int = _MAX_TREES, max_bytes: int = _MAX_BYTES) -> None:
        self.is_shared = False  # a plain clone and fit shares with no other, so the digest would be wasted time
        self._max_trees, self._max_bytes = max_trees, max_bytes
        self._by_key: OrderedDict[Hashable, GrownTree] = OrderedDict()
        self._n_bytes = 0
        self._lock = Lock()

    def get(self, key: Hashable) -> GrownTree | None:
        """Return the tree grown from the same input, or None."""
        with self._lock:
            if key in self._by_key:
                self._by_key.move_to_end(key)
            return self._by_key.get(key)

    def add(self, key: Hashable, grown: GrownTree) -> None:
        """Add a tree, and drop others until the cache is within its limits."""
        with self._lock:
            if key in self._by_key:  # two threads grew the same tree
                return
            self._by_key[key] = grown
            self._n_bytes += grown.n_bytes
            while len(self._by_key) > self._max_trees or self._n_bytes > self._max_bytes:
                self._n_bytes -= self._by_key.popitem(last=False)[1].n_bytes


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
    cache: GrownTreeCache | None, training: TrainingData, params: TreeParams, seed: np.random.SeedSequence
) -> GrownTree:
    """Grow a tree, unless another clone has grown the same one.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.trees._growing.training_data import read_training
    >>> cache, training = GrownTreeCache(), read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> cache.is_shared = True
    >>> model, seed = ProbabilityTreeClassifier(), np.random.SeedSequence(0)
    >>> grow_cached(cache, training, model, seed) is grow_cached(cache, training, model, seed)
    True
    """
    if cache is None or not cache.is_shared:
        return GrownTree.fit(training, params, seed)
    key = (_digest(training), _growing_params(params), _seed_key(params, seed))
    grown = cache.get(key)
    if grown is None:
        grown = GrownTree.fit(training, params, seed)
        cache.add(key, grown)
    return grown


def _growing_params(params: TreeParams) -> tuple[Hashable, ...]:
    return tuple(getattr(params, name) for name in RULES if name not in _NOT_IN_KEY)


def _seed_key(params: TreeParams, seed: np.random.SeedSequence) -> Hashable:
    """Return what identifies a seed; None where no seed was passed and nothing is drawn, so any seed will do."""
    draws = params.honest or params.prune == "reduced_error" or params.tie_break == "random"
    draws = draws or (params.prune == "cost_complexity" and isinstance(params.ccp_alpha, str))
    if params.random_state is None and not draws:
        return None
    return repr(seed.entropy), tuple(seed.spawn_key), seed.pool_size


def _digest(training: TrainingData) -> bytes:
    """Return a digest of the validated rows, their classes, weights and groups."""
    columns, weights = training.columns, training.weights
    schema = (columns.schema, columns.feature_names, training.classes.dtype.str, training.classes.tolist())
    header = (
        schema,
        training.order.tolist(),
        training.n_declared,
        columns.n_rows,
        weights is None,
        training.copies is None,
    )
    digest = hashlib.blake2b(repr(header).encode("utf-8", "surrogatepass"))
    optional = [each for each in (weights, training.copies, training.groups) if each is not None]
    arrays = (*columns.arrays, training.labels, *optional)
    for array in arrays:
        digest.update(array.dtype.str.encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()
