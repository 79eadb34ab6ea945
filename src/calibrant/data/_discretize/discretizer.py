"""Supervised discretization of numeric columns, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._exact_sums import round_weights, weight_step
from calibrant._params import Choice, Rule, check_params
from calibrant._source_limits import check_no_client, check_source_columns, check_source_params
from calibrant.data._bins.bins import MOST_BYTE_VALUES, Bins
from calibrant.data._bins.find_bins import find_bins
from calibrant.data._coding.coded_table import MAX_BINS, code_columns
from calibrant.data._discretize.interval_columns import (
    interval_labels,
    interval_midpoints,
    read_intervals,
    replace_columns,
    replace_numbers,
)
from calibrant.data._discretize.mdl import CUT_RULES, CutRule, interval_codes, mdl_cuts
from calibrant.data._frames.columns import Nominal
from calibrant.data._frames.schema import Feature, Schema
from calibrant.data._sources.open_source import is_source, open_source
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._validation.estimator_rows import ColumnSchemaMixin, read_training_rows
from calibrant.exceptions import DataError


def source_cuts(
    source: Source, max_bins: int | None, rule: CutRule
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64] | None], Schema]:
    """Return the cut points of every column, the ends of its bins (None for a nominal one), and the schema.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._sources.open_source import open_source
    >>> lazy = polars.LazyFrame({"age": list(range(20)), "ill": [0] * 10 + [1] * 10})
    >>> source_cuts(open_source(lazy, target="ill", batch_size=7), None, "fayyad_irani")[0]
    [array([9.5])]
    """
    bins, survey = find_bins(source, max_bins or MOST_BYTE_VALUES), source.survey()
    bins.check_bytes()
    if survey.labels is None:
        raise DataError("y must be the name of a column of the source; got None.")
    classes = survey.labels.labels().classes
    step = None if survey.are_ones else weight_step(survey.largest_weight, survey.n_rows)
    counts = source.reduce(_count_part, bins, classes, step, merge=_add, description="Counting bins")
    cuts = [bins.mdl_cuts(column, each, rule) for column, each in enumerate(counts)]
    values = [
        None if highs is None or lows is None else np.unique(np.concatenate([lows, highs]))
        for highs, lows in zip(bins.highs, bins.lows, strict=True)
    ]
    return cuts, values, bins.schema


def _count_part(part: SourcePart, bins: Bins, classes: NDArray[np.generic], step: float | None) -> NDArray[np.float64]:
    """Return the class weights (columns x codes x classes) of a part; sums of rounded weights are exact."""
    codes, labels = (
        bins.code(part.columns(bins.schema)),
        part.class_codes(classes) if part.n_rows else np.empty(0, int),
    )
    weights = None if step is None or part.weights is None else round_weights(part.weights, step)
    counts = np.zeros((len(bins.highs), MOST_BYTE_VALUES + 1, len(classes)))
    for j, highs in enumerate(bins.highs):
        if highs is not None:
            keys = codes[:, j].astype(np.intp) * len(classes) + labels
            counts[j] = np.bincount(keys, weights, counts[j].size).reshape(counts[j].shape)
    return counts


def _add(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    return one + other


@fill_docstring()
class MDLDiscretizer(ColumnSchemaMixin, OneToOneFeatureMixin, TransformerMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Discretize numeric columns by class entropy and the minimum description length principle.

    A column is cut where the class entropy of both sides is least, then each side is cut in turn, for as long as the
    information gain exceeds the bits that code the cut (Fayyad & Irani 1993). A cut is half-way between two values, the
    lowest of ties, and a value equal to a cut is below it. A column that is not informative about the class remains one
    interval. Missing values are left out of the search and stay missing; nominal columns are unchanged. Weights are
    frequencies: a row of weight 2 is the row twice, one of weight 0 is absent, and fewer than two rows are not cut.

    Parameters
    ----------
    criterion : {"fayyad_irani", "kononenko"}
        The stopping rule: that of Fayyad and Irani, or that of Kononenko (1995), which accepts slightly more cuts.
    %(nominal)s
    %(max_bins)s

    Attributes
    ----------
    cut_points_ : list of arrays
        The cut points of each column in ascending order; empty for a nominal column and for a single interval.
    %(features_in_)s

    Notes
    -----
    A frame becomes a frame of the same library whose intervals are ordered categories, each labelled ``"(low, high]"``.
    An array becomes an array of interval indices, and of category codes for nominal columns; missing values and
    categories not seen in `fit` are NaN. Dates and times are cut as microseconds.

    References
    ----------
    U. Fayyad and K. Irani, "Multi-interval discretization of continuous-valued attributes for classification learning",
    IJCAI 1993. I. Kononenko, "On biases in estimating multi-valued attributes", IJCAI 1995.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> discretizer.cut_points_[3]
    array([0.8 , 1.75])
    >>> discretizer.transform(X)["petal width (cm)"].value_counts(sort=False).to_dict()
    {'(-inf, 0.8]': 50, '(0.8, 1.75]': 54, '(1.75, inf)': 46}
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"criterion": Choice(*CUT_RULES), "max_bins": MAX_BINS}

    def __init__(
        self, *, criterion: CutRule = "fayyad_irani", nominal: Nominal = "auto", max_bins: int | None = None
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.max_bins = max_bins

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, client: Any = None) -> MDLDiscretizer:
        """Compute the cut points.

        %(ungrouped_source_fit_sections)s
        """
        check_params(self)
        if is_source(X):
            return self._fit_source(X, y, sample_weight, client)
        check_no_client(client)
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        table = code_columns(rows.columns, rows.weights, self.max_bins, n_jobs=1)
        cuts = mdl_cuts(table, rows.labels.codes, len(rows.labels.classes), rows.weights, self.criterion)
        values = [table.known_values(column) for column in range(table.n_columns)]
        return self._store(cuts, values, table.schema, rows.columns.feature_names)

    def _fit_source(self, X: Any, y: Any, sample_weight: Any, client: Any) -> MDLDiscretizer:
        check_source_params(self)
        check_source_columns(y=y, sample_weight=sample_weight)
        with open_source(X, target=y, sample_weight=sample_weight, nominal=self.nominal, client=client) as source:
            cuts, values, schema = source_cuts(source, self.max_bins, self.criterion)
            return self._store(cuts, values, schema, source.columns if source.roles.named else None)

    def _store(
        self,
        cuts: list[NDArray[np.float64]],
        values: list[NDArray[np.float64] | None],
        schema: Schema,
        names: tuple[str, ...] | None,
    ) -> MDLDiscretizer:
        self.cut_points_, self._midpoints = cuts, list(map(interval_midpoints, cuts, values))
        self._store_schema(schema, names)
        return self

    @fill_docstring()
    def transform(self, X: Any) -> Any:
        """Return the interval of each numeric value.

        Parameters
        ----------
        %(X_predict)s

        Returns
        -------
        frame of the same library or array of shape (n_rows, n_columns)
            Intervals as ordered categories in a frame, as indices in an array; see the notes of the class.

        Examples
        --------
        >>> X, y = [[1.0, "u"], [2.0, "v"], [8.0, None], [None, "u"]] * 9, [0, 0, 1, 1] * 9
        >>> MDLDiscretizer().fit(X, y).transform([[5.5, "v"], [4.5, "u"], [None, "w"]])
        array([[ 1.,  1.],
               [ 0.,  0.],
               [nan, nan]])
        """
        _, columns = self._rows(X)
        arrays = columns.T if isinstance(columns, np.ndarray) else columns
        codes = [
            interval_codes(array, cuts) if feature.kind == "numeric" else array
            for feature, array, cuts in zip(self._schema.features, arrays, self.cut_points_, strict=True)
        ]
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return self._frame(frame, codes)
        table = np.column_stack(codes).astype(np.float64)
        table[table < 0] = np.nan
        return table

    def inverse_transform(self, X: Any) -> Any:
        """Return the midpoint of each interval; what `transform` changed is not restored exactly.

        As in scikit-learn's ``KBinsDiscretizer``, the outer intervals end at the least and the greatest training value.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            What `transform` returned: intervals as indices or as labels, and the codes of nominal columns in an array.

        Returns
        -------
        frame of the same library or array of shape (n_rows, n_columns)
            Numbers for the intervals, of dates and times in microseconds; the categories of nominal columns. An array
            has the dtype object where there are any. Missing values stay missing.

        Examples
        --------
        >>> X, y = [[1.0, "u"], [2.0, "v"], [8.0, None], [None, "u"]] * 9, [0, 0, 1, 1] * 9
        >>> MDLDiscretizer().fit(X, y).inverse_transform([[1, 0], [0, 1], [None, None]])
        array([[6.5, 'u'],
               [3.0, 'v'],
               [nan, None]], dtype=object)
        """
        self._check_fitted()
        features, frame = self._schema.features, nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            kept = frame.select([frame.columns[i] for i in self._schema.locate([str(name) for name in frame.columns])])
            numeric = [j for j, feature in enumerate(features) if feature.kind == "numeric"]
            return replace_numbers(kept, {kept.columns[j]: self._numbers(j, kept[:, j].to_list()) for j in numeric})
        table = np.asarray(X, dtype=object)
        self._schema.locate(None, table.shape[1] if table.ndim == 2 else None, type(self).__name__)
        return np.column_stack(
            [
                self._numbers(j, column) if features[j].kind == "numeric" else _categories(features[j], column)
                for j, column in enumerate(table.T.tolist())
            ]
        )

    def _numbers(self, column: int, intervals: list[Any]) -> NDArray[np.float64]:
        labels = interval_labels(self.cut_points_[column])
        codes = read_intervals(self._schema.names[column], intervals, labels)
        return np.append(self._midpoints[column], np.nan)[codes]

    def _frame(self, frame: nw.DataFrame[Any], codes: list[NDArray[np.int32]]) -> Any:
        positions = self._schema.locate([str(name) for name in frame.columns])
        numeric = [feature.kind == "numeric" for feature in self._schema.features]
        labels = map(interval_labels, self.cut_points_)
        columns = [
            (code, label) if is_cut else None for code, label, is_cut in zip(codes, labels, numeric, strict=True)
        ]
        return replace_columns(frame, positions, columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _categories(feature: Feature, codes: list[Any]) -> NDArray[Any]:
    """Return the category of each code in an array, None where it is missing."""
    found = np.array([*feature.categories, None], dtype=object)
    labels = [str(code) for code in range(len(feature.categories))]  # read by index only
    return np.asarray(found[read_intervals(feature.name, codes, labels)])
