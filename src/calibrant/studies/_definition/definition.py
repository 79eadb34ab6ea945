"""The definition of a study: data sets, methods, plan, metrics, as objects or as a JSON document."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Bool, Int, check_param
from calibrant._repr import short_repr
from calibrant.exceptions import DataError, ParameterError, StudyError, nearest
from calibrant.metrics import METRICS, numeric
from calibrant.studies._definition.build import build_value
from calibrant.studies._definition.datasets import Dataset, read_datasets
from calibrant.studies._definition.describe import OPAQUE, describe_value
from calibrant.studies._definition.documents import CHOSEN, digest, method_digests
from calibrant.studies._definition.methods import read_methods_by_name
from calibrant.studies._definition.names import check_name
from calibrant.studies._trials.records import PlannedTrials, StudyWork

if TYPE_CHECKING:
    from calibrant.studies._store.store import Store


MetricFunctions = dict[str, Callable[..., Any] | None]

_CLASS_METRICS = ("error", "mse", "log_loss", "auc")
_NUMBER_METRICS = ("mean_absolute_error", "root_mean_squared_error", "relative_root_mean_squared_error", "correlation")
_FROM_TRAINING = {"prior"}  # needs of metrics that the training rows meet


def read_study_metrics(metrics: Any, *, is_regression: bool) -> MetricFunctions:
    """Return the metrics by name: a function, or None for one of calibrant's.

    Examples
    --------
    >>> read_study_metrics(["auc", "mse"], is_regression=False)
    {'auc': None, 'mse': None}
    >>> read_study_metrics(["acu"], is_regression=False)
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: metrics: there is no metric 'acu'. Did you mean 'auc'?
    """
    if metrics is None:
        return dict.fromkeys(_NUMBER_METRICS if is_regression else _CLASS_METRICS)
    if isinstance(metrics, str):
        metrics = [metrics]
    if not isinstance(metrics, Iterable):
        raise StudyError(f"metrics must be a list of ids, or a dict of name to function; got {short_repr(metrics)}.")
    if not isinstance(metrics, Mapping):
        pairs: Iterable[tuple[Any, Any]] = ((getattr(each, "__name__", each), each) for each in metrics)
    else:
        pairs = metrics.items()
    found: MetricFunctions = {}
    known = numeric.__all__ if is_regression else list(METRICS)
    for name, each in pairs:
        check_name("metrics: a name", name)
        if each is not None and not callable(each) and each != name:
            raise StudyError(
                f"metrics: {name!r} must be a function, or None for a metric of calibrant; got {short_repr(each)}."
            )
        if name in found:
            raise StudyError(f"metrics: {name!r} is there twice.")
        # A function of ours is the metric itself, whose direction and range are known
        found[name] = each if callable(each) and not (name in METRICS and METRICS[name].function is each) else None
        if found[name] is None and name not in known:
            kind = "metric of numbers" if is_regression else "metric"
            raise StudyError(f"metrics: there is no {kind} {name!r}.{nearest(name, known)}")
    if not found:
        raise StudyError("metrics is empty; name at least one, or pass None for the default ones.")
    return found


def check_metric_params(metrics: MetricFunctions, params: Any, by_dataset: Mapping[str, Any]) -> None:
    """Raise if keywords are of no metric of the study or unknown to theirs, or one that a metric needs is missing.

    Parameters
    ----------
    metrics : dict of str to function or None
        The metrics.
    params : dict of metric to dict, or None
        Keywords for all data sets.
    by_dataset : dict of str to dict
        Those of each data set, in addition.
    """
    _check_keywords("metric_params", params or {}, metrics)
    for name, own in by_dataset.items():
        _check_keywords(f"data set {name!r}: metric_params", own or {}, metrics)
    for metric, function in metrics.items():
        needs = () if function is not None or metric not in METRICS else METRICS[metric].needs
        for need in [each for each in needs if each not in {*_FROM_TRAINING, *(params or {}).get(metric, {})}]:
            lacking = [name for name, own in by_dataset.items() if need not in (own or {}).get(metric, {})]
            if lacking:
                raise StudyError(
                    f"metrics: {metric!r} needs {need}, which data set {lacking[0]!r} lacks; pass metric_params="
                    f"{{{metric!r}: {{{need!r}: ...}}}}, a value or {{'column': name}}."
                )


def _check_keywords(where: str, params: Any, metrics: MetricFunctions) -> None:
    if not isinstance(params, Mapping) or not all(isinstance(each, Mapping) for each in params.values()):
        raise StudyError(f"{where} must be a dict of metric to dict; got {short_repr(params)}.")
    for metric, keywords in params.items():
        if metric not in metrics:
            raise StudyError(f"{where} names {metric!r}, which is not in metrics: {', '.join(metrics)}.")
        function = metrics[metric] or (METRICS[metric].function if metric in METRICS else getattr(numeric, metric))
        known = _keywords(function)
        for key in keywords:
            if known and key not in known:
                raise StudyError(f"{where}: {metric!r} has no keyword {key!r}.{nearest(key, known)}")


def _keywords(function: Callable[..., Any]) -> list[str]:
    """Return the keywords of a function; none where it takes any, or has no signature."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    is_open = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    return [] if is_open else list(parameters)


