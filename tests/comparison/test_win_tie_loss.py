"""Wins, ties and losses: against the tests one by one, and in every form that a table comes in."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from calibrant.comparison import Record, compare_methods, corrected_resampled_t_test, friedman, win_tie_loss
from calibrant.exceptions import DataError, DataTypeError, ParameterError, SchemaError

METHODS = ["B-PETs", "EB-PETs", "MOB-ESP"]
SETS = ["audiology", "bupa", "glass"]


def trials(seed: int = 0, n_sets: int = 3) -> dict[str, np.ndarray]:
    """Ten trials of three methods; the second is mostly better (lower) than the first, the third far better."""
    random = np.random.default_rng(seed)
    shift = np.array([0.0, -0.5, -3.0])
    return {f"{SETS[i % 3]}{i // 3 or ''}": random.normal(shift, 1, (10, 3)) for i in range(n_sets)}


def counts(result: Any) -> list[tuple[Any, ...]]:
    return [dataclasses.astuple(record) for record in result.records]


@given(st.integers(0, 2**32 - 1))
def test_a_win_is_a_significant_paired_test_in_the_right_direction(seed: int) -> None:
    table = trials(seed, 8)
    pvalues = [scipy.stats.ttest_rel(values[:, 1], values[:, 0]) for values in table.values()]
    wins = sum(found.pvalue <= 0.1 and found.statistic < 0 for found in pvalues)
    losses = sum(found.pvalue <= 0.1 and found.statistic > 0 for found in pvalues)
    record = win_tie_loss(table, better="lower", methods=METHODS).records[0]
    assert record == Record("EB-PETs", "B-PETs", wins, 8 - wins - losses, losses)
    turned = win_tie_loss(table, better="higher", methods=METHODS).records[0]
    assert (turned.wins, turned.losses) == (losses, wins)


@given(st.integers(0, 2**32 - 1))
def test_corrected_wins_are_significant_by_the_corrected_test_too(seed: int) -> None:
    table = trials(seed, 8)
    sure = [corrected_resampled_t_test(values[:, 1], values[:, 0], n_train=2, n_test=1) for values in table.values()]
    record = win_tie_loss(table, better="lower", methods=METHODS, n_train=2, n_test=1).records[0]
    assert record.corrected_wins == sum(found.pvalue <= 0.1 and found.difference < 0 for found in sure)
    assert record.corrected_losses == sum(found.pvalue <= 0.1 and found.difference > 0 for found in sure)
    assert record.corrected_wins <= record.wins
    assert record.corrected_losses <= record.losses


def test_each_method_is_compared_with_those_before_it() -> None:
    """The three comparisons of Nielsen 2004, Tables 2 and 5."""
    pairs = [(record.method, record.competitor) for record in win_tie_loss(trials(), methods=METHODS).records]
    assert pairs == [("EB-PETs", "B-PETs"), ("MOB-ESP", "B-PETs"), ("MOB-ESP", "EB-PETs")]


def test_one_method_can_be_compared_with_all_others() -> None:
    result = win_tie_loss(trials(), better="lower", methods=METHODS, method="B-PETs")
    assert [(record.method, record.competitor) for record in result.records] == [
        ("B-PETs", "EB-PETs"),
        ("B-PETs", "MOB-ESP"),
    ]
    assert (result.records[1].wins, result.records[1].losses) == (0, 3)


def test_the_level_can_be_chosen() -> None:
    strict, lax = (win_tie_loss(trials(1, 30), better="lower", alpha=alpha, methods=METHODS) for alpha in (0.001, 0.5))
    assert strict.records[0].ties > lax.records[0].ties


def frames() -> dict[str, pd.DataFrame]:
    return {name: pd.DataFrame(values, columns=METHODS) for name, values in trials().items()}


def long_frame() -> pd.DataFrame:
    return pd.concat([frame.assign(data=name) for name, frame in frames().items()])


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (trials(), {"methods": METHODS}),
        ({name: values.tolist() for name, values in trials().items()}, {"methods": METHODS}),
        (np.stack([*trials().values()]), {"methods": METHODS}),
        (frames(), {}),
        ({name: frame[METHODS[::-1]] if name == "bupa" else frame for name, frame in frames().items()}, {}),
        ({name: pl.from_pandas(frame) for name, frame in frames().items()}, {}),
        ({name: pa.Table.from_pandas(frame) for name, frame in frames().items()}, {}),
        (pd.concat(frames()), {}),
        (long_frame(), {"by": "data"}),
        (long_frame().sample(frac=1, random_state=0), {"by": "data"}),
        (pl.from_pandas(long_frame()), {"by": "data"}),
        (pa.Table.from_pandas(long_frame(), preserve_index=False), {"by": "data"}),
    ],
)
def test_tables_come_in_many_forms(table: Any, options: dict[str, Any]) -> None:
    expected = win_tie_loss(trials(), better="lower", methods=METHODS, n_train=2, n_test=1)
    assert counts(win_tie_loss(table, better="lower", n_train=2, n_test=1, **options)) == counts(expected)


def test_one_data_set_needs_no_name() -> None:
    values = trials()["glass"]
    record = win_tie_loss(values[None], better="lower").records[1]
    assert (record.wins, record.ties, record.losses) == (1, 0, 0)
    assert [record.method for record in win_tie_loss(values[None]).records] == ["method 1", "method 2", "method 2"]


@pytest.mark.parametrize("make", [np.array, pd.DataFrame, pl.DataFrame, np.ndarray.tolist])
def test_a_row_of_a_table_without_trials_is_a_data_set_as_for_friedman(make: Any) -> None:
    table = make(trials()["glass"])
    assert friedman(table).n_datasets == compare_methods(table).n_datasets == 10
    with pytest.raises(
        DataError, match="10 rows of one value for each method; each row is a data set, as for friedman"
    ):
        win_tie_loss(table)
    with pytest.raises(DataError, match="frame with a row for each trial whose data set is in the column that by="):
        win_tie_loss(table)


@pytest.mark.parametrize(
    ("table", "options"),
    [({"glass": trials()["glass"]}, {}), (trials()["glass"][None], {}), (long_frame(), {"by": "data"})],
)
def test_trials_of_a_data_set_are_trials_for_friedman_too(table: Any, options: dict[str, Any]) -> None:
    n_sets = len({outcome.dataset for outcome in win_tie_loss(table, **options).outcomes})
    if n_sets > 1:
        assert friedman(table, **options).n_datasets == n_sets
    else:
        with pytest.raises(DataError, match=r"table has 1 data set; .* Pass a frame or array of data sets x methods"):
            friedman(table, **options)


def test_data_sets_may_differ_in_trials_and_in_size() -> None:
    table = trials()
    table["bupa"] = table["bupa"][:4]
    n_train, n_test = dict.fromkeys(table, 60), {"audiology": 31, "bupa": 115, "glass": 26}
    outcomes = win_tie_loss(table, n_train=n_train, n_test=n_test, methods=METHODS).outcomes
    assert [outcome.test.n for outcome in outcomes[:3]] == [10, 4, 10]
    a, b = table["bupa"][:, 1], table["bupa"][:, 0]
    expected = corrected_resampled_t_test(a, b, n_train=60, n_test=115, confidence=0.9, names=("EB-PETs", "B-PETs"))
    assert outcomes[1].corrected == expected


def test_equal_values_are_ties_and_constant_differences_wins() -> None:
    values = np.array([[0.1, 0.1, 0.2], [0.4, 0.4, 0.5], [0.3, 0.3, 0.4]])
    assert counts(win_tie_loss(values[None], n_train=2, n_test=1)) == [
        ("method 1", "method 0", 0, 1, 0, 0, 0),
        ("method 2", "method 0", 1, 0, 0, 1, 0),
        ("method 2", "method 1", 1, 0, 0, 1, 0),
    ]


def test_the_frames_have_the_figures_of_the_result() -> None:
    result = win_tie_loss(trials(), better="lower", methods=METHODS, n_train=2, n_test=1)
    summary, tests = result.to_frame(), result.by_dataset()
    assert summary.index.tolist() == [(record.method, record.competitor) for record in result.records]
    assert summary["wins"].tolist() == [record.wins for record in result.records]
    assert tests.shape[0] == 9
    found = tests.groupby(["method", "competitor"], sort=False)["result"].apply(lambda column: (column == "win").sum())
    assert found.tolist() == summary["wins"].tolist()
    assert tests["is_sure"].tolist() == (tests["corrected_pvalue"] <= 0.1).tolist()


def test_the_repr_shows_the_counts_and_mentions_a_missing_correction() -> None:
    plain = repr(win_tie_loss(trials(), better="lower", methods=METHODS))
    assert plain.startswith(
        "Wins/ties/losses over 3 data sets (lower is better, paired t-test at 0.1):\n  EB-PETs against"
    )
    assert plain.endswith("Not corrected for trials that share rows: pass n_train= and n_test=.")
    assert "MOB-ESP against B-PETs: 3/0/0, corrected 3/0/0" in repr(
        win_tie_loss(trials(), better="lower", methods=METHODS, n_train=2, n_test=1)
    )


def test_a_result_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        win_tie_loss(trials()).alpha = 0.05  # type: ignore[misc]


def spoilt(value: float) -> dict[str, np.ndarray]:
    table = trials()
    table["bupa"][3, 1] = value
    return table


@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        (
            spoilt(np.nan),
            {},
            DataError,
            r"'bupa' has 1 value\(s\) that are NaN or infinite \(first in trial 3, 'method 1'\)",
        ),
        (spoilt(-np.inf), {}, DataError, "'bupa' has 1 value"),
        ({"iris": [[1, 2]]}, {}, DataError, r"'iris' has 1 trial\(s\) of 2 method\(s\); at least 2 and 2"),
        ({"iris": [[1], [2]]}, {}, DataError, r"'iris' has 2 trial\(s\) of 1 method\(s\)"),
        (
            {"B-PETs": [1, 2], "EB-PETs": [2, 3]},
            {},
            DataError,
            r"trials x methods for each data set; one has shape \(2,\)",
        ),
        ({}, {}, DataError, "table has no data sets"),
        (frames() | {"x": frames()["bupa"].iloc[:, :2]}, {}, SchemaError, "'x' has the methods"),
        (long_frame(), {}, DataTypeError, "table must hold numbers.* by= where a column names them"),
        ([np.zeros((2, 2)), np.zeros((3, 2))], {}, DataTypeError, "pass a dict where data sets differ in trials"),
        (long_frame(), {"by": "date"}, SchemaError, "by='date' is not a column of the table. Did you mean 'data'"),
        (trials(), {"by": "data"}, ParameterError, "by='data' names a column of a frame; the table is of type dict"),
        (
            trials(),
            {"methods": ["a", "b"]},
            ParameterError,
            "methods must be a list that names the 3 columns, each once",
        ),
        (
            trials(),
            {"methods": ["a", "b", "b"]},
            ParameterError,
            "methods must be a list that names the 3 columns, each once",
        ),
        (trials(), {"methods": 3}, ParameterError, "methods must be a list that names the 3 columns, each once; got 3"),
        (trials(), {"methods": "abc"}, ParameterError, "methods must be a list"),
        (pd.DataFrame(np.eye(2), columns=["a", "a"]), {}, SchemaError, "two columns have the same name"),
        (None, {}, DataError, r"one has shape \(\)"),
        (frames(), {"method": "MOB-ESB"}, ParameterError, r"method must be one of .* Did you mean 'MOB-ESP'\?"),
        (trials(), {"better": "less"}, ParameterError, "better must be 'higher' or 'lower'; got 'less'"),
        (trials(), {"alpha": 0}, ParameterError, r"alpha must be a number in \(0, 1\); got 0"),
        (trials(), {"n_train": 2}, ParameterError, "n_train and n_test must be passed together"),
        (trials(), {"n_train": {"bupa": 2}, "n_test": 1}, ParameterError, "there is none for 'audiology'"),
        (trials(), {"n_train": -1, "n_test": 1}, ParameterError, "n_train must be a number above 0.*; got -1"),
    ],
)
def test_wrong_input_is_named(table: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        win_tie_loss(table, **options)
