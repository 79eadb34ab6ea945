"""Counts of data sets where a method is significantly better or worse than another (Nielsen 2004, Tables 2 to 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from calibrant._optional import pandas_frame
from calibrant._params import Choice, Real, check_param
from calibrant.comparison._all_pairs import Better, method_pairs
from calibrant.comparison._input_validation import read_dataset_values
from calibrant.comparison._passages import document_test
from calibrant.comparison._results import Comparison
from calibrant.comparison._t_tests import corrected_resampled_t_test, paired_t_test
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Record:
    """The number of data sets where one method is better than another, not different, and worse.

    Parameters
    ----------
    method, competitor : str
        The methods.
    wins, ties, losses : int
        Numbers of data sets, by the paired t-test.
    corrected_wins, corrected_losses : int or None
        Numbers of wins and losses that the corrected resampled t-test finds too; None where it was not requested.

    Examples
    --------
    >>> Record("forest", "tree", 3, 1, 0, 2, 0)
    forest against tree: 3/1/0, corrected 2/2/0
    """

    method: str
    competitor: str
    wins: int
    ties: int
    losses: int
    corrected_wins: int | None = None
    corrected_losses: int | None = None

    def __repr__(self) -> str:
        text = f"{self.method} against {self.competitor}: {self.wins}/{self.ties}/{self.losses}"
        if self.corrected_wins is None or self.corrected_losses is None:
            return text
        ties = self.wins + self.ties + self.losses - self.corrected_wins - self.corrected_losses
        return f"{text}, corrected {self.corrected_wins}/{ties}/{self.corrected_losses}"


@dataclass(frozen=True)
class Outcome:
    """One method against another on one data set.

    Parameters
    ----------
    dataset : hashable
        The data set.
    method, competitor : str
        The methods.
    result : {"win", "tie", "loss"}
        The result of the paired t-test.
    test : Comparison
        The paired t-test, `method` first.
    corrected : Comparison or None
        The corrected resampled t-test.
    is_sure : bool or None
        Whether the corrected test is significant too.

    Examples
    --------
    >>> values = {"iris": [[0.1, 0.2], [0.3, 0.3], [0.1, 0.3]]}
    >>> outcome = win_tie_loss(values, methods=["tree", "forest"]).outcomes[0]
    >>> outcome.dataset, outcome.method, outcome.result, round(outcome.test.pvalue, 3)
    ('iris', 'forest', 'tie', 0.225)
    """

    dataset: Any
    method: str
    competitor: str
    result: Literal["win", "tie", "loss"]
    test: Comparison
    corrected: Comparison | None = None
    is_sure: bool | None = None


@dataclass(frozen=True, repr=False)
class WinTieLoss:
    """Wins, ties and losses of methods over data sets.

    Parameters
    ----------
    outcomes : tuple of Outcome
        One for each pair of methods and each data set.
    better : {"lower", "higher"}
        Which of two values is the better one.
    alpha : float
        Level of the tests.

    Examples
    --------
    >>> values = {"iris": [[0.1, 0.2], [0.3, 0.5], [0.1, 0.2]], "wine": [[0.5, 0.2], [0.2, 0.2], [0.1, 0.3]]}
    >>> win_tie_loss(values, methods=["tree", "forest"], n_train=100, n_test=50)
    Wins/ties/losses over 2 data sets (higher is better, paired t-test at 0.1):
      forest against tree: 1/1/0, corrected 0/2/0
      Each of the 2 tests stands alone: none is corrected for the others.
    """

    outcomes: tuple[Outcome, ...]
    better: Better
    alpha: float

    @property
    def records(self) -> tuple[Record, ...]:
        """The counts of each pair of methods."""
        pairs = dict.fromkeys((outcome.method, outcome.competitor) for outcome in self.outcomes)
        return tuple(self._record(*pair) for pair in pairs)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each pair of methods.

        Examples
        --------
        >>> values = {"iris": [[0.1, 0.2], [0.3, 0.5], [0.1, 0.2]], "wine": [[0.5, 0.2], [0.2, 0.2], [0.1, 0.3]]}
        >>> win_tie_loss(values, methods=["tree", "forest"]).to_frame()[["wins", "ties", "losses"]]
                           wins  ties  losses
        method competitor
        forest tree           1     1       0
        """
        records = [asdict(record) for record in self.records]
        return pandas_frame(records, "return wins, ties and losses as a frame").set_index(["method", "competitor"])

    def by_dataset(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each pair of methods and each data set, with the figures of the tests.

        Examples
        --------
        >>> values = {"iris": [[0.1, 0.2], [0.3, 0.5], [0.1, 0.2]], "wine": [[0.5, 0.2], [0.2, 0.2], [0.1, 0.3]]}
        >>> win_tie_loss(values, methods=["tree", "forest"]).by_dataset()[["dataset", "difference", "result"]].round(3)
          dataset  difference result
        0    iris       0.133    win
        1    wine      -0.033    tie
        """
        return pandas_frame([_row(outcome) for outcome in self.outcomes], "return wins, ties and losses as a frame")

    def __repr__(self) -> str:
        n_sets = len({outcome.dataset for outcome in self.outcomes})
        sets = "1 data set" if n_sets == 1 else f"{n_sets} data sets"
        head = f"Wins/ties/losses over {sets} ({self.better} is better, paired t-test at {self.alpha:g}):"
        lines = [head, *(f"  {record}" for record in self.records)]
        if (n_tests := len(self.outcomes)) > 1:
            lines.append(f"  Each of the {n_tests} tests stands alone: none is corrected for the others.")
        if self.outcomes[0].corrected is None:
            lines.append("  Not corrected for trials that share rows: pass n_train= and n_test=.")
        return "\n".join(lines)

    def _record(self, method: str, competitor: str) -> Record:
        mine = [each for each in self.outcomes if (each.method, each.competitor) == (method, competitor)]
        results = [each.result for each in mine]
        record = Record(method, competitor, *(results.count(result) for result in ("win", "tie", "loss")))
        if mine[0].is_sure is None:
            return record
        sure = [each.result for each in mine if each.is_sure]
        return replace(record, corrected_wins=sure.count("win"), corrected_losses=sure.count("loss"))


@document_test
def win_tie_loss(
    table: Any,
    *,
    better: Better = "higher",
    method: str | None = None,
    alpha: float = 0.1,
    n_train: Any = None,
    n_test: Any = None,
    k: Any = None,
    by: str | None = None,
    methods: list[str] | tuple[str, ...] | None = None,
) -> WinTieLoss:
    """Count the data sets on which a method is significantly better or worse than another.

    On each data set a paired t-test over the trials decides between win, tie and loss, at level 0.1 as in Nielsen
    (2004). Trials that share rows make that test reject too often: with `n_train` and `n_test` the corrected resampled
    t-test counts the wins and losses that remain.

    Parameters
    ----------
    table : dict of data set to trials x methods, array of data sets x trials x methods, or a frame
        The values; those of one trial belong together. The parts may be arrays, or frames of pandas, polars or pyarrow,
        whose columns are the methods. One frame holds all data sets if `by` names the column of the data set, or if
        its pandas index has levels, the first of which is the data set. A frame or array of data sets x methods, which
        `friedman` takes, has no trials to test, and raises an error.
    %(better)s
    method : str, optional
        Compare this method with all others; by default each method is compared with those in the columns before it.
    alpha : float
        Level of the tests.
    n_train, n_test : number or dict of data set to number, optional
        Numbers of training rows and of test rows. Only their ratio counts: 2 and 1 where a third is held out.
    k : int or dict of data set to int, optional
        Number of differences in the formula of `corrected_resampled_t_test`; by default that of the trials. The number
        of folds, where a cross-validation is repeated, is more cautious.
    %(by_and_methods)s

    Returns
    -------
    WinTieLoss
        Its repr shows the counts; ``to_frame()`` has them too, ``by_dataset()`` has every test.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).normal(0, 0.01, (3, 100, 2))
    >>> result = win_tie_loss(noise + [0.2, 0.18], better="lower", methods=["B-PETs", "EB-PETs"], n_train=2, n_test=1)
    >>> result.records
    (EB-PETs against B-PETs: 3/0/0, corrected 3/0/0,)
    """
    check_param("better", better, Choice("higher", "lower"))
    check_param("alpha", alpha, Real(0, 1, closed="neither"))
    if (n_train is None) != (n_test is None):
        raise ParameterError("n_train and n_test must be passed together or not at all; the corrected test needs both.")
    trials = read_dataset_values(table, by, methods)
    sizes = {dataset: (_size(n_train, dataset), _size(n_test, dataset), _size(k, dataset)) for dataset in trials.values}

    def outcome(pair: tuple[str, str], dataset: Any) -> Outcome:
        one, other = (trials.column(dataset, method) for method in pair)
        test = paired_t_test(one, other, confidence=1 - alpha, names=pair)
        result: Literal["win", "tie", "loss"] = "tie"
        if test.pvalue <= alpha:
            result = "win" if (test.difference > 0) == (better == "higher") else "loss"
        train, tested, n = sizes[dataset]
        if train is None:
            return Outcome(dataset, *pair, result, test)
        corrected = corrected_resampled_t_test(
            one, other, n_train=train, n_test=tested, k=n, confidence=1 - alpha, names=pair
        )
        return Outcome(dataset, *pair, result, test, corrected, corrected.pvalue <= alpha)

    pairs = method_pairs(trials.methods, method)
    return WinTieLoss(tuple(outcome(pair, dataset) for pair in pairs for dataset in trials.values), better, alpha)


def _size(size: Any, dataset: Any) -> Any:
    if not isinstance(size, Mapping):
        return size
    if dataset not in size:
        raise ParameterError(
            f"n_train, n_test and k must have a number for each data set; there is none for {dataset!r}."
        )
    return size[dataset]


def _row(outcome: Outcome) -> dict[str, Any]:
    test, corrected = outcome.test, outcome.corrected
    figures = {name: getattr(test, name) for name in ("difference", "low", "high", "statistic", "df", "pvalue")}
    head = {"dataset": outcome.dataset, "method": outcome.method, "competitor": outcome.competitor}
    last = {"corrected_pvalue": None if corrected is None else corrected.pvalue, "is_sure": outcome.is_sure}
    return head | {"result": outcome.result} | figures | last
