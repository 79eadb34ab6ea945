"""Trees grown level by level from the histograms that parts of the rows count, wherever these parts are."""

__all__: list[str] = []
