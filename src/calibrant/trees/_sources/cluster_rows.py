"""The rows of a source as codes on the workers of a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant._dask.tasks import TaskQueue, gather, submit, submit_each
from calibrant._exact_sums import ExactSums, fixed_point_weights
from calibrant._memory import format_bytes
from calibrant.data._internal import Bins, CodedPart, DaskSource, Labels, SourcePart, bins_memory, find_bins
from calibrant.exceptions import ClusterError
from calibrant.trees._growing.training_set import TrainingSet, class_factors
from calibrant.trees._sources.grow_levels import BYTES_OF_ROW
from calibrant.trees._sources.parts import Parts

R = TypeVar("R")

# Codes may take a third of a worker's memory: a second copy exists while partitions are joined, and trees need the rest
_MEMORY_SHARE = 3
_WORKER_BYTES = 320_000_000  # of a worker that has imported calibrant and pandas, before it reads any row
_BLOCKS_PER_THREAD = 4  # so that workers end at about the same time


@dataclass(frozen=True, eq=False)
class SourceFacts:
    """The bins, classes (without the codes of rows), groups and column names of all rows of a source."""

    bins: Bins
    labels: Labels
    groups: NDArray[Any] | None
    feature_names: tuple[str, ...] | None
    n_rows: int
    has_weights: bool

    @classmethod
    def read(cls, source: DaskSource, max_bins: int) -> SourceFacts:
        """Return the facts that passes over a source find."""
        bins = find_bins(source, max_bins)
        bins.check_bytes()
        survey = source.survey()
        names = source.roles.features if source.roles.named else None
        labels: Labels = survey.labels.labels()  # type: ignore[union-attr]
        return cls(bins, labels, survey.groups, names, survey.n_rows, has_weights=not survey.are_ones)

    @property
    def n_bytes(self) -> int:
        """Memory that the codes, classes, weights and groups of all rows take."""
        return self.n_rows * self.bytes_of_row

    @property
    def bytes_of_row(self) -> int:
        """Memory that one row takes."""
        return len(self.bins.highs) + 2 + 8 * self.has_weights + 8 * (self.groups is not None)


class JoinedRows:
    """The codes of all rows, on a worker."""

    def __init__(self, facts: SourceFacts, codes: CodedPart) -> None:
        self._facts, self._codes = facts, codes
        self._examples: TrainingSet | None = None
        self._lock = threading.Lock()

    def examples(self, class_weight: Any) -> TrainingSet:
        """Return the training rows of a classifier; made once on each worker, the same as from rows in memory."""
        with self._lock:
            if self._examples is None:
                facts, codes = self._facts, self._codes
                labels = replace(facts.labels, codes=codes.labels.astype(np.int32))
                self._examples = TrainingSet.number(
                    facts.bins.table(codes.matrix),
                    labels,
                    codes.weights,
                    codes.groups,
                    class_weight,
                    feature_names=facts.feature_names,
                    from_source=True,
                )
            return self._examples

    def block(self, class_weight: Any, first: int, last: int) -> CodedPart:
        """Return some of the rows as the part of a source that they would be, without copying them."""
        examples, rows = self.examples(class_weight), slice(first, last)
        weights = None if examples.weights is None else examples.weights[rows]
        groups = None if examples.groups is None else examples.groups[rows]
        return CodedPart(first, self._codes.matrix[rows], examples.labels[rows], weights, groups)

    def __sizeof__(self) -> int:
        return self._codes.__sizeof__()

    def __reduce__(self) -> tuple[Any, ...]:
        return JoinedRows, (self._facts, self._codes)


class ClusterRows:
    """The coded rows of a source on the workers of a cluster."""

    def __init__(self, source: DaskSource, max_bins: int) -> None:
        self.connection, self._source = source.connection, source
        self._check_bins_fit(len(source.columns))
        self.facts = SourceFacts.read(source, max_bins)
        self._parts: list[Any] = []
        self._joined: Any = None

    @property
    def fits_workers(self) -> bool:
        """Whether every worker has memory for the codes of all rows."""
        return self.facts.n_bytes <= self.connection.memory() // _MEMORY_SHARE

    def _code(self) -> None:
        """Code the partitions, which stay on their workers."""
        self._parts = self._source.start(_code_rows, self.facts)
        gather(self.connection, self._parts, "Coding rows", fetch=False)

    def join(self) -> None:
        """Join the codes of all partitions, and copy them to every worker."""
        self._code()
        self._joined = submit(self.connection, _join, self.facts, self._parts)
        gather(self.connection, [self._joined], "Joining rows", fetch=False)
        self._parts = []  # Dask computes them again if the joined rows are lost with their workers
        # A task on each worker makes it fetch the rows; if one dies meanwhile, another runs its task
        touched = [
            submit(self.connection, _touch, self._joined, workers=[address], allow_other_workers=True)
            for address in self.connection.n_threads()
        ]
        gather(self.connection, touched, "Sending rows", fetch=False)

    def number(self, class_weight: Any) -> tuple[list[Any], TrainingSet]:
        """Return futures of the coded partitions, with classes numbered and rows weighted, and what a model keeps.

        The partitions stay on their workers; their rows are those of a training set in memory, to the bit.
        """
        self._check_share_fits()
        self._code()
        connection, labels, parts = self.connection, self.facts.labels, self._parts
        factors = total = None
        if class_weight is not None:
            # Summed in the order of the rows, one part after the other: sums of parts would differ in last bits
            totals = submit(connection, np.zeros, len(labels.classes))
            for part in parts:
                totals = submit(connection, _add_totals, part, totals)
            factors = class_factors(labels.classes, class_weight, gather(connection, [totals], "Weighting")[0])
        if self.facts.has_weights or factors is not None:
            sums = gather(connection, submit_each(connection, _sum_weights, factors, over=[parts]), "Weighting")
            total = float(reduce(add, sums).totals()[0])
        numbering = _Numbering(np.argsort(labels.declared), factors, total)
        self._parts = submit_each(connection, _number_part, numbering, over=[parts])
        of_classes = submit_each(connection, _class_weights, len(labels.classes), over=[self._parts])
        weights = np.sum(gather(connection, of_classes, "Weighting"), axis=0)[numbering.order]
        return self._parts, TrainingSet(
            labels.classes,
            labels.n_declared,
            numbering.order,
            self.facts.feature_names,
            from_source=True,
            kept_schema=self.facts.bins.schema,
            kept_weights=weights,
        )

    def _check_bins_fit(self, n_columns: int) -> None:
        """Raise if a worker has no memory for the bins: Dask would pause it, and wait for ever."""
        needed, memory = _WORKER_BYTES + bins_memory(n_columns), self.connection.memory()
        if needed > memory:
            raise ClusterError(
                f"a worker needs {format_bytes(needed)} of memory, beside its partition, to find the bins of "
                f"{n_columns:,} columns, {format_bytes(_WORKER_BYTES)} of it for Python and its packages; the smallest "
                f"has {format_bytes(memory)}. Start workers with more memory, or pass fewer columns."
            )

    def _check_share_fits(self) -> None:
        """Raise if a worker has no memory for its share of the codes, and of those of one tree."""
        memory, n_workers = self.connection.memory(), max(1, len(self.connection.n_threads()))
        of_tree = self.facts.n_rows * (BYTES_OF_ROW + self.facts.bytes_of_row)
        needed = (self.facts.n_bytes + of_tree) // n_workers
        if needed > memory:
            raise ClusterError(
                f"the codes of {self.facts.n_rows:,} rows, shared out over {n_workers:,} workers, and those of the "
                f"tree that is grown take {format_bytes(needed)} on each; the smallest has {format_bytes(memory)}. "
                "Start more workers, or workers with more memory."
            )

    @property
    def n_threads(self) -> int:
        """Number of threads of all workers."""
        return max(1, sum(self.connection.n_threads().values()))

    def call(self, function: Callable[..., R], *args: Any, inputs: Sequence[Any] | None = None, description: str) -> R:
        """Return ``function(*args, rows)``, computed by one worker; futures of `inputs` come last, as a list."""
        futures = [self._joined] if inputs is None else [self._joined, list(inputs)]
        found: R = gather(self.connection, [submit(self.connection, function, *args, *futures)], description)[0]
        return found

    def start_many(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], description: str) -> list[Any]:
        """Return futures of ``function(*each, rows)`` for all calls, in their order, after the workers shared them."""

        def start(*each: Any, **options: Any) -> Any:
            return submit(self.connection, function, *each, self._joined, **options)

        return TaskQueue(self.connection, start).run(calls, description)

    def fit_by_one_worker(self, estimator: Any) -> dict[str, Any]:
        """Return the attributes of an estimator that one worker has fitted to the joined rows."""
        # One worker holds all codes: raising here costs less than workers killed for memory.
        if not self.fits_workers:
            raise ClusterError(
                f"the codes of {self.facts.n_rows:,} rows take {format_bytes(self.facts.n_bytes)} on each worker, for "
                f"which it needs {format_bytes(_MEMORY_SHARE * self.facts.n_bytes)} of memory; the smallest has "
                f"{format_bytes(self.connection.memory())}, and {type(estimator).__name__} is fitted by one worker. "
                "Start workers with more memory."
            )
        self.join()
        return self.call(_fit, estimator, description="Fitting")

    def blocks(self, class_weight: Any) -> list[Any]:
        """Return futures of blocks of the joined rows, some for each thread; any worker has all of them."""
        n_rows, workers = self.facts.n_rows, list(self.connection.n_threads())
        n_blocks = min(_BLOCKS_PER_THREAD * self.n_threads, n_rows)
        # Integer arithmetic divides the rows evenly, and the same on every machine.
        ends = [n_rows * each // n_blocks for each in range(n_blocks + 1)]

        def start(number: int, first: int, last: int) -> Any:  # Dask would make all of them on one worker
            options = {"workers": [workers[number % len(workers)]], "allow_other_workers": True}
            return submit(self.connection, JoinedRows.block, self._joined, class_weight, first, last, **options)

        return [start(number, first, last) for number, (first, last) in enumerate(pairwise(ends))]

    def parts(self, futures: Sequence[Any], description: str = "Growing trees") -> Parts:
        """Return parts of the rows, which the workers hold."""
        return Parts(self.connection, futures, description)

    def release(self) -> None:
        """Release the rows on the workers."""
        self.connection.cancel([*self._parts, *([self._joined] if self._joined is not None else [])])


def _code_rows(part: SourcePart, facts: SourceFacts) -> CodedPart:
    """Return the codes of a partition: bytes, and the position of each class among the sorted ones."""
    return CodedPart.of(part, facts.bins, facts.labels.classes, facts.groups, weighted=facts.has_weights)


def _join(facts: SourceFacts, parts: Sequence[CodedPart]) -> JoinedRows:
    """Return the rows of all partitions, in order."""
    matrix = np.concatenate([part.matrix for part in parts])
    labels = np.concatenate([part.labels for part in parts])
    weights = None if parts[0].weights is None else np.concatenate([part.weights for part in parts])
    groups = None if parts[0].groups is None else np.concatenate([part.groups for part in parts])
    return JoinedRows(facts, CodedPart(0, matrix, labels, weights, groups))


def _touch(rows: JoinedRows) -> None:
    """Do nothing, on a worker that has fetched the rows for it."""


def fit_coded(estimator: Any, examples: TrainingSet) -> None:
    """Fit an estimator to coded rows of a source, and let it drop them."""
    if hasattr(estimator, "_grow_coded"):
        estimator._adopt(estimator._grow_coded(examples))
    else:
        estimator._fit_coded(examples)
    estimator._drop_rows()


def _fit(estimator: Any, rows: JoinedRows) -> dict[str, Any]:
    fit_coded(estimator, rows.examples(getattr(estimator, "class_weight", None)))
    return dict(vars(estimator))


class _Numbering(NamedTuple):
    """The core's number of each sorted class, the factors of its weights, and the sum of all weights."""

    order: NDArray[np.intp]
    factors: NDArray[np.float64] | None
    total: float | None


