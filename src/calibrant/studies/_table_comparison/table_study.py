"""The study of a table: its rows, its resampling plan, the methods that it is tried with."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant._repr import short_repr
from calibrant.data import Table, TableCheck, check_table, load, read_table
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest
from calibrant.resampling import CrossValidation, Holdout, Plan, RollingOrigin, TimeOrderedHoldout
from calibrant.resampling._internal import splitters
from calibrant.studies._definition.datasets import Dataset, is_path

_MAX_NAMES = 6  # classes in a line
_MAX_CLASSES = 100  # more are a number, an id or free text; a study of so many classes is written by hand


@dataclass(frozen=True)
class TimeCheck:
    """The score of a method by another plan: by time where rows were shuffled, of shuffled rows where they were not.

    Parameters
    ----------
    column : str
        The column of times or dates.
    plan : str
        The other plan, in words.
    value : float
        The score.
    """

    column: str
    plan: str
    value: float


@dataclass(frozen=True)
class WithoutSuspects:
    """The score of a method without the columns that may be leaks of the class.

    Parameters
    ----------
    columns : tuple of str
        The columns that were left out.
    value : float
        The score; that of the base rate where no other column is left.
    own : float
        The score with them.
    """

    columns: tuple[str, ...]
    value: float
    own: float


@dataclass(frozen=True, eq=False)
class ComparedTable:
    """A table, the data set of its study, and the groups and times of its rows.

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
    times : array of shape (n_rows,) or None
        The rank of each row's time.
    time_column : str or None
        The column that they were taken from.
    reading : dict
        The keywords of `read_table` that a file was read by; a table kept apart is read alike.
    """

    table: Table
    dataset: Dataset
    groups: NDArray[Any] | None = None
    groups_column: str | None = None
    times: NDArray[np.intp] | None = None
    time_column: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        target: str | None = None,
        positive: Any = None,
        groups: str | None = None,
        time: str | None = None,
        nominal: Sequence[str] | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> ComparedTable:
        """Read a table by its path or name, or take one that is passed, and check that its classes can be predicted.

        Examples
        --------
        >>> ComparedTable.read("appeal").n_rarest
        138
        """
        options = {**(reading or {}), **({} if nominal is None else {"nominal": list(nominal)})}
        table = cls.open(source, target, options)
        positive = _read_positive(table, positive)
        table, group = _take_column(table, "groups", groups)
        table, moments = _take_column(table, "time", time)
        times = None if moments is None else _rank_times(str(time), moments)
        number = None if group is None else np.unique(np.asarray(group.astype(str)), return_inverse=True)[1]
        table = replace(table, positive=positive)
        roles = {"groups": (groups, number), "time": (time, times)}
        found = cls(table, _dataset(source, table, target, roles, options), number, groups, times, time, options)
        _check_classes(found)
        return found

    @staticmethod
    def open(source: Any, target: str | None, options: Mapping[str, Any], *, drops_ids: bool = True) -> Table:
        """Return the table of a file, a name or a frame, or the one that is passed."""
        if isinstance(source, Table):
            if target is not None and source.y is not None and target != source.y.name:
                raise ParameterError(f"target: the table has its class {source.y.name!r} already; got {target!r}.")
            return source
        if isinstance(source, str | os.PathLike):
            if is_path(str(source)):
                return read_table(source, target, drop_ids=drops_ids, **options)
            return _named_table(str(source), target)
        return _table_of_frame(source, target)

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
        if self.times is not None:
            n_times = len(np.unique(self.times))
            lines.append(f"times: {n_times:,} of {self.time_column!r}, which is not learned from")
        lines += [f"not used: {', '.join(map(str, table.extra))}"] if table.extra is not None else []
        return lines + [f"note: {note}" for note in table.notes]

    @cached_property
    def check(self) -> TableCheck:
        """The findings of `check_table` on the features, and on the columns that are left out as ids."""
        table, roles = self.table, (self.groups_column, self.time_column)
        if table.extra is not None:
            ids = [name for name, column in table.extra.items() if column.is_unique and name not in roles]
            table = replace(table, X=table.X.join(table.extra[ids]), kinds={}, extra=None)
        found = check_table(table)
        answered = {"time", "date"} if self.times is not None else set()
        answered |= set() if self.groups is None else {"repeated id"}
        return replace(found, findings=tuple(each for each in found.findings if each.kind not in answered))

    @property
    def target(self) -> str:
        """The name of the class column."""
        return "class" if self.table.y is None else str(self.table.y.name)

    @property
    def labels(self) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.table.y)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The number of each row's class."""
        return np.unique(self.labels.astype(str), return_inverse=True)[1]

    @property
    def date_column(self) -> str | None:
        """The first column of dates among the features and the columns that are not used."""
        frames = [each for each in (self.table.X, self.table.extra) if each is not None]
        return next((str(name) for each in frames for name in each if each[name].dtype.kind == "M"), None)

    def plan(self, words: Any, seed: int) -> Any:
        """Return the plan that is requested, in words or as an object, else that of the table's times and size."""
        if words is None:
            if self.times is not None:
                return choose_time_plan(self.times, self.codes)
            return choose_plan(self.table.n_rows, self.n_rarest, seed)
        plan = splitters.read_plan(words, seed)
        if self.times is not None and not splitters.is_by_time(plan):
            raise ParameterError(
                f"plan: {splitters.describe(plan)} mixes past and future, which the times of {self.time_column!r} keep "
                "apart. Leave out one of them."
            )
        return plan

    def read_test(self, source: Any) -> ComparedTable:
        """Read a table kept apart: the same class, and the columns that are features here."""
        found = self.open(source, self.target, self.reading, drops_ids=False)
        if found.y is None:
            raise DataError(f"test: {found.name} has no class column {self.target!r}.")
        frames = {str(name): each[name] for each in (found.extra, found.X) if each is not None for name in each}
        missing = [name for name in map(str, self.table.X) if name not in frames]
        if missing:
            raise DataError(f"test: {found.name} has no column {missing[0]!r}.{nearest(missing[0], list(frames))}")
        known = {str(label): label for label, n in self.table.class_counts.items() if n}
        labels = found.y.astype(str)
        unknown = sorted(set(labels[~labels.isin(known)]))
        if unknown:
            raise DataError(f"test: {found.name} has the class {unknown[0]!r}, which {self.table.name} has not.")
        X = type(self.table.X)({name: frames[name] for name in map(str, self.table.X)})
        y = labels.map(known).rename(self.target)
        return replace(
            self,
            table=replace(found, X=X, y=y, kinds=dict(self.table.kinds), extra=None, positive=self.table.positive),
            groups=None,
            times=None,
        )

    def score(self, estimator: Any, plan: Any, metric: str, times: Any = None) -> Any:
        """Return the mean of a metric of an estimator by a plan, with its interval."""
        from calibrant.resampling import estimate_performance

        table, times = self.table, self.times if times is None else times
        rows = {"groups": self.groups, "times": times, "sample_weight": table.sample_weight}
        found = estimate_performance(estimator, table.X, table.y, plan, [metric], pos_label=table.positive, **rows)
        return found.score(metric)

    def score_otherwise(self, estimator: Any, metric: str, seed: int, *, is_by_time: bool) -> TimeCheck | None:
        """Return the score by the other plan: of shuffled rows where the plan is by time, else by time of a date.

        None where there is no date, or rows cannot be split by it.
        """
        column = self.time_column or ("the order of the rows" if is_by_time else self.date_column)
        if column is None:
            return None
        try:
            if is_by_time:
                plan: Plan = CrossValidation(min(_MOMENTS, self.n_rarest), random_state=seed)
                return TimeCheck(column, plan.describe(), self.score(estimator, plan, metric).value)
            frame: Any = self.table.X if column in self.table.X else self.table.extra
            times = splitters.rank_times(frame[column], self.table.n_rows)
            plan = choose_time_plan(times, self.codes)
            return TimeCheck(column, plan.describe(), self.score(estimator, plan, metric, times).value)
        except (DataError, DataTypeError):  # a date is missing, a class comes late
            return None

    def score_without(self, columns: Sequence[str], estimator: Any, plan: Any, metric: str) -> float:
        """Return the mean of a metric of an estimator that does not see some columns."""
        X = self.table.X.drop(columns=[name for name in columns if name in self.table.X])
        table = replace(self.table, X=X, kinds={str(name): self.table.kinds[str(name)] for name in X})
        return float(replace(self, table=table).score(estimator, plan, metric).value)

    @property
    def n_rarest(self) -> int:
        """Number of rows of the rarest class; of groups that have such rows, where there are groups."""
        code = self.codes
        if self.groups is None:
            return int(np.bincount(code).min())
        return min(len(set(self.groups[code == number].tolist())) for number in range(int(code.max()) + 1))


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


