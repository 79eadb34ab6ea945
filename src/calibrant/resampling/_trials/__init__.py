"""Methods fitted, and their predictions scored, on every split of a plan."""
