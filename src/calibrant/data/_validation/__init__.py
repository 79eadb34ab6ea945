"""Input validation that every learner shares: labels, weights, training rows, rows to predict, memory."""

__all__: list[str] = []
