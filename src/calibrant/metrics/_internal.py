"""Names for other packages of calibrant; `tests/test_internal_imports.py` allows no others."""

from calibrant.metrics._classification.confusion import values_without_blocks
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.delong import placements
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._intervals.intervals import (
    bca_interval,
    percentile_interval,
    score_difference,
)
from calibrant.metrics._intervals.metric_intervals import CALIBRATION_ERRORS
from calibrant.metrics._intervals.replicate_values import RowValues, row_values_of
from calibrant.metrics._metric import check_options
from calibrant.metrics._scorecard.score_card import scope_text
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import check_probabilities, read_predictions
from calibrant.metrics._verdict.judge import verdict_of

__all__ = [
    "CALIBRATION_ERRORS",
    "Band",
    "BootstrapPlan",
    "Predictions",
    "RowValues",
    "bca_interval",
    "check_options",
    "check_probabilities",
    "honest_bands",
    "percentile_interval",
    "placements",
    "read_predictions",
    "row_values_of",
    "scope_text",
    "score_difference",
    "values_without_blocks",
    "verdict_of",
]
