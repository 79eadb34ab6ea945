"""`Study`: data sets x methods x splits, run once, recorded trial by trial, queried many times."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from os import PathLike
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from calibrant._sections import Section, sections_html
from calibrant.exceptions import CalibrantWarning
from calibrant.studies._definition.definition import StudyDefinition, define_study, read_definition
from calibrant.studies._definition.documents import differences
from calibrant.studies._definition.files import read_study_file
from calibrant.studies._results.read_study import StudyStatus, read_status, read_study_results, study_sections
from calibrant.studies._results.study_results import StudyResults, counted
from calibrant.studies._store.catalogue import StudySummary
from calibrant.studies._store.read_url import DEFAULT_STORE, StoreAddress, read_store_url
from calibrant.studies._store.store import Store
from calibrant.studies._trials.run_study import read_run_options, run_study

__all__ = ["Study", "delete_study", "list_studies"]


P = ParamSpec("P")
R = TypeVar("R")


def _on_results(
    query: Callable[Concatenate[StudyResults, P], R], metric: str | None = None
) -> Callable[Concatenate[Study, P], R]:
    """Return the method of a study that makes a query of `StudyResults` on its current results.

    Only the metric that an argument names is read from the store, where `metric` is the name of that argument.
    """
    signature = inspect.signature(query)

    @wraps(query)
    def method(self: Study, /, *args: P.args, **kwargs: P.kwargs) -> R:
        named = None if metric is None else signature.bind_partial(self, *args, **kwargs).arguments.get(metric)
        return query(self.results([named] if isinstance(named, str) else None), *args, **kwargs)

    return method


def list_studies(store: str | PathLike[str] = DEFAULT_STORE) -> list[StudySummary]:
    """Return the studies of a store, sorted by name.

    Parameters
    ----------
    store : str or path
        The store; it need not be writable.

    Returns
    -------
    list of StudySummary
        Name, numbers of trials and failed trials, and when each study was made and last written to.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.studies import Study, list_studies
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Study("bayes", datasets=["appeal"], methods={"bayes": "calibrant.bayes.NaiveBayesClassifier"},
    ...                   plan=2, store=f"{folder}/studies.db")
    ...     status = study.run()
    ...     [(each.name, each.n_trials) for each in list_studies(f"{folder}/studies.db")]
    [('bayes', 2)]
    """
    with Store.open(store, read_only=True, create=False) as opened:
        return opened.studies()


def delete_study(name: str, store: str | PathLike[str] = DEFAULT_STORE) -> None:
    """Remove a study and all its trials from a store, for good.

    Parameters
    ----------
    name : str
        The study.
    store : str or path
        Its store.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.studies import Study, delete_study, list_studies
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Study("bayes", datasets=["appeal"], methods={"bayes": "calibrant.bayes.NaiveBayesClassifier"},
    ...                   plan=2, store=f"{folder}/studies.db")
    ...     status = study.run()
    ...     delete_study("bayes", f"{folder}/studies.db")
    ...     list_studies(f"{folder}/studies.db")
    []
    """
    with Store.open(store, create=False) as opened:
        read_definition(opened, name)
        opened.delete(name)


class Study:
    """A study: every method on every split of every data set, recorded in a store as it finishes.

    Making a study reads no data and does not touch the store. `run` computes the trials that the store does not have;
    killed at any moment and run again it goes on where it stopped, and the results are the same to the bit. Tables,
    tests and plots are queries on the store, also while the study runs, and from other processes.

    Parameters
    ----------
    name : str
        Its name in the store.
    datasets : list, or dict of name to data set
        Names of `calibrant.data.load`, paths of files, `Table` objects, or `Dataset` objects, which add the target,
        groups, weights and the like.
    methods : dict of name to estimator
        Classifiers, or regressors; a `Grid` stands for several, and text for an estimator by its import path. A
        ``random_state`` that a method leaves open is set from the seed and the number of the split.
    plan : plan of `calibrant.resampling`, splitter, int or str, optional
        How rows are split, as in `estimate_performance`, such as ``"10x3"`` or ``"time"``; by default
        10-fold cross-validation, once.
    metrics : list of str, or dict of name to function, optional
        As in `estimate_performance`; by default ``error``, ``mse``, ``log_loss`` and ``auc``, of regressors
        ``mean_absolute_error``, ``root_mean_squared_error``, ``relative_root_mean_squared_error`` and ``correlation``.
    store : str or path
        ``"sqlite:///calibrant.db"`` in the working folder by default, for processes on one host; a path of another
        SQLite file; or ``"postgresql://user@host/database"`` for several hosts.
    seed : int
        The seed of what methods and plan leave open.
    metric_params : dict of metric to dict, optional
        Keywords of metrics; those that differ between data sets, such as amounts by row, belong in `Dataset`.
    choose_by : str, optional
        With a nested plan, the metric that chooses; by default the first.
    training_metrics : bool
        Whether metrics are computed on the training rows too.
    keep_predictions : bool
        Whether the predictions for the test rows are recorded: intervals and comparisons of methods on a data set are
        computed from them. About 20 bytes for each row, class and trial.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.studies import Study
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> methods = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace")}
    >>> folder = tempfile.TemporaryDirectory()
    >>> study = Study("leaves", datasets=["appeal"], methods=methods, plan=5, metrics=["mse", "auc"],
    ...               store=f"{folder.name}/studies.db")
    >>> study.run()
    Study 'leaves': 10 of 10 trials done
      10 trials: 5 growths instead of 10, 1 coding instead of 5.
    >>> study.table("mse").round(3)
    method   frequency  laplace
    dataset
    appeal       0.245     0.22
    >>> folder.cleanup()
    """

    def __init__(
        self,
        name: str,
        *,
        datasets: Iterable[Any] | Mapping[str, Any],
        methods: Mapping[str, Any],
        plan: Any = None,
        metrics: Any = None,
        store: str | PathLike[str] = DEFAULT_STORE,
        seed: int = 0,
        metric_params: Mapping[str, Mapping[str, Any]] | None = None,
        choose_by: str | None = None,
        training_metrics: bool = False,
        keep_predictions: bool = True,
    ) -> None:
        passed = {part: value for part, value in locals().items() if part not in ("self", "store")}
        self.definition = define_study(**passed)
        self._address = read_store_url(store)  # absolute: the working folder may change
        self._run_options: Mapping[str, Any] = {}
        self._is_opened = False

    @classmethod
    def open(cls, name: str, store: str | PathLike[str] = DEFAULT_STORE) -> Self:
        """Open a study that was run, or begun, before.

        Parameters
        ----------
        name : str
            Its name.
        store : str or path
            Its store; for queries it need not be writable.

        Returns
        -------
        Study
            The study. It can be queried, and run if all that it consists of can be found again: data sets by name or
            path, methods by their import paths.

        Examples
        --------
        >>> import tempfile
        >>> from calibrant.studies import Study
        >>> methods = {"bayes": "calibrant.bayes.NaiveBayesClassifier"}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     status = Study("bayes", datasets=["appeal"], methods=methods, plan=2, store=f"{folder}/s.db").run()
        ...     Study.open("bayes", f"{folder}/s.db").table("auc").shape
        (1, 1)
        """
        address = read_store_url(store)
        with Store.open(address, read_only=True, create=False) as opened:
            stored = read_definition(opened, name)
        return cls._of(StudyDefinition.from_document(stored.document), address, {}, is_opened=True)

    @classmethod
    def from_file(cls, path: str | PathLike[str], *, store: str | PathLike[str] | None = None) -> Self:
        """Return the study that a YAML or TOML file defines.

        Parameters
        ----------
        path : str or path
            The file; `study_schema` returns its JSON schema. It imports what it names: run only files you trust.
        store : str or path, optional
            The store; by default the one that the file names, else ``"sqlite:///calibrant.db"``.

        Returns
        -------
        Study
            The study; `run` takes the options of the file where its arguments are left at their defaults.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from calibrant.studies import Study
        >>> text = "{name: bayes, datasets: [appeal], methods: {bayes: NaiveBayesClassifier}, store: studies.db}"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "study.yaml").write_text(text)
        ...     Study.from_file(f"{folder}/study.yaml")
        <Study 'bayes': 1 data set x 1 method, in sqlite:///.../studies.db>
        """
        found = read_study_file(path)
        address = read_store_url(store or found.store or DEFAULT_STORE)
        return cls._of(found.definition, address, found.run, is_opened=False)

    @classmethod
    def _of(
        cls, definition: StudyDefinition, address: StoreAddress, run: Mapping[str, Any], *, is_opened: bool
    ) -> Self:
        study = cls.__new__(cls)
        study.definition, study._address, study._run_options, study._is_opened = definition, address, run, is_opened
        return study

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.definition.name

    @property
    def store(self) -> str:
        """The store, without a password."""
        return self._address.shown

    def run(
        self,
        workers: int | None = None,
        dask: Any = None,
        *,
        retry: bool = False,
        update: bool = False,
        rerun_outdated: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        lease: float = 60.0,
        stop_after: float | Callable[[], bool] | None = None,
    ) -> StudyStatus:
        """Run the trials that the store does not have, and record each as it finishes.

        Several processes, on one host with SQLite or on several with PostgreSQL, may run one study at a time: they
        share the trials. Each waits until all trials are finished.

        Parameters
        ----------
        workers : int, optional
            Number of local processes; None: this process.
        dask : str or distributed.Client, optional
            An existing Dask cluster, by address or client.
        retry : bool
            Whether trials that failed are run again.
        update : bool
            Whether to go on if the store has a study of this name with another definition. Trials that do not depend on
            what differs still count.
        rerun_outdated : bool
            Whether trials that other versions of calibrant, scikit-learn or a method's package computed are run again.
        time_limit : float, optional
            Seconds that a trial may take, in a local process. One that takes longer is recorded as failed.
        memory_limit : int or str, optional
            Bytes that a trial may take, in a local process, such as ``"2 GB"``.
        lease : float
            Seconds without a sign of life after which other hosts take over the trials of this process.
        stop_after : float or function, optional
            Seconds after which the run ends with the trials that are recorded by then, or a function that returns
            whether to end now, which is called several times a second. Trials that run at the end are ended, for which
            they run in a local process also without `workers`. Run again to go on.

        Returns
        -------
        StudyStatus
            The state of the study when the run ends.

        Raises
        ------
        StudyChangedError
            If the store has another definition of this study, with what differs; unless `update`.
        StoreError
            If the store cannot be read or written. Trials that were recorded are kept: run again to go on.

        Examples
        --------
        >>> import tempfile
        >>> from calibrant.studies import Study
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "m")}
        >>> folder = tempfile.TemporaryDirectory()
        >>> study = Study("trees", datasets=["appeal"], methods=trees, plan=2, store=f"{folder.name}/s.db")
        >>> study.run()
        Study 'trees': 4 of 4 trials done
          4 trials: 2 growths instead of 4, 1 coding instead of 2.
        >>> trees["frequency"] = ProbabilityTreeClassifier(estimate="frequency")
        >>> study = Study("trees", datasets=["appeal"], methods=trees, plan=2, store=f"{folder.name}/s.db")
        >>> study.run(update=True).n_done
        6
        >>> folder.cleanup()
        """
        passed = {name: value for name, value in locals().items() if name != "self"}
        return run_study(self.definition, self._address, read_run_options(passed, self._run_options))

    def status(self) -> StudyStatus:
        """Return the state of the study, also while other processes run it.

        Returns
        -------
        StudyStatus
            Numbers of trials (``n_done``, ``n_failed``, ``n_running``, ``n_missing``, ``n_outdated``), ``errors`` of
            those that failed, ``seconds``, ``seconds_left``, ``workers`` and ``sharing``.
        """
        with self._open_store() as store:
            return read_status(store, self._read_stored(store))

    def results(self, metrics: Sequence[str] | None = None) -> StudyResults:
        """Return the results that the store has now, for several queries on one state of the study.

        Parameters
        ----------
        metrics : sequence of str, optional
            The metrics that are read; all by default.

        Returns
        -------
        StudyResults
            The results, with the query methods of the study itself.
        """
        with self._open_store() as store:
            stored = self._read_stored(store)
            return read_study_results(store, stored, metrics, self._read_predictions)

    select = _on_results(StudyResults.select)
    table = _on_results(StudyResults.table, "metric")
    to_frame = _on_results(StudyResults.to_frame)
    compare = _on_results(StudyResults.compare, "metric")
    ranks = _on_results(StudyResults.ranks, "metric")
    win_tie_loss = _on_results(StudyResults.win_tie_loss, "metric")
    best = _on_results(StudyResults.best, "by")
    predictions = _on_results(StudyResults.predictions)
    split_values = _on_results(StudyResults.split_values)
    export = _on_results(StudyResults.export)

    def _read_predictions(self, dataset: str, method: str) -> Sequence[tuple[int, bytes]]:
        with self._open_store() as store:
            planned = next(each for each in read_definition(store, self.name).trials if each.dataset == dataset)
            return store.predictions(self.name, dataset, method, prefix=f"{planned.digests[method]}-")

    def _read_stored(self, store: Store) -> StudyDefinition:
        """Return the study as its store has it, which is what queries are answered from; warn if it is another one."""
        stored = read_definition(store, self.name)
        # A study that was opened is the store's own; one that was defined here may differ from it
        changes = [] if self._is_opened else differences(stored.document, self.definition.document)
        if changes:
            warnings.warn(
                f"study {self.name!r} in {store.url} has another definition: {' '.join(changes)} Results are of the "
                "store's; run(update=True) runs this one.",
                CalibrantWarning,
                stacklevel=4,
            )
        return stored

    def _open_store(self) -> Store:
        return Store.open(self._address, read_only=True, create=False)

    def _sections(self) -> tuple[Section, ...]:
        """Return the state and the results of the study as sections, which notebooks, reports and web pages show."""
        return study_sections(self)

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def __repr__(self) -> str:
        found = self.definition
        size = f"{counted(len(found.datasets), 'data set')} x {counted(len(found.method_names), 'method')}"
        return f"<Study {self.name!r}: {size}, in {self.store}>"
