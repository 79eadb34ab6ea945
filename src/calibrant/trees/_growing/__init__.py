"""Growing a tree: training data, the options of the core, rows held out, growths that clones share."""

__all__: list[str] = []
