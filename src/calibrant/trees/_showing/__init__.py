"""A tree for people: text, Graphviz, HTML."""

__all__: list[str] = []
