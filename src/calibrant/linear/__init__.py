"""Logistic regression for tables as they are."""

from calibrant.linear._classifier import LogisticClassifier

__all__ = ["LogisticClassifier"]
