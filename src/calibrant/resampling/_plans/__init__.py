"""Resampling plans, each a scikit-learn splitter."""

__all__: list[str] = []
