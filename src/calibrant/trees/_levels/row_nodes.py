"""The nodes that rows have reached, kept between the levels of trees: a worker that loses them finds them again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BYTES_OF_ROW", "KEPT_ROWS", "KeptRows", "TreeRows"]

BYTES_OF_ROW = 6  # of a node and a number of draws
_MOST_TIMES = 0xFFFF


class TreeRows(NamedTuple):
    """The rows of a part in a tree: the node of each, -1 where absent, after so many were made, and its weight.

    Weights that are whole numbers take two bytes each; None: 1 each.
    """

    n_made: int
    nodes: NDArray[np.int32]
    compact_weights: NDArray[np.uint16] | NDArray[np.float64] | None

    @classmethod
    def at_root(cls, n_rows: int, weights: NDArray[np.float64] | None) -> TreeRows:
        """Return rows of which those that have weight are at the root.

        Examples
        --------
        >>> rows = TreeRows.at_root(3, np.array([2.0, 0.0, 1.0]))
        >>> rows.nodes, rows.compact_weights.dtype, rows.weights
        (array([ 0, -1,  0], dtype=int32), dtype('uint16'), array([2., 0., 1.]))
        """
        if weights is None:
            return cls(0, np.zeros(n_rows, dtype=np.int32), None)
        nodes = np.where(weights > 0, np.int32(0), np.int32(-1))
        if weights.max(initial=0.0) <= _MOST_TIMES:
            times = weights.astype(np.uint16)
            if (times == weights).all():
                return cls(0, nodes, times)
        return cls(0, nodes, weights)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each row; None: 1 each."""
        return None if self.compact_weights is None else self.compact_weights.astype(np.float64, copy=False)

    @property
    def n_bytes(self) -> int:
        """Memory of the rows."""
        return self.nodes.nbytes + (0 if self.compact_weights is None else self.compact_weights.nbytes)


class KeptRows:
    """The rows of parts in the trees that are grown; the oldest are dropped beyond a number of bytes.

    Examples
    --------
    >>> kept = KeptRows()
    >>> kept.keep("a", TreeRows.at_root(2, None), most_bytes=8)
    >>> kept.take("a", 5)
    TreeRows(n_made=0, nodes=array([0, 0], dtype=int32), compact_weights=None)
    >>> kept.take("a", 5) is None
    True
    """

    def __init__(self) -> None:
        self._n_bytes = 0
        self._kept: OrderedDict[Hashable, TreeRows] = OrderedDict()
        self._lock = Lock()

    def take(self, key: Hashable, n_nodes: int) -> TreeRows | None:
        """Return the rows of a part in a tree, and forget them; None if they are not kept.

        Those of a tree that has grown beyond `n_nodes` are of no use, and dropped.
        """
        with self._lock:
            rows = self._kept.pop(key, None)
            if rows is None:
                return None
            self._n_bytes -= rows.n_bytes
        return rows if rows.n_made <= n_nodes else None

    def keep(self, key: Hashable, rows: TreeRows, most_bytes: int) -> None:
        """Keep rows until there is no room."""
        with self._lock:
            before = self._kept.pop(key, None)  # of a task that Dask runs again
            self._kept[key] = rows
            self._n_bytes += rows.n_bytes - (0 if before is None else before.n_bytes)
            while self._n_bytes > most_bytes:
                self._n_bytes -= self._kept.popitem(last=False)[1].n_bytes


KEPT_ROWS = KeptRows()
