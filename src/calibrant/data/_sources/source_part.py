"""Some consecutive rows of a source, by the roles of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_unmasked_floats
from calibrant.data._frames.columns import Columns, Nominal, choose_nominal, match_columns
from calibrant.data._frames.schema import Schema
from calibrant.data._validation.labels_and_weights import check_weight_sizes, factorize
from calibrant.exceptions import DataError, DataTypeError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ColumnRoles:
    """The features of a source, in order, and the columns of classes, weights and groups; None where there is none.

    ``named`` is False where the columns have no names of their own, as those of an array.
    """

    features: tuple[str, ...]
    target: str | None = None
    sample_weight: str | None = None
    groups: str | None = None
    nominal: Nominal = "auto"
    named: bool = True

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are not features."""
        return tuple(name for name in (self.target, self.sample_weight, self.groups) if name is not None)

    @property
    def columns(self) -> list[str]:
        """All columns that are read, each once."""
        return list(dict.fromkeys((*self.features, *self.others)))

    def nominal_positions(self) -> set[int]:
        """Return the positions of the features that ``nominal`` specifies."""
        return choose_nominal(self.nominal, self.features)


def choose_roles(
    names: Sequence[str],
    not_features: Sequence[str] = (),
    *,
    target: str | None,
    sample_weight: str | None = None,
    groups: str | None = None,
    columns: Sequence[str] | None = None,
    nominal: Nominal = "auto",
    named: bool = True,
) -> ColumnRoles:
    """Return the role of each column; by default those without another role are features.

    Examples
    --------
    >>> choose_roles(["age", "town", "ill", "w"], target="ill", sample_weight="w").features
    ('age', 'town')
    >>> choose_roles(["age", "ill"], target="il")
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: source has no column 'il'. Did you mean 'ill'?
    """
    others = [name for name in (target, sample_weight, groups) if name is not None]
    _check_names([*others, *(columns or ())], names)
    used = {*others, *not_features}
    features = tuple(columns) if columns is not None else tuple(name for name in names if name not in used)
    if not features and columns is None:
        raise DataError(f"source has no feature beside {', '.join(map(repr, others))}; pass a table with features.")
    return ColumnRoles(features, target, sample_weight, groups, nominal, named)


def _check_names(chosen: Sequence[str], names: Sequence[str]) -> None:
    """Raise if a column has two roles, or is not found."""
    if len(set(chosen)) < len(chosen):
        raise SchemaError(f"the columns must be different ones; got {', '.join(map(repr, chosen))}.")
    for name in chosen:
        if name not in names:
            raise SchemaError(f"source has no column {name!r}.{nearest(name, list(names))}")


