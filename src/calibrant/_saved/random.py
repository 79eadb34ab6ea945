"""Forms of NumPy's sources of randomness, which are parameters and seeds of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._saved.fields import Flag, Integer, ListOf, Number, Text, TupleOf
from calibrant._saved.fields import OrNone as Optional_
from calibrant._saved.form import Form
from calibrant._saved.values import Value
from calibrant.exceptions import ModelFileError

__all__ = ["FORMS"]

_WORD = Integer(0, 2**32 - 1)
_ENTROPY = Optional_(Integer(0, 2**4096) | ListOf(_WORD) | TupleOf(_WORD))
_GENERATORS = {
    cls.__name__: cls
    for cls in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
}


def _seed_sequence(values: dict[str, Any]) -> np.random.SeedSequence:
    return np.random.SeedSequence(**values)


def _take_seed_sequence(seed: np.random.SeedSequence, _training_rows: bool) -> dict[str, Any]:
    names = ("entropy", "spawn_key", "pool_size", "n_children_spawned")
    values = {name: getattr(seed, name) for name in names}
    if isinstance(values["entropy"], np.ndarray):
        values["entropy"] = values["entropy"].tolist()
    return {**values, "spawn_key": tuple(int(word) for word in values["spawn_key"])}


def _bit_generator(values: dict[str, Any]) -> Any:
    """Return a bit generator in a state like that of a new one; NumPy does not check positions in buffers."""
    generator = _GENERATORS[values["kind"]](0)
    state = values["state"]
    if not _is_like(state, generator.state) or not _has_positions(state):
        raise ModelFileError("has an impossible state of random numbers")
    generator.state = state
    return generator


def _is_like(state: Any, other: Any) -> bool:
    """Return whether a state has the keys, types and shapes of another one."""
    if type(state) is not type(other):
        return False
    if isinstance(state, dict):
        return state.keys() == other.keys() and all(_is_like(state[key], other[key]) for key in other)
    if isinstance(state, np.ndarray):
        return bool(state.dtype == other.dtype and state.shape == other.shape)
    return bool(state == other) if isinstance(state, str) else 0 <= state < 2**128


def _has_positions(state: dict[str, Any]) -> bool:
    inner = state["state"]
    is_inside = 0 <= inner.get("pos", 0) <= 624 and 0 <= state.get("buffer_pos", 0) <= 4
    is_small = state.get("has_uint32", 0) in (0, 1) and 0 <= state.get("uinteger", 0) < 2**32
    return is_inside and is_small


def _generator(values: dict[str, Any]) -> np.random.Generator:
    return np.random.Generator(_bit_generator(values))


def _take_generator(generator: np.random.Generator, _training_rows: bool) -> dict[str, Any]:
    return {"kind": type(generator.bit_generator).__name__, "state": generator.bit_generator.state}


def _random_state(values: dict[str, Any]) -> np.random.RandomState:
    state = np.random.RandomState(_bit_generator(values))
    state.set_state({**state.get_state(legacy=False), "has_gauss": int(values["has_gauss"]), "gauss": values["gauss"]})
    return state


def _take_random_state(state: np.random.RandomState, _training_rows: bool) -> dict[str, Any]:
    whole = dict(state.get_state(legacy=False))
    gauss = {"has_gauss": bool(whole.pop("has_gauss")), "gauss": float(whole.pop("gauss"))}
    return {"kind": whole["bit_generator"], "state": whole, **gauss}


FORMS = (
    Form(
        "random.SeedSequence",
        np.random.SeedSequence,
        {
            "entropy": _ENTROPY,
            "spawn_key": TupleOf(_WORD, most=100),
            "pool_size": Integer(4, 1024),
            "n_children_spawned": Integer(0, 2**32 - 1),
        },
        make=_seed_sequence,
        take=_take_seed_sequence,
    ),
    Form(
        "random.Generator",
        np.random.Generator,
        {"kind": Text(*_GENERATORS), "state": Value()},
        make=_generator,
        take=_take_generator,
    ),
    Form(
        "random.RandomState",
        np.random.RandomState,
        {"kind": Text("MT19937"), "state": Value(), "has_gauss": Flag(), "gauss": Number()},
        make=_random_state,
        take=_take_random_state,
    ),
)
