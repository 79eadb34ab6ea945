"""Readings, ways to turn a grown forest into probabilities: averages, votes, EB-PETs, MOB-ESP, all also out-of-bag."""
