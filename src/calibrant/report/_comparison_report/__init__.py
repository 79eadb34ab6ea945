"""The report of a table on which methods were compared: answer, ranking, held-out predictions, how it was made."""

__all__: list[str] = []
