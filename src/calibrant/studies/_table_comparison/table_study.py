"""The study of a table: its rows, its resampling plan, the methods that it is tried with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant._repr import short_repr
from calibrant.data import Table, load, read_table
from calibrant.exceptions import DataError, ParameterError, nearest
from calibrant.resampling import CrossValidation, Holdout, Plan
from calibrant.studies._definition.datasets import Dataset, is_path

_MAX_NAMES = 6  # classes in a line
_MAX_CLASSES = 100  # more are a number, an id or free text; a study of so many classes is written by hand


@dataclass(frozen=True, eq=False)
class ComparedTable:
    """A table, the data set of its study, and the groups of its rows.

    Parameters
    ----------
    table : Table
        The features and the classes; a column of groups is not a feature.
    dataset : Dataset
        The same as a data set of a study.
    groups : array of shape (n_rows,) or None
        The group of each row.
    groups_column : str or None
        The column that they were taken from.
    """

    table: Table
    dataset: Dataset
    groups: NDArray[Any] | None = None
    groups_column: str | None = None

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        target: str | None = None,
        positive: Any = None,
        groups: str | None = None,
        nominal: Sequence[str] | None = None,
    ) -> ComparedTable:
        """Read a table by its path or name, or take one that is passed, and check that its classes can be predicted.

        Examples
        --------
        >>> ComparedTable.read("appeal").n_rarest
        138
        """
        table = _read(source, target, nominal)
        positive = _read_positive(table, positive)
        features, group, column = _group_of(table, groups)
        table = replace(table, X=features, kinds={name: table.kinds[name] for name in features}, positive=positive)
        found = cls(table, _dataset(source, table, target, column, group, nominal), group, column)
        _check_classes(found)
        return found

    @property
    def lines(self) -> list[str]:
        """The table in words, a line each: its columns, classes and groups."""
        table = self.table
        n_numeric = sum(kind == "numeric" for kind in table.kinds.values())
        kinds = [f"{n} {kind}" for n, kind in ((n_numeric, "numeric"), (table.n_features - n_numeric, "nominal")) if n]
        lines = [f"{table.name}: {table.n_rows:,} rows, {table.n_features} columns ({', '.join(kinds)})"]
        total = sum(table.class_counts.values())
        counts = {label: n for label, n in table.class_counts.items() if n}
        shares = ", ".join(f"{label} {100 * n / total:.3g} %" for label, n in list(counts.items())[:_MAX_NAMES])
        more = f" and {len(counts) - _MAX_NAMES} more" if len(counts) > _MAX_NAMES else ""
        is_binary = len(counts) == 2 and table.positive is not None
        positive = f"; probabilities are of {table.positive!r}" if is_binary else ""
        lines.append(f"predicted: {self.target} ({shares}{more}){positive}")
        if self.groups is not None:
            n_groups = len(set(self.groups.tolist()))
            lines.append(f"rows that belong together: {n_groups:,} groups of {self.groups_column!r}, kept whole")
        lines += [f"not used: {', '.join(map(str, table.extra))}"] if table.extra is not None else []
        return lines + [f"note: {note}" for note in table.notes]

    @property
    def target(self) -> str:
        """The name of the class column."""
        return "class" if self.table.y is None else str(self.table.y.name)

    @property
    def labels(self) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.table.y)

    @property
    def n_rarest(self) -> int:
        """Number of rows of the rarest class; of groups that have such rows, where there are groups."""
        _, code = np.unique(self.labels.astype(str), return_inverse=True)
        if self.groups is None:
            return int(np.bincount(code).min())
        return min(len(set(self.groups[code == number].tolist())) for number in range(int(code.max()) + 1))


def _read(source: Any, target: str | None, nominal: Sequence[str] | None) -> Table:
    if isinstance(source, Table):
        if target is not None and source.y is not None and target != source.y.name:
            raise ParameterError(f"target: the table has its class {source.y.name!r} already; got {target!r}.")
        return source
    if isinstance(source, str | os.PathLike):
        if is_path(str(source)):
            return read_table(source, target, nominal=nominal, drop_ids=True)
        return _named_table(str(source), target)
    return _table_of_frame(source, target)


def _named_table(name: str, target: str | None) -> Table:
    table = load(name)
    if target is not None and table.y is not None and target != table.y.name:
        raise ParameterError(f"target: the class of {name!r} is {table.y.name!r}; got {target!r}.")
    return table


def _table_of_frame(frame: Any, target: str | None) -> Table:
    import narwhals as nw

    try:
        native = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise ParameterError(
            f"table must be a path, the name of a data set, a Table or a frame; got {short_repr(frame)}."
        ) from error
    optional_import("pandas", extra="data", purpose="compare methods on a frame")
    pandas = native.to_pandas()
    name = list(pandas)[-1] if target is None else target
    if name not in pandas:
        raise DataError(f"the frame has no column {name!r}.{nearest(name, list(pandas))}")
    return Table(X=pandas.drop(columns=[name]), y=pandas[name], name="table")


def _read_positive(table: Table, positive: Any) -> Any:
    """Return the positive class as the table spells it; a command line has text only."""
    if positive is None or table.y is None:
        return table.positive
    classes = list(table.class_counts)
    found = next((each for each in classes if each == positive or str(each) == str(positive)), None)
    if found is None:
        listed = ", ".join(map(repr, classes[:10]))
        raise DataError(
            f"positive: {table.y.name!r} has no class {positive!r}.{nearest(positive, classes)} There are {listed}."
        )
    return found


def _group_of(table: Table, groups: str | None) -> tuple[Any, NDArray[Any] | None, str | None]:
    """Return the features without the column of groups, the groups, and the name of the column."""
    if groups is None:
        return table.X, None, None
    for frame in (table.X, table.extra):
        if frame is not None and groups in frame:
            column = frame[groups]
            if column.isna().any():
                raise DataError(f"groups: {groups!r} has missing values; every row needs a group.")
            features = table.X.drop(columns=[groups]) if frame is table.X else table.X
            if not len(features.columns):
                raise DataError(f"groups: {groups!r} is the only column; there is nothing to predict from.")
            return features, np.unique(np.asarray(column.astype(str)), return_inverse=True)[1], groups
    known = [str(name) for name in table.X]
    raise DataError(f"groups: there is no column {groups!r}.{nearest(groups, known)}")


def _dataset(
    source: Any, table: Table, target: str | None, column: str | None, group: Any, nominal: Sequence[str] | None
) -> Dataset:
    """Return the data set by its path or name where it has one, so that the study can be opened and run again."""
    is_named = isinstance(source, str | os.PathLike)
    in_file = column is None or (table.extra is None or column not in table.extra)
    if not is_named or not in_file:
        return Dataset(table, groups=group, positive=table.positive, name=table.name)
    if not is_path(str(source)):
        return Dataset(str(source), groups=column, positive=table.positive, name=table.name)
    options = {"drop_ids": True} | ({} if nominal is None else {"nominal": list(nominal)})
    return Dataset(source, target=target, groups=column, positive=table.positive, name=table.name, options=options)


def _check_classes(found: ComparedTable) -> None:
    """Raise if there is no class, one only, more than a classifier can learn, or one of a single row."""
    y = found.table.y
    if y is None:
        raise DataError(f"{found.table.name} has no class column; name it by target=.")
    if y.isna().any():
        raise DataError(f"target: {y.name!r} has {int(y.isna().sum()):,} missing values; leave these rows out.")
    counts = found.table.class_counts
    counts = {label: n for label, n in counts.items() if n}
    if len(counts) < 2:
        raise DataError(
            f"target: {y.name!r} has one value, {next(iter(counts), None)!r}; there is nothing to predict. "
            "Name another column by target=."
        )
    if len(counts) > _MAX_CLASSES:
        raise DataError(
            f"target: {y.name!r} has {len(counts):,} different values: it looks like a number, an id or text, not a "
            f"class. Name another column by target=, or turn it into at most {_MAX_CLASSES} classes."
        )
    if found.n_rarest < 2:
        label = min(counts, key=lambda each: counts[each])
        unit = "row" if found.groups is None else "group"
        raise DataError(
            f"target: the class {label!r} of {y.name!r} has one {unit}; it needs two, one to learn from and one to "
            "test on. Leave it out or join it to another class."
        )


_REPEATED = 1_000  # below, a single 10-fold cross-validation of a table varies too much from shuffle to shuffle
_TEN_FOLDS = 5_000
_FIVE_FOLDS = 50_000
_MAX_TEST = 200_000  # rows: the interval of a mean is then narrower than differences that matter


def choose_plan(n_rows: int, n_rarest: int, seed: int) -> Plan:
    """Return the plan of a table.

    Under 1,000 rows 10-fold cross-validation three times, to 5,000 once, to 50,000 5-fold cross-validation, above a
    stratified third held out, at most 200,000 rows. Folds are at most as many as the rarest class has rows, or groups.

    Examples
    --------
    >>> [choose_plan(n, 400, 0).describe() for n in (600, 3_000, 30_000)]
    ['3 times 10-fold cross-validation, stratified', '10-fold cross-validation, stratified',
     '5-fold cross-validation, stratified']
    >>> choose_plan(90_000, 400, 0).describe(), choose_plan(1_000_000, 400, 0).describe()
    ('holdout of 33 % of the rows, stratified', 'holdout of 200,000 rows, stratified')
    >>> choose_plan(600, 4, 0).describe()
    '3 times 4-fold cross-validation, stratified'
    """
    if n_rows > _FIVE_FOLDS:
        return Holdout(_MAX_TEST if n_rows > 3 * _MAX_TEST else 1 / 3, random_state=seed)
    n_folds = min(10 if n_rows <= _TEN_FOLDS else 5, n_rarest)
    return CrossValidation(n_folds, 3 if n_rows < _REPEATED else 1, random_state=seed)


BASELINE = "base rate"
CALIBRATED = "calibrated "
_HELD_OUT = ("forest", "ProbabilityClassifier")  # these score their own training rows held out: one fit instead of six


def candidates() -> dict[str, Any]:
    """Return the methods by name, the quickest first; a calibrated one follows the one that it calibrates.

    The base rate is a constant, which leaves nothing to calibrate.

    Examples
    --------
    >>> list(candidates())[:4]
    ['base rate', 'naive Bayes', 'calibrated naive Bayes', 'logistic regression']
    """
    # Estimators of all packages are slow to import, and studies are also imported for their tables.
    from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
    from calibrant.blending import ProbabilityClassifier
    from calibrant.calibration import CalibratedClassifier
    from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier
    from calibrant.linear import LogisticClassifier
    from calibrant.trees import ProbabilityTreeClassifier

    plain = {
        "naive Bayes": NaiveBayesClassifier(),
        "logistic regression": LogisticClassifier(),
        "tree": ProbabilityTreeClassifier(),
        "forest": BaggedTreesClassifier(),
        "ProbabilityClassifier": ProbabilityClassifier(),
        "boosted trees": BoostedTreesClassifier(),
    }
    methods: dict[str, Any] = {BASELINE: ConstantClassifier()}
    for name, estimator in plain.items():
        methods[name] = estimator
        methods[f"{CALIBRATED}{name}"] = CalibratedClassifier(estimator, cv="oob" if name in _HELD_OUT else 5)
    return methods
