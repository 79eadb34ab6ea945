"""What `evaluate`, `decide` and `report` share: columns of probabilities, tables of scores, gates, costs, reports."""

__all__: list[str] = []
