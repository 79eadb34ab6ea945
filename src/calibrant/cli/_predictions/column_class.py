"""The class whose probability a column holds, by its name: ``probability_no``, ``p(yes)``, ``churned_score``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["class_of_column", "is_negative", "words_of"]

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
