"""Members that learn from dates and free text: numbers are made of both, anew for the training rows of each fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from calibrant._saved import Object, need, saved
from calibrant.blending._learners import BayesLearner, BoostedLearner, LogisticLearner, cross_validated
from calibrant.blending._member import BlendRows, FittedMember
from calibrant.blending._table import BlendTable
from calibrant.data import CodedTable, DateParts, TextParts
from calibrant.data._internal import Columns, Feature, Schema

_N_COMPONENTS = 16


def _positions(schema: Schema, measure: str) -> list[int]:
    return [position for position, feature in enumerate(schema.features) if feature.measure == measure]


@saved(dates=Object("data.DateParts") | None, text=Object("data.TextParts") | None)
@dataclass(frozen=True, eq=False)
class ColumnParts:
    """Fitted parts of the dates and of the free text of a table, in place of these columns."""

    schema: Schema
    dates: DateParts | None
    text: TextParts | None

    @classmethod
    def fit(cls, columns: Columns, words: Sequence[sparse.csr_array], weights: NDArray[np.float64]) -> Self:
        """Fit to the columns and the hashed words of training rows."""
        features, dates = columns.schema.features, _positions(columns.schema, "dates")
        own = Schema(tuple(features[j] for j in dates), named=True) if dates else None
        text = Schema(tuple(features[j] for j in _positions(columns.schema, "text")), named=True) if words else None
        return cls(
            columns.schema,
            None if own is None else DateParts()._fit_arrays(own, [columns.arrays[j] for j in dates]),
            None if text is None else TextParts(n_components=_N_COMPONENTS)._fit_words(text, words, weights),
        )

    @cached_property
    def made_schema(self) -> Schema:
        """The other columns, then the parts."""
        names = [name for each in (self.dates, self.text) if each is not None for name in each.get_feature_names_out()]
        # Numbered, as a part may have the name of a column
        made = [Feature(f"{j} {name}", "numeric", measure="numbers") for j, name in enumerate(names)]
        return Schema((*(self.schema.features[j] for j in self._others), *made), named=True)

    @cached_property
    def _others(self) -> list[int]:
        features = self.schema.features
        return [j for j, feature in enumerate(features) if feature.measure not in ("dates", "text")]

    def arrays(self, arrays: Sequence[NDArray[Any]], words: Sequence[sparse.csr_array]) -> list[NDArray[Any]]:
        """Return the other columns of rows, then the parts."""
        found = [arrays[j] for j in self._others]
        if self.dates is not None:
            found += self.dates._transform_arrays([arrays[j] for j in _positions(self.schema, "dates")])
        return found if self.text is None else [*found, *self.text._transform_words(words)]


@saved(model=Object("blending.BayesModel", "blending.TreesModel", "linear.LogisticModel"))
@dataclass(frozen=True, eq=False)
class PartsModel:
    """A model of columns of which dates and free text are made numbers first."""

    parts: ColumnParts
    model: Any

    @property
    def takes_text(self) -> bool:
        """Whether it needs the strings of rows."""
        return self.parts.text is not None

    def predict_rows(self, new: BlendRows, n_threads: int) -> NDArray[np.float64]:
        """Return the class probabilities of rows."""
        n_rows, columns = new.rows
        arrays = list(columns.T) if isinstance(columns, np.ndarray) else columns
        words = TextParts._read_words(new.X, self.parts.schema) if self.takes_text else []
        proba = self.model.predict_proba((n_rows, self.parts.arrays(arrays, words)), n_jobs=n_threads)
        return np.asarray(proba[0] if proba.ndim == 3 else proba)

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:
        """Raise unless a loaded model is of these columns and classes."""
        parts = self.parts
        need(parts.schema.features == schema.features, "has a member of other columns")
        for measure, part in (("dates", parts.dates), ("text", parts.text)):
            names = tuple(schema.features[j].name for j in _positions(schema, measure))
            need((() if part is None else part._schema.names) == names, f"has a member of other {measure}")
        self.model.check_loaded(parts.made_schema, classes)


@dataclass(frozen=True)
class PartsLearner:
    """Another learner, fitted to the table with numbers in place of dates and free text."""

    learner: BayesLearner | LogisticLearner | BoostedLearner

    @property
    def family(self) -> str:
        """The name of the member."""
        return self.learner.family

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the member; what is made of dates and text is fitted to each fold's training rows."""
        words = [] if table.X is None else self._words(table)

        def fit_rows(rows: NDArray[np.intp], weights: NDArray[np.float64]) -> PartsModel:
            parts = ColumnParts.fit(table.take_columns(rows), [each[rows] for each in words], weights)
            columns = Columns(parts.made_schema, tuple(parts.arrays(table.columns.arrays, words)), table.n_rows)
            examples = replace(table.examples, table=CodedTable.from_columns(columns, n_jobs=1))
            own = replace(table, columns=columns, examples=examples)
            return PartsModel(parts, self.learner.fit_rows(own, rows, weights))

        def score(model: PartsModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            arrays = model.parts.arrays(table.take_columns(rows).arrays, [each[rows] for each in words])
            return self.learner.score(model.model, arrays)

        member = cross_validated(self.family, fit_rows, score, table)
        made = [name for name in ("dates", "text") if _positions(table.columns.schema, name)]
        return replace(member, readings=(f"{self.family} ({', '.join(made)})",))

    def _words(self, table: BlendTable) -> list[sparse.csr_array]:
        words = TextParts._read_words(table.X, table.columns.schema)
        return words if table.kept is None else [each[table.kept] for each in words]
