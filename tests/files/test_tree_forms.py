"""Trees in model files: every estimate and way of growing, without and with their training rows."""

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
from calibrant.estimates import Curtailment, HierarchicalShrinkage, KernelDensity, MBranch, MEstimate, PathAverage
from calibrant.exceptions import CalibrantWarning, ModelFileError, NotSavedError
from calibrant.files import describe_model
from calibrant.trees import ProbabilityTreeClassifier

ESTIMATES: list[Any] = [
    "frequency",
    "laplace",
    "m",
    "curtailment",
    "smoothed_curtailment",
    "hierarchical_shrinkage",
    MEstimate(m="cv"),
    MEstimate(m=3, prior=(0.4, 0.6)),
    MEstimate(positive="yes"),
    Curtailment(v="cv", then="m"),
    Curtailment(then=PathAverage()),
    MBranch(2.0, constant=True),
    PathAverage(),
    PathAverage("interpolate"),
    HierarchicalShrinkage("cv"),
    KernelDensity(),
    KernelDensity("uniform", width="cv"),
]
GROWN: list[dict[str, Any]] = [
    {"prune": "pessimistic"},
    {"prune": "pessimistic", "dialect": "j48"},
    {"prune": "reduced_error"},
    {"prune": "cost_complexity", "ccp_alpha": "cv"},
    {"honest": True, "estimate": "frequency"},
    {"nominal_splits": "subset"},
    {"nominal_splits": "binary", "threshold": "midpoint", "missing": "learned"},
    {"missing": "learned", "class_weight": "balanced"},
    {"max_depth": 1, "empty_leaf": "majority"},
    {"tie_break": "random", "min_leaf": 1.5},
    {"criterion": "bayes", "estimate": PathAverage()},
    {"criterion": "mml", "prune": "map", "threshold": "midpoint"},
    {"prune": "continuity"},
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)
        yield


def back(model: Any, folder: Path, **options: Any) -> Any:
    calibrant.save(model, folder / "tree.calibrant", **options)
    return calibrant.load_model(folder / "tree.calibrant")


def tree(y: Any = None, weighted: bool = False, **params: Any) -> ProbabilityTreeClassifier:
    X, y = table(), two_classes() if y is None else y
    weight = np.random.default_rng(3).random(len(X)) if weighted else None
    return ProbabilityTreeClassifier(**{"random_state": 0, **params}).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("params", [*({"estimate": each} for each in ESTIMATES), *GROWN], ids=str)
@pytest.mark.sample(5)
def test_a_tree_predicts_the_same_to_the_bit(params: dict[str, Any], weighted: bool, tmp_path: Path) -> None:
    model = tree(weighted=weighted, **params)
    for rows in (False, True):
        loaded = back(model, tmp_path, training_rows=rows, compress=rows)
        assert loaded.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()
        assert loaded.export_text() == model.export_text()
        assert loaded.estimate_ == model.estimate_
        for one, other in zip(loaded.tree_.core.state, model.tree_.core.state, strict=True):
            is_cut_code = one.dtype == np.uint32 and not rows  # of the training rows
            assert is_cut_code or one.tobytes() == other.tobytes()


def test_three_classes_in_another_order_than_sorted_come_back(tmp_path: Path) -> None:
    y = np.array(["c", "a", "b"])[np.unique(three_classes(), return_inverse=True)[1]]
    model = tree(y, prune="pessimistic")
    loaded = back(model, tmp_path)
    assert loaded.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()
    assert loaded.tree_.classes.tolist() == ["a", "b", "c"]


def test_what_needs_only_counts_still_works(tmp_path: Path) -> None:
    model = tree(honest=True)
    loaded = back(model, tmp_path)
    X = table()
    for estimate in ("laplace", "m", "m_branch", "curtailment", "path_average"):
        one, other = loaded.with_estimate(estimate), model.with_estimate(estimate)
        assert one.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()
    assert loaded.predict_interval(X).tobytes() == model.predict_interval(X).tobytes()
    assert np.array_equal(loaded.apply(X), model.apply(X))
    assert np.array_equal(loaded.feature_importances_, model.feature_importances_)
    assert loaded.tree_.to_frame().equals(model.tree_.to_frame())
    assert loaded._short_conditions() == model._short_conditions()
    path, other_path = loaded.cost_complexity_path(), model.cost_complexity_path()
    assert np.array_equal(path.alphas, other_path.alphas)
    pruned = path.at(float(path.alphas[1]))
    assert np.array_equal(pruned.predict_proba(X), other_path.at(float(path.alphas[1])).predict_proba(X))
    assert (loaded.n_nodes_, loaded.n_leaves_, loaded.depth_) == (model.n_nodes_, model.n_leaves_, model.depth_)


