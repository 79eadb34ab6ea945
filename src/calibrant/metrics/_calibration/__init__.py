"""Metrics and tests of calibration: binned and smooth errors, slope and intercept."""

__all__: list[str] = []
