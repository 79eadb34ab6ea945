"""Support vector machines with the kernels of SVM-Light, whose margins are scores to calibrate."""

from calibrant.svm._classifier import SVMClassifier

__all__ = ["SVMClassifier"]
