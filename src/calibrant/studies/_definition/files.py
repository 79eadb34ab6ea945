"""Study files: the definition of a study in YAML or TOML, with errors that name the line or the key."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibrant.exceptions import CalibrantError, MissingExtraError, MissingFileError, StudyError
from calibrant.studies._definition import build
from calibrant.studies._definition.build import DocumentError
from calibrant.studies._definition.definition import StudyDefinition, define_study
from calibrant.studies._definition.file_parts import read_file_datasets, read_file_methods, read_file_metrics
from calibrant.studies._definition.locate import locate
from calibrant.studies._definition.schema import check_structure
from calibrant.studies._definition.toml_values import read_toml
from calibrant.studies._definition.yaml_nodes import TextError, read_yaml
from calibrant.studies._trials.run_study import read_run_options

__all__ = ["StudyFile", "read_study_file"]

_MAX_BYTES = 2**20  # a study of ten thousand methods has about that


@dataclass(frozen=True, eq=False)
class StudyFile:
    """What a study file holds: the definition, the store if it names one, and options of `Study.run`."""

    definition: StudyDefinition
    store: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict)


def read_study_file(path: str | os.PathLike[str]) -> StudyFile:
    """Read a study from a YAML or TOML file; `study_schema` describes its keys.

    The file imports the classes and functions that it names, and importing runs their modules: read only files that
    you trust. Nothing else in it runs; YAML tags that make objects are errors.

    Parameters
    ----------
    path : str or path
        A file that ends in ``.yaml``, ``.yml`` or ``.toml``, in UTF-8. Paths in it start at its folder.

    Returns
    -------
    StudyFile
        The definition, the store and the options of `Study.run`.

    Raises
    ------
    StudyError
        If anything is wrong; the message names the file and the line in YAML, the file and the key in TOML.
    MissingFileError
        If there is no such file.

    Notes
    -----
    YAML is read as version 1.2 says: ``no``, ``yes`` and ``on`` are text, ``1e-3`` is a number. Keys may not be
    repeated. Anchors and aliases can be used; merge keys (``<<``) cannot.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "leaves.yaml"
    >>> _ = path.write_text('''
    ... name: leaf estimates
    ... seed: 1
    ... datasets:
    ...   - nielsen.iris
    ...   - {source: appeal, positive: yes}
    ... methods:
    ...   naive Bayes: sklearn.naive_bayes.GaussianNB
    ...   tree:
    ...     class: ProbabilityTreeClassifier
    ...     params: {min_leaf: 5}
    ...     grid: {estimate: [laplace, {class: MEstimate, params: {m: 2}}]}
    ... plan: {class: CrossValidation, params: {n_folds: 10, n_repeats: 10}}
    ... metrics: [log_loss, auc]
    ... store: sqlite:///studies.db
    ... run: {workers: 2, time_limit: 60}
    ... ''')
    >>> study = read_study_file(path)
    >>> study.definition
    <StudyDefinition 'leaf estimates': 2 data sets, 3 methods, 2 metrics>
    >>> list(study.definition.methods)[1:]
    ["tree(estimate='laplace')", 'tree(estimate=MEstimate(m=2))']
    >>> study.run
    {'workers': 2, 'time_limit': 60}
    >>> folder.cleanup()
    """
    file = Path(path)
    read = _reader(file)
    text = _read_text(file)
    try:
        document, line_of = read(text)
    except TextError as error:
        raise StudyError(f"{_where(file, error.line)}: {error.problem}.") from error
    try:
        return _build(document, file.absolute().parent)
    except MissingExtraError:  # no line of the file is wrong
        raise
    except CalibrantError as error:
        found, problem = locate(error, document)
        line = None if line_of is None else line_of(found)
        key = f": {build.path_text(found)}" if found else ""
        raise StudyError(f"{_where(file, line)}{key}: {problem}") from error


Lines = Callable[[tuple[str | int, ...]], int]


def _reader(file: Path) -> Callable[[str], tuple[Any, Lines | None]]:
    suffix = file.suffix.lower()
    if suffix in (".yaml", ".yml"):
        return _read_yaml
    if suffix == ".toml":
        return lambda text: (read_toml(text), None)
    raise StudyError(f"{file}: a study file must end in .yaml, .yml or .toml.")


def _read_yaml(text: str) -> tuple[Any, Lines | None]:
    node = read_yaml(text)
    return (None, None) if node is None else (node.to_value(), node.line_of)


def _where(file: Path, line: int | None) -> str:
    return str(file) if line is None else f"{file}, line {line}"


def _read_text(file: Path) -> str:
    try:
        if not file.exists():
            raise MissingFileError(f"{file}: there is no such file.")
        if not file.is_file():
            raise StudyError(f"{file}: is not a file.")
        with file.open("rb") as opened:
            raw = opened.read(_MAX_BYTES + 1)
    except MissingFileError:
        raise
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        raise StudyError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if len(raw) > _MAX_BYTES:
        raise StudyError(f"{file}: has more than {_MAX_BYTES:,} bytes; a study file has at most that.")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StudyError(f"{_where(file, line)}: is not UTF-8 text; save the file in that encoding.") from error


def _build(document: Any, folder: Path) -> StudyFile:
    if document is None or document == {}:
        raise StudyError("the file is empty; a study has at least name, datasets and methods.")
    if not isinstance(document, Mapping):
        raise StudyError(
            f"the file must be a mapping with name, datasets and methods; got a {type(document).__name__}."
        )
    check_structure(document)
    given = {key: document[key] for key in ("choose_by", "seed") if key in document}
    params = build.build_value(document.get("metric_params", {}), ("metric_params",))
    definition = define_study(
        document["name"],
        datasets=read_file_datasets(document["datasets"], folder),
        methods=read_file_methods(document["methods"]),
        plan=_plan(document.get("plan")),
        metrics=read_file_metrics(document.get("metrics")),
        metric_params=params,
        tests_training=document.get("training_metrics", False),
        keeps_predictions=document.get("keep_predictions", True),
        **given,
    )
    return StudyFile(definition, _store(document.get("store"), folder), _run_options(document.get("run", {})))


def _plan(plan: Any) -> Any:
    described = {"class": plan} if isinstance(plan, str) else plan
    try:
        return build.build_value(described, ("plan",))
    except DocumentError as error:
        raise DocumentError(error.problem, ("plan",) if isinstance(plan, str) else error.path) from error


def _run_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options of a run, and return them as they are written."""
    try:
        read_run_options({}, options)
    except CalibrantError as error:
        named = next((name for name in options if name in str(error)), None)
        raise DocumentError(str(error), ("run",) if named is None else ("run", named)) from error
    return dict(options)


def _store(store: str | None, folder: Path) -> str | None:
    """Return the store; a path of a SQLite file starts at the folder of the study file."""
    if store is None or "://" in store:
        return store
    return str(folder / store)
