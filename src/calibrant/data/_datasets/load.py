"""`load` and `list_datasets`: named data sets from a folder, this package, scikit-learn or OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant._params import InstanceOf, check_param
from calibrant.data._datasets.apply_task import apply_task
from calibrant.data._datasets.bundled import load_embedded, load_from_sklearn
from calibrant.data._datasets.catalog import DatasetInfo, catalog
from calibrant.data._datasets.data_folder import DataFolder
from calibrant.data._datasets.dataset_list import DatasetEntry, DatasetList
from calibrant.data._datasets.roles import match_label
from calibrant.data._datasets.tasks import TASKS, Task
from calibrant.exceptions import ParameterError, ReadError, nearest

if TYPE_CHECKING:
    from calibrant.data._tables.table import Table

__all__ = ["list_datasets", "load"]

_OPENML = "openml:"


@dataclass(frozen=True)
class _Source:
    """The source of a data set, and the function that loads it."""

    where: str
    load: Callable[[], Table]


def load(name: str, home: str | os.PathLike[str] | None = None) -> Table:
    """Load a data set by name.

    A plain name such as ``"glass"`` is the unmodified file. The papers' tasks, made from the same files, are
    ``"nielsen.x"``, ``"chawla.x"``, ``"caruana.x"`` and ``"zadrozny.x"``; see `list_datasets`.
    ``"openml:61"`` and ``"openml:iris"`` are loaded from OpenML.

    Parameters
    ----------
    name : str
        One of `list_datasets`, or ``openml:`` and an id or a name.
    home : path, optional
        A folder with ``MANIFEST.json`` and the Parquet files it lists; by default the one that the
        environment variable ``CALIBRANT_DATA`` names. Other data sets are searched for in calibrant, in
        scikit-learn and on OpenML, in this order.

    Returns
    -------
    Table
        Features, class, official split, weights; in ``extra`` the columns that are not features; in
        ``notes`` what differs from the paper or from the file in the data folder.

    Examples
    --------
    >>> appeal = load("appeal")
    >>> appeal.n_rows, appeal.n_features, appeal.positive, list(appeal.extra)
    (1500, 8, 'yes', ['amount', 'chance'])
    >>> load("nielsen.iris").class_counts
    {'setosa': 50, 'versicolor': 50}
    """
    check_param("name", name, InstanceOf(str, words="a string"))
    if name.startswith(_OPENML):
        return _load_openml(name.removeprefix(_OPENML))
    opened = DataFolder.open(home)
    if name in TASKS:
        task = TASKS[name]
        return apply_task(task, _find(task.source, opened).load(), name)
    return _find(name, opened).load()


def list_datasets(home: str | os.PathLike[str] | None = None) -> DatasetList:
    """List every data set that `load` accepts: first the files, then the papers' tasks.

    Parameters
    ----------
    home : path, optional
        As in `load`.

    Returns
    -------
    DatasetList
        A tuple of names; ``.to_frame()`` lists the size of each and its source.

    Examples
    --------
    >>> names = list_datasets()
    >>> "appeal" in names, "nielsen.zoo" in names, "caruana.letter_p1" in names
    (True, True, True)
    """
    return DatasetList(_entries(DataFolder.open(home)))


def _find(name: str, home: DataFolder | None) -> _Source:
    if home is not None and name in home.entries:
        return _Source(str(home.folder), partial(home.load, name))
    info = catalog().get(name)
    if info is None:
        raise _unknown_name(name, home)
    if info.embedded is not None:
        return _Source("calibrant", partial(load_embedded, info))
    if info.sklearn is not None:
        return _Source("scikit-learn", partial(load_from_sklearn, info))
    if info.openml is not None:
        where = "OpenML, cached" if _is_cached(info.openml) else "OpenML"
        return _Source(where, partial(_from_openml, info, info.openml, home))
    return _Source("not at hand", partial(_raise_unavailable, info, home))


def _unknown_name(name: str, home: DataFolder | None) -> ParameterError:
    known = [*catalog(), *TASKS, *(home.entries if home else ())]
    near = nearest(name, known) or " list_datasets() lists them."
    other = "read_table reads files" if Path(name).is_file() else f'load("{_OPENML}{name}") loads it from OpenML'
    return ParameterError(f"{name!r} is not a known data set.{near} {other}.")


def _raise_unavailable(info: DatasetInfo, home: DataFolder | None) -> Table:
    raise ReadError(f"{_unavailable_text(info, home)}, and no other source is known. {_hint(info)}")


def _unavailable_text(info: DatasetInfo, home: DataFolder | None) -> str:
    folder = "CALIBRANT_DATA is not set" if home is None else f"{home.folder} does not list it"
    return f"{info.name} is not available: {folder}, calibrant and scikit-learn do not include it"


def _hint(info: DatasetInfo) -> str:
    return f"Set CALIBRANT_DATA to a folder whose MANIFEST.json lists {info.name}."


def _load_openml(which: int | str, name: str | None = None) -> Table:
    # imported here because urllib and ssl take time to import
    from calibrant.data._datasets.openml import load_openml

    return load_openml(which, name=name)


def _is_cached(number: int) -> bool:
    from calibrant.data._datasets.openml import is_cached

    return is_cached(number)


def _from_openml(info: DatasetInfo, number: int, home: DataFolder | None) -> Table:
    try:
        table = _with_catalog_labels(_load_openml(number, name=info.name), info)
    except ReadError as error:
        problem = f"{_unavailable_text(info, home)}, and loading it from OpenML failed. {_hint(info)}"
        raise ReadError(f"{problem} OpenML: {error}") from error
    notes = (*table.notes, *_differences(table, info))
    return replace(table, positive=match_label(table.y, info.positive), notes=notes)


def _with_catalog_labels(table: Table, info: DatasetInfo) -> Table:
    if table.y is None or set(table.class_counts) <= set(info.class_counts):
        return table
    y = table.y.astype("category")
    return replace(table, y=y.cat.rename_categories(lambda label: info.labels.get(str(label), label)))


def _differences(table: Table, info: DatasetInfo) -> Iterator[str]:
    for what, expected, found in (
        ("rows", info.rows, table.n_rows),
        ("features", info.n_features, table.n_features),
        ("class counts", dict(info.class_counts), table.class_counts),
    ):
        if expected != found:
            yield f"OpenML's copy differs from the catalog: {what} {found} instead of {expected}."


def _entries(home: DataFolder | None) -> Iterator[DatasetEntry]:
    for name in sorted({*catalog(), *(home.entries if home else ())}):
        yield _entry(name, home)
    for name, task in TASKS.items():
        yield _task_entry(name, task, home)


def _entry(name: str, home: DataFolder | None) -> DatasetEntry:
    where = _find(name, home).where
    info = catalog().get(name)
    if info is not None:
        papers = ", ".join(info.papers)
        return DatasetEntry(name, info.rows, info.n_features, len(info.class_counts), info.positive, papers, where)
    entry = home.entries[name] if home else {}
    counts = entry.get("class_counts", {})
    positive = next((label for label in counts if label == str(entry.get("positive_class"))), None)
    rows, features = entry.get("rows"), entry.get("feature_columns")
    return DatasetEntry(name, rows, features, len(counts) or None, positive, "", where)


def _task_entry(name: str, task: Task, home: DataFolder | None) -> DatasetEntry:
    source = catalog()[task.source]
    positive = task.positive or (source.positive if not task.classes else None)
    where = _find(task.source, home).where
    return DatasetEntry(name, task.rows, task.n_features, 2, positive, name.partition(".")[0], where)
