"""Support vector machines as a classifier for tables as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_limits

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._fit_warnings import warn_of_fit
from calibrant._memory import check_output_memory
from calibrant._params import Choice, Int, Nothing, Real, Rule, check_params
from calibrant._saved import Array, Inline, need, saved
from calibrant.data._internal import MergedRows, Nominal, RowClassifierMixin, StandardDesign, read_training_rows
from calibrant.svm._machines import KernelFunction, KernelName, Machines, fit_machines


@saved(_design=Inline(StandardDesign), _machines=Inline(Machines), n_iter_=Array("i8", low=0))
@fill_docstring()
@with_parameters
class SVMClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A support vector machine, by scikit-learn's SVC with the kernels of SVM-Light, for tables as they are.

    Its margins rank rows and are no probabilities: `decision_function` returns them, and `predict_proba` scales them to
    [0, 1] by the least and the greatest margin of the training rows, as Caruana and Niculescu-Mizil do for their raw
    figures; the scores of more than two classes are then divided by their sum.
    `calibrant.calibration.CalibratedClassifier` calibrates the margins.

    Columns are standardised to mean 0 and standard deviation 1, those of nominal ones by category: an indicator for
    each. A missing number is the mean, with an indicator of its own where training rows have any; a missing or unknown
    category has no indicator. Weights are frequencies: equal rows are one row of their summed weight, and the cost of a
    row is C times its weight.

    Parameters
    ----------
    kernel : {"linear", "polynomial", "radial"}
        The kernel of rows x and z: ``x.z``; ``(x.z + 1)^degree``; ``exp(-gamma |x - z|^2)``.
    degree : int
        The degree of the polynomial, at most 10.
    gamma : float or "auto"
        The factor of the radial kernel; ``"auto"``: one over the number of standardised columns and indicators.
    C : float
        The cost of a row on the wrong side of its margin.
    max_iter : int, optional
        The most iterations of the solver, about 10 s for 4,000 rows by default; None: no limit. A fit that reaches it
        warns. Great C need the most.
    %(nominal)s

    Attributes
    ----------
    %(classes_)s
    n_iter_ : array of shape (n_machines,)
        The iterations of each machine: one for two classes, one for each class against the rest where there are more.
    %(features_in_)s

    Notes
    -----
    `predict` returns the class by the sign of the margin, or of the greatest margin of several classes. With scores
    scaled by their extremes the more probable class of `predict_proba` is often another.

    References
    ----------
    T. Joachims, "Making large-scale SVM learning practical", 1999. R. Caruana and A. Niculescu-Mizil, "Predicting good
    probabilities with supervised learning", 2005.

    Examples
    --------
    %(example_split)s
    >>> SVMClassifier().fit(train.X, train.y).decision_function(test.X[:2]).round(2)
    array([-1.13, -1.01])
    >>> from calibrant.calibration import CalibratedClassifier
    >>> calibrated = CalibratedClassifier(SVMClassifier(), "platt", cv=3).fit(train.X, train.y)
    >>> calibrated.predict_proba(test.X[:2]).round(2)
    array([[0.94, 0.06],
           [0.92, 0.08]])
    """

    _short_name: ClassVar[str] = "svm"
    _rules: ClassVar[Mapping[str, Rule]] = {
        "kernel": Choice("linear", "polynomial", "radial"),
        "degree": Int(1, 10),
        "gamma": Real(0, 1e6, closed="right") | Choice("auto"),
        "C": Real(0, 1e12, closed="right"),
        "max_iter": Int(1, 2**31 - 1) | Nothing(),
    }

    kernel: KernelName = "radial"
    degree: int = 2
    gamma: float | Literal["auto"] = "auto"
    C: float = 1.0
    max_iter: int | None = 1_000_000
    nominal: Nominal = "auto"

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a machine, or one for each of more than two classes.

        %(fit_sections)s
        """
        check_params(self)
        read = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        rows = MergedRows.of(read)
        with threadpool_limits(1):  # sums of BLAS depend on the number of threads
            self._design, terms = StandardDesign.of(read.columns.schema, rows.arrays, rows.weights)
            gamma = 1 / max(1, self._design.n_terms) if self.gamma == "auto" else float(self.gamma)
            kernel, n_classes = KernelFunction(self.kernel, self.degree, gamma), len(read.labels.classes)
            self._machines, self.n_iter_, has_converged = fit_machines(
                kernel, terms, rows, n_classes, C=float(self.C), max_iter=self.max_iter
            )
        self._store_columns(read.columns.schema, read.labels.classes, read.columns.feature_names)
        if not has_converged:
            warn_of_fit(
                "svm",
                f"SVMClassifier: the solver stopped after max_iter={self.max_iter} iterations before it converged. "
                "Increase max_iter, or decrease C.",
                2,
            )
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the margins scaled to [0, 1] as if they were probabilities: raw scores, which must be calibrated.

        %(predict_proba_sections)s
        """
        margins = self._margins(X)
        if len(self.classes_) == 1:
            return np.ones((len(margins), 1))
        scaled = self._machines.scaled(margins)
        if len(self.classes_) == 2:
            return np.hstack([1 - scaled, scaled])
        total = scaled.sum(axis=1, keepdims=True)
        return np.where(total > 0, scaled / np.where(total > 0, total, 1.0), 1 / scaled.shape[1])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the margin of each row.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_classes)
            The margin of the second of two classes, or of each class against the rest.

        Examples
        --------
        >>> machine = SVMClassifier(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
        >>> machine.decision_function([[0.5], [1.5], [3.0]]).round(2)
        array([-0.8,  0. ,  1.2])
        """
        margins = self._margins(X)
        if len(self.classes_) == 1:
            return np.zeros(len(margins))
        return margins[:, 0] if len(self.classes_) == 2 else margins

    @fill_docstring()
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row by its margins.

        %(predict_sections)s
        """
        margins = self.decision_function(X)
        best = margins > 0 if margins.ndim == 1 else margins.argmax(axis=1)
        return np.asarray(self.classes_[best.astype(np.intp)])

    def _margins(self, X: Any) -> NDArray[np.float64]:
        n_rows, columns = self._rows(X)
        check_output_memory(n_rows, len(self.classes_))
        with threadpool_limits(1):
            return self._machines.margins(self._design.terms(columns))

    def _check_saved(self) -> None:
        super()._check_saved()
        self._design.check_columns(self._schema)
        machines, n_classes = self._machines, len(self.classes_)
        n_machines = n_classes if n_classes > 2 else n_classes - 1
        need(len(machines.coef) == len(machines.intercept) == len(self.n_iter_) == n_machines, "has other machines")
        need(machines.support.shape[1] == self._design.n_terms, "has support vectors of other columns")

    def _saved_note(self) -> str:
        is_linear, n_vectors = self._machines.kernel.name == "linear", len(self._machines.support)
        return "" if is_linear else f"holds {n_vectors:,} training rows as numbers, its support vectors"
