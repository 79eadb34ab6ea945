"""Classifiers that decide by cost: by expected cost, by reweighted training rows, by MetaCost, by a tuned threshold."""

__all__: list[str] = []
