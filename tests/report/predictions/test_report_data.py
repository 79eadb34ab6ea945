"""Data of a report: validated once, rows of weight 0 dropped, the same numbers as the functions for each of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from tests.report.blocks import figures, layers_of, report_of

from calibrant.curves import roc
from calibrant.decisions import ExampleCosts, decision_report
from calibrant.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
P = RNG.random(400)
Y = np.where(RNG.random(400) < P, "yes", "no")


def test_money_is_that_of_the_decision_report() -> None:
    found = report_of(Y, P, costs=[[0, 1], [5, 0]], n_boot=50).summary["money"]["model"]
    expected = decision_report(Y, P, [[0, 1], [5, 0]], n_boot=50)
    assert found["now"] == asdict(expected.now.total)
    names = ("everybody", "ranking", "miscalibration", "unknown", "perfect")
    assert {name: found[name] for name in names} == {name: asdict(getattr(expected, name)) for name in names}


def test_rows_of_weight_zero_are_dropped_from_everything() -> None:
    weight, rows = np.r_[np.zeros(40), np.ones(80)], np.arange(120)

    def html(kept: Any) -> str:
        return report_of(
            Y[kept], P[kept], costs=ExampleCosts(0.5, rows[kept] * 1.0), amount=rows[kept] * 1.0, by=rows[kept] % 3,
            groups=rows[kept], sample_weight=weight[kept], n_boot=10,
        ).to_html()  # fmt: skip

    assert html(rows) == html(rows[40:])


@pytest.mark.parametrize(("options", "label", "name"), [({}, "c", "class-2-roc"), ({"pos_label": "b"}, "b", "roc")])
def test_a_class_of_three_is_judged_against_the_others(options: Any, label: str, name: str) -> None:
    """On a page of its own, or on the main page where it is the positive class."""
    proba = np.random.default_rng(1).dirichlet([1, 2, 3], 300)
    y = np.array(["a", "b", "c"])[np.arange(300) % 3]
    (line,) = layers_of(figures(report_of(y, proba, n_boot=10, **options), name)[name], "model")
    expected = roc(y == label, proba[:, "abc".index(label)])
    np.testing.assert_array_equal([line.columns["x"], line.columns["y"]], [expected.fpr, expected.tpr])


def test_pooled_probabilities_are_shared_by_ten_rows_and_keep_the_order() -> None:
    proba = np.random.default_rng(2).beta(0.3, 2, 1234).round(3)
    y = np.random.default_rng(3).random(1234) < proba
    (line,) = layers_of(figures(report_of(y, proba, rows=False, n_boot=10), "roc")["roc"], "model")
    curve = roc(y, proba)
    assert set(zip(line.columns["x"], line.columns["y"], strict=True)) <= set(zip(curve.fpr, curve.tpr, strict=True))
    assert np.round(1234 * np.diff(line.columns["share of rows selected"])).min() >= 10


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
        report_of(**{"y": Y, "p": P, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": {}}, "at least one model"),
        ({"p": {"": P, "b": P}}, "a name for every model; got an empty one"),
        ({"p": {"tree": P, "bayes": P}, "reference": "bays"}, "one of the models tree, bayes; got 'bays'"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"costs": {"no": {"x": 1}, "maybe": {"x": 0}}}, "maybe"),
    ],
)
def test_parameters_that_are_wrong_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        report_of(**{"y": Y, "p": P, **options})
