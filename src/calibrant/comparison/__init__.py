"""Comparison of methods: significance tests, Bayesian tests, wins and losses, description lengths."""

from calibrant.comparison._many_sets.all_pairs import MethodComparison, PairComparison, compare_methods
from calibrant.comparison._many_sets.holm import holm
from calibrant.comparison._many_sets.mean_rank_results import CriticalDifference, Friedman
from calibrant.comparison._many_sets.mean_rank_tests import bonferroni_dunn, friedman, nemenyi
from calibrant.comparison._many_sets.win_tie_loss import Outcome, Record, WinTieLoss, win_tie_loss
from calibrant.comparison._mdl.clustering_length import clustering_description_length
from calibrant.comparison._mdl.mdl import MDLComparison, mdl
from calibrant.comparison._pairwise.bayesian_correlated_t import bayesian_correlated_t_test
from calibrant.comparison._pairwise.bayesian_signed_rank import bayesian_signed_rank_test
from calibrant.comparison._pairwise.comparison_result import Comparison
from calibrant.comparison._pairwise.five_by_two import five_by_two_test
from calibrant.comparison._pairwise.mcnemar import mcnemar_test
from calibrant.comparison._pairwise.posterior import Posterior
from calibrant.comparison._pairwise.sign import sign_test
from calibrant.comparison._pairwise.t_tests import corrected_resampled_t_test, paired_t_test
from calibrant.comparison._pairwise.unpaired_t import unpaired_t_test
from calibrant.comparison._pairwise.wilcoxon import wilcoxon
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
