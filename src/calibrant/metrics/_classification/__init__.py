"""Metrics of the predicted class: accuracy, agreement, F-measures and costs."""