def _take_column(table: Table, role: str, name: str | None) -> tuple[Table, Any]:
    """Return the table without a column that has a role, and its values; None where no column has it."""
    if name is None:
        return table, None
    for frame in (table.X, table.extra):
        if frame is not None and name in frame:
            column = frame[name]
            if column.isna().any():
                raise DataError(
                    f"{role}: {name!r} has {int(column.isna().sum()):,} missing values; every row needs one."
                )
            features = table.X.drop(columns=[name]) if frame is table.X else table.X
            if not len(features.columns):
                raise DataError(f"{role}: {name!r} is the only column; there is nothing to predict from.")
            return replace(table, X=features, kinds={str(each): table.kinds[str(each)] for each in features}), column
    known = [str(each) for each in table.X]
    raise DataError(f"{role}: there is no column {name!r}.{nearest(name, known)}")


def _rank_times(name: str, values: Any) -> NDArray[np.intp]:
    try:
        return splitters.rank_times(values, len(values))
    except (DataError, DataTypeError) as error:
        raise DataError(f"time: {name!r}: {error}") from error


def _dataset(
    source: Any,
    table: Table,
    target: str | None,
    roles: Mapping[str, tuple[str | None, Any]],
    options: Mapping[str, Any],
) -> Dataset:
    """Return the data set by its path or name where it has one, so that the study can be opened and run again."""
    is_named = isinstance(source, str | os.PathLike)
    columns: dict[str, Any] = {role: name for role, (name, _) in roles.items()}
    in_file = all(name is None or table.extra is None or name not in table.extra for name in columns.values())
    if not is_named or not in_file:
        by_row = {role: values for role, (_, values) in roles.items()}
        return Dataset(table, positive=table.positive, name=table.name, **by_row)
    if not is_path(str(source)):
        return Dataset(str(source), positive=table.positive, name=table.name, **columns)
    options = {"drop_ids": True, **options}
    return Dataset(source, target=target, positive=table.positive, name=table.name, options=options, **columns)


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


