"""The frame of all trials."""

from __future__ import annotations

import numpy as np
from tests.studies.results_of_trials import columns_of, dataset_plan, folds, results

from calibrant.resampling import Bootstrap632
from calibrant.studies._results.read_study import read_results


def test_every_trial_is_a_row_in_the_order_of_the_study() -> None:
    values = {"wine": [[0.1, 0.2], [0.3, 0.4]], "iris": [[0.5, 0.6], [0.7, 0.8]]}
    columns = columns_of({("test", "mse"): values, ("training", "mse"): values}, ["tree", "bayes"])
    shuffled = np.random.default_rng(0).permutation(8)
    columns = {name: np.array(column, dtype=object)[shuffled] for name, column in columns.items()}
    columns |= {key: columns[key].astype(float) for key in columns if isinstance(key, tuple)}
    columns["seed"], columns["versions"] = np.arange(8)[shuffled], [{"calibrant": "1.0", "numpy": "2.0"}] * 8
    names = {"datasets": list(values), "methods": ["tree", "bayes"], "metrics": ["mse"]}
    frame = read_results("test", columns, **names, plans=dict.fromkeys(values, folds(2))).to_frame()
    assert list(frame) == ["dataset", "method", "split", "state", "seed", "mse", "training_mse", "versions", "failure"]
    assert frame["mse"].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert frame["dataset"].tolist() == ["wine"] * 4 + ["iris"] * 4
    assert frame["seed"].tolist() == list(range(8))
    assert frame["versions"][0] == "calibrant 1.0, numpy 2.0"


def test_a_failed_trial_has_the_line_that_names_its_error() -> None:
    study = results({"iris": [[0.1, 0.2]]}, ["tree"], folds(2), failed={("iris", "tree", 1)})
    frame = study.to_frame()
    assert frame["state"].tolist() == ["done", "failed"]
    assert frame["failure"].tolist() == ["", "ValueError: no rows"]


def test_missing_trials_are_added_on_request() -> None:
    study = results({"iris": [[0.1, 0.2, 0.3]]}, ["tree"], folds(3), missing={("iris", "tree", 1)})
    assert len(study.to_frame()) == 2
    frame = study.to_frame(missing=True)
    assert frame["state"].tolist() == ["done", "missing", "done"]
    assert frame["split_name"].tolist()[1] == "split 2"


def test_a_missing_fit_to_all_rows_is_a_missing_trial() -> None:
    plan = dataset_plan(Bootstrap632(2, plus=True), ["1", "2"], [60, 60], [40, 40])
    frame = results({"iris": [[0.2, 0.4]]}, ["tree"], plan, "error").to_frame(missing=True)
    assert frame["split"].tolist() == [-1, 0, 1]
    assert frame["split_name"].tolist()[0] == "all rows"
