"""The gradient booster: what its folds promise, and data that leave little to learn."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification

from calibrant.data._internal import read_training_rows
from calibrant.ensembles._boosting.gradient_boosting import fit_gradient_boosting, gradient_options
from calibrant.trees._internal import TrainingSet

PLAIN = gradient_options(
    node_share=1.0, max_leaves=6, max_rounds=8, patience=4, min_leaf=5.0, max_bins=255, category_support=4.0
)
DRAWN = gradient_options(column_share=0.7, node_share=0.7, row_share=0.7, max_rounds=30)


def table(n_rows=600, n_classes=2, seed=0):
    """Return six numeric columns with missing values and a nominal one, and the classes."""
    X, y = make_classification(
        n_rows, 6, n_informative=4, n_classes=n_classes, n_clusters_per_class=1, flip_y=0.1, random_state=seed
    )
    random = np.random.default_rng(seed)
    X[random.random(X.shape) < 0.05] = np.nan
    nominal = np.where(random.random(n_rows) < 0.3, y, random.integers(0, 12, n_rows)).astype(str)
    return [*X.T], nominal, y


def code(columns, nominal, y, weight=None):
    cells = np.array([*columns, nominal], dtype=object).T
    return TrainingSet.of(read_training_rows(cells, y, weight, nominal=[len(columns)]))


def fit(problem, options=None, weight=None, folds=None, n_jobs=1, seed=0):
    examples = code(*problem, weight)
    folds = np.arange(examples.n_rows) % 8 if folds is None else folds
    return fit_gradient_boosting(examples, folds, options or gradient_options(max_rounds=30), seed, n_jobs)


def rows(columns, nominal, y):
    codes = np.unique(nominal, return_inverse=True)[1].astype(np.int32)
    return len(y), [*columns, codes]


def small_table(seed):
    """Return the codes, numbers of values and kinds of three columns, two with missing values, and the classes."""
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, n, 240) for n in (12, 30, 5)])
    for column, n_values in enumerate((12, 30, 5)):
        codes[:n_values, column] = np.arange(n_values)
    codes[60:80, 0], codes[230:, 2] = 12, 5
    score = 0.3 * (codes[:, 0] - 6) + (codes[:, 1] > 20) * (codes[:, 2] % 2)
    return codes, (12, 30, 5), (False, False, True), (random.random(240) < 1 / (1 + np.exp(-score))).astype(int)


@pytest.mark.parametrize("seed", range(2))
def test_every_fold_is_what_the_plain_reference_predicts(seed, gradient_reference):
    codes, n_values, is_nominal, y = small_table(seed)
    columns = [np.where(codes[:, j] == n, np.nan, codes[:, j] / 4.0) for j, n in enumerate(n_values[:2])]
    nominal = np.array(["a", "b", "c", "d", "e", None], dtype=object)[codes[:, 2]]
    folds = np.arange(240) % 4
    held_out = fit((columns, nominal, y), PLAIN, folds=folds).held_out_proba[:, 1]
    booster = gradient_reference.Booster(codes, n_values, is_nominal, PLAIN)
    for fold in range(4):
        stop = folds == (fold + 1) % 4
        log_odds = booster.fit(y, (folds != fold) & ~stop, stop)[folds == fold]
        np.testing.assert_allclose(held_out[folds == fold], 1 / (1 + np.exp(-log_odds)), rtol=1e-6)


def test_the_first_leaf_values_are_newton_steps():
    y = np.repeat([0, 1, 0, 1], [30, 10, 10, 30])
    X = np.repeat([0.0, 1.0], 40).reshape(-1, 1)
    folds = np.tile(np.arange(5), 16)
    options = gradient_options(max_rounds=1, rate=0.3, l2=2.0, node_share=1.0)
    proba = fit_gradient_boosting(TrainingSet.of(read_training_rows(X, y)), folds, options).held_out_proba[:, 1]
    # In each branch of 24 rows a quarter is of the rarer class: the gradients add up to 6, the hessians to 24 / 4.
    step = 0.3 * 6 / (6 + 2)
    np.testing.assert_allclose(proba, 1 / (1 + np.exp(np.where(X[:, 0] == 0, step, -step))), rtol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_held_out_rows_are_predicted_better_than_by_the_base_rates(n_classes):
    problem = table(1000, n_classes)
    proba, y = fit(problem).held_out_proba, problem[2]
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    shares = np.bincount(y) / len(y)
    assert -np.log(proba[np.arange(len(y)), y]).mean() < -0.7 * np.sum(shares * np.log(shares))


@pytest.mark.parametrize("options", [None, DRAWN])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(n_classes, options):
    problem = table(600, n_classes)
    one, three = (fit(problem, options, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert (one.held_out_proba == three.held_out_proba).all()
    assert (one.n_rounds == three.n_rounds).all()
    many = rows(*table(3000, n_classes, seed=1))
    assert (one.predict_proba(many, n_jobs=1) == three.predict_proba(many, n_jobs=3)).all()


@pytest.mark.parametrize("options", [None, DRAWN])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_class_of_a_row_does_not_change_its_own_prediction(n_classes, options):
    columns, nominal, y = table(300, n_classes)
    before = fit((columns, nominal, y), options).held_out_proba
    for row in (0, 17, 123, 299):
        other = y.copy()
        other[row] = (y[row] + 1) % n_classes
        after = fit((columns, nominal, other), options).held_out_proba
        assert (after[row] == before[row]).all()
        assert (after != before).any()


def test_a_weight_of_two_is_the_row_twice():
    columns, nominal, y = table(400)
    weight = 1.0 + np.arange(400) % 3
    times = weight.astype(int)
    folds = np.arange(400) % 8
    weighted = fit((columns, nominal, y), weight=weight)
    copied = tuple(np.repeat(each, times, axis=-1) for each in (columns, nominal, y))
    repeated = fit(copied, folds=np.repeat(folds, times))
    np.testing.assert_allclose(repeated.held_out_proba, np.repeat(weighted.held_out_proba, times, axis=0), rtol=1e-9)
    assert (repeated.n_rounds == weighted.n_rounds).all()


def test_a_pickle_predicts_the_same_and_holds_no_table():
    problem = table(2000)
    model = fit(problem, gradient_options(max_rounds=2))
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert (copy.predict_proba(rows(*problem)) == model.predict_proba(rows(*problem))).all()
    assert len(pickle.dumps(model.core)) < 100_000


def test_a_seed_decides_on_what_is_drawn():
    problem = table(300)
    first, again, other = (fit(problem, DRAWN, seed=seed).held_out_proba for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


def test_a_class_that_some_folds_lack_has_a_small_probability():
    columns, nominal, y = table(240)
    y = y.copy()
    y[[0, 8]] = 2  # both in the first fold
    proba = fit((columns, nominal, y)).held_out_proba
    assert (proba > 0).all()
    assert proba[0, 2] < 0.05


@pytest.mark.parametrize("n_classes", [2, 3])
def test_constant_columns_leave_the_class_frequencies_of_the_training_rows(n_classes):
    y = np.arange(48) // 8 % n_classes  # folds are equal
    examples = TrainingSet.of(read_training_rows(np.ones((48, 2)), y))
    model = fit_gradient_boosting(examples, np.arange(48) % 8)
    np.testing.assert_allclose(model.held_out_proba, 1 / n_classes, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba((1, np.ones((1, 2)))), 1 / n_classes, rtol=1e-12)


def test_missing_values_take_the_branch_that_gains_most():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    X = random.random((400, 1))
    X[y == 1] = np.nan
    model = fit_gradient_boosting(TrainingSet.of(read_training_rows(X, y)), np.arange(400) % 8)
    assert (model.held_out_proba.argmax(axis=1) == y).all()
    assert model.predict_proba((2, np.array([[np.nan], [0.5]]))).argmax(axis=1).tolist() == [1, 0]


def test_an_unseen_category_is_like_a_missing_value():
    random = np.random.default_rng(0)
    nominal = random.integers(0, 4, 400)
    X = np.array(["a", "b", "c", None], dtype=object)[nominal].reshape(-1, 1)
    model = fit_gradient_boosting(TrainingSet.of(read_training_rows(X, nominal == 3)), np.arange(400) % 8)
    proba = model.predict_proba((3, [np.array([0, -1, 7], dtype=np.int32)]))[:, 1]
    assert proba[0] < 0.1
    assert proba[1] == proba[2] > 0.9
