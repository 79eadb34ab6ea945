"""Growing: the training set, trees grown from its coded rows, pruning, the cache of grown trees."""
