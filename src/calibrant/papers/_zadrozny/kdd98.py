"""The rows of KDD'98 that there are: the official files, or the learning set and a case-control sample of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calibrant.data import load
from calibrant.papers._zadrozny.mailing import Mailing, amount_code, expected_gifts
from calibrant.papers._zadrozny.official_files import find_official_files, read_official_files

if TYPE_CHECKING:
    from calibrant.data import Table

__all__ = ["CASE_CONTROL", "LEARNING", "OFFICIAL", "THINNED", "case_control", "learning_set", "read_mailing", "thinned"]

CASE_CONTROL: Final = "KDD'98, case-control sample, seven attributes"
THINNED: Final = "KDD'98, sample without weights, donors thinned to the base rate"
LEARNING: Final = "KDD'98, learning set, seven text fields"
OFFICIAL: Final = "KDD'98, official files, seven attributes"
# Two of the attributes that the authors are believed to use, and the fields with text nearest to the others: the wealth
# of the neighbourhood, recency, frequency and amount by another rule, and home ownership. None was searched for.
_TEXT_FIELDS: Final = ["RFA_2F", "RFA_2A", "DOMAIN", "MDMAUD_R", "MDMAUD_F", "MDMAUD_A", "HOMEOWNR"]


def read_mailing() -> Mailing:
    """Return the official rows if the folder ``CALIBRANT_DATA`` has their files, else the case-control sample."""
    files = find_official_files()
    return case_control() if files is None else read_official_files(files, OFFICIAL)


def case_control() -> Mailing:
    """Return all donors of the learning set and 14,529 of the others, with the numeric fields.

    Of the seven attributes that the authors are believed to use, RFA_2A has no counterpart here; the bracket of the
    last gift stands for it.
    """
    table = load("kdd98_case_control")
    frame, y = table.X, _labels(table)
    X = frame[["INCOME_GROUP", "MONTHS_SINCE_FIRST_GIFT", "MONTHS_SINCE_LAST_GIFT"]].copy()
    X["GIFTS_PER_PROMOTION"] = frame["LIFETIME_GIFT_COUNT"] / frame["LIFETIME_PROM"]
    X["FREQUENCY_STATUS_97NK"] = frame["FREQUENCY_STATUS_97NK"]
    X["LAST_GIFT_CODE"] = amount_code(frame["LAST_GIFT_AMT"])
    X["PEP_STAR"] = frame["PEP_STAR"]
    gifts = frame[["LAST_GIFT_AMT", "LIFETIME_AVG_GIFT_AMT"]].to_numpy(dtype=np.float64)
    amount = _amount(table)
    weight = np.asarray(table.sample_weight, dtype=np.float64)
    return Mailing(CASE_CONTROL, X, y, weight, amount, expected_gifts(gifts, y, amount, weight=weight))


def learning_set() -> Mailing:
    """Return all rows of the learning set with seven of the fields that have text; they have no gift history."""
    table = load("zadrozny.kdd98")
    return Mailing(LEARNING, table.X[_TEXT_FIELDS], _labels(table))


def thinned(mailing: Mailing, seed: int) -> Mailing:
    """Return the others of a case-control sample and so many of its donors that no weights are needed.

    In a weighted sample a leaf of a few donors lacks the others who belong there; here it has its share of both.
    """
    is_donor = np.asarray(mailing.y == "1")
    donors, others = np.flatnonzero(is_donor), np.flatnonzero(~is_donor)
    rate = float(np.average(is_donor, weights=mailing.weight))
    n_donors = round(len(others) * rate / (1 - rate))
    rows = np.sort(np.concatenate([others, np.random.default_rng(seed).permutation(donors)[:n_donors]]))
    return Mailing(THINNED, mailing.X.iloc[rows], mailing.y.iloc[rows])


def _labels(table: Table) -> Any:
    return table.y.astype(str)  # type: ignore[union-attr]


def _amount(table: Table) -> Any:
    return np.asarray(table.extra["TARGET_D"], dtype=np.float64)  # type: ignore[index]
