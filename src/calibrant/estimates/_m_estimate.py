"""The m-estimate (Cestnik 1990; Zadrozny & Elkan 2001, section 2.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant._params import Choice, Nothing, Real, Rule, check_param, check_params
from calibrant._saved import Integer, Value, saved
from calibrant.estimates._base import CV, METHOD_DOCS, NUMBER_OR_CV, PRIOR, CountedTree, not_chosen, powers_of_two
from calibrant.estimates._leaf_counts import frequencies
from calibrant.exceptions import ModelFileError, ParameterError

_MIN_M = 0.01  # below it the estimates of any leaf are its frequencies
_STEP = 16.0  # of the grid that brackets the maximum; Brent's method refines it


class _Terms(NamedTuple):
    """Distinct counts, the prior of their class and their number; row totals as a class of prior 1, subtracted."""

    seen: NDArray[np.float64]
    prior: NDArray[np.float64]
    times: NDArray[np.float64]


def maximum_likelihood_m(leaves: NDArray[np.float64], prior: NDArray[np.float64]) -> float:
    """Return the m that maximizes the Dirichlet-multinomial likelihood of the class counts of leaves.

    The class probabilities of a leaf are modelled as a draw from a Dirichlet distribution with parameters m times the
    prior. The search covers 0.01 to 1,000 times the weight of all leaves: beyond that the estimates hardly change.

    Parameters
    ----------
    leaves : array of shape (n_leaves, n_classes)
        The weight of each class in each leaf.
    prior : array of shape (n_classes,)
        The mean of the Dirichlet distribution; a class with prior 0 is ignored.

    Returns
    -------
    float
        The maximum.

    Examples
    --------
    >>> round(maximum_likelihood_m(np.array([[9.0, 1], [5, 5], [2, 8]]), np.array([0.5, 0.5])), 3)
    3.271
    """
    terms = _terms(leaves, prior)
    greatest = max(1000.0 * float(np.sort(leaves, axis=None).sum()), 1.0)
    grid = np.append(_MIN_M * _STEP ** np.arange(np.log(greatest / _MIN_M) / np.log(_STEP)), greatest)
    best = int(np.argmax([_log_likelihood(m, terms) for m in grid]))
    low, high = np.log(grid[max(best - 1, 0)]), np.log(grid[min(best + 1, len(grid) - 1)])
    if _slope(low, terms) <= 0 or _slope(high, terms) >= 0:  # the maximum is at an end of the range
        return float(grid[best])
    return float(np.exp(brentq(_slope, low, high, args=(terms,), xtol=1e-13)))


def _log_likelihood(m: float, terms: _Terms) -> float:
    alpha = m * terms.prior
    return float((terms.times * (gammaln(terms.seen + alpha) - gammaln(alpha))).sum())


def _slope(log_m: float, terms: _Terms) -> float:
    alpha = np.exp(log_m) * terms.prior
    return float((terms.times * alpha * (digamma(terms.seen + alpha) - digamma(alpha))).sum())


def _terms(leaves: NDArray[np.float64], prior: NDArray[np.float64]) -> _Terms:
    """Group equal counts, sorted so that the order of the classes does not affect rounding."""
    is_positive = prior > 0
    known = leaves[:, is_positive]
    columns = [*known.T, np.sort(known, axis=1).sum(axis=1)]
    found = [np.unique(column[column > 0], return_counts=True) for column in columns]
    shares, signs = np.append(prior[is_positive], 1.0), np.append(np.ones(int(is_positive.sum())), -1.0)
    sizes = [len(counts) for counts, _ in found]
    seen, prior = np.concatenate([counts for counts, _ in found]), np.repeat(shares, sizes)
    times = np.concatenate([times for _, times in found]) * np.repeat(signs, sizes)
    order = np.lexsort((times, prior, seen))
    return _Terms(seen[order], prior[order], times[order])


BASE_RATE: Final = "base_rate"
UNIFORM: Final = "uniform"


def base_rates(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each class.

    Examples
    --------
    >>> base_rates(np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    return np.asarray(counts / np.sort(counts).sum())  # sorted: the order of the classes does not affect rounding


def rows_with_positives(n: float, counts: NDArray[np.float64]) -> float:
    """Return the number of rows with n expected positives: n divided by a base rate.

    The base rate is that of the rarer of two classes, or the median of more; classes that do not occur do not count.

    Examples
    --------
    >>> rows_with_positives(10, np.array([950.0, 50.0])), rows_with_positives(10, np.array([7.0, 2.0, 1.0]))
    (200.0, 50.0)
    """
    found = counts[counts > 0]
    positives = float(found.min() if len(counts) <= 2 else np.median(found))
    return n * float(counts.sum()) / positives  # in this order whole counts give no rounding error


def position_of(positive: Any, classes: list[Any]) -> int:
    """Return the position of the positive class among the sorted classes.

    Examples
    --------
    >>> position_of("yes", ["no", "yes"])
    1
    >>> position_of("ja", ["no", "yes"])
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: positive must be one of the classes ('no', 'yes'); got 'ja'.
    """
    is_label = not isinstance(positive, list | tuple | np.ndarray)
    found = [k for k, label in enumerate(classes) if is_label and label == positive]
    if not found:
        names = ", ".join(repr(label.item() if isinstance(label, np.generic) else label) for label in classes[:5])
        more = " ..." if len(classes) > 5 else ""
        raise ParameterError(f"positive must be one of the classes ({names}{more}); got {positive!r}.")
    return found[0]


def read_prior(prior: Any) -> str | tuple[float, ...]:
    """Check a prior; probabilities become a tuple, so that estimates are comparable.

    Examples
    --------
    >>> read_prior(np.array([0.75, 0.25]))
    (0.75, 0.25)
    >>> read_prior([0.75, 0.75])
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: prior must be 'base_rate', 'uniform' or probabilities, one a class, that sum to
    1; got [0.75, 0.75].
    """
    if isinstance(prior, str):
        check_param("prior", prior, Choice(BASE_RATE, UNIFORM))
        return prior
    values = _numbers(prior)
    if values is None or (values < 0).any() or not np.isclose(values.sum(), 1.0, rtol=0, atol=1e-6):
        raise ParameterError(
            f"prior must be {BASE_RATE!r}, {UNIFORM!r} or probabilities, one a class, that sum to 1; got {prior!r}."
        )
    return tuple(values.tolist())


def prior_of(prior: str | Sequence[float], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a prior as probabilities.

    Examples
    --------
    >>> prior_of("base_rate", np.array([3.0, 1.0]))
    array([0.75, 0.25])
    >>> prior_of((0.5, 0.5), np.array([3.0, 1.0, 1.0]))
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: prior has 2 probabilities; there are 3 classes.
    """
    if isinstance(prior, str):
        return base_rates(counts) if prior == BASE_RATE else np.full(len(counts), 1.0 / len(counts))
    if len(prior) != len(counts):
        raise ParameterError(f"prior has {len(prior)} probabilities; there are {len(counts)} classes.")
    values = as_floats(prior)
    return np.asarray(values / values.sum())


