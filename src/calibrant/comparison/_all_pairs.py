"""Every pair of methods over many data sets, by Wilcoxon's test with Holm's correction or by the Bayesian test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats
from calibrant._optional import pandas_frame
from calibrant._params import Choice, check_param
from calibrant._random import SeedLike, seed_sequence, stream_seed
from calibrant.comparison._input_validation import read_dataset_means
from calibrant.comparison._passages import document_test
from calibrant.comparison._results import Comparison, Posterior
from calibrant.comparison._signed_ranks import bayesian_signed_rank_test, wilcoxon
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest

if TYPE_CHECKING:
    import pandas as pd


def holm(pvalues: Any) -> NDArray[np.float64]:
    """Correct p-values for their number by Holm's method (1979).

    Those that are still at most alpha are significant together: the chance that even one of them is a false positive
    is at most alpha, however the tests depend on each other. It rejects all that Bonferroni's does, and more.

    Parameters
    ----------
    pvalues : sequence of float
        One for each comparison.

    Returns
    -------
    array
        The corrected p-values, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.06, 0.06])
    """
    try:
        values = as_floats(pvalues)
    except (TypeError, ValueError) as error:
        raise DataTypeError("pvalues must be numbers, one for each comparison.") from error
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise DataError(f"pvalues must be numbers from 0 to 1, one for each comparison; got {pvalues!r}.")
    order = np.argsort(values, kind="stable")
    steps = (len(values) - np.arange(len(values))) * values[order]
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return corrected


Better: TypeAlias = Literal["lower", "higher"]


def method_pairs(methods: Sequence[str], chosen: str | None) -> Iterator[tuple[str, str]]:
    """Return each pair that is compared: every later method with every earlier one, or one with all others.

    Examples
    --------
    >>> list(method_pairs(["a", "b", "c"], None))
    [('b', 'a'), ('c', 'a'), ('c', 'b')]
    >>> list(method_pairs(["a", "b", "c"], "a"))
    [('a', 'b'), ('a', 'c')]
    """
    if chosen is None:
        in_order = sorted(combinations(methods, 2), key=lambda pair: methods.index(pair[1]))
        return ((later, earlier) for earlier, later in in_order)
    if chosen not in methods:
        raise ParameterError(f"method must be one of {list(methods)}; got {chosen!r}.{nearest(chosen, methods)}")
    return ((chosen, other) for other in methods if other != chosen)


@dataclass(frozen=True, repr=False)
class PairComparison:
    """Two methods over many data sets.

    Parameters
    ----------
    wilcoxon : Comparison
        Wilcoxon's signed-rank test, its p-value corrected for all pairs that were compared.
    bayes : Posterior
        The Bayesian signed-rank test.
    winner : str
        The method that is significantly better by Wilcoxon's test; empty if neither is.

    Examples
    --------
    >>> compare_methods([[0.1, 0.2], [0.3, 0.4], [0.2, 0.5]]).pairs[0].bayes.greater > 0.9
    True
    """

    wilcoxon: Comparison
    bayes: Posterior
    winner: str

    def __repr__(self) -> str:
        verdict = f"{self.winner} is better" if self.winner else "neither is shown to be better"
        return f"{verdict}. {self.wilcoxon!r} {self.bayes!r}"


@dataclass(frozen=True, repr=False)
class MethodComparison:
    """Every pair of methods over many data sets; its repr has a line for each.

    Parameters
    ----------
    pairs : tuple of PairComparison
        The comparisons, in the order of the methods.
    better : {"lower", "higher"}
        Which of two values is the better one.
    n_datasets : int
        Number of data sets.

    Examples
    --------
    >>> table = [[0.1 + i / 100, 0.2 + i / 50, 0.15] for i in range(8)]
    >>> compare_methods(table, methods=["tree", "forest", "bayes"]).to_frame()[["a", "b", "pvalue", "adjusted_pvalue"]]
            a       b    pvalue  adjusted_pvalue
    0  forest    tree  0.007812         0.023438
    1   bayes    tree  0.171875         0.171875
    2   bayes  forest  0.007812         0.023438
    """

    pairs: tuple[PairComparison, ...]
    better: Better
    n_datasets: int

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each pair: both tests, and which method is better.

        Examples
        --------
        >>> compare_methods([[0.1, 0.2], [0.3, 0.4], [0.2, 0.5]]).to_frame()["winner"].tolist()
        ['']
        """
        shown = ("statistic", "pvalue", "adjusted_pvalue", "difference", "low", "high")
        rows = [
            dict(zip("ab", pair.wilcoxon.names, strict=True))
            | {name: getattr(pair.wilcoxon, name) for name in shown}
            | {name: getattr(pair.bayes, name) for name in ("less", "equivalent", "greater")}
            | {"winner": pair.winner}
            for pair in self.pairs
        ]
        return pandas_frame(rows, "return comparisons as a frame")

    def __repr__(self) -> str:
        n = len(self.pairs)
        corrected = "" if n == 1 else ", corrected by Holm"
        comparisons = "1 comparison" if n == 1 else f"{n} comparisons"
        head = f"{comparisons} over {self.n_datasets} data sets{corrected} ({self.better} is better):"
        return "\n".join([head, *(f"  {pair!r}" for pair in self.pairs)])