def read_study_plan(plan: Any, seed: int) -> Any:
    """Return the plan of a study; where its `random_state` is None it takes the seed.

    Parameters
    ----------
    plan : plan, splitter, iterable of (train, test), int, str or None
        As `estimate_performance` takes it.
    seed : int
        The seed of the study.

    Raises
    ------
    StudyError
        If its splits would differ from process to process, as those by a generator of random numbers do.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> read_study_plan(CrossValidation(5, random_state=None), 3)
    CrossValidation(n_folds=5, n_repeats=1, random_state=3, stratified=True)
    """
    from calibrant.resampling._internal import splitters

    check_param("seed", seed, Int(0))
    try:
        found = _seeded(splitters.read_plan(plan), int(seed))
        try:
            found.get_n_splits()
        except ParameterError:
            raise
        except (DataError, TypeError, ValueError, AttributeError):
            pass  # the number depends on the rows, or a splitter of scikit-learn needs rows or groups
    except ParameterError as error:
        raise StudyError(str(error) if str(error).startswith("plan") else f"plan: {error}") from error
    return found


def _seeded(plan: Any, seed: int) -> Any:
    """Return a copy of a plan, and of the plans inside it, whose random states are integers."""
    made = copy.copy(plan)
    for name, value in list(getattr(made, "__dict__", {}).items()):
        if name == "random_state" and value is None:
            made.random_state = None if getattr(made, "shuffle", True) is False else seed
        elif name == "random_state" and hasattr(value, "__index__"):
            made.random_state = int(value)
        elif name == "random_state":
            raise StudyError(
                "plan: random_state must be an int or None, so that every process splits alike; got "
                f"{short_repr(value)}."
            )
        elif hasattr(value, "split") and hasattr(value, "get_n_splits") and not isinstance(value, type):
            setattr(made, name, _seeded(value, seed))
    return made


_VERSION = 1  # of the document


# The fields of `StudyWork` beside methods, plan and metrics
_WORK = ("seed", "choose_by", "tests_training", "keeps_predictions")