def _add_totals(part: CodedPart, before: NDArray[np.float64]) -> NDArray[np.float64]:
    # The sum so far enters as the first addend of each class, so that adding goes on in the order of the rows.
    codes = np.concatenate([np.arange(len(before)), part.labels])
    return np.bincount(codes, np.concatenate([before, _weights(None, part)]), len(before)).astype(np.float64)


def _weights(factors: NDArray[np.float64] | None, part: CodedPart) -> NDArray[np.float64]:
    weights = np.ones(part.n_rows) if part.weights is None else part.weights
    return weights if factors is None else np.asarray(weights * factors[part.labels])


def _sum_weights(factors: NDArray[np.float64] | None, part: CodedPart) -> ExactSums:
    # Exact sums do not depend on how the rows are divided into parts, so weights are rounded alike for any partition.
    return ExactSums(1).add(_weights(factors, part)[:, np.newaxis])


def _number_part(numbering: _Numbering, part: CodedPart) -> CodedPart:
    weights = None
    if numbering.total is not None:
        weights = fixed_point_weights(_weights(numbering.factors, part), numbering.total)
    return replace(part, labels=numbering.order.astype(np.uint16)[part.labels], weights=weights)


def _class_weights(n_classes: int, part: CodedPart) -> NDArray[np.float64]:
    return np.bincount(part.labels, part.weights, n_classes).astype(np.float64)
