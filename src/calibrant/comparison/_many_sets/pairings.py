"""Which methods are compared with which, and what is better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

from calibrant.exceptions import ParameterError, nearest

__all__ = ["Better", "pairs_of"]

Better: TypeAlias = Literal["lower", "higher"]


def pairs_of(methods: Sequence[str], chosen: str | None) -> Iterator[tuple[str, str]]:
    """Give each pair that is compared, the one that is judged first.

    Examples
    --------
    >>> list(pairs_of(["a", "b", "c"], None))
    [('b', 'a'), ('c', 'a'), ('c', 'b')]
    >>> list(pairs_of(["a", "b", "c"], "a"))
    [('a', 'b'), ('a', 'c')]
    """
    if chosen is None:
        in_order = sorted(combinations(methods, 2), key=lambda pair: methods.index(pair[1]))
        return ((later, earlier) for earlier, later in in_order)
    if chosen not in methods:
        raise ParameterError(f"method must be one of {list(methods)}; got {chosen!r}.{nearest(chosen, methods)}")
    return ((chosen, other) for other in methods if other != chosen)
