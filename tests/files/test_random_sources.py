"""NumPy's sources of randomness, as they stand in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.crafted import file_of, parts, write

import calibrant
from calibrant.exceptions import ModelFileError
from calibrant.trees import ProbabilityTreeClassifier

BIT_GENERATORS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


@pytest.fixture
def again(tmp_path: Path) -> Callable[..., Any]:
    """Return the parameter of a saved model, whose file may be changed, after loading."""

    def load(value: Any, change: Callable[[Any], None] = bool) -> Any:
        header, arrays = parts(ProbabilityTreeClassifier(random_state=value).fit([[0.0], [1.0]], [0, 1]))
        change(next(each["fields"] for each in header["objects"] if each["form"].startswith("random.")))
        path = write(tmp_path / "m", file_of(header, [array.tobytes() for array in arrays]))
        return calibrant.load_model(path).random_state

    return load


@pytest.mark.parametrize("kind", BIT_GENERATORS)
def test_a_generator_continues_where_it_was(kind: Any, again: Callable[..., Any]) -> None:
    generator = np.random.Generator(kind(5))
    generator.integers(0, 9, 7, dtype=np.uint32)
    loaded = again(generator)
    assert loaded.random(9).tolist() == generator.random(9).tolist()


def test_a_random_state_continues_where_it_was(again: Callable[..., Any]) -> None:
    state = np.random.RandomState(5)
    state.randn(3)
    loaded = again(state)
    assert loaded.randn(9).tolist() == state.randn(9).tolist()


@pytest.mark.parametrize("entropy", [7, 2**100, [1, 2], (3, 4), np.array([5, 6], dtype=np.uint32)])
def test_a_seed_sequence_spawns_the_same(entropy: Any, again: Callable[..., Any]) -> None:
    seed = np.random.SeedSequence(entropy, spawn_key=(1, 2)).spawn(2)[1]
    seed.spawn(3)
    assert again(seed).spawn(1)[0].generate_state(4).tolist() == seed.spawn(1)[0].generate_state(4).tolist()


def set_state(fields: Any, name: str, value: Any) -> None:
    pairs = dict(map(tuple, fields["state"]["dict"]))
    inner = pairs["state"]["dict"]
    target = inner if name in dict(map(tuple, inner)) else fields["state"]["dict"]
    next(pair for pair in target if pair[0] == name)[1] = value


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (np.random.MT19937, "pos", 10**6),
        (np.random.MT19937, "pos", -1),
        (np.random.MT19937, "key", {"array": {"dtype": "u4", "shape": [1], "data": "AAAAAA=="}}),
        (np.random.Philox, "buffer_pos", 5),
        (np.random.PCG64, "state", 2**128),
        (np.random.PCG64, "state", -1),
        (np.random.PCG64, "has_uint32", 7),
        (np.random.PCG64, "uinteger", 2**32),
        (np.random.SFC64, "bit_generator", "PCG64"),
    ],
)
def test_an_impossible_state_is_refused(kind: Any, name: str, value: Any, again: Callable[..., Any]) -> None:
    with pytest.raises(ModelFileError, match="impossible state"):
        again(np.random.Generator(kind(5)), lambda fields: set_state(fields, name, value))
