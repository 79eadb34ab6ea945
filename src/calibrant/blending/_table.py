"""The training rows of a blend: validated and coded once, in folds, with a sample that the weights are fitted to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._folds import Pieces, count_by_group, deal_groups, unit_folds
from calibrant._random import stream
from calibrant._saved import Array, Flag, Integer, Maybe, saved
from calibrant._stop import StopRequest
from calibrant.data import CodedTable
from calibrant.data._internal import Columns, read_training_rows, warn_of_weights
from calibrant.exceptions import DataError
from calibrant.trees._internal import TrainingSet

N_FOLDS = 8  # of 5, 8 and 10, the fewest from which more did not gain (benchmarks/default_quality.py)
MIN_SAMPLE, MAX_SAMPLE, MAX_CELLS = 5_000, 20_000, 1_000_000  # pieces, and probabilities of a member: bound the time
_FOLDS, _SAMPLE = 0, 1  # keys of the random streams of one fit
_PIECES = Array("i8", low=0)
_MIN_GROUPS = 3  # a model is grown, stopped and measured on different groups


@saved(
    rows=_PIECES,
    weight=Array("f8", finite=True, low=0),
    fold=_PIECES,
    codes=_PIECES,
    n_classes=Integer(1),
    pieces=_PIECES,
    groups=_PIECES | None,
    is_by_time=Maybe(Flag()),
)
@dataclass(frozen=True, eq=False)
class BlendSample:
    """The pieces of rows that every stage after the members is fitted to: rows, weights, folds, classes and groups.

    By time, folds are numbered in order of time, and rows before the first are in none.
    """

    rows: NDArray[np.intp]
    weight: NDArray[np.float64]
    fold: NDArray[np.intp]
    codes: NDArray[np.intp]
    n_classes: int
    pieces: NDArray[np.intp]  # their positions among the pieces of all rows
    groups: NDArray[np.intp] | None = None
    is_by_time: bool = False

    @property
    def n_pieces(self) -> int:
        """Number of pieces."""
        return len(self.rows)

    @property
    def folds(self) -> list[int]:
        """The folds that have pieces."""
        return [int(fold) for fold in np.unique(self.fold)]

    def known_to(self, fold: int) -> NDArray[np.bool_]:
        """Return whether each piece may be learned from to predict a fold: those of others, by time of earlier ones."""
        return np.asarray(self.fold < fold if self.is_by_time else self.fold != fold)

    def take(self, chosen: NDArray[np.bool_]) -> BlendSample:
        """Return some of the pieces."""
        groups = None if self.groups is None else self.groups[chosen]
        return replace(
            self,
            rows=self.rows[chosen],
            weight=self.weight[chosen],
            fold=self.fold[chosen],
            codes=self.codes[chosen],
            pieces=self.pieces[chosen],
            groups=groups,
        )

    @property
    def base_rates(self) -> NDArray[np.float64]:
        """The share of each class, with Laplace's correction."""
        return base_rates(self.codes, self.weight, self.n_classes)

    @property
    def base_rates_of_others(self) -> NDArray[np.float64]:
        """The share of each class among the other pieces, a row for each piece, with Laplace's correction."""
        own = self.weight[:, np.newaxis] * (self.codes[:, np.newaxis] == np.arange(self.n_classes))
        counts = np.bincount(self.codes, self.weight, self.n_classes) - own + 1.0
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def base_rates(codes: NDArray[np.intp], weight: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the share of each class, with Laplace's correction.

    Examples
    --------
    >>> base_rates(np.array([0, 0, 1]), np.array([1.0, 1.0, 2.0]), 2)
    array([0.5, 0.5])
    """
    counts = np.bincount(codes, weight, n_classes) + 1.0
    return np.asarray(counts / counts.sum())


@dataclass(frozen=True, eq=False)
class BlendTable:
    """Training rows, coded once, with pieces of them in folds.

    ``pieces`` has the units of every row (one for a row of weight 1); ``sample`` those that the weights of the members,
    the calibration and the slower members are fitted to, weighted so that classes have their shares of all rows.
    """

    X: Any
    kept: NDArray[np.intp] | None
    columns: Columns
    examples: TrainingSet
    pieces: Pieces
    sample: BlendSample
    n_folds: int
    seed: np.random.SeedSequence
    n_threads: int
    stop: StopRequest = field(default_factory=StopRequest)
    is_whole: bool = False  # no member is held out by folds: only models of all rows are needed

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        return self.examples.n_rows

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.examples.classes)

    @property
    def is_sampled(self) -> bool:
        """Whether there are more rows than the sample has."""
        return self.sample.n_pieces < len(self.pieces.rows)

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The class of each row as a position among the sorted classes."""
        return self.examples.sorted_labels

    def weights_outside(self, fold: int | None) -> NDArray[np.float64]:
        """Return the weight that each row has in the sample outside a fold, or in all of it."""
        pieces = self.sample
        weight = pieces.weight if fold is None else np.where(pieces.fold == fold, 0.0, pieces.weight)
        return np.bincount(pieces.rows, weight, self.n_rows).astype(np.float64)

    @cached_property
    def piece_examples(self) -> TrainingSet:
        """The pieces of all rows as rows of their own."""
        rows = self.pieces.rows
        return self.examples if len(rows) == self.n_rows else self.take_examples(rows, self.pieces.weight)

    def take_examples(self, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> TrainingSet:
        """Return some rows, coded by themselves, with these weights."""
        examples = self.examples
        return replace(
            examples,
            labels=examples.labels[rows],
            weights=weights,
            table=CodedTable.from_columns(self.take_columns(rows), n_jobs=self.n_threads),
            copies=None,
            groups=None if examples.groups is None else examples.groups[rows],
        )

    def held_out_of(self, fold: int) -> NDArray[np.intp]:
        """Return the positions of a fold's pieces in the sample."""
        return np.flatnonzero(self.sample.fold == fold)

    def take_columns(self, rows: NDArray[np.intp]) -> Columns:
        """Return the validated columns of some rows."""
        arrays = tuple(array[rows] for array in self.columns.arrays)
        return Columns(self.columns.schema, arrays, len(rows), self.columns.feature_names)


def read_blend_table(
    X: Any, y: Any, sample_weight: Any, groups: Any, *, seed: np.random.SeedSequence, n_threads: int
) -> BlendTable:
    """Validate and code the training rows, and assign them to folds.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    >>> table = read_blend_table(X, y, [1, 1, 1, 2], None, seed=np.random.SeedSequence(0), n_threads=1)
    >>> table.pieces.rows, table.is_sampled
    (array([0, 1, 2, 3, 3]), False)
    """
    training = read_training_rows(X, y, sample_weight, groups=groups, takes_text=True)
    warn_of_weights(training.weights)
    examples = TrainingSet.of(training, n_jobs=n_threads)
    kept = None if sample_weight is None else np.flatnonzero(np.asarray(sample_weight))
    return make_blend_table(examples, training.columns, seed=seed, n_threads=n_threads, X=X, kept=kept)


def make_blend_table(
    examples: TrainingSet,
    columns: Columns,
    *,
    seed: np.random.SeedSequence,
    n_threads: int,
    X: Any = None,
    kept: NDArray[np.intp] | None = None,
) -> BlendTable:
    """Assign coded rows to folds and draw the sample; `X` has them as passed, for estimators of other libraries."""
    pieces, n_folds = _assign_folds(examples, seed)
    sample = draw_sample(pieces, examples, seed)
    return BlendTable(X, kept, columns, examples, pieces, sample, n_folds, seed, n_threads)


def _assign_folds(examples: TrainingSet, seed: np.random.SeedSequence) -> tuple[Pieces, int]:
    """Assign the units of rows to folds, class by class, or whole groups."""
    codes, weight, random = examples.sorted_labels, examples.weights_or_ones, stream(seed, _FOLDS)
    if examples.groups is None:
        sorted_rows = np.lexsort([weight, examples.row_hashes, codes])  # copies are dealt as a weighted row's units are
        pieces = unit_folds(codes[sorted_rows], weight[sorted_rows], N_FOLDS, random)
        rows = sorted_rows[pieces.rows]
        order = np.argsort(rows, kind="stable")
        return Pieces(rows[order], pieces.weight[order], pieces.fold[order]), N_FOLDS
    n_groups = int(examples.groups.max()) + 1
    if n_groups < _MIN_GROUPS:
        raise DataError(
            f"groups must be at least {_MIN_GROUPS}, of which some are held out; got {n_groups}. Pass more groups, or "
            "no groups where rows are independent."
        )
    n_folds = min(N_FOLDS, n_groups)
    counts = count_by_group(examples.groups, codes, weight)
    fold = deal_groups(counts, np.ones(n_folds), random)
    if (
        len(np.unique(fold)) < _MIN_GROUPS
    ):  # groups of one class each all go where their class is scarcest, to the first
        fold = deal_groups(counts.sum(axis=1, keepdims=True), np.ones(n_folds), random)
    return Pieces(np.arange(examples.n_rows), weight, fold[examples.groups]), n_folds


def draw_sample(pieces: Pieces, examples: TrainingSet, seed: np.random.SeedSequence) -> BlendSample:
    """Return as many pieces as weights are fitted to, class by class; rare ones are drawn more often, weighted less."""
    most = max(MIN_SAMPLE, min(MAX_SAMPLE, MAX_CELLS // len(examples.classes)))
    n_pieces, codes = len(pieces.rows), examples.sorted_labels[pieces.rows]
    groups = None if examples.groups is None else examples.groups[pieces.rows]
    whole = BlendSample(
        pieces.rows, pieces.weight, pieces.fold, codes, len(examples.classes), np.arange(n_pieces), groups
    )
    if n_pieces <= most:
        return whole
    random = stream(seed, _SAMPLE)
    counts = np.bincount(codes)
    # At least a quarter of an equal share, so that weights and maps are fitted to some rows of every class
    wanted = np.maximum(np.rint(most * counts / n_pieces), most // (4 * len(counts))).astype(np.intp)
    drawn = [random.permutation(np.flatnonzero(codes == code))[:n] for code, n in enumerate(wanted)]
    chosen = np.zeros(n_pieces, dtype=bool)
    chosen[np.concatenate(drawn)] = True
    # Weighted by the inverse of the share drawn, each class counts as in all rows
    share_drawn = np.array([len(rows) for rows in drawn]) / np.maximum(counts, 1)
    sample = whole.take(chosen)
    weight = sample.weight / share_drawn[sample.codes]
    return replace(sample, weight=weight * (sample.weight.sum() / weight.sum()))
