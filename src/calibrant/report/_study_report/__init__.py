"""The report of a study: how far it is, a table for each metric, ranks, differences, failures."""

__all__: list[str] = []