def test_a_loaded_tree_can_be_pickled_cloned_and_fitted_again(tmp_path: Path) -> None:
    model = tree()
    loaded = back(model, tmp_path)
    again = pickle.loads(pickle.dumps(loaded))  # noqa: S301
    assert np.array_equal(again.predict_proba(table()), model.predict_proba(table()))
    assert clone(loaded).get_params() == model.get_params()
    assert np.array_equal(loaded.fit(table(), two_classes()).predict_proba(table()), model.predict_proba(table()))


@pytest.mark.parametrize("estimate", ["kernel_density", MEstimate(m="cv")])
def test_what_needs_the_training_rows_says_so(estimate: Any, tmp_path: Path) -> None:
    model = tree()
    with pytest.raises(NotSavedError, match=r"without its training rows, which with_estimate\(.*training_rows=True"):
        back(model, tmp_path).with_estimate(estimate)
    with pytest.raises(NotSavedError, match=r"which predict_proba_many\("):
        back(model, tmp_path).predict_proba_many(table(), ["laplace", estimate])
    loaded = back(model, tmp_path, training_rows=True)
    expected = model.with_estimate(estimate).predict_proba(table())
    assert loaded.with_estimate(estimate).predict_proba(table()).tobytes() == expected.tobytes()
    assert describe_model(tmp_path / "tree.calibrant").notes == ("holds 160 training rows",)


def test_a_model_loaded_without_rows_cannot_be_saved_with_them(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="loaded without its training rows"):
        back(back(tree(), tmp_path), tmp_path, training_rows=True)


def test_kernel_densities_keep_their_rows_and_say_so(tmp_path: Path) -> None:
    calibrant.save(tree(estimate="kernel_density"), tmp_path / "kernels")
    (note,) = describe_model(tmp_path / "kernels").notes
    assert note == "holds 160 training rows, from which it predicts (kernel_density)"


def test_a_table_that_does_not_follow_from_the_parameters_is_saved(tmp_path: Path) -> None:
    model = tree(nominal_splits="multiway", min_leaf=1).set_params(empty_leaf="parent", dialect="j48")
    assert np.array_equal(back(model, tmp_path).predict_proba(table()), model.predict_proba(table()))


def test_an_estimate_of_the_users_own_is_refused_by_name(tmp_path: Path) -> None:
    class Halves:
        def table(self, tree: Any) -> Any:
            return np.full_like(tree.counts, 0.5)

    with pytest.raises(ModelFileError, match="Halves"):
        calibrant.save(tree(estimate=Halves()), tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_trees_are_unpacked_at_their_first_use(tmp_path: Path) -> None:
    from calibrant.ensembles import BaggedTreesClassifier

    calibrant.save(BaggedTreesClassifier(n_trees=4, random_state=0).fit(table(), two_classes()), tmp_path / "forest")
    loaded = calibrant.load_model(tmp_path / "forest")
    assert [tree.n_nodes > 0 and "core" not in vars(tree) for tree in loaded.trees_] == [True] * 4
    loaded.predict_proba(table())
    assert all("core" in vars(tree) for tree in loaded.trees_)


def test_the_priors_of_tests_come_back_to_the_bit(tmp_path: Path) -> None:
    model = tree(criterion="mml", estimate=PathAverage(prior="wallace_choices"))
    again = back(model, tmp_path)
    assert model.tree_.log_prior.any()
    assert again.tree_.log_prior.tobytes() == model.tree_.log_prior.tobytes()
    read = again.with_estimate(PathAverage()).predict_proba(table())
    np.testing.assert_array_equal(read, model.with_estimate(PathAverage()).predict_proba(table()))
    pickled = pickle.loads(pickle.dumps(again))  # noqa: S301
    assert pickled.tree_.log_prior.tobytes() == model.tree_.log_prior.tobytes()
