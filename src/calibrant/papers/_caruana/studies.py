"""The studies of the reproduction: each problem on its tables, the choice of the default grid, and the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.papers._caruana.algorithms import AUTO, PAPER_MAPS, boosted_trees, coded_models, methods_of, tree_models
from calibrant.papers._caruana.metrics import TRIAL_METRIC_PARAMS, TRIAL_METRICS
from calibrant.papers._caruana.problems import PROBLEMS, Problem, RowNumbers, problem_table
from calibrant.papers._caruana.scales import CHOICE_GRID, CHOICE_PROBLEM, SCALES
from calibrant.papers._reproduction.paper import Size
from calibrant.studies import Dataset, Study

CHOICE = "choice"
FIGURES = "figures"  # prefix of the studies that keep predictions


def make_studies(size: Size, store: str) -> dict[str, Study]:
    """Return a study for each problem and table, one of the choice of the grid, and those of the figures."""
    prefix, scale = f"caruana-niculescu-mizil-2004 {size}", SCALES[size]
    made: dict[str, Study] = {}
    for problem in map(PROBLEMS.__getitem__, scale.problems):
        trees, coded = (methods_of(models(scale.grid), scale.maps) for models in (tree_models, coded_models))
        if scale.auto_grid is not None:
            trees |= methods_of(tree_models(scale.auto_grid), (AUTO,))
            coded |= methods_of(coded_models(scale.auto_grid), (AUTO,))
        parts = {problem.name: trees | coded}
        if problem.table != problem.coded:
            parts = {problem.name: trees, f"{problem.name} coded": coded}
        for name, methods in parts.items():
            is_coded = methods is coded
            made[name] = _study(f"{prefix} {name}", problem, scale.rows, scale.n_samples, methods, store, is_coded)
        n_training, n_validation, n_test = scale.rows.of(problem)
        boosted = boosted_trees(scale.grid.boosted_styles[0], max(scale.grid.boosting_steps))
        name = f"{FIGURES} {problem.name}"
        made[name] = Study(
            f"{prefix} {name}",
            datasets=[problem_table(problem, scale.rows, 1, coded=False)],
            methods=methods_of([("BST-DT", *boosted)], PAPER_MAPS),
            plan=[(np.arange(n_training), np.arange(n_test) + n_training + n_validation)],
            metrics=["rms"],
            store=store,
            keep_predictions=True,
        )
    if scale.has_choice:
        methods = methods_of([*tree_models(CHOICE_GRID), *coded_models(CHOICE_GRID)], PAPER_MAPS)
        made[CHOICE] = _study(f"{prefix} {CHOICE}", PROBLEMS[CHOICE_PROBLEM], scale.rows, 1, methods, store)
    return made


def _study(
    name: str,
    problem: Problem,
    rows: RowNumbers,
    n_samples: int,
    methods: Mapping[str, Any],
    store: str,
    is_coded: bool = False,
) -> Study:
    """Return a study of one problem: a data set for each sample of rows, with one split."""
    tables = (problem_table(problem, rows, sample + 1, coded=is_coded) for sample in range(n_samples))
    n_training, n_validation, n_test = rows.of(problem)
    return Study(
        name,
        datasets={table.name: Dataset(table) for table in tables},
        methods=methods,
        plan=[(np.arange(n_training), np.arange(n_validation + n_test) + n_training)],
        metrics=TRIAL_METRICS,
        metric_params=TRIAL_METRIC_PARAMS,
        store=store,
        keep_predictions=False,
    )
