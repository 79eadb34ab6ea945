"""A fitted member of a blend: held-out probabilities of the training rows, with a model for new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from calibrant import _core
from calibrant._saved import Array, Flag, Integer, LabelArray, Number, Object, RowsOnly, Text, TupleOf, need, saved
from calibrant.blending._table import BlendTable
from calibrant.data._internal import Rows, Schema
from calibrant.trees._internal import Trees

if TYPE_CHECKING:
    from calibrant.bayes import NaiveBayesClassifier


@dataclass(frozen=True, eq=False)
class BlendRows:
    """New rows: as validated, and as passed for estimators of other libraries."""

    rows: Rows
    X: Any


@saved(classifier=Object("bayes.NaiveBayesClassifier"))
@dataclass(frozen=True, eq=False)
class BayesModel:
    """A fitted naive Bayes classifier."""

    classifier: NaiveBayesClassifier

    def predict_proba(self, rows: Rows, *, n_jobs: int = 1) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the class probabilities of validated rows."""
        return np.ascontiguousarray(softmax(self.classifier._joint_of(rows), axis=0).T)

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:
        """Raise unless a loaded model is of these columns and classes."""
        need(self.classifier._schema.features == schema.features, "has a member of other columns")
        need(len(self.classifier.classes_) == len(classes), "has a member of other classes")


@saved(
    trees=Trees(),
    tables=Array("f8", ndim=2, finite=True, low=-1e4, high=1e4),
    n_readings=Integer(1, 100),
    is_log=Flag(),
)
@dataclass(frozen=True, eq=False)
class TreesModel:
    """Trees with tables of numbers at their nodes, summed over the leaves that rows reach in one pass of the core.

    The tables of several readings stand side by side. The numbers are probabilities, or with ``is_log`` their
    logarithms, whose mean is the logarithm of a geometric mean.
    """

    trees: tuple[Any, ...]
    tables: tuple[NDArray[np.float64], ...]  # of each tree: nodes x (readings x classes)
    n_readings: int = 1
    is_log: bool = False

    @classmethod
    def of(cls, trees: Sequence[Any], readings: Sequence[Sequence[NDArray[np.float64]]], is_log: bool) -> TreesModel:
        """Put the tables of several readings, each with one for every tree, side by side."""
        tables = tuple(np.ascontiguousarray(np.hstack(of_tree)) for of_tree in zip(*readings, strict=True))
        return cls(tuple(trees), tables, len(readings), is_log)

    def predict_proba(self, rows: Rows | tuple[int, Any], *, n_jobs: int = 1) -> NDArray[np.float64]:
        """Return the mean of the trees, or their geometric mean scaled to add up to 1: readings x rows x classes."""
        n_rows, columns = rows
        sums = np.empty((n_rows, self.tables[0].shape[1]))
        self._packed.sum(n_rows, columns, sums, n_jobs)
        by_reading = np.ascontiguousarray(sums.reshape(n_rows, self.n_readings, -1).transpose(1, 0, 2))
        means = by_reading / len(self.trees)
        return np.asarray(softmax(means, axis=-1)) if self.is_log else means

    @cached_property
    def _packed(self) -> _core.PackedForest:
        return _core.PackedForest([tree.core for tree in self.trees], list(self.tables))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_packed"}  # packed again when needed

    def only(self, readings: Sequence[int]) -> TreesModel:
        """Return the trees with the tables of some readings."""
        if len(readings) == self.n_readings:
            return self
        parts = [table.reshape(len(table), self.n_readings, -1)[:, list(readings)] for table in self.tables]
        tables = tuple(np.ascontiguousarray(part.reshape(len(part), -1)) for part in parts)
        return replace(self, tables=tables, n_readings=len(readings))

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:  # noqa: ARG002
        return self.__getstate__() | {"tables": np.concatenate(self.tables)}

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> TreesModel:
        ends = np.cumsum([tree.n_nodes for tree in values["trees"]])
        need(ends[-1] == len(values["tables"]), "has other probabilities than nodes")
        return cls(**values | {"tables": tuple(np.split(values["tables"], ends[:-1]))})

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:
        """Raise unless loaded trees are of these columns and classes."""
        need(self.trees[0].schema.features == schema.features, "has trees of other columns")
        need(self.trees[0].classes.tolist() == classes.tolist(), "has trees of other classes")
        need(self.tables[0].shape[1] == self.n_readings * len(classes), "has probabilities of other classes")


