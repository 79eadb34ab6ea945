"""What every display of predictions can do: be made from predictions or from estimators, of one model or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.exceptions import ParameterError
from calibrant.metrics._internal import read_predictions
from calibrant.plots._legend import legend
from calibrant.plots._style import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Display", "positive_class", "probabilities_of"]


class Display:
    """Curves of models, by name, to be drawn into one picture.

    Parameters
    ----------
    curves : dict of str to curve
        What `calibrant.curves` computed for each model.
    pos_label : optional
        The positive class, which the legend names.

    Attributes
    ----------
    ax_, figure_, legend_
        What was drawn, once `plot` has run.
    """

    _curve: ClassVar[Callable[..., Any]]
    _drawing: ClassVar[tuple[str, ...]] = ()
    _size: ClassVar[tuple[float, float]] = (5.4, 4.6)
    _corner: ClassVar[str] = "lower right"

    def __init__(self, curves: Mapping[str, Any], *, pos_label: Any = None) -> None:
        if not curves:
            raise ParameterError("curves must be a dict of name to curve, with one at least; got none.")
        self.curves = dict(curves)
        self.pos_label = pos_label

    @classmethod
    @fill_docstring()
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
        %(y_true)s
        %(y_proba_models)s
        name : str
            What a single model is called.
        %(prediction_options)s
        %(ax)s
        **options
            What the curve takes besides, and what the display itself takes.

        Returns
        -------
        Display
            The display, drawn.

        Examples
        --------
        >>> from calibrant.plots import LiftDisplay
        >>> y, tree, forest = [0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], [0.1, 0.8, 0.7, 0.3]
        >>> display = LiftDisplay.from_predictions(y, {"tree": tree, "forest": forest})
        >>> display.curves["forest"]
        LiftCurve: the first 10 % of 4 rows hold 0.4 of 2 positives, lift 2; 5 points
        """
        models = y_proba if isinstance(y_proba, Mapping) else {name: y_proba}
        drawing = {key: options.pop(key) for key in cls._drawing if key in options}
        given = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        curves = {key: cls._curve(y_true, proba, **given, **options) for key, proba in models.items()}
        return cls(curves, pos_label=positive_class(y_true, models, **given), **drawing).plot(ax)

    @classmethod
    @fill_docstring()
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
        """Let each fitted estimator predict, compute its curve and draw it.

        Parameters
        ----------
        estimator : classifier, or dict of name to classifier
            Fitted, with `predict_proba`.
        X : table of n_rows rows
            What to predict.
        %(y)s
        name : str, optional
            What a single estimator is called; by default its class.
        %(row_weight)s
        %(pos_label)s
        %(ax)s
        **options
            What the curve takes besides, and what the display itself takes.

        Returns
        -------
        Display
            The display, drawn.

        Examples
        --------
        >>> from calibrant.plots import RocDisplay
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
        >>> RocDisplay.from_estimator(ProbabilityTreeClassifier().fit(X, y), X, y).curves
        {'ProbabilityTreeClassifier': RocCurve: AUC 1, 3 points}
        """
        proba, labels = probabilities_of(estimator, X, name)
        weight = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        return cls.from_predictions(y, proba, ax=ax, **weight, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw into; by default those of a new figure. A logarithmic scale that they have is kept.

        Returns
        -------
        Display
            The display itself, with `ax_` and `figure_`.

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
        lowest = getattr(self, "histogram_ax_", None)
        self.legend_ = legend(self.ax_, self._corner, title=self._title(), lowest=lowest, may_grow=ax is None)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError

    def _title(self) -> str | None:
        """Say which class is the positive one, where that is known."""
        return None if self.pos_label is None else f"positive class: {self.pos_label}"

    def _label(self, name: str, figure: str) -> str:
        """Say which model a line is and how good it is."""
        return f"{name} ({figure})"


def positive_class(y_true: Any, models: Mapping[str, Any], **given: Any) -> Any:
    """Return the class that the curves of some predictions are about.

    Examples
    --------
    >>> positive_class(["no", "yes"], {"tree": [0.2, 0.9]})
    'yes'
    """
    read = read_predictions(y_true, next(iter(models.values())), **given) if models else None
    return None if read is None else read.classes.tolist()[read.positive]


def probabilities_of(estimator: Any, X: Any, name: str | None = None) -> tuple[dict[str, Any], list[Any]]:
    """Let estimators predict, and give the classes in the order of the columns.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> probabilities_of(ConstantClassifier().fit([[1], [2]], ["a", "b"]), [[3]])
    ({'ConstantClassifier': array([[0.5, 0.5]])}, ['a', 'b'])
    """
    models = estimator if isinstance(estimator, Mapping) else {name or type(estimator).__name__: estimator}
    if not models:
        raise ParameterError("estimator must be a classifier or a dict of name to classifier; got none.")
    for key, model in models.items():
        if not hasattr(model, "predict_proba"):
            raise ParameterError(f"estimator: {key} must be a fitted classifier with predict_proba; got {model!r}.")
    classes = [np.asarray(model.classes_).tolist() for model in models.values()]
    if any(known != classes[0] for known in classes):
        raise ParameterError("estimator: all classifiers must have learned the same classes.")
    return {key: model.predict_proba(X) for key, model in models.items()}, classes[0]
