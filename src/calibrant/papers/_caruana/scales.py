"""The sizes of the reproduction: problems, rows, samples of training rows, and grids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibrant.papers._caruana.candidates import OUR_MAPS, PAPER_MAPS
from calibrant.papers._caruana.default_grid import BAGGED_STYLES, BOOSTED_STYLES, NETS, SVMS
from calibrant.papers._caruana.model_grid import ModelGrid, NetSetting, SvmSetting, steps_to
from calibrant.papers._caruana.problems import PROBLEMS, RowNumbers

if TYPE_CHECKING:
    from calibrant.papers._reproduction.paper import Size

__all__ = ["CHOICE_GRID", "CHOICE_PROBLEM", "PAPER_MODELS", "SCALES", "Scale"]

CHOICE_PROBLEM = "LETTER.P2"
_DEFAULT_EPOCHS = (2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """What one size runs.

    Parameters
    ----------
    grid : ModelGrid
        The models.
    maps : tuple of str
        The maps behind each model.
    rows : RowNumbers
        Numbers of rows of each part.
    auto_grid : ModelGrid
        The models behind the map Auto too, which tries several maps and takes as long as all others together.
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
    auto_grid: ModelGrid = field(default_factory=ModelGrid)
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
_AUTO = ModelGrid(
    bagged_styles=BAGGED_STYLES,
    boosted_styles=BOOSTED_STYLES,
    bag_sizes=(100,),
    boosting_steps=(64, 1024),
    stump_steps=(64, 1024),
    stump_criteria=("entropy",),
    n_neighbors=(14, 54),
    neighbor_weights=("uniform", "gaussian"),
    nets=NETS,
    epochs=(64,),
    svms=SVMS,
    svm_max_iter=200_000,
    has_blend=False,
)
_NO_MODELS = ModelGrid(
    tree_styles=(),
    bagged_styles=(),
    boosted_styles=(),
    stump_criteria=(),
    neighbor_weights=(),
    nets=(),
    svms=(),
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
SCALES: Mapping[Size, Scale] = {
    "quick": Scale(grid=_QUICK, auto_grid=_NO_MODELS, maps=(*PAPER_MAPS, "Beta"), rows=RowNumbers(1000, 500, 3000)),
    "default": Scale(grid=_DEFAULT, auto_grid=_AUTO, n_samples=1, has_choice=True),
    "full": Scale(),
}
