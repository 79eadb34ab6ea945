"""A leading underscore means private to its package: others may import its public names and its `_internal` only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import calibrant

SOURCE = Path(calibrant.__file__).parent
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("[a-z]*/__init__.py"))

# The private names that a package offers to the others. Keep the list short: each name ties packages together.
INTERNAL = {
    "bayes": """
        Batch CONSTANT_RULES CategoryCounts FittedGaussian Gaussian IntervalCounts KernelDistribution NAIVE_BAYES_RULES
        Smoothing ValueCounts ValueGrid
    """,
    "blending": """
        BayesModel Blend BlendSample BoostedModel Coefficients Design EstimatorModel FittedMember ForestModel
        GradientModel KernelModel LOGISTIC_RULES LogLinearPool LogisticModel MemberMap PROBABILITY_CLASSIFIER_RULES
        PoolCalibrator SummedTables
    """,
    "calibration": """
        CALIBRATED_CLASSIFIER_RULES CV DiagonalLoss FitData Penalty ReadingOfFits ReplaceCertain ScoredRows Scoring
        SharedFits Source Target WrapperMixin final_step fit_folds fit_logistic fit_multinomial fit_replace_certain
        is_pairwise logistic_hessian make_splits pool_scores read_fit_data response_method responses_of score_columns
        softmax_rows standard_error_of_mean take_rows take_square
    """,
    "comparison": "Better holm_corrected method_pairs t_figures tied_ranks",
    "curves": "rank",
    "data": """
        Bins CategoryCodes Chunk CodedPart Columns CsvOptions DaskSource Feature Labels LogProbaMixin MAX_BINS
        MergedRows Nominal RowClassifierMixin Rows Schema Source SourcePart StandardDesign TableChunks
        TrainingRows WEIGHT_KIND WantedColumns WeightKind as_frequencies binned_rows caller_level
        can_be_frequencies cell_weights check_integers check_weight_sizes check_weights class_codes
        classes_of_columns code_columns code_groups code_labels code_part column_names copies_among costs_text
        factorize find_bins fingerprint_rows fit_columns group_codes hash_codes interval_codes is_float_matrix is_source
        known_moments match_problems mdl_cuts named_classes object_columns open_chunks open_source order_columns
        read_groups read_more_training_rows read_training_rows warn_of_copies warn_of_number warn_of_weights
    """,
    "decisions": """
        COST_SENSITIVE_RULES CostedPredictions HECKMAN_RULES IntervalOptions METACOST_RULES THRESHOLD_RULES cross_fitted
        decompose leave_and_select profit_of read_costed_predictions
    """,
    "ensembles": """
        ALGORITHMS Alpha BAGGED_RULES BOOSTED_STUMP_RULES BOOSTED_TREE_RULES BoostingRun EBPets FOREST_RULES
        Forest ForestBags ForestReader GradientBoostedFolds LAZY_RULES LazyTrees MobEsp ReadingOptions
        StumpMember TreeLearner boost fit_gradient_boosting stack_stumps start_run
    """,
    "estimates": """
        ClassKernels ESTIMATE_RULE KernelReader frequencies leaves_of_most_probable log_loss_of look_up wallace
        with_classes
    """,
    "metrics": """
        Band BootstrapPlan CALIBRATION_ERRORS CONFIDENCE Predictions Resampled RowValues area_variance bca_interval
        brier_divisor check_options check_probabilities check_two_classes design_effect honest_bands
        number_text percent percentile_interval placements points read_codes read_more_labels read_predictions replicate
        replicate_few_kinds row_amounts row_values_of scope_text score_difference two_sided_z
        verdict_of
    """,
    "neighbors": "ColumnScaling NEIGHBORS_RULES Neighbours Points Space",
    "neural": "NEURAL_NET_RULES Net",
    "plots": """
        COLORS MARKERS REFERENCE_LINE format_axes line_style n_histogram_bins probability_limits reliability_limits
        score_limits
    """,
    "resampling": """
        ALL_ROWS BootstrapKind Experiment IntervalKind MethodTrial NO_INTERVAL RowDifference RowStatistics Scorer
        Sharing TestedRows TrainingSummary TrialData are_regressors bootstrap_632_values ends_in_range open_seeds
        read_experiment read_plan row_contributions seeded_clone split_interval split_seed splitters
    """,
    "studies": """
        BASELINE ComparedTable DEFAULT_STORE about_rows about_table findings grouped_cells hide_password
        ranking_cells read_compared_table resolve_path
    """,
    "svm": "KernelFunction Machines SVM_RULES",
    "trees": """
        ClusterRows Coding CriterionName Dialect EmptyLeaf GrownTree HOW_TO_READ LevelPlan MissingValues NodeReader
        NominalSplits Outline PROBABILITIES Parts Probabilities Pruning RULES RowSubsets SINGLE_TREE_RULES STYLES
        TREE_ARRAYS TREE_CODINGS TREE_PARAMETER_DOCS TrainingSet TreeParams TreeReading counts_bits draw_model
        fit_source impurity_importances narrowest node_indicator pack_trees unpack_trees with_table
    """,
}


@cache
def imports(path: Path) -> list[tuple[str, str]]:
    """Return the module and the name of every import of calibrant's own in a file."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "calibrant":
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.split(".")[0] == "calibrant"]
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def foreign_private(package: str) -> Iterator[str]:
    """Yield what a package imports of other packages that it may not: private modules or private names."""
    for path in sorted((SOURCE / package).rglob("*.py")):
        for module, name in imports(path):
            _, owner, *rest = [*module.split("."), ""]
            if owner in PACKAGES and owner != package:
                internal = rest[:1] == ["_internal"] and not is_private(name)
                if not internal and any(is_private(part) for part in [*rest, name]):
                    yield f"{path.relative_to(SOURCE)}: {module}.{name}"


def internal_names(package: str) -> list[str]:
    path = SOURCE / package / "_internal.py"
    if not path.exists():
        return []
    node = next(node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.Assign))
    return list(ast.literal_eval(node.value))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_nothing_private_of_another(package: str) -> None:
    assert list(foreign_private(package)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_internal_interface_is_the_listed_one(package: str) -> None:
    assert sorted(internal_names(package)) == INTERNAL.get(package, "").split()


@pytest.mark.parametrize("package", sorted(INTERNAL))
def test_every_internal_name_is_used_by_another_package(package: str) -> None:
    others = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != package]
    used = {name for path in others for module, name in imports(path) if module == f"calibrant.{package}._internal"}
    assert set(INTERNAL[package].split()) == used


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_does_not_import_its_own_internal_interface(package: str) -> None:
    own = [module for path in (SOURCE / package).rglob("*.py") for module, _ in imports(path)]
    assert f"calibrant.{package}._internal" not in own
