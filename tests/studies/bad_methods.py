"""Methods that misbehave, for studies that go on all the same."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class BaseRates(ClassifierMixin, BaseEstimator):
    """Predicts the base rates; what else it does when it is fitted is up to the subclasses."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        self.classes_, counts = np.unique(np.asarray(y), return_counts=True)
        self.rates_ = counts / counts.sum()
        self.misbehave()
        return self

    def misbehave(self) -> None:
        """Do nothing."""

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.rates_, (len(X), 1))

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[self.rates_.argmax()])


class Raises(BaseRates):
    def __init__(self, kind: str = "ValueError") -> None:
        self.kind = kind

    def misbehave(self) -> None:
        kinds: dict[str, type[BaseException]] = {
            each.__name__: each for each in (ValueError, SystemExit, KeyboardInterrupt, MemoryError, RecursionError)
        }
        raise kinds[self.kind](f"no {self.kind} today: ü\0\udcff")


class Forks(BaseRates):
    """Forks when it is fitted; its child returns, raises, or leaves Python in another way."""

    def __init__(self, child: str = "returns", marks: str = "") -> None:
        self.child = child
        self.marks = marks

    def misbehave(self) -> None:
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
            return
        if self.child == "raises":
            raise RuntimeError("in the child")
        if self.child == "exits":
            sys.exit(3)


class Exits(BaseRates):
    def misbehave(self) -> None:
        os._exit(7)


class Crashes(BaseRates):
    def misbehave(self) -> None:
        ctypes.string_at(0)


class Hangs(BaseRates):
    def misbehave(self) -> None:
        time.sleep(600)


class LeaksMemory(BaseRates):
    def misbehave(self) -> None:
        kept = []
        while True:
            kept.append(np.empty(10**7))


class Prints(BaseRates):
    def misbehave(self) -> None:
        print("noise", flush=True)
        os.write(2, b"more noise\n")


class ReturnsWrongly(BaseRates):
    """Returns what no classifier may return."""

    def __init__(self, what: str = "nan") -> None:
        self.what = what

    def predict_proba(self, X: Any) -> Any:
        right = np.asarray(super().predict_proba(X))
        wrong: dict[str, Any] = {
            "nan": np.full_like(right, np.nan),
            "one column": right[:, :1],
            "too many columns": np.hstack([right, right]) / 2,
            "too few rows": right[:-1],
            "no array": None,
            "above 1": right * 3,
            "negative": right - 2,
        }
        return wrong[self.what]


class ReadsFile(BaseRates):
    """Fails as long as a file says so."""

    def __init__(self, path: str = "") -> None:
        self.path = path

    def misbehave(self) -> None:
        if Path(self.path).read_text("utf-8") == "broken":
            raise ValueError("broken")
