"""One sentence of advice on a compared table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.studies._table_comparison.candidates import BASELINE, CALIBRATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.metrics import Verdict
    from calibrant.studies._table_comparison.ranking import RankedMethod

__all__ = ["advise"]

_SIMPLE = ("tree", "naive Bayes", "logistic regression")  # a person can read these, from the easiest
_FEW_PER_CLASS = 50


def advise(
    ranking: Sequence[RankedMethod], verdict: Verdict | None, n_rarest: int, *, noun: str = "rows", unfinished: str = ""
) -> str:
    """Return what to do, in a sentence.

    Parameters
    ----------
    ranking : sequence of RankedMethod
        The methods, the best first.
    verdict : Verdict or None
        On the held-out probabilities of the best one.
    n_rarest : int
        Number of rows, or groups, of the rarest class.
    noun : str
        What `n_rarest` counts.
    unfinished : str
        How much of the plan was run, where it was not all.

    Examples
    --------
    >>> from calibrant.studies._table_comparison.ranking import RankedMethod
    >>> best = RankedMethod("forest", 0.3, difference="best")
    >>> print(advise([best, RankedMethod("base rate", 0.31, difference="not shown to differ")], None, 20))
    Do not act on these probabilities yet: no method is shown to beat the base rate; collect more rows (the rarest class
    has 20 rows) or columns that say more.
    >>> advise([best, RankedMethod("tree", 0.3, difference="not shown to differ"),
    ...         RankedMethod("base rate", 0.4, difference="worse")], None, 200)
    'Use forest; where people must read the model, tree is not shown to be worse.'
    """
    best = ranking[0].method
    base = next((each for each in ranking if each.method == BASELINE), None)
    if best == BASELINE or (base is not None and base.difference == "not shown to differ"):
        if unfinished:
            return f"Run it again to finish the plan: after {unfinished} no method is shown to beat the base rate."
        few = f" (the rarest class has {n_rarest:,} {noun})" if n_rarest < _FEW_PER_CLASS else ""
        return (
            "Do not act on these probabilities yet: no method is shown to beat the base rate; collect more rows"
            f"{few} or columns that say more."
        )
    return f"Use {best}{_on_calibration(verdict)}{_on_simpler(best, ranking)}."


def _on_calibration(verdict: Verdict | None) -> str:
    if verdict is None or verdict.kind in ("calibrated", "too little to matter"):
        return ""
    if verdict.kind == "miscalibrated":
        return (
            ", but not for decisions at the probabilities that the verdict calls off: collect rows to calibrate it on"
        )
    more = f" about {verdict.rows_needed:,} rows in all would" if verdict.rows_needed else " more rows would"
    return f"; its probabilities are not shown to be off, and{more} show how far they can be relied on"


def _on_simpler(best: str, ranking: Sequence[RankedMethod]) -> str:
    if best.removeprefix(CALIBRATED) in _SIMPLE:
        return ""
    as_good = [each.method for each in ranking if each.difference == "not shown to differ"]
    by_kind = (name for kind in _SIMPLE for name in as_good if name.removeprefix(CALIBRATED) == kind)
    simple = next(by_kind, None)
    return "" if simple is None else f"; where people must read the model, {simple} is not shown to be worse"
