"""Lazy option trees of calibrant."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def answer_lazily(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_nominal: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], in_bag: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, queries: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], *, max_options: int, option_fraction: float, min_leaf: float, max_leaves: int, n_threads: int) -> None:
    """
    Write the probabilities of coded queries; codes and order are columns x rows, the rest rows first.
    """
