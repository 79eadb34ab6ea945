"""Bagged trees: growing a forest, its bags, importances and Nielsen's three classifiers."""

__all__: list[str] = []
