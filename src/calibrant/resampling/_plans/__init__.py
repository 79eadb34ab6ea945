"""Resampling plans: each splits rows into training rows and test rows, as scikit-learn's splitters do."""
