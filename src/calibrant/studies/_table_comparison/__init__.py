"""`compare_table`: one table, the usual methods, an honest ranking, a verdict and a model."""

__all__: list[str] = []
