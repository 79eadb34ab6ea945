"""The five public problems of Caruana & Niculescu-Mizil (2004), and their training, validation and test rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from calibrant.data import Table, load

TRAINING, VALIDATION, TEST = 0, 1, 2
_load = lru_cache(maxsize=2)(load)
_SEED = 2004


@dataclass(frozen=True)
class Problem:
    """A problem: its tables, and the figures of the paper's Table 1.

    Parameters
    ----------
    name : str
        The paper's name.
    table : str
        The data set for trees.
    coded : str
        The data set for neighbours, nets and SVMs, whose columns are all numeric.
    n_attributes, n_coded_attributes : int
        Numbers of attributes in the paper.
    n_rows : int
        Number of rows that samples are drawn from.
    n_test : int
        Number of test rows in the paper.
    percent_positive : str
        The percentage of positive rows, as printed.
    """

    name: str
    table: str
    coded: str
    n_attributes: int
    n_coded_attributes: int
    n_rows: int
    n_test: int
    percent_positive: str


@dataclass(frozen=True)
class RowNumbers:
    """Numbers of training, validation and test rows; `test` None: the paper's."""

    training: int = 4000
    validation: int = 1000
    test: int | None = None

    def of(self, problem: Problem) -> tuple[int, int, int]:
        """Return the numbers of rows of a problem.

        Examples
        --------
        >>> RowNumbers().of(PROBLEMS["HS"])
        (4000, 1000, 4366)
        """
        return self.training, self.validation, min(problem.n_test, self.test or problem.n_test)


def _problem(name: str, n_attributes: int, n_rows: int, n_test: int, percent: str) -> Problem:
    table = f"caruana.{name.lower().replace('.', '_')}"
    return Problem(name, table, table, n_attributes, n_attributes, n_rows, n_test, percent)


# MEDIS and SLAC of the paper's seven are private.
PROBLEMS = {
    each.name: each
    for each in (
        Problem("ADULT", "caruana.adult", "caruana.adult_104", 14, 104, 45222, 35222, "25"),
        _problem("COV_TYPE", 54, 581012, 25000, "36"),
        _problem("LETTER.P1", 16, 20000, 14000, "3"),
        _problem("LETTER.P2", 16, 20000, 14000, "53"),
        _problem("HS", 200, 10249, 4366, "24"),
    )
}


def problem_table(problem: Problem, numbers: RowNumbers, sample: int, *, coded: bool) -> Table:
    """Return a sample of the rows of a problem: first the training rows, then the validation rows, then the test rows.

    The class is 1 for positive rows and 0 for others, and the extra column ``part`` has the part of each row.

    Examples
    --------
    >>> table = problem_table(PROBLEMS["LETTER.P2"], RowNumbers(100, 50, 200), 1, coded=False)
    >>> table.n_rows, table.extra["part"].value_counts(sort=False).to_dict()
    (350, {0: 100, 1: 50, 2: 200})
    """
    import pandas as pd

    whole = _load(problem.coded if coded else problem.table)
    sizes = numbers.of(problem)
    order = np.random.default_rng([_SEED, sample]).permutation(whole.n_rows)
    drawn = whole.take(order[: sum(sizes)])
    assert drawn.y is not None  # noqa: S101 - every problem has a class column
    positive = (drawn.y == drawn.positive).astype(np.int64)
    part = pd.DataFrame({"part": np.repeat([TRAINING, VALIDATION, TEST], sizes)})
    return replace(drawn, y=positive, positive=1, extra=part, split=None, name=f"{problem.name} {sample}")
