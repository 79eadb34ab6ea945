"""The rows of a source as codes on the workers of a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._dask.tasks import gather, submit
from calibrant._exact_sums import ExactSums
from calibrant.data._internal import Bins, CodedPart, Labels, code_part
from calibrant.trees._growing.training_set import (
    Examples,
    ExamplesWithoutRows,
    TableWithoutRows,
    class_factors,
    fixed_point_weights,
    number_classes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._dask.client import Connection
    from calibrant.data._internal import CodedPart, SourcePart

__all__ = ["JoinedRows", "LevelParts", "SourceFacts", "code_rows", "join_parts", "number_parts"]


@dataclass(frozen=True, eq=False)
class SourceFacts:
    """What is known of all rows of a source: bins, classes (without the codes of rows), groups and column names."""

    bins: Bins
    labels: Labels
    groups: NDArray[Any] | None
    feature_names: tuple[str, ...] | None
    n_rows: int
    has_weights: bool

    @property
    def n_bytes(self) -> int:
        """Memory that the codes, classes, weights and groups of all rows take."""
        return self.n_rows * self.bytes_of_row

    @property
    def bytes_of_row(self) -> int:
        """Memory that one row takes."""
        return len(self.bins.highs) + 2 + 8 * self.has_weights + 8 * (self.groups is not None)


def code_rows(part: SourcePart, facts: SourceFacts) -> CodedPart:
    """Return the codes of a partition: bytes, and the position of each class among the sorted ones."""
    return code_part(part, facts.bins, facts.labels.classes, facts.groups, weighted=facts.has_weights)


class JoinedRows:
    """The codes of all rows, on a worker."""

    def __init__(self, facts: SourceFacts, codes: CodedPart) -> None:
        self._facts, self._codes = facts, codes
        self._examples: Examples | None = None
        self._lock = threading.Lock()

    def examples(self, class_weight: Any) -> Examples:
        """Return the training rows of a classifier; made once on each worker, the same as from rows in memory."""
        with self._lock:
            if self._examples is None:
                self._examples = self._make(class_weight)
            return self._examples

    def block(self, class_weight: Any, first: int, last: int) -> CodedPart:
        """Return some of the rows as the part of a source that they would be, without copying them."""
        examples, rows = self.examples(class_weight), slice(first, last)
        weights = None if examples.weights is None else examples.weights[rows]
        groups = None if examples.groups is None else examples.groups[rows]
        return CodedPart(first, self._codes.matrix[rows], examples.labels[rows], weights, groups)

    def _make(self, class_weight: Any) -> Examples:
        facts, codes = self._facts, self._codes
        positions = codes.labels.astype(np.int32)
        labels = Labels(facts.labels.classes, positions, facts.labels.declared, facts.labels.n_declared)
        numbered = number_classes(labels, codes.weights, codes.groups, class_weight)
        table = facts.bins.table(codes.matrix)
        return replace(Examples.of(numbered, table, facts.feature_names), from_source=True).with_exact_sums()

    def __sizeof__(self) -> int:
        return self._codes.__sizeof__()

    def __reduce__(self) -> tuple[Any, ...]:
        return JoinedRows, (self._facts, self._codes)


def join_parts(facts: SourceFacts, parts: Sequence[CodedPart]) -> JoinedRows:
    """Return the rows of all partitions, in order."""
    matrix = np.concatenate([part.matrix for part in parts])
    labels = np.concatenate([part.labels for part in parts])
    weights = None if parts[0].weights is None else np.concatenate([part.weights for part in parts])
    groups = None if parts[0].groups is None else np.concatenate([part.groups for part in parts])
    return JoinedRows(facts, CodedPart(0, matrix, labels, weights, groups))


@dataclass(frozen=True, eq=False)
class LevelParts:
    """Futures of partitions whose rows are numbered and weighted, and what stands for the training rows of a model."""

    futures: Sequence[Any]
    examples: ExamplesWithoutRows


@dataclass(frozen=True, eq=False)
class _Numbering:
    """The core's number of each sorted class, the factors of its weights, and the sum of all weights."""

    order: NDArray[np.intp]
    factors: NDArray[np.float64] | None
    total: float | None


def number_parts(connection: Connection, facts: SourceFacts, futures: Sequence[Any], class_weight: Any) -> LevelParts:
    """Return coded partitions with numbered classes and weighted rows, made on the workers as of rows in memory."""
    order = np.argsort(facts.labels.declared)
    n_classes = len(facts.labels.classes)
    factors = None
    if class_weight is not None:
        totals = _sequential_totals(connection, n_classes, futures)
        factors = class_factors(facts.labels.classes, class_weight, totals)
    total = None
    if facts.has_weights or factors is not None:
        sums = gather(connection, [submit(connection, _sum_weights, factors, part) for part in futures], "Weighting")
        total = float(reduce(add, sums).totals()[0])
    numbering = _Numbering(order, factors, total)
    numbered = [submit(connection, _number_part, numbering, part) for part in futures]
    counted = gather(
        connection, [submit(connection, _class_weights, n_classes, part) for part in numbered], "Weighting"
    )
    return LevelParts(numbered, _examples(facts, order, np.sum(counted, axis=0)[order]))


def _sequential_totals(connection: Connection, n_classes: int, futures: Sequence[Any]) -> NDArray[np.float64]:
    """Return the weight of each class, summed in the order of the rows: sums of parts would differ in last bits."""
    totals = submit(connection, np.zeros, n_classes)
    for part in futures:
        totals = submit(connection, _add_totals, part, totals)
    found: NDArray[np.float64] = gather(connection, [totals], "Weighting")[0]
    return found


def _add_totals(part: CodedPart, before: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.ones(part.n_rows) if part.weights is None else part.weights
    codes = np.concatenate([np.arange(len(before)), part.labels])
    return np.bincount(codes, np.concatenate([before, weights]), len(before)).astype(np.float64)


def _weights(factors: NDArray[np.float64] | None, part: CodedPart) -> NDArray[np.float64]:
    weights = np.ones(part.n_rows) if part.weights is None else part.weights
    return weights if factors is None else np.asarray(weights * factors[part.labels])


def _sum_weights(factors: NDArray[np.float64] | None, part: CodedPart) -> ExactSums:
    return ExactSums(1).add(_weights(factors, part)[:, np.newaxis])


def _number_part(numbering: _Numbering, part: CodedPart) -> CodedPart:
    weights = None
    if numbering.total is not None:
        weights = fixed_point_weights(_weights(numbering.factors, part), numbering.total)
    return replace(part, labels=numbering.order.astype(np.uint16)[part.labels], weights=weights)


def _class_weights(n_classes: int, part: CodedPart) -> NDArray[np.float64]:
    return np.bincount(part.labels, part.weights, n_classes).astype(np.float64)


def _examples(facts: SourceFacts, order: NDArray[np.intp], class_weights: NDArray[np.float64]) -> ExamplesWithoutRows:
    labels = facts.labels
    table = TableWithoutRows(facts.bins.schema, from_source=True)
    return ExamplesWithoutRows(labels.classes, labels.n_declared, order, facts.feature_names, class_weights, table)
