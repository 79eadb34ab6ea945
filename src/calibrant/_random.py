"""Random streams keyed by tree, node or fold, so that a seed gives the same result for any number of threads.

A stream depends on a seed and some keys, not on the order in which streams are requested: it is NumPy's
``SeedSequence`` with the keys as its ``spawn_key`` (O'Neill, "Developing a seed_seq alternative", 2015).
"""

from __future__ import annotations

import numpy as np

from calibrant._params import Int, Seed, check_param

SeedLike = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None

# SeedSequence splits a larger key into two, so 2**32 would give the stream of (0, 1)
_KEY = Int(0, 2**32 - 1)


def seed_sequence(random_state: SeedLike) -> np.random.SeedSequence:
    """Return the root of all streams of one ``fit``.

    Parameters
    ----------
    random_state : None, int, numpy Generator, RandomState or SeedSequence
        None takes fresh entropy from the system. A Generator or RandomState is drawn from, so a second
        call returns another root. A SeedSequence is the root itself.

    Returns
    -------
    numpy.random.SeedSequence
        The root; `stream` and `stream_seed` do not change it.

    Examples
    --------
    >>> seed_sequence(7).entropy
    7
    >>> rng = np.random.default_rng(7)
    >>> seed_sequence(rng).entropy == seed_sequence(rng).entropy
    False
    """
    check_param("random_state", random_state, Seed())
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return np.random.SeedSequence(int.from_bytes(random_state.bytes(16), "little"))
    return np.random.SeedSequence(None if random_state is None else int(random_state))


def stream(seed: np.random.SeedSequence, *keys: int) -> np.random.Generator:
    """Return the generator of a stream.

    Parameters
    ----------
    seed : numpy.random.SeedSequence
        The root.
    *keys : int
        What the stream is for, such as the numbers of the tree and the node; each from 0 to 2**32 - 1.

    Returns
    -------
    numpy.random.Generator
        A fresh generator at the start of the stream.

    Examples
    --------
    >>> int(stream(seed_sequence(0), 2, 5).integers(100))
    59
    """
    return np.random.Generator(np.random.PCG64(_child(seed, keys)))


def stream_seed(seed: np.random.SeedSequence, *keys: int) -> int:
    """Return the 64-bit seed of a stream for the native core.

    Parameters
    ----------
    seed : numpy.random.SeedSequence
        The root.
    *keys : int
        As in `stream`.

    Returns
    -------
    int
        From 0 to 2**64 - 1.

    Examples
    --------
    >>> stream_seed(seed_sequence(0), 2, 5)
    9973163016610723908
    """
    return int(_child(seed, keys).generate_state(1, np.uint64)[0])


def _child(seed: np.random.SeedSequence, keys: tuple[int, ...]) -> np.random.SeedSequence:
    for key in keys:
        if type(key) is not int or not 0 <= key < 2**32:  # thousands of streams are opened with plain numbers
            check_param("a key of a stream", key, _KEY)
    path = (*seed.spawn_key, *map(int, keys))
    return np.random.SeedSequence(seed.entropy, spawn_key=path, pool_size=seed.pool_size)
