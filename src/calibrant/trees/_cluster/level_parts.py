"""The coded partitions of a source as trees grown level by level need them: classes numbered, weights rounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._dask.tasks import gather, submit
from calibrant._exact_sums import ExactSums
from calibrant.trees._growing.fixed_point import fixed_point_weights
from calibrant.trees._growing.rows_left_out import ExamplesWithoutRows, TableWithoutRows
from calibrant.trees._growing.training_data import class_factors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._dask.client import Connection
    from calibrant.data._internal import CodedPart
    from calibrant.trees._cluster.joined_rows import SourceFacts

__all__ = ["LevelParts", "number_parts"]


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
