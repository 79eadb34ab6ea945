"""Bagged trees: the bags, the grown forest, importances, and Nielsen's three classifiers."""
