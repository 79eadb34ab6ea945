"""Input validation of metrics: every form of probabilities, and every mistake."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics import accuracy, auc, evaluate, informational_loss, log_loss, precision

Y = ["no", "yes", "no"]
P = np.array([0.1, 0.7, 0.4])
BOTH = np.column_stack([1 - P, P])


def true_class_proba(y, proba, **options):
    """Return the probability of each row's own class."""
    return 2.0 ** -informational_loss(y, proba, **options)


def classes_of(y, proba, **options):
    return list(evaluate(y, proba, metrics=["log_loss"], confidence=None, **options).classes)


@pytest.mark.parametrize(
    "proba",
    [
        P,
        P.tolist(),
        P[:, np.newaxis],
        BOTH,
        BOTH.tolist(),
        pd.Series(P),
        pd.Series(P, dtype="Float64"),
        pd.DataFrame(BOTH),
        pl.Series(P),
        pl.DataFrame(BOTH),
        pa.array(P),
        pa.chunked_array([P[:1], P[1:]]),
        np.asfortranarray(BOTH),
        np.ma.masked_array(BOTH),
    ],
    ids=lambda proba: type(proba).__name__,
)
def test_probabilities_come_in_many_forms(proba):
    np.testing.assert_allclose(true_class_proba(Y, proba), [0.9, 0.7, 0.6])
    assert classes_of(Y, proba) == ["no", "yes"]


@pytest.mark.parametrize(
    "labels",
    [
        Y,
        np.array(Y),
        pd.Series(Y),
        pd.Categorical(Y, categories=["yes", "no"]),
        pl.Series(Y),
        pa.array(Y),
        np.array(Y, dtype=object),
    ],
    ids=lambda proba: type(proba).__name__,
)
def test_labels_come_in_many_forms_and_are_sorted(labels):
    np.testing.assert_allclose(true_class_proba(labels, BOTH), [0.9, 0.7, 0.6])
    assert classes_of(labels, BOTH) == ["no", "yes"]


def test_one_column_is_of_the_last_sorted_class_or_of_pos_label():
    np.testing.assert_allclose(true_class_proba(Y, P), [0.9, 0.7, 0.6])
    np.testing.assert_allclose(true_class_proba(Y, P, pos_label="no"), [0.1, 0.3, 0.4])


def test_labels_are_the_order_of_the_columns_and_the_last_sorted_class_stays_the_positive_one():
    np.testing.assert_allclose(true_class_proba(Y, BOTH[:, ::-1], labels=["yes", "no"]), [0.9, 0.7, 0.6])
    for proba in (BOTH[:, ::-1], P):  # from 0.2 on two rows are taken for a yes, and all three for a no
        assert precision(Y, proba, labels=["yes", "no"], threshold=0.2) == 1 / 2


def test_labels_name_classes_that_do_not_occur():
    rows = [0, 0], [[0.2, 0.8, 0], [0.5, 0.25, 0.25]]
    np.testing.assert_allclose(true_class_proba(*rows, labels=[1, 0, 2]), [0.8, 0.25])
    assert classes_of(*rows, labels=[1, 0, 2]) == [1, 0, 2]


def test_a_single_class_requires_pos_label_or_labels():
    with pytest.raises(DataError, match=r"y_true has one class \(0\).* pass pos_label= or labels="):
        log_loss([0, 0], [0.2, 0.3])
    for options in [{"pos_label": 1}, {"labels": [0, 1]}]:
        np.testing.assert_allclose(true_class_proba([0, 0], [0.2, 0.3], **options), [0.8, 0.7])
    np.testing.assert_allclose(true_class_proba([1, 1], [0.2, 0.3], pos_label=1), [0.2, 0.3])


def test_a_model_of_one_class_is_certain():
    np.testing.assert_array_equal(true_class_proba(["a", "a"], [[1.0], [1.0]], labels=["a"]), [1, 1])


def test_truth_values_and_numbers_are_labels():
    np.testing.assert_allclose(true_class_proba([False, True, False], P), [0.9, 0.7, 0.6])
    np.testing.assert_allclose(true_class_proba([0.0, 1.0, 0.0], P, pos_label=1), [0.9, 0.7, 0.6])


def test_a_row_of_weight_0_is_ignored():
    """Its probability and its class may be missing, or its class may be one that no other row has."""
    rows, weight = (["a", "b", "c", None], [0.2, 0.7, np.nan, 9]), [1, 2, 0, 0]
    np.testing.assert_allclose(true_class_proba(*rows, sample_weight=weight), [0.8, 0.7, 1, 1])  # 0 bits are lost
    assert log_loss(*rows, sample_weight=weight) == pytest.approx(-(np.log(0.8) + 2 * np.log(0.7)) / 3)
    assert classes_of(*rows, sample_weight=weight) == ["a", "b"]


def test_single_precision_may_sum_less_exactly():
    rows = np.full((2, 3), 1 / 3, dtype=np.float32) + np.float32(1e-5)
    assert log_loss([0, 1], rows, labels=[0, 1, 2]) == pytest.approx(np.log(3), abs=1e-4)
    with pytest.raises(DataError, match="do not sum to 1"):
        log_loss([0, 1], np.full((2, 3), 1 / 3 + 1e-5), labels=[0, 1, 2])


