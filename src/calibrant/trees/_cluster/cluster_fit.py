"""A fit on a Dask cluster: the rows of a source as codes on every worker, and what is learned from them there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from calibrant._dask.tasks import TaskQueue, gather, submit
from calibrant._memory import format_bytes
from calibrant.data._internal import DaskSource, find_bins
from calibrant.exceptions import ClusterError
from calibrant.trees._cluster.joined_rows import JoinedRows, SourceFacts, code_rows, join_parts
from calibrant.trees._cluster.level_parts import LevelParts, number_parts
from calibrant.trees._levels.row_nodes import BYTES_OF_ROW

if TYPE_CHECKING:
    from calibrant.data._internal import CodedPart, Source
    from calibrant.trees._growing.examples import Examples

__all__ = ["ClusterRows", "examples_for", "fit_examples", "fit_on_cluster", "open_rows"]

R = TypeVar("R")

# Codes may take a third of a worker's memory: a second copy exists while partitions are joined, and trees need the rest
_MEMORY_SHARE = 3
_BLOCKS_PER_THREAD = 4  # so that workers end at about the same time
_MOST_BINS = 255  # of codes of a byte, and the default of sources


def read_facts(source: Source, max_bins: int) -> SourceFacts:
    """Return what passes over a source find of all its rows."""
    bins = find_bins(source, max_bins)
    bins.check_bytes()
    survey = source.survey()
    names = source.roles.features if source.roles.named else None
    return SourceFacts(
        bins,
        survey.labels.labels(),  # type: ignore[union-attr]
        survey.groups,
        names,
        survey.n_rows,
        has_weights=not survey.are_ones,
    )


class ClusterRows:
    """The coded rows of a source on the workers of a cluster."""

    def __init__(self, source: DaskSource, facts: SourceFacts) -> None:
        self.connection, self.facts, self._source = source.connection, facts, source
        self._parts: list[Any] = []
        self._joined: Any = None

    @property
    def fits_workers(self) -> bool:
        """Whether every worker has memory for the codes of all rows."""
        return self.facts.n_bytes <= self.connection.memory() // _MEMORY_SHARE

    def check_fits(self, why: str) -> None:
        """Raise if a worker has no memory for the codes of all rows, and `why` there is no other way."""
        memory = self.connection.memory()
        if self.facts.n_bytes > memory // _MEMORY_SHARE:
            raise ClusterError(
                f"the codes of {self.facts.n_rows:,} rows take {format_bytes(self.facts.n_bytes)} on each worker, for "
                f"which it needs {format_bytes(_MEMORY_SHARE * self.facts.n_bytes)} of memory; the smallest has "
                f"{format_bytes(memory)}, and {why}. Start workers with more memory."
            )

    def join(self) -> None:
        """Join the codes of all partitions, and copy them to every worker."""
        self._parts = self._source.start(code_rows, self.facts)
        gather(self.connection, self._parts, "Coding rows", fetch=False)
        self._joined = submit(self.connection, join_parts, self.facts, self._parts)
        gather(self.connection, [self._joined], "Joining rows", fetch=False)
        self._parts = []  # Dask computes them again if the joined rows are lost with their workers
        # A task on each worker makes it fetch the rows; if one dies meanwhile, another runs its task
        options = {"allow_other_workers": True}
        touched = [
            submit(self.connection, _touch, self._joined, workers=[address], **options)
            for address in self.connection.n_threads()
        ]
        gather(self.connection, touched, "Sending rows", fetch=False)

    def _check_share_fits(self) -> None:
        """Raise if a worker has no memory for its share of the codes, and of those of one tree."""
        memory, n_workers = self.connection.memory(), max(1, len(self.connection.n_threads()))
        of_tree = self.facts.n_rows * (BYTES_OF_ROW + self.facts.bytes_of_row)
        needed = (self.facts.n_bytes + of_tree) // n_workers
        if needed > memory:
            raise ClusterError(
                f"the codes of {self.facts.n_rows:,} rows, shared out over {n_workers:,} workers, and those of the "
                f"tree that is grown take {format_bytes(needed)} on each; the smallest has {format_bytes(memory)}. "
                "Start more workers, or workers with more memory."
            )

    def number(self, class_weight: Any) -> LevelParts:
        """Return the coded partitions, which stay on their workers, with classes numbered and rows weighted."""
        self._check_share_fits()
        self._parts = self._source.start(code_rows, self.facts)
        gather(self.connection, self._parts, "Coding rows", fetch=False)
        numbered = number_parts(self.connection, self.facts, self._parts, class_weight)
        self._parts = list(numbered.futures)
        return numbered

    @property
    def n_threads(self) -> int:
        """Number of threads of all workers."""
        return max(1, sum(self.connection.n_threads().values()))

    def call(self, function: Callable[..., R], *args: Any, inputs: Sequence[Any] | None = None, description: str) -> R:
        """Return ``function(*args, rows)``, computed by one worker; futures of `inputs` come last, as a list."""
        futures = [self._joined] if inputs is None else [self._joined, list(inputs)]
        found: R = gather(self.connection, [submit(self.connection, function, *args, *futures)], description)[0]
        return found

    def start_many(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], description: str) -> list[Any]:
        """Return futures of ``function(*each, rows)`` for all calls, in their order, after the workers shared them."""

        def start(*each: Any, **options: Any) -> Any:
            return submit(self.connection, function, *each, self._joined, **options)

        return TaskQueue(self.connection, start).run(calls, description)

    def fetch(self, futures: Sequence[Any], description: str) -> list[Any]:
        """Return the results of calls."""
        return gather(self.connection, futures, description)

    def blocks(self, class_weight: Any) -> list[Any]:
        """Return futures of blocks of the joined rows, some for each thread; any worker has all of them."""
        n_blocks, workers = (
            min(_BLOCKS_PER_THREAD * self.n_threads, self.facts.n_rows),
            list(self.connection.n_threads()),
        )
        ends = [self.facts.n_rows * each // n_blocks for each in range(n_blocks + 1)]

        def start(number: int, first: int, last: int) -> Any:  # Dask would make all of them on one worker
            options = {"workers": [workers[number % len(workers)]], "allow_other_workers": True}
            return submit(self.connection, _block, class_weight, first, last, self._joined, **options)

        return [start(number, first, last) for number, (first, last) in enumerate(pairwise(ends))]

    def release(self) -> None:
        """Release the rows on the workers."""
        self.connection.cancel([*self._parts, *([self._joined] if self._joined is not None else [])])


@contextmanager
def open_rows(source: DaskSource, max_bins: int) -> Iterator[ClusterRows]:
    """Open the coded rows of a source on a cluster; they are released at the end, also after an error or Ctrl-C."""
    rows = ClusterRows(source, read_facts(source, max_bins))
    try:
        yield rows
    finally:
        rows.release()


def fit_on_cluster(estimator: Any, source: DaskSource) -> None:
    """Fit an estimator to a source on a cluster, the same as to the rows in memory to the bit.

    An estimator with a method ``_fit_cluster`` (of the coded rows) decides itself where its parts are learned; any
    other is fitted by one worker.
    """
    with open_rows(source, estimator.max_bins or _MOST_BINS) as rows:
        fit = getattr(estimator, "_fit_cluster", None)
        fitted = fit_by_one_worker(estimator, rows) if fit is None else fit(rows)
    adopt(estimator, fitted)


def fit_by_one_worker(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of an estimator that one worker has fitted."""
    rows.check_fits(f"{type(estimator).__name__} is fitted by one worker")
    rows.join()
    return rows.call(_fit, estimator, description="Fitting")


def adopt(estimator: Any, fitted: dict[str, Any]) -> None:
    """Store the attributes of a fitted estimator, except its parameters."""
    params = estimator.get_params(deep=False)
    vars(estimator).update({name: value for name, value in fitted.items() if name not in params})


def _fit(estimator: Any, rows: JoinedRows) -> dict[str, Any]:
    fit_examples(estimator, examples_for(estimator, rows))
    return dict(vars(estimator))


def fit_examples(estimator: Any, examples: Examples) -> None:
    """Fit an estimator to coded rows, and let it drop them."""
    if hasattr(estimator, "_grow_coded"):
        estimator._adopt(estimator._grow_coded(examples))
    else:
        estimator._fit_examples(examples)
    estimator._drop_rows()


def examples_for(estimator: Any, rows: JoinedRows) -> Examples:
    """Return the training rows of an estimator, on a worker."""
    return rows.examples(getattr(estimator, "class_weight", None))


def _block(class_weight: Any, first: int, last: int, rows: JoinedRows) -> CodedPart:
    return rows.block(class_weight, first, last)


def _touch(rows: JoinedRows) -> None:
    """Do nothing, on a worker that has fetched the rows for it."""
