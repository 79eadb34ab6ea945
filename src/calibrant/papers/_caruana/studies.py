"""The studies of the reproduction: each problem on its tables, the choice of the default grid, and the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.papers._caruana.algorithms import AUTO, PAPER_MAPS, boosted_trees, coded_models, methods_of, tree_models
from calibrant.papers._caruana.metrics import TRIAL_METRIC_PARAMS, TRIAL_METRICS
from calibrant.papers._caruana.problems import PROBLEMS, Problem, RowNumbers, problem_table
from calibrant.papers._caruana.scales import CHOICE_GRID, CHOICE_PROBLEM, Scale
from calibrant.studies import Dataset, Study

CHOICE = "choice"
FIGURES = "figures"  # prefix of the studies that keep predictions


def make_studies(prefix: str, scale: Scale, store: str) -> dict[str, Study]:
    """Return the studies of a scale, by short names: the problems, and what belongs to the grid and the figures.

    Parameters
    ----------
    prefix : str
        What the names in the store begin with.
    scale : Scale
        What is run.
    store : str
        The store.
    """
    made: dict[str, Study] = {}
    for name in scale.problems:
        made |= _problem_studies(prefix, PROBLEMS[name], scale, store)
    if scale.has_choice:
        models = [*tree_models(CHOICE_GRID), *coded_models(CHOICE_GRID)]
        methods = methods_of(iter(models), PAPER_MAPS)
        made[CHOICE] = _study(f"{prefix} {CHOICE}", PROBLEMS[CHOICE_PROBLEM], scale.rows, 1, methods, store)
    return made


def _problem_studies(prefix: str, problem: Problem, scale: Scale, store: str) -> dict[str, Study]:
    trees, coded = (
        methods_of(models(scale.grid), scale.maps) | methods_of(models(scale.auto_grid), (AUTO,))
        for models in (tree_models, coded_models)
    )
    parts: dict[str, dict[str, Any]] = {problem.name: trees | coded}
    if problem.has_two_tables:
        parts = {problem.name: trees, f"{problem.name} coded": coded}
    made = {
        name: _study(f"{prefix} {name}", problem, scale.rows, scale.n_samples, methods, store, coded=methods is coded)
        for name, methods in parts.items()
    }
    setting, estimator = boosted_trees(scale.grid.boosted_styles[0], max(scale.grid.boosting_steps))
    shown = methods_of(iter([("BST-DT", setting, estimator)]), PAPER_MAPS)
    name = f"{FIGURES} {problem.name}"
    made[name] = _figure_study(f"{prefix} {name}", problem, scale.rows, shown, store)
    return made


def _study(
    name: str,
    problem: Problem,
    rows: RowNumbers,
    n_samples: int,
    methods: Mapping[str, Any],
    store: str,
    *,
    coded: bool = False,
) -> Study:
    """Return a study of one problem: a data set for each sample of rows, with one split."""
    tables = (problem_table(problem, rows, sample + 1, coded=coded) for sample in range(n_samples))
    return Study(
        name,
        datasets={table.name: Dataset(table) for table in tables},
        methods=methods,
        plan=_plan(*rows.of(problem)),
        metrics=TRIAL_METRICS,
        metric_params=TRIAL_METRIC_PARAMS,
        store=store,
        keep_predictions=False,
    )


def _figure_study(name: str, problem: Problem, rows: RowNumbers, methods: Mapping[str, Any], store: str) -> Study:
    """Return a study that keeps the predictions for the test rows of the first sample."""
    table = problem_table(problem, rows, 1, coded=False)
    n_training, n_validation, n_test = rows.of(problem)
    plan = _plan(n_training, 0, n_test, start=n_training + n_validation)
    return Study(
        name, datasets=[table], methods=methods, plan=plan, metrics=["rms"], store=store, keep_predictions=True
    )


def _plan(n_training: int, n_validation: int, n_test: int, start: int | None = None) -> list[Any]:
    """Return the split of a sample: its first rows to fit, those from `start` on, by default all others, to predict."""
    first = n_training if start is None else start
    return [(np.arange(n_training), np.arange(first, first + n_validation + n_test))]
