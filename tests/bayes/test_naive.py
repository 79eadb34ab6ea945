"""Naive Bayes: against other programs and closed forms, and where numbers end."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import KBinsDiscretizer

from calibrant._core import power_sums
from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import load
from calibrant.exceptions import DataError, ManyClassesWarning, ParameterError

NUMERIC = ["mdl", "gaussian", "kernel", "equal_width"]
EXTREMES = [-np.inf, -1.7e308, -1e-320, 0.0, 5e-324, 1e300, 1.7e308, np.inf, np.nan]


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.fixture
def codes():
    rng = np.random.default_rng()
    return rng.integers(0, 4, (300, 5)), rng.integers(0, 3, 300), rng.integers(1, 4, 300)


def base_rates(y, weights=None):
    counts = np.bincount(y, weights) + 1
    return counts / counts.sum()


def test_nominal_columns_are_counted_as_scikit_learn_counts(codes):
    X, y, weights = codes
    peer = CategoricalNB(class_prior=base_rates(y, weights)).fit(X, y, weights)
    ours = NaiveBayesClassifier(nominal="all").fit(X, y, weights)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-12)


def test_equal_width_is_scikit_learns_binning_and_counting():
    rng = np.random.default_rng()
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    binned = KBinsDiscretizer(7, encode="ordinal", strategy="uniform").fit_transform(X)
    peer = CategoricalNB(class_prior=base_rates(y), min_categories=7).fit(binned, y)
    ours = NaiveBayesClassifier(numeric="equal_width", n_bins=7).fit(X, y)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(binned), rtol=1e-12)


def test_normal_distributions_of_fine_columns_are_scikit_learns():
    rng = np.random.default_rng()
    X, y = rng.normal(size=(20_000, 3)), rng.integers(0, 2, 20_000)
    X[y == 1] += [0.5, 0.0, 1.0]
    ours = NaiveBayesClassifier(numeric="gaussian").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, GaussianNB().fit(X, y).predict_proba(X), atol=1e-3)


def test_moments_are_exact_far_from_0():
    rng = np.random.default_rng()
    X, y, weights = np.rint(rng.normal(size=(2_000, 2)) * 2**20), rng.integers(0, 3, 2_000), rng.random(2_000)
    model = NaiveBayesClassifier(numeric="gaussian")
    near, far = (model.fit(X + shift, y, weights).predict_proba(X + shift) for shift in (0, 2**52))
    np.testing.assert_allclose(far, near, rtol=1e-3)
    peer = GaussianNB(priors=base_rates(y, weights), var_smoothing=0).fit(X, y, weights)
    np.testing.assert_allclose(near, peer.predict_proba(X), atol=1e-3)


@given(
    st.lists(st.floats(allow_nan=True), max_size=30).map(np.float64)
    | st.lists(st.floats(width=32, allow_nan=True), max_size=30).map(np.float32),
    st.integers(0, 2**32 - 1),
)
def test_sums_of_numbers_and_their_squares_are_those_of_fractions(values, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, len(values)).astype(np.uint32)
    counts = rng.integers(0, 2 ** rng.integers(1, 45), len(values)).astype(float)
    for each in (None, counts):
        for label, (exponent, *words) in enumerate(power_sums(values, labels, 3, each)):
            above, below, squares = (int.from_bytes(word.astype("<u8").tobytes(), "little") for word in words)
            rows = np.flatnonzero((labels == label) & np.isfinite(values))
            terms = [(Fraction(float(values[row])), 1 if each is None else int(each[row])) for row in rows]
            assert (above - below) * Fraction(2) ** exponent == sum(count * value for value, count in terms)
            assert squares * Fraction(4) ** exponent == sum(count * value**2 for value, count in terms)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_column_of_many_values_has_the_logarithm_of_the_density_times_the_unit(dtype):
    X = np.linspace(-3, 3, 4_000, dtype=dtype).reshape(-1, 2)
    y = np.arange(len(X)) % 3 == 0
    X[y] += 1
    model = NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    queries = np.array([[0.5, np.nan], [-2.0, np.inf], [1e30, 0.25], [1.0, 1.0]], dtype=dtype)
    base = np.log(base_rates(y, np.ones(len(y))))
    expected = np.zeros((4, 2)) + base
    for column, values in enumerate(queries.T):
        unit = np.ptp(X[:, column].astype(float)) / 2**16
        for label in (0, 1):
            own = X[y == label, column].astype(float)
            logs = norm.logpdf(values.astype(float), own.mean(), own.std()) + np.log(unit)
            expected[:, label] += np.where(np.isfinite(values), np.maximum(logs, np.log(1e-75)), 0.0)
    for each in (queries, np.asfortranarray(queries)):
        np.testing.assert_allclose(model.predict_joint_log_proba(each), expected, rtol=1e-3)


def test_a_pickle_of_normal_distributions_takes_a_few_kilobytes():
    rng = np.random.default_rng()
    X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000)
    assert len(pickle.dumps(NaiveBayesClassifier(numeric="gaussian").fit(X, y))) < 12_000


def test_a_unit_of_a_coarse_column_has_the_integral_of_the_normal_density():
    X, y = np.array([[0.0], [1.0], [2.0], [1.0], [2.0], [3.0]]), [0, 0, 0, 1, 1, 1]
    model = NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    queries = np.array([[-2.0], [0.4], [2.0], [5.0]])
    sd = np.sqrt(2 / 3)
    expected = [
        norm.cdf(np.rint(queries[:, 0]) + 0.5, mean, sd) - norm.cdf(np.rint(queries[:, 0]) - 0.5, mean, sd)
        for mean in (1.0, 2.0)
    ]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(queries)), 0.5 * np.transpose(expected), rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 300), st.integers(1, 40))
def test_sums_of_kernels_follow_the_formula(seed, n, n_requested, spread):
    """Few and many query positions take different code paths to the same sums."""
    rng = np.random.default_rng(seed)
    values, queries = rng.integers(0, spread, n).astype(float), rng.integers(-5, spread + 5, n_requested).astype(float)
    model = NaiveBayesClassifier(numeric="kernel").fit(values[:, None], np.zeros(n))
    step = np.diff(np.unique(values)).mean() if len(set(values)) > 1 else 0.01
    places, kernels = np.rint(queries / step), np.rint(values / step)
    sd = max(np.ptp(kernels) / np.sqrt(n), 1 / 6)
    far = np.abs(places[:, None] - kernels)
    expected = np.mean(norm.cdf((0.5 - far) / sd) - norm.cdf((-0.5 - far) / sd), axis=1)
    found = np.exp(model.predict_joint_log_proba(queries[:, None])[:, 0])
    np.testing.assert_allclose(found, np.maximum(expected, 1e-75), rtol=1e-8)


def test_m_estimates_share_m_rows_out_by_the_base_rates_of_values():
    X, y = [["u"], ["u"], ["v"], ["v"], ["v"], [None]], [0, 0, 0, 1, 1, 1]
    model = NaiveBayesClassifier(counts="m", m=3).fit(X, y)
    joint = np.exp(model.predict_joint_log_proba([["u"], ["v"]]))
    np.testing.assert_allclose(joint, 0.5 * np.array([[(2 + 3 * 0.4) / 6, 1.2 / 5], [(1 + 1.8) / 6, 3.8 / 5]]))


def test_without_m_a_value_that_a_class_never_had_leaves_it_almost_nothing():
    model = NaiveBayesClassifier(counts="m", m=0).fit([["u"], ["v"], ["v"]], [0, 1, 1])
    proba = model.predict_proba([["u"], ["v"]])
    assert proba[0, 1] == pytest.approx(1.5e-75)
    assert np.isfinite(model.predict_log_proba([["u"], ["v"]])).all()


@pytest.mark.parametrize("numeric", NUMERIC)
def test_an_uninformative_row_has_the_base_rates(donors, numeric):
    model = NaiveBayesClassifier(numeric=numeric).fit(donors.X, donors.y)
    nothing = pd.DataFrame({name: [None] for name in donors.X}, dtype=object)
    expected = (model.class_count_ + 1) / (model.class_count_ + 1).sum()
    np.testing.assert_allclose(model.predict_proba(nothing), [expected])


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_a_value_far_from_every_class_is_uninformative(numeric):
    model = NaiveBayesClassifier(numeric=numeric).fit([[1.0], [2.0], [3.0], [5.0], [8.0]], [0, 0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1e9], [-1e9], [np.inf]]), [[4 / 7, 3 / 7]] * 3)


@pytest.mark.parametrize("dialect", ["exact", "weka"])
@pytest.mark.parametrize("numeric", NUMERIC)
@given(seed=st.integers(0, 2**32 - 1), n_more=st.sampled_from([0, 700]))
def test_extreme_values_never_give_nan(numeric, dialect, seed, n_more):
    rng = np.random.default_rng(seed)
    X, y = rng.choice(EXTREMES, (12, 3)), rng.integers(0, 3, 12)
    X = np.concatenate((X, rng.random((n_more, 3)) * rng.choice(EXTREMES[1:-2], n_more)[:, None]))
    y = np.concatenate((y, rng.integers(0, 3, n_more)))
    model = NaiveBayesClassifier(numeric=numeric, dialect=dialect).fit(X, y)
    queries = rng.choice(EXTREMES, (50, 3))
    assert np.isfinite(model.predict_joint_log_proba(queries)).all()
    np.testing.assert_allclose(model.predict_proba(queries).sum(axis=1), 1)


@pytest.mark.parametrize("numeric", NUMERIC)
def test_a_thousand_columns_do_not_underflow(numeric):
    rng = np.random.default_rng()
    X, y = rng.normal(size=(60, 1_000)), np.arange(60) % 2
    logs = NaiveBayesClassifier(numeric=numeric).fit(X + 9 * y[:, None], y).predict_log_proba(X)
    assert np.isfinite(logs).all()
    assert logs.min() < -1_000


@pytest.mark.parametrize("numeric", NUMERIC)
def test_a_weight_of_two_is_the_row_twice(donors, numeric):
    weights = np.random.default_rng().integers(0, 3, len(donors.y))
    weighted = NaiveBayesClassifier(numeric=numeric).fit(donors.X, donors.y, weights)
    rows = np.repeat(np.arange(len(donors.y)), weights)
    repeated = NaiveBayesClassifier(numeric=numeric).fit(donors.X.iloc[rows], donors.y[rows])
    np.testing.assert_allclose(weighted.predict_proba(donors.X), repeated.predict_proba(donors.X), rtol=1e-9)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_units_make_no_difference(donors, numeric):
    X = donors.X.select_dtypes("number")
    model = NaiveBayesClassifier(numeric=numeric)
    once, scaled = (model.fit(part, donors.y).predict_proba(part) for part in (X, 1024 * X))
    np.testing.assert_allclose(once, scaled, rtol=1e-9)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_a_class_without_a_value_takes_the_distribution_of_all(numeric):
    X, y = [[1.0], [2.0], [4.0], [None]], [0, 0, 0, 1]
    model = NaiveBayesClassifier(numeric=numeric).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[1.0], [9.0]]), [[2 / 3, 1 / 3]] * 2)


def test_a_column_without_values_is_uninformative():
    for numeric in NUMERIC:
        model = NaiveBayesClassifier(numeric=numeric).fit([[np.nan, 1.0], [np.nan, 2.0]], [0, 1])
        alone = NaiveBayesClassifier(numeric=numeric).fit([[1.0], [2.0]], [0, 1])
        np.testing.assert_allclose(model.predict_proba([[5.0, 1.0]]), alone.predict_proba([[1.0]]))


def test_parameters_and_labels_are_checked(donors):
    for params in ({"numeric": "normal"}, {"n_bins": 0}, {"m": -1}, {"counts": "laplas"}, {"dialect": "wekka"}):
        with pytest.raises(ParameterError, match="must be"):
            NaiveBayesClassifier(**params).fit(donors.X, donors.y)
    with pytest.raises(DataError, match="y is None"):
        NaiveBayesClassifier().fit(donors.X, None)


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("numeric", NUMERIC)
def test_frames_of_every_library_are_one(donors, numeric, make):
    X = donors.X.astype(dict.fromkeys(donors.X.select_dtypes("category"), object))  # polars declares no categories
    frame, model = make(X), NaiveBayesClassifier(numeric=numeric)
    expected = model.fit(X, donors.y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(frame, donors.y).predict_proba(frame), expected)


@pytest.mark.parametrize("numeric", NUMERIC)
def test_weights_that_add_up_to_next_to_nothing_leave_the_base_rates_even(numeric):
    X, y = np.arange(200.0)[:, None], np.arange(200) // 100
    proba = NaiveBayesClassifier(numeric=numeric).fit(X, y, np.full(200, 1e-12)).predict_proba([[None], [3.0]])
    np.testing.assert_allclose(proba[0], [0.5, 0.5])
    assert np.isfinite(proba).all()


def test_counts_that_memory_cannot_hold_raise():
    """Which would take 1.4 TB."""
    X, y = np.arange(600_000)[:, None], np.arange(600_000) // 2
    with (
        pytest.warns(ManyClassesWarning),
        pytest.raises(DataError, match="column 'x0' has 600,000 values and y 300,000 classes; their class counts take"),
    ):
        NaiveBayesClassifier(nominal="all").fit(X, y)
