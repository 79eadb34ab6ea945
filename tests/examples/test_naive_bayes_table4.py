"""Naive Bayes in Table 4 of Zadrozny & Elkan (2001): constants to the last digit, and the claims that hold here too."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def script(example):
    return example("naive_bayes_table4")


@pytest.fixture(scope="module")
def coil(script, papers_data):
    return script.load("zadrozny.coil", papers_data)


@pytest.fixture(scope="module")
def seven(script, coil):
    columns = script.most_informative(coil, 7)
    return {numeric: script.bayes_errors(coil, columns, numeric) for numeric in script.NUMERIC}


@pytest.fixture(scope="module")
def all_columns(script, coil):
    return {numeric: script.bayes_errors(coil, coil.X.columns.tolist(), numeric) for numeric in script.NUMERIC}


@pytest.mark.parametrize("name", ["All base rate", "All zero", "All one"])
def test_the_constant_rows_agree_to_the_last_digit(script, coil, name):
    train, test = script.constant_errors(coil)[name]
    assert (round(train, 5), round(test, 5)) == script.PAPER[name]


@pytest.mark.parametrize("numeric", ["mdl", "gaussian", "kernel", "equal_width"])
def test_binning_makes_naive_bayes_better_than_the_base_rate(script, seven, all_columns, numeric):
    for errors in (seven[numeric], all_columns[numeric]):
        for part in (0, 1):
            base_rate = script.PAPER["All base rate"][part]
            assert errors["Binned naive Bayes"][part] < base_rate < errors["Naive Bayes"][part]


@pytest.mark.parametrize("numeric", ["mdl", "gaussian", "kernel", "equal_width"])
def test_binned_errors_are_within_two_percent_of_the_papers(script, seven, all_columns, numeric):
    for errors in (seven[numeric], all_columns[numeric]):
        assert errors["Binned naive Bayes"] == pytest.approx(script.PAPER["Binned naive Bayes"], rel=0.02)


def test_seven_columns_have_about_the_papers_error(script, seven):
    assert seven["mdl"]["Naive Bayes"] == pytest.approx(script.PAPER["Naive Bayes"], rel=0.012)
    for errors in seven.values():
        assert errors["Naive Bayes"] == pytest.approx(script.PAPER["Naive Bayes"], rel=0.05)


def test_all_columns_are_far_overconfident(script, all_columns):
    for errors in all_columns.values():
        assert errors["Naive Bayes"][1] > 1.8 * script.PAPER["Naive Bayes"][1]
