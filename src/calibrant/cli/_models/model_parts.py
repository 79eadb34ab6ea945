"""What can be shown of a loaded model: members, calibration, importances, a tree as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.exceptions import ParameterError

__all__ = ["model_parts"]


def model_parts(model: Any, *, tree: bool, importances: bool, depth: int | None) -> dict[str, Any]:
    """Return the parts of a model: those that cost nothing, and those that were requested."""
    parts: dict[str, Any] = {}
    if hasattr(model, "leaderboard"):
        frame = model.leaderboard()
        parts["members"] = [{"member": str(name), **row} for name, row in frame.to_dict("index").items()]
    calibration = _calibration(model)
    if calibration is not None:
        parts["calibration"] = calibration
    if importances:
        parts["importances"] = _importances(model)
    if tree:
        parts["tree"] = _tree_text(model, depth)
    return parts


def _calibration(model: Any) -> str | None:
    """Return the calibration map in words."""
    several = getattr(model, "calibrators_", None)
    if isinstance(several, list) and several:
        choice = getattr(several[0], "choice_", None)
        text = " ".join(repr(several[0]).split()) if choice is None else str(choice)
        return text if len(several) == 1 else f"{len(several)} maps, the first: {text}"
    choice = getattr(model, "calibration_", None)
    return None if choice is None else str(choice)


def _importances(model: Any) -> list[dict[str, Any]]:
    base = _base(model)
    found = getattr(base, "feature_importances_", None)
    if found is None:
        raise ParameterError(
            f"importances: {type(base).__name__} does not know them; measure them in Python by "
            "sklearn.inspection.permutation_importance on labelled rows."
        )
    values = np.asarray(found, dtype=np.float64)
    names = getattr(base, "feature_names_in_", [f"x{j}" for j in range(len(values))])
    order = np.argsort(-values, kind="stable")
    return [{"column": str(names[j]), "importance": float(values[j])} for j in order]


def _tree_text(model: Any, depth: int | None) -> str:
    base = _base(model)
    if hasattr(base, "export_text"):
        return str(base.export_text(max_depth=depth))
    trees = getattr(base, "trees_", None)
    if not trees:
        raise ParameterError(f"tree: {type(base).__name__} has no tree to print.")
    return f"The first of {len(trees)} trees:\n{_frequencies_text(trees[0], depth)}"


def _frequencies_text(tree: Any, depth: int | None) -> str:
    """Return a tree of an ensemble as text, with the frequencies of the rows that it was grown from."""
    from calibrant.trees._internal import Outline

    counts = np.asarray(tree.counts, dtype=np.float64)
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.full_like(counts, 1 / counts.shape[1]), where=total > 0)
    return Outline.of(tree, shares).text(depth)


def _base(model: Any) -> Any:
    """Return the model inside a calibrated one or one of decisions."""
    for _ in range(10):
        inner = getattr(model, "estimator_", None)
        if inner is None or not type(model).__module__.startswith("calibrant."):
            return model
        model = inner
    return model
