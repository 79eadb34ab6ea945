"""Kernel densities at the leaves (Smyth, Gray & Fayyad 1995, "Retrofitting decision tree classifiers")."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Rule, check_params
from calibrant._saved import Array, Integer, TupleOf, need, saved
from calibrant.estimates._base import METHOD_DOCS, PRIOR, CountedTree, Estimate
from calibrant.estimates._kernels import CHOICES, ClassKernels, WidthChoice, fit_kernels, group_rows
from calibrant.estimates._leaf_counts import Laplace
from calibrant.estimates._m_estimate import BASE_RATE, prior_of, read_prior
from calibrant.estimates._paths import nearest_above


class RowReader(Protocol):
    """Predicts new rows from a tree and its training rows.

    Examples
    --------
    >>> from calibrant.estimates import KernelDensity
    >>> KernelDensity.reader.__annotations__["return"]
    'RowReader'
    """

    def predict(
        self,
        columns: Sequence[NDArray[Any]],
        row: NDArray[np.intp],
        leaf: NDArray[np.int32],
        share: NDArray[np.float64],
        n_rows: int,
    ) -> NDArray[np.float64]:
        """Return the class probabilities (columns) of each row, of which shares end at leaves."""


@runtime_checkable
class RowEstimate(Estimate, Protocol):
    """An estimate whose probabilities differ from row to row within a leaf.

    A column of rows is an array: floats with NaN where a number is missing, or the codes of categories, negative
    where one is missing. The table is its fallback.

    Examples
    --------
    >>> from calibrant.estimates import KernelDensity, Laplace
    >>> isinstance(KernelDensity(), RowEstimate), isinstance(Laplace(), RowEstimate)
    (True, False)
    """

    def reader(
        self,
        tree: CountedTree,
        columns: Sequence[NDArray[Any]],
        labels: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
    ) -> RowReader:
        """Return the reader that predicts rows from the training rows, their classes and their weights (default 1)."""


@saved(prior=PRIOR)
@dataclass(frozen=True, slots=True)
class KernelDensity:
    """Bayes' rule on kernel densities of the classes over the columns tested on the path.

    The tree only selects the columns that matter where a row ends; within a leaf the probabilities change smoothly.
    For a single small tree on numeric columns and classes of similar size, as in its authors' experiments; not for a
    rare class, where their trees, pruned for accuracy, have no tests left (Zadrozny & Elkan 2001, section 2.1). Every
    prediction visits all training rows, in an ensemble those of every bag.

    Parameters
    ----------
    prior : "base_rate", "uniform" or a sequence of n_classes probabilities
        The prior probabilities of the classes: the class frequencies of the training set, equal ones, or those passed,
        in the order of the sorted classes.
    width : {"silverman", "cv"}
        How the width of a kernel is chosen, for each column and class: by the rules in the Notes, or, with ``"cv"``, as
        the multiple of these from 1/16 to 4 (steps of sqrt 2) under which every row of the class is likeliest given the
        others (leave-one-out). For a class with several bumps, which the rule smooths into one. Rounded columns favour
        narrow kernels: the least is a thousandth of the range.

    Notes
    -----
    The density of a class has a kernel at each of its training rows in which no column of the path is missing. A number
    has a Gaussian kernel of width 1.06 s n^(-1/5), s the standard deviation and n the weight of the class, at least a
    thousandth of the column's range; a category has Aitchison and Aitken's, which leaves it with probability (c - 1) /
    (n + c) and then takes any of the c - 1 others, so a column by itself has Laplace's estimates. A column that is
    missing in the row is left out. More than 37 widths from every training row the densities are 0 in floating point,
    and the leaf predicts Laplace's estimate; a tree without tests predicts the priors. In an ensemble the base rates
    are those of the whole training set, kernels and their widths those of the rows in the bag, each as often as it was
    drawn, so that a tree does not use its out-of-bag rows.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> X, y = np.array([[1.0], [2], [3], [4]]), np.array([0, 0, 1, 1])
    >>> tree = ProbabilityTreeClassifier().fit(X, y).tree_
    >>> reader = KernelDensity().reader(tree, [X[:, 0]], y, None)
    >>> rows = np.array([1.0, 2.4, 2.5])
    >>> reader.predict([rows], np.arange(3), np.array([1, 2, 2]), np.ones(3), 3).round(3)
    array([[0.993, 0.007],
           [0.569, 0.431],
           [0.5  , 0.5  ]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"width": Choice(*CHOICES)}

    prior: str | Sequence[float] = BASE_RATE
    width: WidthChoice = field(default="silverman", kw_only=True)

    def __post_init__(self) -> None:
        check_params(self)
        object.__setattr__(self, "prior", read_prior(self.prior))

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return Laplace's estimates, the fallback where the densities are 0.

        %(table_sections)s
        """
        return Laplace().table(tree)

    @fill_docstring(**METHOD_DOCS, estimate="KernelDensity")
    def resolve(self, counts: NDArray[np.float64], leaves: NDArray[np.float64] | None = None) -> KernelDensity:  # noqa: ARG002
        """Return the same estimate with the prior as numbers.

        %(resolve_sections)s

        Examples
        --------
        >>> KernelDensity().resolve([3, 1])
        KernelDensity(prior=(0.75, 0.25), width='silverman')
        """
        prior = prior_of(self.prior, np.asarray(counts, dtype=np.float64))
        return replace(self, prior=tuple(prior.tolist())) if isinstance(self.prior, str) else self

    def reader(
        self,
        tree: CountedTree,
        columns: Sequence[NDArray[Any]],
        labels: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
    ) -> RowReader:
        """Return the reader that predicts new rows.

        Parameters
        ----------
        tree : CountedTree
            A grown tree.
        columns : sequence of arrays of shape (n_rows,)
            The training rows, column by column: numbers with NaN, or codes of categories, negative where missing.
        labels : array of shape (n_rows,)
            The class of each row, a column of the tree's counts.
        weights : array of shape (n_rows,), optional
            The weight of each row.

        Returns
        -------
        RowReader
            It keeps the training rows.
        """
        weights = np.ones(len(labels)) if weights is None else weights
        tests = np.flatnonzero(~tree.is_leaf)
        n_categories = dict(zip(tree.feature[tests].tolist(), tree.n_values[tests].tolist(), strict=True))
        kernels = fit_kernels(columns, labels, weights, n_categories, tree.counts.shape[1], self.width)
        filled = nearest_above(tree, tree.weight > 0)
        return KernelReader(kernels, *_tested(tree), prior_of(self.prior, tree.counts[0]), self.table(tree)[filled])


@saved(
    set_of=Array("i8"),
    sets=TupleOf(TupleOf(Integer(0, 2**31))),
    prior=Array("f8", finite=True, low=0, high=1),
    fallback=Array("f8", ndim=2, finite=True, low=0, high=1),
)
@dataclass(frozen=True, slots=True, eq=False)
class KernelReader:
    """Predicts rows; ``sets`` are the sets of columns tested above nodes, ``set_of`` the number of each node's set."""

    kernels: ClassKernels
    sets: tuple[tuple[int, ...], ...]
    set_of: NDArray[np.intp]
    prior: NDArray[np.float64]
    fallback: NDArray[np.float64]

    def predict(
        self,
        columns: Sequence[NDArray[Any]],
        row: NDArray[np.intp],
        leaf: NDArray[np.int32],
        share: NDArray[np.float64],
        n_rows: int,
    ) -> NDArray[np.float64]:
        proba = np.empty((len(row), len(self.prior)))
        for members, tested, known in group_rows(columns, row, self.set_of[leaf], self.sets):
            rows = [columns[feature][row[members]] for feature in known]
            proba[members] = self._posterior(rows, tested, known, leaf[members])
        mixed = [np.bincount(row, share * column, minlength=n_rows) for column in proba.T]
        return np.minimum(np.stack(mixed, axis=1), 1.0)

    def _posterior(
        self, rows: list[NDArray[Any]], tested: tuple[int, ...], known: tuple[int, ...], leaf: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Return the probabilities of rows that have the same tested columns, and the same of them known."""
        if not known:
            return np.tile(self.prior, (len(leaf), 1))
        logs, is_near = self.kernels.log_densities(rows, tested, known)
        with np.errstate(divide="ignore"):
            logs += np.log(self.prior)
        logs[~is_near] = 0.0
        joint = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.where(is_near[:, np.newaxis], joint / joint.sum(axis=1, keepdims=True), self.fallback[leaf])

    def _check_saved(self) -> None:
        n_nodes, n_classes = self.fallback.shape
        columns = {column for each in self.sets for column in each}
        is_known = (self.set_of >= 0) & (self.set_of < len(self.sets))
        need(len(self.set_of) == n_nodes and is_known.all(), "has a set of columns that does not exist")
        need(columns <= self.kernels.n_categories.keys(), "has a set with a column that no test has")
        need(self.kernels.width.shape[1] == n_classes == len(self.prior), "has kernels of other classes")
        need(math.isclose(self.prior.sum(), 1.0, rel_tol=1e-9), "has prior probabilities that do not sum to 1")

    def _saved_note(self) -> str:
        return f"holds {len(self.kernels.label):,} training rows, from which it predicts (kernel_density)"


def _tested(tree: CountedTree) -> tuple[tuple[tuple[int, ...], ...], NDArray[np.intp]]:
    """Return the distinct sets of columns tested above nodes, and the number of each node's set."""
    sets: dict[frozenset[int], int] = {frozenset(): 0}
    found: list[frozenset[int]] = [frozenset()]
    for above in tree.parent[1:].tolist():  # in preorder a parent comes before its children
        feature = int(tree.feature[above])
        found.append(found[above] if feature in found[above] else found[above] | {feature})
        sets.setdefault(found[-1], len(sets))
    return tuple(tuple(sorted(each)) for each in sets), np.array([sets[each] for each in found])
