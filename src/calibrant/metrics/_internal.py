"""What other packages may import from this one, as `tests/test_internal_imports.py` checks."""

from calibrant.metrics._classification.costs import row_amounts
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan, design_effect
from calibrant.metrics._intervals.calibration_errors import CALIBRATION_ERRORS
from calibrant.metrics._intervals.delong import area_variance, placements
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._intervals.intervals import (
    bca_interval,
    percentile_interval,
    score_difference,
    two_sided_z,
)
from calibrant.metrics._intervals.large_samples import replicate_few_kinds
from calibrant.metrics._intervals.replicates import Resampled, replicate
from calibrant.metrics._losses.row_values import RowValues, row_values_of
from calibrant.metrics._losses.squared_errors import brier_divisor
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._scorecard.score_card import scope_text
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions, read_codes
from calibrant.metrics._validation.read_predictions import check_probabilities, read_more_labels, read_predictions
from calibrant.metrics._verdict.judge import verdict_of

__all__ = [
    "CALIBRATION_ERRORS",
    "Band",
    "BootstrapPlan",
    "Predictions",
    "Resampled",
    "RowValues",
    "area_variance",
    "bca_interval",
    "brier_divisor",
    "check_options",
    "check_probabilities",
    "check_two_classes",
    "design_effect",
    "honest_bands",
    "percentile_interval",
    "placements",
    "read_codes",
    "read_more_labels",
    "read_predictions",
    "replicate",
    "replicate_few_kinds",
    "row_amounts",
    "row_values_of",
    "scope_text",
    "score_difference",
    "two_sided_z",
    "verdict_of",
]
