"""Loading: large arrays are views of the mapped file, read-only and aligned, and nothing heavy is imported."""

from __future__ import annotations

import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.files.crafted import parts

import calibrant
from calibrant.bayes import ConstantClassifier
from calibrant.files import describe_model
from calibrant.files._archive import open_container, write_container


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.calibrant"


def many_classes() -> ConstantClassifier:
    return ConstantClassifier().fit(np.zeros((900, 1)), np.arange(900))


def is_mapped(array: np.ndarray) -> bool:  # type: ignore[type-arg]
    while isinstance(array.base, np.ndarray):
        array = array.base
    return type(array.base).__name__ == "mmap"


def test_large_arrays_are_read_only_views_of_the_file(path: Path) -> None:
    calibrant.save(many_classes(), path)
    proba = calibrant.load_model(path).proba_
    assert is_mapped(proba)
    assert not proba.flags.writeable
    assert proba.ctypes.data % 64 == 0


def test_compressed_files_are_smaller_and_not_mapped(path: Path) -> None:
    plain = calibrant.save(many_classes(), path).n_bytes
    assert calibrant.save(many_classes(), path, compress=True).n_bytes < plain / 2
    assert not is_mapped(calibrant.load_model(path).proba_)


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("dtype", ["b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(7,), (3, 5), (0,), (4, 0), (), (100, 30)])
def test_arrays_come_back_to_the_bit(path: Path, dtype: str, shape: tuple[int, ...], compress: bool) -> None:
    values = np.random.default_rng(0).integers(0, 2 if dtype == "b1" else 100, shape).astype(dtype)
    arrays = [values, np.asfortranarray(values), values[..., ::-1] if values.ndim else values]
    write_container(path, parts()[0], arrays, compress=compress)
    for array, back in zip(arrays, open_container(path).arrays(), strict=True):
        assert (array.dtype, array.shape) == (back.dtype, back.shape)
        assert array.tobytes() == back.tobytes()
        assert back.flags.f_contiguous == array.flags.f_contiguous or not array.flags.contiguous


def test_zeros_compress_no_further_than_is_read_back(path: Path) -> None:
    write_container(path, parts()[0], [np.zeros(10**6), np.zeros(500)], compress=True)
    assert [array.size for array in open_container(path).arrays()] == [10**6, 500]


def test_a_model_in_use_survives_the_end_of_its_file(path: Path) -> None:
    model = many_classes()
    calibrant.save(model, path)
    loaded = calibrant.load_model(path)
    calibrant.save(ConstantClassifier().fit([[1], [2]], [0, 1]), path)
    path.unlink()
    assert loaded.predict_proba([[0]]).tobytes() == model.predict_proba([[0]]).tobytes()


WITHOUT_HEAVY = """
import sys
for name in ("matplotlib", "pandas", "polars", "pyarrow"):  # scikit-learn imports pandas itself where it can
    sys.modules[name] = None
import calibrant, calibrant.files
model = calibrant.load_model(sys.argv[1])
print(model.predict_proba([[1.0, "x"]]), calibrant.files.describe_model(sys.argv[1]).columns[1].categories)
calibrant.save(model, sys.argv[1])
"""


def test_loading_and_saving_need_neither_pandas_nor_matplotlib(path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2], "b": pd.Categorical(["x", "y"])})
    calibrant.save(ConstantClassifier().fit(frame, pd.Series(["no", "yes"])), path)
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_HEAVY, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "[[0.5 0.5]] ('x', 'y')\n", done.stderr


def test_the_description_is_read_without_the_arrays(path: Path) -> None:
    calibrant.save(many_classes(), path)
    assert describe_model(path).class_name == "ConstantClassifier"


def seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def test_loading_a_mapped_file_takes_the_time_of_its_checksum(path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 2**63, 10**6)
    write_container(path, parts()[0], [noise, noise + 1, noise + 2], compress=False)
    content = path.read_bytes()
    assert seconds(lambda: open_container(path).arrays()) < 0.02 + 2 * seconds(lambda: zlib.crc32(content))
