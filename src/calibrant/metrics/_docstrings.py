"""Passages that the docstrings of metrics share, beside those of the whole package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any, TypedDict, TypeVar

from calibrant._docstrings import fill_docstring

T = TypeVar("T", bound=Callable[..., Any])

_PASSAGES = {
    "pos_label": """\
pos_label : optional
    The class whose probability a single column holds; by default the last of the sorted classes.""",
    "weighted_rows": """\
Parameters
----------
%(y_true)s
%(y_proba)s
%(row_weight)s""",
    "parameters_positive": """\
%(weighted_rows)s
pos_label : optional
    The positive class; by default the last of two sorted classes. With more than two classes it must be passed, and
    all other classes together are the negative class.
%(labels)s""",
    "parameters_each_class": """\
%(weighted_rows)s
pos_label : optional
    The positive class; by default the last of two sorted classes. With more than two classes and no `pos_label`, each
    class is evaluated against all others.
%(labels)s""",
    "parameters_numbers": """\
Parameters
----------
y_true : sequence of length n_rows
    The actual numbers.
y_pred : sequence of length n_rows
    The predicted numbers.
%(row_weight)s""",
    "mean_over_classes": """\
With more than two classes it is the mean over the classes, each against all others, weighted by their frequencies.""",
    "training_mean": """\
training_mean : float
    The mean of the actual numbers in the training data, the prediction to beat.""",
    "threshold": """\
threshold : float, optional
    Predict the positive class above this probability; by default predict the class of the largest probability, ties
    broken in favor of the lower class.
inclusive : bool
    Whether to predict the positive class at the threshold itself, too.""",
    "average": """\
average : {"macro", "weighted", "micro"}, optional
    Evaluate each class against all others instead of the positive one: the mean over classes; the mean weighted by
    the rows of each class, as Weka computes it; or the value of the summed counts, which for F-measures, precision
    and recall is the accuracy. Classes that have no row and are never predicted are left out; a class that has rows
    or is predicted, but never correctly, scores 0. It excludes `threshold`.""",
    "clip": """\
clip : float, optional
    Clip the probabilities to [clip, 1 - clip] first; scikit-learn uses 2.2e-16.""",
    "prior": """\
prior : sequence of length n_classes, dict of class to frequency, or such a Series, optional
    The frequency of each class in the training data, in the order of `labels` or else of the sorted classes; by
    default that of the rows themselves.""",
    "required_prior": """\
prior : sequence of length n_classes or dict
    The frequency of each class in the training data, in the order of `labels` or else of the sorted classes, or by
    class. Weka adds 1 to the count of each class first.""",
    "returns_f": """\
%(returns)s
    The mean; NaN where no row is positive and none is predicted to be.""",
    "returns_two_classes": """\
%(returns)s
    The value; NaN where only one class has rows.""",
    "returns_relative_to_prior": """\
%(returns)s
    The relative error; infinite where the prior alone makes no error, NaN where neither does.""",
    "returns_losses": """\
Returns
-------
array of shape (n_rows,)
    The loss of each row passed; 0 for a row of weight 0.""",
    "returns_ratio": """\
%(returns)s
    The ratio; NaN where every actual number is the training mean and the predictions are too.""",
    "returns_fraction": """\
%(returns)s
    The mean, as a fraction; infinite where an actual number is 0 and the prediction is not.""",
    "k": """\
k : float
    The number of rows, or their weight.""",
    "total_positives": """\
total_positives : float, optional
    The number of positives in all, where the rows passed are the head of a longer list; by default those passed.""",
    "bins": """\
n_bins : int
    The number of bins.
strategy : {"width", "mass"}
    Bins of equal width from 0 to 1, a probability on an edge belonging to the upper bin; or bins of about equal
    weight, in which rows of equal probability are never split.
norm : {"l1", "l2", "max"}
    The mean absolute difference, weighted by the bins; the root of the mean square; or the largest difference.
debiased : bool
    Whether to subtract what chance adds: from the mean square as Kumar, Liang & Ma (2019) do, from the mean by a normal
    approximation, which removes three quarters of it from calibrated rows. The value is never below 0.
groups : sequence of length n_rows, optional
    The cluster of each row, for `debiased`: chance then adds what whole clusters do.""",
}

_fill = fill_docstring(**_PASSAGES)
KEYWORDS: dict[str, tuple[str, ...]] = {}  # of each function, those that it takes from one of the following


class Common(TypedDict, total=False):
    """The keywords that every metric takes."""

    sample_weight: Any
    pos_label: Any
    labels: Any


class Decision(Common, total=False):
    """The keywords of metrics of the predicted class."""

    threshold: float | None
    inclusive: bool


class Averaged(Decision, total=False):
    """The keywords of rates of one class, which have an average over the classes."""

    average: str | None


class Agreement(Decision, total=False):
    """The keywords of a measure of agreement."""

    weights: str | None


class Binned(Common, total=False):
    """The keywords of calibration errors in bins."""

    n_bins: int
    strategy: str
    norm: str
    debiased: bool
    groups: Any


_KINDS: dict[str, Any] = {f"Unpack[{each.__name__}]": each for each in (Common, Decision, Averaged, Agreement, Binned)}


def document_metric(function: T, judge: Callable[..., Any] | None = None) -> T:
    """Fill the placeholders of a docstring, and write shared keywords into the signature, with the judge's defaults.

    `parameters` begins the section with y_true, y_proba, sample_weight, pos_label and labels, in one of three readings
    of pos_label; entries of further parameters follow it.

    Examples
    --------
    >>> def metric(y_true, *, k, base=2, **common: Unpack[Common]):
    ...     pass
    >>> inspect.signature(document_metric(metric))
    <Signature (y_true, *, k, sample_weight: 'Any' = None, pos_label: 'Any' = None, labels: 'Any' = None, base=2)>
    """
    signature = inspect.signature(function)
    *own, last = signature.parameters.values()
    if last.kind == Parameter.VAR_KEYWORD:
        defaults = {} if judge is None else inspect.signature(judge).parameters
        shared = []
        for name, hint in _KINDS[last.annotation].__annotations__.items():
            default = defaults[name].default if name in defaults else None
            shared.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint.__forward_arg__))
        n_common, required = len(Common.__annotations__), [each for each in own if each.default is Parameter.empty]
        parameters = [*required, *shared[:n_common], *own[len(required) :], *shared[n_common:]]
        function.__dict__["__signature__"] = signature.replace(parameters=parameters)
        KEYWORDS[function.__name__] = tuple(each.name for each in shared)
    return _fill(function)
