"""The best probabilities for a table: a calibrated blend of forests, boosting, naive Bayes and logistic regression."""

from calibrant.blending._blend import ExpectedLoss, Member
from calibrant.blending._distill import Distilled
from calibrant.blending._probability_classifier import ProbabilityClassifier

__all__ = ["Distilled", "ExpectedLoss", "Member", "ProbabilityClassifier"]
