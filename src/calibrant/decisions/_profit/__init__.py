"""The profit of decisions with intervals, the cost-benefit analysis by share of rows, and the decision report."""

__all__: list[str] = []
