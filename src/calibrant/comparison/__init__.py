"""Which method is better, by how much and how surely: tests, also Bayesian, wins and losses, description lengths."""

from calibrant.comparison._bayesian_ranks import bayesian_signed_rank_test
from calibrant.comparison._bayesian_t import bayesian_correlated_t_test
from calibrant.comparison._clusterings import clustering_description_length
from calibrant.comparison._five_by_two import five_by_two_test
from calibrant.comparison._many_sets import MethodComparison, PairComparison, compare_methods
from calibrant.comparison._mcnemar import mcnemar_test
from calibrant.comparison._mdl import MDLComparison, mdl
from calibrant.comparison._multiplicity import holm
from calibrant.comparison._posterior import Posterior
from calibrant.comparison._rank_result import CriticalDifference, Friedman
from calibrant.comparison._ranks import bonferroni_dunn, friedman, nemenyi
from calibrant.comparison._result import Comparison
from calibrant.comparison._sign import sign_test
from calibrant.comparison._t_tests import corrected_resampled_t_test, paired_t_test
from calibrant.comparison._unpaired import unpaired_t_test
from calibrant.comparison._wilcoxon import wilcoxon
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
