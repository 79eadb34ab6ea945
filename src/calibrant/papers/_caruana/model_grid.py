"""The parameters that Caruana & Niculescu-Mizil (2004) vary, section 2.1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from calibrant.neighbors import grid_of_k

__all__ = ["ALL_NETS", "ALL_SVMS", "STYLES", "ModelGrid", "NetSetting", "SvmSetting", "steps_to"]

StumpCriterion: TypeAlias = Literal["entropy", "gain_ratio", "gini", "dkm", "twoing"]
NeighborWeights: TypeAlias = Literal["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]

STYLES = ("BAYES", "ID3", "CART", "CART0", "C4", "MML", "SMML", "C44LS", "C44BS", "MMLLS")
_HIDDEN = (1, 2, 4, 8, 32, 128)
_MOMENTUM = (0.0, 0.2, 0.5, 0.9)
_WIDTHS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.0)
_C: Final = tuple(float(f"1e{power}") for power in range(-7, 4))


@dataclass(frozen=True)
class NetSetting:
    """A net with one hidden layer.

    Examples
    --------
    >>> str(NetSetting(8, 0.5))
    '8 hidden, momentum 0.5'
    """

    n_hidden: int
    momentum: float

    def __str__(self) -> str:
        return f"{self.n_hidden} hidden, momentum {self.momentum:g}"


@dataclass(frozen=True)
class SvmSetting:
    """A support vector machine with a kernel of SVM-Light.

    Examples
    --------
    >>> str(SvmSetting("linear", C=0.1)), str(SvmSetting("radial", gamma=0.05, C=10.0))
    ('linear, C = 0.1', 'radial 0.05, C = 10')
    """

    kernel: Literal["linear", "polynomial", "radial"]
    degree: int = 2
    gamma: float = 1.0
    C: float = 1.0

    @property
    def shape(self) -> str:
        """The kernel in words."""
        return self.kernel + {"linear": "", "polynomial": f" {self.degree}", "radial": f" {self.gamma:g}"}[self.kernel]

    def __str__(self) -> str:
        return f"{self.shape}, C = {self.C:g}"


ALL_NETS = tuple(NetSetting(n_hidden, momentum) for n_hidden in _HIDDEN for momentum in _MOMENTUM)
_KERNELS = (
    SvmSetting("linear"),
    SvmSetting("polynomial", degree=2),
    SvmSetting("polynomial", degree=3),
    *(SvmSetting("radial", gamma=width) for width in _WIDTHS),
)
ALL_SVMS = tuple(SvmSetting(each.kernel, each.degree, each.gamma, c) for each in _KERNELS for c in _C)


def steps_to(most: int) -> tuple[int, ...]:
    """Return the steps of boosting that are tried: the powers of two from 2.

    Examples
    --------
    >>> steps_to(32)
    (2, 4, 8, 16, 32)
    """
    return tuple(2**power for power in range(1, most.bit_length()))


@dataclass(frozen=True, kw_only=True)
class ModelGrid:
    """What is tried of each algorithm; an empty tuple leaves an algorithm out.

    Parameters
    ----------
    tree_styles, bagged_styles, boosted_styles : tuples of str
        Styles of trees, alone, in bags and boosted.
    bag_sizes, boosting_steps, stump_steps : tuples of int
        Numbers of trees.
    stump_criteria : tuple of str
        Criteria of boosted stumps.
    n_neighbors : tuple of int
        Numbers of neighbours.
    neighbor_weights : tuple of str
        How neighbours vote: alike, by distance, or all rows by locally weighted averaging.
    n_distances : int
        1 for the Euclidean distance alone, 2 for that weighted by gain ratios too.
    nets, svms : tuples
        Nets and support vector machines.
    epochs : tuple of int
        The epochs at which nets are stopped.
    svm_max_iter : int, optional
        The most iterations of the solver of a support vector machine; None for no limit.
    has_blend : bool
        Whether `ProbabilityClassifier` is tried too.
    """

    tree_styles: tuple[str, ...] = STYLES
    bagged_styles: tuple[str, ...] = STYLES
    boosted_styles: tuple[str, ...] = STYLES
    bag_sizes: tuple[int, ...] = (25, 50, 75, 100)
    boosting_steps: tuple[int, ...] = steps_to(2048)
    stump_steps: tuple[int, ...] = steps_to(8192)
    stump_criteria: tuple[StumpCriterion, ...] = ("entropy", "gain_ratio", "gini", "dkm", "twoing")
    n_neighbors: tuple[int, ...] = field(default_factory=lambda: tuple(grid_of_k(4000)))
    neighbor_weights: tuple[NeighborWeights, ...] = ("uniform", "inverse", "inverse_squared", "similarity", "gaussian")
    n_distances: int = 2
    nets: tuple[NetSetting, ...] = ALL_NETS
    epochs: tuple[int, ...] = field(default_factory=lambda: tuple(grid_of_k(2000, 60)))
    svms: tuple[SvmSetting, ...] = ALL_SVMS
    svm_max_iter: int | None = None
    has_blend: bool = True
