"""Frames of class probabilities go by column name, in every public function that takes them."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import warnings
from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.calibration import CALIBRATORS, PriorShift, Temperature, VennAbers, repair_base_rate
from calibrant.curves import sorted_scores
from calibrant.decisions import CostMatrix, ExampleCosts, best_decision, expected_cost
from calibrant.exceptions import CalibrantWarning, DataError
from calibrant.metrics import auc, compare, evaluate, log_loss

matplotlib.use("Agg")

RNG = np.random.default_rng(0)
P = RNG.beta(1.2, 2, 240)
Y = np.where(RNG.random(240) < P, "yes", "no")
COSTS = CostMatrix([[0, 1], [3, 0]], labels=["no", "yes"])
NEEDED = {
    "matrix": COSTS.matrix,
    "vote": Y,
    "prior": {"no": 0.6, "yes": 0.4},
    "k": 10,
    "amount": 10.0,
    "cost": 3.0,
    "costs": COSTS,
    "n_boot": 20,
    "n_resamples": 20,
}
# evaluate_table names its columns itself; rows_needed takes the largest of each row, whatever its class
NOT_BY_CLASS = {"evaluate_table", "rows_needed"}


def functions():
    """Yield every public function of predictions, and every `from_predictions`, with its name."""
    for package in ("metrics", "curves", "decisions", "plots", "calibration"):
        module = importlib.import_module(f"calibrant.{package}")
        for name in module.__all__:
            found = getattr(module, name)
            found = getattr(found, "from_predictions", found if inspect.isfunction(found) else None)
            names = inspect.signature(found).parameters if found is not None else ()
            if name not in NOT_BY_CLASS and {"y_proba", "proba", "scores"} & set(names):
                yield pytest.param(found, id=f"{package}.{name}")


def call(function, proba, **more):
    """Call a public function with whatever it needs beside probabilities; pictures as the curves they show."""
    names = inspect.signature(function).parameters
    needs = NEEDED if function.__module__.startswith("calibrant.decisions") else {**NEEDED, "costs": COSTS.matrix}
    needs = {**needs, "amount": None} if "costs" in names else needs
    options = {name: value for name, value in needs.items() if name in names or takes_options(function, name)}
    first = [Y] if "y_true" in names else []
    proba = {"model": proba} if "Mapping[" in str(names.get("y_proba", "")) else proba
    last = [Y] if "y" in names else []
    result = function(*first, proba, *last, **options, **more)
    return plain(getattr(result, "curves", result))


def takes_options(function, name):
    return name in ("amount", "cost") and "ProfitDisplay" in str(function)


def labels_of(function):
    """Return the classes as an argument, where the function has it or passes it on."""
    names = inspect.signature(function).parameters
    return {"labels": ["no", "yes"]} if {"labels", "options"} & set(names) else {}


def plain(result):
    """Return a result as numbers and strings that can be compared."""
    if dataclasses.is_dataclass(result):
        return {field.name: plain(getattr(result, field.name)) for field in dataclasses.fields(result)}
    if hasattr(result, "get_params"):
        return plain(vars(result))
    if isinstance(result, Mapping):
        return {name: plain(value) for name, value in result.items()}
    if isinstance(result, list | tuple):
        return [plain(value) for value in result]
    is_plain = isinstance(result, np.ndarray | np.generic | float | int | str | type(None))
    return result if is_plain else type(result).__name__


def assert_same(one, other):
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_same(one[name], other[name])
    elif isinstance(one, list):
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif np.asarray(one).dtype.kind in "fc":
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", list(functions()))
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.sample(12)
def test_columns_named_like_the_classes_go_by_name(function, frame):
    wanted = call(function, np.column_stack([1 - P, P]))
    assert_same(call(function, frame({"yes": P, "no": 1 - P})), wanted)
    assert_same(call(function, frame({"no": 1 - P, "yes": P})), wanted)


@pytest.mark.parametrize("function", list(functions()))
def test_names_that_are_nearly_the_classes_raise_with_both_lists(function):
    labels = labels_of(function)
    for names in (["Yes", "No"], ["yes ", "no"], ["yes", "maybe"]):
        with pytest.raises(DataError) as caught:
            call(function, pd.DataFrame({names[0]: P, names[1]: 1 - P}), **labels)
        assert str(names) in str(caught.value)
        assert "['no', 'yes']" in str(caught.value)


@pytest.mark.parametrize("function", list(functions()))
@pytest.mark.sample(4)
def test_default_names_go_by_position_and_others_warn(function):
    both = np.column_stack([1 - P, P])
    labels = labels_of(function)
    wanted = call(function, both, **labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for default in (pd.DataFrame(both), pl.DataFrame(both), pl.from_pandas(pd.DataFrame(both))):
            assert_same(call(function, default, **labels), wanted)
    with pytest.warns(CalibrantWarning, match=r"\['p0', 'p1'\] .* \['no', 'yes'\]; the columns are taken by position"):
        assert_same(call(function, pd.DataFrame(both, columns=["p0", "p1"]), **labels), wanted)


@pytest.mark.parametrize("name", sorted(CALIBRATORS))
def test_calibrators_fit_and_predict_by_name(name):
    both, turned = np.column_stack([1 - P, P]), pd.DataFrame({"yes": P, "no": 1 - P})
    wanted = CALIBRATORS[name]().fit(both, Y).predict(both)
    fitted = CALIBRATORS[name]().fit(turned, Y)
    np.testing.assert_allclose(fitted.predict(turned), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fitted.predict(both), wanted, rtol=1e-9, atol=1e-12)
    for call_of in (fitted.predict, lambda frame: CALIBRATORS[name]().fit(frame, Y)):
        with pytest.raises(DataError, match=r"\['Yes', 'No'\] where the classes are \['no', 'yes'\]"):
            call_of(turned.set_axis(["Yes", "No"], axis=1))
        with pytest.warns(CalibrantWarning, match="by position"):
            call_of(turned.set_axis(["p0", "p1"], axis=1))


def test_other_methods_of_calibrators_go_by_name_too():
    both, turned = np.column_stack([1 - P, P]), pl.DataFrame({"yes": P, "no": 1 - P})
    for fitted in (Temperature().fit(both, Y), PriorShift(train_prior=0.5, new_prior=0.2).fit(both, Y)):
        np.testing.assert_allclose(fitted.inverse(turned), fitted.inverse(both))
    venn = VennAbers().fit(turned, Y, folds=np.arange(240) % 3)
    np.testing.assert_allclose(venn.predict_pair(turned), venn.predict_pair(both))
    np.testing.assert_allclose(venn.predict_folds([turned] * 3), venn.predict_folds([both] * 3))
    one, other = (PriorShift(train_prior=[0.7, 0.3]).fit_unlabelled(table, labels=None) for table in (turned, both))
    np.testing.assert_allclose(one.new_prior_, other.new_prior_)
    assert one.classes_.tolist() == ["no", "yes"]
    assert_same(plain(repair_base_rate(turned, Y)), plain(repair_base_rate(both, Y)))


def test_one_column_is_that_of_the_class_it_is_named_like():
    for wanted, function in ((auc(Y, P), auc), (log_loss(Y, P), log_loss)):
        assert function(Y, pd.DataFrame({"yes": P})) == pytest.approx(wanted, rel=1e-12)
        assert function(Y, pd.DataFrame({"no": 1 - P})) == pytest.approx(wanted, rel=1e-12)
        assert function(Y, pd.DataFrame({"no": 1 - P}), pos_label="yes") == pytest.approx(wanted, rel=1e-12)
        with pytest.raises(DataError, match="name the columns exactly"):
            function(Y, pd.DataFrame({"Yes": P}))
        with pytest.warns(CalibrantWarning, match="by position"):
            function(Y, pd.DataFrame({"p": P}))
    np.testing.assert_array_equal(best_decision(pd.DataFrame({"no": 1 - P}), COSTS), best_decision(P, COSTS))
    with pytest.raises(DataError, match="one column, of the class 'no'"):
        Temperature().fit(pd.DataFrame({"no": 1 - P}), Y)


def test_names_are_matched_as_text_and_as_numbers():
    y, both = (Y == "yes").astype(int), np.column_stack([P, 1 - P])
    for names in (["1", "0"], [1, 0], [True, False], ["1.0", "0.0"], [1.0, 0.0]):
        assert auc(y, pd.DataFrame(both, columns=names)) == auc(y, P)
    assert auc(y == 1, pd.DataFrame(both, columns=["True", "False"])) == auc(y, P)
    assert auc(y, pd.DataFrame(both), labels=[1, 0]) == auc(y, P)  # default names are positions, which labels names


def test_labels_name_the_classes_and_a_frame_its_columns():
    frame = pd.DataFrame({"yes": P, "no": 1 - P})
    assert auc(Y, frame, labels=["no", "yes"]) == auc(Y, P)
    with pytest.raises(DataError, match="name the columns exactly"):
        auc(Y, frame.assign(maybe=0.0), labels=["no", "yes", "perhaps"])


def test_cards_of_frames_in_any_order_can_be_compared():
    one, other = evaluate(Y, pd.DataFrame({"yes": P, "no": 1 - P})), evaluate(Y, P**2)
    assert compare(one, other)["auc"].difference == pytest.approx(0.0, abs=1e-12)


def test_decisions_by_a_frame_are_those_by_its_positive_column():
    """The case of the report: 8 % of these decisions were wrong, without a word."""
    frame = pd.DataFrame({"yes": P, "no": 1 - P})
    np.testing.assert_array_equal(best_decision(frame, COSTS), best_decision(P, COSTS))
    np.testing.assert_array_equal(expected_cost(frame, COSTS), expected_cost(P, COSTS))
    np.testing.assert_array_equal(COSTS.expected(frame), expected_cost(P, COSTS))
    turned = CostMatrix([[0, 3], [1, 0]], labels=["yes", "no"])
    np.testing.assert_array_equal(best_decision(frame, turned), best_decision(P, COSTS))
    with pytest.raises(DataError, match=r"\['no', 'yes', 'maybe'\] where the classes are \['no', 'yes'\]"):
        best_decision(pd.DataFrame({"no": 1 - P, "yes": P, "maybe": 0 * P}), COSTS)


@pytest.mark.parametrize("costs", [COSTS.matrix, ExampleCosts(1.0, 4.0)])
def test_costs_without_names_take_the_sorted_names_of_the_columns(costs):
    frame = pd.DataFrame({"yes": P, "no": 1 - P})
    np.testing.assert_array_equal(best_decision(frame[["no", "yes"]], costs), best_decision(P, costs))
    with pytest.warns(CalibrantWarning, match=r"in sorted order, \['no', 'yes'\]"):
        np.testing.assert_array_equal(best_decision(frame, costs), best_decision(P, costs))


def test_sorted_scores_finds_the_positive_class_in_each_frame():
    frames = {"one": pd.DataFrame({"yes": P, "no": 1 - P}), "two": pl.DataFrame({"no": 1 - P / 2, "yes": P / 2})}
    found = sorted_scores(frames).scores
    np.testing.assert_array_equal(found["one"], np.sort(P))
    np.testing.assert_allclose(found["two"], np.sort(P) / 2)
    np.testing.assert_allclose(sorted_scores(frames, pos_label="no").scores["one"], np.sort(1 - P))
