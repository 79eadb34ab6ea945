"""Free text: what it is, who leaves it out, and the numbers that are made of it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.data import CodedTable, TextParts
from calibrant.exceptions import CalibrantWarning, DataTypeError
from calibrant.trees import ProbabilityTreeClassifier

WORDS = [
    "late",
    "paid",
    "twice",
    "call",
    "again",
    "never",
    "asked",
    "refund",
    "sent",
    "lost",
    "parcel",
    "broken",
    "nice",
    "thanks",
]
RANDOM = np.random.default_rng(0)
TEXTS = [" ".join(RANDOM.choice(WORDS, size=RANDOM.integers(3, 9))) for _ in range(80)]
TABLE = pd.DataFrame({"x": np.arange(80.0), "note": TEXTS})
Y = np.resize(["no", "yes", "yes"], 80)


def measure(column: Any) -> str:
    return CodedTable.from_frame(pd.DataFrame({"a": column})).schema.features[0].measure


def test_several_words_that_are_mostly_distinct_are_free_text() -> None:
    assert measure(TEXTS) == "text"
    assert measure([*TEXTS[:50], *([None] * 30)]) == "text"


@pytest.mark.parametrize(
    "column",
    [
        TEXTS[:19],  # few
        TEXTS[:30] * 3,  # repeated
        [text.split()[0] + str(i) for i, text in enumerate(TEXTS)],  # of one word
        pd.Categorical(TEXTS),  # declared
        [None] * 80,
    ],
    ids=["few", "repeated", "single words", "declared", "missing"],
)
def test_other_columns_are_none(column: Any) -> None:
    assert measure(column) != "text"


def test_nominal_takes_it_as_categories() -> None:
    feature = CodedTable.from_frame(TABLE, nominal=["note"]).schema.features[1]
    assert feature.measure == ""
    assert len(feature.categories) == len(set(TEXTS))


@pytest.mark.parametrize("model", [ProbabilityTreeClassifier(), NaiveBayesClassifier()])
def test_others_leave_it_out_with_a_note_and_learn_the_same_as_without(model: Any) -> None:
    with pytest.warns(CalibrantWarning, match="'note' is left out: free text"):
        found = model.fit(TABLE, Y).predict_proba(TABLE)
    assert np.array_equal(found, model.fit(TABLE[["x"]], Y).predict_proba(TABLE[["x"]]))


def test_the_note_points_at_the_caller_and_comes_once_a_fit() -> None:
    with pytest.warns(CalibrantWarning) as shown:
        CalibratedClassifier(NaiveBayesClassifier(), "platt").fit(TABLE, Y)
    assert sum("free text" in str(each.message) for each in shown) == 1
    with pytest.warns(CalibrantWarning, match="free text") as shown:
        ProbabilityTreeClassifier().fit(TABLE, Y)
    assert shown[0].filename == __file__


def test_no_text_is_kept_in_a_file(tmp_path: Path) -> None:
    with pytest.warns(CalibrantWarning, match="free text"):
        model = ProbabilityTreeClassifier().fit(TABLE, Y)
    calibrant.save(model, tmp_path / "m.calibrant")
    calibrant.save(TextParts().fit(TABLE[["note"]]), tmp_path / "t.calibrant")
    for name in ("m.calibrant", "t.calibrant"):
        with zipfile.ZipFile(tmp_path / name) as file:
            content = b"".join(file.read(each) for each in file.namelist())
        assert not [word for word in WORDS if word.encode() in content]


def test_components_are_those_of_scikit_learns_pipeline() -> None:
    peer = make_pipeline(
        HashingVectorizer(n_features=2**12, alternate_sign=False, norm=None),
        TfidfTransformer(),
        TruncatedSVD(5, random_state=0),
    ).fit_transform(TEXTS)
    ours = TextParts(n_components=5).fit_transform(TABLE[["note"]])
    assert np.allclose(np.abs(ours[:, :5]), np.abs(peer), atol=1e-6)
    assert np.allclose(np.expm1(ours[:, 5]), [len(text.split()) for text in TEXTS])


def test_missing_and_unknown_words() -> None:
    parts = TextParts(n_components=3).fit(TABLE[["note"]])
    found = parts.transform(pl.DataFrame({"note": [None, "zzz qqq", ""]}))
    assert np.isnan(found[0]).all()
    assert np.abs(found[2]).max() == 0.0
    assert np.isfinite(found[1]).all()


def test_a_fitted_transformer_is_saved_and_loaded(tmp_path: Path) -> None:
    parts = TextParts().fit(TABLE[["note"]])
    calibrant.save(parts, tmp_path / "m.calibrant")
    loaded = calibrant.load_model(tmp_path / "m.calibrant")
    assert np.array_equal(loaded.transform(TABLE[["note"]]), parts.transform(TABLE[["note"]]))


def test_numbers_are_refused() -> None:
    with pytest.raises(DataTypeError, match="X must hold text; column 'x' holds numbers"):
        TextParts().fit(TABLE[["x"]])
