"""Every parameter of every estimator accepts a junk value or raises an error of calibrant in ``fit``."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from tests.hostile.junk import JUNK, outcome

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier, Calibrator, Isotonic, Pairwise
from calibrant.decisions import ThresholdClassifier
from calibrant.exceptions import CalibrantError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

X = np.array([[i % 7, (i * 5) % 11] for i in range(24)], dtype=float)
Y = np.array([int(i % 7 > 2) ^ (i % 5 == 0) for i in range(24)])
SMALL = {"n_trees": 3, "n_bags": 2, "n_models": 2, "cv": 2}
REQUIRED = {
    "estimator": NaiveBayesClassifier(),
    "tree": ProbabilityTreeClassifier(),
    "first": Isotonic(),
    "then": Isotonic(),
}


def estimators() -> list[type[Any]]:
    packages = [getattr(calibrant, name) for name in calibrant._PACKAGES]
    found = [getattr(package, name) for package in packages for name in package.__all__]
    kinds = [kind for kind in found if isinstance(kind, type) and issubclass(kind, BaseEstimator)]
    return sorted({kind for kind in kinds if not inspect.isabstract(kind)}, key=lambda kind: kind.__name__)


def cases() -> list[Any]:
    return [
        pytest.param(kind, name, id=f"{kind.__name__}-{name}")
        for kind in estimators()
        for name in inspect.signature(kind).parameters
    ]


def fitted(kind: type[Any], name: str, value: Any) -> Any:
    parameters = inspect.signature(kind).parameters
    params = {key: item for key, item in {**SMALL, **REQUIRED}.items() if key in parameters}
    model = kind(**{**params, name: value})
    if issubclass(kind, Calibrator):
        scores = X[:, 1] / 20 + 0.1
        if isinstance(model, Pairwise):
            return model.fit(np.stack([scores, (1 - scores) / 2, (1 - scores) / 2], axis=1), np.arange(24) % 3).classes_
        return model.fit(scores, Y).predict(scores)
    model.fit(X, Y)
    return model.predict_proba(X) if hasattr(model, "predict_proba") else None


@pytest.mark.parametrize(("kind", "name"), cases())
def test_a_junk_parameter_is_accepted_or_raises_our_error(kind: type[Any], name: str) -> None:
    found = {junk: outcome(lambda value=value: fitted(kind, name, value)) for junk, value in JUNK.items()}
    assert {junk: wrong for junk, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("nominal", 5, "nominal must be 'auto', 'all', None, names, positions or a mask of columns; got 5."),
        (
            "max_depth",
            10**30,
            "max_depth must be an int >= 1 or None; got 1000000000000000000000000000000. The",
        ),
        ("n_jobs", 0, "n_jobs must be an int >= 1, an int <= -1 or None; got 0."),
        ("n_jobs", 10**30, "n_jobs must be an int >= 1, an int <= -1 or None; got 10"),
        ("n_jobs", 10**6, ""),
    ],
)
def test_what_a_tree_says_to_a_junk_parameter(name: str, value: Any, words: str) -> None:
    with pytest.raises(ParameterError) if words else nullcontext() as raised:
        ProbabilityTreeClassifier(**{name: value}).fit(X, Y)
    assert not words or str(raised.value).startswith(words)


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (
            (1, 2),
            r"cv must be an int >= 2, .* or an iterable of \(train, test\) pairs; got \(1, 2\)\. A pair",
        ),
        (b"ab", "cv must be an int >= 2"),
        ([([0.5], [1.5])], "cv must be an int >= 2"),
        ([([0, 1, 2, 3], [1000])], "cv must have the positions of 24 rows, or masks of them"),
        ([(np.ones(3, dtype=bool), [0])], "cv must have the positions of 24 rows, or masks of them"),
    ],
)
def test_what_a_wrapper_says_to_junk_splits(cv: Any, words: str) -> None:
    for model in (
        CalibratedClassifier(NaiveBayesClassifier(), cv=cv),
        ThresholdClassifier(NaiveBayesClassifier(), cv=cv),
    ):
        with pytest.raises(CalibrantError, match=words):
            model.fit(X, Y)


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_pairs_of_masks_and_lists_are_splits() -> None:
    train = np.arange(24) % 2 == 0
    model = CalibratedClassifier(
        NaiveBayesClassifier(), "platt", cv=[(train, ~train), (list(range(12)), range(12, 24))]
    )
    assert model.fit(X, Y).predict_proba(X).shape == (24, 2)
