"""Shared passages are filled into docstrings, with the indentation of their placeholders."""

from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import Self

import pytest

import calibrant
from calibrant._docstrings import PASSAGES, fill_docstring


def test_a_passage_is_indented_as_its_placeholder_is() -> None:
    @fill_docstring(entry="X : array\n    The rows.\n\n    All of them.")
    def function() -> None:
        """Return 50 % of X.

        %(entry)s
        """

    lines = [line.strip(" ") for line in (function.__doc__ or "").splitlines()]
    assert lines[:6] == ["Return 50 % of X.", "", "X : array", "The rows.", "", "All of them."]
    rows = next(line for line in (function.__doc__ or "").splitlines() if "The rows" in line)
    entry = next(line for line in (function.__doc__ or "").splitlines() if "X : array" in line)
    assert rows.index("The") == entry.index("X") + 4


def test_a_passage_may_replace_an_entry_of_a_shared_section() -> None:
    @fill_docstring(y="y : sequence\n    The amounts.")
    class Estimator:
        """Fit.

        %(fit_sections)s
        """

    assert "The amounts." in (Estimator.__doc__ or "")
    assert "The class of each row." not in (Estimator.__doc__ or "")
    assert "%(" not in (Estimator.__doc__ or "")


def test_a_placeholder_without_a_passage_is_an_error() -> None:
    with pytest.raises(KeyError, match="nothing"):

        @fill_docstring()
        def function() -> None:
            """%(nothing)s."""


def test_every_shared_passage_can_be_filled_in() -> None:
    def function() -> None:
        pass

    function.__doc__ = "\n".join(f"%({name})s" for name in PASSAGES)
    assert "%(" not in (fill_docstring()(function).__doc__ or "")


def test_no_docstring_of_the_library_keeps_a_placeholder() -> None:
    for module in pkgutil.walk_packages(calibrant.__path__, "calibrant."):
        try:
            loaded = import_module(module.name)
        except ImportError:
            continue
        for value in list(vars(loaded).values()):
            for each in [value, *(vars(value).values() if inspect.isclass(value) else [])]:
                owner = str(getattr(each, "__module__", ""))
                if owner.startswith("calibrant") and owner != "calibrant._docstrings":
                    assert "%(" not in (getattr(each, "__doc__", None) or ""), (module.name, each)


def test_nothing_is_filled_in_without_docstrings() -> None:
    script = (
        "import calibrant._docstrings as d; f = d.fill_docstring()(lambda: 1); raise SystemExit(f.__doc__ is not None)"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_type_of_a_returned_value_is_read_from_the_signature() -> None:
    class Display:
        @fill_docstring()
        def plot(self) -> Self:
            """Draw.

            %(returns)s
                The display.
            """
            return self

    lines = (inspect.getdoc(Display.plot) or "").splitlines()
    assert lines[2:4] == ["Returns", "-------"]
    assert lines[4].endswith(".Display")
    assert lines[5] == "    The display."
