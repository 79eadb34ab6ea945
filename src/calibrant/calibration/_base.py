"""The base classes of calibrators: fitted to scores and classes, mapping scores to probabilities, written as a dict.

A map of one score is one file: a subclass of `ScoreMap` with `_learn` and `_map`. A map of all classes at once is a
subclass of `Calibrator` with `_fit_scored` and `_predict_table`. Parameters are annotated attributes with rules beside
them, what is learned in the attributes that `learned` declares for dicts and for model files.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._params import Rule, check_params
from calibrant._saved import Field, Flag, Integer, LabelArray, ListOf, Maybe, Object, need, saved
from calibrant.calibration._source_rows import read_source_scores
from calibrant.calibration._validation import (
    BinaryScores,
    ScoredRows,
    are_equal,
    check_every_class_has_rows,
    is_of_difference,
    one_column,
    read_named_scores,
    read_scored,
)
from calibrant.data._internal import WeightKind, is_source
from calibrant.exceptions import CalibrantWarning, DataError

C = TypeVar("C", bound="Calibrator")

LARGEST = 1e150  # of coefficients in a model file: products of two such numbers are finite

WEIGHT_KIND_DOC = """\
weight_kind : {"frequency", "probability"}
    Whether a weight of 2 means the row twice, or a row that represents two of the population. The latter are scaled to
    sum to the effective number of rows, (sum w)^2 / sum w^2, and a row stays whole in folds whatever it weighs."""

SOURCE_PARAMETERS = """\
columns : str or sequence of str, optional
    The columns of scores of a source: a path or folder of Parquet or CSV, a polars LazyFrame, a pyarrow Dataset, a
    Dask frame or array. One belongs to the last class; several are matched with the classes by name, else by
    position. By default all columns but those of classes and weights. The columns are read part
    by part into arrays, 8 bytes a number and twice that while they are joined; an error where these do not fit memory.
client : distributed.Client, optional
    The cluster that reads a Dask collection; by default the active one, else this process."""

# The sections of `inverse` of maps of one score.
INVERSE_SECTIONS = """\
Parameters
----------
proba : array of shape (n_rows,)
    Probabilities of the positive class.

