"""Input validation of every metric: labels, probabilities, weights and priors."""
