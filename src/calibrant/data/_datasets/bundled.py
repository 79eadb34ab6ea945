"""Data sets that are included in this package or in scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from calibrant._optional import optional_import
from calibrant.data._datasets.catalog import catalog
from calibrant.data._datasets.roles import assign_roles
from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.parsed_file import ParsedFile

if TYPE_CHECKING:
    from calibrant.data._datasets.catalog import DatasetInfo
    from calibrant.data._tables.table import Table

__all__ = ["costs_text", "load_embedded", "load_from_sklearn"]


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
