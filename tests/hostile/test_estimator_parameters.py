"""Every parameter of every estimator accepts a junk value or raises an error of calibrant in ``fit``."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from tests.hostile.calls import X, Y, estimators, fit
from tests.hostile.junk import JUNK, outcome

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.decisions import ThresholdClassifier
from calibrant.exceptions import CalibrantError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier


def cases() -> list[Any]:
    return [
        pytest.param(kind, name, id=f"{kind.__name__}-{name}")
        for kind in estimators()
        for name in inspect.signature(kind).parameters
    ]


@pytest.mark.parametrize(("kind", "name"), cases())
@pytest.mark.sample(16)
def test_a_junk_parameter_is_accepted_or_raises_our_error(kind: type[Any], name: str) -> None:
    found = {junk: outcome(lambda value=value: fit(kind, {name: value})) for junk, value in JUNK.items()}
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
