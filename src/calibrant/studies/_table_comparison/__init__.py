"""`compare_table`: one table, the usual methods, an honest ranking, a verdict and a model."""
