"""Warnings that appear once for a fit that fits several models, such as those of folds, and not once for each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from calibrant.exceptions import CalibrantWarning

T = TypeVar("T")


@dataclass
class _Repeated:
    """The first message of a kind, and the number of messages."""

    first: str
    count: int = 1

    def __str__(self) -> str:
        return self.first if self.count == 1 else f"{self.first} This is the first of {self.count} such fits."


HeldBack = dict[str, _Repeated]
_HELD_BACK: ContextVar[HeldBack | None] = ContextVar("held_back", default=None)


def warn_of_fit(key: str, message: str, stacklevel: int = 1) -> None:
    """Warn, or within `one_warning_a_fit` hold the warning back unless one of the same key is held back already.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as shown:
    ...     with one_warning_a_fit():
    ...         for fold in range(5):
    ...             warn_of_fit("boosting", f"boosting stops in fold {fold}.")
    >>> [str(each.message) for each in shown]
    ['boosting stops in fold 0. This is the first of 5 such fits.']
    """
    held_back = _HELD_BACK.get()
    if held_back is None:
        warnings.warn(message, CalibrantWarning, stacklevel=stacklevel + 1)
    else:
        _add(held_back, key, _Repeated(message))


@contextmanager
def _holding_back() -> Iterator[HeldBack]:
    held_back: HeldBack = {}
    token = _HELD_BACK.set(held_back)
    try:
        yield held_back
    finally:
        _HELD_BACK.reset(token)


@contextmanager
def one_warning_a_fit() -> Iterator[None]:
    """Hold back the warnings of all models fitted within, and show the first of each kind at the end.

    Within another such block nothing is shown before that one ends. After an exception nothing is shown.
    """
    with _holding_back() as held_back:
        yield
    pass_on(held_back)


def collect_warnings(fit: Callable[..., T], *arguments: Any) -> tuple[T, HeldBack]:
    """Return the result of `fit` and the warnings that it holds back, for `pass_on` in the thread or process above.

    Threads and processes do not share the block of `one_warning_a_fit`.
    """
    with _holding_back() as held_back:
        return fit(*arguments), held_back


def pass_on(held_back: HeldBack) -> None:
    """Show collected warnings, or hold them back within `one_warning_a_fit`."""
    outer = _HELD_BACK.get()
    for key, repeated in held_back.items():
        if outer is None:
            warnings.warn(str(repeated), CalibrantWarning, stacklevel=5)
        else:
            _add(outer, key, repeated)


def _add(held_back: HeldBack, key: str, repeated: _Repeated) -> None:
    if key in held_back:
        held_back[key].count += repeated.count
    else:
        held_back[key] = repeated
