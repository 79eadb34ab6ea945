"""The parts that `evaluate`, `decide` and `report` share: columns of probabilities, score cards, gates, costs."""
