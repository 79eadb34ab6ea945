"""The methods of a boosted classifier that take rows: scores, staged scores, classes, and summed votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._estimator_html import SectionsReprMixin, model_section
from calibrant._params import Int, Rule, check_params
from calibrant._repr import short_repr
from calibrant._saved import Array, Bytes, Field, Maybe, NarrowFloats, Object, Text, need
from calibrant._sections import DataTable, Section, TableColumn
from calibrant.data._internal import RowClassifierMixin, Rows
from calibrant.ensembles._bagging.forest import tree_sizes
from calibrant.ensembles._boosting.boosting_loop import ALGORITHMS, AlgorithmName, Run, Stop
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import TrainingSet, check_order

_MOST_ROUNDS = 10  # of the table of rounds
_STOPPED = {"perfect": "a member without errors ended it", "weak": "a member no better than chance ended it"}
_SUMMED_VOTES = """\
array of shape (n_rows, n_classes)
    With ``"m1"`` and ``"samme"`` the weights of the members that vote for each class, with ``"real"`` the sum
    of the logarithms of the members' probabilities. Weka's AdaBoostM1 returns the softmax of the former."""

_SCORES = """\
array of shape (n_rows, n_classes)
    Scores in the order of ``classes_``."""


class BoostedScoresMixin(SectionsReprMixin, RowClassifierMixin):
    """Scores of a boosted classifier."""

    _rules: ClassVar[Mapping[str, Rule]]
    # The rounds of a run. Without its rows it cannot be continued, and is not recognised.
    _saved_fields: ClassVar[Mapping[str, Field]] = {
        **RowClassifierMixin._saved_fields,
        "seed": Object("random.SeedSequence"),
        "estimator_weights_": Array("f8", finite=True, low=0, high=1e100),
        "errors_": Array("f8", finite=True, low=0, high=1),
        "stopped_": Text("perfect", "weak") | None,
        "order": Array("i8"),
        "rows": Maybe(Bytes()),
        "row_weights": Maybe(NarrowFloats()),
    }

    if TYPE_CHECKING:
        algorithm: AlgorithmName
        n_trees: int
        stopped_: Stop | None
        estimator_weights_: NDArray[np.float64]
        errors_: NDArray[np.float64]
        _run: Run
        _order: NDArray[np.intp]

        def _member_proba(self, member: Any, rows: Rows) -> NDArray[np.float64]:
            """Return a member's probabilities, with the classes in the order in which they were declared."""
            ...

    @fill_docstring(proba=_SCORES)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class: in [0, 1], adding up to 1, and not calibrated.

        %(predict_proba_sections)s
        """
        rows = self._rows(X)
        # A single member is scored by its own probabilities: normalized votes would be 0 or 1.
        if len(self._run.members) == 1:
            return self._sorted(self._member_proba(self._run.members[0], rows))
        return self._scores(self._sums(rows), len(self._run.members))

    @fill_docstring()
    def staged_predict_proba(self, X: Any, at: Iterable[int] | None = None) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round, or after some: those of `predict_proba` had boosting ended there.

        Parameters
        ----------
        %(X_predict)s
        at : iterable of int, optional
            The numbers of rounds, in ascending order, after which to yield; a number beyond the members reads all. The
            scores are then those of a fit with so many rounds to the last bit. By default after every round.

        Yields
        ------
        array of shape (n_rows, n_classes)
            The scores of the first member, of the first two, and so on; or of as many as each number of `at`.

        Examples
        --------
        >>> from calibrant.ensembles import BoostedStumpsClassifier
        >>> model = BoostedStumpsClassifier(n_trees=4).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
        >>> [scores[0].round(2).tolist() for scores in model.staged_predict_proba([[1]], at=[1, 2, 4])]
        [[0.67, 0.33], [1.0, 0.0], [0.75, 0.25]]
        """
        numbers = None if at is None else _check_rounds(at)
        return self._stages(self._rows(X), numbers)

    @classmethod
    def _family_head(cls, members: Sequence[Any]) -> Any:
        """Return the member with the most rounds, after validating the parameters of all."""
        for member in members:
            check_params(member, cls._rules)
        # Boosting is nested: a run of the most rounds contains every shorter one.
        return max(members, key=lambda member: member.n_trees)

    def _predict_readings(self, X: Any, members: Sequence[Any]) -> list[NDArray[np.float64]]:
        """Return the scores after as many rounds as each member has."""
        numbers = sorted({member.n_trees for member in members})
        found = dict(zip(numbers, self.staged_predict_proba(X, at=numbers), strict=True))
        return [found[member.n_trees] for member in members]

    @fill_docstring()
    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes after each round.

        Parameters
        ----------
        %(X_predict)s

        Yields
        ------
        %(predicted)s
        """
        return (np.asarray(self.classes_[scores.argmax(axis=1)]) for scores in self.staged_predict_proba(X))

    @fill_docstring(proba=_SUMMED_VOTES)
    def summed_votes(self, X: Any) -> NDArray[np.float64]:
        """Return the sum over the members from which the scores are computed.

        %(predict_proba_sections)s
        """
        return self._sorted(self._sums(self._rows(X)))

    def _sums(self, rows: Rows) -> NDArray[np.float64]:
        return next(self._staged_sums(rows, [len(self._run.members)]))

    def _staged_sums(self, rows: Rows, numbers: list[int]) -> Iterator[NDArray[np.float64]]:
        """Yield the sum over the first members, for each ascending number of them; an array may be changed later."""
        return self._running_sums(rows, numbers)

    def _running_sums(self, rows: Rows, numbers: list[int]) -> Iterator[NDArray[np.float64]]:
        sums, contributions, n_summed = np.zeros((rows[0], len(self.classes_))), self._contributions(rows), 0
        for number in numbers:
            for contribution in islice(contributions, number - n_summed):
                sums += contribution
            n_summed = number
            yield sums

    def _contributions(self, rows: Rows) -> Iterator[NDArray[np.float64]]:
        algorithm = ALGORITHMS[self.algorithm]
        for member, weight in zip(self._run.members, self._run.weights, strict=True):
            yield algorithm.contribution(self._member_proba(member, rows), weight)

    def _stages(self, rows: Rows, at: list[int] | None) -> Iterator[NDArray[np.float64]]:
        n_members = len(self._run.members)
        numbers = list(range(1, n_members + 1)) if at is None else [min(each, n_members) for each in at]
        staged = (self._running_sums if at is None else self._staged_sums)(rows, numbers)
        for number, sums in zip(numbers, staged, strict=True):
            # As `predict_proba` of a run of one member, whose votes would be 0 or 1.
            if number == 1:
                yield self._sorted(self._member_proba(self._run.members[0], rows))
            else:
                yield self._scores(sums, number)

    def _scores(self, sums: NDArray[np.float64], n_members: int) -> NDArray[np.float64]:
        return self._sorted(ALGORITHMS[self.algorithm].score(sums, self.estimator_weights_[:n_members]))

    def _sorted(self, by_class: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ascontiguousarray(by_class[:, self._order])

    def _sections(self) -> tuple[Section, ...]:
        """Return the fitted classifier as sections, which notebooks, reports and web pages show."""
        n_rounds = len(self.estimator_weights_)
        stopped = f"; {_STOPPED[self.stopped_]}" if self.stopped_ is not None else ""
        facts = [("rounds", f"{n_rounds:,} of at most {self.n_trees:,}{stopped}")]
        facts += [("trees", tree_sizes(vars(self)["trees_"]))] if "trees_" in vars(self) else []
        columns = (
            TableColumn("round"),
            TableColumn("error", term="weighted"),
            TableColumn("weight", term="of its votes"),
        )
        shown = range(min(n_rounds, _MOST_ROUNDS))
        rows = tuple(
            (f"{each + 1}", f"{self.errors_[each]:.4f}", f"{self.estimator_weights_[each]:.4f}") for each in shown
        )
        note = f"The first {_MOST_ROUNDS} of {n_rounds:,} rounds." if n_rounds > _MOST_ROUNDS else ""
        table = DataTable("Error of each member on the reweighted training rows", columns, rows, note=note)
        return model_section(self, facts), Section("rounds", "Rounds of boosting", (table,))

    def _drop_rows(self) -> None:
        """Drop the weights of the training rows, which were those of a source; the run cannot be continued then."""
        self._run = replace(self._run, rows=b"", row_weights=None, from_source=True)

    def _saved_run(self, training_rows: bool) -> dict[str, Any]:
        """Return the seed, the order of classes and the rows of the run, which a file holds besides the attributes."""
        values = {"seed": self._run.seed, "order": self._order}
        if not training_rows:
            return values
        is_kept = self._run.row_weights is not None
        need(is_kept, "was loaded without its training rows, or fitted to a source: save it without them")
        return {**values, "rows": self._run.rows, "row_weights": self._run.row_weights}

    def _set_saved_run(self, values: dict[str, Any], members: list[Any]) -> None:
        """Set the columns and the run that a file holds."""
        names = (*RowClassifierMixin._saved_fields, "estimator_weights_", "errors_", "stopped_")
        vars(self).update({name: values[name] for name in names if name in values})
        weights, row_weights = self.estimator_weights_, values.get("row_weights")
        check_order(values["order"], len(self.classes_))
        need(weights.sum() > 0, "has members without weight")
        same = len(members) == len(weights) == len(self.errors_) and ("rows" in values) == (row_weights is not None)
        need(same, "has weights of other members")
        if row_weights is not None:
            row_weights = np.array(row_weights)  # which the next round changes
        rounds = members, weights.tolist(), self.errors_.tolist(), self.stopped_
        self._run = Run(values["seed"], values.get("rows", b""), *rounds, row_weights)
        self._order = values["order"]

    def _store_run(self, run: Run, examples: TrainingSet) -> None:
        self._run, self._order = run, examples.order
        self.estimator_weights_, self.errors_ = np.array(run.weights), np.array(run.errors)
        self.stopped_ = run.stopped
        self._store_columns(*examples.columns_and_classes)


def _check_rounds(at: Iterable[int]) -> list[int]:
    numbers = list(at) if isinstance(at, Iterable) else None
    if numbers is None or any(each not in Int(1) for each in numbers) or numbers != sorted(numbers):
        raise ParameterError(f"at must hold ints >= 1 in ascending order; got {short_repr(at)}.")
    return numbers
