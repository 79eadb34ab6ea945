"""Comparisons of studies are those of `calibrant.comparison`, corrected for the plan that was used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.studies.results_of_trials import dataset_plan, folds, of_performance, results

from calibrant.comparison import (
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni_dunn,
    corrected_resampled_t_test,
    five_by_two_test,
    holm,
    mcnemar_test,
    nemenyi,
    win_tie_loss,
)
from calibrant.exceptions import ParameterError, StudyError
from calibrant.resampling import (
    AcrossGroups,
    Bootstrap632,
    CrossValidation,
    Holdout,
    Nested,
    RepeatedHoldout,
    estimate_performance,
)
from calibrant.studies import StudyResults
from calibrant.trees import ProbabilityTreeClassifier

RANDOM = np.random.default_rng(0)
TEN = RANDOM.normal([[0.2], [0.16], [0.19]], 0.03, (3, 10))
SETS = {f"set {i}": row[:, np.newaxis] for i, row in enumerate(RANDOM.normal([0.3, 0.2, 0.25, 0.24], 0.03, (12, 4)))}
METHODS = ["tree", "forest", "bayes"]


def table_of(sets: dict[str, Any]) -> np.ndarray:
    return np.concatenate([each.T for each in sets.values()])


def over_sets(methods: list[str], **options: Any) -> StudyResults:
    return results({name: each[: len(methods)] for name, each in SETS.items()}, methods, folds(1, 1), **options)


def test_two_methods_on_one_data_set_have_the_corrected_t_test() -> None:
    found = results({"iris": TEN[:2]}, METHODS[:2], folds(10)).compare("mse")
    expected = corrected_resampled_t_test(TEN[1], TEN[0], n_train=90, n_test=10)
    (pair,) = found.pairs
    assert (pair.a, pair.b, pair.better) == ("forest", "tree", "forest")
    assert (pair.difference, pair.low, pair.high) == (expected.difference, expected.low, expected.high)
    assert pair.pvalue == expected.pvalue
    assert (found.test, found.plan) == ("corrected_resampled_t_test", "10-fold cross-validation, stratified")
    assert math.isnan(pair.adjusted_pvalue)


def test_repeats_do_not_count_as_further_splits() -> None:
    values = RANDOM.normal([[0.2], [0.19]], 0.03, (2, 30))
    found = results({"iris": values}, METHODS[:2], folds(10, 3)).compare("mse")
    assert found.pairs[0].pvalue == corrected_resampled_t_test(values[1], values[0], n_train=9, n_test=1, k=10).pvalue
    assert "repeats do not count" in repr(found)
    weka = results({"iris": values}, METHODS[:2], folds(10, 3)).compare(
        "mse", "corrected_resampled_t_test", test_params={"k": 30}
    )
    assert weka.pairs[0].pvalue == corrected_resampled_t_test(values[1], values[0], n_train=9, n_test=1).pvalue


def test_more_methods_on_one_data_set_are_corrected_by_holm() -> None:
    found = results({"iris": TEN}, METHODS, folds(10)).compare("mse")
    pvalues = [
        corrected_resampled_t_test(TEN[i], TEN[j], n_train=90, n_test=10).pvalue for i, j in ((1, 0), (2, 0), (2, 1))
    ]
    assert [pair.pvalue for pair in found.pairs] == pvalues
    assert [pair.adjusted_pvalue for pair in found.pairs] == holm(pvalues).tolist()
    assert [pair.holds for pair in found.pairs] == [each <= 0.05 for each in holm(pvalues)]


def test_a_reference_is_compared_with_all_others() -> None:
    found = results({"iris": TEN}, METHODS, folds(10)).compare("mse", reference="bayes")
    assert [(pair.a, pair.b) for pair in found.pairs] == [("bayes", "tree"), ("bayes", "forest")]


def test_five_times_two_folds_have_their_own_test() -> None:
    found = results({"iris": TEN[:2]}, METHODS[:2], folds(2, 5)).compare("mse")
    assert found.test == "five_by_two_test"
    assert found.pairs[0].pvalue == five_by_two_test(TEN[1], TEN[0]).pvalue
    f = results({"iris": TEN[:2]}, METHODS[:2], folds(2, 5)).compare(
        "mse", "five_by_two_test", test_params={"statistic": "f"}
    )
    assert f.pairs[0].pvalue == five_by_two_test(TEN[1], TEN[0], statistic="f").pvalue


def test_the_bayesian_test_reports_probabilities() -> None:
    found = results({"iris": TEN[:2]}, METHODS[:2], folds(10)).compare(
        "mse", "bayesian_correlated_t_test", test_params={"rope": 0.01}
    )
    expected = bayesian_correlated_t_test(TEN[1], TEN[0], n_train=90, n_test=10, rope=0.01)
    assert found.pairs[0].probability == expected.less
    assert found.pairs[0].better == ("forest" if expected.less >= 0.95 else "")


def predictions() -> tuple[Any, StudyResults]:
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3))
    y = np.where(X[:, 0] + random.normal(size=300) > 0, "yes", "no")
    trees = {"small": ProbabilityTreeClassifier(min_leaf=30), "large": ProbabilityTreeClassifier(min_leaf=1)}
    found = estimate_performance(trees, X, y, Holdout(), ["error", "log_loss", "ece"])
    return found, of_performance("rows", found, Holdout())


def test_one_split_has_mcnemars_test_of_its_predictions() -> None:
    performance, study = predictions()
    found = study.compare("error", "mcnemar_test")
    labels = {
        name: np.array(["no", "yes"])[performance.pooled(name).y_pred.argmax(axis=1)] for name in performance.methods
    }
    expected = mcnemar_test(performance.pooled("small").y_true, labels["large"], labels["small"])
    assert (found.pairs[0].pvalue, found.pairs[0].difference) == (expected.pvalue, expected.difference)


def test_one_split_is_compared_by_its_rows_as_estimate_performance_compares() -> None:
    performance, study = predictions()
    found = study.compare("log_loss")
    expected = performance.compare("log_loss", "large", "small")
    assert found.test == "paired_rows"
    assert (found.pairs[0].low, found.pairs[0].high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert found.pairs[0].better == {"first": "large", "second": "small", "": ""}[expected.better]


def test_no_test_holds_for_one_split_without_predictions() -> None:
    study = results({"iris": [[0.1], [0.2]]}, METHODS[:2], dataset_plan(Holdout(), ["1"], [100], [50]))
    found = study.compare("mse")
    assert (found.test, found.pairs) == ("", ())
    assert "No test holds: the predictions were not kept." in repr(found)
    assert len(found.to_frame()) == 0


def test_no_test_holds_across_groups_or_for_a_calibration_error_of_one_split() -> None:
    plan = dataset_plan(AcrossGroups(), ["a", "b", "c"], [10] * 3, [10] * 3)
    found = results({"iris": TEN[:2, :3]}, METHODS[:2], plan).compare("mse")
    assert found.reason.startswith("the variance of the splits does not bound what other rows would show")
    assert predictions()[1].compare("ece").reason == "no paired interval of ece is known"


def test_bootstrap_and_repeated_holdout_plans_have_the_corrected_t_test() -> None:
    n = 10
    for plan in (RepeatedHoldout(n), Bootstrap632(n)):
        facts = dataset_plan(plan, [str(i) for i in range(n)], [63] * n, [37] * n)
        expected = corrected_resampled_t_test(TEN[1], TEN[0], n_train=63, n_test=37)
        values = {"iris": TEN[:2]}
        study = results(values, METHODS[:2], facts)
        if isinstance(plan, Bootstrap632):
            parts = {("iris", "mse", part): TEN[:2] / (1 + (part != "test")) for part in ("test", "training")}
            study = StudyResults("test", ("iris",), ("tree", "forest"), ("mse",), study.plans, parts, study.states)
        found = study.compare("mse")
        assert found.pairs[0].pvalue == expected.pvalue
        assert ("out-of-bag" in repr(found)) == isinstance(plan, Bootstrap632)


@pytest.mark.parametrize(("test", "scipy_test"), [("wilcoxon", stats.wilcoxon), ("paired_t_test", stats.ttest_rel)])
def test_two_methods_over_data_sets_have_the_p_values_of_scipy(test: str, scipy_test: Any) -> None:
    table = table_of(SETS)
    found = over_sets(METHODS[:2]).compare("mse", test)
    assert found.pairs[0].pvalue == pytest.approx(scipy_test(table[:, 1], table[:, 0]).pvalue)
    assert found.overall is None


def test_the_default_over_data_sets_is_wilcoxon_with_holm_after_friedman() -> None:
    table = table_of(SETS)
    methods = [*METHODS, "rules"]
    found = over_sets(methods).compare("mse")
    pairs = [(methods.index(pair.a), methods.index(pair.b)) for pair in found.pairs]
    pvalues = [stats.wilcoxon(table[:, i], table[:, j]).pvalue for i, j in pairs]
    np.testing.assert_allclose([pair.pvalue for pair in found.pairs], pvalues)
    np.testing.assert_allclose([pair.adjusted_pvalue for pair in found.pairs], holm(pvalues))
    assert found.overall is not None
    assert found.overall.pvalue == pytest.approx(stats.friedmanchisquare(*table.T).pvalue)
    assert (found.test, len(found.pairs)) == ("wilcoxon", 6)


def test_mean_ranks_are_compared_by_nemenyi_or_with_a_reference_by_dunn() -> None:
    table, methods = table_of(SETS), [*METHODS, "rules"]
    found = over_sets(methods).compare("mse", "nemenyi")
    expected = nemenyi(table, better="lower", methods=methods)
    assert found.ranks == expected
    assert {(pair.a, pair.b): pair.adjusted_pvalue for pair in found.pairs} == expected.pvalues
    held = {frozenset((pair.a, pair.b)) for pair in found.differences}
    far = {
        frozenset(p)
        for p in expected.pvalues
        if abs(expected.mean_ranks[p[0]] - expected.mean_ranks[p[1]]) >= expected.critical_difference
    }
    assert held == far
    dunn = over_sets(methods).compare("mse", "bonferroni_dunn", reference="forest")
    assert dunn.ranks == bonferroni_dunn(table, control="forest", better="lower", methods=methods)


def test_bonferroni_dunn_needs_a_reference() -> None:
    with pytest.raises(StudyError, match="bonferroni_dunn does not hold here: it compares all methods with reference="):
        over_sets(METHODS).compare("mse", "bonferroni_dunn")


def test_the_bayesian_signed_rank_test_over_data_sets() -> None:
    table = table_of(SETS)
    found = over_sets(METHODS[:2]).compare("mse", "bayesian_signed_rank_test")
    expected = bayesian_signed_rank_test(table[:, 1], table[:, 0])
    assert found.pairs[0].probability == expected.less
    assert found.pairs[0].better == "forest"


def test_a_test_that_does_not_hold_is_refused_with_the_reason() -> None:
    one, many = results({"iris": TEN[:2]}, METHODS[:2], folds(10)), over_sets(METHODS[:2])
    for study, test, reason in (
        (one, "wilcoxon", "it compares over data sets, and there is only one"),
        (one, "five_by_two_test", "it needs all of 5 times 2-fold cross-validation; the plan is 10-fold"),
        (one, "mcnemar_test", "the predictions were not kept"),
        (many, "corrected_resampled_t_test", "it compares over the splits of a data set; pass dataset="),
    ):
        with pytest.raises(StudyError, match=reason):
            study.compare("mse", test)
    with pytest.raises(ParameterError, match="Did you mean 'wilcoxon'"):
        many.compare("mse", "wilcoxen")
    with pytest.raises(ParameterError, match=r"reference must be one of tree, forest; got 'forrest'. Did you mean"):
        many.compare("mse", reference="forrest")


def test_one_method_or_a_nested_plan_cannot_be_compared() -> None:
    with pytest.raises(StudyError, match="compare needs at least 2 methods; study 'test' has 1"):
        results({"iris": TEN[:1]}, ["tree"], folds(10)).compare("mse")
    nested = dataset_plan(Nested(10), [str(i) for i in range(10)], [90] * 10, [10] * 10)
    with pytest.raises(StudyError, match="with a nested plan one method is chosen in each split"):
        results({"iris": TEN[:1]}, ["chosen"], nested).compare("mse")


def test_incomplete_trials_are_refused_or_left_out_in_pairs() -> None:
    study = results({"iris": TEN}, METHODS, folds(10), missing={("iris", "forest", 0)}, failed={("iris", "tree", 3)})
    with pytest.raises(StudyError, match=r"is not complete: .*iris, tree \(1 failed of 10\); iris, forest \(1 missing"):
        study.compare("mse")
    found = study.compare("mse", partial=True)
    kept = [i for i in range(10) if i not in (0, 3)]
    expected = corrected_resampled_t_test(TEN[1, kept], TEN[0, kept], n_train=9, n_test=1)
    assert found.pairs[0].pvalue == expected.pvalue
    assert found.notes == ("2 of 10 splits have no value of some method; a pair is compared without them.",)


def test_data_sets_without_a_value_are_left_out_and_named() -> None:
    values = {name: each[:3] for name, each in SETS.items()} | {"empty": np.full((3, 1), math.nan)}
    study = results(values, METHODS, folds(1), "auc")
    found = study.compare("auc")
    assert found.overall is not None
    assert (found.overall.n_datasets, found.notes) == (12, ("Left out, because a method has no value there: empty.",))


def test_infinite_values_are_named() -> None:
    values = TEN[:2].copy()
    values[1, 4] = math.inf
    with pytest.raises(StudyError, match=r"log_loss of forest is infinite in splits of iris \(1 times\)"):
        results({"iris": values}, METHODS[:2], folds(10), "log_loss").compare("log_loss")


def test_nearer_to_the_target_is_better_by_the_distances() -> None:
    values = np.array([[1.1, 0.9, 1.2, 1.05, 1.0], [0.5, 0.4, 1.6, 0.6, 0.5]])
    found = results({"iris": values}, METHODS[:2], folds(5), "calibration_slope").compare("calibration_slope")
    expected = corrected_resampled_t_test(*np.abs(values[::-1] - 1), n_train=80, n_test=20)
    assert (found.pairs[0].pvalue, found.pairs[0].better) == (expected.pvalue, "tree")
    assert "(nearer to 1 is better)" in repr(found)


def test_a_metric_of_the_user_needs_a_direction() -> None:
    study = results({"iris": TEN[:2]}, METHODS[:2], folds(10), "mine", own_metrics={"mine"})
    with pytest.raises(StudyError, match="pass better='higher' or better='lower'"):
        study.compare("mine")
    assert study.compare("mine", better="higher").pairs[0].better == "tree"


def test_few_data_sets_are_said_to_be_too_few() -> None:
    values = {name: each[:2] for name, each in list(SETS.items())[:4]}
    found = results(values, METHODS[:2], folds(1)).compare("mse")
    assert found.notes == (
        "With 4 data sets and 1 comparisons no p-value is below 0.125: they are too few to show a difference.",
    )


def test_the_frame_has_a_row_for_each_pair_and_no_empty_columns() -> None:
    frame = results({"iris": TEN}, METHODS, folds(10)).compare("mse").to_frame()
    assert list(frame) == ["a", "b", "difference", "low", "high", "pvalue", "adjusted_pvalue", "better"]
    assert len(frame) == 3


def test_the_text_of_many_pairs_is_short() -> None:
    methods = [f"method {i}" for i in range(40)]
    study = results({"iris": np.random.default_rng(0).normal(0.2, 0.01, (40, 10))}, methods, folds(10))
    assert len(repr(study.compare("mse"))) < 3000
    better = results({"iris": 0.02 * np.arange(40)[:, np.newaxis] + TEN[:1] / 100}, methods, folds(10))
    assert len(repr(better.compare("mse")).splitlines()) < 70


def test_ranks_follow_the_direction_and_share_ties() -> None:
    values = {"iris": [[0.9], [0.8], [0.9]], "wine": [[0.7], [0.8], [0.6]]}
    found = results(values, METHODS, folds(1), "auc").ranks("auc")
    np.testing.assert_array_equal(found.to_frame(), [[1.5, 3.0, 1.5], [2.0, 1.0, 3.0]])
    assert found.mean_ranks == {"tree": 1.75, "forest": 2.0, "bayes": 2.25}


def test_ranks_agree_with_scipy_and_take_infinite_values() -> None:
    values = {name: np.where(each > 0.3, np.inf, each) for name, each in SETS.items()}
    found = results(values, [*METHODS, "rules"], folds(1), "log_loss").ranks("log_loss")
    np.testing.assert_array_equal(found.ranks, stats.rankdata(table_of(values), axis=1))


def test_wins_are_those_of_the_comparison_with_the_k_of_the_plan() -> None:
    values = {name: RANDOM.normal([[0.2], [0.18]], 0.03, (2, 30)) for name in ("iris", "wine", "glass")}
    found = results(values, METHODS[:2], folds(10, 3)).win_tie_loss("mse")
    expected = win_tie_loss(
        {name: each.T for name, each in values.items()},
        better="lower",
        n_train=90,
        n_test=10,
        k=10,
        methods=METHODS[:2],
    )
    assert found.records == expected.records
    assert [each.corrected.pvalue for each in found.outcomes] == [each.corrected.pvalue for each in expected.outcomes]


def test_wins_need_several_splits() -> None:
    with pytest.raises(StudyError, match="win_tie_loss tests the splits of each data set; 'set 0' has"):
        results(
            {name: each[:2] for name, each in SETS.items()}, METHODS[:2], dataset_plan(Holdout(), ["1"], [2], [1])
        ).win_tie_loss("mse")


def test_the_corrected_test_finds_no_more_than_its_level_where_methods_are_equal() -> None:
    """In 300 draws of independent folds: at most 5 % and two standard errors; the correction makes it rarer."""
    random = np.random.default_rng(3)
    found = [
        bool(results({"iris": random.normal(0.2, 0.03, (2, 10))}, METHODS[:2], folds(10)).compare("mse").differences)
        for _ in range(300)
    ]
    assert np.mean(found) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


def test_cross_validation_of_a_real_study_is_compared_as_by_hand() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(150, 3))
    y = X[:, 0] + random.normal(size=150) > 0
    trees = {"small": ProbabilityTreeClassifier(min_leaf=30), "large": ProbabilityTreeClassifier(min_leaf=1)}
    found = estimate_performance(trees, X, y, CrossValidation(5, 2), ["mse"])
    pair = of_performance("rows", found, CrossValidation(5, 2)).compare("mse", "corrected_resampled_t_test").pairs[0]
    values = [found.split_values("mse", name) for name in ("large", "small")]
    expected = corrected_resampled_t_test(*values, n_train=found.n_train, n_test=found.n_test, k=5)
    assert (pair.difference, pair.pvalue, pair.holds) == (expected.difference, expected.pvalue, expected.pvalue <= 0.05)
