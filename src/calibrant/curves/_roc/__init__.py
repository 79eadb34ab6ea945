"""ROC curves, their convex hull, and the ROC points of classifiers that only decide."""

__all__: list[str] = []
