"""Values that no document describes: told apart by a digest of code and state, never rebuilt."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from calibrant.exceptions import StudyError
from calibrant.studies._definition.build import build_value
from calibrant.studies._definition.describe import describe_value


def make_local(constant: int) -> object:
    class Local(ClassifierMixin, BaseEstimator):
        def __init__(self, depth: int = 1) -> None:
            self.depth = depth

        def predict(self, _X: object) -> int:
            return constant

    return Local(2)


@pytest.mark.parametrize(
    "value", [lambda x: x, make_local(1), np.random.default_rng(0), FrozenEstimator(GaussianNB()), sys.stdout]
)
def test_what_cannot_be_described_is_opaque_and_cannot_be_rebuilt(value: object) -> None:
    document = describe_value(value)
    assert "opaque" in document
    assert "0x" not in document["opaque"]
    assert describe_value(value) == document
    with pytest.raises(StudyError, match="has no description"):
        build_value([document])


def test_opaque_parts_are_told_apart_by_code_closure_and_parameters() -> None:
    digests = [describe_value(make_local(constant))["digest"] for constant in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]
    one, other = make_local(1), make_local(1)
    other.depth = 3
    assert describe_value(one)["digest"] != describe_value(other)["digest"]


def test_a_value_that_contains_itself_is_opaque_somewhere() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert "opaque" in json.dumps(describe_value(loop))


SCRIPT = """
from sklearn.naive_bayes import GaussianNB
from calibrant.studies._definition.describe import describe_value
class Mine(GaussianNB):
    def predict(self, X):
        return [helper(each) for each in X if each not in {"a", "b"}]
def helper(x): return x
print(describe_value(Mine())["digest"], describe_value(lambda x: helper(x))["digest"])
"""


@pytest.mark.long
def test_what_a_script_defines_is_told_apart_by_its_code_not_by_its_place(tmp_path: pathlib.Path) -> None:
    texts = [SCRIPT, f"# moved\n\n{SCRIPT}", SCRIPT.replace("return x", "return x + 1")]
    found = []
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.py").write_text(text)
        command = [sys.executable, str(tmp_path / f"{number}.py")]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": str(number)}
        )
        found.append(done.stdout.split())
    assert found[0] == found[1]
    assert not set(found[0]) & set(found[2])
