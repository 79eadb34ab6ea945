"""Positional arguments and classes passed for instances are answered with what to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from calibrant.calibration import Binning, CalibratedClassifier, Chain, Isotonic, Pairwise, Platt
from calibrant.decisions import (
    CostMatrix,
    CostSensitiveClassifier,
    ExampleCosts,
    HeckmanRegressor,
    MetaCostClassifier,
    ThresholdClassifier,
)
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    MOBESPClassifier,
    mob_esp,
)
from calibrant.estimates import Curtailment, Laplace
from calibrant.exceptions import CalibrantError, UnknownParameterError
from calibrant.neighbors import NeighborsClassifier
from calibrant.plots import ReliabilityDisplay
from calibrant.resampling import CrossValidation, Holdout, Nested, estimate_performance, learning_curve
from calibrant.trees import ProbabilityTreeClassifier

X = np.arange(40.0)[:, np.newaxis]
Y = np.repeat([0, 1], 20)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MOBESPClassifier(100), "takes keyword arguments only: write MOBESPClassifier(n_trees=100)."),
        (
            lambda: BaggedTreesClassifier(50, "by_class", random_state=0),
            "only: write BaggedTreesClassifier(n_trees=50, bootstrap='by_class', random_state=0).",
        ),
        (lambda: ProbabilityTreeClassifier("gini"), "write ProbabilityTreeClassifier(criterion='gini')."),
        (lambda: NeighborsClassifier(5), "write NeighborsClassifier(n_neighbors=5)."),
        (lambda: Platt("scores"), "takes keyword arguments only: write Platt(on='scores')."),
        (lambda: Binning(5, "width"), "takes 1 positional argument: write Binning(n_bins=5, strategy='width')."),
        (
            lambda: CalibratedClassifier(GaussianNB(), "platt", 3),
            "2 positional arguments: write CalibratedClassifier(estimator=GaussianNB(), calibrator='platt', cv=3).",
        ),
        (
            lambda: MOBESPClassifier(9, n_trees=9),
            "takes keyword arguments only, such as MOBESPClassifier(n_trees=128).",
        ),
        (lambda: MOBESPClassifier(X, Y), "such as MOBESPClassifier(n_trees=128); rows and classes go to fit."),
    ],
)
def test_positional_arguments_are_answered_with_keyword_arguments(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(UnknownParameterError, match=re.escape(words)):
        call()


@pytest.mark.parametrize(
    ("kind", "wrong", "meant"),
    [
        (MOBESPClassifier, "n_estimators", "n_trees"),
        (BoostedTreesClassifier, "n_estimators", "n_trees"),
        (BoostedTreesClassifier, "min_samples_leaf", "min_leaf"),
        (MOBESPClassifier, "min_samples_split", "min_leaf"),
        (BaggedTreesClassifier, "categorical_features", "nominal"),
        (CalibratedClassifier, "base_estimator", "estimator"),
        (NeighborsClassifier, "k", "n_neighbors"),
    ],
)
def test_names_of_scikit_learn_suggest_ours(kind: type[Any], wrong: str, meant: str) -> None:
    with pytest.raises(UnknownParameterError, match=rf"{kind.__name__}.*'{wrong}'.*Did you mean '{meant}'\?"):
        kind(**{wrong: 10})


@pytest.mark.parametrize("kind", [MOBESPClassifier, Binning, CalibratedClassifier, ProbabilityTreeClassifier])
def test_signatures_have_no_variable_arguments(kind: type[Any]) -> None:
    kinds = {parameter.kind for parameter in inspect.signature(kind).parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    model = MOBESPClassifier(n_trees=7)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("call", "written"),
    [
        (lambda: CalibratedClassifier(MOBESPClassifier).fit(X, Y), "MOBESPClassifier()"),
        (lambda: CalibratedClassifier(CalibratedClassifier).fit(X, Y), "CalibratedClassifier(...)"),
        (lambda: CalibratedClassifier(GaussianNB(), Platt).fit(X, Y), "Platt()"),
        (lambda: CalibratedClassifier(GaussianNB(), cv=StratifiedKFold).fit(X, Y), "StratifiedKFold()"),
        (lambda: CalibratedClassifier(GaussianNB(), cv=CrossValidation).fit(X, Y), "CrossValidation()"),
        (lambda: ThresholdClassifier(GaussianNB).fit(X, Y), "GaussianNB()"),
        (lambda: ThresholdClassifier(GaussianNB(), cv=StratifiedKFold).fit(X, Y), "StratifiedKFold()"),
        (lambda: ThresholdClassifier(GaussianNB(), CostMatrix).fit(X, Y), "CostMatrix(...)"),
        (lambda: CostSensitiveClassifier(GaussianNB).fit(X, Y), "GaussianNB()"),
        (lambda: MetaCostClassifier(GaussianNB).fit(X, Y), "GaussianNB()"),
        (lambda: HeckmanRegressor(LinearRegression).fit(X, Y), "LinearRegression()"),
        (lambda: ExampleCosts(cost=1.0, benefit=LinearRegression), "LinearRegression()"),
        (lambda: Chain(Platt, Isotonic()).fit(X[:, 0] / 40, Y), "Platt()"),
        (lambda: Pairwise(Isotonic).fit(X[:, 0] / 40, Y), "Isotonic()"),
        (lambda: BaggedTreesClassifier(estimate=Laplace).fit(X, Y), "Laplace()"),
        (lambda: BoostedTreesClassifier(estimate=Laplace).fit(X, Y), "Laplace()"),
        (lambda: ProbabilityTreeClassifier(estimate=Laplace).fit(X, Y), "Laplace()"),
        (lambda: ProbabilityTreeClassifier().fit(X, Y).with_estimate(Laplace), "Laplace()"),
        (lambda: BPETsClassifier(n_trees=2).fit(X, Y).reread(estimate=Laplace), "Laplace()"),
        (lambda: Curtailment(then=Laplace), "Laplace()"),
        (lambda: mob_esp(RandomForestClassifier, X, Y), "RandomForestClassifier()"),
        (lambda: estimate_performance(GaussianNB, X, Y), "GaussianNB()"),
        (lambda: estimate_performance({"a": GaussianNB}, X, Y), "GaussianNB()"),
        (lambda: estimate_performance(GaussianNB(), X, Y, CrossValidation), "CrossValidation()"),
        (lambda: estimate_performance(GaussianNB(), X, Y, StratifiedKFold), "StratifiedKFold()"),
        (lambda: learning_curve(GaussianNB(), X, Y, plan=Holdout), "Holdout()"),
        (lambda: estimate_performance(GaussianNB(), X, Y, Nested(Holdout)), "Holdout()"),
        (lambda: ReliabilityDisplay.from_estimator(GaussianNB, X, Y), "GaussianNB()"),
    ],
)
def test_a_class_is_answered_with_its_instance(call: Callable[[], Any], written: str) -> None:
    kind = written.partition("(")[0]
    with pytest.raises(CalibrantError, match=re.escape(f"got the class {kind}. Pass an instance: write {written}.")):
        call()


def test_a_class_where_no_instance_would_do_is_only_named() -> None:
    with pytest.raises(CalibrantError, match=r"n_trees must be an int >= 1; got the class int\.$"):
        BaggedTreesClassifier(n_trees=int).fit(X, Y)
