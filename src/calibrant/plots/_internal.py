"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.plots._style import (
    COLORS,
    MARKERS,
    REFERENCE_LINE,
    format_axes,
    line_style,
    n_histogram_bins,
    probability_limits,
    reliability_limits,
    score_limits,
)

__all__ = [
    "COLORS",
    "MARKERS",
    "REFERENCE_LINE",
    "format_axes",
    "line_style",
    "n_histogram_bins",
    "probability_limits",
    "reliability_limits",
    "score_limits",
]
