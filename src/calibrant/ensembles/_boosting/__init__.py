"""Boosted trees and boosted stumps."""

__all__: list[str] = []
