"""Data sets by name, as they are or as the task of a paper."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, astuple, dataclass, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._optional import optional_import
from calibrant._params import InstanceOf, check_param
from calibrant._sections import DataTable, Section, TableColumn, sections_html
from calibrant.data._datasets.catalog import DatasetInfo, catalog, load_embedded, load_from_sklearn, match_label
from calibrant.data._datasets.data_folder import DataFolder
from calibrant.data._datasets.tasks import TASKS, Task
from calibrant.data._tables.table import Table
from calibrant.exceptions import DataError, ParameterError, ReadError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class DatasetEntry:
    """A data set or a paper's task: its size, and the source it would be loaded from now."""

    name: str
    rows: int | None
    features: int | None
    classes: int | None
    positive: str | None
    papers: str
    where: str


_FIELDS = fields(DatasetEntry)


class DatasetList(tuple[str, ...]):
    """The names that ``load`` accepts, with the details of each.

    Parameters
    ----------
    entries : iterable of DatasetEntry
        One for each name.

    Examples
    --------
    >>> names = DatasetList([DatasetEntry("tiny", 2, 1, 2, "yes", "", "package")])
    >>> "tiny" in names, len(names)
    (True, 1)
    >>> names
    1 data set: load(name) loads one, .to_frame() lists details.
      tiny
    """

    entries: tuple[DatasetEntry, ...]

    def __new__(cls, entries: Iterable[DatasetEntry]) -> Self:
        entries = tuple(entries)
        self = super().__new__(cls, (entry.name for entry in entries))
        self.entries = entries
        return self

    def __getnewargs__(self) -> tuple[tuple[DatasetEntry, ...]]:
        return (self.entries,)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each name: rows, features, classes, positive class, papers and source.

        Examples
        --------
        >>> from calibrant.data import list_datasets
        >>> list_datasets().to_frame().loc["appeal", "where"]
        'calibrant'
        """
        pandas = optional_import("pandas", extra="data", purpose="show the list as a frame")
        frame: pd.DataFrame = pandas.DataFrame([asdict(entry) for entry in self.entries]).set_index("name")
        return frame

    def __repr__(self) -> str:
        return "\n".join([self._head, *self._paragraphs()])

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the list as sections, which notebooks and web pages show."""
        numbers = ("rows", "features", "classes")
        columns = tuple(TableColumn(each.name, "right" if each.name in numbers else "left") for each in _FIELDS)
        rows = tuple(tuple(map(_cell, astuple(entry))) for entry in self.entries)
        return (Section("datasets", self._head, (DataTable("Data sets", columns, rows),)),)

    @property
    def _head(self) -> str:
        sets = "data set" if len(self) == 1 else "data sets"
        return f"{len(self)} {sets}: load(name) loads one, .to_frame() lists details."

    def _paragraphs(self) -> Iterator[str]:
        families: dict[str, list[str]] = {}
        for name in self:
            families.setdefault(name.rpartition(".")[0], []).append(name)
        lines = textwrap.TextWrapper(100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
        return (lines.fill("  ".join(names)) for names in families.values())


def _cell(value: str | int | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:,}"


_HINT = "set CALIBRANT_DATA to a folder that has the file that the task was made for."


def apply_task(task: Task, table: Table, name: str) -> Table:
    """Return the table of a task, made from the table of its source.

    Examples
    --------
    >>> from calibrant.data import load
    >>> from calibrant.data._datasets.tasks import TASKS
    >>> apply_task(TASKS["nielsen.wine"], load("wine"), "nielsen.wine").class_counts
    {'1': 59, '2': 71}
    """
    table = _select_columns(_select_rows(table, task), task)
    y = _regroup(_classes(table), task)
    positive = match_label(y, task.positive or table.positive)
    notes = (*table.notes, *task.differences.values(), *filter(None, [task.note]))
    return replace(table, y=y, name=name, positive=positive, notes=notes)


def _select_rows(table: Table, task: Task) -> Table:
    table = _official_part(table, task.part) if task.part else table
    y = _classes(table)
    _check_labels(table, {*task.classes, *task.without, *chain(*task.groups.values())})
    keep = ~y.isin(task.without) & (y.isin(task.classes) if task.classes else True)
    return table.take(np.asarray(keep, dtype=bool))


def _official_part(table: Table, part: str) -> Table:
    if table.split is None:
        raise DataError(f"{table.name} has no official split in this copy; {_HINT}")
    return replace(table.part(part), split=None)


def _select_columns(table: Table, task: Task) -> Table:
    missing = [column for column in task.drop_columns if column not in table.X]
    if missing:
        raise SchemaError(f"{table.name} has no column {missing[0]!r}.{nearest(missing[0], table.X)}")
    table = _keep_columns(table, [column for column in table.kinds if column not in task.drop_columns])
    if task.complete_rows:
        table = table.take(np.asarray(table.X.notna().all(axis=1)))
    if task.drop_constant:
        table = _keep_columns(table, [name for name in table.kinds if table.X[name].nunique(dropna=False) > 1])
    return _with_indicators(table) if task.indicators else table


def _keep_columns(table: Table, columns: list[str]) -> Table:
    return replace(table, X=table.X[columns], kinds={column: table.kinds[column] for column in columns})


def _with_indicators(table: Table) -> Table:
    """Replace each nominal column by a 0/1 column for each of its categories that occurs; missing values have none."""
    import pandas as pd

    columns: dict[str, pd.Series[Any]] = {}
    for column, kind in table.kinds.items():
        values = table.X[column]
        if kind == "numeric":
            columns[column] = values
            continue
        present = values.astype("category").cat.remove_unused_categories().cat.categories
        columns |= {f"{column}={category}": (values == category).astype("int8") for category in present}
    return replace(table, X=pd.DataFrame(columns), kinds=dict.fromkeys(columns, "numeric"))


def _regroup(y: pd.Series[Any], task: Task) -> pd.Series[Any]:
    if not task.groups:
        return y.cat.remove_unused_categories() if hasattr(y, "cat") else y
    import pandas as pd

    rest = next((name for name, members in task.groups.items() if not members), None)
    group = {label: name for name, members in task.groups.items() for label in members}
    named = [group.get(label, rest) for label in y]
    return pd.Series(pd.Categorical(named, categories=list(task.groups)), index=y.index, name=y.name)


def _check_labels(table: Table, labels: Iterable[str]) -> None:
    known = list(table.class_counts)
    for label in sorted(labels):
        if label not in known:
            raise DataError(f"{table.name} has no class {label!r} in this copy, but {known}; {_HINT}")


def _classes(table: Table) -> pd.Series[Any]:
    if table.y is None:
        raise DataError(f"{table.name} has no class column.")
    return table.y


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
