"""Input validation of every metric: labels, probabilities, weights and priors."""

__all__: list[str] = []