def choose_time_plan(times: NDArray[np.intp] | None, codes: NDArray[np.intp]) -> Plan:
    """Return the plan by time of a table: five moments, fewer where times are few or a class comes late.

    Above 50,000 rows the latest third is held out.

    Examples
    --------
    >>> choose_time_plan(None, np.arange(60) % 2).describe(), choose_time_plan(None, np.array([0, 0, 1, 0] * 3))
    ('trained on the past, tested on what follows, at 5 moments', RollingOrigin(gap=0, n_splits=4, time=None))
    """
    rows = np.zeros((len(codes), 1))
    plans: list[Any] = [TimeOrderedHoldout] if len(codes) > _FIVE_FOLDS else []
    plans += [partial(RollingOrigin, n) for n in range(_MOMENTS, 0, -1)]
    for make in plans:
        try:
            trained = [train for train, _ in make(time=times).split(rows)]
        except DataError:
            continue
        if all(len(np.unique(codes[train])) == len(np.unique(codes)) for train in trained):
            return cast("Plan", make())
    raise DataError("time: there is no moment before which every class has occurred, and after which rows follow.")


_MOMENTS = 5
BASELINE = "base rate"
CALIBRATED = "calibrated "
_HELD_OUT = ("forest", "ProbabilityClassifier")  # these score their own training rows held out: one fit instead of six


def candidates(*, by_time: bool = False) -> dict[str, Any]:
    """Return the methods by name, the quickest first; a calibrated one follows the one that it calibrates.

    The base rate is a constant, which leaves nothing to calibrate. By time, what is learned from held-out rows within
    the training rows is learned from rows that follow.

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
        "ProbabilityClassifier": ProbabilityClassifier(cv=RollingOrigin() if by_time else None),
        "boosted trees": BoostedTreesClassifier(),
    }
    methods: dict[str, Any] = {BASELINE: ConstantClassifier()}
    for name, estimator in plain.items():
        methods[name] = estimator
        cv: Any = RollingOrigin() if by_time else "oob" if name in _HELD_OUT else 5
        methods[f"{CALIBRATED}{name}"] = CalibratedClassifier(estimator, cv=cv)
    return methods
