"""Calibrators, one file a family."""
