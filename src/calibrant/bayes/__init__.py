"""Classifiers by Bayes' rule: naive Bayes for nominal and numeric columns together, and constants to compare with."""

from calibrant.bayes._constant import ConstantClassifier
from calibrant.bayes._naive_bayes import NaiveBayesClassifier

__all__ = ["ConstantClassifier", "NaiveBayesClassifier"]
