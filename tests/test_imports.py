"""Importing calibrant is light, and every package says what is public in it."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import calibrant

HEAVY = {"matplotlib", "pandas", "polars", "pyarrow", "dask", "sqlalchemy", "rich"}
PUBLIC = [info.name for info in pkgutil.iter_modules(calibrant.__path__) if info.ispkg and info.name[0] != "_"]


@pytest.mark.parametrize("module", ["calibrant", "calibrant.data"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert HEAVY & set(done.stdout.split()) == set()


def test_every_name_in_all_exists_and_stands_there_once() -> None:
    for module in map(importlib.import_module, ["calibrant", *(f"calibrant.{each}" for each in PUBLIC)]):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert len(set(module.__all__)) == len(module.__all__)


def test_packages_are_imported_at_their_first_use_and_plots_without_matplotlib() -> None:
    script = (
        "import sys, calibrant; print('calibrant.data' in sys.modules, calibrant.data.load('appeal').n_rows);"
        "import calibrant.plots; print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["False", "1500", "False"], done.stderr


def test_every_public_package_is_an_attribute_of_calibrant() -> None:
    assert [calibrant.__getattr__(package).__name__ for package in PUBLIC] == [f"calibrant.{each}" for each in PUBLIC]
    assert set(PUBLIC) <= set(dir(calibrant))


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'calibrant' has no attribute 'dat'"):
        calibrant.dat  # noqa: B018
