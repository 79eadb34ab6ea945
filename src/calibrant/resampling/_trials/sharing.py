"""How much work trials share: grown trees and forests, and coded tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from calibrant.resampling._trials.coded_rows import fits_coded_rows
from calibrant.resampling._trials.families import Family
from calibrant.resampling._trials.methods import same_value

__all__ = ["Sharing", "count_sharing"]


@dataclass(frozen=True)
class Sharing:
    """The work of some trials.

    Parameters
    ----------
    n_trials : int
        Number of trials.
    n_fits, n_fits_without : int
        Number of fits, growing and the folds of calibrators among them, and what it would be if every method were
        fitted alone.
    n_codings, n_codings_without : int
        Number of times that a table is coded, and what it would be if every fit coded its own rows; folds of
        calibrators code their own.
    grows_all : bool
        Whether all fits are of trees and forests that are grown.
    """

    n_trials: int
    n_fits: int
    n_fits_without: int
    n_codings: int
    n_codings_without: int
    grows_all: bool = False

    @property
    def text(self) -> str:
        """The figures in a sentence.

        Examples
        --------
        >>> Sharing(800, 100, 800, 1, 100, grows_all=True).text
        '800 trials: 100 growths instead of 800, 1 coding instead of 100.'
        """
        parts = [
            _saving(self.n_fits, self.n_fits_without, "growth" if self.grows_all else "fit"),
            _saving(self.n_codings, self.n_codings_without, "coding"),
        ]
        return f"{_number(self.n_trials, 'trial')}: {', '.join(filter(None, parts)) or 'nothing is shared'}."


def count_sharing(families: Sequence[Family], n_splits: int, n_inner: int | None = None) -> Sharing:
    """Return what trials of methods on splits share; with a nested plan each split has `n_inner` ones within.

    Examples
    --------
    >>> from calibrant.resampling._trials.families import group_families
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "m")}
    >>> count_sharing(group_families(trees), 10).text
    '20 trials: 10 growths instead of 20, 1 coding instead of 10.'
    """
    n_methods = sum(len(family.members) for family in families)
    coding = [family.first for family in families if fits_coded_rows(family.first)]
    n_codings = _n_codings(coding)
    grows_all = all(hasattr(family.first, "_grow_coded") for family in families)
    together = sum(family.n_fits for family in families)
    alone = sum(family.subset([number]).n_fits for family in families for number in range(len(family.members)))
    if n_inner is None:
        n_fits, n_fits_without, n_trials = together * n_splits, alone * n_splits, n_methods * n_splits
    else:  # the chosen method is fitted once more, to the training rows of the split
        n_fits, n_fits_without = (n_splits * (n_inner * each + 1) for each in (together, alone))
        n_trials = n_splits
    is_chosen_coded = n_inner is not None and len(coding) == len(families)
    n_coded_fits = n_splits * ((n_inner or 1) * len(coding) + is_chosen_coded)
    return Sharing(n_trials, n_fits, n_fits_without, n_codings, n_coded_fits, grows_all)


def _n_codings(methods: Sequence[Any]) -> int:
    """Return the number of different sets of nominal columns."""
    nominal: list[Any] = []
    for method in methods:
        if not any(same_value(method.nominal, each) for each in nominal):
            nominal.append(method.nominal)
    return len(nominal)


def _saving(n: int, n_without: int, what: str) -> str:
    return "" if n_without <= n else f"{_number(n, what)} instead of {n_without:,}"


def _number(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
