"""The methods that a table is tried with: the usual ones, each as it is and calibrated."""

from __future__ import annotations

from typing import Any

__all__ = ["BASELINE", "CALIBRATED", "candidates"]

BASELINE = "base rate"
CALIBRATED = "calibrated "
_HELD_OUT = ("forest", "ProbabilityClassifier")  # these score their own training rows held out: one fit instead of six


def candidates() -> dict[str, Any]:
    """Return the methods by name, the quickest first; a calibrated one follows the one that it calibrates.

    The base rate is a constant, which leaves nothing to calibrate.

    Examples
    --------
    >>> list(candidates())[:4]
    ['base rate', 'naive Bayes', 'calibrated naive Bayes', 'logistic regression']
    """
    # Estimators of all packages are slow to import, and studies are also imported for their tables.
    from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
    from calibrant.blending import ProbabilityClassifier
    from calibrant.calibration import CalibratedClassifier
    from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier
    from calibrant.linear import LogisticClassifier
    from calibrant.trees import ProbabilityTreeClassifier

    plain = {
        "naive Bayes": NaiveBayesClassifier(),
        "logistic regression": LogisticClassifier(),
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