@dataclass(frozen=True, eq=False)
class SourcePart:
    """Consecutive rows of a source, without those of weight 0.

    Parameters
    ----------
    number : int
        Number of the part, from 0.
    frame : narwhals.DataFrame
        The columns that are read.
    roles : ColumnRoles
        What each column is.
    weights : float64 array of shape (n_rows,) or None
        The weights, above 0; None where the source has no column of weights.
    origin : str
        Where the rows stand, for messages.
    first_row : int or None
        Number of its first row among the rows of weight above 0 of the whole source; None in the first pass.
    """

    number: int
    frame: Any
    roles: ColumnRoles
    weights: NDArray[np.float64] | None = None
    origin: str = ""
    first_row: int | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def features(self) -> Any:
        """The features as a narwhals frame."""
        return self.frame.select(list(self.roles.features))

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802
        """The features as a pandas frame."""
        frame: pd.DataFrame = self.features.to_pandas()
        return frame

    @property
    def labels(self) -> Any:
        """The classes as a narwhals Series."""
        return self.frame[self.roles.target]

    @cached_property
    def y(self) -> NDArray[Any] | None:
        """The classes as an array; None without a target."""
        return None if self.roles.target is None else np.asarray(self.labels.to_numpy())

    @cached_property
    def groups(self) -> NDArray[Any] | None:
        """The groups as an array; None without a column of groups."""
        return None if self.roles.groups is None else np.asarray(self.frame[self.roles.groups].to_numpy())

    def class_codes(self, classes: NDArray[Any]) -> NDArray[np.int32]:
        """Return the position of the class of each row among the classes of the whole source."""
        return self._codes(self.labels, classes)

    def group_codes(self, groups: NDArray[Any]) -> NDArray[np.int32]:
        """Return the position of the group of each row among the groups of the whole source."""
        return self._codes(self.frame[self.roles.groups], groups)

    def _codes(self, series: Any, known: NDArray[Any]) -> NDArray[np.int32]:
        if not self.n_rows:
            return np.empty(0, dtype=np.int32)
        coded, code_of = factorize(series.to_native()), {value: code for code, value in enumerate(known.tolist())}
        values = [value.item() if isinstance(value, np.generic) else value for value in coded.categories]
        recode = np.array([*(code_of.get(value, -1) for value in values), -1], dtype=np.int32)
        codes = recode[coded.codes]
        if codes.min() < 0:
            row = int(np.flatnonzero(codes < 0)[0])
            raise DataError(
                f"{self.origin} changed while it was read: column {series.name!r} holds a value at row {row:,} of part "
                f"{self.number} that was not there before. Read it again when nobody writes to it."
            )
        return codes

    def columns(self, schema: Schema) -> Columns:
        """Return the features as arrays that match a schema: floats, or codes of categories."""
        if self.n_rows:
            return match_columns(self.features.to_native(), schema, "the source")
        types = [np.int32 if feature.kind == "nominal" else np.float64 for feature in schema.features]
        return Columns(schema, tuple(np.empty(0, dtype=kind) for kind in types), 0, schema.names)


def make_part(
    table: Any, roles: ColumnRoles, number: int, *, origin: str = "source", first_row: int | None = None
) -> SourcePart:
    """Return the part of a frame of pandas, polars or pyarrow; rows of weight 0 are dropped.

    Examples
    --------
    >>> import pandas as pd
    >>> roles = ColumnRoles(("age",), "ill", "w")
    >>> part = make_part(pd.DataFrame({"age": [31, 64], "ill": ["no", "yes"], "w": [0.0, 2.0]}), roles, 0)
    >>> part.X["age"].tolist(), part.y.tolist(), part.weights.tolist()
    ([64], ['yes'], [2.0])
    """
    frame = nw.from_native(table, eager_only=True)
    _check_has_columns(frame, roles, origin)
    frame = frame.select(roles.columns)
    if roles.sample_weight is None:
        return SourcePart(number, frame, roles, None, origin, first_row)
    weights = _read_weights(frame[roles.sample_weight], roles.sample_weight, origin)
    if not weights.all():
        kept = weights > 0
        frame, weights = frame.filter(kept.tolist()), weights[kept]
    return SourcePart(number, frame, roles, weights, origin, first_row)


def _check_has_columns(frame: Any, roles: ColumnRoles, origin: str) -> None:
    missing = [name for name in roles.columns if name not in frame.columns]
    if missing:
        raise SchemaError(
            f"{origin} has no column {missing[0]!r}, which other parts have.{nearest(missing[0], frame.columns)} "
            "Pass parts of the same columns."
        )


def _read_weights(column: Any, name: str, origin: str) -> NDArray[np.float64]:
    try:
        weights = as_unmasked_floats(column.to_numpy())
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"column {name!r} of {origin} must hold numbers: it holds the weights.") from error
    for is_wrong, what in ((~np.isfinite(weights), "missing or infinite"), (weights < 0, "negative")):
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong)[0])
            raise DataError(
                f"column {name!r} of {origin} has {is_wrong.sum()} {what} weight(s) (first at its row {row}); weights "
                "must be >= 0."
            )
    check_weight_sizes(weights, f"column {name!r} of {origin}")
    return weights
