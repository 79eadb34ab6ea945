"""Columns of a table of predictions: which hold classes, which the probabilities of models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant._repr import listed
from calibrant.cli._app.options import usage_error
from calibrant.exceptions import DataError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd

# Words that say that a column holds predictions, beside which a name may have that of the class
_PREDICTION = {
    *("p", "pr", "prob", "proba", "probas", "probability", "probabilities", "score", "scores", "likelihood"),
    *("pred", "prediction", "predicted", "predict", "percent", "pct", "perc", "logit", "logits", "odds", "log"),
    *("of", "class", "is", "margin", "logodds"),
}
# Classes that stand for the absence of what is predicted
_NEGATIVE = {"0", "-1", "n", "no", "not", "f", "false", "neg", "negative", "none", "absent", "nein", "non"}


def class_of_column(column: str, classes: Sequence[Any]) -> Any:
    """Return the class that the name of a column says; None if it says none, or several.

    Examples
    --------
    >>> [class_of_column(name, ["no", "yes"]) for name in ("probability_no", "P(yes)", "yesScore", "model_no", "p")]
    ['no', 'yes', 'yes', None, None]
    >>> class_of_column("prob_0", [0, 1]), class_of_column("p0", [0, 1])
    (0, None)
    """
    words = words_of(column)
    found = [label for label in classes if _names(words, words_of(_text(label)))]
    return found[0] if len(found) == 1 else None


def is_negative(label: Any) -> bool:
    """Return whether a class is that of rows without what is predicted, by its name.

    Examples
    --------
    >>> is_negative(0), is_negative(False), is_negative("No"), is_negative("churned")
    (True, True, True, False)
    """
    return _text(label).casefold() in _NEGATIVE


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("ChurnProb_v2 (%)")
    ['churn', 'prob', 'v2']
    """
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return [word for word in re.split(r"[\W_]+", split.casefold()) if word]


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)


def _names(words: list[str], label: list[str]) -> bool:
    """Return whether a name consists of a class and of words that say predictions."""
    starts = range(len(words) - len(label) + 1) if label else ()
    rests = [words[:at] + words[at + len(label) :] for at in starts if words[at : at + len(label)] == label]
    return any(rest and set(rest) <= _PREDICTION for rest in rests)


PREFIX = "probability_"  # of the columns that `calibrant predict` writes


@dataclass(frozen=True)
class ModelColumns:
    """A model's columns and the class of each; a single one is that of the positive class."""

    name: str
    columns: tuple[str, ...]
    classes: tuple[Any, ...]

    @property
    def positive(self) -> Any:
        """The class of a single column; None where every class has one."""
        return self.classes[0] if len(self.columns) == 1 else None


def find_models(
    requested: Sequence[str], columns: Sequence[str], classes: Sequence[Any], positive: str | None
) -> list[ModelColumns]:
    """Return the models whose probabilities are requested.

    Parameters
    ----------
    requested : sequence of str
        ``COL``, ``NAME=COL``, ``PREFIX*``, ``NAME=PREFIX*``, or ``CLASS=COL`` for every class; none: the columns that
        `calibrant predict` writes.
    columns : sequence of str
        The columns of the table.
    classes : sequence
        The classes, sorted.
    positive : str, optional
        The class whose probability a single column holds; by default the last one.

    Returns
    -------
    list of ModelColumns
        A model for each request, or one model where each request is a class.

    Examples
    --------
    >>> find_models(["p", "new=q"], ["y", "p", "q"], ["no", "yes"], None)[1]
    ModelColumns(name='new', columns=('q',), classes=('yes',))
    >>> find_models(["p_*"], ["p_a", "p_b", "p_c"], ["a", "b", "c"], None)[0].classes
    ('a', 'b', 'c')
    """
    if not requested:
        requested = [_written_by_predict(columns)]
    pairs = [_split(text, columns) for text in requested]
    if len(pairs) > 1 and {name for name, _ in pairs} == {str(label) for label in classes}:
        named = dict(pairs)
        return [ModelColumns("model", tuple(_checked(named[str(label)], columns) for label in classes), tuple(classes))]
    models = [_model(name, column, columns, classes, positive) for name, column in pairs]
    names = [model.name for model in models]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise usage_error(f"{twice!r} is the name of two models; write --proba NAME=COL.", "--proba")
    return models


