"""Neural nets of one hidden layer, trained by backpropagation and read after any number of epochs."""

from calibrant.neural._classifier import NeuralNetClassifier

__all__ = ["NeuralNetClassifier"]
