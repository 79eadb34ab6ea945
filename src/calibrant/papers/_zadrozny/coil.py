"""The CoIL challenge: all columns, and the seven most informative ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import entropy

from calibrant.data import MDLDiscretizer, Table, load
from calibrant.studies import Dataset

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ALL_COLUMNS", "COIL", "FEW_COLUMNS", "FIVE_COLUMNS", "SEVEN_COLUMNS", "Coil"]

COIL: Final = "CoIL"
ALL_COLUMNS: Final = "CoIL, all 85 columns"
SEVEN_COLUMNS: Final = "CoIL, the seven most informative columns"
FIVE_COLUMNS: Final = "CoIL, the five most informative columns"
# Seven are as many as the authors choose on KDD'98; five are fewer, to show how much their number matters.
FEW_COLUMNS: Final = {SEVEN_COLUMNS: 7, FIVE_COLUMNS: 5}


@dataclass(frozen=True, eq=False)
class Coil:
    """The rows of the CoIL challenge and their official split."""

    table: Table

    @classmethod
    def load(cls) -> Coil:
        """Return the rows of the task ``zadrozny.coil``."""
        return cls(load("zadrozny.coil"))

    @property
    def split(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The official training rows and test rows."""
        part = np.asarray(self.table.split)
        return np.flatnonzero(part == "train"), np.flatnonzero(part == "test")

    def dataset(self, columns: list[str] | None = None, name: str = COIL) -> Dataset:
        """Return the data set of a study, of some columns or all."""
        X = self.table.X if columns is None else self.table.X[columns]
        return Dataset((X, self.table.y), positive="1", name=name)

    def most_informative(self, n_columns: int) -> list[str]:
        """Return the columns whose intervals or categories have the greatest information gain in the training rows."""
        train = self.table.part("train")
        intervals = MDLDiscretizer().fit_transform(train.X, train.y)
        entropies = {name: _conditional_entropy(column, train.y) for name, column in intervals.items()}
        return sorted(entropies, key=entropies.__getitem__)[:n_columns]


def _conditional_entropy(column: Any, y: pd.Series[Any] | None) -> float:
    import pandas as pd

    counts = pd.crosstab(column.to_numpy(), np.asarray(y)).to_numpy()
    return float(counts.sum(axis=1) @ entropy(counts, axis=1)) / float(counts.sum())