def find_class(text: str, classes: Iterable[Any]) -> Any:
    """Return the class that a text names, whatever its type.

    Examples
    --------
    >>> find_class("1", [0, 1]), find_class("1.0", [0, 1]), find_class("yes", ["no", "yes"])
    (1, 1, 'yes')
    """
    known = list(classes)
    same = [label for label in known if str(label) == text] or [label for label in known if _same_number(label, text)]
    if not same:
        shown = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
        raise DataError(f"there is no class {text!r}; the classes are {shown}.{nearest(text, map(str, known))}")
    return same[0]


def note_of_class(model: ModelColumns, classes: Sequence[Any]) -> str:
    """Return a note on a column that is taken as the probability of another class than the last; else nothing.

    Examples
    --------
    >>> note_of_class(ModelColumns("p", ("p_yes",), ("yes",)), ["no", "yes"])
    ''
    >>> note_of_class(ModelColumns("p", ("p_no",), ("no",)), ["no", "yes"])
    "Column 'p_no' is taken as the probability of the class 'no', because of its name; pass --positive ..."
    """
    if len(model.columns) > 1 or model.positive == classes[-1]:
        return ""
    return (
        f"Column {model.columns[0]!r} is taken as the probability of the class {model.positive!r}, because of its "
        "name; pass --positive if it is that of another class."
    )


def _same_number(label: Any, text: str) -> bool:
    try:
        return not isinstance(label, str) and float(text) == float(label)
    except ValueError:
        return False


def _written_by_predict(columns: Sequence[str]) -> str:
    if not any(name.startswith(PREFIX) for name in columns):
        shown = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
        raise usage_error(
            f"there is no column {PREFIX}*; name that of the probabilities. There are {shown}.", "--proba"
        )
    return f"model={PREFIX}*"


def _split(text: str, columns: Sequence[str]) -> tuple[str, str]:
    """Return the name of a model and its column; a column may have "=" in its name."""
    name, equals, column = text.partition("=")
    if text in columns or not equals:
        return text.removesuffix("*").rstrip("_. ") or "model", text
    if not name or not column:
        raise usage_error(f"must be COL, NAME=COL or NAME=PREFIX*; got {text!r}.", "--proba")
    return name, column


def _model(
    name: str, column: str, columns: Sequence[str], classes: Sequence[Any], positive: str | None
) -> ModelColumns:
    if column.endswith("*") and column not in columns:
        return _by_prefix(name, column.removesuffix("*"), columns, classes)
    _checked(column, columns)
    named = None if positive is not None else class_of_column(column, classes)
    if named is not None or (positive is None and column.startswith(PREFIX)):
        return ModelColumns(name, (column,), (classes[-1] if named is None else named,))
    if positive is None and len(classes) > 2:
        raise usage_error(
            f"{column!r} is one column, and there are {len(classes):,} classes. Pass --positive for the class whose "
            "probability it holds, or the columns of all classes: --proba 'PREFIX*', or --proba CLASS=COL for each.",
            "--proba",
        )
    return ModelColumns(name, (column,), (classes[-1] if positive is None else find_class(positive, classes),))


