"""Which of two methods is better, by how much and how surely: tests on paired values, wins, ties and losses."""

from calibrant.comparison._result import Comparison
from calibrant.comparison._t_tests import corrected_resampled_t_test, paired_t_test
from calibrant.comparison._win_tie_loss import Outcome, Record, WinTieLoss, win_tie_loss
from calibrant.metrics import Interval, proportion_interval

__all__ = [
    "Comparison",
    "Interval",
    "Outcome",
    "Record",
    "WinTieLoss",
    "corrected_resampled_t_test",
    "paired_t_test",
    "proportion_interval",
    "win_tie_loss",
]
