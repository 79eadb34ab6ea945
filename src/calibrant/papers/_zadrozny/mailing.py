"""The mailing of KDD'98: attributes, responses, gifts and expected gifts of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from calibrant.decisions import ExampleCosts, HeckmanRegressor
from calibrant.studies import Dataset

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COST", "GIFT_MODELS", "Mailing", "amount_code", "expected_gifts"]

COST: Final = 0.68
# The model of the expected gift by metric; the first is the paper's, as remembered.
GIFT_MODELS: Final[Mapping[str, Any]] = {
    "profit": LinearRegression(),
    "profit, mean gift": DummyRegressor(),
    "profit, Heckman": HeckmanRegressor(),
}
_N_FOLDS: Final = 10
# Lower ends of the brackets that the codes B to G of RFA_2A stand for, in dollars; A is less than the first.
_BRACKETS: Final = (2.0, 3.0, 5.0, 10.0, 15.0, 25.0)

Vector = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Mailing:
    """People who got a letter: their attributes and their responses.

    Parameters
    ----------
    name : str
        The name of the data set in tables.
    X : DataFrame
        The attributes.
    y : Series
        ``"1"`` for donors, ``"0"`` for others.
    weight : array, optional
        Number of people that each row represents.
    amount : array, optional
        The gift of each person, 0 without a donation.
    gifts : dict of metric to array
        The expected gift of each person if he or she donates, y(x), by several models.
    split : pair of arrays, optional
        The official training rows and test rows.
    """

    name: str
    X: pd.DataFrame
    y: pd.Series[Any]
    weight: Vector | None = None
    amount: Vector | None = None
    gifts: Mapping[str, Vector] = field(default_factory=dict)
    split: tuple[Rows, Rows] | None = None

    @property
    def tree_params(self) -> dict[str, Any]:
        """Parameters of trees: rows that stand for several people are not several rows."""
        return {} if self.weight is None else {"weight_kind": "probability"}

    @property
    def training_rows(self) -> Rows:
        """The official training rows, or all rows."""
        return np.arange(len(self.y)) if self.split is None else self.split[0]

    def dataset(self, *, profit: bool = True) -> Dataset:
        """Return the data set of a study, with the gifts as keywords of the metrics of profit."""
        params = {name: {"amount": self.amount, "estimated_amount": gift} for name, gift in self.gifts.items()}
        kept = params if profit and params else None
        return Dataset((self.X, self.y), weight=self.weight, positive="1", metric_params=kept, name=self.name)


def expected_gifts(
    gifts: Vector,
    y: Any,
    amount: Vector,
    *,
    weight: Vector | None = None,
    split: tuple[Rows, Rows] | None = None,
) -> dict[str, Vector]:
    """Return y(x), the expected gift of each person, by the models of `GIFT_MODELS` of the last and the average gift.

    The paper's is a least-squares regression on donors, as remembered from its companion (Zadrozny & Elkan 2001,
    "Learning and making decisions when costs and probabilities are both unknown"). With a split a model is fitted to
    the training rows; else that of a row is fitted to the other nine tenths, so that no gift enters its own
    expectation.

    Parameters
    ----------
    gifts : array of shape (n_rows, 2)
        The last and the average gift.
    y : sequence of str
        ``"1"`` for donors.
    amount : array of shape (n_rows,)
        The gifts that were made.
    weight : array of shape (n_rows,), optional
        Number of people that each row represents.
    split : pair of arrays, optional
        Training rows and test rows.

    Returns
    -------
    dict of metric to array of shape (n_rows,)
        The expected gifts.
    """
    y, found = np.asarray(y), {name: np.empty(len(amount)) for name in GIFT_MODELS}
    for train, predicted in _fit_and_predict(len(amount), split):
        weights = None if weight is None else weight[train]
        for name, model in GIFT_MODELS.items():
            costs = ExampleCosts(COST, clone(model))
            fitted = costs.learn(gifts[train], y[train], amount[train], sample_weight=weights, pos_label="1")
            found[name][predicted] = fitted.for_rows(gifts[predicted]).benefit
    return found


def _fit_and_predict(n_rows: int, split: tuple[Rows, Rows] | None) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows that a regression is fitted to, and those that it predicts."""
    rows = np.arange(n_rows)
    if split is not None:
        yield split[0], rows
        return
    fold = np.random.default_rng(0).permutation(n_rows) % _N_FOLDS
    for number in range(_N_FOLDS):
        yield rows[fold != number], rows[fold == number]


def amount_code(amounts: Any) -> NDArray[np.str_]:
    """Return the code of RFA_2A for amounts in dollars, A to G.

    Examples
    --------
    >>> amount_code([1.5, 5.0, 24.99, 25.0])
    array(['A', 'D', 'F', 'G'], dtype='<U1')
    """
    return np.array(list("ABCDEFG"))[np.digitize(np.asarray(amounts, dtype=np.float64), _BRACKETS)]
