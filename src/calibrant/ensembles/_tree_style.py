"""The style of an ensemble's trees: one of the ten of Caruana & Niculescu-Mizil (2004), instead of tree parameters."""

from __future__ import annotations

import copy
import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from calibrant._params import Choice, Nothing, Rule
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import STYLES, GrownTree, TrainingSet

if TYPE_CHECKING:
    import numpy as np

STYLE_DOC = """\
style : {"bayes", "id3", "cart", "cart0", "c4", "mml", "smml", "c44ls", "c44bs", "mmlls"}, optional
    The style of the trees, in lower or upper case, as `calibrant.trees.tree_style` composes it: it stands for the
    parameters that shape a tree, from `criterion` to `missing`, of which none may be set as well. The pruning of
    ``"cart"`` and ``"cart0"`` is chosen once, by cross-validation of a tree of all rows, since copies of a row would be
    on both sides of folds of a bag. None: the parameters."""


class _StyleName(Choice):
    """The name of a style, in lower or upper case."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and super().__contains__(value.lower())


STYLE_RULE: Rule = _StyleName(*STYLES) | Nothing()


def styled(estimator: Any) -> Any:
    """Return the parameters of an ensemble, those of its trees by its style; raise if one is set as well.

    Examples
    --------
    >>> from calibrant.ensembles import BoostedTreesClassifier
    >>> styled(BoostedTreesClassifier(style="id3")).criterion
    'entropy'
    """
    if estimator.style is None:
        return estimator
    chosen, defaults = dict(STYLES[estimator.style.lower()]), inspect.signature(type(estimator).__init__).parameters
    pairs = {name: (getattr(estimator, name), defaults[name].default) for name in chosen if name in defaults}
    given = [name for name, (value, default) in pairs.items() if (type(value), value) != (type(default), default)]
    if given:
        values = ", ".join(f"{name}={getattr(estimator, name)!r}" for name in given)
        raise ParameterError(
            f"{type(estimator).__name__}: style={estimator.style!r} determines {', '.join(given)}; got {values} "
            "as well. Leave out one or the other."
        )
    return SimpleNamespace(**{**estimator.get_params(deep=False), **chosen, "style": None})


def with_tree_params(estimator: Any) -> Any:
    """Return a copy of an ensemble with the parameters that its style stands for.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> with_tree_params(BaggedTreesClassifier(n_trees=2, style="c44ls")).criterion
    'gain_ratio'
    """
    other = copy.copy(estimator)
    vars(other).update(vars(styled(estimator)))
    return other


def styled_for(examples: TrainingSet, estimator: Any, seed: np.random.SeedSequence) -> Any:
    """Return the parameters of an ensemble, with the pruning of its trees chosen for a tree of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> from calibrant.data._internal import read_training_rows
    >>> from calibrant.trees._internal import TrainingSet
    >>> examples = TrainingSet.of(read_training_rows([[i] for i in range(40)], [0] * 20 + [1] * 20))
    >>> styled_for(examples, BaggedTreesClassifier(style="cart"), np.random.SeedSequence(0)).ccp_alpha
    0.0
    """
    params = styled(estimator)
    if isinstance(params.ccp_alpha, str):
        tree: Any = SimpleNamespace(**{"weight_kind": "frequency", "class_weight": None, **vars(params)})
        # Chosen once on all rows: a fold of a bag would hold copies of rows outside it.
        params.ccp_alpha = GrownTree.fit(examples, tree, seed).params.ccp_alpha
    return params
