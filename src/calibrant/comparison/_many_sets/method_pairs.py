"""Which methods are compared with which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

from calibrant.exceptions import ParameterError, nearest

__all__ = ["Better", "method_pairs"]

Better: TypeAlias = Literal["lower", "higher"]


def method_pairs(methods: Sequence[str], chosen: str | None) -> Iterator[tuple[str, str]]:
    """Return each pair that is compared: every later method with every earlier one, or one with all others.

    Examples
    --------
    >>> list(method_pairs(["a", "b", "c"], None))
    [('b', 'a'), ('c', 'a'), ('c', 'b')]
    >>> list(method_pairs(["a", "b", "c"], "a"))
    [('a', 'b'), ('a', 'c')]
    """
    if chosen is None:
        in_order = sorted(combinations(methods, 2), key=lambda pair: methods.index(pair[1]))
        return ((later, earlier) for earlier, later in in_order)
    if chosen not in methods:
        raise ParameterError(f"method must be one of {list(methods)}; got {chosen!r}.{nearest(chosen, methods)}")
    return ((chosen, other) for other in methods if other != chosen)
