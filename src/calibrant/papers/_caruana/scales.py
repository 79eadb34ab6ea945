"""The sizes of the reproduction: problems, rows, samples of training rows, and grids of parameters (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from calibrant.neighbors import grid_of_k
from calibrant.papers._caruana.algorithms import OUR_MAPS, PAPER_MAPS
from calibrant.papers._caruana.problems import PROBLEMS, RowNumbers
from calibrant.papers._reproduction.paper import Size

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

    def __str__(self) -> str:
        shape = {"linear": "", "polynomial": f" {self.degree}", "radial": f" {self.gamma:g}"}[self.kernel]
        return f"{self.kernel}{shape}, C = {self.C:g}"


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
    """The settings of each algorithm that are tried; an empty tuple leaves an algorithm out.

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


# The default size has those styles, nets and SVMs that are best on the validation rows of LETTER.P2: the study of
# CHOICE_PROBLEM runs all ten styles, 24 nets and 121 SVMs there, and `selection.py` has the rule. No test row was seen.
BAGGED_STYLES = ("C44LS", "ID3")
BOOSTED_STYLES = ("ID3", "BAYES")
NETS = tuple(NetSetting(n_hidden, 0.9) for n_hidden in (1, 2, 4, 8, 32, 128))
SVMS = (
    SvmSetting("linear", C=0.1),
    *(SvmSetting("polynomial", degree=2, C=c) for c in (0.01, 0.1)),
    *(SvmSetting("polynomial", degree=3, C=c) for c in (0.001, 0.01)),
    SvmSetting("radial", gamma=0.001, C=1000.0),
    *(SvmSetting("radial", gamma=gamma, C=c) for gamma in (0.005, 0.01, 0.05, 0.1) for c in (100.0, 1000.0)),
    *(SvmSetting("radial", gamma=gamma, C=c) for gamma in (0.5, 1.0, 2.0) for c in (1.0, 10.0)),
)


CHOICE_PROBLEM = "LETTER.P2"
_DEFAULT_EPOCHS = (2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The problems, rows and grids of one size.

    Parameters
    ----------
    grid : ModelGrid
        The models.
    maps : tuple of str
        The maps behind each model.
    rows : RowNumbers
        Numbers of rows of each part.
    auto_grid : ModelGrid or None
        The models behind the map Auto too, if any, which tries several maps and takes as long as all others together.
    n_samples : int
        Number of samples of rows, each with its own training, validation and test rows.
    problems : tuple of str
        The problems.
    has_choice : bool
        Whether the study that chose the grid is run too.
    """

    grid: ModelGrid = field(default_factory=ModelGrid)
    maps: tuple[str, ...] = (*PAPER_MAPS, *OUR_MAPS)
    rows: RowNumbers = field(default_factory=RowNumbers)
    auto_grid: ModelGrid | None = field(default_factory=ModelGrid)
    n_samples: int = 1
    problems: tuple[str, ...] = tuple(PROBLEMS)
    has_choice: bool = False


# The models that the default size chooses among, at the steps, bags and epochs of that size
CHOICE_GRID = ModelGrid(
    tree_styles=(),
    bag_sizes=(100,),
    boosting_steps=steps_to(256),
    stump_criteria=(),
    neighbor_weights=(),
    epochs=(16, 64),
    svm_max_iter=200_000,
    has_blend=False,
)

# One model of each algorithm of the paper's tables
PAPER_MODELS = ModelGrid(
    tree_styles=("C44BS",),
    bagged_styles=("C44BS",),
    boosted_styles=("C44BS",),
    bag_sizes=(100,),
    boosting_steps=(1024,),
    stump_steps=(1024,),
    stump_criteria=("entropy",),
    n_neighbors=(50,),
    neighbor_weights=("uniform",),
    n_distances=1,
    nets=(NetSetting(32, 0.9),),
    epochs=(64,),
    svms=(SvmSetting("radial", gamma=0.05, C=10.0),),
    has_blend=False,
)
_QUICK = ModelGrid(
    tree_styles=("ID3", "C4", "C44LS", "C44BS"),
    bagged_styles=BAGGED_STYLES[:1],
    boosted_styles=BOOSTED_STYLES[:1],
    bag_sizes=(25,),
    boosting_steps=(4, 32, 128),
    stump_steps=(8, 64, 256),
    stump_criteria=("entropy",),
    n_neighbors=(1, 5, 20, 50, 100, 1000),
    neighbor_weights=("uniform", "gaussian"),
    nets=(NetSetting(2, 0.9), NetSetting(8, 0.9)),
    epochs=(8, 32, 64),
    svms=(
        SvmSetting("linear", C=0.01),
        SvmSetting("radial", gamma=0.01, C=10.0),
        SvmSetting("radial", gamma=0.1, C=10.0),
    ),
    svm_max_iter=200_000,
)
_DEFAULT = ModelGrid(
    bagged_styles=BAGGED_STYLES,
    boosted_styles=BOOSTED_STYLES,
    bag_sizes=(25, 50, 100),
    boosting_steps=steps_to(1024),
    stump_steps=steps_to(1024),
    neighbor_weights=("uniform", "inverse_squared", "gaussian"),
    nets=NETS,
    epochs=_DEFAULT_EPOCHS,
    svms=SVMS,
    svm_max_iter=200_000,
)
_AUTO = replace(
    _DEFAULT,
    bag_sizes=(100,),
    boosting_steps=(64, 1024),
    stump_steps=(64, 1024),
    stump_criteria=("entropy",),
    n_neighbors=(14, 54),
    neighbor_weights=("uniform", "gaussian"),
    epochs=(64,),
    has_blend=False,
)
SCALES: Mapping[Size, Scale] = {
    "quick": Scale(grid=_QUICK, auto_grid=None, maps=(*PAPER_MAPS, "Beta"), rows=RowNumbers(1000, 500, 3000)),
    "default": Scale(grid=_DEFAULT, auto_grid=_AUTO, n_samples=1, has_choice=True),
    "full": Scale(),
}
