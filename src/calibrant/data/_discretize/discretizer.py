"""Numeric columns into intervals that tell the classes apart, as a scikit-learn transformer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from calibrant._params import Choice, Rule, check_params
from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._discretize.interval_columns import interval_labels, replace_columns
from calibrant.data._discretize.mdl import interval_codes, mdl_cuts
from calibrant.data._discretize.stopping_rules import CUT_RULES, CutRule
from calibrant.data._frames.columns import Nominal
from calibrant.data._validation.row_matching import ColumnSchemaMixin
from calibrant.data._validation.training_rows import read_training_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MDLDiscretizer"]

_RULES: dict[str, Rule] = {"criterion": Choice(*CUT_RULES)}


class MDLDiscretizer(ColumnSchemaMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cut numeric columns into intervals by class entropy, as many as pay by their description length.

    A column is cut where the classes on both sides have the least entropy, then each side again, for as long as the
    gain is worth the bits that describe the cut (Fayyad & Irani 1993). Cuts lie half-way between two values; of equally
    good ones the lowest is taken, and a value at a cut lies below it. A column that tells nothing of the class stays
    one interval. Missing values have no say and stay missing; nominal columns pass as they are. Weights are
    frequencies: a row of weight 2 is the row twice, one of weight 0 is absent, and less than two rows are not cut.

    Parameters
    ----------
    criterion : {"fayyad_irani", "kononenko"}
        When a cut pays: the rule of Fayyad and Irani, or that of Kononenko (1995), which cuts a little more.
    nominal : "auto", "all", or a sequence of names, positions or truth values
        Which other columns to take as nominal.

    Attributes
    ----------
    cut_points_ : list of arrays
        The cut points of each column, ascending; empty for a nominal column and for one that is a single interval.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    Notes
    -----
    A frame becomes a frame of the same library whose intervals are ordered categories, each labelled ``"(low, high]"``.
    An array becomes an array of the numbers of the intervals, and of the categories of nominal columns in the order of
    `fit`, with NaN for what is missing or was not seen. Dates and times are cut as microseconds.

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

    def __init__(self, *, criterion: CutRule = "fayyad_irani", nominal: Nominal = "auto") -> None:
        self.criterion = criterion
        self.nominal = nominal

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MDLDiscretizer:
        """Find the cut points.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The table: of pandas, polars or pyarrow, or an array.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            How often each row counts; a row of weight 0 is as if absent.

        Returns
        -------
        MDLDiscretizer
            The transformer itself.
        """
        check_params(self, _RULES)
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        table, labels = CodedTable.from_columns(rows.columns, n_jobs=1), rows.labels
        self.cut_points_ = mdl_cuts(table, labels.codes, len(labels.classes), rows.weights, self.criterion)
        self._store_schema(table.schema, rows.columns.feature_names)
        return self

    def transform(self, X: Any) -> Any:
        """Give each numeric value as its interval.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows; columns are found by name where both tables have names, else by position.

        Returns
        -------
        frame of the same library or array of shape (n_rows, n_columns)
            Intervals as ordered categories in a frame, as numbers in an array; see the notes of the class.

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

    def _frame(self, frame: nw.DataFrame[Any], codes: list[NDArray[np.int32]]) -> Any:
        places = self._schema.locate([str(name) for name in frame.columns])
        numeric = [feature.kind == "numeric" for feature in self._schema.features]
        labels = map(interval_labels, self.cut_points_)
        columns = [
            (code, label) if is_cut else None for code, label, is_cut in zip(codes, labels, numeric, strict=True)
        ]
        return replace_columns(frame, places, columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
