"""The weights of the members, and the loss to be expected on new rows."""

__all__: list[str] = []
