"""Study files in YAML and TOML: what they define, and what is wrong with them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from calibrant.exceptions import CalibrantError, MissingFileError, StudyError
from calibrant.metrics import METRICS
from calibrant.studies import study_schema
from calibrant.studies._definition.definition import define_study
from calibrant.studies._definition.files import StudyFile, read_study_file
from calibrant.studies._definition.texts import read_yaml

YAML = """\
# a comment
name: Blätter
seed: 3
datasets:
  donors:
    source: donors.csv
    target: gives
    groups: household
    weight: times
    positive: no
    metric_params: {profit: {amount: {column: gift}, cost: 0.68}}
methods:
  nb: sklearn.naive_bayes.GaussianNB
  tree:
    class: ProbabilityTreeClassifier
    params: {min_leaf: 1, estimate: {class: MEstimate, params: {m: 2}}}
  grid:
    class: calibrant.trees.ProbabilityTreeClassifier
    grid: {min_leaf: [1, 2], max_depth: [null, 3]}
  grids:
    - {class: sklearn.naive_bayes.GaussianNB, grid: {var_smoothing: [1e-3]}}
    - {class: sklearn.naive_bayes.GaussianNB, grid: {var_smoothing: [0.5]}}
plan: {class: CrossValidation, params: {n_folds: 3, n_repeats: 2}}
metrics: [log_loss, auc, profit]
training_metrics: true
keep_predictions: true
store: studies.db
run: {workers: 2, time_limit: 1.5, memory_limit: 2 GB, retry: true}
"""

TOML = """\
# a comment
name = "Blätter"
seed = 3
metrics = ["log_loss", "auc", "profit"]
training_metrics = true
keep_predictions = true
store = "studies.db"

[datasets.donors]
source = "donors.csv"
target = "gives"
groups = "household"
weight = "times"
positive = "no"
metric_params.profit = { amount = { column = "gift" }, cost = 0.68 }

[methods]
nb = "sklearn.naive_bayes.GaussianNB"
[methods.tree]
class = "ProbabilityTreeClassifier"
params = { min_leaf = 1, estimate = { class = "MEstimate", params = { m = 2 } } }
[methods.grid]
class = "calibrant.trees.ProbabilityTreeClassifier"
grid = { min_leaf = [1, 2], max_depth = [{ none = true }, 3] }
[[methods.grids]]
class = "sklearn.naive_bayes.GaussianNB"
grid.var_smoothing = [1e-3]
[[methods.grids]]
class = "sklearn.naive_bayes.GaussianNB"
grid.var_smoothing = [0.5]

[plan]
class = "CrossValidation"
params = { n_folds = 3, n_repeats = 2 }

