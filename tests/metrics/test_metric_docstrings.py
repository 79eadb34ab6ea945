"""The docstrings of metrics are filled in, and document every parameter of the signature."""

import inspect
import os
import re
import subprocess
import sys

import pytest

from calibrant import metrics
from calibrant.metrics import numeric

FUNCTIONS = [
    function
    for module in (metrics, numeric)
    for name in module.__all__
    if inspect.isfunction(function := getattr(module, name))
]


def documented_parameters(function):
    """Return the names of the entries of a docstring's Parameters section."""
    section = inspect.getdoc(function).split("\nParameters\n----------\n")[1].split("\n\n")[0]
    names = re.findall(r"^(\w+(?:, \w+)*)(?: :|$)", section, flags=re.MULTILINE)
    return [name for entry in names for name in entry.split(", ")]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_a_metric_documents_each_parameter_of_its_signature_once(function):
    assert sorted(documented_parameters(function)) == sorted(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_no_placeholder_is_left_in_a_docstring(function):
    assert not re.search(r"%\(\w+\)s", inspect.getdoc(function))


@pytest.mark.long  # python -OO compiles every library that is imported
def test_metrics_work_without_docstrings():
    script = "from calibrant.metrics import mse; raise SystemExit(mse.__doc__ is not None or mse([0, 1], [0, 1]) != 0)"
    subprocess.run([sys.executable, "-OO", "-c", script], check=True, env=dict(os.environ))
