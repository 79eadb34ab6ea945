"""Passages that many docstrings share, written once and filled in by a decorator."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def sections(*parameters: str, returns: str) -> str:
    """Return the sections "Parameters" and "Returns" of a docstring, made of their entries.

    Examples
    --------
    >>> sections("x : float", returns="float").splitlines()[:3]
    ['Parameters', '----------', 'x : float']
    """
    return "\n".join(["Parameters", "----------", *parameters, "", "Returns", "-------", returns])


# Entries of numpydoc sections. Those named `..._sections` are made of the others, so that replacing one entry
# (`fill_docstring(sample_weight=...)`) replaces it there too.
PASSAGES: Mapping[str, str] = {
    "X": """\
X : frame or array of shape (n_rows, n_columns)
    The table: a frame of pandas, polars or pyarrow, or an array.""",
    "X_predict": """\
X : frame or array of shape (n_rows, n_columns)
    The rows. Columns are matched by name where both tables have names, else by position.""",
    "X_wrapped": """\
X : frame or array of shape (n_rows, n_columns)
    Whatever the estimator accepts.""",
    "y": """\
y : sequence of length n_rows
    The class of each row.""",
    "sample_weight": """\
sample_weight : sequence of length n_rows, optional
    The weight of each row, a frequency: a row of weight 2 is the row twice, one of weight 0 is absent.""",
    "groups": """\
groups : sequence of length n_rows, optional
    The group of each row, such as the patient or the session of several rows: rows that belong together.""",
    "X_or_source": """\
X : frame, array of shape (n_rows, n_columns), or source
    The table. Categorical, string, boolean and Enum columns are nominal. A source is read part by part and may be
    larger than memory (:doc:`/scale`): the path of a file or of a folder of Parquet or CSV files, a polars LazyFrame, a
    pyarrow Dataset, a Dask frame or array. The other arguments are then names of its columns, all others are
    features, and where `max_bins` is None it is 255.""",
    "client": """\
client : distributed.Client, optional
    The Dask cluster that learns from a Dask collection; by default the active one, else this process.""",
    "nominal": """\
nominal : "auto", "all", or a sequence of names, positions or booleans
    The columns to treat as nominal, in addition to those whose values are not numbers.""",
    "max_bins": """\
max_bins : int, optional
    The number of bins of a numeric column: its values are put into at most so many, of about equal weight, and cuts are
    tried between bins only. A column with no more distinct values has one bin for each, and where all columns do and
    weights are whole numbers the result is that of None. Else it is an approximation, made for more rows than about a
    million: up to 255 bins, and as many categories, a value takes one byte. Cuts stand at values of the rows, so
    a fitted model predicts, saves and exports like any other. None: exact.""",
    "classes_": """\
classes_ : array of shape (n_classes,)
    The classes, sorted.""",
    "features_in_": """\
n_features_in_ : int
    Number of columns seen in `fit`.
feature_names_in_ : array of shape (n_features,)
    Their names, where X has names that are all strings.""",
    "fitted_self": """\
self
    The fitted estimator.""",
    "proba": """\
array of shape (n_rows, n_classes)
    Probabilities in the order of ``classes_``; each row sums to 1.""",
    "predicted": """\
array of shape (n_rows,)
    Values of ``classes_``.""",
    "y_true": """\
y_true : sequence of length n_rows
    The actual class of each row.""",
    "y_proba": """\
y_proba : array of shape (n_rows, n_classes) or (n_rows,)
    The predicted probability of each class, with columns in the order of `labels` or else of the sorted classes; or
    the probability of `pos_label` alone. Columns of a frame are matched with the classes by name.""",
    "y_proba_models": """\
y_proba : array of shape (n_rows, n_classes) or (n_rows,), or dict of name to such an array
    The predicted probability of each class, with columns in the order of `labels` or else of the sorted classes; or
    the probability of `pos_label` alone. Columns of a frame are matched with the classes by name. A dict holds the
    predictions of several models.""",
    "row_weight": """\
sample_weight : sequence of length n_rows, optional
    The weight of each row: 2 counts the row twice, 0 ignores it.""",
    "pos_label": """\
pos_label : optional
    The positive class; by default the last of two sorted classes, required where there are more.""",
    "labels": """\
labels : sequence, optional
    The classes in the order of the columns.""",
    "prediction_options": """\
%(row_weight)s
%(pos_label)s
%(labels)s""",
    "parameters": """\
Parameters
----------
%(y_true)s
%(y_proba)s
%(prediction_options)s""",
    "selecting_threshold": """\
threshold : array of shape (n_points,)
    Rows with at least this probability are selected.""",
    "rates": """\
