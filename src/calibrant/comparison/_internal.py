"""What other packages may import from this one, as `tests/test_internal_imports.py` checks."""

from calibrant.comparison._many_sets.all_pairs import holm_corrected
from calibrant.comparison._many_sets.mean_rank_tests import tied_ranks
from calibrant.comparison._many_sets.method_pairs import Better, method_pairs
from calibrant.comparison._pairwise.t_tests import t_figures

__all__ = ["Better", "holm_corrected", "method_pairs", "t_figures", "tied_ranks"]
