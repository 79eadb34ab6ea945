"""Lazy option trees: equal to a plain reference that loops over rows, and scikit-learn's contract."""

import math
import pickle
from collections import deque

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.ensembles import LazyOptionTreesClassifier
from calibrant.exceptions import ParameterError


def excused(_estimator):
    """Name what scikit-learn excuses for its own forests: drawing rows is not drawing weights."""
    reason = "rows are drawn; test_a_weight_of_three_is_three_rows_on_average_where_rows_are_drawn takes its place"
    return dict.fromkeys(
        ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"], reason
    )


@parametrize_with_checks([LazyOptionTreesClassifier(n_trees=5, random_state=0)], expected_failed_checks=excused)
@pytest.mark.sample(3)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.sample(2)
@parametrize_with_checks([LazyOptionTreesClassifier(n_trees=1, bootstrap=None)])
def test_without_a_bootstrap_nothing_is_excused(estimator, check):
    check(estimator)


# ---- the reference: one row, one bag; rows are tuples (values, class, weight), None is missing


def entropy(shares):
    return -sum(p * math.log2(p) for p in shares if p > 0)


def weights_of(rows, classes):
    return [math.fsum(w for _, label, w in rows if label == k) for k in classes]


def lazy_gain(rows, branch, classes):
    of_node, of_branch = weights_of(rows, classes), weights_of(branch, classes)
    equal = [b / n for b, n in zip(of_branch, of_node, strict=True) if n > 0]
    return math.log2(len(equal)) - entropy([part / sum(equal) for part in equal])


def branches(rows, query, column):
    """Return every branch of a test on the column that the query falls into, cuts ascending."""
    x, known = query[column], [row for row in rows if row[0][column] is not None]
    if isinstance(x, str):
        same = [row for row in known if row[0][column] == x]
        return [same] if len(same) < len(known) else []
    cuts = sorted({row[0][column] for row in known})[:-1]
    return [[row for row in known if (row[0][column] <= cut) == (x <= cut)] for cut in cuts]


def total(rows):
    return math.fsum(w for _, _, w in rows)


def best_branches(rows, query, classes, min_leaf):
    """Return the best branch of each column with its gain, best first; gains equal but for rounding are equal."""
    found = []
    for column, x in enumerate(query):
        options = [] if x is None else branches(rows, query, column)
        scored = [(round(lazy_gain(rows, b, classes), 9), b) for b in options if total(b) >= min_leaf]
        scored = [(gain, b) for gain, b in scored if gain > 1e-9]
        if scored:
            found.append(max(scored, key=lambda each: (each[0], round(total(each[1]), 9))))
    return sorted(found, key=lambda each: (-each[0], -round(total(each[1]), 9)))


def reference(rows, query, classes, *, max_options=3, option_fraction=0.8, min_leaf=2, max_leaves=32):
    predict, leaves, queue = np.zeros(len(classes)), 1, deque([(rows, 1.0)])
    while queue:
        rows, share = queue.popleft()
        pure = len({label for _, label, _ in rows}) == 1
        tests = [] if pure else best_branches(rows, query, classes, min_leaf)
        tests = [branch for gain, branch in tests if gain >= option_fraction * tests[0][0]]
        tests = tests[: min(max_options, max_leaves - leaves + 1)]
        if not tests:
            predict += share * np.array(weights_of(rows, classes)) / total(rows)
        leaves += max(0, len(tests) - 1)
        queue.extend((branch, share / len(tests)) for branch in tests)
    return predict


def reference_proba(model, X, y, weights, queries, **params):
    values = [[None if pd.isna(v) else v for v in row] for row in X.to_numpy(dtype=object)]
    rows = [[None if pd.isna(v) else v for v in row] for row in queries.to_numpy(dtype=object)]
    bags = [
        [(v, c, n * w) for v, c, n, w in zip(values, y, drawn, weights, strict=True) if n > 0]
        for drawn in model.in_bag_.tolist()
    ]
    return np.array(
        [np.mean([reference(bag, x, model.classes_.tolist(), **params) for bag in bags], axis=0) for x in rows]
    )


