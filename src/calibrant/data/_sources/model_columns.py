"""The columns of a table that a fitted model needs, and chunks of rows that have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.data._frames.columns import column_kinds
from calibrant.data._frames.schema import Feature, Schema
from calibrant.exceptions import ParameterError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SelectedColumns:
    """Columns of a file: the features that it has, with what is known of each, and the columns to keep."""

    features: Mapping[str, Feature | None]
    keep: tuple[str, ...]
    as_text: bool

    def arrow_types(self) -> dict[str, Any]:
        """Return the types that features are read as; the type of others is inferred, as `read_table` does."""
        found = {name: _arrow_type(feature) for name, feature in self.features.items()}
        return {name: kind for name, kind in found.items() if kind is not None}


def _arrow_type(feature: Feature | None) -> Any:
    import pyarrow as pa

    if feature is None:
        return None
    if feature.kind == "numeric":
        return pa.float64() if feature.measure in ("", "numbers") else None
    is_text = all(isinstance(value, str) for value in feature.categories)
    return pa.dictionary(pa.int32(), pa.string()) if is_text else None


@dataclass(frozen=True)
class WantedColumns:
    """The columns that a model was fitted with, and those of the file to keep.

    Parameters
    ----------
    names : tuple of str or None
        The features; None: the model was fitted without names, and takes all columns in their order.
    n_features : int
        Number of features.
    schema : Schema or None
        Their kinds and categories; None: kinds are those of the first rows.
    keep : tuple of str or "all"
        The columns to keep as they are.
    as_text : bool
        Whether nominal columns without declared categories are strings rather than categories, for estimators of other
        libraries, which were fitted to strings.
    """

    names: tuple[str, ...] | None
    n_features: int
    schema: Schema | None = None
    keep: tuple[str, ...] | Literal["all"] = ()
    as_text: bool = False

    def select(self, columns: Sequence[str], candidates: Sequence[str], who: str) -> SelectedColumns:
        """Return the columns of a file that are needed; ``candidates`` are those that may be features.

        Examples
        --------
        >>> WantedColumns(("age", "town"), 2, keep=("id",)).select(["id", "town"], ["id", "town"], "a.csv")
        SelectedColumns(features={'town': None}, keep=('id',), as_text=False)
        """
        known: Sequence[Feature | None] = self.schema.features if self.schema else [None] * self.n_features
        if self.names is None:
            self._check_width(candidates, who)
            features = dict(zip(candidates, known, strict=True))
        else:
            present = set(columns)
            features = {name: each for name, each in zip(self.names, known, strict=True) if name in present}
        return SelectedColumns(features, self._kept(columns, who), self.as_text)

    def _check_width(self, candidates: Sequence[str], who: str) -> None:
        if len(candidates) != self.n_features:
            raise SchemaError(
                f"{who} has {len(candidates)} columns, and the model was fitted with {self.n_features} columns without "
                "names. Pass a file with exactly these columns, in the same order."
            )

    def _kept(self, columns: Sequence[str], who: str) -> tuple[str, ...]:
        if self.keep == "all":
            return tuple(columns)
        for name in self.keep:
            if name not in columns:
                raise ParameterError(f"keep: {who} has no column {name!r}.{nearest(name, columns)}")
        return self.keep


def as_category_text(X: pd.DataFrame, selection: SelectedColumns) -> pd.DataFrame:
    """Return the frame with columns of numbers as strings where the categories of the feature are strings.

    `read_table` writes numbers without a decimal point where all rows of the column are integral; of a chunk that is
    not known, so a number is written as the category that it equals.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._frames.schema import Feature
    >>> from calibrant.data._sources.model_columns import SelectedColumns
    >>> zone = Feature("zone", "nominal", ("3", "7"))
    >>> selection = SelectedColumns({"zone": zone}, (), as_text=False)
    >>> as_category_text(pd.DataFrame({"zone": [7.0, None]}), selection)["zone"].tolist()
    ['7', nan]
    """
    named = [
        name
        for name, feature in selection.features.items()
        if feature is not None and feature.categories and all(isinstance(each, str) for each in feature.categories)
    ]
    kinds = column_kinds(X[named]) if named else {}
    numeric = {name: selection.features[name] for name in named if kinds[name] == "numeric"}
    texts = {name: _text(X[name], set(feature.categories)) for name, feature in numeric.items() if feature}
    return X.assign(**texts) if texts else X


def _text(column: pd.Series[Any], categories: set[str]) -> Any:
    import pandas as pd

    codes, values = pd.factorize(column)
    texts = [_spelled(value, categories) for value in np.asarray(values).tolist()]
    return pd.Categorical(np.array([*texts, None], dtype=object)[codes])


def _spelled(value: Any, categories: set[str]) -> str:
    is_integral = isinstance(value, float) and value.is_integer()
    return next((text for text in (str(int(value)),) if text in categories), str(value)) if is_integral else str(value)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows: the features, and as an Arrow table the columns to keep, None if there are none."""

    X: pd.DataFrame
    kept: Any = None

    def split(self, n_rows: int) -> Iterator[Chunk]:
        """Yield chunks of at most ``n_rows`` rows."""
        if len(self.X) <= n_rows:
            yield self
            return
        for first in range(0, len(self.X), n_rows):
            kept = None if self.kept is None else self.kept.slice(first, n_rows)
            yield Chunk(self.X.iloc[first : first + n_rows], kept)
