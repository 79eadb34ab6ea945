"""Columns that are likely to be the class or probabilities, for messages that ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._repr import listed
from calibrant.cli._predictions.column_class import words_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["likely_probabilities", "likely_targets", "proposal"]

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
