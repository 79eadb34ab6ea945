"""The best probabilities for a table: a calibrated blend of forests, boosting, naive Bayes and logistic regression."""

from calibrant.blending._explain.distilled import Distilled
from calibrant.blending._logistic_classifier import LogisticClassifier
from calibrant.blending._pool.blend import Member
from calibrant.blending._pool.expected_loss import ExpectedLoss
from calibrant.blending._probability_classifier import ProbabilityClassifier

__all__ = ["Distilled", "ExpectedLoss", "LogisticClassifier", "Member", "ProbabilityClassifier"]
