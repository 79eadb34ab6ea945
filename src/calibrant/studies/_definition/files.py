"""Study files: the definition of a study in YAML or TOML, checked by a JSON schema; errors name the line or the key."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import
from calibrant._repr import short_repr
from calibrant.exceptions import CalibrantError, MissingExtraError, MissingFileError, StudyError, nearest
from calibrant.studies._definition.build import DocumentError, Keys, build_value, path_text
from calibrant.studies._definition.datasets import Dataset, is_path
from calibrant.studies._definition.definition import StudyDefinition, define_study
from calibrant.studies._definition.methods import Grid, as_estimator, check_parameter_values
from calibrant.studies._definition.names import resolve_path
from calibrant.studies._definition.texts import TextError, read_toml, read_yaml
from calibrant.studies._trials.run_study import read_run_options


def study_schema() -> dict[str, Any]:
    """Return the JSON schema of study files, draft 2020-12, with descriptions that editors show.

    Returns
    -------
    dict
        The schema. Save it as a file and name that in the first line of a YAML file, ``# yaml-language-server:
        $schema=study.schema.json``, to have an editor complete and check it.

    Examples
    --------
    >>> from calibrant.studies import study_schema
    >>> schema = study_schema()
    >>> schema["required"], schema["properties"]["seed"]["description"]
    (['name', 'datasets', 'methods'], 'The seed of what methods and plan leave open; by default 0.')
    """
    text = resources.files("calibrant.studies._definition").joinpath("study_schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def check_structure(document: Any) -> None:
    """Raise a DocumentError for the first part of a study file that the schema does not allow.

    Examples
    --------
    >>> check_structure({"name": "s", "datasets": ["iris"], "methods": {"nb": "a.B"}, "sede": 1})
    Traceback (most recent call last):
    calibrant.studies._definition.build.DocumentError: sede: there is no key 'sede'. Did you mean 'seed'?
    """
    jsonschema = optional_import("jsonschema", extra="studies", purpose="check study files")
    validator = jsonschema.Draft202012Validator(study_schema())
    errors = list(validator.iter_errors(_with_text_keys(document)))
    if errors:
        first = min(errors, key=_precedence)
        raise _readable(first)


def _with_text_keys(document: Any) -> Any:
    """Return a document with keys as text: a schema knows no others, and YAML reads 1 as a number."""
    if isinstance(document, Mapping):
        return {str(key): _with_text_keys(each) for key, each in document.items()}
    return [_with_text_keys(each) for each in document] if isinstance(document, list) else document


def _precedence(error: Any) -> tuple[bool, list[str]]:
    """Order errors: unknown keys first, as a key that is missing is most often one that is misspelled."""
    return error.validator != "additionalProperties", [str(key) for key in error.absolute_path]


def _readable(error: Any) -> DocumentError:
    inner = _innermost(error)
    path = tuple(inner.absolute_path)
    if inner.validator == "additionalProperties":
        known = list(inner.schema.get("properties", {}))
        unknown = next(key for key in inner.instance if key not in known)
        hint = nearest(unknown, known) or f" There are {', '.join(known)}."
        return DocumentError(f"there is no key {unknown!r}.{hint}", (*path, unknown))
    if inner.validator == "required":
        missing = next(key for key in inner.validator_value if key not in inner.instance)
        return DocumentError(f"the key {missing!r} is missing.", path)
    if inner.validator == "oneOf":
        return DocumentError("exactly one of the keys 'class' and 'factory' is needed.", path)
    if inner.validator in ("minLength", "minItems", "minProperties"):
        return DocumentError(f"must not be empty; write {_expected(inner, error)}.", path)
    return DocumentError(f"must be {_expected(inner, error)}; got {short_repr(inner.instance)}.", path)


def _innermost(error: Any) -> Any:
    """Return the error in the only alternative whose type fits, where there is one; else the error itself."""
    while error.context and error.validator == "anyOf":
        branches: dict[Any, list[Any]] = {}
        for each in error.context:
            branches.setdefault(each.schema_path[0], []).append(each)
        here = error.absolute_path
        fitting = [
            errors
            for errors in branches.values()
            if not any(each.validator == "type" and each.absolute_path == here for each in errors)
        ]
        if len(fitting) != 1:
            return error
        error = min(fitting[0], key=_precedence)
    return error


def _expected(inner: Any, error: Any) -> str:
    return str(inner.schema.get("title") or error.schema.get("title") or "another value")


@contextmanager
def _at(path: Keys) -> Iterator[None]:
    """Name the part of the file in the errors that do not yet."""
    try:
        yield
    except DocumentError:
        raise
    except CalibrantError as error:
        raise DocumentError(str(error), path) from error


def _dataset(dataset: Any, folder: Path, path: Keys) -> Dataset:
    roles: dict[str, Any] = {"source": dataset} if isinstance(dataset, str) else dict(dataset)
    source = roles.pop("source")
    source = folder / source if is_path(source) else source
    options = roles.get("options", {})
    if isinstance(options.get("names"), str):
        roles["options"] = options | {"names": str(folder / options["names"])}
    with _at(path):
        made = Dataset(source, **{name: build_value(each, (*path, name)) for name, each in roles.items()})
        made.check_source(str(roles.get("name", source) if isinstance(path[-1], int) else path[-1]))
    return made


def _method(name: str, method: Any, path: Keys) -> Any:
    if isinstance(method, list):
        return [_grid(name, each, (*path, position)) for position, each in enumerate(method)]
    if isinstance(method, Mapping) and "grid" in method:
        return _grid(name, method, path)
    return _estimator(name, method, path)


def _estimator(name: str, method: Any, path: Keys) -> Any:
    with _at(path):
        made = as_estimator(build_value(method, path) if isinstance(method, Mapping) else method, name)
        check_parameter_values(made)
    return made


def _grid(name: str, method: Mapping[str, Any], path: Keys) -> Grid:
    estimator = _estimator(name, {key: each for key, each in method.items() if key != "grid"}, path)
    lists = {key: build_value(each, (*path, "grid", key)) for key, each in method["grid"].items()}
    try:
        grid = Grid(estimator, lists)
        for configured in grid.configurations(name).values():
            check_parameter_values(configured)
    except CalibrantError as error:
        named = next((key for key in lists if str(key).rpartition("__")[2] in str(error)), None)
        raise DocumentError(str(error), (*path, "grid") if named is None else (*path, "grid", named)) from error
    return grid


def _read_metrics(metrics: Any) -> Any:
    """Return the metrics of a file as `define_study` takes them: functions are imported."""
    if not isinstance(metrics, Mapping):
        return metrics
    found: dict[str, Any] = {}
    for key, path in metrics.items():
        name = _name(key, "metrics")
        found[name] = None
        if path is not None and path != name:
            with _at(("metrics", name)):
                found[name] = resolve_path(path)
            if not callable(found[name]) or isinstance(found[name], type):
                raise DocumentError(f"{path!r} is not a function.", ("metrics", name))
    return found


def _name(name: Any, section: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise DocumentError(
            f"a name must be text, and not empty; got {short_repr(name)}. Put it in quotes.", (section, name)
        )
    return name


# Words that messages open with, and the key that they are about
_SECTIONS = {"data": "datasets", "method": "methods", "the": "name"}
_QUOTED = re.compile(r"'([^']*)'")
_WORD = re.compile(r"[A-Za-z_]+")


def _locate(error: Exception, document: Any) -> tuple[Keys, str]:
    """Return the path of the part that an error is about, as far as it is known, and the problem.

    Examples
    --------
    >>> from calibrant.exceptions import StudyError
    >>> document = {"metrics": ["mse", "acu"], "seed": 0}
    >>> _locate(StudyError("metrics: there is no metric 'acu'."), document)
    (('metrics', 1), "metrics: there is no metric 'acu'.")
    """
    if isinstance(error, DocumentError):
        path, problem = error.path, error.problem
    else:
        problem = str(error)
        opening = _WORD.match(problem)
        section = _SECTIONS.get(opening[0], opening[0]) if opening else ""
        if problem.startswith("two "):
            section = "datasets" if "data set" in problem else "methods"
        if not isinstance(document, Mapping) or section not in document:
            return (), problem
        path = (section,)
        for name in _QUOTED.findall(problem):
            key = _key_of(_part(path, document), name)
            path = path if key is None else (*path, key)
    words = set(_WORD.findall(problem))
    found = (each for each in _parameters(_part(path, document)) if each[-1] in words)
    return path + next(found, ()), problem


def _part(path: Keys, document: Any) -> Any:
    for key in path:
        try:
            document = document[key]
        except (LookupError, TypeError):
            return None
    return document


def _key_of(part: Any, name: str) -> Any:
    """Return the key or position of a name in a part: as a key, an item, or the name or source of an item."""
    if isinstance(part, Mapping):
        return name if name in part else None
    if isinstance(part, list):
        for position, each in enumerate(part):
            named = [each.get("name"), each.get("source")] if isinstance(each, Mapping) else [each]
            if name in named:
                return position
    return None


def _parameters(part: Any) -> Iterator[Keys]:
    """Yield the paths of the parameters inside a part, outer ones first."""
    if isinstance(part, Mapping):
        for name in part.get("params") or {} if isinstance(part.get("params"), Mapping) else {}:
            yield "params", name
        for key, each in part.items():
            yield from ((key, *found) for found in _parameters(each))
    elif isinstance(part, list):
        for position, each in enumerate(part):
            yield from ((position, *found) for found in _parameters(each))


_PASSED_ON = ("choose_by", "seed", "training_metrics", "keep_predictions")
_MAX_BYTES = 2**20  # a study of ten thousand methods has about that


@dataclass(frozen=True, eq=False)
class StudyFile:
    """The content of a study file: the definition, the store if it names one, and options of `Study.run`."""

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
    suffix = file.suffix.lower()
    if suffix not in (".yaml", ".yml", ".toml"):
        raise StudyError(f"{file}: a study file must end in .yaml, .yml or .toml.")
    text = _read_text(file)
    try:
        whole = None if suffix == ".toml" else read_yaml(text)
        document = read_toml(text) if suffix == ".toml" else whole and whole.value
    except TextError as error:
        raise StudyError(f"{_where(file, error.line)}: {error.problem}.") from error
    try:
        return _build(document, file.absolute().parent)
    except MissingExtraError:  # no line of the file is wrong
        raise
    except CalibrantError as error:
        found, problem = _locate(error, document)
        line = None if whole is None else whole.line_of(found)
        key = f": {path_text(found)}" if found else ""
        raise StudyError(f"{_where(file, line)}{key}: {problem}") from error


def _where(file: Path, line: int | None) -> str:
    return str(file) if line is None else f"{file}, line {line}"


def _read_text(file: Path) -> str:
    raw = b""
    try:
        exists, is_file = file.exists(), file.is_file()
        if is_file:
            with file.open("rb") as opened:
                raw = opened.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        raise StudyError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if not exists:
        raise MissingFileError(f"{file}: there is no such file.")
    if not is_file:
        raise StudyError(f"{file}: is not a file.")
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
    given = {key: document[key] for key in _PASSED_ON if key in document}
    params = build_value(document.get("metric_params", {}), ("metric_params",))
    datasets = document["datasets"]
    if isinstance(datasets, Mapping):
        datasets = {
            _name(name, "datasets"): _dataset(each, folder, ("datasets", name)) for name, each in datasets.items()
        }
    else:
        datasets = [_dataset(each, folder, ("datasets", position)) for position, each in enumerate(datasets)]
    definition = define_study(
        document["name"],
        datasets=datasets,
        methods={
            _name(name, "methods"): _method(name, each, ("methods", name)) for name, each in document["methods"].items()
        },
        plan=_plan(document.get("plan")),
        metrics=_read_metrics(document.get("metrics")),
        metric_params=params,
        **given,
    )
    store = document.get("store")
    if store is not None and "://" not in store:
        store = str(folder / store)
    options = document.get("run", {})
    try:
        read_run_options({}, options)
    except CalibrantError as error:
        named = next((name for name in options if name in str(error)), None)
        raise DocumentError(str(error), ("run",) if named is None else ("run", named)) from error
    return StudyFile(definition, store, dict(options))


_CLASS = re.compile(r"[A-Z]\w*|[A-Za-z_]\w*(\.\w+)+")  # other text is a plan in words, such as 10x3


def _plan(plan: Any) -> Any:
    plan = str(plan) if isinstance(plan, int) else plan  # 632 is a name, other numbers are folds
    if isinstance(plan, str) and not _CLASS.fullmatch(plan):
        return plan
    described = {"class": plan} if isinstance(plan, str) else plan
    try:
        return build_value(described, ("plan",))
    except DocumentError as error:
        raise DocumentError(error.problem, ("plan",) if isinstance(plan, str) else error.path) from error