fpr, tpr : array of shape (n_points,)
    False positive rates and true positive rates.""",
    "returns_curve": """\
%(returns)s
    The curve.""",
    "curve_sections": """\
%(parameters)s

%(returns_curve)s""",
    "weight_kind": """\
weight_kind : {"frequency", "probability"}
    Whether a weight of 2 means the row twice, or a row that represents two of the population; the latter are
    resampled within their classes.""",
    "bootstrap": """\
n_boot : int
    Number of bootstrap replicates.
random_state : int, numpy Generator, RandomState or SeedSequence, optional
    Seed of the resampling.""",
    "fit_params": """\
**fit_params : Any
    Parameters of the estimator's `fit`.""",
    "example_split": """\
>>> from calibrant.data import load
>>> donors = load("appeal")
>>> train, test = donors.part("train"), donors.part("test")""",
    "ax": """\
ax : matplotlib Axes, optional
    The axes to draw into; by default those of a new figure.""",
    "returns_drawn": """\
%(returns)s
    The display, drawn.""",
    "plot_sections": """\
Parameters
----------
%(ax)s

%(returns)s
    The display itself, with `ax_` and `figure_`.""",
    "drawn": """\
ax_, figure_
    The axes and the figure, after `plot`.""",
    "fit_sections": sections("%(X)s", "%(y)s", "%(sample_weight)s", returns="%(fitted_self)s"),
    "grouped_fit_sections": sections("%(X)s", "%(y)s", "%(sample_weight)s", "%(groups)s", returns="%(fitted_self)s"),
    "source_fit_sections": sections(
        "%(X_or_source)s", "%(y)s", "%(sample_weight)s", "%(groups)s", "%(client)s", returns="%(fitted_self)s"
    ),
    "ungrouped_source_fit_sections": sections(
        "%(X_or_source)s", "%(y)s", "%(sample_weight)s", "%(client)s", returns="%(fitted_self)s"
    ),
    "wrapped_fit_sections": sections(
        "%(X_wrapped)s", "%(y)s", "%(row_weight)s", "%(fit_params)s", returns="%(fitted_self)s"
    ),
    "wrapped_grouped_fit_sections": sections(
        "%(X_wrapped)s", "%(y)s", "%(row_weight)s", "%(groups)s", "%(fit_params)s", returns="%(fitted_self)s"
    ),
    "wrapped_predict_proba_sections": sections("%(X_wrapped)s", returns="%(proba)s"),
    "predict_proba_sections": sections("%(X_predict)s", returns="%(proba)s"),
    "predict_sections": sections("%(X_predict)s", returns="%(predicted)s"),
}


def fill_docstring(**passages: str) -> Callable[[T], T]:
    r"""Return a decorator that replaces each ``%(name)s`` of a docstring by the passage of that name.

    A passage of several lines is indented as the line of its placeholder is, and may hold placeholders itself. Other
    percent signs stay as they are. ``%(returns)s`` is the heading of the section and the annotated return type, which
    a description follows on the next line. Without docstrings (``python -OO``) nothing is done.

    Parameters
    ----------
    **passages : str
        Passages for this docstring alone: new ones, or in place of those of `PASSAGES`.

    Returns
    -------
    callable
        Takes a function or a class and returns it with its docstring filled in.

    Raises
    ------
    KeyError
        On decorating, where a placeholder has no passage.

    Examples
    --------
    >>> @fill_docstring(y="y : sequence\n    The labels.")
    ... def fit(y):
    ...     '''Fit the model.
    ...
    ...     Parameters
    ...     ----------
    ...     %(y)s
    ...     '''
    >>> print(fit.__doc__.splitlines()[-2].strip())
    The labels.
    """
    known = {**PASSAGES, **passages}

    def filled(documented: T) -> T:
        if documented.__doc__ is not None:
            documented.__doc__ = _expand(documented.__doc__, {"returns": _returns(documented), **known})
        return documented

    return filled


def _returns(documented: object) -> str:
    """Return the heading of the section of returned values and the annotated type, of a method the class for Self."""
    annotation = str(getattr(documented, "__annotations__", {}).get("return", "None"))
    owner = getattr(documented, "__qualname__", "").rpartition(".")[0]
    return f"Returns\n-------\n{owner if annotation == 'Self' else annotation}"


def _expand(text: str, passages: Mapping[str, str]) -> str:
    """Return the text with the placeholders of each line replaced, and those of the passages in turn."""
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        expanded = _PLACEHOLDER.sub(lambda match: _expand(passages[match[1]], passages), line)
        lines.append(re.sub(r"\n(?=[^\n])", "\n" + indent, expanded))
    return "\n".join(lines)
