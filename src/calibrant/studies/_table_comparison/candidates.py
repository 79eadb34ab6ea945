"""The methods that a table is tried with: the usual ones, each as it is and calibrated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier
from calibrant.trees import ProbabilityTreeClassifier

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BASELINE", "CALIBRATED", "candidates"]

BASELINE = "base rate"
CALIBRATED = "calibrated "
_HELD_OUT = ("forest", "ProbabilityClassifier")  # these score their own training rows held out: one fit instead of six


def candidates(kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the methods by name, the quickest first; a calibrated one follows the one that it calibrates.

    The base rate is a constant, which leaves nothing to calibrate.

    Examples
    --------
    >>> list(candidates({"age": "numeric"}))[:4]
    ['base rate', 'naive Bayes', 'calibrated naive Bayes', 'logistic regression']
    """
    plain = {
        "naive Bayes": NaiveBayesClassifier(),
        "logistic regression": logistic_regression(kinds),
        "tree": ProbabilityTreeClassifier(),
        "forest": BaggedTreesClassifier(),
        "ProbabilityClassifier": ProbabilityClassifier(),
        "boosted trees": BoostedTreesClassifier(),
    }
    methods: dict[str, Any] = {BASELINE: ConstantClassifier()}
    for name, estimator in plain.items():
        methods[name] = estimator
        methods[f"{CALIBRATED}{name}"] = CalibratedClassifier(estimator, cv="oob" if name in _HELD_OUT else 5)
    return methods


def logistic_regression(kinds: Mapping[str, str]) -> Any:
    """Return scikit-learn's logistic regression: numbers imputed by medians and scaled, categories as indicators."""
    numeric = [name for name, kind in kinds.items() if kind == "numeric"]
    nominal = [name for name, kind in kinds.items() if kind != "numeric"]
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    parts = [("numeric", numbers, numeric), ("nominal", OneHotEncoder(handle_unknown="ignore"), nominal)]
    columns = ColumnTransformer([part for part in parts if part[2]])
    return make_pipeline(columns, LogisticRegression(max_iter=1_000))
