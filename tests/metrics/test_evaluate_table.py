"""Tables larger than memory: exact metrics are exact, the others within the stated error."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from calibrant.exceptions import DataError, DataTypeError, MissingFileError, ParameterError, ReadError, SchemaError
from calibrant.metrics import METRICS, evaluate, evaluate_table

EXACT = ["log_loss", "mse", "rms", "mse01", "log_loss_bits", "spherical", "accuracy", "kappa", "f1", "mcc"]
RANKS = ["auc", "gini", "average_precision", "ks", "lift", "aulc"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 4, 30_000)
    return pd.DataFrame({"y": np.where(rng.random(30_000) < p, "yes", "no"), "p": p, "w": rng.integers(0, 4, 30_000)})


def sources(rows, folder):
    rows.to_parquet(folder / "rows.parquet")
    yield folder / "rows.parquet"
    yield pl.scan_parquet(folder / "rows.parquet")
    dask = pytest.importorskip("dask.dataframe")
    yield dask.from_map(lambda part: part, [rows[:7000], rows[7000:7001], rows[7001:]], meta=rows[:0])
    pq.write_to_dataset(pa.Table.from_pandas(rows, preserve_index=False), folder / "folder")
    yield folder / "folder"
    yield ds.dataset(folder / "rows.parquet")
    yield rows


def test_every_source_has_the_same_card(rows, tmp_path):
    few = sources(rows[:9_000], tmp_path)
    cards = [evaluate_table(source, target="y", proba="p", weight="w", batch_size=2001) for source in few]
    for card in cards[1:]:
        for name, score in card.items():
            assert score.value == pytest.approx(cards[0][name].value, rel=1e-12)
            assert score.low is None or score.low == pytest.approx(cards[0][name].low, rel=1e-9)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.sample(2)
def test_losses_and_confusion_metrics_are_exact(rows, name):
    card = evaluate_table(rows, target="y", proba="p", weight="w", metrics=[name], batch_size=999, confidence=None)
    expected = METRICS[name].function(rows.y, rows.p, sample_weight=rows.w)
    assert card[name].value == pytest.approx(expected, rel=1e-12)
    assert card[name].note == ""


@pytest.mark.parametrize("digits", [None, 3, 1])
@pytest.mark.parametrize("name", RANKS)
def test_ranking_metrics_are_within_the_stated_error(rows, name, digits):
    rows = rows if digits is None else rows.assign(p=rows.p.round(digits))
    score = evaluate_table(rows, target="y", proba="p", metrics=[name], confidence=None)[name]
    said = re.search(r"at most ([\d.e-]+)", score.note)
    limit = float(said[1]) if said else 0.0
    assert abs(score.value - METRICS[name].function(rows.y, rows.p)) <= limit + 1e-12
    assert limit < 1e-3
    assert digits is None or limit == 0.0


def crowded(seed, order):
    """Draw rows that share four bins, in each of which the classes come mixed, or one of them first."""
    rng = np.random.default_rng(seed)
    place, y = rng.integers(1, 5, 60) / 5, rng.integers(0, 2, 60)
    within = rng.random(60) if order == "mixed" else rng.random(60) / 2 + 0.5 * (y == (order == "positives first"))
    return pd.DataFrame({"y": y, "p": place + 1e-7 * within, "w": rng.random(60)})


@pytest.mark.parametrize("order", ["mixed", "positives first", "negatives first"])
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("name", RANKS)
@pytest.mark.sample(8)
def test_the_stated_error_holds_for_any_order_within_a_bin(name, weight, order):
    for seed in range(30):
        rows = crowded(seed, order)
        score = evaluate_table(rows, target="y", proba="p", weight=weight, metrics=[name], confidence=None)[name]
        true = METRICS[name].function(rows.y, rows.p, sample_weight=None if weight is None else rows.w)
        assert abs(score.value - true) <= float(score.note.rsplit(" ", 1)[1]) + 1e-12


def test_positives_of_one_bin_that_are_not_tied_have_lower_precision():
    rows = pd.DataFrame({"y": [0, 1, 1], "p": [0.9, 0.5 + 1e-8, 0.5]})
    score = evaluate_table(rows, target="y", proba="p", metrics=["average_precision"])["average_precision"]
    limit = float(re.search(r"at most ([\d.]+)", score.note)[1])
    assert score.value == pytest.approx(2 / 3)  # truly (1/2 + 2/3) / 2
    assert 1 / 12 <= limit < 0.25


@pytest.mark.parametrize("name", ["auc", "lift", "aulc"])
def test_the_stated_error_is_attained_by_the_best_order(name):
    rows = crowded(1, "positives first")
    score = evaluate_table(rows, target="y", proba="p", metrics=[name], confidence=None)[name]
    limit = float(score.note.rsplit(" ", 1)[1])
    assert METRICS[name].function(rows.y, rows.p) - score.value == pytest.approx(limit, rel=0.1)


def test_intervals_are_close_to_those_of_evaluate(rows):
    names = ["log_loss", "mse", "auc", "accuracy", "kappa"]
    streamed = evaluate_table(rows, target="y", proba="p", metrics=names)
    whole = evaluate(rows.y, rows.p, metrics=names)
    for name in names:
        width = whole[name].high - whole[name].low
        assert streamed[name].low == pytest.approx(whole[name].low, abs=0.15 * width)
        assert streamed[name].high == pytest.approx(whole[name].high, abs=0.15 * width)


def test_several_classes_have_one_column_each():
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(3), 500)
    rows = pd.DataFrame(proba, columns=["a", "b", "c"]).assign(y=rng.choice(["a", "b", "c"], 500))
    card = evaluate_table(rows, target="y", proba=["a", "b", "c"], batch_size=100)
    assert card["log_loss"].value == pytest.approx(METRICS["log_loss"].function(rows.y, proba))
    assert card["kappa"].value == pytest.approx(METRICS["kappa"].function(rows.y, proba))
    assert "auc" not in card


def test_one_class_alone_requires_pos_label(rows):
    negatives = rows[rows.y == "no"]
    with pytest.raises(DataError, match=r"one class \('no'\)"):
        evaluate_table(negatives, target="y", proba="p")
    card = evaluate_table(negatives, target="y", proba="p", pos_label="yes", metrics=["mse", "auc", "f1"])
    assert card["mse"].value == pytest.approx(2 * (negatives.p**2).mean())
    assert (card["auc"].low, card["auc"].note) == (None, "not defined for these rows")
    assert card["f1"].low is None


def test_one_class_of_whole_numbers_is_named_by_pos_label():
    rows = pd.DataFrame({"y": [1, 1], "p": [0.4, 0.6]})
    card = evaluate_table(rows, target="y", proba="p", pos_label=1, metrics=["mse"], confidence=None)
    assert card["mse"].value == pytest.approx(2 * (0.6**2 + 0.4**2) / 2)


def test_a_lazy_query_is_run_in_batches(rows):
    lazy = pl.from_pandas(rows).lazy().filter(pl.col("p") > 0.1)
    kept = rows[rows.p > 0.1]
    card = evaluate_table(lazy, target="y", proba="p", metrics=["log_loss"], batch_size=1000)
    assert card.n_rows == len(kept)
    assert card["log_loss"].value == pytest.approx(METRICS["log_loss"].function(kept.y, kept.p))


def test_the_error_for_a_wrong_row_names_its_batch(rows):
    wrong = rows.assign(p=np.where(np.arange(30_000) == 12_345, np.nan, rows.p))
    with pytest.raises(DataError, match=r"batch that starts at row 10,000 of source: .*first at row 2345"):
        evaluate_table(wrong, target="y", proba="p", labels=["no", "yes"], batch_size=5000)


def test_all_means_every_metric_that_batches_allow(rows):
    card = evaluate_table(rows, target="y", proba="p", metrics="all", confidence=None)
    assert set(EXACT) | set(RANKS) <= set(card)


def test_a_class_that_a_batch_lacks_is_no_error():
    rows = pd.DataFrame({"y": [0, 0, 0, 1], "p": [0.1, 0.2, 0.3, 0.9]})
    assert evaluate_table(rows, target="y", proba="p", batch_size=2, metrics=["auc"])["auc"].value == 1.0


def test_certain_and_wrong_rows_are_counted():
    rows = pd.DataFrame({"y": [0, 1, 1], "p": [0.5, 0.0, 0.0]})
    score = evaluate_table(rows, target="y", proba="p", metrics=["log_loss"])["log_loss"]
    assert score.value == np.inf
    assert score.note == "the actual class has probability 0 in 2 row(s)"


def test_unreadable_sources_raise_errors_that_name_the_cause(rows, tmp_path):
    with pytest.raises(MissingFileError, match="no such file"):
        evaluate_table(tmp_path / "none.parquet", target="y", proba="p")
    with pytest.raises(SchemaError, match="Did you mean 'p'"):
        evaluate_table(rows, target="y", proba="pp")
    with pytest.raises(DataTypeError, match="got int"):
        evaluate_table(3, target="y", proba="p")
    with pytest.raises(ParameterError, match="cannot be computed from batches"):
        evaluate_table(rows, target="y", proba="p", metrics=["ici"])
    with pytest.raises(ParameterError, match="Did you mean 'auc'"):
        evaluate_table(rows, target="y", proba="p", metrics=["auk"])
    with pytest.raises(ParameterError, match=r"Pass \['auc'\]"):
        evaluate_table(rows, target="y", proba="p", metrics="auc")
    with pytest.raises(SchemaError, match="must be different ones; got 'p', 'p'"):
        evaluate_table(rows, target="p", proba="p")
    (tmp_path / "no.parquet").write_text("y,p")
    with pytest.raises(ReadError, match="is not a complete Parquet file"):
        evaluate_table(tmp_path / "no.parquet", target="y", proba="p")
    with pytest.raises(DataError, match="no row of weight above 0"):
        evaluate_table(rows.assign(w=0), target="y", proba="p", weight="w")
