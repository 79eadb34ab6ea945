"""Why figures of a data set differ from the paper's, as far as it is known."""

from __future__ import annotations

from calibrant.papers._nielsen.trial_values import OWN_VOTE

__all__ = ["FEW_VALUES", "cause", "count_cause"]

# Data sets with columns of few distinct values, where the paper's B-PETs are worse than ours
FEW_VALUES = ("audiology", "ionosphere", "letter", "lymphography", "segment", "soybean", "votes", "wbc", "zoo")

_DATA = "data: the paper's 44 columns, made by hand from 15, are not known."
_VOTE = "definition: the paper does not say whose vote the change is measured from."
_OPEN = "open: columns of few distinct values, for which the paper's program seems to grow other trees."
_CUTS = "way of growing: C4.5 cuts at an observed value and charges numeric tests for their cuts; see the first way."
_ONE_FOREST = (
    "protocol: the paper grew ensembles for each system; here both read one forest, so that small differences are "
    "significant that were ties."
)
_BASELINE = "open: the paper's B-PETs are worse than ours where columns have few distinct values."


def cause(way: str, metric: str, data_set: str) -> str:
    """Return the cause of a difference, where one is known; a cause that is open too, where data sets share it.

    Examples
    --------
    >>> cause("c45", "mse01", "iris")[:14]
    'way of growing'
    >>> cause("integers", "mse01", "bupa")
    ''
    """
    if metric == OWN_VOTE:
        return _VOTE
    if data_set == "credit_screening":
        return _DATA
    if data_set in FEW_VALUES:
        return _OPEN
    return _CUTS if way == "c45" and data_set in ("iris", "glass", "vowel", "wine") else ""


def count_cause(metric: str, *, has_one_forest: bool) -> str:
    """Return the cause of a difference between numbers of wins, ties and losses of two systems.

    Examples
    --------
    >>> count_cause("mse01", has_one_forest=True)[:8]
    'protocol'
    """
    if metric == OWN_VOTE:
        return _VOTE
    return _ONE_FOREST if has_one_forest else _BASELINE
