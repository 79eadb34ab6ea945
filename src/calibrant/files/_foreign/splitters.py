"""The splitters of scikit-learn that may be a parameter ``cv`` in a model file."""

from __future__ import annotations

from sklearn import model_selection

__all__ = ["SPLITTERS"]

SPLITTERS = {
    name: getattr(model_selection, name)
    for name in (
        *("GroupKFold", "GroupShuffleSplit", "KFold", "LeaveOneGroupOut", "LeaveOneOut", "RepeatedKFold"),
        *("RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedGroupKFold", "StratifiedKFold"),
        *("StratifiedShuffleSplit", "TimeSeriesSplit"),
    )
}
