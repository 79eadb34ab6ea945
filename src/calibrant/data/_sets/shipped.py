"""Data sets that need neither folder nor network: those in this package and those in scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from calibrant._optional import optional_import
from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.parsed import Parsed
from calibrant.data._sets.roles import cast

if TYPE_CHECKING:
    from calibrant.data._sets.catalog import DatasetInfo
    from calibrant.data._tables.table import Table

__all__ = ["load_bundled", "load_embedded"]


def load_embedded(info: DatasetInfo) -> Table:
    """Read a set that comes with calibrant.

    Examples
    --------
    >>> from calibrant.data._sets.catalog import catalog
    >>> load_embedded(catalog()["appeal"]).class_counts
    {'no': 1362, 'yes': 138}
    """
    file = files(__package__).joinpath("embedded", str(info.embedded))
    return cast(read_arff(str(file), file.read_text(encoding="utf-8")), info.roles, info.name)


def load_bundled(info: DatasetInfo) -> Table:
    """Read a set that comes with scikit-learn, under the names it has in our data folder.

    Examples
    --------
    >>> from calibrant.data._sets.catalog import catalog
    >>> load_bundled(catalog()["wine"]).class_counts
    {'1': 59, '2': 71, '3': 48}
    """
    # Few sets come from there, and importing `calibrant.data` is to stay quick.
    from sklearn import datasets

    pandas = optional_import("pandas", extra="data", purpose="load data sets")
    bunch = getattr(datasets, f"load_{info.sklearn}")()
    labels = [info.labels.get(label, label) for label in map(str, bunch.target_names)]
    frame = pandas.DataFrame(bunch.data, columns=list(info.columns))
    frame["target"] = pandas.Categorical.from_codes(bunch.target, labels)
    parsed = Parsed(frame, notes=(f"From scikit-learn's load_{info.sklearn}.",))
    return cast(parsed, replace(info.roles, target="target"), info.name)
