"""Queries on the recorded trials: tables, comparisons, ranks, the best method, export."""
