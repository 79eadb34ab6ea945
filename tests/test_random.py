"""A stream belongs to its seed and keys: not to order, threads, processes or earlier calls."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant._random import seed_sequence, stream, stream_seed
from calibrant.exceptions import ParameterError

seeds = st.integers(0, 2**128 - 1)
keys = st.lists(st.integers(0, 2**32 - 1), max_size=4).map(tuple)


def first(seed: int, *key: int) -> float:
    return stream(seed_sequence(seed), *key).random()


@given(seeds, st.lists(keys, unique=True, max_size=8), st.randoms(use_true_random=False))
def test_streams_do_not_depend_on_the_order_of_asking(
    seed: int, places: list[tuple[int, ...]], shuffler: object
) -> None:
    root = seed_sequence(seed)
    seeds = {place: stream_seed(root, *place) for place in places}
    shuffler.shuffle(places)  # type: ignore[attr-defined]
    assert {place: stream_seed(root, *place) for place in places} == seeds


@given(seeds, keys)
def test_asking_leaves_the_root_as_it_was(seed: int, place: tuple[int, ...]) -> None:
    root = seed_sequence(seed)
    before = root.state
    stream(root, *place)
    stream_seed(root, *place)
    assert root.state == before


@given(seeds, keys)
def test_a_path_of_keys_may_be_walked_in_steps(seed: int, place: tuple[int, ...]) -> None:
    root = seed_sequence(seed)
    child = np.random.SeedSequence(root.entropy, spawn_key=(7,))
    assert stream_seed(child, *place) == stream_seed(root, 7, *place)


def test_different_keys_give_different_streams() -> None:
    root = seed_sequence(0)
    places = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), *((2, node) for node in range(1000))]
    assert len({stream_seed(root, *place) for place in places}) == len(places)
    assert len({stream(root, *place).random() for place in places}) == len(places)


def test_different_seeds_give_different_streams() -> None:
    assert len({first(seed, 3) for seed in range(1000)}) == 1000


def test_the_scheme_is_frozen() -> None:
    root = seed_sequence(0)
    assert stream(root, 0).random(3).tolist() == [0.9429375528828794, 0.3163371523854981, 0.7223425886498254]
    assert [stream_seed(root, *place) for place in [(), (0,), (1,), (2, 5), (2**32 - 1,)]] == [
        15793235383387715774,
        8668861027912758289,
        4881901421217228719,
        9973163016610723908,
        1115911174736451823,
    ]


def test_the_roots_drawn_from_generators_are_frozen() -> None:
    assert seed_sequence(np.random.default_rng(7)).entropy == 305306035828058950234920800629272431243
    assert seed_sequence(np.random.RandomState(7)).entropy == 108540624661525298070918795780451528879


def test_no_key_is_the_stream_of_numpy_itself() -> None:
    assert stream(seed_sequence(5)).random() == np.random.default_rng(5).random()


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_drawn_from_and_moves_on(source: type) -> None:
    rng = source(3)
    roots = [seed_sequence(rng).entropy, seed_sequence(rng).entropy]
    again = source(3)
    assert roots[0] != roots[1]
    assert roots == [seed_sequence(again).entropy, seed_sequence(again).entropy]


def test_none_is_fresh_each_time() -> None:
    assert seed_sequence(None).entropy != seed_sequence(None).entropy


def test_a_numpy_int_is_the_same_seed_as_the_int() -> None:
    assert stream_seed(seed_sequence(np.int32(9)), np.uint8(4)) == stream_seed(seed_sequence(9), 4)  # type: ignore[arg-type]


def test_a_seed_sequence_is_the_root_itself_with_its_own_path() -> None:
    root = np.random.SeedSequence(1, spawn_key=(4,), pool_size=8)
    assert seed_sequence(root) is root
    assert stream_seed(root) == root.generate_state(1, np.uint64)[0]


def test_threads_get_the_streams_of_a_loop() -> None:
    root = seed_sequence(11)
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda tree: stream(root, tree).random(), range(200)))
    assert drawn == [stream(root, tree).random() for tree in range(200)]


def test_roots_and_streams_pickle() -> None:
    root = pickle.loads(pickle.dumps(seed_sequence(2)))  # noqa: S301
    drawn = pickle.loads(pickle.dumps(stream(root, 1)))  # noqa: S301
    assert drawn.random() == first(2, 1)


def test_a_bad_seed_is_named() -> None:
    with pytest.raises(ParameterError, match=r"random_state must be an int >= 0, .*or None; got -1\."):
        seed_sequence(-1)


@pytest.mark.parametrize("key", [-1, 2**32, 1.0])
def test_a_key_that_would_collide_with_another_stream_raises(key: int) -> None:
    with pytest.raises(ParameterError, match="a key of a stream must be an int in"):
        stream(seed_sequence(0), key)
