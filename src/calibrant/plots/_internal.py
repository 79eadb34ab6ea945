"""The private names that other packages of calibrant may use; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.plots._style import format_axes, line_style, probability_limits, reliability_limits, score_bins

__all__ = ["format_axes", "line_style", "probability_limits", "reliability_limits", "score_bins"]
