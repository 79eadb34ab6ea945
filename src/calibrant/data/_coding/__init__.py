"""Tables coded as small integers, and the weights of their values by class."""

__all__: list[str] = []
