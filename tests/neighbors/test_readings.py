"""One search read for every number of neighbours and every weighting, against ordinary fits."""

import itertools

import numpy as np
import pandas as pd
import pytest

from calibrant.calibration import CalibratedClassifier
from calibrant.metrics import brier
from calibrant.neighbors import NeighborsClassifier, grid_of_k
from calibrant.neighbors._search import Neighbours
from calibrant.neighbors._space import Space
from calibrant.resampling import CrossValidation, estimate_performance

WEIGHTS = ("uniform", "inverse", "inverse_squared", "similarity", "gaussian")


def rows(n, seed=0, n_columns=3, missing=False):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, n_columns)).round(1)).rename(columns=str)
    X["colour"] = rng.choice(["red", "blue", "green"], n)
    if missing:
        X.loc[::7, "1"] = np.nan
        X.loc[::11, "colour"] = None
    return X, (X["0"] + rng.normal(size=n) > 0).to_numpy().astype(int) + (np.arange(n) % 5 == 0)


def assert_readings_are_fits(members, train, weight, new):
    head = NeighborsClassifier._family_head(members).fit(*train, sample_weight=weight)
    for member, proba in zip(members, head._predict_readings(new, members), strict=True):
        alone = member.fit(*train, sample_weight=weight).predict_proba(new)
        np.testing.assert_array_equal(proba, alone, err_msg=str(member))


@pytest.mark.parametrize(
    ("algorithm", "n_columns", "missing", "weight"),
    [
        ("kd_tree", 3, (False, False), None),
        ("brute", 20, (False, True), None),
        ("ball_tree", 3, (False, True), np.random.default_rng(2).integers(0, 4, 150)),
        ("brute", 3, (True, True), np.random.default_rng(2).random(150)),
    ],
)
def test_every_reading_of_a_search_is_a_fit_to_the_bit(algorithm, n_columns, missing, weight):
    ks = [1, 9, "all"]
    members = [
        NeighborsClassifier(n_neighbors=k, weights=weights, ties=ties, algorithm=algorithm)
        for k, weights, ties in itertools.product(ks, WEIGHTS, ("all", "share"))
    ]
    members += [
        NeighborsClassifier(weights="gaussian", bandwidth=0.5, algorithm=algorithm),
        NeighborsClassifier(weights="inverse", offset=0.1, smoothing=0, tie_tolerance=0, algorithm=algorithm),
        NeighborsClassifier(weights="similarity", smoothing=0, algorithm=algorithm),
    ]
    train, new = rows(150, 0, n_columns, missing[0]), rows(70, 1, n_columns, missing[1])[0]
    assert_readings_are_fits(members, train, weight, new)


def test_complete_rows_have_the_same_distances_from_all_rows_and_from_some():
    rng = np.random.default_rng(0)
    model = NeighborsClassifier(attribute_weights=None).fit(rng.normal(size=(300, 37)), np.arange(300) % 2)
    space: Space = model._neighbours.space
    queries, points = model._read_points(rng.normal(size=(9, 37))), model._neighbours.points
    every = np.tile(np.arange(300), (9, 1))
    np.testing.assert_array_equal(space.squared(queries, points), space.squared_from_some(queries, points, every))


@pytest.mark.long
def test_the_engine_searches_once_for_all_readings_and_their_calibrators(monkeypatch):
    X, y = rows(120)
    y = np.minimum(y, 1)
    bases = [NeighborsClassifier(n_neighbors=k, weights=w) for k in (1, 5, 30) for w in ("uniform", "gaussian")]
    methods = {f"{i}": base for i, base in enumerate(bases)}
    methods |= {f"{i} platt": CalibratedClassifier(base, "platt", cv=3) for i, base in enumerate(bases)}
    alone = {
        name: estimate_performance(method, X, y, CrossValidation(2), metrics={"brier": brier})
        for name, method in methods.items()
    }
    fits = []
    found = Neighbours.of
    monkeypatch.setattr(Neighbours, "of", lambda *arguments: fits.append(1) or found(*arguments))
    together = estimate_performance(methods, X, y, CrossValidation(2), metrics={"brier": brier})
    assert len(fits) == 2 * (1 + 3)
    for name, result in alone.items():
        np.testing.assert_array_equal(together.split_values("brier", name), result.split_values("brier"))


def test_the_grid_of_the_paper_is_one_family():
    members = [NeighborsClassifier(n_neighbors=k) for k in grid_of_k(4000)]
    assert len(members) == 26
    assert NeighborsClassifier._family_head(members) is members[0]
