import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression

from calibrant.calibration import VennAbers, calibrator_from_dict, merge_pairs
from calibrant.exceptions import DataError

ROWS = st.lists(st.tuples(st.integers(0, 8), st.booleans(), st.sampled_from([1, 2, 5])), min_size=2, max_size=40)
MIXED = ROWS.filter(lambda rows: len({row[0] for row in rows}) > 1 and len({row[1] for row in rows}) == 2)


def isotonic_with(score, label, scores, y, weight):
    regression = IsotonicRegression().fit(np.append(scores, score), np.append(y, label), np.append(weight, 1.0))
    return regression.predict([score])[0]


@given(MIXED)
def test_the_pair_is_isotonic_regression_with_the_row_of_either_class(rows):
    scores, y, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    queries = np.arange(-0.5, 9.5, 0.5)
    p0, p1 = VennAbers().fit(scores, y, weight).predict_pair(queries)
    np.testing.assert_allclose(p0, [isotonic_with(q, 0, scores, y, weight) for q in queries], atol=1e-12)
    np.testing.assert_allclose(p1, [isotonic_with(q, 1, scores, y, weight) for q in queries], atol=1e-12)


def drawn(seed, n=400):
    random = np.random.default_rng(seed)
    p = random.random(n).round(3)
    return p, random.random(n) < p**2


def test_the_probability_lies_between_the_two_and_never_falls():
    venn = VennAbers().fit(*drawn(0))
    grid = np.linspace(-0.1, 1.1, 400)
    p0, p1 = venn.predict_pair(grid)
    proba = venn.predict(grid)
    assert (p0 <= proba).all()
    assert (proba <= p1).all()
    assert (np.diff(proba) >= 0).all()
    assert 0 < proba[0] < proba[-1] < 1


def test_margins_and_their_ranks_are_the_same_to_it():
    p, y = drawn(1)
    np.testing.assert_array_equal(
        VennAbers().fit(p, y).predict(p), VennAbers().fit(1e9 * (p - 0.5), y).predict(1e9 * (p - 0.5))
    )


def test_the_cross_form_merges_one_predictor_a_fold_by_geometric_means():
    (p, y), folds = drawn(2), np.arange(400) % 3
    pairs = [VennAbers().fit(p[folds == k], y[folds == k]).predict_pair(p) for k in range(3)]
    crossed = VennAbers().fit(p, y, folds=folds)
    merged = merge_pairs([low for low, _ in pairs], [high for _, high in pairs])
    high, low = (
        np.prod([high for _, high in pairs], axis=0) ** (1 / 3),
        np.prod([1 - low for low, _ in pairs], axis=0) ** (1 / 3),
    )
    np.testing.assert_allclose(merged, high / (low + high))
    np.testing.assert_allclose(crossed.predict(p), merged)
    np.testing.assert_allclose(crossed.predict_folds([p, p, p]), merged)


def test_a_row_of_weight_nothing_is_in_no_fold():
    (p, y), folds, weight = drawn(3), np.arange(400) % 2, np.repeat([1, 0], [300, 100])
    part = VennAbers().fit(p[:300], y[:300], folds=folds[:300])
    np.testing.assert_array_equal(VennAbers().fit(p, y, weight, folds=folds).predict(p), part.predict(p))


def test_whether_two_columns_are_margins_is_decided_by_the_rows_of_all_folds():
    p, y = drawn(8)
    table, folds = np.stack([1 - p, p], axis=1), np.arange(400) % 2
    table[folds == 1] += [-1.0, 1.0]
    of_one = VennAbers().fit(table[:, 1] - table[:, 0], y, folds=folds).predict(p - (1 - p))
    of_two = VennAbers().fit(table, y, folds=folds).predict(np.stack([1 - p, p], axis=1))
    np.testing.assert_allclose(of_two[:, 1], of_one)


def test_many_classes_have_a_pair_each():
    random = np.random.default_rng(4)
    proba = random.dirichlet(np.ones(3), 200)
    y = np.array([random.choice(list("abc"), p=p) for p in proba])
    venn = VennAbers().fit(proba, y)
    p0, p1 = venn.predict_pair(proba)
    assert p0.shape == p1.shape == (200, 3)
    np.testing.assert_allclose(venn.predict(proba).sum(axis=1), 1)


def test_the_cross_form_is_written_and_read():
    p, y = drawn(5)
    venn = VennAbers().fit(p, y, folds=np.arange(400) % 4)
    again = calibrator_from_dict(json.loads(json.dumps(venn.to_dict())))
    np.testing.assert_array_equal(again.predict(p), venn.predict(p))


def test_a_fit_without_folds_forgets_those_before():
    p, y = drawn(6)
    venn = VennAbers().fit(p, y, folds=np.arange(400) % 4)
    np.testing.assert_array_equal(venn.fit(p, y).predict(p), VennAbers().fit(p, y).predict(p))
    with pytest.raises(NotFittedError):
        venn.predict_folds([p, p])


def test_inconsistent_arguments_raise():
    p, y = drawn(7)
    venn = VennAbers().fit(p, y, folds=np.arange(400) % 4)
    with pytest.raises(DataError, match="each of the 4 folds; got 1"):
        venn.predict_folds([p])
    with pytest.raises(DataError, match="fold of each of the 400 rows"):
        venn.fit(p, y, folds=[1, 2])
    with pytest.raises(DataError, match="2 column"):
        venn.predict_pair([[0.1, 0.9]])


def test_the_pair_raises_as_the_probability_does():
    venn = VennAbers().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    for method in (venn.predict, venn.predict_pair):
        with pytest.raises(DataError, match=r"scores has 2 column\(s\); this calibrator was fitted with 1"):
            method([[0.2, 0.8]])
