"""The scores that a map is fitted to: of the test rows of folds, out-of-bag rows, other rows or training rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from calibrant._params import Choice, Int, Rule
from calibrant._random import SeedLike
from calibrant._repr import instance_hint, short_repr
from calibrant._saved import Array, LabelArray, saved
from calibrant.calibration._classifier.fit_data import FitData
from calibrant.calibration._classifier.response import Method, scores_of
from calibrant.calibration._classifier.run_folds import ReadingOfFits, run_folds, splits_of_folds, stratified_folds
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Split: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
    Given: TypeAlias = FitData  # the name of the type in the signature of HeldOut.of, which is public and frozen

Source: TypeAlias = int | Literal["prefit", "train", "oob"] | Iterable[Any] | Any


class _Splits(Rule):
    """A splitter or pairs; not a string, which is an iterable with a method `split` too."""

    def __contains__(self, value: object) -> bool:
        is_iterable = isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0
        is_splitter = callable(getattr(value, "split", None))
        return (is_splitter or is_iterable) and not isinstance(value, str | bytes | Mapping | type)

    def _words(self) -> tuple[str, ...]:
        return ("a splitter", "an iterable of (train, test) pairs")

    def _hint(self, value: object, /) -> str:
        return instance_hint(value) if callable(getattr(value, "split", None)) else ""


# Where a fitted estimator has the scores of its own training rows by models that did not see them
_OWN_SCORES = ("oob_proba_", "held_out_proba_", "oob_decision_function_")
CV = Int(2) | Choice("prefit", "train", "oob") | _Splits()


@saved(
    inline=True,
    rows=Array("i", low=0),
    scores=Array("f", ndim=2),
    y=LabelArray(),
    weight=Array("f", finite=True, low=0) | None,
    groups=Array("i", low=0) | None,
)
@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Scores of held-out rows.

    Parameters
    ----------
    rows : array of shape (n_scored,)
        The row of each score, in ascending order; a row scored by several models is repeated.
    scores : array of shape (n_scored, n_columns)
        The scores: of the second of two classes, or of each class.
    y : array of shape (n_scored,)
        The class of each row.
    weight : array of shape (n_scored,) or None
        The weight of each score: the row's weight, divided among its scores.
    groups : array of shape (n_scored,) or None
        The number of each row's group, where `fit` got groups.

    Examples
    --------
    >>> held_out = HeldOut(np.array([0, 1]), np.array([[0.2], [0.7]]), np.array(["no", "yes"]))
    >>> len(held_out.rows)
    2
    """

    rows: NDArray[np.intp]
    scores: NDArray[np.float64]
    y: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, given: Given, rows: NDArray[np.intp], scores: NDArray[np.float64]) -> HeldOut:
        """Return scores in the order of their rows; several scores of one row share its weight."""
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        times = np.bincount(rows, minlength=given.n_rows)
        weight = given.weight if given.weight is not None or times.max(initial=0) <= 1 else np.ones(given.n_rows)
        shared = None if weight is None else (weight / np.maximum(times, 1))[rows]
        return cls(rows, scores[order], given.y[rows], shared, None if given.groups is None else given.groups[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """The way in which models are fitted and score rows."""

    estimator: Any  # cloned and fitted
    method: Method  # which of its methods returns the scores
    classes: NDArray[Any]  # in the order of the columns
    shared: ReadingOfFits | None = None  # the fits of another, where somebody has fitted the estimator already

    @property
    def fitted(self) -> Any:
        """The estimator fitted to all rows already, or None."""
        return None if self.shared is None else self.shared.fits.fitted

    @property
    def has_own_scores(self) -> bool:
        """Whether the estimator always has scores of its own training rows; scikit-learn's forests have on request."""
        return any(hasattr(type(self.estimator), name) for name in _OWN_SCORES[:2])

    def fit_all(self, data: FitData) -> Any:
        """Return the estimator fitted to all rows."""
        return data.fit_clone(self.estimator) if self.fitted is None else self.fitted

    def of(self, fitted: Any, X: Any) -> NDArray[np.float64]:
        """Return the scores of rows."""
        return scores_of(fitted, X, self.method, self.classes)

    def fit_folds(
        self, data: FitData, splits: list[Split], n_jobs: int | None
    ) -> list[tuple[Any, NDArray[np.float64]]]:
        """Fit a model to the training rows of each split; return the models with the scores of their test rows.

        Where the fits are shared, models are not kept, and None stands for each.
        """
        if self.shared is not None:
            found = self.shared.fits.fold_scores(self, data, splits, n_jobs)
            return [(None, scores[self.shared.number]) for scores in found]
        folds = [(self, data, *split) for split in splits]
        return run_folds(_fit_one, folds, estimator=self.estimator, n_rows=data.n_rows, n_jobs=n_jobs)

    def held_out(self, data: FitData, splits: list[Split], n_jobs: int | None) -> HeldOut:
        """Return the scores of the test rows of all splits, in the order of the rows."""
        return pool_scores(data, splits, [scores for _, scores in self.fit_folds(data, splits, n_jobs)])


def make_splits(cv: Any, data: FitData, kept: NDArray[np.intp] | None, random_state: SeedLike) -> list[Split]:
    """Return the training and test rows of each split, as positions.

    Parameters
    ----------
    cv : int, splitter or iterable of pairs
        A number stands for stratified folds of shuffled rows, or of groups.
    data : FitData
        The rows to split.
    kept : array of int or None
        The positions of those rows before others were dropped, to which pairs refer.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the shuffle.

    Examples
    --------
    >>> data = FitData(np.zeros((6, 1)), np.array([0, 1]), np.array([0, 1, 0, 1, 0, 1]))
    >>> [test.tolist() for train, test in make_splits(3, data, None, 0)]
    [[0, 3], [1, 2], [4, 5]]
    """
    if cv in Int():
        return splits_of_folds(stratified_folds(data, int(cv), random_state))
    is_by_time = hasattr(cv, "_at")  # a plan of `calibrant.resampling`, which this package may not import
    if is_by_time:
        cv = cv._at(data.times, kept)
    elif data.times is not None and type(cv).__name__ == "TimeSeriesSplit":
        raise ParameterError(
            "cv: TimeSeriesSplit knows no times: it takes rows in their order. Use calibrant.resampling.RollingOrigin."
        )
    folds = check_cv(cv if hasattr(cv, "split") else _read_pairs(cv), data.y, classifier=True)
    pairs = folds.split(data.X, data.y, **data.to_split)
    if kept is None or hasattr(cv, "split"):
        found = [(_positions(train, data.n_rows), _positions(test, data.n_rows)) for train, test in pairs]
    else:
        found = [(_renumbered(train, kept), _renumbered(test, kept)) for train, test in pairs]
    if not found or any(len(train) == 0 or len(test) == 0 for train, test in found):
        raise DataError("cv must have splits with training rows and test rows of positive weight; got one without.")
    return _with_all_classes(found, data) if is_by_time else found


def _with_all_classes(splits: list[Split], data: FitData) -> list[Split]:
    """Return the splits by time before which every class has occurred; models of fewer classes have other scores."""
    n_classes = len(data.classes)
    found = [split for split in splits if len(np.unique(data.codes[split[0]])) == n_classes]
    if not found:
        raise DataError("cv: no training rows of a split by time have all classes. Pass more rows of the past.")
    return found


def _read_pairs(cv: Iterable[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in cv]
    except (TypeError, ValueError):  # an item is not a pair, or has rows of different lengths
        pairs = [(np.empty(0), np.empty(0))]
    if all(rows.ndim == 1 and rows.dtype.kind in "iub" for pair in pairs for rows in pair):
        return pairs
    raise ParameterError(
        f"cv must be {CV}; got {short_repr(cv)}. A pair has the positions of the training rows and of the test rows."
    )


def _positions(rows: Any, n_rows: int) -> NDArray[np.intp]:
    """Return positions, or those of a mask, as non-negative ones."""
    try:
        return np.asarray(np.arange(n_rows)[rows])
    except IndexError as error:
        raise DataError(f"cv must have the positions of {n_rows} rows, or masks of them: {error}.") from error


def _renumbered(rows: Any, kept: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the new positions of rows by their old ones; those dropped are omitted."""
    whole = np.asarray(rows)
    whole = np.flatnonzero(whole) if whole.dtype == bool else whole
    position = np.searchsorted(kept, whole)
    is_kept = (position < len(kept)) & (kept[np.minimum(position, len(kept) - 1)] == whole)
    return np.asarray(position[is_kept], dtype=np.intp)


def _fit_one(
    scoring: Scoring, data: FitData, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[Any, NDArray[np.float64]]:
    fitted = data.fit_clone(scoring.estimator, train)
    return fitted, scoring.of(fitted, data.test_rows(scoring.estimator, test, train))


def pool_scores(data: FitData, splits: list[Split], scores: list[NDArray[np.float64]]) -> HeldOut:
    """Return the scores of the test rows of all splits, in the order of the rows."""
    return HeldOut.of(data, np.concatenate([test for _, test in splits]), np.concatenate(scores))


def join_held_out(parts: list[HeldOut]) -> HeldOut:
    """Return the scores of all parts in the order of their rows."""
    if len(parts) == 1:
        return parts[0]
    order = np.argsort(np.concatenate([part.rows for part in parts]), kind="stable")
    arrays = ([getattr(part, each.name) for part in parts] for each in fields(HeldOut))
    return HeldOut(*(None if found[0] is None else np.concatenate(found)[order] for found in arrays))  # type: ignore[arg-type]


def fit_out_of_bag(scoring: Scoring, data: FitData) -> tuple[Any, HeldOut]:
    """Fit one forest and return it with its out-of-bag scores, or a blend with its held-out probabilities.

    Rows in the bag of every tree have no such score and are left out.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> data = FitData(rng.normal(size=(50, 2)), np.array([0, 1]), rng.integers(2, size=50))
    >>> scoring = Scoring(RandomForestClassifier(30, random_state=0), "auto", np.array([0, 1]))
    >>> fit_out_of_bag(scoring, data)[1].scores.shape
    (50, 1)
    """
    forest = clone(scoring.estimator)
    _check_has_bags(forest, data)
    if scoring.fitted is not None and scoring.has_own_scores:
        forest = scoring.fitted
    else:
        _fit_with_bags(forest, data)
    table = np.asarray(next(getattr(forest, name) for name in _OWN_SCORES if hasattr(forest, name)))
    rows = np.flatnonzero(np.isfinite(table).all(axis=1) & (table.sum(axis=1) > 0))
    if len(rows) == 0:
        raise DataError(
            "cv='oob' needs out-of-bag rows; every row is in the bag of every tree. Use a forest with a bootstrap and "
            "more trees, or use cv=5."
        )
    return forest, HeldOut.of(data, rows, table[rows, 1:] if len(scoring.classes) == 2 else table[rows])


def _fit_with_bags(forest: Any, data: FitData) -> None:
    if "oob_score" in forest.get_params():
        forest.set_params(oob_score=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        warnings.filterwarnings("ignore", message="invalid value encountered", category=RuntimeWarning)
        forest.fit(data.X, data.y if data.target is None else data.target, **data.to_fit)


def _check_has_bags(forest: Any, data: FitData) -> None:
    params = forest.get_params(deep=False)
    is_ours = any(hasattr(type(forest), name) for name in _OWN_SCORES)
    if not is_ours and "oob_score" not in params:
        raise ParameterError(
            "cv='oob' needs a forest with out-of-bag scores, of calibrant or scikit-learn, or a ProbabilityClassifier; "
            f"got {type(forest).__name__}. Use cv=5; put a pipeline's other steps before the calibrated forest."
        )
    if not params.get("bootstrap", True):
        raise ParameterError(f"cv='oob' needs a forest with bootstrap=True; got {type(forest).__name__} without.")
    if data.groups is not None and "groups" not in data.to_fit:
        raise ParameterError(
            f"cv='oob' with groups needs bags of whole groups; {type(forest).__name__} is fitted without groups. Use a "
            "forest of calibrant.ensembles, or cv=5."
        )
