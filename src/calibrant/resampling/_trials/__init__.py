"""Methods fitted and scored on every split of a plan."""

__all__: list[str] = []
