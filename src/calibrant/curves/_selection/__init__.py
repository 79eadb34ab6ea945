"""Selecting the rows of highest probability: lift, precision and recall, profit, and a table of all thresholds."""

__all__: list[str] = []
