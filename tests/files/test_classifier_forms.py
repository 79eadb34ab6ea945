"""Naive Bayes, neighbours, cost-sensitive classifiers and costs in model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from tests.files.models import fitted, margins, numbers, quiet, table, three_classes, two_classes

import calibrant
from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.decisions import (
    CostMatrix,
    CostSensitiveClassifier,
    ExampleCosts,
    HeckmanRegressor,
    MetaCostClassifier,
    ThresholdClassifier,
)
from calibrant.exceptions import ModelFileError, NotSavedError
from calibrant.files import describe_model
from calibrant.neighbors import NeighborsClassifier
from calibrant.svm import SVMClassifier

COSTS = CostMatrix([[0, 1], [5, 0]], labels=["no", "yes"])


def back(model: Any, folder: Path, **options: Any) -> Any:
    calibrant.save(model, folder / "m.calibrant", **options)
    return calibrant.load_model(folder / "m.calibrant")


@pytest.mark.sample(3)
@pytest.mark.parametrize("y", [two_classes(), three_classes(), margins() > 0, np.digitize(margins(), [0.0])])
@pytest.mark.parametrize("options", [{"dialect": "weka"}, {"counts": "m", "m": 3}], ids=str)
@pytest.mark.parametrize("numeric", ["mdl", "gaussian", "kernel", "equal_width"])
def test_naive_bayes_predicts_the_same(numeric: Any, options: dict[str, Any], y: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier(numeric=numeric, **options).fit(table(), y)
    for rows in (False, True):
        loaded = back(model, tmp_path, training_rows=rows)
        assert loaded.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()
        assert loaded.predict(table()).tolist() == model.predict(table()).tolist()


def test_counts_go_on_after_loading_and_normal_distributions_need_their_values(tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(table(), two_classes())
    loaded = back(model, tmp_path).partial_fit(table(), two_classes())
    assert np.array_equal(
        loaded.predict_proba(table()), model.partial_fit(table(), two_classes()).predict_proba(table())
    )
    normal = NaiveBayesClassifier(numeric="gaussian").fit(table(), two_classes())
    with pytest.raises(NotSavedError, match=r"partial_fit needs for the column 'a'. Save it with training_rows=True"):
        back(normal, tmp_path).partial_fit(table(), two_classes())
    again = back(normal, tmp_path, training_rows=True).partial_fit(table(), two_classes())
    assert np.array_equal(
        again.predict_proba(table()), normal.partial_fit(table(), two_classes()).predict_proba(table())
    )


def test_a_file_says_that_it_holds_values_or_rows(tmp_path: Path) -> None:
    notes = {}
    for name, model in {
        "kernel": NaiveBayesClassifier(numeric="kernel"),
        "gaussian": NaiveBayesClassifier(numeric="gaussian"),
        "neighbors": NeighborsClassifier(),
        "svm": SVMClassifier(gamma=1e6, C=1.0),
        "linear": SVMClassifier(kernel="linear"),
    }.items():
        calibrant.save(model.fit(table(), two_classes()), tmp_path / "m.calibrant")
        notes[name] = describe_model(tmp_path / "m.calibrant").notes
    assert notes == {
        "kernel": ("holds up to 160 training values of 3 columns, from which it predicts",),
        "gaussian": (),
        "neighbors": ("holds 160 training rows, from which it predicts",),
        "svm": ("holds 160 training rows as numbers, its support vectors",),
        "linear": (),
    }


def test_moments_of_many_values_go_on_after_loading(tmp_path: Path) -> None:
    rng = np.random.default_rng()
    rows, classes = rng.normal(size=(900, 2)) * 1e-200, rng.integers(0, 2, 900)
    model = NaiveBayesClassifier(numeric="gaussian").fit(rows[:700], classes[:700])
    loaded = back(model, tmp_path)
    for each in (model, loaded):
        each.partial_fit(rows[700:], classes[700:])
    assert loaded.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()


def test_the_values_of_normal_distributions_are_not_in_the_file(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(5000, 2))
    model = NaiveBayesClassifier(numeric="gaussian").fit(rows, rows[:, 0] > 0)
    calibrant.save(model, tmp_path / "m.calibrant")
    assert (tmp_path / "m.calibrant").stat().st_size < 5000


NEIGHBORS = (
    {},
    {"weights": "uniform", "n_neighbors": 3, "algorithm": "kd_tree"},
    {"weights": "inverse", "offset": 0.1, "algorithm": "ball_tree"},
    {"weights": "similarity", "ties": "share", "scale": None, "algorithm": "brute"},
    {"weights": "inverse_squared", "n_neighbors": "all", "attribute_weights": None, "scale": "range"},
    {"bandwidth": 0.5, "attribute_weights": "info_gain", "relative_attribute_weights": True},
)


@pytest.mark.sample(5)
@pytest.mark.parametrize("options", NEIGHBORS, ids=str)
@pytest.mark.parametrize("columns", [["a", "b", "c", "town"], ["b", "c"], ["town"], ["b", "town"]], ids=str)
def test_neighbours_predict_the_same(columns: list[str], options: dict[str, Any], tmp_path: Path) -> None:
    rows = table()[columns]
    model = NeighborsClassifier(**options).fit(rows, three_classes(), sample_weight=np.arange(160) % 3)
    loaded = back(model, tmp_path)
    assert loaded.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    for one, other in zip(loaded.kneighbors(rows, 4), model.kneighbors(rows, 4), strict=True):
        assert one.tobytes() == other.tobytes()


MODELS = {
    "constant": lambda: fitted(lambda: ConstantClassifier(strategy="zero"), table(), three_classes()),
    "one class": lambda: fitted(ConstantClassifier, table(), np.ones(160)),
    "at prediction": lambda: fitted(
        lambda: CostSensitiveClassifier(NaiveBayesClassifier(), COSTS), table(), two_classes()
    ),
    "by column": lambda: fitted(
        lambda: CostSensitiveClassifier(NaiveBayesClassifier(), ExampleCosts(1.0, "b")), table(), two_classes()
    ),
    "rejection": lambda: fitted(
        lambda: CostSensitiveClassifier(NaiveBayesClassifier(), COSTS, when="train", how="reject", n_models=3),
        table(),
        two_classes(),
    ),
    "metacost": lambda: fitted(
        lambda: MetaCostClassifier(NaiveBayesClassifier(), COSTS, n_bags=3), table(), two_classes()
    ),
    "threshold": lambda: fitted(lambda: ThresholdClassifier(NaiveBayesClassifier(), COSTS), table(), two_classes()),
    "best F1": lambda: fitted(lambda: ThresholdClassifier(NaiveBayesClassifier(), goal="f1"), table(), two_classes()),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rows", [False, True])
def test_a_classifier_predicts_and_decides_the_same(name: str, rows: bool, tmp_path: Path) -> None:
    model = MODELS[name]()
    loaded = back(model, tmp_path, training_rows=rows)
    assert loaded.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()
    assert loaded.predict(table()).tolist() == model.predict(table()).tolist()
    assert clone(loaded).get_params().keys() == clone(model).get_params().keys()
    if isinstance(model, CostSensitiveClassifier):
        assert loaded.decide(table()).tolist() == model.decide(table()).tolist()


@pytest.mark.parametrize(("name", "attribute"), [("metacost", "relabelled_"), ("threshold", "table_")])
def test_what_is_of_training_rows_is_not_saved(name: str, attribute: str, tmp_path: Path) -> None:
    loaded = back(MODELS[name](), tmp_path)
    with pytest.raises(NotSavedError, match=f"without {attribute}. Save it with training_rows=True"):
        getattr(loaded, attribute)
    assert hasattr(back(MODELS[name](), tmp_path, training_rows=True), attribute)


def test_a_regressor_of_amounts_decides_the_same(tmp_path: Path) -> None:
    amount = np.where(two_classes() == "yes", np.abs(margins()), 0.0)
    with quiet():
        model = CostSensitiveClassifier(GaussianNB(), ExampleCosts(0.3, HeckmanRegressor()))
        model.fit(numbers(), two_classes(), amount=amount)
    loaded = back(model, tmp_path)
    assert loaded.decide(numbers()).tolist() == model.decide(numbers()).tolist()
    regressor = HeckmanRegressor(given="everybody").fit(numbers(), np.where(amount > 0, amount, np.nan))
    assert back(regressor, tmp_path).predict(numbers()).tobytes() == regressor.predict(numbers()).tobytes()


def test_costs_by_a_function_are_refused_and_named(tmp_path: Path) -> None:
    model = CostSensitiveClassifier(GaussianNB(), ExampleCosts(lambda X: X[:, 0], 1.0)).fit(numbers(), two_classes())
    with pytest.raises(ModelFileError, match=r"costs ExampleCosts\.cost .*function"):
        calibrant.save(model, tmp_path / "m.calibrant")
    assert list(tmp_path.iterdir()) == []