Returns
-------
array of shape (n_rows,)
    Scores, on the scale of those in ``fit``; the end of the scale where no score has the probability."""


class Calibrator(EstimatorMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A map from scores to probabilities.

    After ``fit``: ``classes_`` in the order of the columns, ``n_columns_`` as passed. Large work is shared by as many
    threads as ``joblib.parallel_config(n_jobs=...)`` allows, one by default; the result is the same for any number.

    Examples
    --------
    >>> from calibrant.calibration import Platt
    >>> calibrator: Calibrator = Platt().fit([-2.0, -1, 1, 2], [0, 0, 1, 1])
    >>> calibrator.predict([0.0])
    array([0.5])
    >>> calibrator.is_monotone
    True
    """

    _is_monotone: ClassVar[bool] = False
    _rules: ClassVar[Mapping[str, Rule]] = {}
    _learned: ClassVar[tuple[str, ...]] = ()
    _saved_fields: ClassVar[Mapping[str, Field]] = {
        "classes_": Maybe(LabelArray()),
        "n_columns_": Maybe(Integer(1)),
    }

    classes_: NDArray[Any]
    n_columns_: int

    @property
    def is_monotone(self) -> bool:
        """Whether a greater score, of one column, never has a smaller probability if scores increase with the class.

        Where that depends on what is learned, it is False before ``fit``.

        Examples
        --------
        >>> from calibrant.calibration import Binning, Isotonic
        >>> Isotonic().is_monotone, Binning().is_monotone
        (True, False)
        """
        return self._is_monotone

    @fill_docstring(weight_kind=WEIGHT_KIND_DOC, source_parameters=SOURCE_PARAMETERS)
    def fit(
        self,
        scores: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        labels: Any = None,
        weight_kind: WeightKind = "frequency",
        groups: Any = None,
        columns: str | Sequence[str] | None = None,
        client: Any = None,
    ) -> Self:
        """Fit the map.

        Parameters
        ----------
        scores : array of shape (n_rows,) or (n_rows, n_classes)
            Margins, votes, probabilities or logits of held-out rows. One column belongs to the last class. Columns of
            a frame are matched with the classes by name. Or a source that may be larger than memory (see `columns`).
        y : sequence of length n_rows
            The class of each row; the name of its column in a source.
        sample_weight : sequence of length n_rows, optional
            The weight of each row, by default a frequency: a weight of 2 is the row twice. A name in a source.
        labels : sequence, optional
            The classes in the order of the columns, where `y` may lack one; sorted by default.
        groups : sequence of length n_rows, optional
            The group of each row, such as the patient of several rows. Where a map or a number is chosen on held-out
            rows, groups are held out whole. A name in a source.
        %(weight_kind)s
        %(source_parameters)s

        Returns
        -------
        Calibrator
            The fitted calibrator.
        """
        check_params(self)
        if is_source(scores):
            rows = read_source_scores(scores, y, sample_weight, groups, labels=labels, columns=columns, client=client)
        else:
            rows = read_scored(scores, y, sample_weight, labels, groups)
        return self._fit_rows(rows.weighted_by(weight_kind))

    def _fit_rows(self, rows: ScoredRows) -> Self:
        """Fit to validated rows, with a warning where no score differs."""
        if are_equal(rows.scores):
            warnings.warn(
                "all scores are equal, so every row gets the base rate: the model has learned nothing.",
                CalibrantWarning,
                stacklevel=3,
            )
        return self._fit_silently(rows)

    def _fit_silently(self, rows: ScoredRows) -> Self:
        """Fit to validated rows."""
        self.classes_, self.n_columns_ = rows.classes, rows.scores.shape[1]
        self._fit_scored(rows)
        return self

    def _fit_clone(self, rows: ScoredRows) -> Self:
        """Return a clone fitted to validated rows, for calibrators that are made of others."""
        made: Self = clone(self)
        return made._fit_silently(rows)

    def predict(self, scores: Any) -> NDArray[np.float64]:
        """Return the probabilities of rows.

        Parameters
        ----------
        scores : array of shape (n_rows,) or (n_rows, n_classes)
            Scores as in ``fit``, as many columns.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_classes)
            The probability of the last class for one column, of each class for several; rows sum to 1.
        """
        return self._predict_table(self._read_table(scores))

    def _read_table(self, scores: Any) -> NDArray[np.float64]:
        """Return validated scores; raise unless they have as many columns as in fit."""
        check_is_fitted(self, "n_columns_")
        table = read_named_scores(scores, self.classes_)
        if table.shape[1] != self.n_columns_:
            raise DataError(
                f"scores has {table.shape[1]} column(s); this calibrator was fitted with {self.n_columns_}."
            )
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return parameters and learned attributes as plain lists and numbers, which JSON can hold.

        Examples
        --------
        >>> from calibrant.calibration import Platt, calibrator_from_dict
        >>> written = Platt().fit([-2.0, -1, 1, 2], [0, 0, 1, 1]).to_dict()
        >>> written["calibrator"], calibrator_from_dict(written).predict([0.0])
        ('Platt', array([0.5]))
        """
        check_is_fitted(self, "n_columns_")
        return {
            "calibrator": type(self).__name__,
            "params": {name: _plain(value) for name, value in self.get_params(deep=False).items()},
            "classes": self.classes_.tolist(),
            "n_columns": self.n_columns_,
            "learnt": self._write(),  # the key is part of the saved format
        }

    def _write(self) -> dict[str, Any]:
        return {name: _plain(getattr(self, name)) for name in self._learned}

    def _read(self, learned: Mapping[str, Any]) -> None:
        """Set the attributes that `_write` wrote."""
        for name, value in learned.items():
            setattr(self, name, np.asarray(value) if isinstance(value, list) else value)

    def _restore(self, written: Mapping[str, Any]) -> Self:
        """Set what `to_dict` wrote, except the parameters."""
        self.classes_, self.n_columns_ = np.asarray(written["classes"]), written["n_columns"]
        self._read(written["learnt"])
        return self

    def _is_of(self, n_classes: int, n_columns: int) -> bool:
        """Return whether this calibrator is fitted to so many classes and columns of scores."""
        return hasattr(self, "classes_") and len(self.classes_) == n_classes and self.n_columns_ == n_columns

    def _check_saved(self) -> None:
        if hasattr(self, "classes_"):
            self._check_outputs()
            self._check_learned()
        else:  # not fitted, with defaults of the class
            need(not hasattr(self, "n_columns_"), "lacks its classes")

    def _check_learned(self) -> None:
        """Raise by `need` where learned attributes of a model file are missing or do not agree."""
        need(all(hasattr(self, name) for name in self._learned), "lacks what it learned")

    def _check_outputs(self) -> None:
        n_classes = len(self.classes_)
        need(n_classes >= 2 and len(set(self.classes_.tolist())) == n_classes, "must have two classes or more")
        allowed = (1, 2) if n_classes == 2 else (n_classes,)
        need(getattr(self, "n_columns_", None) in allowed, "has other columns than classes")

    @abstractmethod
    def _fit_scored(self, scored: ScoredRows) -> None:
        """Fit to validated rows."""

    @abstractmethod
    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of validated scores, as many columns as in fit."""


