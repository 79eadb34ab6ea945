"""The description of a model in its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from calibrant._repr import short_repr
from calibrant._saved import Inline, Integer, Line, MapOf, Maybe, Number, Text, TupleOf, saved
from calibrant._saved.fields import printable
from calibrant.data import Table
from calibrant.data._internal import Reading, Schema, fingerprint_rows
from calibrant.exceptions import ParameterError

_MAX_DEPTH = 10  # of models in models


@dataclass(frozen=True)
class ColumnDescription:
    """A column that a model expects.

    Parameters
    ----------
    name : str
        Its name; ``"x0"``, ``"x1"``, … where the training table had none.
    kind : "numeric" or "nominal"
        Its kind.
    categories : tuple
        The categories of a nominal column. Others are missing values to the model.
    measure : str
        What a numeric column holds: "numbers", "dates", "durations" or "times of day"; "" if it was all missing.
        "text" of a nominal column that is free text.

    Examples
    --------
    >>> ColumnDescription("colour", "nominal", ("blue", "red")).categories
    ('blue', 'red')
    """

    name: str
    kind: str
    categories: tuple[Any, ...] = ()
    measure: str = ""


# How a table was read, which a model file remembers; declared here because readers know nothing of model files
saved(
    inline=True,
    format=Line(),
    encoding=Line() | None,
    sheet=Line() | None,
    decimal=Text(".", ",") | None,
    missing=TupleOf(Line()),
    types=MapOf(Text("nominal", "number", "date", "text", "drop")),
    given=TupleOf(Line()),
    examples=TupleOf(Line()),
)(Reading)


@saved(inline=True, name=Line(), n_rows=Integer(0) | None, fingerprint=Line(), reading=Maybe(Inline(Reading) | None))
@dataclass(frozen=True)
class DataSource:
    """The data that a model was made from.

    Parameters
    ----------
    name : str
        Name of the table.
    n_rows : int, optional
        Number of rows.
    fingerprint : str
        Digest of the rows, which no library or machine changes.
    reading : Reading, optional
        How the file of the table was read (`Table.reading`); `predict_table` reads other files alike.

    Examples
    --------
    >>> DataSource("adult.csv", 48842)
    DataSource(name='adult.csv', n_rows=48842, fingerprint='', reading=None)
    """

    name: str = ""
    n_rows: int | None = None
    fingerprint: str = ""
    reading: Reading | None = None


@saved(
    inline=True,
    metric=Line(),
    value=Number(finite=False),
    low=Number(finite=False) | None,
    high=Number(finite=False) | None,
    confidence=Number(0, 1) | None,
)
@dataclass(frozen=True)
class ExpectedScore:
    """The score to be expected on new rows, with an interval.

    Parameters
    ----------
    metric : str
        Name of the metric.
    value : float
        The score.
    low, high : float, optional
        The ends of the interval.
    confidence : float, optional
        The confidence of the interval.

    Examples
    --------
    >>> print(ExpectedScore("log_loss", 0.412, 0.391, 0.434, 0.95))
    log_loss 0.412 (95 % interval 0.391 to 0.434)
    """

    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.metric} {self.value:.3g}"
        confidence = "" if self.confidence is None else f"{100 * self.confidence:g} % "
        return f"{self.metric} {self.value:.3g} ({confidence}interval {self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True)
class ModelDescription:
    """The description of a model in its file.

    Parameters
    ----------
    model : str
        The model as code: its class and the parameters that differ from the defaults.
    class_name : str
        Its class.
    classes : tuple
        The classes it predicts, in the order of the probabilities' columns.
    columns : tuple of ColumnDescription
        The columns it expects; empty if it does not know.
    made_by : str
        Who made the file.
    created : str
        When, in UTC.
    made_from : DataSource
        The data it was made from, as far as `save` was told.
    expected : tuple of ExpectedScore
        The scores to be expected on new rows.
    notes : tuple of str
        What else to know, such as that the file holds training rows.
    training_rows : bool
        Whether the file was saved with all training rows.
    versions : dict
        The versions of calibrant, Python, NumPy and scikit-learn that wrote the file.
    schema_version : int
        The version of the file's format.
    n_bytes : int
        The size of the file.
    sha256 : str
        The digest of the file, for ``load_model(path, sha256=...)``.

    Examples
    --------
    >>> import tempfile, calibrant
    >>> from calibrant.bayes import ConstantClassifier
    >>> path = tempfile.mkdtemp() + "/base_rate.calibrant"
    >>> described = calibrant.save(ConstantClassifier().fit([[1], [2]], ["no", "yes"]), path)
    >>> described.class_name, described.classes, [column.name for column in described.columns]
    ('ConstantClassifier', ('no', 'yes'), ['x0'])
    """

    model: str
    class_name: str
    classes: tuple[Any, ...]
    columns: tuple[ColumnDescription, ...]
    made_by: str
    created: str
    made_from: DataSource
    expected: tuple[ExpectedScore, ...]
    notes: tuple[str, ...]
    training_rows: bool
    versions: dict[str, str]
    schema_version: int
    n_bytes: int
    sha256: str

    def __str__(self) -> str:
        lines = [self.model, f"made by {self.made_by or 'nobody named'} on {self.created}, {self._made_with()}"]
        if self.made_from != DataSource():
            rows = "" if self.made_from.n_rows is None else f"{self.made_from.n_rows:,} rows of "
            lines.append(
                f"from {rows}{self.made_from.name or 'data'} (fingerprint {self.made_from.fingerprint or 'none'})"
            )
        lines += [f"expected {score}" for score in self.expected]
        lines += [f"{len(self.classes)} classes: {short_repr(list(self.classes))}"] if self.classes else []
        lines += [f"{len(self.columns)} columns: {', '.join(map(_column_text, self.columns))}"] if self.columns else []
        lines += [*self.notes, f"{self.n_bytes:,} bytes, SHA-256 {self.sha256}"]
        return "\n".join(map(printable, lines))

    def _made_with(self) -> str:
        return "with " + ", ".join(f"{name} {version}" for name, version in self.versions.items())


def _column_text(column: ColumnDescription) -> str:
    if column.kind == "numeric":
        return column.name if column.measure in ("", "numbers") else f"{column.name} ({column.measure})"
    return f"{column.name} ({'free text' if column.measure == 'text' else f'{len(column.categories)} categories'})"


def read_source(made_from: DataSource | Table | Mapping[str, Any] | None) -> DataSource:
    """Return the data source that the caller of `save` names; raise if it is something else."""
    if isinstance(made_from, DataSource):
        return made_from
    if isinstance(made_from, Table):
        digest = fingerprint_rows(made_from.X, made_from.y, sample_weight=made_from.sample_weight)
        return DataSource(made_from.name, made_from.n_rows, digest, made_from.reading)
    data: DataSource = _from_mapping(DataSource, "made_from", made_from or {})
    return data


def read_expected(expected: Any) -> tuple[ExpectedScore, ...]:
    """Return the scores that `save` was told, one or several."""
    if expected is None:
        return ()
    several = expected if isinstance(expected, list | tuple) else [expected]
    return tuple(
        each if isinstance(each, ExpectedScore) else _from_mapping(ExpectedScore, "expected", each) for each in several
    )


def _from_mapping(cls: Any, name: str, values: Any) -> Any:
    known = [field.name for field in fields(cls)]
    if not isinstance(values, Mapping) or not values.keys() <= set(known):
        raise ParameterError(
            f"{name} must be {cls.__name__}(...) or a dict of {', '.join(known)}; got {short_repr(values)}."
        )
    try:
        return cls(**values)
    except TypeError as error:
        raise ParameterError(f"{name} lacks a value: {error}.") from error


def find_schema(model: Any) -> Schema | None:
    """Return the kinds and categories of the columns of a model; None where it does not know them.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> find_schema(ProbabilityTreeClassifier().fit([[1], [2]], [0, 1])).features[0].kind
    'numeric'
    """
    return next((each._schema for each in wrapped_models(model) if _has_schema(each)), None)


def wrapped_models(model: Any) -> Iterator[Any]:
    """Yield a model, the one that it wraps, and so on."""
    for _ in range(_MAX_DEPTH):
        if model is None:
            return
        yield model
        model = _wrapped(model) if is_calibrants(model) else None


def is_calibrants(model: Any) -> bool:
    """Return whether a model is of a class of calibrant."""
    return type(model).__module__.partition(".")[0] == "calibrant"


def _wrapped(model: Any) -> Any:
    if _has_schema(model):
        return None
    several = getattr(model, "estimators_", None)
    first = several[0] if isinstance(several, list) and several else None
    return first if first is not None else getattr(model, "estimator_", getattr(model, "tree", None))


def _has_schema(model: Any) -> bool:
    return "_schema" in getattr(model, "__dict__", {})
