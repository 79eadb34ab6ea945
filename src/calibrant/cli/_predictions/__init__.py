"""What `evaluate` and `decide` share: columns of probabilities, tables of scores, gates, costs."""

__all__: list[str] = []
