"""The nodes that rows have reached, kept between the levels of trees: a worker that loses them finds them again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["KEPT_NODES", "KeptNodes"]

_MOST_BYTES = 256 << 20  # four bytes a row and tree: 16 trees of four million rows


class KeptNodes:
    """The node of each row after so many nodes of a tree were made; the oldest are dropped beyond a number of bytes.

    Examples
    --------
    >>> import numpy as np
    >>> kept = KeptNodes(8)
    >>> kept.keep("a", 3, np.zeros(2, dtype=np.int32))
    >>> kept.take("a", 5)
    (3, array([0, 0], dtype=int32))
    >>> kept.take("a", 5)
    (0, None)
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes, self._n_bytes = most_bytes, 0
        self._kept: OrderedDict[Hashable, tuple[int, NDArray[np.int32]]] = OrderedDict()
        self._lock = Lock()

    def take(self, key: Hashable, n_nodes: int) -> tuple[int, NDArray[np.int32] | None]:
        """Return the number of nodes made and those of the rows, and forget them; None if they are not kept.

        Those of a tree that has grown beyond `n_nodes` are of no use, and dropped.
        """
        with self._lock:
            n_made, nodes = self._kept.pop(key, (0, None))
            if nodes is None:
                return 0, None
            self._n_bytes -= nodes.nbytes
        return (n_made, nodes) if n_made <= n_nodes else (0, None)

    def keep(self, key: Hashable, n_nodes: int, nodes: NDArray[np.int32]) -> None:
        """Keep the nodes of rows until there is no room."""
        with self._lock:
            self._kept[key] = n_nodes, nodes
            self._n_bytes += nodes.nbytes
            while self._n_bytes > self._most_bytes:
                self._n_bytes -= self._kept.popitem(last=False)[1][1].nbytes


KEPT_NODES = KeptNodes()
