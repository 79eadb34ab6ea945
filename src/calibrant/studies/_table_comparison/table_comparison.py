"""The result of comparing methods on a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from calibrant._optional import optional_import

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data import TableCheck
    from calibrant.decisions import CostMatrix, DecisionReport
    from calibrant.metrics import Verdict
    from calibrant.studies._results.best import BestMethod
    from calibrant.studies._results.study_comparison import StudyComparison
    from calibrant.studies._table_comparison.ranking import RankedMethod
    from calibrant.studies._table_comparison.table_study import ComparedTable, TimeCheck, WithoutSuspects
    from calibrant.studies._table_comparison.winner import HeldOutRows
    from calibrant.studies.study import Study


@dataclass(frozen=True)
class TestScore:
    """The score of the advised method on rows of their own: a table kept apart, or the latest part by time.

    Parameters
    ----------
    name : str
        The name of the table.
    n_rows : int
        Number of rows.
    value, low, high : float
        The score with its interval, NaN where there is none.
    """

    __test__ = False  # not a test of pytest

    name: str
    n_rows: int
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, rows: HeldOutRows, metric: str) -> TestScore:
        """Score predictions by a metric."""
        found = rows.score(metric)
        return cls(rows.compared.table.name, len(rows.predictions.row), found.value, found.low, found.high)


@dataclass(frozen=True, eq=False, repr=False)
class TableComparison:
    """The methods on a table, ranked, with the verdict on the best one; `compare_table` makes it.

    Parameters
    ----------
    table : Table
        The table, ids and groups left out.
    plan : str
        The description of the plan, as far as it was run.
    metric : str
        The metric that ranks.
    ranking : tuple of RankedMethod
        The methods, the best first.
    best : BestMethod
        The best one, its score corrected for having been chosen.
    advised : str
        The method to use: as good as the best one as far as the rows show, and simpler where there is such a one.
    comparison : StudyComparison or None
        Which differences hold; None where one method is ranked.
    verdict : Verdict or None
        The verdict on the calibration of the advised method's held-out probabilities; None where the rows allow none.
    money : DecisionReport or None
        With costs, what the decisions of the advised method earn.
    costs : CostMatrix or None
        The costs.
    advice : str
        What to do, an action first.
    left_out : dict of method to str
        Methods that are not ranked, and why.
    ended : {"", "time limit", "interrupted"}
        Why the run ended before its plan was finished; empty where it did not.
    n_splits, n_planned : int
        Number of splits that every ranked method finished, and of those planned.
    n_rows : int
        Number of rows that every ranked method has held out; 0 where no test holds.
    study : Study
        The study, for every other query.
    model : classifier or None
        The advised method, fitted to all rows; None after an interruption, or where time was too short for it.
    model_bytes : int or None
        The number of bytes of its file.
    held_out : pandas.DataFrame
        Its held-out predictions, each row once: ``row`` (from 0), ``split``, the class, ``probability_`` and a class.
    files : dict of str to str
        What was written: ``model``, ``held_out``.
    no_model : str
        Where the time limit left too little for the model, a sentence that says so; else empty.
    test : TestScore or None
        The score of the model on a table kept apart; the verdict and money are then of its rows.
    latest : TestScore or None
        With a plan by time, the score of the advised method on the latest part.
    without_suspects : WithoutSuspects or None
        Where columns may be leaks of the class, the score of the advised method without them.
    time_check : TimeCheck or None
        Where the table has times or dates, the score of the advised method by the plan that was not run.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.data import load
    >>> from calibrant.studies import compare_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = compare_table(load("appeal").take(range(300)), methods=["base rate", "naive Bayes"],
    ...                           store=f"{folder}/s.db")
    >>> [each.method for each in found.ranking], found.n_splits
    (['naive Bayes', 'base rate'], 30)
    """

    compared: ComparedTable = field(repr=False)
    plan: str
    metric: str
    ranking: tuple[RankedMethod, ...]
    best: BestMethod
    advised: str
    comparison: StudyComparison | None
    verdict: Verdict | None
    money: DecisionReport | None
    costs: CostMatrix | None
    advice: str
    left_out: Mapping[str, str]
    ended: Literal["", "time limit", "interrupted"]
    n_splits: int
    n_planned: int
    n_rows: int
    study: Study
    model: Any
    model_bytes: int | None
    held_out: pd.DataFrame
    files: Mapping[str, str] = field(default_factory=dict)
    no_model: str = ""
    test: TestScore | None = None
    latest: TestScore | None = None
    time_check: TimeCheck | None = None
    without_suspects: WithoutSuspects | None = None

    @property
    def check(self) -> TableCheck:
        """The findings of `calibrant.data.check_table` on the table."""
        return self.compared.check

    @property
    def warning(self) -> str:
        """The sentences with which the advice begins where a column may be a leak of the class; else empty."""
        from calibrant.studies._table_comparison.advice import warn_of_leaks
        from calibrant.studies._table_comparison.comparison_text import metric_words

        return warn_of_leaks(self.check, self.without_suspects, metric_words(self.metric))

    @property
    def table(self) -> Any:
        """The table, ids and groups left out."""
        return self.compared.table

    def to_frame(self) -> pd.DataFrame:
        """Return the ranking as a pandas frame, a row for each method, the best first.

        Returns
        -------
        pandas.DataFrame
            The metric that ranks with its interval (``low``, ``high``), the other metrics, ``earned`` with costs (for
            each row), ``seconds`` and ``standing``: "best", "as good" as far as the rows show, or "worse".

        Examples
        --------
        >>> import tempfile
        >>> from calibrant.data import load
        >>> from calibrant.studies import compare_table
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = compare_table(load("appeal").take(range(300)), methods=["base rate", "naive Bayes"],
        ...                           store=f"{folder}/s.db")
        >>> found.to_frame()["log_loss"].round(2).to_dict()
        {'naive Bayes': 0.25, 'base rate': 0.25}
        """
        pandas = optional_import("pandas", extra="data", purpose="return a ranking as a frame")
        rows = [
            {self.metric: each.value, "low": each.low, "high": each.high, **each.others}
            | ({} if self.costs is None else {"earned": each.earned})
            | {"seconds": each.seconds, "standing": each.standing}
            for each in self.ranking
        ]
        frame: pd.DataFrame = pandas.DataFrame(rows, index=[each.method for each in self.ranking])
        return frame.rename_axis("method")

    def to_dict(self) -> dict[str, Any]:
        """Return the whole comparison as values that JSON can hold; NaN is None.

        Returns
        -------
        dict
            What was taken as what, the plan, the ranking, the best method, the verdict, money, advice and files.

        Examples
        --------
        >>> import tempfile
        >>> from calibrant.data import load
        >>> from calibrant.studies import compare_table
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = compare_table(load("appeal").take(range(300)), methods=["base rate", "naive Bayes"],
        ...                           store=f"{folder}/s.db")
        >>> found.to_dict()["table"]["positive"], found.to_dict()["best"]["method"]
        ('yes', 'naive Bayes')
        """
        from calibrant.studies._table_comparison.comparison_text import document_of

        return document_of(self)

    @property
    def is_partial(self) -> bool:
        """Whether a method failed, or did not finish a single split that the others finished."""
        return bool(self.left_out)

    @property
    def expected(self) -> tuple[float, float, float]:
        """The score to expect of the advised method on new rows, with its interval; corrected where it is the best.

        With a table kept apart it is the score there. Else it takes rows to be exchangeable, or by time to follow.
        """
        if self.test is not None:
            return self.test.value, self.test.low, self.test.high
        if self.advised == self.best.method and not math.isnan(self.best.corrected):
            return self.best.corrected, self.best.low, self.best.high
        own = next(each for each in self.ranking if each.method == self.advised)
        return own.value, own.low, own.high

    def __repr__(self) -> str:
        from calibrant.studies._table_comparison.comparison_text import text_of

        return text_of(self)
