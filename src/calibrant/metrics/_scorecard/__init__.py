"""`evaluate` and what it returns: score cards, comparisons, verdicts, and tables larger than memory."""

__all__: list[str] = []
