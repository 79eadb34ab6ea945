"""One file a calibrator."""

__all__: list[str] = []
