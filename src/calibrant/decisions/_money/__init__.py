"""Decisions and what they earn: expected cost, profit, cost-benefit analysis, reports."""

__all__: list[str] = []
