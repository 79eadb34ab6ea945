"""The size marks are kept by the repository, and missing any of them is noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check_sizes.py"

GOOD = '''"""A module."""
__all__ = ["LIMIT", "Box", "f"]
LIMIT = 3

class Box:
    """A box.

    >>> Box(1).size
    1
    """

    def __init__(self, size: int) -> None:
        self.size = size

    @staticmethod
    def make(size: int) -> "Box":
        return Box(size)

def f(x: int, *args: int, y: int = 0, **more: int) -> int:
    """Add.

    >>> f(1, y=2)
    3
    """
    return x + y
'''


def run(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, timeout=60)


def check(tmp_path: Path, files: dict[str, str]) -> tuple[int, str]:
    for name, text in {"src/p/a.py": GOOD, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = run(tmp_path)
    return done.returncode, done.stdout.partition("Missed:\n")[2]


def lines(n: int, indent: str = "") -> str:
    return f"{indent}x = 1\n" * n


@pytest.mark.long
def test_the_repository_keeps_its_marks() -> None:
    done = run(ROOT)
    assert done.returncode == 0, done.stdout


def test_a_good_tree_passes_and_its_figures_are_printed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(GOOD)
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "src: 1 files, longest 25 (src/a.py), at most 500" in done.stdout
    assert "src functions: 3, longest 1" in done.stdout
    assert "public functions and classes: 2, 0 without a doctest" in done.stdout


def test_an_empty_tree_passes(tmp_path: Path) -> None:
    assert run(tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["src/p/_b.py", "tests/test_b.py", "core/deep/b.cpp", "core/b.hpp"])
def test_a_file_over_500_lines_is_named(name: str, tmp_path: Path) -> None:
    short = {"src/p/_c.py": "", "src/p/_d.py": ""}
    assert check(tmp_path, {name: lines(500), **short}) == (0, "")
    assert f"{name}: 501 lines, at most 500" in check(tmp_path, {name: lines(501)})[1]


def test_a_body_over_60_lines_is_named_with_its_place(tmp_path: Path) -> None:
    code, missed = check(tmp_path, {"src/p/_a.py": f"\ndef long():\n{lines(61, '    ')}"})
    assert code == 1
    assert "src/p/_a.py:2 long: 61 lines of body" in missed


def test_docstrings_do_not_count_as_body_but_comments_within_do(tmp_path: Path) -> None:
    doc = '    """A docstring.\n' + "\n" * 80 + '    """\n'
    fine = f"def f():\n{doc}{lines(30, '    ')}    # why\n{lines(29, '    ')}"
    assert check(tmp_path, {"src/p/_a.py": fine}) == (0, "")
    assert "_a.py:1 f: 61 lines" in check(tmp_path, {"src/p/_a.py": fine + "    x = 2\n"})[1]


@pytest.mark.parametrize(
    ("definition", "missed"),
    [
        ("def g(): ...", "g: no doctest"),
        ("class g:\n    '''No example.'''", "g: no doctest"),
        ("def g(x) -> int: '''>>> 1'''", "g: x has no annotation"),
        ("def g(*xs) -> int: '''>>> 1'''", "g: xs has no annotation"),
        ("def g(*, x, **y: int) -> int: '''>>> 1'''", "g: x has no annotation"),
        ("def g(): '''>>> 1'''", "g: the return has no annotation"),
        ("class g:\n    '''>>> 1'''\n    def h(self, x) -> int: ...", "h: x has no annotation"),
        ("class g:\n    '''>>> 1'''\n    def __init__(self, x): ...", "__init__: x has no annotation"),
        ("class g:\n    '''>>> 1'''\n    @staticmethod\n    def h(x) -> int: ...", "h: x has no annotation"),
        ("", "p.b: g is in __all__ but not in the source"),
    ],
)
def test_a_public_name_without_example_or_annotation_is_named(definition: str, missed: str, tmp_path: Path) -> None:
    code, report = check(tmp_path, {"src/p/b.py": f"__all__ = ['g']\n{definition}\n"})
    assert code == 1
    assert missed in report


@pytest.mark.parametrize("text", ["", "__all__ = [*names]", "__all__: list[str]"])
def test_a_public_module_without_a_plain_all_is_named(text: str, tmp_path: Path) -> None:
    assert "p.b: __all__ must be there" in check(tmp_path, {"src/p/b.py": text})[1]


@pytest.mark.parametrize("line", ["from p._b import g", "from ._b import g", "g = 1", "import g", "from os import g"])
def test_what_is_documented_elsewhere_a_constant_or_foreign_needs_nothing(line: str, tmp_path: Path) -> None:
    package = f"__all__ = ['g', 'a']\n{line}\n"
    files = {"src/p/__init__.py": package, "src/p/_b.py": "def g() -> None: '''>>> 1'''"}
    assert check(tmp_path, files) == (0, "")


def test_a_name_is_followed_to_the_private_module_that_defines_it(tmp_path: Path) -> None:
    package = "__all__ = ['h']\nfrom .._b import g as h"
    files = {"src/p/q/__init__.py": package, "src/p/_b.py": "def g() -> None: ..."}
    assert "p._b.g: no doctest" in check(tmp_path, files)[1]


def test_private_modules_and_the_first_of_overloads_need_nothing(tmp_path: Path) -> None:
    overloads = "@overload\ndef g(x: int) -> int: ...\ndef g(x: object) -> object: '''>>> 1'''"
    files = {"src/p/b.py": f"__all__ = ['g']\n{overloads}", "src/p/_c.py": "def g(x): ..."}
    assert check(tmp_path, files) == (0, "")


@pytest.mark.parametrize("word", ["Give", "Tell", "What", "Return which"])
def test_a_docstring_in_a_dialect_is_named(word: str, tmp_path: Path) -> None:
    text = f'def f():\n    """{word} the mean."""\n'
    assert f"src/p/_a.py:1 f: open with Return, Compute, Fit …, not {word}" in check(tmp_path, {"src/p/_a.py": text})[1]


def test_two_classes_of_one_name_are_named(tmp_path: Path) -> None:
    files = {"src/p/_a.py": "class Case: ...", "src/p/_b.py": "class Case: ..."}
    assert "Case: the name of 2 classes" in check(tmp_path, files)[1]


def test_files_that_share_six_lines_are_counted(tmp_path: Path) -> None:
    passage = "".join(f"name_{n} = {n}\n" for n in range(6))
    for name, text in {"a": passage, "b": f"import os\n\n{passage}", "c": passage.replace("name_3", "other")}.items():
        path = tmp_path / "src" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    script = f"import sys; sys.path.insert(0, {str(TOOL.parent)!r}); sys.argv = ['', {str(tmp_path)!r}]"
    script += "; import repeated_passages; repeated_passages.main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[0].endswith("a.py:1 ~ " + str(tmp_path / "src" / "b.py:3"))
    assert done.stdout.splitlines()[-1] == "1 pairs of files share 6 lines or more"
