"""Standardised terms of tables against scikit-learn's, and merged rows."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from calibrant.data import load
from calibrant.data._coding.standard_design import StandardDesign
from calibrant.data._frames.columns import fit_columns
from calibrant.data._validation.estimator_rows import read_training_rows
from calibrant.data._validation.row_identity import MergedRows


def frame(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(5, 3, n), "colour": rng.choice(["red", "blue"], n), "same": np.ones(n)})


def design_of(table, weights=None):
    columns = fit_columns(table)
    return StandardDesign.of(columns.schema, columns.arrays, np.ones(columns.n_rows) if weights is None else weights)


def test_terms_are_those_of_scikit_learns_encoders():
    table = frame()
    indicators = OneHotEncoder(sparse_output=False).fit_transform(table[["colour"]])
    weights = np.arange(1.0, 61.0)
    raw = np.hstack([table[["x"]], indicators])
    _, terms = design_of(table, weights)
    np.testing.assert_allclose(
        terms[:, :3], StandardScaler().fit(raw, sample_weight=weights).transform(raw), atol=1e-12
    )
    assert not terms[:, 3].any()


def test_a_missing_number_is_the_mean_and_an_unknown_category_has_no_indicator():
    table = frame()
    table.loc[::4, "x"] = np.nan
    design, terms = design_of(table)
    assert terms.shape == (60, 5)
    assert (terms[::4, 0] == 0).all()
    np.testing.assert_allclose(terms.std(axis=0), [np.sqrt(0.75), 1, 1, 1, 0])
    new = design.terms([np.array([np.inf]), np.array([-1]), np.array([7.0])])
    assert new[0, 0] == 0
    assert new[0, 1] == terms[0, 1]
    assert (new[0, 2:4] < 0).all()
    assert new[0, 4] == 0  # constant in the training rows


def test_vast_values_stay_finite():
    table = pd.DataFrame({"x": [-1e308, 1e308, 0.0], "tiny": [0.0, 5e-324, 1e-320]})
    design, terms = design_of(table)
    assert np.isfinite(terms).all()
    assert np.isfinite(design.terms([np.array([1e308]), np.array([1e308])])).all()


def test_equal_rows_are_merged_unless_their_classes_differ():
    rows = read_training_rows([[1.0, "a"], [1.0, "a"], [1.0, "a"], [0.0, "b"]], [0, 0, 1, 1], [1, 2, 4, 8])
    merged = MergedRows.of(rows)
    assert sorted(zip(merged.arrays[0], merged.codes.tolist(), merged.weights, strict=True)) == [
        (0.0, 1, 8.0),
        (1.0, 0, 3.0),
        (1.0, 1, 4.0),
    ]


def test_adult_with_its_categories_has_the_terms_of_its_104_columns(data_home: Path):
    terms = []
    for name in ("caruana.adult", "caruana.adult_104"):
        design, found = design_of(load(name, data_home).X[:2000])
        terms.append(found[:, design.factor > 0])
    np.testing.assert_allclose(*terms, atol=1e-12)
