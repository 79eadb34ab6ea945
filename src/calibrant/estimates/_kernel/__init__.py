"""Estimates from the training rows at a leaf: kernel densities."""

__all__: list[str] = []
