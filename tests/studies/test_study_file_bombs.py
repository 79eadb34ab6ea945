"""Study files that are bombs, or any text: an error or a study, never a hang or a crash."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.exceptions import CalibrantError, StudyError
from calibrant.studies import Study

NB = "sklearn.naive_bayes.GaussianNB"
YAML = f"""\
name: s
seed: 3
datasets:
  a: nielsen.iris
  b: {{source: iris, positive: no}}
methods:
  nb: {NB}
  tree:
    class: ProbabilityTreeClassifier
    params: {{min_leaf: 1, estimate: {{class: MEstimate, params: {{m: 2}}}}}}
    grid: {{max_depth: [null, 3]}}
plan:
  class: CrossValidation
  params:
    n_folds: 3
metrics: [log_loss, auc]
training_metrics: true
store: studies.db
run: {{workers: 2, time_limit: 1.5}}
"""


def laughs(n_levels: int, n_copies: int) -> str:
    lines = ["a0: &a0 [lol, lol, lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * n_copies)}]" for i in range(1, n_levels)]
    return "\n".join(lines)


BOMBS = {
    "laughs.yaml": laughs(30, 9),
    "keys.yaml": laughs(9, 9) + "\nx: {" + ", ".join(f"k{i}: *a5" for i in range(1000)) + "}",
    "deep list.yaml": "a: " + "[" * 300_000,
    "deep mapping.yaml": "{a: " * 200_000,
    "deep block.yaml": "- " * 300_000,
    "deep lines.yaml": "\n".join(" " * i + "a:" for i in range(1000)),
    "deep aliases.yaml": "\n".join(["a0: &a0 [1]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 5000)]),
    "long.yaml": "[" + "1," * 200_000 + "]",
    "question.yaml": "? " * 300_000,
    "anchors.yaml": "[" + ", ".join(f"&a{i} {i}" for i in range(80_000)) + "]",
    "quotes.yaml": '"' + "\\u0041" * 150_000,
    "colons.yaml": "a" * 500_000 + ": 1",
    "deep list.toml": "a = " + "[" * 300_000,
    "deep table.toml": "a = " + "{a=" * 200_000,
    "dotted.toml": ".".join(["a"] * 200_000) + " = 1",
    "spaced.toml": " . ".join(["a"] * 100_000) + " = 1",
    "quoted.toml": ".".join(['"#"'] * 100_000) + " = 1",
    "header.toml": "[" + ".".join(["a"] * 200_000) + "]",
    "headers.toml": "\n".join(f"[{'a.' * 25}k{i}]" for i in range(8_000)),
    "long.toml": "a = [" + "1," * 200_000 + "]",
    "digits.toml": "a = " + "1" * 500_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_quickly(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BOMBS[name])
    with pytest.raises(StudyError):  # without limits it would take hours, or crash
        Study.from_file(tmp_path / name)


def test_a_large_study_is_read(tmp_path: Path) -> None:
    methods = "".join(f"  m{i}: {{class: {NB}, params: {{var_smoothing: {i / 1e6}}}}}\n" for i in range(300))
    path = tmp_path / "s.yaml"
    path.write_text(f"name: s\ndatasets: [iris]\nmethods:\n{methods}")
    assert "1 data set x 300 methods" in repr(Study.from_file(path))


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_study_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    for suffix in ("yaml", "toml"):
        path = folder / f"s.{suffix}"
        path.write_bytes(text.encode("utf-8", "replace"))
        with pytest.raises(CalibrantError):
            Study.from_file(path)


LINES = YAML.splitlines(keepends=True)


@given(
    st.lists(st.sampled_from(range(len(LINES))), min_size=1, max_size=4),
    st.sampled_from(["drop", "double", "indent", "swap"]),
)
@settings(max_examples=100, deadline=None)
def test_a_mutilated_study_is_a_study_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, positions: list[int], how: str
) -> None:
    lines: list[Any] = list(LINES)
    for position in positions:
        line = lines[position]
        lines[position] = {"drop": "", "double": line * 2, "indent": f" {line}", "swap": line.replace(":", "", 1)}[how]
    path = tmp_path_factory.mktemp("torn") / "s.yaml"
    path.write_text("".join(lines))
    with contextlib.suppress(CalibrantError):
        Study.from_file(path)
