"""Data of a report: validated once, rows of weight 0 dropped, the same numbers as the functions for each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibrant.decisions import ExampleCosts, decision_report
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import evaluate
from calibrant.report._predictions.read_report_data import read_report_data
from calibrant.report._predictions.report_data import ReportData, pooled

RNG = np.random.default_rng(0)
P = RNG.random(400)
Y = np.where(RNG.random(400) < P, "yes", "no")


def read(y: Any = Y, p: Any = P, **options: Any) -> ReportData:
    return read_report_data(y, p, **{"n_boot": 100, **options})


def test_scores_and_money_are_those_of_the_functions() -> None:
    data = read(costs=[[0, 1], [5, 0]])
    assert data.cards["model"]["log_loss"] == evaluate(Y, P, n_boot=100)["log_loss"]
    found, expected = data.money("model"), decision_report(Y, P, [[0, 1], [5, 0]], n_boot=100)
    assert found is not None
    assert (repr(found), data.positive, data.is_binary) == (repr(expected), "yes", True)


def test_rows_of_weight_zero_are_dropped_from_everything() -> None:
    weight = np.r_[np.zeros(100), np.ones(300)]
    costs = ExampleCosts(0.5, np.arange(400.0))
    data = read(
        sample_weight=weight, costs=costs, amount=np.arange(400.0), by=np.arange(400) % 3, groups=np.arange(400)
    )
    assert data.n_rows == len(data.by["segment"]) == 300
    assert data.costs.benefit[0] == data.amount[0] == data.groups[0] == 100
    expected = decision_report(
        Y, P, costs, amount=np.arange(400.0), sample_weight=weight, groups=np.arange(400), n_boot=100
    )
    assert repr(data.money("model")) == repr(expected)


def test_a_page_of_a_class_is_that_class_against_the_others() -> None:
    proba = np.random.default_rng(1).dirichlet([1, 2, 3], 300)
    y = np.array([0, 1, 2])[np.arange(300) % 3]
    data = read(y, proba)
    pages = data.class_pages()
    assert (data.positive, [page.page for page in pages]) == (None, ["0", "1", "2"])
    assert np.array_equal(pages[2].probas["model"], proba[:, 2])
    assert np.array_equal(pages[2].is_positive, y == 2)
    assert len({page.figure_name("roc") for page in pages}) == 3


def test_a_positive_class_of_three_is_the_main_page() -> None:
    proba = np.random.default_rng(1).dirichlet([1, 2, 3], 300)
    data = read(np.array(["a", "b", "c"])[np.arange(300) % 3], proba, pos_label="b")
    assert (data.positive, data.page) == ("b", "")
    assert np.array_equal(data.probas["model"], proba[:, 1])


def test_pooled_probabilities_are_shared_by_ten_rows_and_keep_the_order() -> None:
    proba = np.random.default_rng(2).beta(0.3, 2, 1234).round(3)
    found = pooled(proba)
    assert np.unique(found, return_counts=True)[1].min() >= 10
    order = np.argsort(proba, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    assert (found[np.flatnonzero(proba == proba[5])] == found[5]).all()


def test_without_rows_curves_get_pooled_probabilities() -> None:
    assert np.array_equal(read(rows=False).curve_proba("model"), pooled(P))
    assert read().curve_proba("model") is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": ["yes"] * 400}, "y_true has only rows of class 'yes'"),
        ({"p": {"a": P, "b": P[:300]}}, "all models must predict the same rows; a has 400, b has 300"),
        ({"p": {"a": P, "b": np.where(P > 0.9, np.nan, P)}}, "'b' has no probability in .* of 400 rows .first at row"),
        ({"p": {"a": np.where(P > 0.9, np.nan, P), "b": P}}, "'a' has no probability in .* where 'b' has one"),
        ({"p": {"a": P, "b": P * 2}}, "b: y_proba has"),
        ({"p": P * 2}, "y_proba"),
        ({"by": np.arange(400)}, "'segment' has 400 different values, and a report shows at most 200"),
        ({"ids": np.r_[0, np.arange(399)]}, "got '0' in 2 rows, and 1 value in more than one row. .* pass groups="),
        ({"by": np.arange(3)}, "by: segment must have a value for each of the 400 rows"),
    ],
)
def test_data_that_cannot_be_reported_on_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": {}}, "at least one model"),
        ({"p": {"tree": P, "bayes": P}, "reference": "bays"}, "one of the models tree, bayes; got 'bays'"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"costs": {"no": {"x": 1}, "maybe": {"x": 0}}}, "maybe"),
    ],
)
def test_parameters_that_are_wrong_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        read(**options)


def test_models_have_names() -> None:
    with pytest.raises(ParameterError, match="a name for every model; got an empty one"):
        read(p={"": P, "b": P})
