"""Values described as JSON documents and built from them again."""

from __future__ import annotations

import collections
import enum
import functools
import hashlib
import json
import math
import pathlib
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.utils import all_estimators

import calibrant.bayes
import calibrant.blending
import calibrant.calibration
import calibrant.decisions
import calibrant.ensembles
import calibrant.estimates
import calibrant.neighbors
import calibrant.resampling
import calibrant.trees
from calibrant.calibration import CalibratedClassifier, Chain, Isotonic, Platt
from calibrant.data import load
from calibrant.decisions import CostMatrix, CostSensitiveClassifier
from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier
from calibrant.estimates import Curtailment, KernelDensity, MEstimate
from calibrant.exceptions import StudyError
from calibrant.resampling import (
    AcrossGroups,
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    Nested,
    SmallerTraining,
)
from calibrant.studies._definition.build import build_value
from calibrant.studies._definition.describe import describe_value
from calibrant.studies._definition.documents import digest
from calibrant.trees import ProbabilityTreeClassifier

PACKAGES = [
    getattr(calibrant, name)
    for name in (
        "bayes",
        "blending",
        "calibration",
        "decisions",
        "ensembles",
        "estimates",
        "neighbors",
        "neural",
        "resampling",
        "svm",
        "trees",
    )
]


class Colour(enum.Enum):
    RED = 1


def squared(x: float, power: int = 2) -> float:
    return x**power


def round_trip(value: object) -> object:
    """Describe a value, store the document as text, and build the value again."""
    return build_value(json.loads(json.dumps(describe_value(value), allow_nan=False)))


def own_estimators() -> list[object]:
    """Return an instance of every public estimator, estimate, calibrator and plan of calibrant."""
    made = []
    for package in PACKAGES:
        for name in package.__all__:
            kind = getattr(package, name)
            if isinstance(kind, type) and (
                hasattr(kind, "get_params") or hasattr(kind, "get_n_splits") or package is calibrant.estimates
            ):
                made += instances(kind)
    return made


def instances(kind: type) -> list[object]:
    for arguments in ((), (ProbabilityTreeClassifier(),), (Platt(), Isotonic()), (CrossValidation(),)):
        try:
            return [kind(*arguments)]
        except Exception:  # noqa: S112 - an abstract class, or one of other arguments
            continue
    return []


OWN = own_estimators()


@pytest.mark.parametrize("value", OWN, ids=lambda value: type(value).__name__)
def test_every_estimator_of_calibrant_is_described_and_rebuilt(value: object) -> None:
    document = describe_value(value)
    assert "opaque" not in json.dumps(document)
    assert describe_value(build_value(document)) == document
    assert type(build_value(document)) is type(value)
    assert document["class"].startswith("calibrant.")
    assert "._" not in document["class"]


def test_all_of_calibrants_estimators_were_found() -> None:
    assert len(OWN) > 45


def test_every_classifier_of_scikit_learn_is_described_and_rebuilt() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, kind in all_estimators():
            try:
                value = kind()
            except TypeError:
                value = next((made for made in wrapped(kind)), None)
            if value is None or name == "FrozenEstimator":
                continue
            document = describe_value(value)
            assert document["class"].startswith("sklearn."), name
            assert describe_value(round_trip(value)) == document, name
            assert repr(round_trip(value)) == repr(value)


def wrapped(kind: type) -> list[object]:
    made = []
    for arguments in ((GaussianNB(),), ([("nb", GaussianNB())],), ([("s", StandardScaler(), ["a"])],)):
        try:
            made.append(kind(*arguments))
        except TypeError:
            continue
    return made


COMPOSED = [
    make_pipeline(StandardScaler(), LogisticRegression(C=0.5)),
    make_pipeline("passthrough", SimpleImputer(missing_values=np.nan), GaussianNB()),
    ColumnTransformer(
        [
            ("n", StandardScaler(), make_column_selector(dtype_include=np.number)),
            ("c", OneHotEncoder(handle_unknown="ignore"), ["a", "b"]),
            ("rest", "drop", slice(0, 2)),
        ]
    ),
    FeatureUnion([("one", StandardScaler()), ("two", FunctionTransformer(np.log1p, kw_args={"where": True}))]),
    VotingClassifier([("nb", GaussianNB()), ("tree", ProbabilityTreeClassifier(min_leaf=5))], voting="soft"),
    GridSearchCV(
        GaussianNB(), {"var_smoothing": np.logspace(-9, 0, 4)}, cv=StratifiedKFold(3, shuffle=True, random_state=1)
    ),
    GaussianProcessClassifier(1.5 * RBF(2.0) + WhiteKernel()),
    RandomForestClassifier(max_features=0.5, class_weight={"no": 1, "yes": 2.5}),
    CalibratedClassifier(
        BPETsClassifier(n_trees=10, random_state=0), Chain(Isotonic(mode="step"), Platt()), cv=KFold(3)
    ),
    CostSensitiveClassifier(GaussianNB(), CostMatrix([[0, 1], [5, 0]], labels=["no", "yes"])),
    ProbabilityTreeClassifier(estimate=Curtailment(v=10, then=MEstimate(m=2)), nominal=["a", "b"], max_depth=3),
    BaggedTreesClassifier(estimate=KernelDensity(), n_trees=5, random_state=np.int64(3)),
    GaussianNB(priors=np.array([0.25, 0.75])),
]


