"""The parts of a source as batches of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._exact_sums import round_weights, weight_step
from calibrant.bayes._distribution import Batch
from calibrant.data._internal import Schema, Source, SourcePart, class_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BatchReader"]


@dataclass(frozen=True, eq=False)
class BatchReader:
    """How a part is read: the schema and the classes of the whole source, and the step that weights are rounded to."""

    schema: Schema
    classes: NDArray[Any]
    step: float | None

    @classmethod
    def of(cls, source: Source) -> BatchReader:
        """Return the reader of a source."""
        survey = source.survey()
        labels = survey.labels.labels().classes if survey.labels is not None else np.empty(0)
        step = None if survey.are_whole else weight_step(survey.largest_weight, survey.n_rows)
        return cls(source.schema, labels, step)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def numeric(self) -> list[int]:
        """The positions of the numeric columns."""
        return [index for index, feature in enumerate(self.schema.features) if feature.kind == "numeric"]

    def batch(self, part: SourcePart) -> Batch:
        """Return the rows of a part; weights that are not whole are multiples of a power of two, so sums are exact."""
        weights = part.weights
        if weights is not None and self.step is not None:
            weights = round_weights(weights, self.step)
        return Batch(
            part.columns(self.schema), class_codes(part, self.classes).astype(np.intp), self.n_classes, weights
        )
