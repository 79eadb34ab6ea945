"""Every estimator of calibrant, fitted to every kind of table, saves, loads and predicts identically to the bit."""

from __future__ import annotations

import importlib
import pickle
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.estimators import (
    CALIBRATOR_MAKERS,
    MAKERS,
    NUMERIC_MAKERS,
    TABLES,
    Rows,
    float32,
    mixed_frame,
    numeric,
    public_estimators,
    three_classes,
)

import calibrant
from calibrant._saved.form import _DECLARED, MODULES, declared_form
from calibrant.decisions import HeckmanRegressor
from calibrant.exceptions import CalibrantWarning, NotSavedError
from calibrant.files import describe_model

CASES = [(name, table) for name in MAKERS for table in TABLES]
CASES += [(name, table) for name in NUMERIC_MAKERS for table in (numeric, float32)]
CASES += [("Probability", mixed_frame), ("Probability", three_classes)]
OF_PREDICTION = ("predict_proba", "predict", "predict_log_proba", "decision_function", "apply")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)
        yield


def fitted(name: str, rows: Rows) -> Any:
    return {**MAKERS, **NUMERIC_MAKERS}[name](rows).fit(rows.X, rows.y)


def saved(model: Any, path: Path, **options: Any) -> Any:
    calibrant.save(model, path, **options)
    return calibrant.load_model(path)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal to the bit, with their types."""
    if isinstance(one, np.ndarray):
        is_alike = isinstance(other, np.ndarray) and (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype == object:
            return is_alike and one.tolist() == other.tolist()
        return is_alike and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other)


def addressless(model: Any) -> str:
    """Return the repr of a model without the addresses of generators among its parameters."""
    return re.sub(r"0x[0-9A-Fa-f]+", "", repr(model))


def check_predictions(model: Any, loaded: Any, new: Any) -> None:
    for method in OF_PREDICTION:
        if callable(getattr(model, method, None)):
            assert same(getattr(model, method)(new), getattr(loaded, method)(new)), method


def check_attributes(model: Any, loaded: Any) -> None:
    """Every fitted attribute is the same, or says that it was not saved."""
    for name in (name for name in dir(model) if name.endswith("_") and not name.startswith("_")):
        if hasattr(model, name):
            assert same(getattr(model, name), _attribute(loaded, name, getattr(model, name))), name


def _attribute(loaded: Any, name: str, instead: Any) -> Any:
    try:
        return getattr(loaded, name)
    except NotSavedError as error:
        return instead if "training_rows=True" in str(error) else error


@pytest.mark.parametrize(("name", "table"), CASES, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.sample(8)
def test_a_loaded_model_is_the_saved_one(tmp_path: Path, name: str, table: Any) -> None:
    rows = table()
    model = fitted(name, rows)
    loaded = saved(model, tmp_path / "model")
    check_predictions(model, loaded, rows.new)
    check_attributes(model, loaded)
    assert addressless(loaded) == addressless(model)
    described = describe_model(tmp_path / "model")
    assert described.classes == tuple(model.classes_.tolist())
    if hasattr(model, "_schema"):
        assert [column.name for column in described.columns] == list(model._schema.names)


FROM_ROWS = ["Neighbors", "Neighbors-all", "Lazy", "NaiveBayes-kernel", "Tree-kernel_density", "Bagged-kernel"]


@pytest.mark.parametrize("name", [*MAKERS, *NUMERIC_MAKERS])
@pytest.mark.sample(3)
def test_models_that_predict_from_their_training_rows_say_so(tmp_path: Path, name: str) -> None:
    notes = calibrant.save(fitted(name, numeric()), tmp_path / "model").notes
    holds_rows = name in [*FROM_ROWS, "Neighbors-array"]
    assert any("from which" in note and note.startswith("holds ") for note in notes) == holds_rows


def test_a_blend_says_what_it_expects_of_itself(tmp_path: Path) -> None:
    model = fitted("Probability", numeric())
    calibrant.save(model, tmp_path / "model", expected={"metric": "auc", "value": 0.8})
    own = model.expected_log_loss_
    ours, theirs = describe_model(tmp_path / "model").expected
    assert (ours.metric, ours.value) == ("auc", 0.8)
    assert (theirs.metric, theirs.value, theirs.low, theirs.high) == ("log_loss", own.value, own.low, own.high)


@pytest.mark.parametrize("name", [*MAKERS, *NUMERIC_MAKERS])
@pytest.mark.sample(3)
def test_a_loaded_model_can_be_saved_again(tmp_path: Path, name: str) -> None:
    rows = numeric()
    model = fitted(name, rows)
    again = saved(saved(model, tmp_path / "one", compress=True), tmp_path / "two")
    check_predictions(model, again, rows.new)
    first, second = describe_model(tmp_path / "one"), describe_model(tmp_path / "two")
    assert (first.notes, first.expected) == (second.notes, second.expected)
    assert addressless(first.model) == addressless(second.model)


@pytest.mark.parametrize("name", [*MAKERS, *NUMERIC_MAKERS])
@pytest.mark.sample(3)
def test_with_training_rows_everything_is_there(tmp_path: Path, name: str) -> None:
    rows = numeric()
    model = fitted(name, rows)
    loaded = saved(model, tmp_path / "model", training_rows=True)
    check_predictions(model, loaded, rows.new)
    for attribute in vars(model):
        if attribute.endswith("_"):
            assert same(getattr(model, attribute), getattr(loaded, attribute)), attribute


@pytest.mark.parametrize("name", [*MAKERS, *NUMERIC_MAKERS])
@pytest.mark.sample(3)
def test_a_loaded_model_can_be_pickled(tmp_path: Path, name: str) -> None:
    rows = numeric()
    model = fitted(name, rows)
    loaded = pickle.loads(pickle.dumps(saved(model, tmp_path / "model")))  # noqa: S301
    check_predictions(model, loaded, rows.new)


@pytest.mark.parametrize("name", [name for name in MAKERS if name.startswith("NaiveBayes")])
def test_a_loaded_model_takes_further_rows(tmp_path: Path, name: str) -> None:
    rows = mixed_frame()
    model = fitted(name, rows)
    loaded = saved(model, tmp_path / "model", training_rows=True)
    assert same(*(each.partial_fit(rows.X[:40], rows.y[:40]).predict_proba(rows.new) for each in (model, loaded)))


@pytest.mark.parametrize("name", ["Bagged", "BPETs", "Boosted", "Stumps"])
def test_a_loaded_model_with_its_rows_continues_its_fit(tmp_path: Path, name: str) -> None:
    rows = mixed_frame()
    model = fitted(name, rows)
    loaded = saved(model, tmp_path / "model", training_rows=True)
    for each in (model, loaded):
        if "warm_start" not in each.get_params():
            return
        each.set_params(warm_start=True, n_trees=8).fit(rows.X, rows.y)
    check_predictions(model, loaded, rows.new)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CALIBRATOR_MAKERS)
def test_a_loaded_calibrator_is_the_saved_one(tmp_path: Path, name: str, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(n_classes), 200)
    y = np.array(["a", "b", "c"])[(scores.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1)]
    calibrator = CALIBRATOR_MAKERS[name]().fit(scores, y)
    loaded = saved(calibrator, tmp_path / "model")
    assert same(calibrator.predict(scores), loaded.predict(scores))
    check_attributes(calibrator, loaded)


def test_a_loaded_regression_of_amounts_is_the_saved_one(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    amounts = np.where(X.sum(axis=1) > 0, 10 + X[:, 0], np.nan)
    model = HeckmanRegressor().fit(X, amounts)
    assert same(saved(model, tmp_path / "model").predict(X), model.predict(X))


def test_every_public_estimator_is_among_them() -> None:
    rows = numeric()
    tried = {type(make(rows)).__name__ for make in [*MAKERS.values(), *NUMERIC_MAKERS.values()]}
    tried |= {type(make()).__name__ for make in CALIBRATOR_MAKERS.values()} | {"HeckmanRegressor"}
    assert public_estimators().keys() - tried == set()


def test_every_declaration_is_complete() -> None:
    for module in MODULES.values():
        importlib.import_module(module)
    assert len(_DECLARED) > 1
    for name, cls in _DECLARED.items():
        assert declared_form(cls).name == name