@pytest.mark.parametrize("value", COMPOSED, ids=lambda value: type(value).__name__)
def test_composed_estimators_are_rebuilt(value: BaseEstimator) -> None:
    rebuilt = round_trip(value)
    assert type(rebuilt) is type(value)
    assert describe_value(rebuilt) == describe_value(value)
    assert describe_value(clone(value)) == describe_value(value)


@pytest.mark.parametrize("value", [COMPOSED[0], COMPOSED[4], COMPOSED[8], COMPOSED[10].set_params(nominal="auto")])
def test_a_rebuilt_estimator_predicts_the_same(value: BaseEstimator) -> None:
    iris = load("nielsen.iris")
    X = iris.X.to_numpy()
    one, other = (each.fit(X, iris.y).predict_proba(X) for each in (clone(value), round_trip(value)))
    np.testing.assert_array_equal(one, other)


PLANS = [
    *(CrossValidation(5, 3, random_state=7), Holdout(0.2), LeaveOneOut(), Bootstrap632(20), AcrossGroups("others")),
    *(Nested(CrossValidation(3), Holdout()), SmallerTraining(CrossValidation(2), 0.5), StratifiedKFold(4)),
    *(RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=5), LeaveOneGroupOut(), TimeSeriesSplit(4, gap=2)),
    *(StratifiedShuffleSplit(3, test_size=0.3, random_state=0), PredefinedSplit([0, 0, 1, 1])),
    calibrant.resampling._plans.fixed_splits.PredefinedSplits([([0, 1], [2]), ([True, False], [False, True])]),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: type(plan).__name__)
def test_plans_and_splitters_are_rebuilt_and_split_alike(plan: object) -> None:
    rebuilt = round_trip(plan)
    assert type(rebuilt) is type(plan)
    assert describe_value(rebuilt) == describe_value(plan)
    assert repr(rebuilt) == repr(plan) or " at 0x" in repr(plan)


