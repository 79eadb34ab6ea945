"""Data sets by name: from a folder, from this package, from scikit-learn, from OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant._params import InstanceOf, check_param
from calibrant.data._sets.apply_task import carry_out
from calibrant.data._sets.catalog import DatasetInfo, catalog
from calibrant.data._sets.home import Home
from calibrant.data._sets.listing import DatasetList, Listed
from calibrant.data._sets.roles import own_label
from calibrant.data._sets.shipped import load_bundled, load_embedded
from calibrant.data._sets.tasks import TASKS, Task
from calibrant.exceptions import ParameterError, ReadError, nearest

if TYPE_CHECKING:
    from calibrant.data._tables.table import Table

__all__ = ["list_datasets", "load"]

_OPENML = "openml:"


@dataclass(frozen=True)
class _Found:
    """Where a data set is, and how to get it from there."""

    where: str
    load: Callable[[], Table]


def load(name: str, home: str | os.PathLike[str] | None = None) -> Table:
    """Load a data set by name.

    A plain name such as ``"glass"`` is the file as it is. The papers' tasks, made from the same files, are
    ``"nielsen.x"``, ``"chawla.x"``, ``"caruana.x"`` and ``"zadrozny.x"``; see `list_datasets`.
    ``"openml:61"`` and ``"openml:iris"`` ask OpenML.

    Parameters
    ----------
    name : str
        One of `list_datasets`, or ``openml:`` and an id or a name.
    home : path, optional
        A folder with ``MANIFEST.json`` and the Parquet files it lists; by default the one that the
        environment variable ``CALIBRANT_DATA`` names. What it lacks is looked for in calibrant, in
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
    opened = Home.open(home)
    if name in TASKS:
        task = TASKS[name]
        return carry_out(task, _find(task.source, opened).load(), name)
    return _find(name, opened).load()


def list_datasets(home: str | os.PathLike[str] | None = None) -> DatasetList:
    """Name every data set that `load` knows: the sets first, then the papers' tasks.

    Parameters
    ----------
    home : path, optional
        As in `load`.

    Returns
    -------
    DatasetList
        A tuple of names; ``.to_frame()`` tells the size of each and where it would come from now.

    Examples
    --------
    >>> names = list_datasets()
    >>> "appeal" in names, "nielsen.zoo" in names, "caruana.letter_p1" in names
    (True, True, True)
    """
    return DatasetList(_lines(Home.open(home)))


def _find(name: str, home: Home | None) -> _Found:
    if home is not None and name in home.entries:
        return _Found(str(home.folder), partial(home.load, name))
    info = catalog().get(name)
    if info is None:
        raise _unknown(name, home)
    if info.embedded is not None:
        return _Found("calibrant", partial(load_embedded, info))
    if info.sklearn is not None:
        return _Found("scikit-learn", partial(load_bundled, info))
    if info.openml is not None:
        where = "OpenML, cached" if _is_cached(info.openml) else "OpenML"
        return _Found(where, partial(_from_openml, info, info.openml, home))
    return _Found("not at hand", partial(_refuse, info, home))


def _unknown(name: str, home: Home | None) -> ParameterError:
    known = [*catalog(), *TASKS, *(home.entries if home else ())]
    near = nearest(name, known) or " list_datasets() names those there are."
    other = "read_table reads a file" if Path(name).is_file() else f'load("{_OPENML}{name}") asks OpenML'
    return ParameterError(f"{name!r} is no data set that calibrant knows.{near} {other}.")


def _refuse(info: DatasetInfo, home: Home | None) -> Table:
    raise ReadError(f"{_tried(info, home)}, and no other source of it is known. {_advice(info)}")


def _tried(info: DatasetInfo, home: Home | None) -> str:
    folder = "CALIBRANT_DATA is not set" if home is None else f"{home.folder} does not list it"
    return f"{info.name} is not at hand: {folder}, calibrant and scikit-learn do not bring it"


def _advice(info: DatasetInfo) -> str:
    return f"Set CALIBRANT_DATA to a folder whose MANIFEST.json lists {info.name}."


def _load_openml(which: int | str, name: str | None = None) -> Table:
    # urllib and ssl are loaded only when OpenML is asked for.
    from calibrant.data._sets.openml import load_openml

    return load_openml(which, name=name)


def _is_cached(number: int) -> bool:
    from calibrant.data._sets.openml import is_cached

    return is_cached(number)


def _from_openml(info: DatasetInfo, number: int, home: Home | None) -> Table:
    try:
        table = _with_our_labels(_load_openml(number, name=info.name), info)
    except ReadError as error:
        problem = f"{_tried(info, home)}, and OpenML does not give it. {_advice(info)}"
        raise ReadError(f"{problem} OpenML: {error}") from error
    notes = (*table.notes, *_differences(table, info))
    return replace(table, positive=own_label(table.y, info.positive), notes=notes)


def _with_our_labels(table: Table, info: DatasetInfo) -> Table:
    if table.y is None or set(table.class_counts) <= set(info.class_counts):
        return table
    y = table.y.astype("category")
    return replace(table, y=y.cat.rename_categories(lambda label: info.labels.get(str(label), label)))


def _differences(table: Table, info: DatasetInfo) -> Iterator[str]:
    for what, ours, theirs in (
        ("rows", info.rows, table.n_rows),
        ("features", info.n_features, table.n_features),
        ("class counts", dict(info.class_counts), table.class_counts),
    ):
        if ours != theirs:
            yield f"OpenML's copy differs from that in our data folder: {what} {theirs} instead of {ours}."


def _lines(home: Home | None) -> Iterator[Listed]:
    for name in sorted({*catalog(), *(home.entries if home else ())}):
        yield _line(name, home)
    for name, task in TASKS.items():
        yield _task_line(name, task, home)


def _line(name: str, home: Home | None) -> Listed:
    where = _find(name, home).where
    info = catalog().get(name)
    if info is not None:
        papers = ", ".join(info.papers)
        return Listed(name, info.rows, info.n_features, len(info.class_counts), info.positive, papers, where)
    entry = home.entries[name] if home else {}
    counts = entry.get("class_counts", {})
    positive = next((label for label in counts if label == str(entry.get("positive_class"))), None)
    rows, features = entry.get("rows"), entry.get("feature_columns")
    return Listed(name, rows, features, len(counts) or None, positive, "", where)


def _task_line(name: str, task: Task, home: Home | None) -> Listed:
    source = catalog()[task.source]
    positive = task.positive or (source.positive if not task.classes else None)
    where = _find(task.source, home).where
    return Listed(name, task.rows, task.n_features, 2, positive, name.partition(".")[0], where)
