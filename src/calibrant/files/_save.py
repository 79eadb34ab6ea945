"""Saving a fitted model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._params import Bool, InstanceOf, Nothing, check_param
from calibrant._saved.documents import Writer
from calibrant._saved.form import check_fitted
from calibrant.data import Table
from calibrant.data._internal import fit_columns
from calibrant.exceptions import ModelFileError
from calibrant.files._archive import write_container
from calibrant.files._description import (
    DataSource,
    ExpectedScore,
    ModelDescription,
    read_expected,
    read_source,
)
from calibrant.files._header import describe, make_header, read_model
from calibrant.files._model_columns import find_schema

if TYPE_CHECKING:
    from calibrant.data._internal import Schema

__all__ = ["save"]


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    compress: bool = False,
    training_rows: bool = False,
    made_from: DataSource | Table | Mapping[str, Any] | None = None,
    expected: ExpectedScore | Mapping[str, Any] | Sequence[ExpectedScore | Mapping[str, Any]] | None = None,
    made_by: str | None = None,
) -> ModelDescription:
    """Save a fitted model as a file that `load_model` reads, without pickle.

    The file is a zip of JSON and raw arrays. It is written beside the path and then moved there, so that there is
    the whole file or none, and a file that was there before stays until then.

    Parameters
    ----------
    model : estimator or calibrator
        A fitted one of calibrant, which may have one of scikit-learn, LightGBM or XGBoost inside.
    path : str or path
        The file; ``.calibrant`` is the usual suffix.
    compress : bool
        Whether the file is compressed: smaller, but read as a whole when it is loaded instead of mapped into memory.
    training_rows : bool
        Whether the training rows are saved too where the model keeps them. They are needed to estimate probabilities
        from rows (``with_estimate("kernel_density")``), to continue a fit, and for out-of-bag results; predictions do
        without. Models that predict from their training rows save them always and say so in ``notes``.
    made_from : Table, DataSource or dict, optional
        The data the model was made from: ``name``, ``n_rows``, ``fingerprint``. Those of a `Table` are computed, and
        a model of another library, which does not know the kinds of its columns, has them from there.
    expected : ExpectedScore or dict, or a list of them, optional
        Scores to be expected on new rows: ``metric``, ``value``, ``low``, ``high``, ``confidence``. A
        `ProbabilityClassifier` adds the log-loss it expects itself.
    made_by : str, optional
        Who made the file; the name of the user if None.

    Returns
    -------
    ModelDescription
        What the file says about the model, as `describe_model` returns it.

    Raises
    ------
    ModelFileError
        If the model is not fitted, or holds something that model files do not; nothing is written then.
    OSError
        If the file cannot be written; a file that was there before is unchanged.

    Examples
    --------
    >>> import tempfile, calibrant
    >>> from calibrant.bayes import ConstantClassifier
    >>> path = tempfile.mkdtemp() + "/base_rate.calibrant"
    >>> model = ConstantClassifier().fit([[1], [2], [3]], ["no", "no", "yes"])
    >>> described = calibrant.save(model, path, made_from={"name": "three rows", "n_rows": 3})
    >>> described.class_name, described.made_from.n_rows
    ('ConstantClassifier', 3)
    >>> calibrant.load_model(path).predict_proba([[7]]).round(3)
    array([[0.667, 0.333]])
    """
    for name, value, rule in (
        ("compress", compress, Bool()),
        ("training_rows", training_rows, Bool()),
        ("made_by", made_by, InstanceOf(str, "a string") | Nothing()),
    ):
        check_param(name, value, rule)
    out = Writer(training_rows=bool(training_rows))
    scores = read_expected(expected) + _own_scores(model)
    try:
        check_fitted(model)
        header = make_header(model, out, made_by, read_source(made_from), scores, _schema(model, made_from))
        read_model(header, out.arrays)  # so that no file is written that cannot be loaded
    except ModelFileError as error:
        what = str(error).removeprefix(".")
        raise ModelFileError(f"{type(model).__name__} cannot be saved: {what}.") from None
    sha256 = write_container(path, header, out.arrays, compress=compress)
    return describe(header, out.arrays, Path(path).stat().st_size, sha256)


def _schema(model: Any, made_from: Any) -> Schema | None:
    """Return the columns of a model; one of another library does not know their kinds, which the table has."""
    known = find_schema(model)
    return fit_columns(made_from.X).schema if known is None and isinstance(made_from, Table) else known


def _own_scores(model: Any) -> tuple[ExpectedScore, ...]:
    """Return the score that a `ProbabilityClassifier` expects of itself."""
    expected = getattr(model, "expected_log_loss_", None)
    if expected is None:
        return ()
    return (ExpectedScore("log_loss", expected.value, expected.low, expected.high, expected.confidence),)
