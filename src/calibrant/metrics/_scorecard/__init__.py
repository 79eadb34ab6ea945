"""`evaluate` and what it returns: score cards, comparisons, verdicts, and tables larger than memory."""