@saved(estimator=Object(), classes=LabelArray())
@dataclass(frozen=True, eq=False)
class EstimatorModel:
    """A fitted classifier of another library; classes that it has not seen have probability 0."""

    estimator: Any
    classes: NDArray[Any]

    def proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of rows as passed, or a softmax of margins, which the pool scales."""
        proba = np.zeros((len(X), len(self.classes)))
        seen = np.searchsorted(self.classes, self.estimator.classes_)
        with threadpool_limits(1):
            proba[:, seen] = self._scores(X)
        return proba

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:  # noqa: ARG002
        """Raise unless a loaded estimator is of these classes, or of some of them."""
        own, known = np.asarray(getattr(self.estimator, "classes_", ())).tolist(), classes.tolist()
        is_part = len(own) >= 1 and own == [label for label in known if label in own]
        need(is_part and self.classes.tolist() == known, "has a member of other classes")

    def _scores(self, X: Any) -> NDArray[np.float64]:
        if hasattr(self.estimator, "predict_proba"):
            return np.asarray(self.estimator.predict_proba(X), dtype=np.float64)
        margins = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        if margins.ndim == 1:  # of two classes: half of it for and half against, so that their difference stays
            margins = np.stack([-margins, margins], axis=1) / 2.0
        return np.asarray(softmax(margins, axis=1))


@saved(
    readings=TupleOf(Text(), least=1),
    model=Object(
        *(BayesModel, EstimatorModel, TreesModel),
        *("blending.PartsModel", "ensembles.GradientBoostedFolds", "linear.LogisticModel"),
    ),
    held_out=RowsOnly(TupleOf(Array("f8", ndim=2, finite=True, low=0, high=1))),
    seconds=Number(0),
)
@dataclass(frozen=True, eq=False)
class FittedMember:
    """A member with the held-out probabilities of the sampled pieces, one table for each of its readings.

    Its model has a method ``predict_proba(rows, n_jobs=...)`` of validated rows, but for an `EstimatorModel` and a
    `PartsModel`, which take rows as passed too.
    """

    family: str
    readings: tuple[str, ...]
    model: Any
    held_out: tuple[NDArray[np.float64], ...] = ()
    note: str = ""
    seconds: float = 0.0

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the class probabilities of rows, for each reading."""
        if isinstance(self.model, EstimatorModel):
            return [self.model.proba(new.X)]
        if hasattr(self.model, "predict_rows"):  # with the strings of free text
            return [self.model.predict_rows(new, n_threads)]
        proba = self.model.predict_proba(new.rows, n_jobs=n_threads)
        return list(proba) if isinstance(self.model, TreesModel) else [proba]

    def only(self, readings: Sequence[int]) -> FittedMember:
        """Return the member with some of its readings."""
        return replace(
            self,
            readings=tuple(self.readings[i] for i in readings),
            held_out=tuple(self.held_out[i] for i in readings),
            model=self.model.only(readings) if isinstance(self.model, TreesModel) else self.model,
        )

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:
        """Raise unless a loaded member is of these columns and classes."""
        self.model.check_loaded(schema, classes)
        n_readings = self.model.n_readings if isinstance(self.model, TreesModel) else 1
        need(len(self.readings) == n_readings, "has a member of other readings")


class MemberLearner(Protocol):
    """A learner, which fits a member."""

    @property
    def family(self) -> str:
        """The name of the member."""
        ...

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the member."""
        ...
