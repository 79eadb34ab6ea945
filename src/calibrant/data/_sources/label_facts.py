"""The classes and groups of the parts of a source, merged to those of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._frames.values import column_kind
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._validation.labels_and_weights import Labels, factorize
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LabelFacts", "class_codes", "group_codes", "group_values", "label_facts"]


@dataclass(frozen=True)
class LabelFacts:
    """The values of the target, those of them that have rows, and whether they are declared."""

    values: tuple[Any, ...]
    used: frozenset[Any]
    declared: bool

    def merge(self, other: LabelFacts) -> LabelFacts:
        """Return the values of both, in the order of the first where they are declared."""
        if not self.values or not other.values:
            return self if self.values else other
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        return LabelFacts(values, self.used | other.used, self.declared and other.declared)

    def labels(self) -> Labels:
        """Return the classes as `code_labels` of all rows does, without the codes of rows."""
        values = self.values if self.declared else tuple(sorted(self.values))
        column_kind(np.array([*values, None], dtype=object), "y")  # raises if the classes are of several types
        seen = [value for value in values if value in self.used]
        classes, rank = np.unique(np.asarray(seen), return_inverse=True)
        n_declared = len(values) if self.declared else len(seen)
        return Labels(classes, np.empty(0, dtype=np.int32), tuple(rank.tolist()), n_declared)


def label_facts(part: SourcePart) -> LabelFacts:
    """Return the classes of a part; raise if one is missing."""
    if not part.n_rows:
        return LabelFacts((), frozenset(), declared=False)
    coded = factorize(part.labels.to_native())
    if coded.codes.min() < 0:
        missing = np.flatnonzero(coded.codes < 0)
        raise DataError(
            f"the target {part.roles.target!r} has {len(missing)} missing label(s) in {part.origin} (first at row "
            f"{missing[0]:,} of part {part.number}). Drop those rows before fitting."
        )
    has_rows = np.bincount(coded.codes, minlength=len(coded.categories)) > 0
    used = frozenset(value for value, has in zip(coded.categories, has_rows, strict=True) if has)
    return LabelFacts(coded.categories, used, coded.declared)


def class_codes(part: SourcePart, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the position of the class of each row among the classes of the whole source."""
    return _codes(part, part.labels, dict(zip(classes.tolist(), range(len(classes)), strict=True)))


def group_values(part: SourcePart) -> NDArray[Any]:
    """Return the distinct groups of a part; raise if one is missing."""
    if not part.n_rows:
        return np.empty(0, dtype=object)
    coded = factorize(part.frame[part.roles.groups].to_native())
    if coded.codes.min() < 0:
        raise DataError(f"groups: column {part.roles.groups!r} has missing values in {part.origin}. Drop those rows.")
    return np.unique(np.asarray([coded.categories[code] for code in np.unique(coded.codes)]))


def group_codes(part: SourcePart, values: NDArray[Any]) -> NDArray[np.int32]:
    """Return the position of the group of each row among the groups of the whole source."""
    return _codes(part, part.frame[part.roles.groups], dict(zip(values.tolist(), range(len(values)), strict=True)))


def _codes(part: SourcePart, series: Any, code_of: dict[Any, int]) -> NDArray[np.int32]:
    if not part.n_rows:
        return np.empty(0, dtype=np.int32)
    coded = factorize(series.to_native())
    values = [value.item() if isinstance(value, np.generic) else value for value in coded.categories]
    recode = np.array([*(code_of.get(value, -1) for value in values), -1], dtype=np.int32)
    codes = recode[coded.codes]
    if codes.min() < 0:
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"{part.origin} changed while it was read: column {series.name!r} holds a value at row {row:,} of part "
            f"{part.number} that was not there before. Read it again when nobody writes to it."
        )
    return codes
