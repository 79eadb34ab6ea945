"""Trials share exactly the work that a plan says they share."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant import _core
from calibrant.ensembles import BaggedTreesClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.resampling import Bootstrap632, CrossValidation, Nested
from calibrant.resampling._internal import Experiment
from calibrant.resampling._trials import coded_rows, fitting
from calibrant.trees import ProbabilityTreeClassifier

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(60, 3)), np.array([0, 1] * 30)
TREES = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace", "m")}
FORESTS = {kind: BaggedTreesClassifier(n_trees=2, out_of_bag=kind) for kind in ("ignore", "count")}


SEEDED = {"n_trees": 2, "random_state": 0}
READINGS = {"eb": EBPETsClassifier(**SEEDED), "mob": MOBESPClassifier(**SEEDED)}
DEEPER = {"deeper": ProbabilityTreeClassifier(min_leaf=1)}
SEEDS = {str(seed): BaggedTreesClassifier(n_trees=2, random_state=seed) for seed in (0, 1)}


@pytest.mark.parametrize(
    ("methods", "plan", "text"),
    [
        (TREES, CrossValidation(4), "12 trials: 4 growths instead of 12, 1 coding instead of 4."),
        (TREES | FORESTS, CrossValidation(4), "20 trials: 8 growths instead of 20, 1 coding instead of 8."),
        (TREES | DEEPER, CrossValidation(4), "16 trials: 8 growths instead of 16, 1 coding instead of 8."),
        (READINGS, CrossValidation(4), "8 trials: 4 growths instead of 8, 1 coding instead of 4."),
        (SEEDS, CrossValidation(4), "8 trials: 1 coding instead of 8."),
        (
            TREES | {"bayes": GaussianNB()},
            CrossValidation(4),
            "16 trials: 8 fits instead of 16, 1 coding instead of 4.",
        ),
        ({"bayes": GaussianNB()}, CrossValidation(4), "4 trials: nothing is shared."),
        (TREES, Bootstrap632(3, plus=True), "12 trials: 4 growths instead of 12, 1 coding instead of 4."),
        (TREES, Nested(3, CrossValidation(2)), "3 trials: 9 growths instead of 21, 1 coding instead of 9."),
    ],
)
def test_the_sentence_counts_what_is_run(
    methods: dict[str, Any], plan: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codings, fits = [], []
    code_table, fit_head, grow = _core.code_table, fitting._fit_head, coded_rows.CodedTrees.grow
    monkeypatch.setattr(_core, "code_table", lambda *args: codings.append(1) or code_table(*args))
    monkeypatch.setattr(fitting, "_fit_head", lambda *args: fits.append(1) or fit_head(*args))
    monkeypatch.setattr(
        coded_rows.CodedTrees, "grow", lambda self, counts, *args: fits.extend(counts) or grow(self, counts, *args)
    )
    experiment = Experiment.read(methods, X, Y)
    found = experiment.sharing(plan)
    assert found.text == text
    assert not codings
    trials = list(experiment.trials(plan))
    if isinstance(plan, Bootstrap632):
        trials += experiment.trials(plan, splits=[-1])
    assert (len(trials), len(fits), len(codings)) == (found.n_trials, found.n_fits, found.n_codings)


def test_thousands_of_methods_are_grouped_in_a_moment() -> None:
    grid = {
        f"{leaf} {v} {estimate}": ProbabilityTreeClassifier(min_leaf=leaf, confidence=v / 1000, estimate=estimate)
        for leaf in range(1, 11)
        for v in range(1, 51)
        for estimate in ("laplace", "m")
    }
    start = process_time()
    experiment = Experiment.read(grid | {str(i): GaussianNB() for i in range(1000)}, X, Y)
    assert len(experiment.families(CrossValidation())) == 1500
    assert experiment.sharing(CrossValidation()).n_trials == 20_000
    assert process_time() - start < 2
