"""Folds of a wrapper's rows where `cv` is a number: stratified, of whole groups, or of the units of weighted rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedKFold

from calibrant._folds import Pieces, count_by_group, cut_into_units, deal_groups, unit_weight
from calibrant._random import SeedLike, seed_sequence, stream, stream_seed
from calibrant.calibration._classifier.fit_data import FitData
from calibrant.data._internal import can_be_frequencies
from calibrant.exceptions import CalibrantWarning, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Split: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]

__all__ = ["splits_of_folds", "stratified_folds", "unit_pieces"]

_FOLDS = 0  # key of the random stream of one fit


def stratified_folds(data: FitData, n_folds: int, random_state: SeedLike) -> NDArray[np.intp]:
    """Return the fold of each row, each class spread evenly; groups are kept whole.

    Examples
    --------
    >>> data = FitData(np.zeros((6, 1)), np.array([0, 1]), np.array([0, 1, 0, 1, 0, 1]))
    >>> stratified_folds(data, 3, 0)
    array([0, 1, 1, 0, 2, 2])
    """
    seed = seed_sequence(random_state)
    if data.groups is None:
        return _deal_rows(data.codes, _possible_folds(data, n_folds), seed)
    counts = count_by_group(data.groups, data.codes, data.weight)
    return deal_groups(counts, np.ones(_possible_folds(data, n_folds)), stream(seed, _FOLDS))[data.groups]


def _deal_rows(codes: NDArray[Any], n_folds: int, seed: np.random.SeedSequence) -> NDArray[np.intp]:
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=stream_seed(seed, _FOLDS) % 2**32)
    fold = np.empty(len(codes), dtype=np.intp)
    for number, (_, test) in enumerate(folds.split(codes, codes)):
        fold[test] = number
    return fold


def splits_of_folds(fold: NDArray[np.intp]) -> list[Split]:
    """Return the rows outside and inside each fold.

    Examples
    --------
    >>> splits_of_folds(np.array([0, 1, 0]))
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    """
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(int(fold.max()) + 1)]


def unit_pieces(data: FitData, n_folds: int, random_state: SeedLike) -> Pieces | None:
    """Return the weight of each row in each fold, the units of a weighted row in folds of their own; None if whole.

    The folds are those of the rows with each repeated in its place as often as it weighs. Rows stay whole where there
    are groups, where the estimator is fitted without the weights, and where no weight is 1.5 or more.

    Examples
    --------
    >>> weight = np.array([1.0, 1.0, 2.0, 2.0])
    >>> arguments = {"weight": weight, "to_fit": {"sample_weight": weight}}
    >>> pieces = unit_pieces(FitData(np.zeros((4, 1)), np.array([0, 1]), np.array([0, 1, 0, 1]), **arguments), 2, 0)
    >>> pieces.rows, pieces.weight, pieces.fold
    (array([0, 1, 2, 2, 3, 3]), array([1., 1., 1., 1., 1., 1.]), array([0, 1, 0, 1, 0, 1]))
    """
    weight = data.weight
    if weight is None or data.groups is not None or "sample_weight" not in data.to_fit:
        return None
    if not can_be_frequencies(weight) or weight.max() < 1.5:
        return None
    units = cut_into_units(np.arange(data.n_rows), weight / unit_weight(weight))
    codes = data.codes[units.rows]
    fold = _deal_rows(codes, _fewest(n_folds, np.bincount(codes), data.classes), seed_sequence(random_state))
    parts, part = np.unique(units.rows * (fold.max() + 1) + fold, return_inverse=True)
    rows, share = parts // (fold.max() + 1), np.bincount(part) / np.bincount(units.rows)[parts // (fold.max() + 1)]
    return Pieces(rows, share * weight[rows], parts % (fold.max() + 1))


def _possible_folds(data: FitData, n_folds: int) -> int:
    """Return the number of folds, at most the rows, or groups, of the rarest class: every fold needs some of it."""
    if data.groups is None:
        return _fewest(n_folds, np.bincount(data.codes), data.classes)
    sizes = (count_by_group(data.groups, data.codes) > 0).sum(axis=0)
    return _fewest(n_folds, sizes, data.classes, units="groups")


def _fewest(n_folds: int, sizes: NDArray[Any], classes: NDArray[Any], units: str = "rows") -> int:
    fewest, rare = int(sizes.min()), classes.tolist()[sizes.argmin()]
    if fewest < 2:
        raise DataError(
            f"the class {rare!r} has 1 {units[:-1]} only, which cannot be both fitted and scored: folds need 2 {units} "
            "of a class or more. Drop the class or merge it with another."
        )
    if fewest < n_folds:
        warnings.warn(
            f"the class {rare!r} has {fewest} {units}, fewer than cv={n_folds} folds: {fewest} folds are used.",
            CalibrantWarning,
            stacklevel=7,
        )
    return min(n_folds, fewest)
