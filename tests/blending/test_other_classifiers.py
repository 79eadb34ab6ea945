"""Classifiers of other libraries as members, and what is said where `members` is wrong."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tests.blending.members import MEMBERS

from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import ParameterError


def numbers(n_rows=90):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"))
    return X, np.where(X["a"] + rng.normal(size=n_rows) > 0, "yes", "no")


OTHERS = {
    "histograms": HistGradientBoostingClassifier(max_iter=10),
    "margins": SVC(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "without weights": KNeighborsClassifier(),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.sample(5)
def test_other_classifiers_are_members(kind, n_classes):
    X, y = numbers()
    y = np.where(X["b"] > 1, "so", y) if n_classes == 3 else y
    model = ProbabilityClassifier(members=["bayes", ("other", OTHERS[kind])], random_state=0).fit(X, y)
    assert {member.name for member in model.members_} == {"bayes", "other"}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)
    assert model.with_members("other").predict_proba(X).shape == (90, n_classes)


def test_lightgbm_is_a_member():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = numbers()
    other = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1)
    assert ProbabilityClassifier(members=[("light", other)], random_state=0).fit(X, y).members_[0].weight > 0


@pytest.mark.parametrize(
    "frame", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy, lambda X: X.to_numpy().tolist()]
)
def test_other_classifiers_get_rows_as_they_are_passed(frame):
    X, y = numbers()
    member = ("other", LogisticRegression())
    expected = ProbabilityClassifier(members=[member], random_state=0).fit(X, y).predict_proba(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ProbabilityClassifier(members=[member], random_state=0).fit(frame(X), y)
    np.testing.assert_allclose(model.predict_proba(frame(X)), expected, rtol=1e-9)


def test_weights_of_zero_and_groups_reach_other_classifiers():
    X, y = numbers()
    weight = np.arange(90) % 3
    model = ProbabilityClassifier(members=[("other", GaussianNB())], random_state=0)
    expected = model.fit(X[weight > 0], y[weight > 0], weight[weight > 0]).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y, weight).predict_proba(X), expected)
    assert model.fit(X, y, groups=np.arange(90) // 3).expected_log_loss_.value > 0


def test_the_classifier_that_is_passed_is_not_fitted():
    other = GaussianNB()
    ProbabilityClassifier(members=[("other", other)]).fit(*numbers())
    assert not hasattr(other, "classes_")


def test_an_error_names_the_member():
    X, y = numbers()
    with pytest.raises(ValueError, match="could not convert string to float") as caught:
        ProbabilityClassifier(members=[("other", GaussianNB())]).fit(X.assign(word="u"), y)
    assert caught.value.__notes__ == ["Raised by the member 'other', which gets the rows as they were passed."]


def test_filters_of_warnings_are_as_they_were_after_a_fit_in_threads():
    before = warnings.filters[:]
    ProbabilityClassifier(members=[("other", GaussianNB()), "logistic", "forest"], n_jobs=2).fit(*numbers())
    assert warnings.filters == before


WRONG = {
    "a list of pairs: [('other', SVC())]": [SVC, SVC()],
    "a list of pairs: [('svc', SVC())]": [("svc", SVC())],
    "Pass an instance: write SVC().": [[("svc", SVC)]],
    "SVC() is no pair of a name and a classifier": [[SVC()]],
    "'forrest' is no name of a member. Did you mean 'forest'?": [["bayes", "forrest"]],
    "'bayes' is there twice": [["bayes", "bayes"]],
    "'a' is there twice": [[("a", SVC()), ("a", SVC())]],
    "'bayes' is the name of a member of this package: choose another": [[("bayes", SVC())]],
    "LinearRegression() is no classifier with predict_proba or decision_function": [[("a", LinearRegression())]],
    "KMeans() is no classifier": [[("a", KMeans())]],
    "members must be 'auto' or a list of different names among 'bayes'": [
        [],
        "forest",
        None,
        5,
        [5],
        [()],
        {"a": SVC()},
    ],
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_members_are_answered_with_what_to_write(words):
    for members in WRONG[words]:
        with pytest.raises(ParameterError) as caught:
            ProbabilityClassifier(members=members).fit(*numbers())
        assert words in str(caught.value)
        assert all(repr(name) in str(caught.value) for name in MEMBERS)
