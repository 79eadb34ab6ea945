"""Forests, boosted trees and lazy trees in model files, without and with their training rows."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.files.models import table, three_classes, two_classes

import calibrant
from calibrant.blending import ProbabilityClassifier
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.estimates import Curtailment, MEstimate, PathAverage
from calibrant.exceptions import CalibrantWarning, NotSavedError
from calibrant.files import describe_model

FORESTS: list[tuple[type, dict[str, Any]]] = [
    *(
        (BaggedTreesClassifier, {"estimate": estimate})
        for estimate in (
            "frequency",
            "laplace",
            "m",
            "m_branch",
            "path_average",
            "hierarchical_shrinkage",
            "kernel_density",
            Curtailment(then="m"),
            MEstimate(m="cv"),
            PathAverage("interpolate"),
        )
    ),
    (BaggedTreesClassifier, {"combine": "vote", "smooth_votes": True}),
    (BaggedTreesClassifier, {"out_of_bag": "count", "out_of_bag_weight": "auto"}),
    (BaggedTreesClassifier, {"out_of_bag": "count", "out_of_bag_weight": "leaf", "in_bag_counts": "multiplicity"}),
    (BaggedTreesClassifier, {"out_of_bag": "only"}),
    (BaggedTreesClassifier, {"out_of_bag": "condition", "estimate": "laplace", "vote_trees": "out_of_bag"}),
    (BaggedTreesClassifier, {"honest": True, "bootstrap": "subsample"}),
    (BaggedTreesClassifier, {"missing": "fractional", "nominal_splits": "subset", "prune": "pessimistic"}),
    (BaggedTreesClassifier, {"max_features": "sqrt", "threshold": "observed", "class_weight": "balanced"}),
    (BPETsClassifier, {}),
    (EBPETsClassifier, {}),
    (MOBESPClassifier, {}),
]
BOOSTED: list[tuple[type, dict[str, Any]]] = [
    (BoostedTreesClassifier, {}),
    (BoostedTreesClassifier, {"algorithm": "real", "resample": False, "max_depth": 2}),
    (BoostedTreesClassifier, {"algorithm": "samme", "estimate": "kernel_density", "max_depth": 2}),
    (BoostedTreesClassifier, {"estimate": "path_average", "max_depth": 3}),
    (BoostedTreesClassifier, {"honest": True, "prune": "pessimistic"}),
    (BoostedStumpsClassifier, {"algorithm": "m1"}),
    (BoostedStumpsClassifier, {"algorithm": "samme", "estimate": "frequency"}),
    (BoostedStumpsClassifier, {"algorithm": "real", "criterion": "gini"}),
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)
        yield


def back(model: Any, folder: Path, **options: Any) -> Any:
    calibrant.save(model, folder / "m.calibrant", **options)
    return calibrant.load_model(folder / "m.calibrant")


def made(cls: type, params: dict[str, Any], y: Any) -> Any:
    model = cls(n_trees=5, **params)
    if "random_state" in model.get_params():
        model.set_params(random_state=1)
    return model.fit(table(), y)


def bits(model: Any) -> list[bytes]:
    """Return the probabilities of few rows, which forests predict in another way, and of many."""
    return [model.predict_proba(rows).tobytes() for rows in (table(), table()[:3], table()[["a", "b", "c", "town"]])]


@pytest.mark.parametrize("classes", [two_classes, three_classes])
@pytest.mark.parametrize(
    ("cls", "params"), [*FORESTS, *BOOSTED, (LazyOptionTreesClassifier, {})], ids=lambda value: str(value)[-60:]
)
@pytest.mark.sample(7)
def test_an_ensemble_predicts_the_same_to_the_bit(
    cls: type, params: dict[str, Any], classes: Any, tmp_path: Path
) -> None:
    model = made(cls, params, classes())
    for rows in (False, True):
        loaded = back(model, tmp_path, training_rows=rows, compress=rows)
        assert bits(loaded) == bits(model)
        assert bits(back(loaded, tmp_path)) == bits(model)
        assert bits(pickle.loads(pickle.dumps(loaded))) == bits(model)  # noqa: S301
        assert str(clone(loaded).get_params()) == str(model.get_params())
        if hasattr(model, "feature_importances_"):
            assert np.array_equal(loaded.feature_importances_, model.feature_importances_)


@pytest.mark.parametrize(("cls", "params"), FORESTS, ids=lambda value: str(value)[-60:])
def test_out_of_bag_results_need_the_training_rows(cls: type, params: dict[str, Any], tmp_path: Path) -> None:
    model = made(cls, params, two_classes())
    whole = back(model, tmp_path, training_rows=True)
    assert np.array_equal(whole.oob_proba_, model.oob_proba_, equal_nan=True)
    assert whole.oob_score_ == pytest.approx(model.oob_score_, rel=0, abs=0)
    assert whole.in_bag_.dtype == np.uint16
    assert np.array_equal(whole.in_bag_, model.in_bag_)
    if params.get("estimate") == "kernel_density":
        return
    loaded = back(model, tmp_path)
    for name in ("oob_proba_", "oob_score_", "in_bag_"):
        with pytest.raises(
            NotSavedError, match=rf"{cls.__name__} was saved without its training rows, which .*_ needs"
        ):
            getattr(loaded, name)
    with pytest.raises(NotSavedError, match="which oob_importances needs"):
        loaded.oob_importances(n_repeats=1)


def test_a_forest_is_read_again_by_counts_alone(tmp_path: Path) -> None:
    model = made(EBPETsClassifier, {}, two_classes())
    loaded = back(model, tmp_path)
    for estimate in ("frequency", "m", "hierarchical_shrinkage"):
        assert bits(loaded.reread("b_pets", estimate=estimate)) == bits(model.reread("b_pets", estimate=estimate))
    for kind in ("eb_pets", "mob_esp"):
        with pytest.raises(NotSavedError, match=rf"which reread\('{kind}'\) needs. Save it with training_rows=True."):
            loaded.reread(kind)
    with pytest.raises(NotSavedError, match=r"which reread\('b_pets'\) needs"):
        loaded.reread("b_pets", estimate="kernel_density")
    whole = back(model, tmp_path, training_rows=True)
    assert bits(whole.reread("mob_esp", estimate="laplace")) == bits(model.reread("mob_esp", estimate="laplace"))


@pytest.mark.parametrize(("cls", "params"), [(BaggedTreesClassifier, {}), *BOOSTED], ids=lambda value: str(value)[-60:])
def test_a_warm_start_goes_on_with_the_rows_and_says_that_it_needs_them(
    cls: type, params: dict[str, Any], tmp_path: Path
) -> None:
    model = made(cls, params, two_classes())
    whole = back(model, tmp_path, training_rows=True)
    loaded = back(model, tmp_path)
    for each in (model, whole, loaded):
        each.set_params(warm_start=True, n_trees=8)
    assert bits(whole.fit(table(), two_classes())) == bits(model.fit(table(), two_classes()))
    with pytest.raises(NotSavedError, match=r"which fit with warm_start=True needs"):
        loaded.fit(table(), two_classes())
    assert bits(loaded.set_params(warm_start=False).fit(table(), two_classes()))


def test_models_that_predict_from_rows_say_how_many_they_hold(tmp_path: Path) -> None:
    for cls, params in ((LazyOptionTreesClassifier, {}), (BaggedTreesClassifier, {"estimate": "kernel_density"})):
        back(made(cls, params, two_classes()), tmp_path)
        notes = describe_model(tmp_path / "m.calibrant").notes
        assert notes == ("holds 160 training rows, from which it predicts",)
    back(made(BaggedTreesClassifier, {}, two_classes()), tmp_path)
    assert describe_model(tmp_path / "m.calibrant").notes == ()


def test_gradient_boosted_folds_come_back_with_their_held_out_probabilities(tmp_path: Path) -> None:
    model = ProbabilityClassifier(members=["gradient"], random_state=0).fit(table(), three_classes())
    assert bits(back(model, tmp_path)) == bits(model)
    whole = back(model, tmp_path, training_rows=True)
    assert bits(whole) == bits(model)
    assert np.array_equal(whole.held_out_proba_, model.held_out_proba_)


def test_a_forest_takes_few_bytes_a_node(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 5))
    model = BaggedTreesClassifier(n_trees=10, random_state=0).fit(X, X[:, 0] + X[:, 1] > 0)
    n_nodes = sum(tree.n_nodes for tree in model.trees_)
    calibrant.save(model, tmp_path / "m")
    assert (tmp_path / "m").stat().st_size < 8 * n_nodes + 8_000
