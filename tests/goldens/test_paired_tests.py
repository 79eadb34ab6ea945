"""The paired and the corrected resampled t-test against Weka 3.9.7: 10 times 10 folds on four data sets.

Figures: CALIBRANT_GOLDENS, described in its README.md. P-values within 1e-6 of their size: printed digits.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibrant.comparison import corrected_resampled_t_test, paired_t_test


def test_p_values_and_verdicts_are_wekas(goldens: Path) -> None:
    runs = json.loads((goldens / "weka" / "paired_tests.json").read_text("utf-8"))
    tests = [(run["percent_correct"], test) for run in runs for test in run["tests"]]
    assert len(tests) == 24
    for values, weka in tests:
        a, b = values[weka["x"]], values[weka["y"]]
        is_corrected = weka["test"].startswith("PairedStatsCorrected")
        ours = corrected_resampled_t_test(a, b, n_train=9, n_test=1) if is_corrected else paired_t_test(a, b)
        assert ours.pvalue == pytest.approx(weka["probability"], rel=1e-6, abs=1e-12)
        assert ours.difference == pytest.approx(weka["diff_mean"], rel=1e-6, abs=1e-9)
        assert ours.df == weka["count"] - 1
        assert np.sign(ours.difference) * (ours.pvalue <= 0.05) == weka["significance"]