VALUES = [
    *(None, True, 3, 10**30, -0.0, 1.5, "é ☃", b"\x00\xff", 2 + 3j, [1, [2]], (1, (2, "a")), {"a": 1, "b": [2]}),
    *({1: "a", (2, 3): "b"}, {"class": "a word"}, {3, 1, 2}, frozenset({"b", "a"}), range(1, 9, 2), slice(1, None, 2)),
    *(math.inf, -math.inf, np.mean, np.log, len, GaussianNB, squared, Colour.RED, pathlib.Path("a/b")),
    *(collections.OrderedDict([("b", 1), ("a", 2)]), np.float32(0.1), np.datetime64("2020-01-02"), np.float64("nan")),
    *(np.array([[1, 2], [3, 4]]), np.array([0.5, np.nan]), np.array(["a", "bc"]), np.zeros((0, 3)), np.array(3)),
    *(np.arange(1000, dtype=">i4"), np.array([1, "a", None], dtype=object), np.array([True]), np.float16(0.5)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_rebuilt(value: object) -> None:
    rebuilt = round_trip(value)
    assert describe_value(rebuilt) == describe_value(value)
    if isinstance(value, np.ndarray):
        np.testing.assert_array_equal(rebuilt, value)
        assert rebuilt.dtype.kind == value.dtype.kind
    elif value == value:
        assert rebuilt == value
        assert type(rebuilt) is type(value) or isinstance(value, pathlib.Path)


def test_a_partial_is_rebuilt() -> None:
    rebuilt = round_trip(functools.partial(squared, power=3))
    assert rebuilt(2) == 8
    assert round_trip(functools.partial(squared, 3))() == 9


@pytest.mark.parametrize("number", [np.int64(3), np.uint8(3), np.bool_(True), np.float64(0.1), np.str_("a")])
def test_a_numpy_scalar_is_described_as_the_equal_python_value(number: np.generic) -> None:
    assert describe_value(number) == number
    assert type(describe_value(number)) is type(number.item())


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.sampled_from(["class", "tuple", "set"]), inner, max_size=3)
        | st.dictionaries(st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(plain)
@settings(max_examples=200, deadline=None)
def test_any_nested_value_is_rebuilt_equal(value: object) -> None:
    assert round_trip(value) == value


@given(st.sets(st.text(max_size=4) | st.integers(), max_size=6).flatmap(lambda s: st.permutations(sorted(s, key=str))))
@settings(max_examples=50, deadline=None)
def test_a_set_has_one_document_in_any_order(items: list[object]) -> None:
    assert describe_value(set(items)) == describe_value({*items[::-1]})


def test_fitting_does_not_change_the_document() -> None:
    model = ProbabilityTreeClassifier()
    before = describe_value(model)
    model.fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    assert describe_value(model) == before == {"class": "calibrant.trees.ProbabilityTreeClassifier"}


def test_scorers_and_distributions_are_rebuilt() -> None:
    scorer = make_scorer(log_loss, response_method="predict_proba", greater_is_better=False, labels=[0, 1])
    assert repr(round_trip(scorer)) == repr(scorer)
    uniform = round_trip(scipy.stats.uniform(2, scale=3))
    assert uniform.support() == (2, 5)
    search = RandomizedSearchCV(GaussianNB(), {"var_smoothing": scipy.stats.loguniform(1e-9, 1)}, scoring=scorer)
    assert "opaque" not in json.dumps(describe_value(search))
    assert describe_value(round_trip(search)) == describe_value(search)


def test_requests_of_metadata_routing_are_kept() -> None:
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
    assert describe_value(model)["requests"] == {"fit": {"sample_weight": True}}
    assert describe_value(round_trip(model)) == describe_value(model)


def test_the_output_of_a_transformer_is_kept() -> None:
    scaler = StandardScaler().set_output(transform="pandas")
    assert describe_value(round_trip(scaler))["output"] == {"transform": "pandas"}


def test_digests_are_those_of_the_document_on_every_machine() -> None:
    assert digest({"class": "a.B", "params": {"x": 0.1}}) == digest({"params": {"x": 0.1}, "class": "a.B"})
    assert digest([1, 2.5, "é"]) == hashlib.sha256(b'[1,2.5,"\\u00e9"]').hexdigest()


BAD = [
    (
        {"class": "sklearn.naive_bayes.GausianNB"},
        "class: sklearn.naive_bayes has no 'GausianNB'. Did you mean 'GaussianNB'",
    ),
    ({"class": "no_such_package.X"}, "there is no module 'no_such_package'"),
    ({"class": "GaussianNB"}, "'GaussianNB' is not a name of calibrant"),
    ({"class": "ProbabilityTreeClasifier"}, "Did you mean 'ProbabilityTreeClassifier'"),
    ({"class": "rm -rf"}, "'rm -rf' is not a name of calibrant"),
    ({"class": 3}, "must be an import path"),
    ({"class": "numpy.mean"}, "is not a class; name a function by 'factory'"),
    ({"class": "sklearn.naive_bayes.GaussianNB", "parms": {}}, "Did you mean 'params'"),
    ({"class": "sklearn.naive_bayes.GaussianNB", "params": [1]}, "params must map names to values"),
    ({"class": "sklearn.naive_bayes.GaussianNB", "params": {"x": 1}}, r"params.x: GaussianNB has no parameter 'x'"),
    ({"class": "ProbabilityTreeClassifier", "params": {"min_leafs": 1}}, "Did you mean 'min_leaf'"),
    (
        {"class": "sklearn.calibration.CalibratedClassifierCV", "params": {"estimator": {"class": "a.B"}}},
        "params.estimator.class",
    ),
    ({"class": "sklearn.ensemble.VotingClassifier"}, "cannot be made: TypeError"),
    ({"tuple": 3}, "must hold a list"),
    ({"array": "@@", "dtype": "<f8"}, "is not a valid 'array'"),
    ({"array": [1], "dtype": "nonsense"}, "is not a valid 'array'"),
    ({"bytes": "é"}, "is not a valid 'bytes'"),
    ({"set": [[1]]}, "is not a valid 'set'"),
    ({"enum": "enum.Enum", "name": "x"}, "is not a valid 'enum'"),
    ({"function": "numpy.pi"}, "is not a function"),
    ({"none": 1, "some": 2}, r"is written \{dict: \[\[key, value\], ...\]\}, as 'none' has a meaning"),
    ({"none": 1}, "None is written {none: true}; got 1"),
]


@pytest.mark.parametrize(("document", "message"), BAD, ids=lambda each: str(each)[:50])
def test_a_wrong_document_raises_a_study_error_that_names_the_part(document: object, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        build_value(document)
