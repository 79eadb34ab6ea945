"""scikit-learn estimators as bytes of skops, and back, with every type and index of the bytes checked."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sklearn.base import BaseEstimator

from calibrant._optional import optional_import
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.sklearn_content import check_content
from calibrant.files._foreign.skops_archive import SkopsArchive
from calibrant.files._foreign.tree_nodes import check_tree_nodes
from calibrant.files._foreign.trusted_types import EXTRA_TRUSTED

__all__ = ["sklearn_from_bytes", "sklearn_to_bytes"]


def _skops() -> ModuleType:
    return optional_import("skops.io", extra="files", purpose="save and load scikit-learn estimators")  # type: ignore[no-any-return]


def sklearn_to_bytes(estimator: Any) -> bytes:
    """Return a scikit-learn estimator as bytes; raise if it holds what `sklearn_from_bytes` would not read."""
    skops = _skops()
    try:
        data = skops.dumps(estimator)
    except Exception as error:  # skops raises many kinds for what it cannot write
        raise ModelFileError(f"{type(estimator).__name__}: skops cannot write it ({error})") from error
    check_tree_nodes(SkopsArchive(data))
    check_content(estimator)
    return data  # type: ignore[no-any-return]


def sklearn_from_bytes(data: bytes) -> Any:
    """Return the scikit-learn estimator of the bytes; raise if anything in them is not on the list of trusted types."""
    skops = _skops()
    archive = SkopsArchive(data)
    check_tree_nodes(archive)
    try:
        estimator = skops.loads(archive.checked_bytes(), trusted=EXTRA_TRUSTED)
    except Exception as error:  # whatever the classes of scikit-learn raise for attributes that do not fit
        raise ModelFileError(f"holds a damaged scikit-learn estimator ({type(error).__name__}: {error})") from error
    if not isinstance(estimator, BaseEstimator):
        raise ModelFileError("holds something else where a scikit-learn estimator should stand")
    check_content(estimator)
    return estimator
