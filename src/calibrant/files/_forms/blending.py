"""Forms of blends that need fields of other packages: their trees, and the calibration of their pool."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._saved.arrays import Array
from calibrant._saved.fields import Flag, Integer, need
from calibrant._saved.form import Form
from calibrant.blending._internal import TreesModel
from calibrant.trees._internal import Trees

__all__ = ["FORMS"]


def _take_tables(model: TreesModel, _: bool) -> dict[str, Any]:
    return vars(model) | {"tables": np.concatenate(model.tables)}


def _make_tables(values: dict[str, Any]) -> TreesModel:
    trees, table = values["trees"], values["tables"]
    ends = np.cumsum([tree.n_nodes for tree in trees])
    need(ends[-1] == len(table), "has other probabilities than nodes")
    return TreesModel(**values | {"tables": tuple(np.split(table, ends[:-1]))})


FORMS: tuple[Form, ...] = (
    Form(
        "blending.TreesModel",
        TreesModel,
        {
            "trees": Trees(),
            "tables": Array("f8", ndim=2, finite=True, low=-1e4, high=1e4),
            "n_readings": Integer(1, 100),
            "is_log": Flag(),
        },
        take=_take_tables,
        make=_make_tables,
    ),
)
