"""Every estimator suggests the parameter that was meant, and its pickle holds the version that wrote it."""

from __future__ import annotations

import inspect
import pickle
import warnings
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier, Calibrator, Isotonic
from calibrant.ensembles import BPETsClassifier
from calibrant.exceptions import UnknownParameterError, VersionWarning
from calibrant.trees import ProbabilityTreeClassifier

X, Y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]


def estimators() -> list[type[Any]]:
    """Return the public estimators that can be constructed."""
    packages = [getattr(calibrant, name) for name in calibrant._PACKAGES]
    found = {
        item for package in packages for name in package.__all__ if isinstance(item := getattr(package, name), type)
    }
    kinds = [kind for kind in found if issubclass(kind, BaseEstimator) and not inspect.isabstract(kind)]
    return sorted(kinds, key=lambda kind: kind.__name__)


def required(kind: type[Any]) -> dict[str, Any]:
    parameters = inspect.signature(kind).parameters.values()
    return {parameter.name: Isotonic() for parameter in parameters if parameter.default is parameter.empty}


@pytest.mark.parametrize("kind", estimators())
def test_the_pickle_of_an_estimator_holds_the_version_that_wrote_it(kind: type[Any]) -> None:
    estimator = kind(**required(kind))
    assert estimator.__getstate__()["_calibrant_version"] == calibrant.__version__
    assert "_calibrant_version" not in vars(pickle.loads(pickle.dumps(estimator)))  # noqa: S301


@pytest.mark.parametrize("kind", estimators())
def test_a_pickle_of_another_version_warns_and_loads(kind: type[Any]) -> None:
    estimator = kind(**required(kind))
    other = kind.__new__(kind)
    with pytest.warns(VersionWarning, match=rf"{kind.__name__}.*0\.0\.9.*{calibrant.__version__}"):
        other.__setstate__({**estimator.__getstate__(), "_calibrant_version": "0.0.9"})
    assert list(other.get_params(deep=False)) == list(estimator.get_params(deep=False))


def test_a_state_without_a_version_is_taken_as_it_is() -> None:
    fitted = ProbabilityTreeClassifier().fit(X, Y)
    state = {name: value for name, value in fitted.__getstate__().items() if name != "_calibrant_version"}
    other = ProbabilityTreeClassifier.__new__(ProbabilityTreeClassifier)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.__setstate__(state)
    assert other.predict(X).tolist() == Y


def test_a_fitted_model_predicts_the_same_after_a_pickle_of_its_own_version() -> None:
    model = CalibratedClassifier(NaiveBayesClassifier(), "platt", cv=2).fit(X * 20, Y * 20)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert vars(clone(model)).keys() == vars(CalibratedClassifier(NaiveBayesClassifier())).keys()


@pytest.mark.parametrize(
    ("wrong", "meant"), [("n_estimators", "n_trees"), ("min_samples_leaf", "min_leaf"), ("n_tree", "n_trees")]
)
def test_an_unknown_parameter_suggests_the_one_that_was_meant(wrong: str, meant: str) -> None:
    expected = rf"BPETsClassifier: there is no parameter '{wrong}'\. Did you mean '{meant}'\?"
    with pytest.raises(UnknownParameterError, match=expected):
        BPETsClassifier().set_params(**{wrong: 10})
    with pytest.raises(UnknownParameterError, match=expected):
        BPETsClassifier(**{wrong: 10})


def test_an_unknown_parameter_is_the_error_that_python_and_scikit_learn_raise() -> None:
    assert issubclass(UnknownParameterError, TypeError)
    assert issubclass(UnknownParameterError, ValueError)


def test_set_params_reaches_the_parameters_of_nested_estimators() -> None:
    model = CalibratedClassifier(BPETsClassifier())
    assert model.set_params(estimator__n_trees=7, cv=3).estimator.n_trees == 7
    with pytest.raises(UnknownParameterError, match=r"BPETsClassifier.*'n_trees'"):
        model.set_params(estimator__n_estimators=7)


@pytest.mark.parametrize("kind", estimators())
def test_the_signature_of_an_estimator_is_that_of_its_constructor(kind: type[Any]) -> None:
    assert "kwargs" not in inspect.signature(kind).parameters
    error = UnknownParameterError if inspect.signature(kind).parameters else TypeError
    with pytest.raises(error, match=r"no_such_parameter|takes no arguments"):
        kind(**required(kind), no_such_parameter=1)


def test_a_subclass_of_a_user_may_take_further_parameters() -> None:
    class Mine(Isotonic):
        def __init__(self, *, name: str = "mine", **others: Any) -> None:
            super().__init__(**others)
            self.name = name

    assert Mine(name="x", smooth_ends=True).smooth_ends
    with pytest.raises(UnknownParameterError, match=r"'smooth_end'.*'smooth_ends'"):
        Mine(smooth_end=True)


def test_the_walk_finds_every_kind_of_estimator() -> None:
    assert len(estimators()) > 25
    assert sum(issubclass(kind, Calibrator) for kind in estimators()) > 14