[run]
workers = 2
time_limit = 1.5
memory_limit = "2 GB"
retry = true
"""

SMALL = "name: s\ndatasets: [iris]\nmethods: {nb: sklearn.naive_bayes.GaussianNB}\n"


def write(folder: Path, text: str | bytes, suffix: str = "yaml") -> Path:
    (folder / "donors.csv").write_text("age,household,times,gift,gives\n1,a,1,0,no\n2,a,1,5,yes\n3,b,2,0,no\n")
    path = folder / f"study.{suffix}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(folder: Path, text: str | bytes, suffix: str = "yaml") -> StudyFile:
    return read_study_file(write(folder, text, suffix))


@pytest.mark.parametrize(("text", "suffix"), [(YAML, "yaml"), (YAML, "yml"), (TOML, "toml")])
def test_a_study_is_read_from_yaml_and_toml(tmp_path: Path, text: str, suffix: str) -> None:
    found = read(tmp_path, text, suffix)
    definition = found.definition
    assert definition.name == "Blätter"
    assert list(definition.methods) == [
        "nb",
        "tree",
        "grid(min_leaf=1, max_depth=None)",
        "grid(min_leaf=1, max_depth=3)",
        "grid(min_leaf=2, max_depth=None)",
        "grid(min_leaf=2, max_depth=3)",
        "grids(var_smoothing=0.001)",
        "grids(var_smoothing=0.5)",
    ]
    assert definition.methods["tree"].estimate.m == 2
    assert definition.datasets["donors"].source == tmp_path / "donors.csv"
    assert definition.datasets["donors"].positive == "no"
    assert (definition.seed, definition.plan.n_folds, definition.plan.n_repeats) == (3, 3, 2)
    assert definition.work().tests_training
    assert definition.work().keeps_predictions
    assert found.store == str(tmp_path / "studies.db")
    assert found.run == {"workers": 2, "time_limit": 1.5, "memory_limit": "2 GB", "retry": True}


def test_yaml_toml_and_python_define_the_same_study(tmp_path: Path) -> None:
    one, other = (read(tmp_path, text, suffix).definition for suffix, text in (("yaml", YAML), ("toml", TOML)))
    assert one.document == other.document
    small = define_study("s", datasets=["iris"], methods={"nb": "sklearn.naive_bayes.GaussianNB"})
    assert read(tmp_path, SMALL).definition.document == small.document


def test_a_study_from_a_file_runs(tmp_path: Path) -> None:
    from calibrant.studies import Study

    text = SMALL.replace("[iris]", "[nielsen.iris]") + "plan: 3\nmetrics: [mse]\nstore: a.db\n"
    status = Study.from_file(write(tmp_path, text)).run()
    assert status.n_done == 3
    assert (tmp_path / "a.db").exists()


def test_words_and_numbers_are_those_of_yaml_1_2() -> None:
    words = "no, yes, on, off, y, 1e-3, 1_000, 0o17, 0x1F, 1:30, ~, True, .inf, -.INF, .nan, '1', \"2\", 1., +5"
    node = read_yaml(f"a: [{words}, 2020-01-02]")
    assert node is not None
    found = node.value["a"]
    nan = found.pop(14)
    assert nan != nan
    infinity = float("inf")
    assert found == [
        *("no", "yes", "on", "off", "y", 0.001, "1_000", 15, 31, "1:30", None, True, infinity, -infinity, "1", "2"),
        *(1.0, 5, "2020-01-02"),
    ]


def test_plans_metrics_and_stores_have_short_forms(tmp_path: Path) -> None:
    assert read(tmp_path, f"{SMALL}plan: 4\n").definition.plan.n_folds == 4
    assert read(tmp_path, f"{SMALL}plan: LeaveOneOut\n").definition.plan.describe().startswith("leave-one-out")
    own = read(tmp_path, f"{SMALL}metrics: {{auc: null, brier: sklearn.metrics.log_loss}}\n").definition
    assert own.metrics["auc"] is None
    assert own.metrics["brier"].__name__ == "log_loss"
    assert read(tmp_path, f"{SMALL}store: postgresql://me@host/db\n").store == "postgresql://me@host/db"
    assert read(tmp_path, SMALL).store is None


def test_aliases_are_expanded(tmp_path: Path) -> None:
    text = SMALL.replace("{nb: sklearn.naive_bayes.GaussianNB}", "\n  a: &nb sklearn.naive_bayes.GaussianNB\n  b: *nb")
    assert list(read(tmp_path, text).definition.methods) == ["a", "b"]


def test_a_file_may_have_a_byte_order_mark_and_lines_of_windows(tmp_path: Path) -> None:
    for suffix, text in (("yaml", YAML), ("toml", TOML)):
        windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        assert read(tmp_path, windows, suffix).definition.name == "Blätter"


# --- errors -------------------------------------------------------------------------------------------------------

NB = "sklearn.naive_bayes.GaussianNB"
TREE = f"name: s\ndatasets: [iris]\nmethods:\n  a: {NB}\n  tree:\n    class: ProbabilityTreeClassifier\n"

BAD_YAML = [
    ("", "the file is empty"),
    ("# nothing\n", "the file is empty"),
    ("---\n", "the file is empty"),
    ("- a\n- b\n", "line 1: the file must be a mapping"),
    ("text", "line 1: the file must be a mapping"),
    (SMALL + "sede: 1\n", "line 4: sede: there is no key 'sede'. Did you mean 'seed'"),
    (SMALL + "seed: one\n", "line 4: seed: must be an int >= 0; got 'one'"),
    (SMALL + "seed: 1.5\n", "line 4: seed: must be an int >= 0; got 1.5"),
    (SMALL + "seed: -1\n", "line 4: seed: must be an int >= 0; got -1"),
    (SMALL + "training_metrics: yes\n", "line 4: training_metrics: must be true or false; got 'yes'"),
    (SMALL + "name: again\n", "line 4: has the key 'name' twice, first in line 1"),
    ("name: s\ndatasets: [iris]\n", "the key 'methods' is missing"),
    (SMALL.replace("name: s", "name: 3"), "line 1: name: must be text; got 3"),
    (SMALL.replace("name: s", "name: ''"), "line 1: name: must not be empty"),
    (SMALL.replace("[iris]", "[]"), "line 2: datasets: must not be empty"),
    (SMALL.replace("[iris]", "iris"), "line 2: datasets: must be a list of data sets, or a mapping"),
    (
        SMALL.replace("[iris]", "[irsi]"),
        r"line 2: datasets\[0\]: data set 'irsi': 'irsi' is not a known data set. Did you mean",
    ),
    (SMALL.replace("[iris]", "\n  - iris\n  - no.csv"), r"line 4: datasets\[1\].*there is no file"),
    (
        SMALL.replace("[iris]", "\n  - iris\n  - {source: iris, nam: b}"),
        "line 4: datasets.1..nam: there is no key 'nam'. Did",
    ),
    (SMALL.replace("[iris]", "\n  - iris\n  - {name: b}"), "line 4: datasets.1.: the key 'source' is missing"),
    (SMALL.replace("[iris]", "\n  - iris\n  - iris"), "two data sets are named 'iris'"),
    (
        SMALL.replace("[iris]", "{1: iris}"),
        "line 2: datasets.1.: a name must be text, and not empty; got 1. Put it in quotes",
    ),
    (SMALL.replace("[iris]", "[{source: iris, target: x}]"), "line 2: datasets.0.: .*target is for files"),
    (SMALL.replace("{nb:", "{1:"), "line 3: methods.1.: a name must be text"),
    (SMALL.replace(NB, "3"), "line 3: methods.nb: must be an import path"),
    (SMALL.replace(NB, "sklearn.naive_bayes.GausianNB"), "line 3: methods.nb: .*Did you mean 'GaussianNB'"),
    (SMALL.replace(NB, "no_such_module.Model"), "line 3: methods.nb: .*there is no module 'no_such_module'"),
    (SMALL.replace(NB, "os.getcwd"), "line 3: methods.nb: .*must be an estimator"),
    (TREE + "    params:\n      min_leafs: 2\n", "line 8: methods.tree.params.min_leafs: .*Did you mean 'min_leaf'"),
    (
        TREE + "    params:\n      min_leaf: 0\n",
        "line 8: methods.tree.params.min_leaf: .*min_leaf must be a finite number > 0; got 0",
    ),
    (TREE + "    params:\n      estimate: laplas\n", "line 8: .*Did you mean 'laplace'"),
    (TREE + "    parms: {}\n", "line 7: methods.tree.parms: there is no key 'parms'. Did you mean 'params'"),
    (TREE + "    params: [1]\n", "line 7: methods.tree.params: must be a mapping"),
    (TREE + "    factory: a.b\n", "line 5: methods.tree: exactly one of the keys 'class' and 'factory'"),
    (TREE + "    grid:\n      min_leaf: 3\n", "line 8: methods.tree.grid.min_leaf: must be a list of values; got 3"),
    (TREE + "    grid:\n      min_leaf: []\n", "line 8: methods.tree.grid.min_leaf: must not be empty"),
    (TREE + "    grid:\n      min_leafs: [1]\n", "line 8: methods.tree.grid.min_leafs: .*Did you mean 'min_leaf'"),
    (
        TREE + "    grid:\n      max_depth: [1]\n      min_leaf: [1, 0]\n",
        "line 9: methods.tree.grid.min_leaf: .*> 0; got 0",
    ),
    (
        TREE + "    params:\n      estimate:\n        class: MEstimat\n",
        "line 9: methods.tree.params.estimate.class: .*MEstimate",
    ),
    (
        f"name: s\ndatasets: [iris]\nmethods:\n  nb:\n    class: {NB}\n    params:\n      var_smoothing: -1\n",
        "line 7: methods.nb.params.var_smoothing: .*must be a float in the range",
    ),
    (SMALL + "metrics: [mse, acu]\n", r"line 4: metrics\[1\]: metrics: there is no metric 'acu'. Did you mean 'auc'"),
    (SMALL + "metrics: []\n", "line 4: metrics: must not be empty"),
    (SMALL + "metrics: {m: numpy.pi}\n", "line 4: metrics.m: 'numpy.pi' is not a function"),
    (SMALL + "metrics: {m: numpy.maen}\n", "line 4: metrics.m: numpy has no 'maen'. Did you mean 'mean'"),
    (SMALL + "metrics: [profit]\n", "line 4: .*'profit' needs amount, which data set 'iris' lacks"),
    (
        SMALL + "metric_params: {auc: {averag: 1}}\nmetrics: [auc]\n",
        "line 4: metric_params.auc.averag: .*Did you mean 'average'",
    ),
    (SMALL + "plan: 1\n", "line 4: plan: must be a number of folds"),
    (SMALL + "plan: CrosValidation\n", "line 4: plan: .*Did you mean 'CrossValidation'"),
    (
        SMALL + "plan:\n  class: CrossValidation\n  params: {n_fold: 3}\n",
        "line 6: plan.params.n_fold: .*Did you mean 'n_folds'",
    ),
    (
        SMALL + "plan:\n  class: CrossValidation\n  params: {n_folds: 1}\n",
        "line 6: plan.params.n_folds: plan: n_folds must be",
    ),
    (SMALL + "plan: {class: MEstimate}\n", "line 4: plan: plan must be a plan"),
    (SMALL + "choose_by: auc\n", "line 4: choose_by: choose_by is for a nested plan"),
    (SMALL + "run: {worker: 2}\n", "line 4: run.worker: there is no key 'worker'. Did you mean 'workers'"),
    (SMALL + "run: {workers: 0}\n", "line 4: run.workers: must be an int >= 1; got 0"),
    (SMALL + "run: {time_limit: -1}\n", "line 4: run.time_limit: must be a number of seconds above 0"),
    (SMALL + "run: {memory_limit: 2 lots}\n", "line 4: run.memory_limit: memory_limit"),
    (SMALL + "run: {workers: 2, dask: tcp://h:1}\n", "line 4: run.workers: workers and dask"),
    # syntax
    ("name: s\n\tseed: 1\n", r"line 2: is not valid YAML: .*Indent with spaces"),
    ("name: [a\nseed: 1\n", "line 2: is not valid YAML"),
    ("name: 'a\n", "is not valid YAML"),
    ("a: b: c\n", "line 1: is not valid YAML: mapping values are not allowed"),
    ("name: s\n  seed: 1\n", "line 2: is not valid YAML"),
    ("name: s\nx: \x07\n", "line 2: .*is not allowed"),
    ("name: s\n---\nname: t\n", "line 2: has a second document"),
    (
        "a: !!python/object/apply:os.system [echo hi]\n",
        "line 1: has the tag '!!python/object/apply:os.system'; only plain values",
    ),
    ("a: !mine 3\n", "line 1: has the tag '!mine'"),
    ("a: *b\n", "line 1: .*b"),
    ("a: &a [*a]\n", "line 1: has the alias .a inside of what it stands for"),
    ("x: &x {a: 1}\ny:\n  <<: *x\n", "line 3: has a merge key"),
    ("? [a]\n: 1\n", "line 1: has a list or a mapping as a key"),
    (f"a: {'1' * 5000}\n", "line 1: has a number of 5,000 digits"),
]


@pytest.mark.parametrize(("text", "message"), BAD_YAML, ids=[repr(text[-40:]) for text, _ in BAD_YAML])
def test_a_wrong_yaml_file_is_an_error_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "study.yaml"))


TOML_SMALL = 'name = "s"\ndatasets = ["iris"]\n[methods]\nnb = "sklearn.naive_bayes.GaussianNB"\n'
BAD_TOML = [
    ("", "the file is empty"),
    ("x = [1", "is not valid TOML"),
    ('name = "a"\nname = "b"\n', "line 2: is not valid TOML: Cannot overwrite a value"),
    ('name = "s"\nseed = yes\n', "line 2: is not valid TOML"),
    (TOML_SMALL + "[run]\nworkers = 0\n", ": run.workers: must be an int >= 1; got 0"),
    (
        TOML_SMALL + "[methods.tree]\nclass = 'ProbabilityTreeClassifier'\nparams.min_leafs = 1\n",
        ": methods.tree.params.min_leafs: .*Did you",
    ),
    (
        TOML_SMALL + "[methods.'C4.5']\nclass = 'ProbabilityTreeClassifier'\nparams.min_leaf = 0\n",
        ": methods.'C4.5'.params.min_leaf: ",
    ),
    ("sede = 1\n" + TOML_SMALL, ": sede: there is no key 'sede'. Did you mean 'seed'"),
    ("seed = 2020-01-02\n" + TOML_SMALL, ": seed: must be an int >= 0"),
    (TOML_SMALL.replace("GaussianNB", "GausianNB"), ": methods.nb: .*Did you mean 'GaussianNB'"),
]


@pytest.mark.parametrize(("text", "message"), BAD_TOML, ids=[repr(text[-40:]) for text, _ in BAD_TOML])
def test_a_wrong_toml_file_is_an_error_with_its_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        read(tmp_path, text, "toml")
    assert str(caught.value).startswith(str(tmp_path / "study.toml"))


def test_files_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no such file"):
        read_study_file(tmp_path / "none.yaml")
    with pytest.raises(StudyError, match=r"must end in \.yaml, \.yml or \.toml"):
        read_study_file(write(tmp_path, SMALL, "json"))
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(StudyError, match="is not a file"):
        read_study_file(tmp_path / "folder.yaml")
    with pytest.raises(StudyError, match="line 2: is not UTF-8"):
        read(tmp_path, b"name: s\n# \xe9\n")
    with pytest.raises(StudyError, match="has more than 1,048,576 bytes"):
        read(tmp_path, "# " + "x" * 2**20)
    with pytest.raises(CalibrantError):
        read_study_file("a\0b.yaml")


def test_a_file_without_permission_is_an_error(tmp_path: Path, no_superuser: Callable[[], None]) -> None:
    path = write(tmp_path, SMALL)
    path.chmod(0)
    command = [sys.executable, "-m", "calibrant", "study", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, preexec_fn=no_superuser)
    assert done.returncode != 0
    assert "cannot be read" in done.stderr


# --- the schema ---------------------------------------------------------------------------------------------------


def test_the_schema_is_valid_and_describes_every_key() -> None:
    schema = study_schema()
    jsonschema.Draft202012Validator.check_schema(schema)

    def undescribed(part: Any, path: str) -> list[str]:
        if isinstance(part, list):
            return [each for item in part for each in undescribed(item, path)]
        if not isinstance(part, dict):
            return []
        own = [
            f"{path}.{name}"
            for name, each in part.get("properties", {}).items()
            if "description" not in each and "$ref" not in each
        ]
        return own + [found for name, each in part.items() for found in undescribed(each, f"{path}.{name}")]

    assert undescribed(schema, "") == []


def test_the_schema_lists_the_metrics_there_are() -> None:
    items = study_schema()["properties"]["metrics"]["anyOf"][0]["items"]
    assert items["anyOf"][0]["enum"] == sorted(METRICS)


def test_the_schema_accepts_what_is_read() -> None:
    node = read_yaml(YAML)
    assert node is not None
    jsonschema.Draft202012Validator(study_schema()).validate(json.loads(json.dumps(node.value)))


def test_the_options_of_a_file_are_those_of_study() -> None:
    import inspect

    from calibrant.studies import Study

    schema = study_schema()
    assert set(schema["properties"]) - {"$schema", "run"} == set(inspect.signature(Study).parameters)
    assert set(schema["properties"]["run"]["properties"]) == set(inspect.signature(Study.run).parameters) - {"self"}
