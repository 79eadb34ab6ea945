"""Named data sets: the catalog, with those that this package or scikit-learn includes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._tables.assemble import assemble
from calibrant.data._tables.table import Table
from calibrant.exceptions import SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Roles:
    """The columns of a file that are not features."""

    target: str | None = None  # the class; None: the last column
    other: tuple[str, ...] = ()  # every column that is neither a feature nor the class, including the next two
    split: str = "split"  # the official split, if it is in `other`
    weight: str = "sample_weight"  # the weights, if they are in `other`
    positive: object = None  # the class of interest or its string; ignored if it is not a label

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Roles:
        """Return the roles of a JSON object."""
        named: dict[str, Any] = {**entry, "other": tuple(entry.get("other", ()))}
        return cls(**named)


def assign_roles(parsed: ParsedFile, roles: Roles, name: str) -> Table:
    """Return the table of a file whose columns have these roles.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._readers.frame_builder import ParsedFile
    >>> frame = pd.DataFrame({"age": [31, 64], "id": [7, 8], "split": ["a", "b"], "won": ["no", "yes"]})
    >>> table = assign_roles(ParsedFile(frame), Roles("won", ("id", "split"), positive="yes"), "tiny")
    >>> table.positive, list(table.X), list(table.extra), list(table.split)
    ('yes', ['age'], ['id'], ['a', 'b'])
    """
    _check_columns(parsed.frame, (*roles.other, *filter(None, [roles.target])), name)
    # The split is passed in `extra`, so that it stays aligned with the rows.
    table = assemble(_without_weight(replace(parsed, target=roles.target), roles), name=name)
    return replace(
        table,
        positive=match_label(table.y, roles.positive),
        split=table.extra[roles.split] if roles.split in roles.other and table.extra is not None else None,
        extra=_without_split(table.extra, roles.split),
    )


def match_label(y: pd.Series[Any] | None, wanted: object) -> object:
    """Return the label of ``y`` whose string equals that of ``wanted``; None if there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> match_label(pd.Series([0, 1, 1]), "1"), match_label(pd.Series(["a"]), "b")
    (1, None)
    """
    labels: list[object] = [] if y is None or wanted is None else y.dropna().unique().tolist()
    return next((label for label in labels if str(label) == str(wanted)), None)


def _check_columns(frame: pd.DataFrame, columns: Iterable[str], name: str) -> None:
    for column in columns:
        if column not in frame:
            raise SchemaError(f"{name}: column {column!r} is not in the file.{nearest(column, frame)}")


def _without_weight(parsed: ParsedFile, roles: Roles) -> ParsedFile:
    if roles.weight not in roles.other:
        return replace(parsed, extra=roles.other)
    extra = tuple(column for column in roles.other if column != roles.weight)
    weight = np.asarray(parsed.frame[roles.weight], dtype=np.float64)
    return replace(parsed, frame=parsed.frame.drop(columns=roles.weight), sample_weight=weight, extra=extra)


def _without_split(extra: pd.DataFrame | None, split: str) -> pd.DataFrame | None:
    if extra is None:
        return None
    rest = extra.drop(columns=split, errors="ignore")
    return rest if rest.shape[1] else None


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


def load_embedded(info: DatasetInfo) -> Table:
    """Return a data set that is included in calibrant.

    Examples
    --------
    >>> from calibrant.data._datasets.catalog import catalog
    >>> load_embedded(catalog()["appeal"]).class_counts
    {'no': 1362, 'yes': 138}
    """
    file = files(__package__).joinpath("embedded", str(info.embedded))
    return assign_roles(read_arff(str(file), file.read_text(encoding="utf-8")), info.roles, info.name)


def costs_text(name: str) -> str | None:
    """Return the costs that come with a data set, as the text of a CSV file; None where there are none.

    Examples
    --------
    >>> print(costs_text("appeal"))
    actual,leave,write
    no,0,0.68
    yes,0,-17.96
    <BLANKLINE>
    """
    info = catalog().get(name)
    if info is None or info.costs is None:
        return None
    return files(__package__).joinpath("embedded", info.costs).read_text(encoding="utf-8")


def load_from_sklearn(info: DatasetInfo) -> Table:
    """Return a data set that is included in scikit-learn, with the names of the catalog.

    Examples
    --------
    >>> from calibrant.data._datasets.catalog import catalog
    >>> load_from_sklearn(catalog()["wine"]).class_counts
    {'1': 59, '2': 71, '3': 48}
    """
    # imported here to keep `import calibrant.data` fast
    from sklearn import datasets

    pandas = optional_import("pandas", extra="data", purpose="load data sets")
    bunch = getattr(datasets, f"load_{info.sklearn}")()
    labels = [info.labels.get(label, label) for label in map(str, bunch.target_names)]
    frame = pandas.DataFrame(bunch.data, columns=list(info.columns))
    frame["target"] = pandas.Categorical.from_codes(bunch.target, labels)
    parsed = ParsedFile(frame, notes=(f"From scikit-learn's load_{info.sklearn}.",))
    return assign_roles(parsed, replace(info.roles, target="target"), info.name)
