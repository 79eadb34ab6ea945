"""The methods of a blend that explain it: a small tree in its place, and the importance of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calibrant._docstrings import fill_docstring
from calibrant._params import Int, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.blending._distill import Distilled, distill_tree, measure_tree
from calibrant.blending._importances import blend_importances
from calibrant.blending._measured_rows import MeasuredRows, check_passed, read_measured_rows, refit
from calibrant.ensembles import PermutationImportances
from calibrant.exceptions import NotSavedError

if TYPE_CHECKING:
    from calibrant.blending._blend import Blend
    from calibrant.blending._table import BlendSample
    from calibrant.data._internal import Schema
    from calibrant.trees._internal import Examples

__all__ = ["ExplainMixin"]


class ExplainMixin:
    """Mixin of a fitted blend that keeps its coded training rows."""

    if TYPE_CHECKING:
        n_jobs: int | None
        _blend: Blend
        _sample: BlendSample
        _examples: Examples
        _schema: Schema

        def _check_fitted(self) -> None: ...

    @fill_docstring()
    def distill(
        self, max_leaves: int = 8, X: Any = None, y: Any = None, *, sample_weight: Any = None, groups: Any = None
    ) -> Distilled:
        """Return the one small tree that comes nearest to this blend, with what that costs in log-loss.

        A tree is grown on the held-out probabilities of the training rows, each row counted in every class by its
        probability. Of its subtrees of at most `max_leaves` leaves, the one with the least log-loss is kept.

        Parameters
        ----------
        max_leaves : int
            The number of leaves allowed; 1 leaves the base rates.
        X, y : rows and classes that `fit` has not seen, optional
            What the cost is measured on. By default the same members are blended from three quarters of the training
            rows and a tree is distilled from that blend; both are measured on the rest. This takes about as long as
            `fit`, once: further calls, and those of `permutation_importances`, use the same blend.
        sample_weight : sequence of length n_rows, optional
            The weight of each row of `X`.
        groups : sequence of length n_rows, optional
            The group of each row of `X`; the rows of a group are one observation.

        Returns
        -------
        Distilled
            The fitted tree, its log-loss and its cost; its repr shows the tree as text.

        Notes
        -----
        Estimators of other libraries cannot be fitted again from the rows that are kept: with one among the members,
        `X` and `y` must be passed.

        References
        ----------
        M. Bohanec and I. Bratko, "Trading accuracy for simplicity in decision trees", Machine Learning 15, 1994.

        Examples
        --------
        %(example_split)s
        >>> from calibrant.blending import ProbabilityClassifier
        >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(train.X, train.y)
        >>> small = model.distill(3, test.X, test.y)
        >>> small.n_leaves, small.cost < 0.02
        (3, True)
        """
        self._check_fitted()
        check_param("max_leaves", max_leaves, Int(1))
        self._check_has_rows("distill")
        tree = distill_tree(self._blend, self._examples, self._sample, int(max_leaves))
        measured, blend, rows = tree, self._blend, self._measured_rows(X, y, sample_weight, groups)
        if rows is None:
            other = refit(blend, self._examples, n_threads(self.n_jobs))
            measured = distill_tree(other.blend, other.examples, other.sample, int(max_leaves))
            blend, rows = other.blend, other.rows
        return replace(measure_tree(measured, blend, rows), tree=tree, max_leaves=int(max_leaves))

    @fill_docstring()
    def permutation_importances(
        self,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        n_repeats: int = 5,
        random_state: SeedLike = None,
    ) -> PermutationImportances:
        """Measure the importance of each column: the increase of the log-loss on held-out rows when it is permuted.

        Parameters
        ----------
        X, y : rows and classes that `fit` has not seen, optional
            What importances are measured on. By default the same members are blended from three quarters of the
            training rows (at most 26,000 rows are used) and measured on the rest. This takes about as long as `fit`,
            once: further calls, and those of `distill`, use the same blend.
        sample_weight : sequence of length n_rows, optional
            The weight of each row of `X`.
        groups : sequence of length n_rows, optional
            The group of each row of `X`; the rows of a group are one observation in the standard errors.
        n_repeats : int
            Number of times that each column is permuted.
        random_state : int, numpy Generator, RandomState or SeedSequence, optional
            Seeds the permutations.

        Returns
        -------
        PermutationImportances
            The increase of the log-loss for each column, with standard errors.

        Notes
        -----
        Estimators of other libraries cannot be fitted again from the rows that are kept: with one among the members,
        `X` and `y` must be passed.

        Columns that say the same share their importance: permuting one of them costs little.

        References
        ----------
        L. Breiman, "Random forests", Machine Learning 45, 2001, section 10.

        Examples
        --------
        %(example_split)s
        >>> from calibrant.blending import ProbabilityClassifier
        >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(train.X, train.y)
        >>> importances = model.permutation_importances(test.X, test.y, random_state=0)
        >>> importances.names[importances.mean.argmax()]
        'months_since_last_gift'
        """
        self._check_fitted()
        check_param("n_repeats", n_repeats, Int(1))
        seed, threads, blend = seed_sequence(random_state), n_threads(self.n_jobs), self._blend
        rows = self._measured_rows(X, y, sample_weight, groups)
        if rows is None:
            self._check_has_rows("permutation_importances", "pass X and y, or save it with training_rows=True")
            other = refit(blend, self._examples, threads)
            blend, rows = other.blend, other.rows
        return blend_importances(blend, rows, self._schema, int(n_repeats), seed, threads)

    def _check_has_rows(self, what: str, remedy: str = "save it with training_rows=True") -> None:
        """Raise if the model was saved without the training rows that a method needs."""
        if "_sample" not in vars(self):
            raise NotSavedError(
                f"{type(self).__name__} was saved without its training rows, which {what} needs: {remedy}."
            )

    def _measured_rows(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> MeasuredRows | None:
        """Validate rows to be measured on; None where none are passed."""
        check_passed(X, y, sample_weight, groups)
        return None if X is None else read_measured_rows(self, X, y, sample_weight, groups)
