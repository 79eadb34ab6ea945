"""The mailing of KDD'98: attributes, responses and gifts, from the official files or from what there is of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from calibrant.data import Table, load
from calibrant.decisions import ExampleCosts, HeckmanRegressor
from calibrant.exceptions import ReadError
from calibrant.studies import Dataset

if TYPE_CHECKING:
    import pandas as pd

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
    y, rows = np.asarray(y), np.arange(len(amount))
    fold = np.random.default_rng(0).permutation(len(rows)) % _N_FOLDS
    parts = (
        [(rows[fold != each], rows[fold == each]) for each in range(_N_FOLDS)] if split is None else [(split[0], rows)]
    )
    found = {name: np.empty(len(rows)) for name in GIFT_MODELS}
    for train, predicted in parts:
        weights = None if weight is None else weight[train]
        for name, model in GIFT_MODELS.items():
            costs = ExampleCosts(COST, clone(model))
            fitted = costs.learn(gifts[train], y[train], amount[train], sample_weight=weights, pos_label="1")
            found[name][predicted] = fitted.for_rows(gifts[predicted]).benefit
    return found


def amount_code(amounts: Any) -> NDArray[np.str_]:
    """Return the code of RFA_2A for amounts in dollars, A to G.

    Examples
    --------
    >>> amount_code([1.5, 5.0, 24.99, 25.0])
    array(['A', 'D', 'F', 'G'], dtype='<U1')
    """
    return np.array(list("ABCDEFG"))[np.digitize(np.asarray(amounts, dtype=np.float64), _BRACKETS)]


_STEMS: Final = ("cup98lrn", "cup98val", "valtargt")
_SUFFIXES: Final = (".txt", ".csv", ".zip", ".gz")
_NUMBERS: Final = ("INCOME", "FISTDATE", "LASTDATE", "NGIFTALL", "NUMPROM", "RFA_2F", "LASTGIFT", "AVGGIFT")
_TEXTS: Final = ("RFA_2A", "PEPSTRFL")
_FIELDS: Final = ("CONTROLN", *_NUMBERS, *_TEXTS)
_TARGETS: Final = ("TARGET_B", "TARGET_D")


def find_official_files(folder: str | os.PathLike[str] | None = None) -> dict[str, Path] | None:
    """Return the three files of a folder by stem in lower case, or None if one is missing.

    Parameters
    ----------
    folder : str or path, optional
        The folder; by default the one that ``CALIBRANT_DATA`` names.
    """
    home = os.environ.get("CALIBRANT_DATA") if folder is None else folder
    if not home or not Path(home).is_dir():
        return None
    files = {path.stem.lower(): path for path in sorted(Path(home).iterdir()) if path.suffix.lower() in _SUFFIXES}
    return {stem: files[stem] for stem in _STEMS} if all(stem in files for stem in _STEMS) else None


def read_official_files(files: Mapping[str, Path], name: str) -> Mailing:
    """Return the people of the learning set and, after them, those of the test set, with seven attributes.

    Fields are separated by commas below a line of names, and a blank field is missing. The responses of the learning
    set stand in its own file, those of the test set in ``valtargt``, joined by CONTROLN.

    Parameters
    ----------
    files : dict of stem to path
        The files of `find_official_files`.
    name : str
        The name of the data set.

    Returns
    -------
    Mailing
        The rows, with the official split.

    Raises
    ------
    ReadError
        If a file lacks a field, or a person of the test set has no response or several.
    """
    import pandas as pd

    learning = _read_file(files["cup98lrn"], (*_FIELDS, *_TARGETS))
    people, targets = _read_file(files["cup98val"], _FIELDS), _read_file(files["valtargt"], ("CONTROLN", *_TARGETS))
    if targets["CONTROLN"].duplicated().any() or not people["CONTROLN"].isin(targets["CONTROLN"]).all():
        raise ReadError("valtargt must have one response for each CONTROLN of cup98VAL; copy both files again.")
    test = people.merge(targets, on="CONTROLN", how="left", validate="many_to_one")
    frame = pd.concat([learning, test], ignore_index=True)
    split = np.arange(len(learning)), np.arange(len(learning), len(frame))
    numbers = {field: pd.to_numeric(frame[field]) for field in (*_NUMBERS, *_TARGETS)}
    y = pd.Series(np.where(numbers["TARGET_B"] == 1, "1", "0"), name="TARGET_B")
    amount = numbers["TARGET_D"].to_numpy(dtype=np.float64)
    gifts = np.column_stack([numbers["LASTGIFT"], numbers["AVGGIFT"]]).astype(np.float64)
    expected = expected_gifts(gifts, y, amount, split=split)
    X = pd.DataFrame(
        {
            "INCOME": numbers["INCOME"],
            "FISTDATE": _months(numbers["FISTDATE"]),
            "LASTDATE": _months(numbers["LASTDATE"]),
            "GIFTS_PER_PROMOTION": numbers["NGIFTALL"] / numbers["NUMPROM"],
            "RFA_2F": numbers["RFA_2F"],
            "RFA_2A": frame["RFA_2A"],
            "PEPSTRFL": frame["PEPSTRFL"].fillna("none"),  # a blank is a value: no star
        }
    )
    return Mailing(name, X, y, None, amount, expected, split)


def _read_file(path: Path, fields: tuple[str, ...]) -> pd.DataFrame:
    """Return some fields of a file as text, missing where they are blank."""
    import pandas as pd

    try:
        frame = pd.read_csv(path, usecols=list(fields), dtype=str, skipinitialspace=True, keep_default_na=False)
    except ValueError as error:
        raise ReadError(f"{path.name} must have the fields {', '.join(fields)}: {error}") from error
    stripped: pd.DataFrame = frame.apply(lambda column: column.str.strip().replace("", None))
    return stripped


def _months(dates: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates written as year and month, such as 9506, as a number of months; 0 is missing."""
    known = dates.where(dates > 0)
    return 12 * (known // 100) + known % 100


CASE_CONTROL: Final = "KDD'98, case-control sample, seven attributes"
THINNED: Final = "KDD'98, sample without weights, donors thinned to the base rate"
LEARNING: Final = "KDD'98, learning set, seven text fields"
OFFICIAL: Final = "KDD'98, official files, seven attributes"
# Two of the attributes that the authors are believed to use, and the fields with text nearest to the others: the wealth
# of the neighbourhood, recency, frequency and amount by another rule, and home ownership. None was searched for.
_TEXT_FIELDS: Final = ["RFA_2F", "RFA_2A", "DOMAIN", "MDMAUD_R", "MDMAUD_F", "MDMAUD_A", "HOMEOWNR"]


def read_mailing() -> Mailing:
    """Return the official rows if the folder ``CALIBRANT_DATA`` has their files, else the case-control sample."""
    files = find_official_files()
    return case_control() if files is None else read_official_files(files, OFFICIAL)


def case_control() -> Mailing:
    """Return all donors of the learning set and 14,529 of the others, with the numeric fields.

    Of the seven attributes that the authors are believed to use, RFA_2A has no counterpart here; the bracket of the
    last gift stands for it.
    """
    table = load("kdd98_case_control")
    frame, y = table.X, _labels(table)
    X = frame[["INCOME_GROUP", "MONTHS_SINCE_FIRST_GIFT", "MONTHS_SINCE_LAST_GIFT"]].copy()
    X["GIFTS_PER_PROMOTION"] = frame["LIFETIME_GIFT_COUNT"] / frame["LIFETIME_PROM"]
    X["FREQUENCY_STATUS_97NK"] = frame["FREQUENCY_STATUS_97NK"]
    X["LAST_GIFT_CODE"] = amount_code(frame["LAST_GIFT_AMT"])
    X["PEP_STAR"] = frame["PEP_STAR"]
    gifts = frame[["LAST_GIFT_AMT", "LIFETIME_AVG_GIFT_AMT"]].to_numpy(dtype=np.float64)
    amount = np.asarray(table.extra["TARGET_D"], dtype=np.float64)  # type: ignore[index]
    weight = np.asarray(table.sample_weight, dtype=np.float64)
    return Mailing(CASE_CONTROL, X, y, weight, amount, expected_gifts(gifts, y, amount, weight=weight))


def learning_set() -> Mailing:
    """Return all rows of the learning set with seven of the fields that have text; they have no gift history."""
    table = load("zadrozny.kdd98")
    return Mailing(LEARNING, table.X[_TEXT_FIELDS], _labels(table))


def thinned(mailing: Mailing, seed: int) -> Mailing:
    """Return the others of a case-control sample and so many of its donors that no weights are needed.

    In a weighted sample a leaf of a few donors lacks the others who belong there; here it has its share of both.
    """
    is_donor = np.asarray(mailing.y == "1")
    donors, others = np.flatnonzero(is_donor), np.flatnonzero(~is_donor)
    rate = float(np.average(is_donor, weights=mailing.weight))
    n_donors = round(len(others) * rate / (1 - rate))
    rows = np.sort(np.concatenate([others, np.random.default_rng(seed).permutation(donors)[:n_donors]]))
    return Mailing(THINNED, mailing.X.iloc[rows], mailing.y.iloc[rows])


def _labels(table: Table) -> Any:
    return table.y.astype(str)  # type: ignore[union-attr]
