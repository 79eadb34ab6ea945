"""Metrics and tests of calibration: binned and smooth errors, slope and intercept."""
