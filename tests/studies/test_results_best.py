"""The best of many methods, found by hand and by plans that leave nothing to correct."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.studies.results_of_trials import dataset_plan, folds, of_performance, results

from calibrant.exceptions import StudyError
from calibrant.resampling import CrossValidation, Holdout, Nested, RepeatedHoldout, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

METHODS = ["tree", "forest", "bayes"]
ERRORS = np.array([[0.3, 0.2, 0.4], [0.1, 0.4, 0.3], [0.2, 0.3, 0.2]])


def by_all_draws(errors: np.ndarray) -> float:
    """Return the corrected score by every one of the n ** n draws, which are equally probable."""
    n = errors.shape[1]
    read: list[list[float]] = [[] for _ in range(n)]
    for draw in product(range(n), repeat=n):
        chosen = errors[:, list(draw)].sum(axis=1).argmin()
        for fold in set(range(n)) - set(draw):
            read[fold].append(errors[chosen, fold])
    return float(np.mean([np.mean(each) for each in read]))


def test_the_corrected_score_is_the_mean_over_all_draws_of_folds() -> None:
    found = results({"iris": ERRORS}, METHODS, folds(3)).best("mse")
    assert (found.method, found.apparent) == ("bayes", pytest.approx(0.7 / 3))
    assert found.corrected == pytest.approx(by_all_draws(ERRORS), abs=0.01)
    assert found.corrected > found.apparent
    assert np.isnan(found.low)  # values of splits alone have no interval
    assert (found.n_methods, found.correction, sum(found.choices.values())) == (3, "folds", pytest.approx(1.0))


def test_repeats_are_corrected_one_by_one() -> None:
    """Folds of another repeat test the same rows: with them a choice would see the rows that it is tested on."""
    twice = np.hstack([ERRORS, ERRORS[:, ::-1]])
    found = results({"iris": twice}, METHODS, folds(3, 2)).best("mse")
    assert found.corrected == pytest.approx(by_all_draws(ERRORS), abs=0.01)


def test_higher_may_be_better() -> None:
    found = results({"iris": 1 - ERRORS}, METHODS, folds(3), "auc").best("auc")
    assert (found.method, found.corrected) == ("bayes", pytest.approx(1 - by_all_draws(ERRORS), abs=0.01))


def test_a_method_that_is_best_in_every_fold_needs_no_correction() -> None:
    found = results({"iris": np.array([[0.3, 0.2, 0.4], [0.1, 0.1, 0.2]])}, METHODS[:2], folds(3)).best("mse")
    assert found.corrected == pytest.approx(found.apparent)
    assert found.choices == {"forest": 1.0}


def test_a_single_method_was_not_chosen() -> None:
    found = results({"iris": ERRORS[:1]}, METHODS[:1], folds(3)).best("mse")
    assert (found.apparent, found.corrected, found.correction) == (pytest.approx(0.3), found.apparent, "nothing chosen")
    assert "flattered" not in repr(found)


def test_one_split_without_predictions_cannot_be_corrected() -> None:
    study = results({"iris": ERRORS[:, :1]}, METHODS, dataset_plan(Holdout(), ["1"], [20], [10]))
    found = study.best("mse")
    assert (found.method, found.apparent, found.correction) == ("forest", 0.1, "none")
    assert math.isnan(found.corrected)
    assert "No correction is possible: there is one split, and the predictions were not kept" in repr(found)


def test_splits_that_overlap_cannot_be_corrected_without_predictions() -> None:
    plan = dataset_plan(RepeatedHoldout(3), ["1", "2", "3"], [20] * 3, [10] * 3)
    found = results({"iris": ERRORS}, METHODS, plan).best("mse")
    assert math.isnan(found.corrected)
    assert "the test rows of the splits overlap, and the predictions were not kept" in found.how


@pytest.mark.parametrize("plan", [Holdout(), RepeatedHoldout(3)])
def test_predictions_that_were_kept_correct_the_choice_by_rows(plan: object) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(150, 1)), random.integers(0, 2, 150)
    guesses = {f"guess {i}": DummyClassifier(strategy="stratified", random_state=i) for i in range(20)}
    performance = estimate_performance(guesses, X, y, plan, ["error"])
    found = of_performance("rows", performance, plan).best("error")
    assert found.correction == "rows"
    assert found.apparent == min(performance.mean("error", name) for name in guesses)
    assert found.apparent < found.corrected
    assert abs(found.corrected - 0.5) < abs(found.apparent - 0.5)


def test_a_nested_plan_has_its_own_score() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(90, 3)), random.integers(0, 2, 90)
    trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace", "m")}
    plan = Nested(CrossValidation(3), CrossValidation(2))
    performance = estimate_performance(trees, X, y, plan, ["mse"])
    found = of_performance("rows", performance, plan, candidates=list(trees)).best("mse")
    assert (found.corrected, found.correction, found.n_methods) == (performance.mean("mse"), "nested", 3)
    assert (found.low, found.high) == performance.intervals["chosen", "mse"]
    assert found.choices == {name: performance.choices.count(name) / 3 for name in dict.fromkeys(performance.choices)}
    assert math.isnan(found.apparent)


def test_over_data_sets_the_best_mean_rank_wins_and_other_data_sets_correct_it() -> None:
    values = {f"set {i}": row[:, np.newaxis] for i, row in enumerate(ERRORS.T)}
    found = results(values, METHODS, folds(1)).best("mse")
    ranks = np.array([[3, 1, 2], [1, 3, 2], [3, 2, 1]])  # of the methods on each data set
    assert (found.method, found.mean_rank) == ("bayes", pytest.approx(ranks.mean(axis=0).min()))
    assert (found.dataset, found.correction, found.apparent) == (None, "data sets", pytest.approx(0.7 / 3))
    read: list[list[tuple[float, float]]] = [[], [], []]
    for draw in product(range(3), repeat=3):
        chosen = ranks[list(draw)].sum(axis=0).argmin()
        for dataset in set(range(3)) - set(draw):
            read[dataset].append((ERRORS[chosen, dataset], ranks[dataset, chosen]))
    score, rank = np.mean([np.mean(each, axis=0) for each in read], axis=0)
    assert found.corrected == pytest.approx(score, abs=0.01)
    assert found.corrected_mean_rank == pytest.approx(rank, abs=0.05)


def test_one_of_several_data_sets_may_be_chosen() -> None:
    study = results({"iris": ERRORS, "wine": ERRORS[::-1]}, METHODS, folds(3))
    assert (study.best("mse", "iris").method, study.best("mse", "wine").method) == ("bayes", "tree")


def test_the_same_study_has_the_same_corrected_score() -> None:
    study = results({"iris": ERRORS}, METHODS, folds(3))
    assert study.best("mse").corrected == study.best("mse").corrected


def test_incomplete_studies_and_unknown_directions_are_refused() -> None:
    study = results({"iris": ERRORS}, METHODS, folds(3), missing={("iris", "tree", 0)})
    with pytest.raises(StudyError, match=r"is not complete: .*iris, tree \(1 missing of 3\)"):
        study.best("mse")
    assert study.best("mse", partial=True).method == "bayes"
    own = results({"iris": ERRORS}, METHODS, folds(3), "mine", own_metrics={"mine"})
    with pytest.raises(StudyError, match="pass better='higher' or better='lower'"):
        own.best("mine")
    assert own.best("mine", better="lower").method == "bayes"
