"""Probabilities read from a grown forest: averages, votes, EB-PETs, MOB-ESP, and out-of-bag versions."""

__all__: list[str] = []
