"""Cost curves, Brier curves and decision curves: the expected loss or benefit over all costs or thresholds."""

__all__: list[str] = []
