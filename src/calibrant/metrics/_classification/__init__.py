"""Metrics of the predicted class: accuracy, agreement, F-measures and costs."""

__all__: list[str] = []
