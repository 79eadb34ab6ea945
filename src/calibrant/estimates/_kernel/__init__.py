"""Estimates from the training rows themselves: kernel densities."""

__all__: list[str] = []
