"""Growing: the training set, its coded rows, the subsets set aside, memory limits, and the cache of grown trees."""

__all__: list[str] = []
