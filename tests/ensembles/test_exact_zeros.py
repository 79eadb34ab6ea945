"""MOB-ESP gives classes that occur a probability of exactly 0; calibration on out-of-bag rows is the remedy."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import MOBESPClassifier


@pytest.mark.parametrize("seed", range(3))
def test_calibration_on_out_of_bag_rows_replaces_the_exact_zeros_of_mob_esp(seed: int) -> None:
    random = np.random.default_rng(seed)
    centers = 1.5 * random.normal(size=(8, 2))
    y, y_test = random.integers(8, size=(2, 300))
    X, X_test = (centers[each] + random.normal(size=(300, 2)) for each in (y, y_test))
    model = MOBESPClassifier(n_trees=50, random_state=seed).fit(X, y)
    calibrated = CalibratedClassifier(model, cv="oob").fit(X, y)
    before, after = (each.predict_proba(X_test)[np.arange(300), y_test] for each in (model, calibrated))
    assert (before == 0).sum() > 15
    assert calibrated.predict_proba(X_test).min() > 0
    assert -np.log(after).mean() < -np.log(np.maximum(before, 1e-6)).mean() - 0.5


def test_the_docstring_of_mob_esp_names_the_remedy() -> None:
    assert 'CalibratedClassifier(MOBESPClassifier(), cv="oob")' in str(MOBESPClassifier.__doc__)
