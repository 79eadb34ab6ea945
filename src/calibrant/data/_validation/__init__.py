"""Input validation shared by all estimators: labels, weights, training rows and rows to predict."""
