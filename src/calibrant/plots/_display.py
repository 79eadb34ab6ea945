"""Base class of the displays of predictions, made from predictions or estimators of one model or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import ParameterError
from calibrant.metrics._internal import read_predictions
from calibrant.plots._style import axes_or_new, draw_legend, line_style, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FROM_PREDICTIONS = """\
%(y_true)s
%(y_proba_models)s
name : str
    The name of a single model.
%(prediction_options)s
%(ax)s"""
_AX = """\
ax : matplotlib Axes, optional
    The axes to draw into; by default those of a new figure. A logarithmic scale is kept."""
_OPTIONS = """\
**options
    Further arguments of the curve and of the display.

%(returns_drawn)s"""


@fill_docstring()
class Display:
    """Curves of models, by name, to be drawn into one figure.

    Parameters
    ----------
    curves : dict of str to curve
        The curve of each model, computed by `calibrant.curves`.
    pos_label : optional
        The positive class, which the legend names.

    Attributes
    ----------
    %(drawn)s
    legend_
        The legend, after `plot`.
    """

    _curve: ClassVar[Callable[..., Any]]
    _display_options: ClassVar[tuple[str, ...]] = ()
    _size: ClassVar[tuple[float, float]] = (5.4, 4.6)

    def __init__(self, curves: Mapping[str, Any], *, pos_label: Any = None) -> None:
        if not curves:
            raise ParameterError("curves must be a dict of name to curve with at least one entry; got none.")
        self.curves = dict(curves)
        self.pos_label = pos_label

    @classmethod
    @fill_docstring(entries=FROM_PREDICTIONS, options=_OPTIONS)
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        name: str = "model",
        sample_weight: Any = None,
        pos_label: Any = None,
        labels: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compute the curve of each model and draw it.

        Parameters
        ----------
        %(entries)s
        %(options)s

        Examples
        --------
        >>> from calibrant.plots import LiftDisplay
        >>> y, tree, forest = [0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], [0.1, 0.8, 0.7, 0.3]
        >>> display = LiftDisplay.from_predictions(y, {"tree": tree, "forest": forest})
        >>> display.curves["forest"]
        LiftCurve: the top 10 % of 4 rows contain 0.4 of 2 positives, lift 2; 5 points
        """
        models = y_proba if isinstance(y_proba, Mapping) else {name: y_proba}
        rows = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        return cls._of_models(y_true, models, rows, **options).plot(ax)

    @classmethod
    def _of_models(cls, y_true: Any, models: Mapping[str, Any], rows: dict[str, Any], **options: Any) -> Self:
        """Return the display of models; ``rows`` are the arguments that all curves share."""
        display = {key: options.pop(key) for key in cls._display_options if key in options}
        curves = {key: cls._curve(y_true, proba, **rows, **options) for key, proba in models.items()}
        return cls(curves, pos_label=positive_class(y_true, models, **rows), **display)

    @classmethod
    @fill_docstring(options=_OPTIONS)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        name: str | None = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Predict with each fitted estimator, compute its curve and draw it.

        Parameters
        ----------
        estimator : classifier, or dict of name to classifier
            Fitted classifiers with `predict_proba`.
        X : table of n_rows rows
            The rows to predict.
        %(y)s
        name : str, optional
            The name of a single estimator; by default its class.
        %(row_weight)s
        %(pos_label)s
        %(ax)s
        %(options)s

        Examples
        --------
        >>> from calibrant.plots import RocDisplay
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
        >>> RocDisplay.from_estimator(ProbabilityTreeClassifier().fit(X, y), X, y).curves
        {'ProbabilityTreeClassifier': RocCurve: AUC 1, 3 points}
        """
        proba, labels = probabilities_of(estimator, X, name)
        row_options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        return cls.from_predictions(y, proba, ax=ax, **row_options, **options)

    @fill_docstring(ax=_AX)
    def plot(self, ax: Any = None) -> Self:
        """Draw the curves.

        %(plot_sections)s

        Examples
        --------
        >>> from calibrant.curves import roc
        >>> from calibrant.plots import RocDisplay
        >>> RocDisplay({"tree": roc([0, 1], [0.2, 0.9])}).plot().ax_.get_xlabel()
        'false positive rate'
        """
        self.ax_: Axes = axes_or_new(ax, self._size)
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        title = None if self.pos_label is None else f"positive class: {self.pos_label}"
        self.legend_ = draw_legend(self.ax_, title=title, is_new_figure=ax is None)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError

    def _draw_lines(self, ax: Axes, line_of: Callable[[Any], tuple[Any, Any, str]]) -> None:
        """Draw the line of each curve, of which `line_of` returns x, y and how good it is."""
        for number, (name, curve) in enumerate(self.curves.items()):
            x, y, metric = line_of(curve)
            ax.plot(*thin(x, y), label=f"{name} ({metric})", **line_style(number))


def positive_class(y_true: Any, models: Mapping[str, Any], **options: Any) -> Any:
    """Return the positive class of some predictions.

    Examples
    --------
    >>> positive_class(["no", "yes"], {"tree": [0.2, 0.9]})
    'yes'
    """
    read = read_predictions(y_true, next(iter(models.values())), **options) if models else None
    return None if read is None else read.classes.tolist()[read.positive]


def probabilities_of(estimator: Any, X: Any, name: str | None = None) -> tuple[dict[str, Any], list[Any]]:
    """Return the predicted probabilities of estimators, and the classes in the order of the columns.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> probabilities_of(ConstantClassifier().fit([[1], [2]], ["a", "b"]), [[3]])
    ({'ConstantClassifier': array([[0.5, 0.5]])}, ['a', 'b'])
    """
    models = estimator if isinstance(estimator, Mapping) else {name or type(estimator).__name__: estimator}
    if not models:
        raise ParameterError("estimator must be a classifier or a dict of name to classifier; got an empty dict.")
    for key, model in models.items():
        if isinstance(model, type) or not hasattr(model, "predict_proba"):
            raise ParameterError(
                f"estimator: {key} must be a fitted classifier with predict_proba; got {short_repr(model)}."
                f"{instance_hint(model)}"
            )
    classes = [np.asarray(model.classes_).tolist() for model in models.values()]
    if any(own != classes[0] for own in classes):
        raise ParameterError("estimator: all classifiers must be fitted to the same classes.")
    return {key: model.predict_proba(X) for key, model in models.items()}, classes[0]


def results_of(study: Any, metric: str) -> Any:
    """Return the results of a study, read once from its store, or results themselves.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> results = StudyResults.from_values({"iris": [[0.1, 0.2]]}, methods=["tree"], metric="mse")
    >>> results_of(results, "mse") is results
    True
    """
    found = study.results([metric]) if callable(getattr(study, "results", None)) else study
    if isinstance(study, type) or not all(hasattr(found, name) for name in ("compare", "split_values", "methods")):
        raise ParameterError(f"study must be a Study or its results; got {short_repr(study)}.")
    return found
