"""The catalog of named data sets (``catalog.json``), whether or not their data are available."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from calibrant.data._datasets.roles import Roles

__all__ = ["DatasetInfo", "catalog"]


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """A named data set and its sources.

    Parameters
    ----------
    name, title : str
        The name for ``load``, and what the data are about.
    rows, n_features : int
        Size of the unmodified file.
    class_counts : mapping of str to int
        Number of rows of each class, in the order of the file.
    positive : str, optional
        The class of interest, if the unmodified data set has one.
    papers : tuple of str
        The papers whose tasks are made from it.
    embedded : str, optional
        File name inside the package.
    costs : str, optional
        File name of costs of decisions inside the package, as `CostMatrix.from_csv` reads them.
    sklearn : str, optional
        ``"iris"`` if ``sklearn.datasets.load_iris`` returns the same rows in the same order.
    openml : int, optional
        Id on OpenML.
    labels : mapping of str to str
        Labels of the other sources, mapped to those of the catalog.
    columns : tuple of str
        Names of the features in place of scikit-learn's, in the same order.
    roles : Roles
        The roles of the columns of the embedded file.

    Examples
    --------
    >>> info = catalog()["wdbc"]
    >>> info.rows, info.positive, info.sklearn, info.openml
    (569, 'M', 'breast_cancer', 1510)
    """

    name: str
    title: str
    rows: int
    n_features: int
    class_counts: Mapping[str, int]
    positive: str | None = None
    papers: tuple[str, ...] = ()
    embedded: str | None = None
    costs: str | None = None
    sklearn: str | None = None
    openml: int | None = None
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    columns: tuple[str, ...] = ()
    roles: Roles = field(default_factory=Roles)


@cache
def catalog() -> Mapping[str, DatasetInfo]:
    """Return every named data set, in alphabetical order.

    Examples
    --------
    >>> len(catalog()), "appeal" in catalog()
    (34, True)
    """
    text = files(__package__).joinpath("catalog.json").read_text(encoding="utf-8")
    return MappingProxyType({entry["name"]: _info(entry) for entry in json.loads(text)})


def _info(entry: dict[str, Any]) -> DatasetInfo:
    roles = {"positive": entry["positive"], **entry.pop("roles", {})}
    return DatasetInfo(**{key: _immutable(value) for key, value in entry.items()}, roles=Roles.from_json(roles))


def _immutable(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType(value)
    return tuple(value) if isinstance(value, list) else value
