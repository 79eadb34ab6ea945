"""Checks of a table before it is learned from: rules on single columns, pairs of columns and their ranks."""