class StudyDefinition:
    """A validated definition as a JSON document; `define_study` makes one, a store has that of each study.

    Nothing that a document names is imported before it is used: queries import nothing, a run imports the methods. Run
    only studies of stores that you trust. What a run found out about its data sets is in the document of a store, so
    that it can be queried without its rows, methods and plan.

    Parameters
    ----------
    document : dict
        The document.
    **objects
        The ``datasets``, ``methods``, ``plan``, ``metrics`` and ``metric_params`` that it describes, where they are
        there; others are made from it.
    """

    def __init__(self, document: Mapping[str, Any], **objects: Any) -> None:
        self.document = document
        vars(self).update(objects)  # where `cached_property` looks first

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> StudyDefinition:
        """Return the definition that a document holds; raise if it is not whole."""
        found = cls(document)
        try:
            if document["version"] > _VERSION:
                raise StudyError(
                    f"study {found.name!r} was defined by a newer calibrant; install that version to open it."
                )
            parts = "methods", "plan", "metrics", "metric_params", *_WORK
            _ = found.datasets, found.method_names, found.metric_names, [document[part] for part in parts]
        except (KeyError, TypeError, AttributeError) as error:
            raise StudyError(
                f"the stored definition of a study is damaged: {type(error).__name__}: {error}."
            ) from error
        return found

    @property
    def name(self) -> str:
        """The name of the study."""
        return str(self.document["name"])

    @property
    def seed(self) -> int:
        """The seed of the study."""
        return int(self.document["seed"])

    @property
    def choose_by(self) -> str | None:
        """With a nested plan, the metric that chooses among the methods."""
        chosen: str | None = self.document["choose_by"]
        return chosen

    @property
    def method_names(self) -> tuple[str, ...]:
        """The names of the methods, in order."""
        return tuple(each["name"] for each in self.document["methods"])

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics, in order."""
        return tuple(each["name"] for each in self.document["metrics"])

    @property
    def trial_methods(self) -> tuple[str, ...]:
        """The names that trials are recorded by: the methods, or with a nested plan ``"chosen"``."""
        return self.method_names if self.choose_by is None else (CHOSEN,)

    @cached_property
    def datasets(self) -> dict[str, Dataset]:
        """The data sets by name."""
        return {each["name"]: Dataset.from_document(each) for each in self.document["datasets"]}

    @cached_property
    def methods(self) -> dict[str, Any]:
        """The estimators by name; raise a StudyError that names one which the document does not describe."""
        described = {each["name"]: each["method"] for each in self.document["methods"]}
        return {name: build_value(each, ("methods", name)) for name, each in described.items()}

    @cached_property
    def plan(self) -> Any:
        """The plan that splits the rows."""
        return build_value(self.document["plan"], ("plan",))

    @cached_property
    def metrics(self) -> dict[str, Callable[..., Any] | None]:
        """The metrics by name: a function, or None for one of calibrant's."""
        described = {each["name"]: each.get("function") for each in self.document["metrics"]}
        return {name: build_value(each, ("metrics", name)) for name, each in described.items()}

    @cached_property
    def metric_params(self) -> dict[str, dict[str, Any]]:
        """Keywords of metrics for all data sets."""
        params: dict[str, dict[str, Any]] = build_value(self.document["metric_params"], ("metric_params",))
        return params

    def work(self) -> StudyWork:
        """Return the methods, plan and metrics that a worker needs to run trials."""
        return StudyWork(self.methods, self.plan, self.metrics, **{name: self.document[name] for name in _WORK})

    def group_digest(self, dataset: str, fingerprint: str, method: str) -> str:
        """Return the common beginning of the keys of the trials of a method of `trial_methods` on a data set."""
        # The same method under two names has trials of its own
        about = dataset, method, fingerprint, self._method_digests[method], digest(self.document["plan"]), self.seed
        return digest(list(about))[:24]

    @cached_property
    def _method_digests(self) -> dict[str, str]:
        documents = {each["name"]: each["method"] for each in self.document["methods"]}
        return method_digests(documents, self.choose_by, self.document["metric_params"])

    @cached_property
    def trials(self) -> list[PlannedTrials]:
        """The trials of each data set, as a run planned them; none if the study was never run."""
        return [
            PlannedTrials(
                each["dataset"],
                tuple(tuple(family) for family in each["families"]),
                (*range(each["splits"][1] + 1), *range(each["splits"][0], 0)),  # all rows, which are number -1, last
                each["digests"],
            )
            for each in self.document.get("planned", [])
        ]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return sum(each.n_trials for each in self.trials)

    def counts(self, keys: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Mark the recorded trials that count: those of another definition of the study do not."""
        digests = {digest for each in self.trials for digest in each.digests.values()}
        # A split number may be negative: all rows, which the .632+ bootstrap needs, end in "--1"
        return np.fromiter((key[: key.find("-")] in digests for key in keys), dtype=bool, count=len(keys))

    def __repr__(self) -> str:
        counts = (self.datasets, "data sets"), (self.method_names, "methods"), (self.metric_names, "metrics")
        return f"<StudyDefinition {self.name!r}: {', '.join(f'{len(each)} {what}' for each, what in counts)}>"


def read_definition(store: Store, name: str) -> StudyDefinition:
    """Return the definition that a store has of a study; raise if there is none of that name."""
    document = store.definition(name)
    if document is None:
        raise store.unknown(name)
    return StudyDefinition(document)


def define_study(
    name: str,
    *,
    datasets: Any,
    methods: Any,
    plan: Any = None,
    metrics: Any = None,
    metric_params: Mapping[str, Mapping[str, Any]] | None = None,
    choose_by: str | None = None,
    seed: int = 0,
    training_metrics: bool = False,
    keep_predictions: bool = True,
) -> StudyDefinition:
    """Validate the arguments of a study and return its definition; no rows are read.

    Parameters
    ----------
    name : str
        The name of the study.
    datasets : list, or dict of name to data set
        As `read_datasets` takes them.
    methods : dict of name to estimator, Grid or import path
        As `read_methods_by_name` takes them.
    plan, metrics, metric_params, choose_by
        As `estimate_performance` takes them; a value ``{"column": name}`` in `metric_params` is a column.
    seed : int
        The seed of the study.
    training_metrics, keep_predictions : bool
        Whether metrics are computed on training rows too, and predictions recorded.

    Examples
    --------
    >>> definition = define_study("tiny", datasets=["iris"], methods={"nb": "sklearn.naive_bayes.GaussianNB"})
    >>> definition
    <StudyDefinition 'tiny': 1 data sets, 1 methods, 4 metrics>
    >>> StudyDefinition.from_document(definition.document).methods
    {'nb': GaussianNB()}
    """
    from calibrant.resampling import Nested
    from calibrant.resampling._internal import are_regressors

    check_name("the name of a study", name)
    for flag, value in (("training_metrics", training_metrics), ("keep_predictions", keep_predictions)):
        check_param(flag, value, Bool())
    found = read_datasets(datasets)
    for each, dataset in found.items():
        dataset.check_source(each)
    estimators = read_methods_by_name(methods)
    split = read_study_plan(plan, seed)
    functions = read_study_metrics(metrics, is_regression=are_regressors(estimators))
    check_metric_params(functions, metric_params, {each: dataset.metric_params for each, dataset in found.items()})
    params = {metric: dict(keywords) for metric, keywords in (metric_params or {}).items()}
    document = {
        "version": _VERSION,
        "name": name,
        "datasets": [{"name": each, **dataset.document()} for each, dataset in found.items()],
        "methods": [{"name": each, "method": describe_value(made)} for each, made in estimators.items()],
        "plan": describe_value(split),
        "metrics": [
            {"name": each} | ({} if function is None else {"function": describe_value(function)})
            for each, function in functions.items()
        ],
        "metric_params": describe_value(params),
        "choose_by": _read_choice(choose_by, functions, is_nested=isinstance(split, Nested)),
        "seed": int(seed),
        "tests_training": bool(training_metrics),
        "keeps_predictions": bool(keep_predictions),
    }
    for part in document["methods"]:
        _check_distinct(f"method {part['name']!r}", part["method"])
    _check_distinct("plan", document["plan"])
    return StudyDefinition(
        document, datasets=found, methods=estimators, plan=split, metrics=functions, metric_params=params
    )


def _check_distinct(what: str, document: Any) -> None:
    """Raise if a part of a method or plan cannot be told apart from another: trials of both would have the same key."""
    if isinstance(document, list):
        for each in document:
            _check_distinct(what, each)
    elif isinstance(document, Mapping):
        if OPAQUE in document and "digest" not in document:
            raise StudyError(
                f"{what}: {document[OPAQUE]} can be neither described nor pickled, so that the store could not tell "
                "whether it changed. Pass what it is made from, or write its class at the top level of a module."
            )
        for each in document.values():
            _check_distinct(what, each)


def _read_choice(choose_by: Any, metrics: Mapping[str, Any], *, is_nested: bool) -> str | None:
    if not is_nested:
        if choose_by is not None:
            raise StudyError("choose_by is for a nested plan, which chooses among the methods; pass plan=Nested(...).")
        return None
    chosen = next(iter(metrics)) if choose_by is None else choose_by
    if chosen not in metrics:
        raise StudyError(f"choose_by={short_repr(chosen)} is not among metrics.{nearest(chosen, metrics)}")
    if metrics[chosen] is not None:
        raise StudyError(f"choose_by={chosen!r} is a function, of which it is not known whether more is better.")
    return str(chosen)
