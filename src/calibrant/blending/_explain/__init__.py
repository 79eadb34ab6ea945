"""What a blend reports of itself: members, importances, and the small tree nearest to it."""

__all__: list[str] = []