@document_test
def compare_methods(
    table: Any,
    *,
    better: Better = "higher",
    method: str | None = None,
    rope: float = 0.0,
    confidence: float = 0.95,
    by: str | None = None,
    methods: list[str] | tuple[str, ...] | None = None,
    random_state: SeedLike = 0,
) -> MethodComparison:
    """Compare methods over many data sets, pair by pair.

    Each pair has Wilcoxon's signed-rank test, corrected by Holm for the number of pairs, and the Bayesian signed-rank
    test. Apart from Holm's correction, the result of a pair does not depend on which other methods are in the table;
    mean ranks do (Benavoli, Corani & Mangili 2016), so `nemenyi` is a separate function.

    Parameters
    ----------
    %(dataset_table)s
    %(better)s
    method : str, optional
        Compare this method with all others; by default each method is compared with those in the columns before it.
    rope : float
        The difference that does not matter in the Bayesian test.
    confidence : float
        Confidence of the intervals; the level of significance is ``1 - confidence``.
    %(by_and_methods)s
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the draws of the Bayesian test.

    Returns
    -------
    MethodComparison
        Its repr has a sentence for each test of each pair; ``to_frame()`` has a row for each pair.

    Examples
    --------
    >>> table = {"tree": [0.8, 0.7, 0.9, 0.6, 0.75, 0.8], "forest": [0.85, 0.74, 0.93, 0.66, 0.77, 0.81]}
    >>> import pandas as pd
    >>> result = compare_methods(pd.DataFrame(table))
    >>> result.pairs[0].winner, result.pairs[0].wilcoxon.pvalue
    ('forest', 0.03125)
    """
    check_param("better", better, Choice("higher", "lower"))
    names, values = read_dataset_means(table, by, methods)
    seed, pairs = seed_sequence(random_state), list(method_pairs(names, method))
    columns = [(values[:, names.index(one)], values[:, names.index(other)]) for one, other in pairs]
    tests = [wilcoxon(*two, confidence=confidence, names=pair) for two, pair in zip(columns, pairs, strict=True)]
    posteriors = [
        bayesian_signed_rank_test(
            *two, rope=rope, confidence=confidence, names=pair, random_state=stream_seed(seed, number)
        )
        for number, (two, pair) in enumerate(zip(columns, pairs, strict=True))
    ]
    found = [_pair(test, posterior, better) for test, posterior in zip(holm_corrected(tests), posteriors, strict=True)]
    return MethodComparison(tuple(found), better, len(values))


def holm_corrected(tests: list[Comparison]) -> list[Comparison]:
    """Return tests with p-values corrected by Holm for their number; a single test is returned as it is.

    Examples
    --------
    >>> tests = [wilcoxon([1, 2, 3, 4], [0, 0, 0, 0]), wilcoxon([1, 2, 3, 4], [2, 2, 2, 2])]
    >>> [test.adjusted_pvalue for test in holm_corrected(tests)]
    [0.25, 0.75]
    """
    if len(tests) == 1:
        return tests
    adjusted = holm([test.pvalue for test in tests])
    return [
        replace(test, adjusted_pvalue=float(pvalue), n_comparisons=len(tests), correction="Holm")
        for test, pvalue in zip(tests, adjusted, strict=True)
    ]


def _pair(test: Comparison, posterior: Posterior, better: Better) -> PairComparison:
    is_first = (test.difference > 0) == (better == "higher")
    winner = test.names[0 if is_first else 1] if test.is_significant else ""
    return PairComparison(test, replace(posterior, n_comparisons=test.n_comparisons), winner)
