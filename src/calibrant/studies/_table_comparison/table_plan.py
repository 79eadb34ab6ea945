"""The resampling plan of a table, by its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.resampling import CrossValidation, Holdout

if TYPE_CHECKING:
    from calibrant.resampling import Plan

__all__ = ["choose_plan"]

_REPEATED = 1_000  # below, a single 10-fold cross-validation of a table varies too much from shuffle to shuffle
_TEN_FOLDS = 5_000
_FIVE_FOLDS = 50_000
_MAX_TEST = 200_000  # rows: the interval of a mean is then narrower than differences that matter


def choose_plan(n_rows: int, n_rarest: int, seed: int) -> Plan:
    """Return the plan of a table.

    Under 1,000 rows 10-fold cross-validation three times, to 5,000 once, to 50,000 5-fold cross-validation, above a
    stratified third held out, at most 200,000 rows. Folds are at most as many as the rarest class has rows, or groups.

    Examples
    --------
    >>> [choose_plan(n, 400, 0).describe() for n in (600, 3_000, 30_000)]
    ['3 times 10-fold cross-validation, stratified', '10-fold cross-validation, stratified',
     '5-fold cross-validation, stratified']
    >>> choose_plan(90_000, 400, 0).describe(), choose_plan(1_000_000, 400, 0).describe()
    ('holdout of 33 % of the rows, stratified', 'holdout of 200,000 rows, stratified')
    >>> choose_plan(600, 4, 0).describe()
    '3 times 4-fold cross-validation, stratified'
    """
    if n_rows > _FIVE_FOLDS:
        return Holdout(_MAX_TEST if n_rows > 3 * _MAX_TEST else 1 / 3, random_state=seed)
    n_folds = min(10 if n_rows <= _TEN_FOLDS else 5, n_rarest)
    return CrossValidation(n_folds, 3 if n_rows < _REPEATED else 1, random_state=seed)
