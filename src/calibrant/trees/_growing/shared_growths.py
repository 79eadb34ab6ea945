"""Growths that clones of one estimator share, so that a search over estimates grows each tree once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._growing.growth import Growth
from calibrant.trees._tree_params import RULES

if TYPE_CHECKING:
    from calibrant.trees._growing.training_data import Training
    from calibrant.trees._tree_params import TreeParams

__all__ = ["Growths", "grow_once", "inherited"]

_MOST, _MOST_BYTES = 256, 2**30
# What these change is in the rows past the door, or is no part of growing.
_NO_PART_OF_GROWING = {"estimate", "empty_leaf", "n_jobs", "class_weight", "random_state"}


class Growths:
    """A few growths by what they were grown from; the one longest unused goes first. Threads may share it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> growths = Growths(most=1)
    >>> growths.keep("a", SimpleNamespace(n_bytes=1))
    >>> growths.keep("b", SimpleNamespace(n_bytes=1))
    >>> growths.find("a"), growths.find("b")
    (None, namespace(n_bytes=1))
    """

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self.is_shared = False  # whether there is more than one clone to share with
        self._most, self._most_bytes = most, most_bytes
        self._by_key: OrderedDict[Hashable, Growth] = OrderedDict()
        self._n_bytes = 0
        self._lock = Lock()

    def find(self, key: Hashable) -> Growth | None:
        """Give what was grown from the same, if it is still here."""
        with self._lock:
            if key in self._by_key:
                self._by_key.move_to_end(key)
            return self._by_key.get(key)

    def keep(self, key: Hashable, growth: Growth) -> None:
        """Keep a growth, and let go of others until there is room."""
        with self._lock:
            if key in self._by_key:  # two threads grew the same
                return
            self._by_key[key] = growth
            self._n_bytes += growth.n_bytes
            while len(self._by_key) > self._most or self._n_bytes > self._most_bytes:
                self._n_bytes -= self._by_key.popitem(last=False)[1].n_bytes


def inherited(growths: Growths | None) -> Growths:
    """Give what a clone has of its original: the same growths, or room for those of its own clones.

    Examples
    --------
    >>> first = inherited(None)
    >>> inherited(first) is first, first.is_shared
    (True, True)
    """
    if growths is None:
        return Growths()
    growths.is_shared = True
    return growths


def grow_once(growths: Growths | None, training: Training, params: TreeParams, seed: np.random.SeedSequence) -> Growth:
    """Grow a tree, unless another clone has grown the very same.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.trees._growing.training_data import read_training
    >>> growths, training = Growths(), read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> growths.is_shared = True
    >>> model, seed = ProbabilityTreeClassifier(), np.random.SeedSequence(0)
    >>> grow_once(growths, training, model, seed) is grow_once(growths, training, model, seed)
    True
    """
    if growths is None or not growths.is_shared:
        return Growth.of(training, params, seed)
    key = (_digest(training), _growing(params), _seed(params, seed))
    growth = growths.find(key)
    if growth is None:
        growth = Growth.of(training, params, seed)
        growths.keep(key, growth)
    return growth


def _growing(params: TreeParams) -> tuple[Hashable, ...]:
    return tuple(getattr(params, name) for name in RULES if name not in _NO_PART_OF_GROWING)


def _seed(params: TreeParams, seed: np.random.SeedSequence) -> Hashable:
    """Give what tells seeds apart; where nobody asked for a seed and nothing is drawn, any seed is as good."""
    draws = params.honest or params.prune == "reduced_error" or params.tie_break == "random"
    if params.random_state is None and not draws:
        return None
    return repr(seed.entropy), tuple(seed.spawn_key), seed.pool_size


def _digest(training: Training) -> bytes:
    """Give a number for the rows past the door that other rows will not have."""
    columns, weights = training.columns, training.weights
    seen = (columns.schema, columns.feature_names, training.classes.dtype.str, training.classes.tolist())
    told = (seen, training.order.tolist(), training.n_declared, columns.n_rows, weights is None)
    digest = hashlib.blake2b(repr(told).encode("utf-8", "surrogatepass"))
    arrays = (*columns.arrays, training.labels, *(() if weights is None else (weights,)))
    for array in arrays:
        digest.update(array.dtype.str.encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()
