"""Calibrators and calibrated classifiers in model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from tests.files.models import margins, numbers, quiet, table, three_classes, two_classes

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import (
    CALIBRATORS,
    Auto,
    Beta,
    CalibratedClassifier,
    Calibrator,
    Chain,
    Dirichlet,
    Isotonic,
    LeafVenn,
    Pairwise,
    Platt,
    PriorShift,
    Temperature,
    VennAbers,
)
from calibrant.exceptions import ModelFileError, NotSavedError
from calibrant.trees import ProbabilityTreeClassifier


def back(model: Any, folder: Path, **options: Any) -> Any:
    calibrant.save(model, folder / "m.calibrant", **options)
    return calibrant.load_model(folder / "m.calibrant")


def logits() -> np.ndarray:
    return np.column_stack([-margins(), 0.3 * np.sin(7 * margins()), margins()])


SCORES = {
    "probabilities": lambda: (expit(margins()), two_classes()),
    "margins": lambda: (3 * margins() - 1, two_classes()),
    "two columns": lambda: (np.column_stack([expit(-margins()), expit(margins())]), two_classes()),
    "three classes": lambda: (softmax(logits(), axis=1), three_classes()),
    "three margins": lambda: (logits(), three_classes()),
    "certain": lambda: (np.clip(expit(4 * margins()).round(1), 0, 1), margins() > 0.2),
}
MADE = (
    Chain(Platt(), Isotonic()),
    Chain(Temperature(), Dirichlet()),
    Pairwise(Chain(Beta(), Auto())),
    Isotonic(mode="step", smooth_ends=True),
    Isotonic(mode="centred"),
    PriorShift(train_prior=None, new_prior=[0.4, 0.6]),
)


@pytest.mark.sample(5)
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("calibrator", [*(make() for make in CALIBRATORS.values()), *MADE], ids=repr)
def test_a_calibrator_maps_the_same(calibrator: Calibrator, scores: str, tmp_path: Path) -> None:
    values, y = SCORES[scores]()
    if isinstance(calibrator, PriorShift) and calibrator.new_prior and values.ndim == 2 and values.shape[1] == 3:
        pytest.skip("two base rates")
    with quiet():
        calibrator = clone(calibrator).fit(values, y)
    loaded = back(calibrator, tmp_path)
    assert loaded.predict(values).tobytes() == calibrator.predict(values).tobytes()
    assert loaded.get_params(deep=False).keys() == calibrator.get_params(deep=False).keys()
    assert loaded.to_dict() == calibrator.to_dict()


def test_venn_abers_of_folds_maps_the_same(tmp_path: Path) -> None:
    scores = expit(margins())
    venn = VennAbers().fit(scores, two_classes(), folds=np.arange(len(scores)) % 3)
    loaded = back(venn, tmp_path)
    assert loaded.predict(scores).tobytes() == venn.predict(scores).tobytes()
    assert np.array_equal(loaded.predict_folds([scores] * 3), venn.predict_folds([scores] * 3))


def test_the_choice_of_auto_is_kept(tmp_path: Path) -> None:
    auto = Auto(price=0.5).fit(expit(3 * margins()), two_classes())
    loaded = back(auto, tmp_path)
    assert repr(loaded.choice_) == repr(auto.choice_)
    assert loaded.is_monotone == auto.is_monotone


WRAPPERS = {
    "folds": {},
    "ensemble": {"ensemble": True, "calibrator": "isotonic", "cv": 3},
    "cross Venn-Abers": {"ensemble": True, "calibrator": VennAbers(), "cv": 3},
    "train": {"cv": "train", "calibrator": "platt"},
    "one split": {"cv": StratifiedShuffleSplit(1, random_state=0), "refit": False},
    "splitter": {"cv": StratifiedKFold(3), "calibrator": Chain(Platt(), Isotonic())},
    "pairs": {"cv": [(np.arange(100), np.arange(100, 160))], "refit": False},
    "random state": {"random_state": np.random.default_rng(3), "n_jobs": 1},
}


@pytest.mark.parametrize("options", WRAPPERS)
def test_a_calibrated_classifier_predicts_the_same(options: str, tmp_path: Path) -> None:
    with quiet():
        model = CalibratedClassifier(NaiveBayesClassifier(), **WRAPPERS[options]).fit(table(), two_classes())
    loaded = back(model, tmp_path)
    assert loaded.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()
    assert loaded.predict(table()).tolist() == model.predict(table()).tolist()
    assert [type(each) for each in loaded.estimators_] == [type(each) for each in model.estimators_]
    assert clone(loaded).get_params().keys() == clone(model).get_params().keys()
    assert len(loaded.estimators_) == len(model.estimators_)


def test_a_fitted_estimator_is_shared_with_the_parameter(tmp_path: Path) -> None:
    with quiet():
        base = NaiveBayesClassifier().fit(table(), three_classes())
        model = CalibratedClassifier(base, cv="prefit").fit(table(), three_classes())
    loaded = back(model, tmp_path)
    assert loaded.estimator is loaded.estimator_ is loaded.estimators_[0]
    assert loaded.calibrator_ is loaded.calibrators_[0]
    assert loaded.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()


def test_held_out_scores_are_saved_with_the_training_rows_only(tmp_path: Path) -> None:
    model = CalibratedClassifier(GaussianNB(), "platt").fit(numbers(), two_classes())
    whole = back(model, tmp_path, training_rows=True)
    assert np.array_equal(whole.held_out_.scores, model.held_out_.scores)
    assert whole.held_out_.y.tolist() == model.held_out_.y.tolist()
    loaded = back(whole, tmp_path)
    assert not hasattr(loaded, "held_out_")
    with pytest.raises(NotSavedError, match=r"without held_out_. Save it with training_rows=True"):
        _ = loaded.held_out_
    assert hasattr(loaded.fit(numbers(), two_classes()), "held_out_")


def test_an_attribute_that_was_never_set_is_missing_as_before() -> None:
    with pytest.raises(AttributeError, match="'CalibratedClassifier' object has no attribute 'held_out_'"):
        _ = CalibratedClassifier(GaussianNB()).held_out_


def test_an_attribute_of_ones_own_is_named(tmp_path: Path) -> None:
    model = Platt().fit([0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1])
    model.my_note = "mine"
    with pytest.raises(calibrant.exceptions.ModelFileError, match="has the attribute 'my_note'"):
        calibrant.save(model, tmp_path / "m.calibrant")
    assert not (tmp_path / "m.calibrant").exists()


@pytest.mark.parametrize("lost", ["classes_", "counts_"])
def test_a_leaf_venn_predictor_needs_its_classes_and_counts(tmp_path, lost):
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    venn = LeafVenn(ProbabilityTreeClassifier().fit(X, y)).fit(X, y)
    delattr(venn, lost)
    with pytest.raises(ModelFileError, match="classes without counts, or counts without classes"):
        calibrant.save(venn, tmp_path / "venn.calibrant")
