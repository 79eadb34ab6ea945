"""Calibrators of two classes against the packages of those who proposed them."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from calibrant.calibration import Beta, QuadraticLogit, Temperature, VennAbers

MADE = json.loads(Path(__file__).with_name("binary_calibrators.json").read_text())
QUERIES = np.array(MADE["queries"])
INNER = QUERIES.clip(0.01, 0.99)
FORMS = ["abm", "am", "ab"]
NEGATIVE = ("one side flat", "ab")  # betacal lets b become -1.63 there


@pytest.fixture(params=list(MADE["sets"]))
def made(request):
    return MADE["sets"][request.param]


@pytest.mark.parametrize(("name", "form"), [pair for pair in product(MADE["sets"], FORMS) if pair != NEGATIVE])
def test_beta_is_betacals(name, form):
    made = MADE["sets"][name]
    found = Beta(form=form).fit(made["scores"], made["y"]).predict(INNER)
    np.testing.assert_allclose(found, made["betacal"][form], atol=2e-6)
    np.testing.assert_allclose(found, made["betacal as it is"][form], atol=1e-3)


def test_temperature_is_that_of_probmetrics(made):
    found = Temperature().fit(made["scores"], made["y"])
    assert found.temperature_ == pytest.approx(made["probmetrics temperature"], rel=1e-5)


def test_quadratic_logit_is_the_quadratic_scaling_of_probmetrics(made):
    found = QuadraticLogit(penalty=0, monotone=False, smooth=False).fit(made["scores"], made["y"])
    np.testing.assert_allclose(found.predict(INNER), made["probmetrics quadratic"], atol=1e-3)


def test_venn_abers_is_that_of_its_authors(made):
    venn = VennAbers().fit(made["scores"], made["y"])
    np.testing.assert_allclose(np.stack(venn.predict_pair(QUERIES), axis=1), made["venn-abers"]["pairs"], atol=1e-12)
    np.testing.assert_allclose(venn.predict(QUERIES), made["venn-abers"]["proba"], atol=1e-12)


def test_cross_venn_abers_is_that_of_its_authors(made):
    folds = np.arange(len(made["y"])) % 3
    crossed = VennAbers().fit(made["scores"], made["y"], folds=folds)
    np.testing.assert_allclose(crossed.predict(QUERIES), made["venn-abers"]["cross"], atol=1e-12)
