"""The forms of the classes that may stand in a model file, one module a package."""

__all__: list[str] = []
