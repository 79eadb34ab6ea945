"""The coded rows of all partitions, joined on a worker, and the training rows that they are for a classifier."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._internal import Bins, CodedPart, Labels
from calibrant.trees._growing.examples import Examples
from calibrant.trees._growing.training_data import number_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import SourcePart

__all__ = ["JoinedRows", "SourceFacts", "code_rows", "join_parts"]


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
    return CodedPart.of(part, facts.bins, facts.labels.classes, facts.groups, weighted=facts.has_weights)


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
