"""The constructors of the ensembles repeat the parameters of a tree: their names, types, defaults and documentation."""

from __future__ import annotations

import inspect

import pytest

from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    MOBESPClassifier,
)
from calibrant.trees import ProbabilityTreeClassifier

# C4.4's: those of a single tree and of Nielsen's three, where bagged trees have what measured best.
C44 = {
    "criterion": "gain_ratio",
    "estimate": "laplace",
    "nominal_splits": "multiway",
    "threshold": "observed",
    "mdl_penalty": True,
    "missing": "fractional",
}
MEASURED = {
    "criterion": "entropy",
    "estimate": "hierarchical_shrinkage",
    "nominal_splits": "binary",
    "threshold": "midpoint",
    "mdl_penalty": False,
    "missing": "learned",
}
NIELSEN = {"n_trees": 128, "bootstrap": "by_class", **C44}
UNSMOOTHED = {"max_features": "ceil_sqrt", "estimate": "frequency", "empty_leaf": "parent"}
OTHER_DEFAULTS = {
    BaggedTreesClassifier: {"tie_break": "random", "n_jobs": None, **MEASURED},
    BoostedTreesClassifier: {"n_jobs": None},
    BPETsClassifier: NIELSEN,
    EBPETsClassifier: {**NIELSEN, **UNSMOOTHED, "out_of_bag": "count"},
    MOBESPClassifier: {**NIELSEN, **UNSMOOTHED, "out_of_bag": "condition"},
}
OF_NO_BOOSTING = {"class_weight", "weight_kind"}
NIELSENS = [BPETsClassifier, EBPETsClassifier, MOBESPClassifier]


def parameters(estimator: type) -> dict[str, inspect.Parameter]:
    return dict(list(inspect.signature(estimator.__init__).parameters.items())[1:])


def assert_same(found: dict[str, inspect.Parameter], expected: dict[str, inspect.Parameter], other: dict) -> None:
    for name, parameter in expected.items():
        assert found[name] == parameter.replace(default=other.get(name, parameter.default)), name


@pytest.mark.parametrize("ensemble", [BaggedTreesClassifier, BoostedTreesClassifier])
def test_an_ensemble_has_the_parameters_of_its_trees(ensemble):
    left_out = OF_NO_BOOSTING if ensemble is BoostedTreesClassifier else set()
    expected = {name: each for name, each in parameters(ProbabilityTreeClassifier).items() if name not in left_out}
    expected["ccp_alpha"] = expected["ccp_alpha"].replace(annotation="float")  # cross-validation is for one tree
    assert_same(parameters(ensemble), expected, OTHER_DEFAULTS[ensemble])


@pytest.mark.parametrize("ensemble", NIELSENS)
def test_nielsens_classifiers_have_the_parameters_of_bagged_trees(ensemble):
    assert list(parameters(ensemble)) == list(parameters(BaggedTreesClassifier))
    assert_same(parameters(ensemble), parameters(BaggedTreesClassifier), OTHER_DEFAULTS[ensemble])


def test_the_trees_of_the_papers_have_their_defaults():
    for kind in (ProbabilityTreeClassifier, BPETsClassifier):
        assert {name: parameters(kind)[name].default for name in C44} == C44
    for kind in (EBPETsClassifier, MOBESPClassifier):
        assert {name: parameters(kind)[name].default for name in C44} == {**C44, "estimate": "frequency"}
    assert {name: parameters(BaggedTreesClassifier)[name].default for name in C44} == MEASURED


@pytest.mark.parametrize("ensemble", NIELSENS)
def test_nielsens_classifiers_store_every_parameter(ensemble):
    values = {name: object() for name in parameters(ensemble)}
    assert ensemble(**values).get_params(deep=False) == values


@pytest.mark.parametrize("estimator", [ProbabilityTreeClassifier, BaggedTreesClassifier, BoostedTreesClassifier])
def test_every_parameter_is_documented_once(estimator):
    section = inspect.getdoc(estimator).split("Attributes\n")[0]  # which has the indentation of no version
    for name in parameters(estimator):
        assert section.count(f"\n{name} : ") == 1, name
