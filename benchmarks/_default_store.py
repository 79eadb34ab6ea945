"""Test probabilities and seconds of many methods on many splits, kept so that an interrupted run continues."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_FOLDS = " ~ folds"  # follows the name of a peer: its out-of-fold predictions of the training rows


@dataclass(frozen=True)
class Key:
    """The key of one cell of the store; `rows` is the cap on the training rows."""

    dataset: str
    method: str
    split: int
    rows: int

    @property
    def folds(self) -> Key:
        """The key of the out-of-fold predictions of the same training rows."""
        return Key(self.dataset, self.method + _FOLDS, self.split, self.rows)

    @property
    def file_name(self) -> str:
        """The name of the file."""
        return f"{self.dataset}.{self.method.replace(' ', '_')}.{self.split}.{self.rows}.npz"


class CellStore:
    """A folder of one small file a cell: ``proba``, ``codes``, ``fit_seconds``, ``predict_seconds``, others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __contains__(self, key: Key) -> bool:
        return (self.folder / key.file_name).exists()

    def read(self, key: Key) -> dict[str, Any]:
        """Return the arrays of a cell."""
        with np.load(self.folder / key.file_name) as stored:
            return dict(stored)

    def write(self, key: Key, **arrays: Any) -> None:
        """Write a cell at once, so that an interrupted run leaves no half of one."""
        partial = self.folder / f"{key.file_name}.{os.getpid()}.half"
        with partial.open("wb") as file:
            np.savez_compressed(file, **arrays)
        partial.rename(self.folder / key.file_name)

    def delete(self, key: Key) -> None:
        """Delete a cell."""
        (self.folder / key.file_name).unlink()

    def __iter__(self) -> Iterator[Key]:
        """Yield the keys of all test predictions, in the order of file names."""
        for path in sorted(self.folder.glob("*.npz")):
            dataset, method, split, rows = _parts(path.name)
            if not method.endswith(_FOLDS):
                yield Key(dataset, method, int(split), int(rows))


def _parts(file_name: str) -> tuple[str, str, str, str]:
    """Return data set, method, split and rows; only the method may contain dots."""
    dataset, _, rest = file_name.removesuffix(".npz").partition(".")
    method, split, rows = rest.rsplit(".", 2)
    return dataset, method.replace("_", " "), split, rows