class ScoreMap(Calibrator):
    """A map of one score to the probability of one class; several columns are mapped one by one and normalised.

    Two columns are one score: the second probability, or the difference of two margins (``of_difference_``, decided in
    ``fit``). More are mapped each against the rest (``parts_``, one calibrator a class; Zadrozny & Elkan 2002) and
    divided by their sum.

    Examples
    --------
    >>> from calibrant.calibration import Platt
    >>> proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]]
    >>> Platt().fit(proba, ["a", "b", "c", "a"]).predict(proba).sum(axis=1)
    array([1., 1., 1., 1.])
    """

    _saved_fields: ClassVar[Mapping[str, Field]] = {
        **Calibrator._saved_fields,
        "of_difference_": Maybe(Flag()),
        "parts_": Maybe(ListOf(Object(), least=3)),
    }

    parts_: list[ScoreMap]
    of_difference_: bool = False

    @abstractmethod
    def _learn(self, sample: BinaryScores) -> None:
        """Fit the map to one score; what is learned goes to the attributes of `learned`."""

    @abstractmethod
    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of the positive class for scores of shape (n_rows,)."""

    def _fit_scored(self, scored: ScoredRows) -> None:
        if len(scored.classes) == 2:
            self.of_difference_ = is_of_difference(scored.scores)
            self._learn(scored.two_class())
            return
        check_every_class_has_rows(scored, "")
        self.parts_ = [self._part(scored, column) for column in range(len(scored.classes))]

    def _part(self, scored: ScoredRows, column: int) -> ScoreMap:
        part: ScoreMap = clone(self)
        part.classes_, part.n_columns_ = np.array([False, True]), 1
        part._learn(scored.against_rest(column))
        return part

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.classes_) == 2:
            proba = self._map(one_column(table, self.of_difference_))
            return proba if self.n_columns_ == 1 else np.stack([1.0 - proba, proba], axis=1)
        return normalised(np.stack([part._map(table[:, k]) for k, part in enumerate(self.parts_)], axis=1))

    def _write(self) -> dict[str, Any]:
        if len(self.classes_) == 2:
            return {**super()._write(), "of_difference_": self.of_difference_}
        return {"parts": [part.to_dict() for part in self.parts_]}

    def _read(self, learned: Mapping[str, Any]) -> None:
        if len(self.classes_) == 2:
            super()._read(learned)
        else:
            self.parts_ = [clone(self)._restore(part) for part in learned["parts"]]

    def _check_saved(self) -> None:
        n_classes = len(getattr(self, "classes_", ()))
        if n_classes <= 2:
            super()._check_saved()
            return
        self._check_outputs()
        parts = getattr(self, "parts_", [])
        need(len(parts) == n_classes, "must have a map for each class")
        need(all(type(part) is type(self) and part._is_of(2, 1) for part in parts), "has maps of other scores")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def learned(**fields: Field) -> Callable[[type[C]], type[C]]:
    """Return a decorator of a calibrator, whose parameters are annotated attributes as by `with_parameters`.

    The names are those of the attributes that it learns, with their fields of model files.

    Examples
    --------
    >>> from calibrant.calibration import Platt
    >>> Platt._learned
    ('slope_', 'intercept_', 'on_', 'certain_')
    """

    def declare(cls: type[C]) -> type[C]:
        cls._learned = tuple(fields)
        # A map of one score lacks them where there are more than two classes: then its parts have them.
        declared = saved(inline=False, **{name: Maybe(each) for name, each in fields.items()})(cls)
        return with_parameters(declared) if cls._rules else declared  # without parameters no constructor is needed

    return declare


def normalised(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows divided by their sums; in a row of zeros all classes are equally likely.

    Examples
    --------
    >>> normalised(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    total = table.sum(axis=1, keepdims=True)
    out = np.full_like(table, 1.0 / table.shape[1])
    return np.asarray(np.divide(table, total, out=out, where=total > 0))


def two_columns(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of both classes from those of the second; a table of all classes as it is.

    Examples
    --------
    >>> two_columns(np.array([0.25]))
    array([[0.75, 0.25]])
    """
    return proba if proba.ndim == 2 else np.stack([1.0 - proba, proba], axis=1)


def read_probabilities(calibrator: Any, proba: Any) -> NDArray[np.float64]:
    """Return validated probabilities for the inverse of a calibrator of one score.

    Examples
    --------
    >>> from calibrant.calibration import Platt
    >>> read_probabilities(Platt().fit([-1.0, 1.0], [0, 1]), [0.2, 1.2])
    Traceback (most recent call last):
    calibrant.exceptions.DataError: proba must be in [0, 1]; got 1.2 at row 1.
    """
    check_is_fitted(calibrator, "n_columns_")
    table = read_named_scores(proba, calibrator.classes_)
    if calibrator.n_columns_ != 1 or table.shape[1] != 1:
        raise DataError(
            "inverse needs the probabilities of one class, and a calibrator fitted to one column of scores."
        )
    wrong = np.flatnonzero((table[:, 0] < 0) | (table[:, 0] > 1))
    if len(wrong):
        raise DataError(f"proba must be in [0, 1]; got {table[wrong[0], 0]:g} at row {wrong[0]}.")
    return table[:, 0]


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: arrays as lists, calibrators as dicts."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Calibrator):
        params = _plain(value.get_params(deep=False))
        return (
            value.to_dict() if hasattr(value, "n_columns_") else {"calibrator": type(value).__name__, "params": params}
        )
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value
