"""A grown forest with what it was grown from: whatever is read from it later needs no more than this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np

from calibrant import _core
from calibrant._memory import FLOAT_BYTES
from calibrant._progress import progress
from calibrant._random import stream_seed
from calibrant._threads import n_threads
from calibrant.ensembles._bagging.bags import draw_bags
from calibrant.ensembles._bagging.params import RULES, ForestParams, n_drawn
from calibrant.trees._internal import (
    Among,
    Examples,
    Growth,
    Parts,
    Tree,
    enough_memory,
    grow,
    grow_options,
    kept_params,
    set_aside,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Forest"]

_GROWTH = 1  # where the stream of a tree is used
_BETWEEN_LOOKS = 0.1  # seconds: a thread that waits without end may not hear of Ctrl-C
_TREES_AT_ONCE = 8  # for each thread, between two steps of the bar


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees, the coded rows, how often each is in the bag of each tree, the parameters and the seed."""

    trees: tuple[Tree, ...]
    examples: Examples
    in_bag: NDArray[np.uint16]
    params: ForestParams
    seed: np.random.SeedSequence

    @classmethod
    def of(cls, examples: Examples, params: ForestParams, seed: np.random.SeedSequence) -> Forest:
        """Grow as many trees as the parameters ask for.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> from calibrant.trees._growing.training_data import read_training
        >>> examples = Examples.code(read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
        >>> Forest.of(examples, BaggedTreesClassifier(n_trees=3), np.random.SeedSequence(0)).in_bag.sum(axis=1)
        array([4, 4, 4], dtype=uint64)
        """
        none = np.empty((0, examples.n_rows), dtype=np.uint16)
        params = cast("ForestParams", kept_params(params, RULES))
        return cls((), examples, none, params, seed).grown_to(params.n_trees)

    def grown_to(self, n_trees: int) -> Forest:
        """Give the same forest with more trees; those that are there stay as they are.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> forest = BaggedTreesClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])._forest
        >>> more = forest.grown_to(3)
        >>> len(more.trees), more.trees[:2] == forest.trees
        (3, True)
        """
        new = range(len(self.trees), n_trees)
        in_bag = draw_bags(self.params.bootstrap, self.examples.labels, new, self.seed, self.params.max_samples)
        trees = tuple(self._grow(new, in_bag))
        return replace(self, trees=self.trees + trees, in_bag=np.concatenate([self.in_bag, in_bag]))

    def _grow(self, new: range, in_bag: NDArray[np.uint16]) -> Iterator[Tree]:
        at_once = _TREES_AT_ONCE * n_threads(self.params.n_jobs)
        kept = self._bytes_of_counts(self.trees)
        with progress(total=len(new), description="Growing trees") as bar:
            for first in range(0, len(new), at_once):
                part = new[first : first + at_once]
                grown = self._grow_part(part, in_bag[first : first + at_once], Among(len(part), kept))
                yield from grown
                kept += self._bytes_of_counts(grown)
                bar.advance(len(grown))

    def _bytes_of_counts(self, trees: Iterable[Tree]) -> int:
        return FLOAT_BYTES * len(self.examples.classes) * sum(tree.n_nodes for tree in trees)

    def _grow_part(self, part: range, in_bag: NDArray[np.uint16], among: Among) -> list[Tree]:
        if self.params.prune is None and not self.params.honest and not self.params.collapse:
            return self._grow_in_core(part, in_bag, among)
        stop = _core.Stop()
        with ThreadPoolExecutor(n_threads(self.params.n_jobs), initializer=stop.heed) as pool:
            growing = [pool.submit(self._grow_one, *each, among) for each in zip(part, in_bag, strict=True)]
            try:
                return [_awaited(tree) for tree in growing]
            except BaseException:  # Ctrl-C is told to the main thread alone
                stop.request()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _grow_in_core(self, part: range, in_bag: NDArray[np.uint16], among: Among) -> list[Tree]:
        examples, n_columns = self.examples, self.examples.table.n_columns
        options = grow_options(self.params, examples.n_declared, n_drawn(self.params.max_features, n_columns))
        seeds = [stream_seed(self.seed, tree, _GROWTH) for tree in part]
        with enough_memory(examples, options, among):
            cores = _core.grow_forest(
                examples.table.core, examples.labels, examples.weights, in_bag, seeds, len(examples.classes), options
            )
        return [Tree(core, examples.order, examples.classes, examples.table.schema) for core in cores]

    def growth(self, number: int) -> Growth:
        """Give a tree with the rows of its bag, each as often as it was drawn.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> model = BaggedTreesClassifier(n_trees=1, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model._forest.growth(0).counted_rows[2]
        array([1., 1., 2.])
        """
        in_bag = self.in_bag[number]
        examples, parts, seed = self._bag(number, in_bag)
        return Growth(self.trees[number], examples, parts.within(in_bag > 0), self.params, seed)

    def _grow_one(self, number: int, in_bag: NDArray[np.uint16], among: Among) -> Tree:
        """Grow a tree that is pruned or counted anew."""
        examples, parts, seed = self._bag(number, in_bag)
        params = cast("ForestParams", SimpleNamespace(**vars(self.params) | {"n_jobs": 1}))
        return grow(examples, parts, params, seed, n_drawn(params.max_features, examples.table.n_columns), among)

    def _bag(self, number: int, in_bag: NDArray[np.uint16]) -> tuple[Examples, Parts, np.random.SeedSequence]:
        """Give what a tree is grown from by itself: its bag is the weights of the rows."""
        weights = in_bag.astype(np.float64) * (1.0 if self.examples.weights is None else self.examples.weights)
        examples = replace(self.examples, weights=weights)
        seed = np.random.SeedSequence(stream_seed(self.seed, number, _GROWTH))
        return examples, set_aside(examples, self.params, seed), seed


def _awaited(tree: Future[Tree]) -> Tree:
    while wait([tree], _BETWEEN_LOOKS).not_done:
        pass
    return tree.result()
