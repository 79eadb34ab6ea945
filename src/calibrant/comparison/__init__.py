"""Comparison of methods: significance tests, Bayesian tests, wins and losses, description lengths."""

from calibrant.comparison._all_pairs import MethodComparison, PairComparison, compare_methods, holm
from calibrant.comparison._description_length import MDLComparison, clustering_description_length, mdl
from calibrant.comparison._mcnemar import mcnemar_test
from calibrant.comparison._mean_ranks import CriticalDifference, Friedman, bonferroni_dunn, friedman, nemenyi
from calibrant.comparison._results import Comparison, Posterior
from calibrant.comparison._signed_ranks import bayesian_signed_rank_test, sign_test, wilcoxon
from calibrant.comparison._t_tests import (
    bayesian_correlated_t_test,
    corrected_resampled_t_test,
    five_by_two_test,
    paired_t_test,
    unpaired_t_test,
)
from calibrant.comparison._win_tie_loss import Outcome, Record, WinTieLoss, win_tie_loss
from calibrant.metrics import Interval, proportion_interval
from calibrant.trees import DescriptionLength

__all__ = [
    "Comparison",
    "CriticalDifference",
    "DescriptionLength",
    "Friedman",
    "Interval",
    "MDLComparison",
    "MethodComparison",
    "Outcome",
    "PairComparison",
    "Posterior",
    "Record",
    "WinTieLoss",
    "bayesian_correlated_t_test",
    "bayesian_signed_rank_test",
    "bonferroni_dunn",
    "clustering_description_length",
    "compare_methods",
    "corrected_resampled_t_test",
    "five_by_two_test",
    "friedman",
    "holm",
    "mcnemar_test",
    "mdl",
    "nemenyi",
    "paired_t_test",
    "proportion_interval",
    "sign_test",
    "unpaired_t_test",
    "wilcoxon",
    "win_tie_loss",
]
