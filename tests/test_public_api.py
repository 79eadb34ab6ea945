"""Public names and signatures change only on purpose: they are frozen in a reviewed text file."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FROZEN = ROOT / "tests" / "public_api.txt"
COMMAND = "python tools/public_api.py > tests/public_api.txt"

MADE_UP = """
from __future__ import annotations
import enum
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from typing import Literal, NamedTuple, Protocol

__all__ = ["ANY", "Alias", "Base", "Box", "Colour", "Fits", "Interval", "Oops", "f"]
ANY = {}
Alias = Literal["a"] | None

class Interval(NamedTuple):
    low: float
    high: float | None = None

class Colour(enum.Enum):
    RED = 1

class Fits(Protocol):
    def fit(self, X: object, /, *, y: int = 1) -> Fits: ...

class Oops(ValueError): ...

class Lazy:
    def __init__(self, function): update_wrapper(self, function)

class Base:
    def __init__(self, size: int) -> None: ...
    def _private(self): ...
    def of_base(self) -> None: ...
    constant = 3

@dataclass(frozen=True)
class Box(Base):
    items: list[int] = field(default_factory=list)
    @cached_property
    def size(self) -> int: ...
    @classmethod
    def make(cls, *sizes: int, **more: str) -> Box: ...
    @staticmethod
    def count(x: int) -> int: ...
    @Lazy
    def maybe(self, X: object) -> int: ...

def f(first: int | None, second=object(), third: str = "a long default value", fourth=Box): ...
"""

DESCRIBED = """made_up
    ANY: dict
    Alias
    class Base
        __init__(size: int)
        def of_base() -> None
    class Box(Base)
        __init__(items: list[int] = <factory>)
        staticmethod count(x: int) -> int
        classmethod make(*sizes: int, **more: str) -> Box
        def maybe(X: object) -> int
        def of_base() -> None
        property size -> int
    class Colour(Enum)
        RED = 1
    class Fits(Protocol)
        def fit(X: object, /, *, y: int = 1) -> Fits
    class Interval(tuple)
        __init__(low: float, high: float | None = None)
    class Oops(ValueError)
    def f(
        first: int | None,
        second = <object object>,
        third: str = 'a long default value',
        fourth = <class 'made_up.Box'>,
    )
"""


def described(*package: str, **env: str) -> str:
    command = [sys.executable, str(ROOT / "tools" / "public_api.py"), *package]
    return subprocess.check_output(command, env=os.environ | env, text=True, timeout=120)


def test_public_names_and_signatures_are_the_reviewed_ones() -> None:
    frozen, now = FROZEN.read_text("utf-8").splitlines(), described().splitlines()
    diff = "\n".join(difflib.unified_diff(frozen, now, str(FROZEN), "now", lineterm="", n=1))
    if diff:
        pytest.fail(f"{diff}\n\nIf the change is meant: {COMMAND}", pytrace=False)


def test_a_package_is_described_without_what_changes_between_runs_and_versions(tmp_path: Path) -> None:
    (tmp_path / "made_up.py").write_text(MADE_UP)
    assert described("made_up", PYTHONPATH=str(tmp_path)) == DESCRIBED
