"""Plans, estimates and costs: each parameter accepts a junk value or raises an error of calibrant."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.hostile.calls import PROBA, SCORES, N, X, Y, plans, required
from tests.hostile.junk import JUNK, outcome

from calibrant import estimates
from calibrant.calibration import Isotonic, calibrator_from_dict, merge_pairs
from calibrant.curves import Costs, hull_of, threshold_table
from calibrant.decisions import CostMatrix, ExampleCosts
from calibrant.exceptions import CalibrantError
from calibrant.metrics import auc, aulc
from calibrant.trees import ProbabilityTreeClassifier

ESTIMATES = ("Curtailment", "HierarchicalShrinkage", "KernelDensity", "MBranch", "MEstimate", "PathAverage")


def _split(kind: type[Any], params: dict[str, Any]) -> None:
    list(kind(**{**required(kind), **params}).split(X, Y, np.arange(N) % 4))


def _grow(kind: type[Any], params: dict[str, Any]) -> Any:
    return ProbabilityTreeClassifier(estimate=kind(**params)).fit(X, Y).predict_proba(X)


def _decide(kind: type[Any], params: dict[str, Any]) -> None:
    given = {CostMatrix: {"matrix": [[0, 1], [2, 0]]}, ExampleCosts: {"cost": 1.0, "benefit": 2.0}}.get(kind, {})
    costs = kind(**{**given, **params})
    if kind is not Costs:
        costs.expected(np.array([[0.2, 0.8], [0.4, 0.6]]))


def _cases() -> list[Any]:
    uses: list[tuple[type[Any], Callable[..., Any]]] = [
        *((kind, _split) for kind in plans()),
        *((getattr(estimates, name), _grow) for name in ESTIMATES),
        *((kind, _decide) for kind in (CostMatrix, ExampleCosts, Costs)),
    ]
    return [
        pytest.param(kind, use, name, id=f"{kind.__name__}-{name}")
        for kind, use in uses
        for name in inspect.signature(kind).parameters
    ]


@pytest.mark.parametrize(("kind", "use", "name"), _cases())
def test_a_junk_parameter_is_accepted_or_raises_our_error(kind: type[Any], use: Callable[..., Any], name: str) -> None:
    found = {junk: outcome(lambda value=value: use(kind, {name: value})) for junk, value in JUNK.items()}
    assert {junk: wrong for junk, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: auc(Y, PROBA, pos_label=np.array([0, 1])), r"pos_label must be one class; got array\(\[0, 1\]\)"),
        (lambda: auc(Y, PROBA, labels=[0, float("nan")]), "labels must be the classes in the order of the columns"),
        (lambda: aulc(Y, PROBA, step=5e-324), r"step must be a number in \[1e-06, 1\] or None; got 5e-324"),
        (lambda: threshold_table(Y, PROBA, thresholds="half"), "thresholds must be a list of numbers; got 'half'"),
        (lambda: hull_of({"a": 1}), "curves must be a dict of name to ROC curve; got {'a': 1}"),
        (lambda: calibrator_from_dict("platt"), "written must be what to_dict of a calibrator returns; got 'platt'"),
        (lambda: merge_pairs(0.3, [0.2]), "p0 and p1 must be of one shape, a row for each predictor"),
        (lambda: merge_pairs("low", [0.2]), "p0 and p1 must hold numbers"),
        (lambda: Isotonic().fit(SCORES, Y, labels=5), "labels must be the classes in the order of the columns; got 5"),
    ],
)
def test_what_a_function_says_to_a_junk_option(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(CalibrantError, match=words):
        call()
