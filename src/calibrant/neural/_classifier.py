"""Neural nets as a classifier for tables as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from threadpoolctl import threadpool_limits

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._memory import check_output_memory
from calibrant._params import Int, Nothing, Real, Rule, Seed, check_param, check_params
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._saved import Inline, TupleOf, need, saved
from calibrant.data._internal import MergedRows, Nominal, RowClassifierMixin, StandardDesign, read_training_rows
from calibrant.exceptions import ParameterError
from calibrant.neural._net import Net, Training

_EPOCH = Int(1, 10**9)


@dataclass(frozen=True)
class Epochs(Rule):
    """A sequence of numbers of epochs.

    Examples
    --------
    >>> [1, 2, 4] in Epochs(), [0] in Epochs(), "12" in Epochs()
    (True, False, False)
    """

    def __contains__(self, value: object) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        is_sequence = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        return is_sequence and all(each in _EPOCH for each in value)  # type: ignore[attr-defined]

    def _words(self) -> tuple[str, ...]:
        return ("a sequence of numbers of epochs, each an int >= 1",)


@saved(_design=Inline(StandardDesign), _nets=TupleOf(Inline(Net)))
@fill_docstring()
@with_parameters
class NeuralNetClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A neural net of one hidden layer, trained by backpropagation with scikit-learn's MLP, for tables as they are.

    Hidden units and outputs are logistic functions (softmax for more than two classes), and the log-loss is minimised
    by gradient descent with momentum, without weight decay or early stopping: `n_epochs` determines how far the net is
    trained. One run can be read after many epochs, see `keep_epochs` and `staged_predict_proba`.

    Columns are standardised to mean 0 and standard deviation 1, those of nominal ones by category: an indicator for
    each. A missing number is the mean, with an indicator of its own where training rows have any; a missing or unknown
    category has no indicator. Weights are frequencies: equal rows are one row of their summed weight.

    Parameters
    ----------
    n_hidden : int
        Number of hidden units.
    n_epochs : int
        Number of passes over the training rows.
    momentum : float
        The fraction of the last step that is added to the next, from 0 to below 1.
    learning_rate : float
        The length of steps, which is constant.
    batch_size : int
        Number of rows whose gradients make a step; a pass takes them in a new random order.
    keep_epochs : sequence of int, optional
        Earlier epochs whose nets are kept too, for `staged_predict_proba`.
    %(nominal)s
    random_state : None, int, numpy Generator, RandomState or SeedSequence
        The seed of the initial weights and of the order of rows.

    Attributes
    ----------
    %(classes_)s
    %(features_in_)s

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating errors", 1986. R.
    Caruana and A. Niculescu-Mizil, "Predicting good probabilities with supervised learning", 2005, stop their nets at
    many epochs.

    Examples
    --------
    %(example_split)s
    >>> net = NeuralNetClassifier(n_hidden=4, n_epochs=20, random_state=0).fit(train.X, train.y)
    >>> net.predict_proba(test.X[:2]).round(2)
    array([[0.9 , 0.1 ],
           [0.94, 0.06]])
    """

    _short_name: ClassVar[str] = "neural_net"
    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_hidden": Int(1, 100_000),
        "n_epochs": Int(1, 10**9),
        "momentum": Real(0, 1, closed="left"),
        "learning_rate": Real(0, 1e6, closed="right"),
        "batch_size": Int(1),
        "keep_epochs": Epochs() | Nothing(),
        "random_state": Seed(),
    }
    _READING: ClassVar[frozenset[str]] = frozenset({"n_epochs", "keep_epochs"})

    n_hidden: int = 8
    n_epochs: int = 50
    momentum: float = 0.9
    learning_rate: float = 0.03
    batch_size: int = 50
    keep_epochs: Sequence[int] | None = None
    nominal: Nominal = "auto"
    random_state: SeedLike = None

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the net.

        %(fit_sections)s
        """
        check_params(self)
        epochs = self._kept()
        read = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        rows, n_classes = MergedRows.of(read), len(read.labels.classes)
        training = Training(self.n_hidden, float(self.momentum), float(self.learning_rate), self.batch_size)
        seed = int(stream(seed_sequence(self.random_state)).integers(2**32))
        with threadpool_limits(1):  # sums of BLAS depend on the number of threads
            self._design, terms = StandardDesign.of(read.columns.schema, rows.arrays, rows.weights)
            self._nets = training.run(terms, rows, n_classes, epochs, seed) if n_classes > 1 else ()
        self._store_columns(read.columns.schema, read.labels.classes, read.columns.feature_names)
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        %(predict_proba_sections)s
        """
        self._check_fitted()
        return self._predict_at(X, [net.epoch for net in self._nets[-1:]] or [0])[0]

    def staged_predict_proba(self, X: Any, at: Sequence[int] | None = None) -> Iterator[NDArray[np.float64]]:
        """Yield the class probabilities of the nets of several epochs, each equal to that of a fit of so many epochs.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.
        at : sequence of int, optional
            The epochs, among `keep_epochs` and `n_epochs`; by default all of these in ascending order.

        Yields
        ------
        array of shape (n_rows, n_classes)
            The class probabilities after an epoch.

        Examples
        --------
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> net = NeuralNetClassifier(n_epochs=200, keep_epochs=[10, 50], random_state=0).fit(X, y)
        >>> [float(proba[0, 0].round(2)) for proba in net.staged_predict_proba([[0.0]])]
        [0.47, 0.64, 0.99]
        """
        self._check_fitted()
        check_param("at", at, Epochs() | Nothing())
        kept = [net.epoch for net in self._nets] or [0]
        epochs = kept if at is None else list(at)
        unknown = [each for each in epochs if each not in kept]
        if unknown and len(self.classes_) > 1:
            raise ParameterError(
                f"NeuralNetClassifier: at must be among the epochs that were kept, {kept}; got {unknown[0]}. Pass it "
                "to keep_epochs before fit."
            )
        yield from self._predict_at(X, epochs)

    @classmethod
    def _family_head(cls, members: Sequence[Any]) -> Any:
        """Return the longest run, with what each member reads kept; raise if a parameter is wrong."""
        for member in members:
            check_params(member)
        epochs = {each for member in members for each in member._kept()}
        head = clone(max(members, key=lambda member: member.n_epochs))
        return head.set_params(keep_epochs=sorted(epochs))

    def _predict_readings(self, X: Any, members: Sequence[Any]) -> list[NDArray[np.float64]]:
        return self._predict_at(X, [member.n_epochs for member in members])

    def _predict_at(self, X: Any, epochs: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the class probabilities of the nets after some epochs, from one coding of the rows."""
        n_rows, columns = self._rows(X)
        check_output_memory(n_rows, len(self.classes_))
        if len(self.classes_) == 1:
            return [np.ones((n_rows, 1)) for _ in epochs]
        with threadpool_limits(1):
            terms = self._design.terms(columns)
            nets = {net.epoch: net for net in self._nets}
            return [nets[epoch].proba(terms) for epoch in epochs]

    def _kept(self) -> set[int]:
        """Return the epochs whose nets are kept; raise if one is after the last."""
        kept = {int(self.n_epochs), *map(int, () if self.keep_epochs is None else self.keep_epochs)}
        if max(kept) > self.n_epochs:
            raise ParameterError(
                f"NeuralNetClassifier: keep_epochs must be at most n_epochs={self.n_epochs}; got {max(kept)}."
            )
        return kept

    def _check_saved(self) -> None:
        super()._check_saved()
        self._design.check_columns(self._schema)
        n_classes, epochs = len(self.classes_), [net.epoch for net in self._nets]
        need(epochs == sorted(set(epochs)) and (n_classes == 1) == (not epochs), "has other nets than epochs")
        for net in self._nets:
            net.check_loaded(self._design.n_terms, n_classes if n_classes > 2 else 1)