def _by_prefix(name: str, prefix: str, columns: Sequence[str], classes: Sequence[Any]) -> ModelColumns:
    found = {column.removeprefix(prefix): column for column in columns if column.startswith(prefix)}
    by_class = {label: found[str(label)] for label in classes if str(label) in found}
    if not by_class:
        shown = ", ".join(map(str, classes[:10]))
        raise SchemaError(f"there is no column {prefix}CLASS for any of the classes {shown}. Name them by --proba.")
    if len(by_class) < len(classes) and len(by_class) > 1:
        without = ", ".join(str(label) for label in classes if label not in by_class)
        raise SchemaError(f"there is no column {prefix}CLASS for {without}, which the target has.")
    return ModelColumns(name, tuple(by_class.values()), tuple(by_class))


def _checked(column: str, columns: Sequence[str]) -> str:
    if column not in columns:
        raise SchemaError(f"there is no column {column!r} for the probabilities.{nearest(column, columns)}")
    return column


_MOST_SHOWN = 3
_MOST_CLASSES = 20
_MOST_READ = 100  # rows that show whether a column of text is in percent
_CLASS_WORDS = {"y", "target", "label", "class", "actual", "outcome", "truth", "true", "observed", "response", "event"}
_PROBABILITY_WORDS = {"p", "pr", "prob", "proba", "probability", "score", "predicted", "prediction", "pred", "yhat"}
_SCALE_WORDS = {"percent", "pct", "perc", "logit", "logits", "logodds", "odds", "margin"}


def likely_targets(frame: pd.DataFrame) -> list[str]:
    """Return the columns that look like classes, the likeliest first: few values, two of them, a name such as y.

    Examples
    --------
    >>> import pandas as pd
    >>> likely_targets(pd.DataFrame({"id": range(4), "won": [0, 1, 1, 0], "p": [0.2, 0.7, 0.1, 0.9]}))
    ['won']
    """
    probabilities = set(likely_probabilities(frame))
    counts = {str(name): int(column.nunique()) for name, column in frame.items() if not _is_fractional(column)}
    most = min(_MOST_CLASSES, max(2, len(frame) // 2))
    found = [name for name, n_values in counts.items() if 2 <= n_values <= most and name not in probabilities]
    return sorted(found, key=lambda name: (not _CLASS_WORDS.intersection(words_of(name)), counts[name] > 2))


def likely_probabilities(frame: pd.DataFrame) -> list[str]:
    """Return the columns that look like probabilities, the likeliest first: by values in [0, 1], or by name.

    Examples
    --------
    >>> import pandas as pd
    >>> likely_probabilities(pd.DataFrame({"a": [0.2, 0.5], "score": [0.1, 0.9], "b": [0, 1], "pct": [20.0, 31.5]}))
    ['score', 'pct', 'a']
    """
    found = [str(name) for name, column in frame.items() if _looks_right(str(name), column)]
    return sorted(found, key=lambda name: not (_PROBABILITY_WORDS | _SCALE_WORDS).intersection(words_of(name)))


def proposal(option: str, names: list[str], what: str) -> str:
    """Return the sentence that proposes columns; empty if there are none.

    Examples
    --------
    >>> proposal("--target", ["won"], "the class")
    " 'won' looks like the class: pass --target won."
    """
    if not names:
        return ""
    shown = names[:_MOST_SHOWN]
    first = f"'{shown[0]}'" if " " in shown[0] else shown[0]
    return f" {listed(map(repr, shown))} look{'s' if len(shown) == 1 else ''} like {what}: pass {option} {first}."


def _is_fractional(column: pd.Series[Any]) -> bool:
    return column.dtype.kind == "f" and bool((column.dropna() % 1 != 0).any())


def _looks_right(name: str, column: pd.Series[Any]) -> bool:
    if column.dtype.kind in "fi":
        is_named = bool(_SCALE_WORDS.intersection(words_of(name)))
        return is_named or (_is_fractional(column) and column.min() >= 0 and column.max() <= 1)
    texts = [] if column.dtype.kind == "b" else [str(each).rstrip() for each in column.dropna().head(_MOST_READ)]
    return bool(texts) and all(text.endswith("%") for text in texts)