def _numbers(prior: Any) -> NDArray[np.float64] | None:
    try:
        values = as_floats(prior)
    except (TypeError, ValueError):
        return None
    return values if values.ndim == 1 and len(values) and np.isfinite(values).all() else None


_LEAVES = """\
leaves : array of shape (n_leaves, n_classes), optional
    The class weights of the leaves of one tree or more, which empirical Bayes needs."""
_CANDIDATES = 'One for each m from 1 up, doubled each time; the estimate itself where m is not ``"cv"``.'


@saved(m=NUMBER_OR_CV | None, prior=PRIOR, positive=Value(), _position=Integer(0, 65_535) | None)
@dataclass(frozen=True, slots=True)
class MEstimate:
    """The share of each class after m more rows distributed as the prior.

    For a rare class, in a single tree: smoothing towards the base rate brought the test MSE of unpruned trees from
    0.102 to 0.096 on KDD'98, where Laplace stayed at 0.101 (Zadrozny & Elkan 2001, Tables 1 and 4, Figure 1); the exact
    m matters little. Members of an ensemble are smoothed by their average already.

    Parameters
    ----------
    m : float or "cv", optional
        The weight of the prior, in rows. None, with two classes or with `positive`: `strength` divided by the base rate
        of the positive class (200 at a base rate of 0.05). None, with more classes and no `positive`: empirical Bayes,
        the m of maximum likelihood of the class counts of the leaves. ``"cv"``: the classifier chooses among 1, 2, 4
        ... up to the training weight by cross-validated log-loss.
    strength : float
        The product of base rate and m.
    prior : "base_rate", "uniform" or a sequence of n_classes probabilities
        The target of the smoothing: the class frequencies of the training set, equal probabilities (Laplace's rule
        where m is the number of classes), or the probabilities passed, in the order of the sorted classes.
    positive : label, optional
        The positive class, one of the labels of ``y``, whose base rate sets m where `m` is None. None: the rarer of two
        classes. A class without training weight makes m infinite: every node has the prior.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> MEstimate(m=8).table(tree)
    array([[0.5, 0.5],
           [0.6, 0.4],
           [0.4, 0.6]])
    >>> y = ["maybe"] * 6 + ["no"] * 12 + ["yes"] * 2
    >>> ProbabilityTreeClassifier(estimate=MEstimate(positive="yes")).fit([[i] for i in range(20)], y).estimate_.m
    100.0
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "m": Choice(CV) | Real(0, math.inf) | Nothing(),
        "strength": Real(0, closed="neither"),
    }

    m: float | Literal["cv"] | None = None
    strength: float = 10
    prior: str | Sequence[float] = BASE_RATE
    positive: Any = field(default=None, kw_only=True)
    _position: int | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_params(self)
        object.__setattr__(self, "prior", read_prior(self.prior))

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return (n_k + m b_k) / (w + m) at every node, b the prior.

        %(table_sections)s
        """
        named = self.with_classes(tree.classes) if hasattr(tree, "classes") else self
        prior, m = named._numbers(tree.counts[0], tree.counts[tree.is_leaf])
        share = np.divide(tree.weight, tree.weight + m, out=np.zeros_like(tree.weight), where=tree.weight > 0)
        table = share[:, np.newaxis] * frequencies(tree) + (1.0 - share)[:, np.newaxis] * prior
        return np.minimum(table, 1.0, out=table)  # rounding may exceed it

    @fill_docstring(**{**METHOD_DOCS, "leaves": _LEAVES}, estimate="MEstimate")
    def resolve(self, counts: NDArray[np.float64], leaves: NDArray[np.float64] | None = None) -> MEstimate:
        """Return the same estimate with m and prior as numbers.

        %(resolve_sections)s

        Examples
        --------
        >>> MEstimate().resolve([950, 50])
        MEstimate(m=200.0, strength=10, prior=(0.95, 0.05), positive=None)
        """
        prior, m = self._numbers(np.asarray(counts, dtype=np.float64), leaves)
        return replace(self, m=m, prior=tuple(prior.tolist()))

    @fill_docstring(**METHOD_DOCS, estimate="MEstimate", candidates=_CANDIDATES)
    def candidates(self, tree: CountedTree) -> tuple[MEstimate, ...]:
        """Return the estimates that cross-validation chooses from.

        %(candidates_sections)s
        """
        return tuple(replace(self, m=m) for m in powers_of_two(tree)) if self.m == CV else (self,)

    def with_classes(self, classes: Sequence[Any] | NDArray[Any]) -> MEstimate:
        """Return the same estimate with `positive` found among the classes, for `resolve`.

        Parameters
        ----------
        classes : sequence of length n_classes
            The sorted classes.

        Returns
        -------
        MEstimate
            An equal estimate.

        Examples
        --------
        >>> MEstimate(positive="a").with_classes(["a", "b"]).resolve([50, 950]).m
        200.0
        """
        if self.positive is None:
            return self
        found = replace(self)
        object.__setattr__(found, "_position", position_of(self.positive, list(classes)))
        return found

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> MEstimate:
        position = values.pop("_position", None)
        try:
            estimate = cls(**values)
        except ParameterError as error:
            raise ModelFileError(f"has a wrong value: {error}") from None
        object.__setattr__(estimate, "_position", position)
        return estimate

    def _numbers(
        self, counts: NDArray[np.float64], leaves: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], float]:
        if self.m == CV:
            raise not_chosen("MEstimate", "m")
        prior = prior_of(self.prior, counts)
        return prior, self._heuristic(counts, prior, leaves) if self.m is None else float(self.m)

    def _heuristic(
        self, counts: NDArray[np.float64], prior: NDArray[np.float64], leaves: NDArray[np.float64] | None
    ) -> float:
        if self.positive is not None:
            if self._position is None:
                raise ParameterError(
                    f"MEstimate: positive={self.positive!r} is the name of a class; call with_classes first, as a "
                    "classifier does, or pass m."
                )
            seen = float(counts[self._position])
            return self.strength * float(counts.sum()) / seen if seen > 0 else math.inf
        if len(counts) <= 2:
            return rows_with_positives(self.strength, counts)
        if leaves is None:
            raise ParameterError("MEstimate: with more than two classes m follows from the leaves; pass leaves=.")
        return maximum_likelihood_m(leaves, prior)