@pytest.mark.parametrize(
    ("proba", "message"),
    [
        ([0.1, np.nan, 0.4], r"y_proba has 1 NaN \(first at row 1\); drop those rows or set their weight to 0"),
        (pd.Series([0.1, None, 0.4], dtype="Float64"), r"y_proba has 1 NaN \(first at row 1\)"),
        (pl.Series([0.1, None, 0.4]), r"y_proba has 1 NaN \(first at row 1\)"),
        (np.ma.masked_equal(P, 0.4), r"y_proba has 1 NaN \(first at row 2\)"),
        ([0.1, 1.2, np.inf], r"2 value\(s\) outside \[0, 1\] \(first at row 1\); pass probabilities"),
        ([0.1, -0.2, 0], r"1 value\(s\) outside"),
        ([[0.5, 0.5], [0.3, 0.3], [1, 0]], r"1 row\(s\) that do not sum to 1 \(first at row 1\)"),
        ([0.1, 0.2], r"y_true has 3 rows, y_proba 2"),
        (np.zeros((3, 2, 2)), r"y_proba has shape \(3, 2, 2\)"),
        (np.zeros((3, 0)), r"y_proba has shape \(3, 0\)"),
        (np.full((3, 3), 1 / 3), r"y_proba has 3 column\(s\) for 2 classes of y_true \('no' and 'yes'\); pass labels="),
        (None, r"y_proba has shape \(\)"),
        (0.5, r"y_proba has shape \(\)"),
        ([], r"y_proba has shape \(0,\)"),
    ],
)
def test_wrong_probabilities_raise_errors_that_name_them(proba, message):
    with pytest.raises(DataError, match=message):
        log_loss(Y, proba)


@pytest.mark.parametrize("proba", [["a", "b", "c"], [{}, {}, {}], [[0.5], [0.5, 0.5], [1]]])
def test_values_that_are_not_numbers_raise_an_error(proba):
    with pytest.raises(DataTypeError, match="y_proba must hold numbers"):
        log_loss(Y, proba)


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (["a", "b", "c"], {}, r"y_proba has 1 column\(s\) for 3 classes of y_true"),
        (Y, {"labels": ["no", "maybe"]}, r"1 row\(s\) \(first at row 1\) of classes without a column, such as 'yes'"),
        (Y, {"labels": ["no", "no"]}, "each once"),
        (Y, {"labels": []}, "each once"),
        (Y, {"labels": ["a", "b", "c"]}, r"y_proba has 1 column\(s\) for 3 classes of labels"),
        (Y, {"pos_label": "yess", "labels": ["no", "yes"]}, r"pos_label is 'yess'.* Did you mean 'yes'\?"),
        (["no", None, "yes"], {}, r"y_true has 1 missing label\(s\) \(first at row 1\)"),
        (Y, {"sample_weight": [1, -1, 1]}, r"sample_weight has 1 negative value\(s\) \(first at row 1\)"),
        (Y, {"sample_weight": [0, 0, 0]}, "sample_weight is zero for every row"),
        (Y, {"sample_weight": [1, 2]}, r"sample_weight has shape \(2,\)"),
    ],
)
def test_wrong_labels_and_weights_raise_errors_that_name_them(labels, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        log_loss(labels, P, **options)
    assert isinstance(caught.value, DataError | ParameterError)


def test_pos_label_must_be_a_class_of_the_column():
    with pytest.raises(ParameterError, match=r"pos_label is 'yess', which is not a class.* Did you mean 'yes'\?"):
        log_loss(Y, P, pos_label="yess")
    with pytest.raises(DataTypeError, match="y_true is None"):
        log_loss(None, P)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_named_like_the_classes_are_matched_by_name(frame):
    y, proba = ["b", "c", "a", "c"], np.array([[0.1, 0.7, 0.2], [0.2, 0.2, 0.6], [0.5, 0.4, 0.1], [0.3, 0.3, 0.4]])
    turned = frame({name: proba[:, "abc".index(name)] for name in "cab"})
    for metric in (log_loss, accuracy, auc):
        assert metric(y, turned) == pytest.approx(metric(y, proba), rel=1e-12)


def test_columns_are_matched_by_the_text_of_a_class_too():
    proba = pl.DataFrame({"1": [0.9, 0.2], "0": [0.1, 0.8]})
    assert accuracy([1, 0], proba) == 1.0


def test_a_frame_names_classes_that_have_no_row():
    proba = pd.DataFrame({"c": [0.1, 0.2], "b": [0.2, 0.7], "a": [0.7, 0.1]})
    assert classes_of(["a", "b"], proba) == ["a", "b", "c"]  # sorted, as without a frame
    np.testing.assert_allclose(true_class_proba(["a", "b"], proba), [0.7, 0.7])


def test_default_column_names_are_no_classes():
    with pytest.raises(DataError, match="pass labels="):
        log_loss([1, 2], pd.DataFrame([[0.1, 0.2, 0.7], [0.2, 0.3, 0.5]]))
    assert accuracy([1, 2], pd.DataFrame([[0.8, 0.2], [0.2, 0.8]])) == 1.0
