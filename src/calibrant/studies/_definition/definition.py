"""The definition of a study: data sets, methods, plan, metrics, as objects or as a JSON document."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from calibrant._params import Bool, Int, check_param
from calibrant._repr import short_repr
from calibrant.exceptions import DataError, ParameterError, StudyError, nearest
from calibrant.studies._definition.build import DefinitionPart
from calibrant.studies._definition.datasets import Dataset, read_datasets
from calibrant.studies._definition.digests import CHOSEN, digest, group_digest, method_digests
from calibrant.studies._definition.methods import read_methods_by_name
from calibrant.studies._definition.metrics import check_metric_params, read_study_metrics
from calibrant.studies._definition.names import check_name
from calibrant.studies._definition.opaque import OPAQUE
from calibrant.studies._trials.records import StudyWork


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
        _check_parameters(found)
    except ParameterError as error:
        raise StudyError(str(error) if str(error).startswith("plan") else f"plan: {error}") from error
    return found


def _seeded(plan: Any, seed: int) -> Any:
    """Return a copy of a plan, and of the plans inside it, whose random states are integers."""
    made = copy.copy(plan)
    for name, value in list(getattr(made, "__dict__", {}).items()):
        if name == "random_state":
            setattr(made, name, _state(value, made, seed))
        elif hasattr(value, "split") and hasattr(value, "get_n_splits") and not isinstance(value, type):
            setattr(made, name, _seeded(value, seed))
    return made


def _state(state: Any, plan: Any, seed: int) -> int | None:
    if state is None:
        return None if getattr(plan, "shuffle", True) is False else seed
    if not hasattr(state, "__index__"):
        raise StudyError(
            f"plan: random_state must be an int or None, so that every process splits alike; got {short_repr(state)}."
        )
    return int(state)


def _check_parameters(plan: Any) -> None:
    try:
        plan.get_n_splits()
    except DataError:  # a number of splits that depends on the rows
        return
    except ParameterError:
        raise
    except (TypeError, ValueError, AttributeError):  # a splitter of scikit-learn that needs rows or groups
        return


_VERSION = 1  # of the document


@dataclass(frozen=True, eq=False)
class StudyDefinition:
    """A validated definition; `define_study` makes one from objects, `from_document` from what a store holds.

    Parameters
    ----------
    name : str
        The name of the study.
    datasets : dict of str to Dataset
        The data sets, in order.
    method_parts, metric_parts : dict of str to DefinitionPart
        The methods, and the metrics (None for one of calibrant's), in order.
    plan_part, params_part : DefinitionPart
        The plan, and the keywords of metrics for all data sets.
    choose_by : str or None
        With a nested plan, the metric that chooses among the methods.
    seed : int
        The seed of the study.
    tests_training, keeps_predictions : bool
        Whether metrics are computed on training rows too, and predictions recorded.
    """

    name: str
    datasets: Mapping[str, Dataset]
    method_parts: Mapping[str, DefinitionPart]
    plan_part: DefinitionPart
    metric_parts: Mapping[str, DefinitionPart | None]
    params_part: DefinitionPart = field(default_factory=lambda: DefinitionPart({}))
    choose_by: str | None = None
    seed: int = 0
    tests_training: bool = False
    keeps_predictions: bool = True

    @cached_property
    def methods(self) -> dict[str, Any]:
        """The estimators by name; raise a StudyError that names one which the document does not describe."""
        return {name: part.value for name, part in self.method_parts.items()}

    @property
    def plan(self) -> Any:
        """The plan that splits the rows."""
        return self.plan_part.value

    @cached_property
    def metrics(self) -> dict[str, Callable[..., Any] | None]:
        """The metrics by name: a function, or None for one of calibrant's."""
        return {name: None if part is None else part.value for name, part in self.metric_parts.items()}

    @property
    def metric_params(self) -> dict[str, dict[str, Any]]:
        """Keywords of metrics for all data sets."""
        params: dict[str, dict[str, Any]] = self.params_part.value
        return params

    @property
    def trial_methods(self) -> tuple[str, ...]:
        """The names that trials are recorded by: the methods, or with a nested plan ``"chosen"``."""
        return (CHOSEN,) if self.choose_by is not None else tuple(self.method_parts)

    def work(self) -> StudyWork:
        """Return the methods, plan and metrics that a worker needs to run trials."""
        return StudyWork(
            self.methods,
            self.plan,
            self.metrics,
            self.seed,
            self.choose_by,
            self.tests_training,
            self.keeps_predictions,
        )

    def group_digest(self, dataset: str, fingerprint: str, method: str) -> str:
        """Return the common beginning of the keys of the trials of a method of `trial_methods` on a data set."""
        return group_digest(
            (dataset, method), fingerprint, self._method_digests[method], digest(self.plan_part.document), self.seed
        )

    @cached_property
    def _method_digests(self) -> dict[str, str]:
        documents = {name: part.document for name, part in self.method_parts.items()}
        return method_digests(documents, self.choose_by, self.params_part.document)

    def document(self, fingerprints: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the definition as a JSON document, with the fingerprints of the data sets that were read."""
        known = fingerprints or {}
        return {
            "version": _VERSION,
            "name": self.name,
            "datasets": [
                {"name": name, **each.document()} | ({"fingerprint": known[name]} if name in known else {})
                for name, each in self.datasets.items()
            ],
            "methods": [{"name": name, "method": part.document} for name, part in self.method_parts.items()],
            "plan": self.plan_part.document,
            "metrics": [
                {"name": name} | ({} if part is None else {"function": part.document})
                for name, part in self.metric_parts.items()
            ],
            "metric_params": self.params_part.document,
            "choose_by": self.choose_by,
            "seed": self.seed,
            "tests_training": self.tests_training,
            "keeps_predictions": self.keeps_predictions,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> StudyDefinition:
        """Return the definition that a document holds.

        Nothing that it names is imported before it is used: queries import nothing, a run imports the methods. Run
        only studies of stores that you trust.
        """
        try:
            if document["version"] > _VERSION:
                raise StudyError(
                    f"study {document['name']!r} was defined by a newer calibrant; install that version to open it."
                )
            return _from_document(document)
        except (KeyError, TypeError, AttributeError) as error:
            raise StudyError(
                f"the stored definition of a study is damaged: {type(error).__name__}: {error}."
            ) from error

    def __repr__(self) -> str:
        parts = (f"{len(each)} {what}" for each, what in self._counted())
        return f"<StudyDefinition {self.name!r}: {', '.join(parts)}>"

    def _counted(self) -> list[tuple[Mapping[str, Any], str]]:
        return [(self.datasets, "data sets"), (self.method_parts, "methods"), (self.metric_parts, "metrics")]


def _from_document(document: Mapping[str, Any]) -> StudyDefinition:
    described = DefinitionPart.described
    datasets = {each["name"]: Dataset.from_document(each) for each in document["datasets"]}
    return StudyDefinition(
        document["name"],
        read_datasets(datasets),
        {each["name"]: described(each["method"], ("methods", each["name"])) for each in document["methods"]},
        described(document["plan"], ("plan",)),
        {
            each["name"]: described(each["function"], ("metrics", each["name"])) if "function" in each else None
            for each in document["metrics"]
        },
        described(document["metric_params"], ("metric_params",)),
        document["choose_by"],
        document["seed"],
        document["tests_training"],
        document["keeps_predictions"],
    )


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
    tests_training: bool = False,
    keeps_predictions: bool = True,
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
    tests_training, keeps_predictions : bool
        Whether metrics are computed on training rows too, and predictions recorded.

    Examples
    --------
    >>> definition = define_study("tiny", datasets=["iris"], methods={"nb": "sklearn.naive_bayes.GaussianNB"})
    >>> definition
    <StudyDefinition 'tiny': 1 data sets, 1 methods, 4 metrics>
    >>> StudyDefinition.from_document(definition.document()).methods
    {'nb': GaussianNB()}
    """
    from calibrant.resampling import Nested
    from calibrant.resampling._internal import are_regressors

    check_name("the name of a study", name)
    for flag, value in (("tests_training", tests_training), ("keeps_predictions", keeps_predictions)):
        check_param(flag, value, Bool())
    found = read_datasets(datasets)
    for each, dataset in found.items():
        dataset.check_source(each)
    estimators = read_methods_by_name(methods)
    split = read_study_plan(plan, seed)
    functions = read_study_metrics(metrics, is_regression=are_regressors(estimators))
    check_metric_params(functions, metric_params, {each: dataset.metric_params for each, dataset in found.items()})
    parts = {each: DefinitionPart(estimator) for each, estimator in estimators.items()}
    for each, part in {
        **{f"method {each!r}": part for each, part in parts.items()},
        "plan": DefinitionPart(split),
    }.items():
        _check_distinct(each, part.document)
    return StudyDefinition(
        name,
        found,
        parts,
        DefinitionPart(split),
        {each: None if function is None else DefinitionPart(function) for each, function in functions.items()},
        DefinitionPart({metric: dict(keywords) for metric, keywords in (metric_params or {}).items()}),
        _read_choice(choose_by, functions, is_nested=isinstance(split, Nested)),
        int(seed),
        bool(tests_training),
        bool(keeps_predictions),
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
