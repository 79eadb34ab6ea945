"""The advice on a compared table: the method to use, and the sentence that says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant._repr import listed, number_text, percent
from calibrant.metrics import Verdict
from calibrant.studies._table_comparison.table_study import BASELINE, CALIBRATED

if TYPE_CHECKING:
    from calibrant.data import TableCheck
    from calibrant.decisions import DecisionReport
    from calibrant.studies._table_comparison.ranking import AgainstBest, RankedMethod
    from calibrant.studies._table_comparison.table_study import WithoutSuspects

_SIMPLE = ("naive Bayes", "logistic regression", "tree")  # people can read these
_ALL = {2: "the base rate", 3: "both others here"}  # by the number of methods
_MANY_TIMES = 3.0  # a method that is less than so many times faster is not worth mentioning as faster


def simplest_first(ranking: Sequence[RankedMethod], against: AgainstBest | None) -> list[str]:
    """Return the methods that may be advised, the first choice first.

    These are the ones that are as good as the best and within one standard error of it (Breiman et al. 1984, of trees):
    simple ones first, the better before the worse, then the others, the faster before the slower. Where the base rate
    is not shown to be worse than the best, or rows are too few for any test, it is the only one.

    Examples
    --------
    >>> from calibrant.studies._table_comparison.ranking import RankedMethod
    >>> ranking = [RankedMethod("forest", 0.3, standing="best"), RankedMethod("tree", 0.4, standing="worse")]
    >>> simplest_first(ranking, None)
    ['forest']
    """
    best = ranking[0].method
    standing = {each.method: each.standing for each in ranking}
    has_too_few = against is not None and against.has_too_few_rows
    if best == BASELINE or standing.get(BASELINE) == "as good" or (has_too_few and BASELINE in standing):
        return [BASELINE]
    if against is None or not against.differences:
        return [best]

    def is_near(method: str) -> bool:
        return abs(against.differences[method].difference) <= against.differences[method].error

    near = [each for each in ranking if each.standing in ("best", "as good") and is_near(each.method)]
    others = sorted((each for each in near if not _is_simple(each.method)), key=lambda each: each.seconds)
    return [each.method for each in (*(each for each in near if _is_simple(each.method)), *others)]


def _is_simple(method: str) -> bool:
    return method.removeprefix(CALIBRATED) in _SIMPLE


def advise(
    ranking: Sequence[RankedMethod],
    advised: str,
    against: AgainstBest | None,
    verdict: Verdict | None,
    money: DecisionReport | None,
    metric_words: str,
    passed_over: Sequence[str] = (),
    *,
    is_by_time: bool = False,
) -> str:
    """Return the advice in one or two sentences: an action first, its limits after it.

    Parameters
    ----------
    ranking : sequence of RankedMethod
        The methods, the best first.
    advised : str
        The method to use.
    against : AgainstBest or None
        The methods against the best one.
    verdict : Verdict or None
        On the held-out probabilities of the advised one.
    money : DecisionReport or None
        What its decisions earn.
    metric_words : str
        The metric, in words.
    passed_over : sequence of str
        Simpler methods that are not advised because their probabilities are shown to be miscalibrated.
    is_by_time : bool
        Whether methods were tested on rows that follow in time; else rows are taken to be exchangeable.

    Examples
    --------
    >>> from calibrant.studies._table_comparison.ranking import RankedMethod
    >>> ranking = [RankedMethod("forest", 0.30, seconds=0.8, standing="best"),
    ...            RankedMethod("tree", 0.31, seconds=0.02, standing="as good"),
    ...            RankedMethod("base rate", 0.40, seconds=0.0, standing="worse")]
    >>> advise(ranking, "tree", None, None, None, "log-loss")
    'Use tree: as good as the best of 3 here, 40 times faster.'
    """
    by_name = {each.method: each for each in ranking}
    if advised == BASELINE:
        return _use_base_rate(by_name, against, money, metric_words, " that follow in time" if is_by_time else "")
    why = _why(ranking, by_name[advised]) + (", tested on rows that follow in time" if is_by_time else "")
    text = f"Use {advised}: {why}{_earns(money)}.{_on_calibration(verdict)}"
    if not passed_over:
        return text
    are = "is passed over: its" if len(passed_over) == 1 else "are passed over: their"
    return f"{text} {' and '.join(passed_over)} {are} probabilities are shown to be off."


def warn_of_leaks(check: TableCheck, without: WithoutSuspects | None, metric: str) -> str:
    """Return the sentences that precede all praise where a column may be a leak of the class; else nothing."""
    findings = check.of_kind("leak")
    if not findings:
        return ""
    suspects = check.suspects
    it, them = ("it is", "it") if len(suspects) == 1 else ("they are", "them")
    worth = ""
    if without is not None:
        value, own = number_text(without.value), number_text(without.own)
        worth = f" Without {them} {metric} is {value} instead of {own}."
    drop = " ".join(f"--types {name}=drop" for name in suspects[:3])
    return (
        f"Look at {listed([repr(name) for name in suspects], 3)} before anything else: {findings[0].evidence}.{worth} "
        f"Unless {it} known when rows are predicted, nothing below holds: leave {them} out ({drop})."
    )


def _why(ranking: Sequence[RankedMethod], own: RankedMethod) -> str:
    best, n = ranking[0], len(ranking)
    if own.method != best.method:
        faster = best.seconds / own.seconds if own.seconds > 0 else math.inf
        speed = f", {float(f'{faster:.1g}'):,.0f} times faster" if _MANY_TIMES <= faster < math.inf else ""
        return f"as good as the best of {n} here{speed}"
    n_worse = sum(each.standing == "worse" for each in ranking)
    if n_worse == n - 1:
        return f"shown to be better than {_ALL.get(n, f'all {n - 1} others here')}"
    return f"the best of {n} here" + (f", and shown to be better than {n_worse} of them" if n_worse else "")


def _earns(money: DecisionReport | None) -> str:
    if money is None:
        return ""
    scale = 1000.0 / money.now.n_rows
    own, all_alike = scale * money.now.total.value, scale * money.everybody.value
    alone = f"{all_alike:,.0f} for “{money.now.best_alone}” for everybody"
    if own < all_alike:
        return f", but deciding by it earns {own:,.0f} per 1,000 rows, less than the {alone}"
    return f", and it earns {own:,.0f} per 1,000 rows against {alone}"


def _use_base_rate(
    by_name: dict[str, RankedMethod],
    against: AgainstBest | None,
    money: DecisionReport | None,
    metric_words: str,
    when: str,
) -> str:
    rate = "Use the base rate, the same probability for every row"
    if money is not None:
        alone = 1000.0 / money.now.n_rows * money.everybody.value
        rate = f"Decide for “{money.now.best_alone}” for everybody, which earns {alone:,.0f} per 1,000 rows"
    if len(by_name) == 1:
        return f"{rate}: no other method is finished. Run it again to go on, or with a longer time limit."
    if against is not None and against.has_too_few_rows:
        return f"{rate}: {against.comparison.reason} to show that a method beats it."
    n_rows = "these rows" if against is None or not against.n_rows else f"{against.n_rows:,} rows"
    text = f"{rate}: no method is shown to beat the base rate on {n_rows}{when}"
    advantage = math.nan if against is None else against.least_shown
    if math.isnan(advantage):
        return f"{text}."
    base = by_name[BASELINE].value
    relative = f" ({percent(advantage / base)})" if base > 0 else ""
    shown = f"an advantage of {number_text(advantage)}{relative} in {metric_words}"
    return f"{text}, which would have shown {shown} in 8 of 10 samples."


def _on_calibration(verdict: Verdict | None) -> str:
    if verdict is None or verdict.kind != "miscalibrated":
        return ""
    return " Do not decide at the probabilities that the verdict calls off before it is calibrated on more rows."
