"""The arguments of `read_table`."""

import io

import numpy as np
import pandas as pd
import pytest

from calibrant.data import read_table
from calibrant.exceptions import CalibrantError, DataTypeError, ParameterError, ReadError

WRONG = {
    "sep of two characters": ({"sep": ", "}, ParameterError, "sep must be one ASCII character or None; got ', '"),
    "sep beyond ASCII": ({"sep": "§"}, ParameterError, "sep must be one ASCII character"),
    "empty sep": ({"sep": ""}, ParameterError, "sep must be one ASCII character"),
    "sep of a number": ({"sep": 5}, ParameterError, "sep must be one ASCII character or None; got 5"),
    "names of numbers": ({"names": [1, 2, 3]}, ParameterError, "names must be a path, a sequence of strings or None"),
    "names of nothing": ({"names": 5}, ParameterError, "names must be"),
    "nominal of a number": ({"nominal": 0}, ParameterError, "nominal must be 'all' or a sequence"),
    "target of truth": ({"target": True}, ParameterError, "target must be the name of a column, an int, False or None"),
    "target of a float": ({"target": 1.0}, ParameterError, "target must be"),
    "header of a number": ({"header": 0}, ParameterError, "header must be a bool or None"),
    "encoding of a number": ({"encoding": 8}, ParameterError, "encoding must be a str or None"),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_arguments_raise_parameter_errors(write, name):
    options, kind, words = WRONG[name]
    with pytest.raises(kind, match=words):
        read_table(write("a,b,y\n1,2,u\n"), **options)


@pytest.mark.parametrize("path", [None, b"t.csv", io.StringIO("a,b\n"), 5])
def test_what_is_not_a_path_raises(path):
    with pytest.raises(DataTypeError, match=r"path must be a str or a pathlib.Path; got .* Pass the path of the file"):
        read_table(path)


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("", ParameterError, "path is empty"),
        (".", ReadError, "is a folder, not a file"),
        ("/", ReadError, "is a folder, not a file"),
        ("x" * 5000 + ".csv", ReadError, "cannot be opened"),
        ("x" * 5000 + ".data", ReadError, "cannot be opened"),
        ("a\0b.csv", CalibrantError, "no such file"),
    ],
)
def test_unusual_paths_raise(path, kind, words):
    with pytest.raises(kind, match=words) as caught:
        read_table(path)
    assert len(str(caught.value)) < 500


def test_numbers_of_numpy_are_positions(write):
    path = write("a,b,y\n1,2,u\n3,4,v\n")
    assert read_table(path, target=np.int64(0)).y.name == "a"
    assert read_table(path, nominal=np.array([True, False])).kinds == {"a": "nominal", "b": "numeric"}
    assert read_table(path, nominal=pd.Index(["b"])).kinds == {"a": "numeric", "b": "nominal"}


def test_names_may_be_any_sequence_of_strings(write):
    assert list(read_table(write("1,2,u\n"), names=np.array(["p", "q", "r"])).X.columns) == ["p", "q"]