def drawn_table(seed, n=60, n_classes=3, missing=0.1):
    """Numbers with ties, words and missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"few": rng.integers(0, 5, n) / 2, "many": rng.normal(size=n), "noise": rng.normal(size=n)})
    X["word"] = rng.choice(["x", "y", "z"], n)
    y = (X["many"] + (X["word"] == "x") + rng.normal(size=n) > 0.5).astype(int) + (X["few"] > 1.5)
    return X.mask(rng.random(X.shape) < missing), np.minimum(y, n_classes - 1).to_numpy()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_options": 1},
        {"max_options": 4, "option_fraction": 0.3, "max_leaves": 7},
        {"min_leaf": 8},
        {"option_fraction": 0.0, "max_leaves": 100},
    ],
)
@pytest.mark.parametrize(("n_classes", "missing"), [(2, 0.0), (3, 0.15)])
@pytest.mark.sample(7)
def test_it_equals_the_plain_reference(seed, params, n_classes, missing):
    X, y = drawn_table(seed, n_classes=n_classes, missing=missing)
    queries = drawn_table(seed + 100, n=6, missing=missing)[0]
    model = LazyOptionTreesClassifier(n_trees=3, random_state=seed, **params).fit(X, y)
    expected = reference_proba(model, X, y, np.ones(len(y)), queries, **params)
    np.testing.assert_allclose(model.predict_proba(queries), expected, rtol=0, atol=1e-12)


def test_it_equals_the_plain_reference_with_weights():
    X, y = drawn_table(7)
    weights = np.random.default_rng(0).choice([0.5, 1.25, 3.0], len(y))
    model = LazyOptionTreesClassifier(n_trees=3, bootstrap="by_class", random_state=0).fit(X, y, weights)
    expected = reference_proba(model, X, y, weights, X[:6])
    np.testing.assert_allclose(model.predict_proba(X[:6]), expected, rtol=0, atol=1e-12)


# ---- by hand


def plain(**params):
    return LazyOptionTreesClassifier(n_trees=1, bootstrap=None, **params)


def test_the_branch_of_the_query_alone_decides():
    model = plain(min_leaf=3).fit([[1], [2], [3], [4], [5], [6]], ["a", "a", "a", "b", "a", "b"])
    np.testing.assert_allclose(model.predict_proba([[2], [5]]), [[1, 0], [1 / 3, 2 / 3]], atol=1e-12)


def test_options_are_averaged():
    X = pd.DataFrame({"one": list("xxxyyy"), "two": list("uuvuvv")})
    y = ["a", "a", "b", "a", "b", "b"]
    query = pd.DataFrame({"one": ["x"], "two": ["v"]})
    alone = plain(max_options=1, min_leaf=3).fit(X, y).predict_proba(query)
    both = plain(option_fraction=0.0, min_leaf=3).fit(X, y).predict_proba(query)
    np.testing.assert_allclose(alone, [[0, 1]])
    np.testing.assert_allclose(both, [[1 / 3, 2 / 3]])


def test_a_column_that_the_query_misses_is_never_tested():
    model = plain().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    np.testing.assert_array_equal(model.predict_proba([[np.nan]]), [[0.5, 0.5]])


def test_a_category_never_seen_is_missing():
    X = pd.DataFrame({"word": ["u", "u", "v", "v"]})
    model = plain().fit(X, ["a", "a", "b", "b"])
    proba = model.predict_proba(pd.DataFrame({"word": ["u", "w"]}))
    np.testing.assert_array_equal(proba, [[1, 0], [0.5, 0.5]])


def test_a_training_row_matches_no_test_on_what_it_misses():
    model = plain().fit([[1], [1], [9], [9], [None]], ["a", "a", "b", "b", "b"])
    np.testing.assert_array_equal(model.predict_proba([[1]]), [[1, 0]])
    gaps_only = plain().fit([[1], [1], [None], [None]], ["a", "a", "b", "b"])
    np.testing.assert_array_equal(gaps_only.predict_proba([[1]]), [[0.5, 0.5]])


def test_infinities_are_extreme_values():
    model = plain().fit([[-np.inf], [-np.inf], [np.inf], [np.inf]], ["a", "a", "b", "b"])
    np.testing.assert_array_equal(model.predict([[-np.inf], [np.inf]]), ["a", "b"])


# ---- what holds for every forest


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_any_number_of_threads_and_rows_gives_the_same_bits(n_jobs):
    X, y = make_classification(300, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)
    one = LazyOptionTreesClassifier(n_trees=4, random_state=3, n_jobs=1).fit(X, y)
    many = LazyOptionTreesClassifier(n_trees=4, random_state=3, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(X))
    np.testing.assert_array_equal(one.predict_proba(X[17:18]), many.predict_proba(X)[17:18])


def test_renaming_classes_permutes_the_columns():
    X, y = drawn_table(2)
    model, renamed = plain().fit(X, y), plain().fit(X, 2 - y)
    np.testing.assert_allclose(model.predict_proba(X), renamed.predict_proba(X)[:, ::-1], atol=1e-12)


def test_a_pickled_model_predicts_the_same():
    X, y = drawn_table(1)
    model = LazyOptionTreesClassifier(n_trees=3, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_weight_of_two_is_the_row_twice():
    X, y = drawn_table(4)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), weights)
    weighted, repeated = plain().fit(X, y, weights), plain().fit(X.iloc[twice], y[twice])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.long
def test_a_weight_of_three_is_three_rows_on_average_where_rows_are_drawn():
    """Rows of one class have weight 3: without the weights its mean probability would be a fifth lower."""
    X, y = make_classification(200, 3, n_informative=3, n_redundant=0, flip_y=0.3, random_state=1)
    weights = np.where(y == 1, 3, 1)
    often = np.repeat(np.arange(200), weights)
    plain, weighted, repeated = (
        LazyOptionTreesClassifier(n_trees=100, min_leaf=40, random_state=0).fit(*rows).predict_proba(X)[:, 1].mean()
        for rows in [(X, y), (X, y, weights), (X[often], y[often])]
    )
    assert abs(weighted - repeated) < 0.03
    assert repeated - plain > 0.1


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_trees", 0), ("max_options", 0), ("option_fraction", 1.5), ("min_leaf", 0), ("max_leaves", 0)],
)
def test_wrong_parameters_are_named(name, value):
    with pytest.raises(ParameterError, match=name):
        LazyOptionTreesClassifier(**{name: value}).fit([[1], [2]], [0, 1])
