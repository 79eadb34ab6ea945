"""Parts of a study file as the objects that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibrant._repr import short_repr
from calibrant.exceptions import CalibrantError
from calibrant.studies._definition.build import DocumentError, build_value
from calibrant.studies._definition.build import Path as Keys
from calibrant.studies._definition.datasets import Dataset, is_path
from calibrant.studies._definition.grids import Grid
from calibrant.studies._definition.import_paths import resolve_path
from calibrant.studies._definition.methods import as_estimator
from calibrant.studies._definition.parameter_values import check_parameter_values

__all__ = ["read_file_datasets", "read_file_methods", "read_file_metrics"]


def read_file_datasets(datasets: Any, folder: Path) -> Any:
    """Return the data sets of a file as `define_study` takes them; paths start at a folder."""
    if isinstance(datasets, Mapping):
        return {_name(name, "datasets"): _dataset(each, folder, ("datasets", name)) for name, each in datasets.items()}
    return [_dataset(each, folder, ("datasets", position)) for position, each in enumerate(datasets)]


def _dataset(dataset: Any, folder: Path, path: Keys) -> Dataset:
    roles: dict[str, Any] = {"source": dataset} if isinstance(dataset, str) else dict(dataset)
    source = roles.pop("source")
    source = folder / source if is_path(source) else source
    options = roles.get("options", {})
    if isinstance(options.get("names"), str):
        roles["options"] = options | {"names": str(folder / options["names"])}
    try:
        built = {name: build_value(each, (*path, name)) for name, each in roles.items()}
        made = Dataset(source, **built)
        made.check_source(str(roles.get("name", source) if isinstance(path[-1], int) else path[-1]))
    except DocumentError:
        raise
    except CalibrantError as error:
        raise DocumentError(str(error), path) from error
    return made


def read_file_methods(methods: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the methods of a file as `define_study` takes them, with values of parameters that were checked."""
    return {_name(name, "methods"): _method(name, each, ("methods", name)) for name, each in methods.items()}


def _method(name: str, method: Any, path: Keys) -> Any:
    if isinstance(method, list):
        return [_grid(name, each, (*path, position)) for position, each in enumerate(method)]
    if isinstance(method, Mapping) and "grid" in method:
        return _grid(name, method, path)
    return _estimator(name, method, path)


def _estimator(name: str, method: Any, path: Keys) -> Any:
    try:
        made = as_estimator(build_value(method, path) if isinstance(method, Mapping) else method, name)
        check_parameter_values(made)
    except DocumentError:
        raise
    except CalibrantError as error:
        raise DocumentError(str(error), path) from error
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


def read_file_metrics(metrics: Any) -> Any:
    """Return the metrics of a file as `define_study` takes them: functions are imported."""
    if not isinstance(metrics, Mapping):
        return metrics
    return {_name(name, "metrics"): _function(name, each) for name, each in metrics.items()}


def _function(name: str, path: str | None) -> Any:
    if path is None or path == name:
        return None
    try:
        function = resolve_path(path)
    except CalibrantError as error:
        raise DocumentError(str(error), ("metrics", name)) from error
    if not callable(function) or isinstance(function, type):
        raise DocumentError(f"{path!r} is not a function.", ("metrics", name))
    return function


def _name(name: Any, section: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise DocumentError(
            f"a name must be text, and not empty; got {short_repr(name)}. Put it in quotes.", (section, name)
        )
    return name
